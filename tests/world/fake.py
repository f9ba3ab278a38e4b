"""A scheduler simple enough to check by hand: first come first served, whatever fits, one node a job, no cycle."""

from __future__ import annotations

import attrs
import numpy as np

NEVER = 1 << 62


@attrs.frozen
class Told:
    kind: int
    row: int


class FakeScheduler:
    """Jobs start the moment they fit. Preemptible jobs leave a cordoned node at once, the others when they finish."""

    def __init__(self, scenario, table):
        self.now = 0
        self.calls = []  # (now, verb, *arguments), all but advance
        self.leaps = []  # what advance was asked for
        self.table = table
        self.submits = {job: int(at) for job, at in enumerate(table.submit) if at >= 0}
        self.free = dict.fromkeys(range(scenario.cluster.nodes), scenario.cluster.gpus_per_node)
        self.shut = set()  # nodes that take nothing
        self.draining = set()
        self.queue = []
        self.running = {}  # job -> (node, finish)
        self.started = {}
        self.over = {}
        self.watched = set()
        self.notices = []
        self.decisions = 0
        self.resting = set()
        self.priority = table.priority.copy()
        self.preemptible = table.preemptible.copy()
        self.submitted = {}

    # -- time

    def advance(self, until):
        self.leaps.append(until)
        assert until >= self.now, "the world asked the scheduler to go back"
        while True:
            if self.notices:
                return self.notices.pop(0)
            ahead = [*self.submits.values(), *(finish for _, finish in self.running.values()), NEVER]
            if min(ahead) >= until:
                self.now = until
                return None
            self._happen(min(ahead))
            if self.notices:
                self.now += 1  # the second is done

    def _happen(self, time):
        self.now = time
        for job in sorted(job for job, (_, finish) in self.running.items() if finish <= time):
            self._stop(job, over=True)
        for job in sorted(job for job, at in self.submits.items() if at <= time):
            del self.submits[job]
            self.submitted[job] = time
            self.queue.append(job)
        self._fill()

    def _fill(self):
        for job in list(self.queue):
            need = int(self.table.gpus[job])
            fitting = [node for node, free in self.free.items() if free >= need and node not in self.shut]
            if fitting:
                node = fitting[0]
                self.queue.remove(job)
                self.free[node] -= need
                self.running[job] = (node, self.now + int(self.table.startup[job] + self.table.work[job]))
                self.started.setdefault(job, self.now)
                self.decisions += 1
                if job in self.watched:
                    self.notices.append(Told(1, job))

    def _stop(self, job, *, over):
        node, _ = self.running.pop(job)
        self.free[node] += int(self.table.gpus[job])
        if over or job in self.resting:
            self._end(job)
        else:
            self.queue.append(job)
        self._look(node)

    def _end(self, job):
        self.over[job] = self.now
        if job in self.watched:
            self.notices.append(Told(2, job))

    def _look(self, node):
        if node in self.draining and not any(at == node for at, _ in self.running.values()):
            self.draining.discard(node)
            self.notices.append(Told(3, node))

    # -- verbs

    def submit(self, job):
        self.calls.append((self.now, "submit", job))
        assert self.table.submit[job] == -1
        self.submits[job] = self.now

    def watch(self, job):
        self.watched.add(job)

    def waiting(self, job):
        return job in self.queue and job not in self.started

    def works_until(self, job):
        return self.running[job][1] - int(self.table.hold[job]) if job in self.running else -1

    def rest(self, job):
        self.calls.append((self.now, "rest", job))
        self.resting.add(job)
        return True

    def observe(self, jobs):
        submit = np.array([self.submitted.get(job, -1) for job in jobs.tolist()], np.int64)
        start = np.array([self.started.get(job, -1) for job in jobs.tolist()], np.int64)
        return submit, start, np.array([self.waiting(job) for job in jobs.tolist()], np.bool_)

    def mark(self, jobs, priority, preemptible):
        self.calls.append((self.now, "mark", jobs.tolist(), priority.tolist(), preemptible.tolist()))
        assert not set(jobs.tolist()) & set(self.submitted)
        self.priority[jobs], self.preemptible[jobs] = priority, preemptible

    def cancel(self, job):
        self.calls.append((self.now, "cancel", job))
        if job in self.queue:
            self.queue.remove(job)
            self._end(job)
        else:
            self._stop(job, over=True)

    def cordon(self, node):
        self.calls.append((self.now, "cordon", node))
        self.shut.add(node)
        self.draining.add(node)
        for job in [job for job, (at, _) in self.running.items() if at == node and self.table.preemptible[job]]:
            self._stop(job, over=False)
        self._look(node)
        self._fill()

    def fail(self, node):
        self._down("fail", node)

    def evict(self, node):
        self._down("evict", node)

    def take_down(self, node):
        assert not any(at == node for at, _ in self.running.values()), "taken down while jobs ran"
        self._down("take_down", node)

    def _down(self, verb, node):
        self.calls.append((self.now, verb, node))
        self.shut.add(node)
        for job in [job for job, (at, _) in self.running.items() if at == node]:
            self._stop(job, over=False)
        self.draining.discard(node)
        self._fill()

    def clear(self, node):
        self.calls.append((self.now, "clear", node))
        self.shut.discard(node)
        self._fill()

    def set_plan(self, plan):
        self.calls.append((self.now, "set_plan", plan))

    def snapshot(self):
        return {"decisions": self.decisions, "running": len(self.running), "waiting": len(self.queue)}

    def close(self):
        return {"horizon": self.now, "started": self.started, "over": self.over, "calls": self.calls}


def verbs(scheduler, *wanted):
    """The calls of these verbs, in order."""
    return [call for call in scheduler.calls if call[1] in wanted]


def rows(incidents):
    """Incidents as dicts of plain numbers."""
    return [dict(zip(incidents.dtype.names, row, strict=True)) for row in np.asarray(incidents).tolist()]
