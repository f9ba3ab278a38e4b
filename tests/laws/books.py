"""Every running total that the kernel keeps, counted again from its jobs, slices and nodes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from allotment.kernel.engine import Engine
from allotment.model.codes import EndCode, JobState, SliceState

PROTECTED, INTERRUPTIBLE, UNALLOCATED = SliceState.PROTECTED, SliceState.INTERRUPTIBLE, SliceState.UNALLOCATED
NOWHERE, FRESH, COOLING, UNALLOCATED_RUN, HOLDER, DISPLACED = range(6)


def wrong_books(engine: Engine) -> list[str]:
    """Return what does not add up at this moment."""
    s = engine._state
    running = [row for row in range(s.clock[0].slices) if s.slices[row].end_code == EndCode.OPEN]
    return [
        *_of_nodes(s, running),
        *_of_tree(s, running),
        *_of_clock(s, running),
        *_of_jobs(s, running),
        *_of_queues(s),
        *_of_holds(s, running),
        *_of_idle(s),
    ]


def _compare(what: str, kept: Any, counted: Any) -> Iterator[str]:
    if kept != counted:
        yield f"{what} is {kept}, counted {counted}"


def stands_on(s: Any, row: int) -> list[int]:
    """Return the nodes of a slice, by what is written down on the nodes."""
    return [node for node in range(len(s.nodes)) if row in s.on_node[node, : s.nodes[node].count]]


def _each(s: Any, row: int) -> int:
    return int(s.rules[0].per_node if s.slices[row].need else s.slices[row].gpus)


def _of_nodes(s: Any, running: list[int]) -> Iterator[str]:
    per_node = int(s.rules[0].per_node)
    free, loose = np.zeros(per_node + 1, np.int64), np.zeros(per_node + 1, np.int64)
    for node in range(len(s.nodes)):
        n = s.nodes[node]
        mine = [row for row in running if node in stands_on(s, row)]
        used = {state: sum(_each(s, row) for row in mine if s.slices[row].state == state) for state in SliceState}
        yield from _compare(f"slices on node {node}", sorted(s.on_node[node, : n.count].tolist()), mine)
        yield from _compare(f"free GPUs of node {node}", n.free, per_node - sum(used.values()))
        yield from _compare(f"unallocated GPUs of node {node}", n.unallocated, used[UNALLOCATED])
        yield from _compare(f"interruptible GPUs of node {node}", n.interruptible, used[INTERRUPTIBLE])
        if n.down and n.count:
            yield f"node {node} is down and runs {n.count} slices"
        if not n.down and not n.draining:
            free[n.free] += 1
            loose[n.free + n.unallocated + n.interruptible] += 1
    yield from _compare("nodes by free GPUs", s.free_count.tolist(), free.tolist())
    yield from _compare("nodes by loose GPUs", s.loose_count.tolist(), loose.tolist())
    for row in running:
        nodes, chain = stands_on(s, row), [int(s.slices[row].node)]
        while s.slices[row].need and s.nodes[chain[-1]].gang_next >= 0:
            chain.append(int(s.nodes[chain[-1]].gang_next))
        yield from _compare(f"nodes of slice {row}", chain, nodes)
        yield from _compare(f"GPUs of slice {row}", len(nodes) * _each(s, row), int(s.slices[row].gpus))


def _inside(s: Any, node: int) -> set[int]:
    """Return a plan node and all below it."""
    found = {node}
    for row in s.upward[::-1]:
        if s.tree[row].parent in found:
            found.add(int(row))
    return found


def _of_tree(s: Any, running: list[int]) -> Iterator[str]:
    contracts = bool(s.rules[0].contracts)
    leaf_of = {row: int(s.jobs[s.slices[row].job].leaf) for row in running}
    for node in range(len(s.tree)):
        v, inside = s.tree[node], _inside(s, node)
        mine = [row for row in running if leaf_of[row] in inside]
        unallocated = sum(int(s.slices[row].gpus) for row in mine if s.slices[row].state == UNALLOCATED)
        yield from _compare(f"unallocated GPUs of plan node {node}", v.unallocated, unallocated)
        held = sum(int(s.slices[row].gpus) for row in mine)
        yield from _compare(f"allocated GPUs of plan node {node}", v.allocated, held - unallocated)
        immune = [row for row in mine if s.rules[0].immune and not s.jobs[s.slices[row].job].preemptible]
        yield from _compare(f"immune GPUs of {node}", v.immune, sum(int(s.slices[row].gpus) for row in immune))
        if not v.leaf:
            continue
        asked = s.jobs.gpus[(s.jobs.leaf == node) & (s.jobs.state == JobState.WAITING)]
        yield from _compare(f"GPUs asked for in leaf {node}", v.asked, int(asked.sum()))
        for curve, kept in ((2 * node, v.allocated), (2 * node + 1, v.allocated + v.unallocated)):
            yield from _compare(f"rate of curve {curve}", s.points[s.curves[curve].latest].rate, kept)
        protected = [row for row in mine if s.slices[row].state == PROTECTED] if contracts else []
        until = sum(int(s.slices[row].gpus * s.slices[row].until) for row in protected)
        yield from _compare(f"until of leaf {node}", v.until, until)
        yield from _compare(
            f"protected GPUs of leaf {node}", v.protected, sum(int(s.slices[r].gpus) for r in protected)
        )
        if contracts:
            yield from _of_leaf(s, node, mine)


def _of_leaf(s: Any, leaf: int, mine: list[int]) -> Iterator[str]:
    v, short = s.tree[leaf], s.rules[0].short
    jobs = [job for job in range(len(s.jobs)) if s.jobs[job].leaf == leaf]
    waiting = [job for job in jobs if s.jobs[job].state == JobState.WAITING and s.jobs[job].min_runtime > short]
    yield from _compare(f"long claims that wait in leaf {leaf}", v.long_waiting, len(waiting))
    asks = {row: int(s.jobs[s.slices[row].job].min_runtime) for row in mine}
    loose = [row for row in mine if s.slices[row].state == UNALLOCATED]
    yield from _compare(f"long claims that run in leaf {leaf}", v.long_running, sum(asks[r] > short for r in loose))
    promotable = [row for row in loose if asks[row] > 0 and not any(s.nodes[n].hold >= 0 for n in stands_on(s, row))]
    yield from _compare(f"slices of leaf {leaf} that may be promoted", v.promotable, len(promotable))
    interruptible = [row for row in mine if s.slices[row].state == INTERRUPTIBLE]
    for name, want in (("interruptible_short", True), ("interruptible_long", False)):
        listed, row, before = [], int(v[name]), -1
        while row >= 0:
            yield from _compare(f"slice before {row}", int(s.slices[row].previous), before)
            listed.append(row)
            before, row = row, int(s.slices[row].next)
        due = sorted(row for row in interruptible if (asks[row] <= short) == want)
        yield from _compare(f"{name} of leaf {leaf}", sorted(listed), due)


def _of_clock(s: Any, running: list[int]) -> Iterator[str]:
    clock, per_node = s.clock[0], int(s.rules[0].per_node)
    states = [int(s.slices[row].state) for row in running]
    waiting = s.jobs.state == JobState.WAITING
    down = per_node * int((s.nodes.down != 0).sum())
    for name, counted in (
        ("waiting", int(waiting.sum())),
        ("contract_waiting", int((waiting & (s.jobs.min_runtime > 0)).sum())),
        ("unallocated", states.count(UNALLOCATED)),
        ("interruptible", states.count(INTERRUPTIBLE)),
        ("down", down),
        ("healthy", per_node * len(s.nodes) - down),
        ("draining", per_node * int(((s.nodes.draining != 0) & (s.nodes.down == 0)).sum())),
        ("holds", int((s.holds.job >= 0).sum())),
        ("displaced", 0),
        ("now", int(clock.idle_at)),
    ):
        yield from _compare(name, int(clock[name]), counted)
    for stream in np.flatnonzero(s.streams.closed):
        mine = (s.jobs.stream == stream) & np.isin(s.jobs.state, (JobState.WAITING, JobState.RUNNING))
        counted = (s.jobs.gpus + s.jobs.beyond)[mine].sum()
        yield from _compare(f"outstanding of stream {stream}", s.streams[stream].outstanding, counted)


def _of_jobs(s: Any, running: list[int]) -> Iterator[str]:
    runs = {int(s.slices[row].job): row for row in running}
    yield from _compare("jobs that run", len(runs), len(running))
    for job in range(len(s.jobs)):
        j = s.jobs[job]
        yield from _compare(f"slice of job {job}", int(j.slice), runs.get(job, -1))
        yield from _compare(f"job {job} runs", bool(j.state == JobState.RUNNING), job in runs)
        if not 0 <= j.done <= j.work:
            yield f"job {job} has done {j.done} s of {j.work} s"
    for row in running:
        r = s.slices[row]
        held = sum(s.nodes[node].hold >= 0 for node in stands_on(s, row))
        yield from _compare(f"held nodes of slice {row}", int(r.blocked), held)
        yield from _compare(f"chosen of slice {row}", int(r.chosen), 0)
        spared = r.until >= 0 and (r.state == PROTECTED or s.rules[0].quotas)
        ends = [int(r.finish), *([int(r.until)] if spared else [])]
        yield from _compare(f"timer of slice {row}", int(r.timer), min(ends))
        set_for = [t for t in s.timers[: s.clock[0].timers] if t.row == row and t.time == r.timer and t.kind <= 1]
        if not set_for:
            yield f"no timer of slice {row} rings at {r.timer}"


def _of_queues(s: Any) -> Iterator[str]:
    where = {FRESH: "fresh", COOLING: "cooling", UNALLOCATED_RUN: "running"}
    queued: dict[int, int] = {}
    for cls in range(len(s.classes)):
        c = s.classes[cls]
        for place, name in where.items():
            jobs = in_order(s.jobs, int(c[name]))
            yield from _compare(f"first {name} of class {cls}", int(c[f"first_{name}"]), jobs[0] if jobs else -1)
            yield from _compare(f"{name} of class {cls} in order", jobs, sorted(jobs, key=lambda job: _rank(s, job)))
            yield from treap_faults(s.jobs, int(c[name]))
            for job in jobs:
                queued[job] = place
                yield from _compare(f"class of job {job}", int(s.jobs[job].cls), cls)
        yield from _compare(f"class {cls} is listed", bool(c.listed), any(c[name] >= 0 for name in where.values()))
        yield from _compare(f"displaced of class {cls}", int(c.displaced), 0)
    for job in range(len(s.jobs)):
        j = s.jobs[job]
        yield from _compare(
            f"queue of job {job}", queued.get(job, NOWHERE), int(j.place) if j.place != HOLDER else NOWHERE
        )
        if j.state == JobState.WAITING and j.place not in (FRESH, COOLING, HOLDER):
            yield f"job {job} waits nowhere, but in {j.place}"
    for leaf in s.leaves:
        listed, cls, before = [], int(s.tree[leaf].classes), -1
        while cls >= 0:
            yield from _compare(f"class before {cls}", int(s.classes[cls].previous), before)
            listed.append(cls)
            before, cls = cls, int(s.classes[cls].next)
        due = [cls for cls in range(len(s.classes)) if s.classes[cls].leaf == leaf and s.classes[cls].listed]
        yield from _compare(f"classes of leaf {leaf}", sorted(listed), due)


def _rank(s: Any, job: int) -> tuple[int, ...]:
    """Return the rank of a job in its class by what the policy says, not by what was noted when it was queued."""
    j, rules = s.jobs[job], s.rules[0]
    terms = {0: 0, 3: -int(j.priority), 4: int(j.submit), 7: -int(j.restarts)}
    return (*(terms[int(rules[name])] for name in ("order0", "order1", "order2")), job)


def in_order(jobs: Any, root: int) -> list[int]:
    """Return the jobs of a treap from left to right."""
    if root < 0:
        return []
    return [*in_order(jobs, int(jobs[root].left)), root, *in_order(jobs, int(jobs[root].right))]


def treap_faults(jobs: Any, root: int) -> Iterator[str]:
    """Yield where a treap is none: the heat of a parent is the lower, links go both ways, the least plan is the least."""
    if root < 0:
        return
    yield from _compare(f"parent of root {root}", int(jobs[root].parent), -1)
    for at in in_order(jobs, root):
        below = [int(child) for child in (jobs[at].left, jobs[at].right) if child >= 0]
        for child in below:
            yield from _compare(f"parent of {child}", int(jobs[child].parent), at)
            if jobs[child].heat < jobs[at].heat:
                yield f"job {child} is hotter than its parent {at}"
        least = min([int(jobs[at].plan), *(int(jobs[child].lowest) for child in below)])
        yield from _compare(f"lowest at {at}", int(jobs[at].lowest), least)


def _of_holds(s: Any, running: list[int]) -> Iterator[str]:
    for hold in range(len(s.holds)):
        job, nodes = int(s.holds[hold].job), np.flatnonzero(s.nodes.hold == hold)
        if job < 0:
            yield from _compare(f"nodes of hold {hold}, which is over", nodes.tolist(), [])
            continue
        yield from _compare(f"place of holder {job}", int(s.jobs[job].place), HOLDER)
        yield from _compare(f"nodes of hold {hold}", len(nodes), max(int(s.jobs[job].need), 1))
        for node in nodes:
            if s.nodes[node].down or s.nodes[node].draining:
                yield f"hold {hold} has node {node}, which is out of service"
    held = {int(job) for job in s.holds.job if job >= 0}
    yield from _compare("holders", {int(job) for job in np.flatnonzero(s.jobs.place == HOLDER)}, held)
    for leaf in s.leaves:
        claims = [int(s.jobs[job].gpus * s.jobs[job].min_runtime) for job in held if s.jobs[job].leaf == leaf]
        yield from _compare(f"earmark of leaf {leaf}", int(s.tree[leaf].earmark), sum(claims))


def _of_idle(s: Any) -> Iterator[str]:
    healthy = s.nodes.down == 0
    yield from _compare("idle GPUs", int(s.idling.sum()), int(s.nodes.free[healthy].sum()))
    if (s.idling < 0).any():
        yield f"idle GPUs by cause are {s.idling.tolist()}"
