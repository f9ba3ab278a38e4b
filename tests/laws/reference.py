"""The rules of the scheduler once more, slow and plain, to hold the kernel against.

Everything is looked up anew whenever it is asked for: use is summed from the ledger, commitments and free GPUs from the
slices that run, ranks are fractions. Nothing is kept from one pass to the next but jobs, slices, nodes and holds, and no
code is shared with the kernel. So it takes a thousand times as long, and can be read against the page of the rules.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import attrs

from allotment.model.codes import DecisionCode, EndCode, JobState, Reason, SliceState
from allotment.model.plan import ROOT, Plan
from allotment.model.policy import WITHIN_CLASS, Backfill, Candidates, Key, Lending, Licence, Match, Partition
from allotment.scenario import Scenario
from allotment.units import DAY
from allotment.workload.table import JobTable
from tests.laws.happenings import Happening

UNIT = 10**8
INFINITE = float("inf")
PROTECTED, INTERRUPTIBLE, UNALLOCATED = SliceState.PROTECTED, SliceState.INTERRUPTIBLE, SliceState.UNALLOCATED
WAITING, RUNNING = JobState.WAITING, JobState.RUNNING


@attrs.define(eq=False)
class Job:
    """One job as it stands; `stops` counts its slices that did not finish."""

    row: int
    leaf: str
    take: int
    need: int  # whole nodes, 0 for a job within one node
    min_runtime: int
    submit: int
    work: int
    checkpoint: int
    startup: int
    restart: int
    priority: int
    limit: int
    preemptible: bool
    stream: int
    state: JobState = JobState.UNSUBMITTED
    since: int = -1  # of its present wait
    displaced_at: int = -(10**9)
    funded_at: int | None = None
    hold: Hold | None = None
    running: Slice | None = None
    slices: int = 0
    stops: int = 0
    done: int = 0
    lost: int = 0
    queued: int = 0
    first_start: int = -1
    end: int = -1
    too_large: bool = False

    @property
    def claim(self) -> int:
        return self.take * self.min_runtime

    @property
    def overhead(self) -> int:
        return self.restart if self.slices else self.startup

    @property
    def planned(self) -> int:
        """Seconds that its next slice is planned with: what is left of the user's limit, which counts one start-up."""
        return self.limit - self.startup - self.done + self.overhead


@attrs.define(eq=False)
class Slice:
    """One stretch of a job on its nodes, with its segments as [state, begin, end]; the last one has no end yet."""

    row: int
    job: Job
    start: int
    overhead: int
    finish: int
    planned_end: int
    nodes: tuple[int, ...]
    each: int  # GPUs on each node
    segments: list[list[Any]]
    until: int = -1
    end: int = -1
    code: EndCode = EndCode.OPEN
    for_job: int = -1
    kept: int = 0
    lost: int = 0

    @property
    def state(self) -> SliceState:
        return SliceState(self.segments[-1][0])


@attrs.define(eq=False)
class Hold:
    """A set of nodes that is fixed for a job."""

    job: Job
    since: int
    due: int
    nodes: list[int]


@attrs.define(eq=False)
class Node:
    """A machine; in service where it is neither down nor draining."""

    number: int
    down: bool = False
    draining: bool = False

    @property
    def serves(self) -> bool:
        return not self.down and not self.draining


class Reference:
    """One run, start to end; `decisions`, `slices` and `jobs` tell what happened."""

    def __init__(self, scenario: Scenario, table: JobTable) -> None:
        self.policy, self.contracts = scenario.policy, scenario.policy.contracts
        self.cluster, self.horizon = scenario.cluster, scenario.horizon
        self.give_up_after = scenario.give_up_after
        self.per_node = scenario.cluster.gpus_per_node
        self.leaves = sorted(table.leaves)
        self.ids = sorted({ROOT, *scenario.plan.ids, *table.leaves})
        self.nodes = [Node(number) for number in range(scenario.cluster.nodes)]
        self.jobs = [self._job(table, row) for row in range(len(table))]
        self.table = table
        self.slices: list[Slice] = []
        self.holds: list[Hold | None] = [None] * (self.contracts.holders if self.contracts else 0)
        self.decisions: list[dict[str, int]] = []
        self.refused: dict[int, tuple[int, int]] = {}  # job -> what was logged last
        self.now, self.passes, self.last_pass, self.next_pass, self.dirty = 0, 0, -1, -1, True
        self.displaced: list[Job] = []
        self.saving: dict[str, tuple[int, int]] = {}
        self.capacity = [(0, scenario.cluster.gpus)]
        self.epochs: list[tuple[int, dict[str, int]]] = []
        self._use_plan(scenario.plan)
        self.manual = table.streams.manual.tolist()
        self.closed = table.streams.closed.tolist()
        self.target = [0] * len(self.closed)
        self.arrivals: dict[int, list[int]] = {}
        for job in self.jobs:
            if not self.manual[job.stream] and not self.closed[job.stream] and job.submit >= 0:
                self.arrivals.setdefault(job.submit, []).append(job.row)
        self.targets: dict[int, list[tuple[int, int]]] = {}
        for stream in range(len(self.closed)):
            if self.closed[stream]:
                times, gpus = table.streams.target(stream)
                for time, target in zip(times.tolist(), gpus.tolist(), strict=True):
                    self.targets.setdefault(time, []).append((stream, target))

    def _job(self, table: JobTable, row: int) -> Job:
        gpus = int(table.gpus[row])
        need = 0 if gpus <= self.per_node else -(-gpus // self.per_node)
        values = {
            name: int(getattr(table, name)[row])
            for name in ("min_runtime", "submit", "work", "startup", "restart", "priority", "limit", "stream")
        }
        return Job(
            row=row,
            leaf=table.leaves[int(table.leaf[row])],
            take=need * self.per_node or gpus,
            need=need,
            checkpoint=int(table.checkpoint[row]) if table.resumable[row] else 0,
            preemptible=bool(table.preemptible[row]),
            **values,
        )

    # --- time -------------------------------------------------------------------------------------------------------

    def run(self, happenings: Iterable[Happening] = ()) -> Reference:
        """Go to the horizon, with what the world does at its times."""
        todo = sorted(happenings, key=lambda happening: happening.time)
        while True:
            time = min([self._next(), *(happening.time for happening in todo[:1])])
            if time >= self.horizon:
                break
            self._go(time)
            while todo and todo[0].time == time:
                self._act(todo.pop(0))
                self._happen()
            if self.dirty and self.next_pass < 0:
                self.next_pass = self._on_grid()
            if self.next_pass == time:
                self._pass()
                if self.dirty or self._slides():
                    self.next_pass = self.now + self.cluster.cycle
                self._happen()  # a stream whose job was given up in the pass goes on
        self.now = self.horizon
        self._close()
        return self

    def _next(self) -> int:
        if self.dirty and self.next_pass < 0:
            self.next_pass = self._on_grid()
        moments = [job_slice.finish for job_slice in self._running()]
        moments += [r.until for r in self._running() if r.state == PROTECTED and r.until >= 0]
        moments += [*self.arrivals, *self.targets]
        moments += [self.next_pass] if self.next_pass >= 0 else []
        return min(moments, default=self.horizon)

    def _on_grid(self) -> int:
        time = -(-self.now // self.cluster.cycle) * self.cluster.cycle
        return time + self.cluster.cycle if time == self.last_pass else time

    def _slides(self) -> bool:
        if self.contracts is None:
            return False
        moving = any(r.state != PROTECTED for r in self._running())
        return moving or any(job.state == WAITING and job.min_runtime for job in self.jobs)

    def _go(self, time: int) -> None:
        self.now = time
        self._happen()

    def _happen(self) -> None:
        for r in self._running():
            if r.finish == self.now:
                self._stop(r, EndCode.FINISHED)
        for r in self._running():
            if r.state == PROTECTED and r.until == self.now:
                self._turn(r, INTERRUPTIBLE)
                self.dirty = True
                if any(self.nodes[node].draining for node in r.nodes):
                    self._stop(r, EndCode.DRAINED)
        for stream, target in self.targets.pop(self.now, []):
            self.target[stream] = target
        for row in self.arrivals.pop(self.now, []):
            self._submit(self.jobs[row])
        for stream in range(len(self.closed)):
            if self.closed[stream]:
                self._top_up(stream)

    def _top_up(self, stream: int) -> None:
        mine = [job for job in self.jobs if job.stream == stream]
        for job in mine:
            if job.state != JobState.UNSUBMITTED:
                continue
            outstanding = sum(other.take for other in mine if other.state in (WAITING, RUNNING))
            target = self.target[stream]
            if target <= 0 or (outstanding and outstanding + Fraction(job.take, 2) > target):
                return
            self._submit(job)

    # --- the world --------------------------------------------------------------------------------------------------

    def _act(self, happening: Happening) -> None:
        verb, what = happening.verb, happening.what
        if verb == "plan":
            self._use_plan(what)
        elif verb == "cancel":
            self._cancel(self.jobs[what])
        elif verb == "submit":
            if self.jobs[what].state != JobState.UNSUBMITTED:
                return
            self._submit(self.jobs[what])
        else:
            node = self.nodes[what]
            used = self._on(what)
            if verb == "cordon" and node.serves:
                self._serve(node, draining=True)
                for r in used:
                    if r.state != PROTECTED:
                        self._stop(r, EndCode.DRAINED)
            elif verb in ("fail", "evict") and not node.down:
                for r in used:
                    self._stop(r, EndCode.FAILED if verb == "fail" else EndCode.URGENT_REPAIR)
                self._serve(node, down=True)
            elif verb == "take_down" and not node.down and not used:
                self._serve(node, down=True)
            elif verb == "clear":
                self._serve(node)
            else:
                return
        self.dirty = True

    def _serve(self, node: Node, *, down: bool = False, draining: bool = False) -> None:
        node.down, node.draining = down, draining
        self.capacity.append((self.now, sum(self.per_node for n in self.nodes if not n.down)))
        if node.serves:
            return
        for hold in self.holds:
            if hold is not None and node.number in hold.nodes:
                hold.nodes.remove(node.number)
                free = self._soonest(self._each(hold.job), hold.since)
                if free:
                    hold.nodes.append(free[0][1])
                    hold.due = max(hold.due, free[0][0])
                else:
                    self._end_hold(hold)
                    self._say(DecisionCode.RELEASE, hold.job)

    def _use_plan(self, plan: Plan) -> None:
        shares = {name: int(plan.absolute_share(name) * UNIT) for name in self.ids}
        if self.epochs and self.epochs[-1][0] == self.now:
            self.epochs.pop()
        self.epochs.append((self.now, shares))
        self.plan = plan
        self.lineage = {leaf: list(reversed(plan.lineage(leaf))) for leaf in self.leaves}  # leaf to budget

    def _submit(self, job: Job) -> None:
        job.submit = self.now
        if self.contracts is not None:
            gpus, shares = self.cluster.gpus, self.epochs[-1][1]
            whole = gpus * self.policy.window.lookback
            levels = self._levels_always(job.leaf, job.min_runtime)
            job.too_large = any(job.claim > shares[level] * whole // UNIT for level in levels) or (
                job.claim > 0 and any(shares[level] == 0 for level in self.lineage[job.leaf])
            )
        self._wait(job)

    def _wait(self, job: Job) -> None:
        job.state, job.since, job.running = WAITING, self.now, None
        self.dirty = True

    def _cancel(self, job: Job) -> None:
        if job.state == RUNNING and job.running is not None:
            self._stop(job.running, EndCode.CANCELLED)
        elif job.state == WAITING:
            if job.hold is not None:
                self._end_hold(job.hold)
            self._stop_waiting(job)
            self._leave(job, JobState.CANCELLED)

    def _stop_waiting(self, job: Job) -> None:
        job.queued += self.now - job.since
        job.funded_at = None
        self.refused.pop(job.row, None)

    def _leave(self, job: Job, state: JobState) -> None:
        job.state, job.end, job.running = state, self.now, None
        self.dirty = True

    # --- slices -----------------------------------------------------------------------------------------------------

    def _running(self) -> list[Slice]:
        return [job.running for job in self.jobs if job.running is not None] if self.slices else []

    def _on(self, node: int) -> list[Slice]:
        return [r for r in sorted(self._running(), key=lambda r: r.row) if node in r.nodes]

    def _free(self, node: int) -> int:
        return self.per_node - sum(r.each for r in self._on(node))

    def _turn(self, r: Slice, state: SliceState) -> None:
        r.segments[-1][2] = self.now
        r.segments.append([state, self.now, None])
        if state == PROTECTED:
            r.until = self.now + r.job.min_runtime

    def _start(self, job: Job, state: SliceState, nodes: list[int]) -> Slice:
        self._stop_waiting(job)
        r = Slice(
            row=len(self.slices),
            job=job,
            start=self.now,
            overhead=job.overhead,
            finish=self.now + job.overhead + job.work - job.done,
            planned_end=self.now + job.planned,
            nodes=tuple(nodes),
            each=self.per_node if job.need else job.take,
            segments=[[state, self.now, None]],
        )
        if state == PROTECTED and self.contracts is not None:
            r.until = self.now + job.min_runtime
        self.slices.append(r)
        job.state, job.running = RUNNING, r
        job.slices += 1
        job.first_start = self.now if job.first_start < 0 else job.first_start
        return r

    def _progress(self, r: Slice) -> tuple[int, int]:
        """Return the seconds of work kept and lost if the slice stopped now."""
        worked = max(0, self.now - r.start - r.overhead)
        kept = worked // r.job.checkpoint * r.job.checkpoint if r.job.checkpoint else 0
        return (kept, worked - kept) if kept else (0, self.now - r.start)

    def _lost(self, r: Slice) -> int:
        return self._progress(r)[1] * r.job.take

    def _stop(self, r: Slice, code: EndCode, for_job: int = -1) -> int:
        job = r.job
        kept, lost = (job.work - job.done, 0) if code == EndCode.FINISHED else self._progress(r)
        r.end, r.code, r.for_job, r.kept, r.lost = self.now, code, for_job, kept, lost * job.take
        r.segments[-1][2] = self.now
        job.done += kept
        job.lost += r.lost
        job.running = None
        self.dirty = True
        if code == EndCode.FINISHED:
            self._leave(job, JobState.FINISHED)
            return r.lost
        if code == EndCode.CANCELLED:
            self._leave(job, JobState.CANCELLED)
            return r.lost
        job.stops += 1
        if job.checkpoint == 0 and job.stops >= self.give_up_after:
            self._say(DecisionCode.GIVE_UP, job, slice=r.row, other_job=for_job, lost=r.lost)
            self._leave(job, JobState.GIVEN_UP)
            return r.lost
        self._wait(job)
        if code == EndCode.PREEMPTED:
            job.displaced_at = self.now
            self.displaced.append(job)
        return r.lost

    def _close(self) -> None:
        for r in self._running():
            job = r.job
            r.end = self.now
            r.segments[-1][2] = self.now
            if r.finish == self.now:
                r.code, r.kept = EndCode.FINISHED, job.work - job.done
                job.state, job.end = JobState.FINISHED, self.now
            else:
                r.code, r.kept = EndCode.HORIZON, max(0, self.now - r.start - r.overhead)
            job.done += r.kept
        for job in self.jobs:
            if job.state == WAITING:
                job.queued += self.now - job.since

    # --- figures ----------------------------------------------------------------------------------------------------

    def _figures(self) -> None:
        """Sum use and entitlement of every plan node at this moment; commitments are summed when they are asked for."""
        start = max(self.now - self.policy.window.lookback, 0)
        self.used = dict.fromkeys(self.ids, 0)
        self.use = dict.fromkeys(self.leaves, 0)
        for r in self.slices:
            for state, begin, end in r.segments:
                held = max(0, (self.now if end is None else end) - max(begin, start)) * r.job.take
                self.use[r.job.leaf] += held
                if state != UNALLOCATED:
                    for level in (*self.lineage[r.job.leaf], ROOT):
                        self.used[level] += held
        self.entitled = {level: self._entitled(level, start) for level in self.ids}
        self.added = dict.fromkeys(self.leaves, 0)
        self._stand()

    def _stand(self) -> None:
        """Count the leaves of the plan that come before each by level fair share; `standing` has the counts."""
        shares = self.epochs[-1][1]
        below: dict[str, list[str]] = {level: [] for level in self.ids}
        for level in self.ids:
            if level != ROOT:
                below[self.plan.parent(level)].append(level)
        self.standing: dict[str, int] = {}

        def fair_share(level: str) -> Fraction | float:
            family = below[self.plan.parent(level)]
            if not shares[level]:
                return 0.0
            if not self.used[level]:
                return INFINITE
            s = Fraction(shares[level], sum(shares[kin] for kin in family))
            return s / Fraction(self.used[level], sum(self.used[kin] for kin in family))

        def visit(family: list[str], first: int) -> None:
            for fairness in sorted({fair_share(level) for level in family}, reverse=True):
                tied = [level for level in family if fair_share(level) == fairness]
                self.standing |= {level: first for level in tied if not below[level]}
                visit([child for level in tied for child in below[level]], first)
                first = len(self.standing)

        visit(below[ROOT], 0)

    def _entitled(self, level: str, start: int) -> int:
        total = 0
        for (since, shares), until in zip(self.epochs, [*[e[0] for e in self.epochs[1:]], self.now], strict=True):
            total += shares[level] * self._healthy_time(max(since, start), until)
        ahead = min(DAY, self.policy.window.lookback) - self.now
        if ahead > 0:  # at first everybody is given what a day brings
            total += self.epochs[-1][1][level] * self.capacity[-1][1] * ahead
        return total // UNIT

    def _healthy_time(self, since: int, until: int) -> int:
        ends = [*[time for time, _ in self.capacity[1:]], self.now]
        return sum(
            gpus * max(0, min(end, until) - max(time, since))
            for (time, gpus), end in zip(self.capacity, ends, strict=True)
        )

    def _committed(self, level: str) -> int:
        if self.contracts is None:
            return 0
        inside = [leaf for leaf in self.leaves if level == ROOT or level in self.lineage[leaf]]
        running = sum(
            r.job.take * (r.until - self.now) for r in self._running() if r.state == PROTECTED and r.job.leaf in inside
        )
        return running + sum(h.job.claim for h in self.holds if h is not None and h.job.leaf in inside)

    def _headroom(self, level: str) -> int:
        return self.entitled[level] - self.used[level] - self._committed(level)

    def _ratio(self, level: str, claim: int = 0) -> Fraction | float:
        charged = self.used[level] + self._committed(level) + claim
        return Fraction(charged, self.entitled[level]) if self.entitled[level] else INFINITE

    # --- funding ----------------------------------------------------------------------------------------------------

    def _is_short(self, min_runtime: int) -> bool:
        assert self.contracts is not None
        return min_runtime <= self.contracts.short

    def _is_lent(self, leaf: str) -> bool:
        assert self.contracts is not None
        if self.contracts.lending != Lending.IDLE_KIN:
            return self.contracts.lending == Lending.ALWAYS
        budget = self.lineage[leaf][-1]
        kin = [other for other in self.leaves if other != leaf and self.lineage[other][-1] == budget]
        return not any(self._headroom(other) > 0 and self._wants(other) for other in kin)

    def _wants(self, leaf: str) -> bool:
        """Tell whether a leaf has work, waiting or unallocated, that asks a contract above `short`."""
        return any(
            not self._is_short(job.min_runtime)
            and (job.state == WAITING or (job.running is not None and job.running.state == UNALLOCATED))
            for job in self.jobs
            if job.leaf == leaf
        )

    def _levels(self, leaf: str, min_runtime: int) -> list[str]:
        """Return the levels whose headroom counts now, the lowest first."""
        only_budget = self._is_short(min_runtime) or self._is_lent(leaf)
        return self.lineage[leaf][-1:] if only_budget else self.lineage[leaf]

    def _levels_always(self, leaf: str, min_runtime: int) -> list[str]:
        assert self.contracts is not None
        only_budget = self._is_short(min_runtime) or self.contracts.lending != Lending.NONE
        return self.lineage[leaf][-1:] if only_budget else self.lineage[leaf]

    def _above_entitlement(self, leaf: str, claim: int, min_runtime: int) -> str | None:
        for level in self.lineage[leaf]:
            if self.entitled[level] == 0:
                return level
        for level in self._levels_always(leaf, min_runtime):
            if claim > self.entitled[level]:
                return level
        return None

    def _lacking(self, leaf: str, claim: int, min_runtime: int) -> str | None:
        assert self.contracts is not None
        for level in self.lineage[leaf]:
            if self.entitled[level] == 0:
                return level
        reserve = Fraction(0) if self._is_short(min_runtime) else self.contracts.reserve
        for level in self._levels(leaf, min_runtime):
            if claim > self._headroom(level) - int(self.entitled[level] * reserve):
                return level
        return None

    def _tightest(self, leaf: str, min_runtime: int) -> str:
        return min(self._levels(leaf, min_runtime), key=self._headroom)

    def _why_not(self, job: Job) -> tuple[Reason, str | None] | None:
        """Return why a claim is not funded and the level that says so; None where it is."""
        if job.min_runtime == 0:
            return Reason.HEADROOM, None
        saving = self.saving.get(job.leaf)
        if saving is not None and not self._is_short(job.min_runtime) and saving != (job.take, job.min_runtime):
            return Reason.SAVING, job.leaf
        lacking = self._lacking(job.leaf, job.claim, job.min_runtime)
        if lacking is None:
            return None
        large = self._above_entitlement(job.leaf, job.claim, job.min_runtime)
        return (Reason.TOO_LARGE, large) if large is not None else (Reason.HEADROOM, lacking)

    def _over_slots(self, leaf: str, take: int, *, allocated: bool) -> str | None:
        """Return the lowest level whose slot limit would be exceeded."""
        if not self.policy.slot_limits:
            return None
        for level in self.lineage[leaf]:
            if level.endswith("/own"):
                continue
            node = self.plan.node(level)
            limit = node.allocated_limit if allocated else node.unallocated_limit
            now = sum(
                r.job.take
                for r in self._running()
                if level in self.lineage[r.job.leaf] and (r.state != UNALLOCATED) == allocated
            )
            if limit is not None and now + take > limit:
                return level
        return None

    # --- ranks ------------------------------------------------------------------------------------------------------

    def _rank(self, partition: Partition, job: Job) -> tuple[Any, ...]:
        return (*(self._term(key, job) for key in partition.keys), job.row)

    def _term(self, key: Key, job: Job) -> Any:
        if key == Key.BALANCE:
            return tuple((self._ratio(level), level) for level in reversed(self.lineage[job.leaf]))
        if key == Key.LEVEL_FAIR_SHARE:
            return self.standing[job.leaf]
        if key == Key.USE:
            use, entitled = self.use[job.leaf] + self.added[job.leaf], self.entitled[job.leaf]
            return (not entitled, Fraction(use, entitled) if entitled else use, job.leaf)
        return {
            Key.PRIORITY: -job.priority,
            Key.AGE: job.submit,
            Key.MIN_RUNTIME: job.min_runtime,
            Key.SIZE: job.take,
            Key.RETRY: -job.stops,
        }[key]

    def _classes(self, jobs: list[Job]) -> list[Job]:
        """Return the first job of each (leaf, GPUs, minimum runtime), by the order inside a class."""
        order = [key for key in self.policy.partitions[0].keys if key in WITHIN_CLASS]
        first: dict[tuple[Any, ...], tuple[tuple[Any, ...], Job]] = {}
        for job in jobs:
            kind = self._kind(job)
            rank = (*(self._term(key, job) for key in order), job.row)
            if kind not in first or rank < first[kind][0]:
                first[kind] = rank, job
        return [job for _, job in first.values()]

    def _in_queue(self) -> list[Job]:
        """Return who waits and may be looked at: no holders, nobody who was displaced in this pass."""
        return [j for j in self.jobs if j.state == WAITING and j.hold is None and j not in self.displaced]

    # --- a pass -----------------------------------------------------------------------------------------------------

    def _pass(self) -> None:
        self.passes += 1
        self.dirty = False
        self.last_pass, self.next_pass = self.now, -1
        self._figures()
        self.stopped = False
        if self.contracts is not None:
            self._note_saving()
            self._settle()
        for partition in self.policy.partitions:
            if self.stopped:
                break
            if self.contracts is None:
                self._start_ranked(partition)
            elif partition.match == Match.FUNDED:
                self._start_holders(partition)
                self._start_funded(partition)
            else:
                self._fill(partition)
        self.displaced = []

    def _say(
        self, code: DecisionCode, job: Job, reason: Reason = Reason.NONE, level: str | None = None, **more: int
    ) -> None:
        standing = {"level": -1, "headroom": 0, "used": -1, "entitled": -1}
        if level is not None:
            standing = {
                "level": self.ids.index(level),
                "headroom": self._headroom(level),
                "used": self.used[level] + self._committed(level),
                "entitled": self.entitled[level],
            }
        usual = {"slice": -1, "other_job": -1, "claim": 0, "other_used": -1, "other_entitled": -1, "lost": 0}
        self.decisions.append(
            {"time": self.now, "code": int(code), "reason": int(reason), "job": job.row} | standing | usual | more
        )

    def _refuse(self, job: Job, reason: Reason, level: str | None = None) -> None:
        said = (int(reason), -1 if level is None else self.ids.index(level))
        if self.refused.get(job.row) != said:
            self.refused[job.row] = said
            self._say(DecisionCode.REFUSE, job, reason, level, claim=job.claim)

    def _note_saving(self) -> None:
        assert self.contracts is not None
        self.saving = {}
        for leaf in self.leaves:
            asking = [
                job
                for job in self._classes([j for j in self._in_queue() if j.leaf == leaf])
                if not self._is_short(job.min_runtime)
                and self._above_entitlement(leaf, job.claim, job.min_runtime) is None
            ]
            oldest = min(asking, key=lambda job: (job.since, job.row), default=None)
            after = self.contracts.save_after
            if oldest is not None and after is not None and self.now - oldest.since >= after:
                self.saving[leaf] = (oldest.take, oldest.min_runtime)

    def _settle(self) -> None:
        yields = []
        for r in self._running():
            leaf, short = r.job.leaf, self._is_short(r.job.min_runtime)
            if r.state == INTERRUPTIBLE:
                lacks = any(self._headroom(level) <= 0 for level in self._levels(leaf, r.job.min_runtime))
                if lacks or (leaf in self.saving and not short):
                    saves = leaf in self.saving and not short
                    yields.append(
                        (r, Reason.SAVING if saves else Reason.HEADROOM, self._tightest(leaf, r.job.min_runtime))
                    )
        for r, reason, level in yields:
            self._say(DecisionCode.DEMOTE, r.job, reason, level, slice=r.row)
            self._turn(r, UNALLOCATED)
        partition = next(p for p in self.policy.partitions if p.match == Match.FUNDED)
        while True:
            held = {node for hold in self.holds if hold is not None for node in hold.nodes}
            ready = [
                r.job
                for r in self._running()
                if r.state == UNALLOCATED
                and r.job.min_runtime
                and not held & set(r.nodes)
                and self._why_not(r.job) is None
                and self._over_slots(r.job.leaf, r.job.take, allocated=True) is None
            ]
            if not ready:
                return
            job = min(ready, key=lambda job: self._rank(partition, job))
            assert job.running is not None
            level = self._tightest(job.leaf, job.min_runtime)
            self._say(DecisionCode.PROMOTE, job, level=level, slice=job.running.row, claim=job.claim)
            self._turn(job.running, PROTECTED)

    def _start_funded(self, partition: Partition) -> None:
        assert self.contracts is not None
        asking = [job for job in self._in_queue() if job.min_runtime]
        looked_at = self._classes(asking)
        if self.policy.candidates == Candidates.HEAD:
            looked_at = [job for job in looked_at if job is self._first_of_leaf(job.leaf)]
        kinds = [self._kind(job) for job in looked_at]
        in_vain: list[tuple[Any, ...]] = []  # tried since something last moved
        first_look = True
        while True:
            for job in self._classes([j for j in self._in_queue() if self._kind(j) in kinds]):
                if self.policy.candidates == Candidates.HEAD and job is not self._first_of_leaf(job.leaf):
                    kinds.remove(self._kind(job))
                    continue
                why = self._why_not(job)
                full = self._over_slots(job.leaf, job.take, allocated=True)
                if why is None and full is not None:
                    why = Reason.SLOT_LIMIT, full
                if why is not None:
                    self._refuse(job, *why)
                    kinds.remove(self._kind(job))
                elif first_look and job.funded_at is None:
                    job.funded_at = self.now
            first_look = False
            ready = [j for j in self._in_queue() if self._kind(j) in kinds and self._kind(j) not in in_vain]
            if not ready:
                return
            job = min(self._classes(ready), key=lambda job: self._rank(partition, job))
            if self._place_claim(job, partition.licence):
                in_vain = []
                continue
            in_vain.append(self._kind(job))
            self._refuse(job, Reason.NO_ROOM)
            long_ago = job.funded_at is not None and self.now - job.funded_at >= self.contracts.cap
            if None in self.holds and (job.need or long_ago) and self._hold(job):
                in_vain = []
            if self.policy.backfill == Backfill.STRICT:
                self.stopped = True
                return
            if self.policy.backfill == Backfill.UNALLOCATED_ONLY:
                return

    def _kind(self, job: Job) -> tuple[Any, ...]:
        """Return what jobs have in common of which only the first is looked at."""
        keys = {key for partition in self.policy.partitions for key in partition.keys}
        counts = self.contracts is not None or Key.MIN_RUNTIME in keys
        return (job.leaf, job.take, job.need, job.min_runtime if counts else 0)

    def _first_of_leaf(self, leaf: str) -> Job | None:
        order = [key for key in self.policy.partitions[0].keys if key in WITHIN_CLASS]
        mine = [job for job in self._in_queue() if job.min_runtime and job.leaf == leaf]
        return min(mine, key=lambda job: (*(self._term(key, job) for key in order), job.row), default=None)

    def _place_claim(self, job: Job, licence: Licence) -> bool:
        ends = self.now + job.min_runtime
        nodes = self._find_free(job, ends)
        victims: list[Slice] = []
        if nodes is None:
            found = self._reclaim(job, licence, ends)
            if found is None:
                return False
            victims, nodes = found
        self._start_claim(job, victims, nodes, licence, hold_due=False, reason=Reason.NONE)
        return True

    def _start_claim(
        self, job: Job, victims: list[Slice], nodes: list[int], licence: Licence, *, hold_due: bool, reason: Reason
    ) -> None:
        self._displace(job, victims, licence, hold_due=hold_due)
        level = self._tightest(job.leaf, job.min_runtime)
        self._say(DecisionCode.START, job, reason, level, slice=len(self.slices), claim=job.claim)
        self._start(job, PROTECTED, nodes)

    def _displace(self, job: Job, victims: list[Slice], licence: Licence, *, hold_due: bool) -> None:
        tiers = [(r, self._rule(r, job, licence, hold_due=hold_due)) for r in victims]
        for r, reason in tiers:
            mine, theirs = self._fork(job.leaf, r.job.leaf)
            self._say(
                DecisionCode.PREEMPT,
                r.job,
                reason,
                mine,
                slice=r.row,
                other_job=job.row,
                claim=job.claim,
                other_used=self.used[theirs] + self._committed(theirs),
                other_entitled=self.entitled[theirs],
                lost=self._lost(r),
            )
            self._stop(r, EndCode.PREEMPTED, job.row)

    def _fork(self, a: str, b: str) -> tuple[str, str]:
        """Return the children, on either side, of the first common ancestor."""
        if a == b:
            return a, b
        up, down = list(reversed(self.lineage[a])), list(reversed(self.lineage[b]))
        return next((x, y) for x, y in zip(up, down, strict=False) if x != y)

    def _start_holders(self, partition: Partition) -> None:
        assert self.contracts is not None
        for hold in list(self.holds):
            if hold is None or self._over_slots(hold.job.leaf, hold.job.take, allocated=True) is not None:
                continue
            job = hold.job
            due = self.now >= hold.since + self.contracts.cap
            place = self._held_place(hold, partition.licence, hold_due=due)
            hold_due = due and place is not None
            if place is None:
                nodes = self._find_free(job, self.now + job.min_runtime)
                place = (
                    ([], nodes)
                    if nodes is not None
                    else self._reclaim(job, partition.licence, self.now + job.min_runtime)
                )
            if place is not None:
                self._end_hold(hold)
                self._start_claim(job, *place, partition.licence, hold_due=hold_due, reason=Reason.HOLDING)

    def _held_place(self, hold: Hold, licence: Licence, *, hold_due: bool) -> tuple[list[Slice], list[int]] | None:
        job = hold.job
        if not job.need:
            victims = self._victims_on(hold.nodes[0], job, licence, hold_due=hold_due)
            return None if victims is None else (victims, hold.nodes)
        on = {r.row: r for node in hold.nodes for r in self._on(node)}
        if any(self._tier(r, job, licence, hold_due=hold_due) is None for r in on.values()):
            return None
        return list(on.values()), sorted(hold.nodes)

    def _hold(self, job: Job) -> bool:
        free = self._soonest(self._each(job), self.now)
        if len(free) < max(job.need, 1):
            return False
        chosen = free[: max(job.need, 1)]
        self._say(DecisionCode.HOLD, job, level=self._tightest(job.leaf, job.min_runtime), claim=job.claim)
        hold = Hold(
            job=job, since=self.now, due=max([self.now, *(when for when, _ in chosen)]), nodes=[n for _, n in chosen]
        )
        self.holds[self.holds.index(None)] = hold
        job.hold = hold
        return True

    def _end_hold(self, hold: Hold) -> None:
        self.holds[self.holds.index(hold)] = None
        hold.job.hold = None

    def _soonest(self, each: int, since: int) -> list[tuple[int, int]]:
        """Return (when `each` GPUs come free, node) of the nodes that are in service and not held, soonest first."""
        assert self.contracts is not None
        held = {node for hold in self.holds if hold is not None for node in hold.nodes}
        found = []
        for node in self.nodes:
            if not node.serves or node.number in held:
                continue
            yields = sorted(
                (
                    {PROTECTED: r.until, INTERRUPTIBLE: since + self.contracts.cap, UNALLOCATED: self.now}[r.state],
                    r.each,
                )
                for r in self._on(node.number)
            )
            free, when = self._free(node.number), self.now
            for moment, gpus in yields:
                if free >= each and moment > self.now:
                    break
                free, when = free + gpus, max(when, moment)
            if free >= each:
                found.append((when, node.number))
        return sorted(found)

    def _each(self, job: Job) -> int:
        return self.per_node if job.need else job.take

    # --- nodes ------------------------------------------------------------------------------------------------------

    def _claimable(self, node: Node, ends: int | None) -> bool:
        """Tell whether work may start on a node; `ends` is when its contract does, None for work without one."""
        holds = [hold for hold in self.holds if hold is not None and node.number in hold.nodes]
        return node.serves and (ends is None or all(ends <= hold.due for hold in holds))

    def _find_free(self, job: Job, ends: int | None, without: Iterable[int] = ()) -> list[int] | None:
        fitting = [
            (self._free(node.number), node.number)
            for node in self.nodes
            if node.number not in without and self._claimable(node, ends) and self._free(node.number) >= self._each(job)
        ]
        if job.need:
            empty = sorted(number for _, number in fitting)
            return empty[: job.need] if len(empty) >= job.need else None
        return [min(fitting)[1]] if fitting else None

    def _allowed(self, job: Job, leaf: str) -> bool:
        """Tell whether a claim may displace interruptible slices of a leaf."""
        if leaf == job.leaf:
            return self.policy.reclaim_within_leaf
        if self._is_short(job.min_runtime):
            return True
        mine, theirs = self._fork(job.leaf, leaf)
        if self.entitled[mine] == 0:
            return False
        claim = 0 if job.hold is not None else job.claim  # that of a holder is committed already
        return self._ratio(mine, claim) + self.policy.margin < self._ratio(theirs)

    def _tier(self, r: Slice, job: Job, licence: Licence, *, hold_due: bool) -> int | None:
        """Return how dear a victim is, lower first; None where it may not be displaced."""
        if r.start == self.now or licence == Licence.NOBODY:
            return None
        if r.state != INTERRUPTIBLE:
            return 0 if r.state == UNALLOCATED else None
        if licence == Licence.LOWER:
            return r.job.priority if hold_due or r.job.priority < job.priority else None
        if hold_due:
            return 1
        if not self._allowed(job, r.job.leaf) or (r.job.leaf == job.leaf and r.job.priority >= job.priority):
            return None
        return 1

    def _rule(self, r: Slice, job: Job, licence: Licence, *, hold_due: bool) -> Reason:
        if r.state == UNALLOCATED:
            return Reason.UNALLOCATED_FIRST
        if hold_due and self._tier(r, job, licence, hold_due=False) is None:
            return Reason.HOLD_DUE
        if licence == Licence.LOWER or r.job.leaf == job.leaf:
            return Reason.PRIORITY
        return Reason.SHORT_CLAIM if self._is_short(job.min_runtime) else Reason.BALANCE

    def _victims_on(self, node: int, job: Job, licence: Licence, *, hold_due: bool) -> list[Slice] | None:
        """Return the victims on one node: the cheapest one by one until the job fits, less those not needed after all."""
        tiers = [(self._tier(r, job, licence, hold_due=hold_due), self._lost(r), r.row, r) for r in self._on(node)]
        order = [r for *_, r in sorted([t for t in tiers if t[0] is not None], key=lambda t: t[:3])]
        room, chosen = self._free(node), []
        for r in order:
            if room < self._each(job):
                chosen.append(r)
                room += r.each
        if room < self._each(job):
            return None
        for r in reversed(list(chosen)):
            if room - r.each >= self._each(job):
                chosen.remove(r)
                room -= r.each
        return chosen

    def _reclaim(self, job: Job, licence: Licence, ends: int | None) -> tuple[list[Slice], list[int]] | None:
        if licence == Licence.NOBODY:
            return None
        return self._reclaim_gang(job, licence, ends) if job.need else self._reclaim_one(job, licence, ends)

    def _reclaim_one(self, job: Job, licence: Licence, ends: int | None) -> tuple[list[Slice], list[int]] | None:
        best = None
        for node in self.nodes:
            if not self._claimable(node, ends):
                continue
            victims = self._victims_on(node.number, job, licence, hold_due=False)
            if victims is None:
                continue
            tiers = [self._tier(r, job, licence, hold_due=False) or 0 for r in victims]
            left = self._free(node.number) + sum(r.each for r in victims) - job.take
            cost = (max(tiers, default=0), sum(self._lost(r) for r in victims), left, node.number)
            if best is None or cost < best[0]:
                best = cost, victims, [node.number]
        return None if best is None else best[1:]

    def _reclaim_gang(self, job: Job, licence: Licence, ends: int | None) -> tuple[list[Slice], list[int]] | None:
        """Clear whole nodes, the cheapest first; what a gang on a cleared node had elsewhere costs nothing more."""
        open_nodes = [
            node.number
            for node in self.nodes
            if self._claimable(node, ends)
            and all(self._tier(r, job, licence, hold_due=False) is not None for r in self._on(node.number))
        ]
        if len(open_nodes) < job.need:
            return None
        chosen = [node for node in open_nodes if not self._on(node)][: job.need]
        victims: list[Slice] = []

        def costs(node: int) -> tuple[int, int, int]:
            return self._cost(node, job, licence, victims)

        while len(chosen) < job.need:
            node = min((node for node in open_nodes if node not in chosen), key=costs)
            chosen.append(node)
            victims += [r for r in self._on(node) if r not in victims]

        def cleared(without: Slice | None = None) -> list[int]:
            gone = [r for r in victims if r is not without]
            return [node for node in open_nodes if all(r in gone for r in self._on(node))]

        for r in reversed(list(victims)):
            if len(cleared(r)) >= job.need:
                victims.remove(r)
        return victims, cleared()[: job.need]

    def _cost(self, node: int, job: Job, licence: Licence, victims: list[Slice]) -> tuple[int, int, int]:
        """Return what it costs to clear a node, when some victims are chosen already."""
        more = [r for r in self._on(node) if r not in victims]
        tiers = [self._tier(r, job, licence, hold_due=False) or 0 for r in more]
        return max(tiers, default=0), sum(self._lost(r) for r in more), node

    # --- the rest ---------------------------------------------------------------------------------------------------

    def _fill(self, partition: Partition) -> None:
        cooldown = self.policy.cooldown
        for cool in (True, False):
            while True:
                queue = [
                    job
                    for job in self._in_queue()
                    if (self.now >= job.displaced_at + cooldown or job.displaced_at != job.since) == cool
                    and (partition.match == Match.ALL or self._why_not(job) is not None)
                    and self._over_slots(job.leaf, job.take, allocated=False) is None
                    and self._find_free(job, None) is not None
                ]
                if not queue:
                    break
                job = min(queue, key=lambda job: self._rank(partition, job))
                self._say(DecisionCode.START_UNALLOCATED, job, level=job.leaf, slice=len(self.slices))
                self.added[job.leaf] += job.take * self.cluster.cycle
                nodes = self._find_free(job, None)
                assert nodes is not None
                self._start(job, UNALLOCATED, nodes)

    def _start_ranked(self, partition: Partition) -> None:
        reserved: list[int] | None = None
        until = -1
        blocked: set[tuple[Any, ...]] = set()
        for job in sorted(self._in_queue(), key=lambda job: self._rank(partition, job)):
            full = self._over_slots(job.leaf, job.take, allocated=True)
            kind = self._kind(job)
            if kind in blocked:
                continue
            if full is not None:
                self._refuse(job, Reason.SLOT_LIMIT, full)
                continue
            victims: list[Slice] = []
            if reserved is None:
                nodes = self._find_free(job, None)
                if nodes is None:
                    found = self._reclaim(job, partition.licence, None)
                    victims, nodes = found if found is not None else ([], None)
            else:
                over_in_time = 0 < job.planned <= until - self.now
                nodes = self._find_free(job, None) if over_in_time else self._find_free(job, None, reserved)
            if nodes is not None:
                self._displace(job, victims, partition.licence, hold_due=False)
                self._say(DecisionCode.START, job, level=job.leaf, slice=len(self.slices))
                movable = partition.licence == Licence.LOWER and job.preemptible
                self._start(job, INTERRUPTIBLE if movable else PROTECTED, nodes)
                continue
            self._refuse(job, Reason.NO_ROOM if reserved is None else Reason.RESERVED)
            if reserved is None:
                blocked.add(kind)
            if self.policy.backfill == Backfill.STRICT:
                self.stopped = True
                return
            if self.policy.backfill == Backfill.EASY and reserved is None:
                reserved, until = self._reserve(job)

    def _reserve(self, job: Job) -> tuple[list[int], int]:
        """Return the nodes that a job is promised, and when they are all free if every slice uses its whole limit.

        They are the last to come free of those that are free by then, which leaves the others to everybody.
        """
        planned = []
        for node in self.nodes:
            if not node.serves:
                continue
            free, when = self._free(node.number), self.now
            for r in sorted(self._on(node.number), key=lambda r: r.planned_end):
                if free < self._each(job):
                    free, when = free + r.each, r.planned_end
            if free >= self._each(job):
                planned.append((when, node.number))
        need = max(job.need, 1)
        if len(planned) < need:
            return [], -1
        until = sorted(planned)[need - 1][0]
        in_time = sorted((-when, number) for when, number in planned if when <= until)
        return [number for _, number in in_time[:need]], until
