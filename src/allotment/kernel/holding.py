"""Holding: a funded gang that cannot be placed fixes a set of nodes and starts when the last contract on them ends.

Its claim is earmarked from then on. On held nodes nothing is promoted and no claim starts whose contract would outlast
the set; interruptible slices yield after one cap; unallocated work runs on meanwhile.
"""

from __future__ import annotations

from allotment.kernel.funding import tightest_level
from allotment.kernel.jit import large_rule, rule
from allotment.kernel.layout import State
from allotment.kernel.ledger import log_decision
from allotment.kernel.placement import gpus_on, in_service
from allotment.kernel.queues import FRESH, HOLDER, put, take_out
from allotment.kernel.reclaim import NEVER, choose_on_node, tier_of
from allotment.kernel.slices import block
from allotment.kernel.usage import commit
from allotment.model.codes import DecisionCode, Reason, SliceState

INTERRUPTIBLE = int(SliceState.INTERRUPTIBLE)
PROTECTED = int(SliceState.PROTECTED)

HOLD = int(DecisionCode.HOLD)
RELEASE = int(DecisionCode.RELEASE)
NO_REASON = int(Reason.NONE)


@large_rule
def _free_at(s: State, node: int, take: int, since: int) -> int:
    """Return when a node can have `take` GPUs free, or NEVER: contracts run out, interruptible slices yield after a cap."""
    n, cap, now = s.nodes[node], s.rules[0].cap, s.clock[0].now
    if not in_service(s, node) or n.hold >= 0:
        return NEVER
    best = NEVER
    for place in range(-1, n.count):  # -1: what is free at once
        time = now if place < 0 else _yields(s, s.on_node[node, place], since, cap)
        room = n.free
        for other in range(n.count):
            row = s.on_node[node, other]
            if _yields(s, row, since, cap) <= time:
                room += gpus_on(s, row)
        if room >= take and time < best:
            best = time
    return best


@rule
def _yields(s: State, row: int, since: int, cap: int) -> int:
    r = s.slices[row]
    if r.state == PROTECTED:
        return int(r.until)
    if r.state == INTERRUPTIBLE:
        return int(since + cap)
    return int(s.clock[0].now)


@large_rule
def _take_node(s: State, hold: int, node: int) -> None:
    s.nodes[node].hold = hold
    for place in range(s.nodes[node].count):
        block(s, s.on_node[node, place], 1)


@large_rule
def _leave_node(s: State, node: int) -> None:
    s.nodes[node].hold = -1
    for place in range(s.nodes[node].count):
        block(s, s.on_node[node, place], -1)


@large_rule
def _soonest(s: State, take: int, since: int) -> tuple[int, int]:
    best, when = -1, NEVER
    for node in range(len(s.nodes)):
        time = _free_at(s, node, take, since)
        if time < when:
            best, when = node, time
    return best, when


@large_rule
def hold_nodes(s: State, job: int) -> bool:
    """Fix the nodes that come free soonest for a job and earmark its claim; False where there are not enough nodes."""
    clock, j = s.clock[0], s.jobs[job]
    hold = -1
    for at in range(s.rules[0].holders):
        if s.holds[at].job < 0:
            hold = at
            break
    need = max(j.need, 1)
    take = s.rules[0].per_node if j.need > 0 else j.gpus
    possible = 0
    for node in range(len(s.nodes)):
        s.cost[node, 0] = _free_at(s, node, take, clock.now)
        if s.cost[node, 0] < NEVER:
            possible += 1
    if hold < 0 or possible < need:
        return False
    h = s.holds[hold]
    h.job = job
    h.since = clock.now
    h.due = clock.now
    h.tried = -1
    level = tightest_level(s, j.leaf, j.min_runtime <= s.rules[0].short)
    log_decision(s, HOLD, NO_REASON, level, job, -1, -1, j.gpus * j.min_runtime, 0)
    take_out(s, job)
    j.place = HOLDER
    for _ in range(need):
        best, when = -1, NEVER
        for node in range(len(s.nodes)):
            if s.cost[node, 0] < when:
                best, when = node, s.cost[node, 0]
        s.cost[best, 0] = NEVER
        h.due = max(h.due, when)
        _take_node(s, hold, best)
    clock.holds += 1
    claim = j.gpus * j.min_runtime
    s.tree[j.leaf].earmark += claim
    commit(s, j.leaf, claim)
    clock.version += 1
    return True


@large_rule
def end_hold(s: State, hold: int) -> None:
    """Give the nodes back and take the earmark off; the job is in no queue then."""
    job = s.holds[hold].job
    j = s.jobs[job]
    for node in range(len(s.nodes)):
        if s.nodes[node].hold == hold:
            _leave_node(s, node)
    claim = j.gpus * j.min_runtime
    s.tree[j.leaf].earmark -= claim
    commit(s, j.leaf, -claim)
    s.holds[hold].job = -1
    s.clock[0].holds -= 1
    s.clock[0].version += 1
    s.clock[0].loosened += 1


@large_rule
def release(s: State, hold: int) -> None:
    """End a hold without a start: the job waits in its queue again."""
    job = s.holds[hold].job
    end_hold(s, hold)
    log_decision(s, RELEASE, NO_REASON, -1, job, -1, -1, 0, 0)
    put(s, job, FRESH)


@large_rule
def replace_node(s: State, node: int) -> None:
    """A held node goes out of service: the hold takes the next soonest, or ends where there is none."""
    hold = s.nodes[node].hold
    if hold < 0:
        return
    _leave_node(s, node)
    job = s.holds[hold].job
    take = s.rules[0].per_node if s.jobs[job].need > 0 else s.jobs[job].gpus
    other, when = _soonest(s, take, s.holds[hold].since)
    if other < 0:
        release(s, hold)
        return
    s.holds[hold].due = max(s.holds[hold].due, when)
    _take_node(s, hold, other)


@large_rule
def hold_of(s: State, job: int) -> int:
    """Return the hold of a job, or -1."""
    for hold in range(len(s.holds)):
        if s.holds[hold].job == job:
            return hold
    return -1


@rule
def clear_held_nodes(s: State, hold: int, licence: int) -> int:
    """Choose what must yield on the nodes of a hold; return the number of victims (in `s.victims`), or -1: not yet."""
    h = s.holds[hold]
    job = h.job
    j = s.jobs[job]
    due = s.clock[0].now >= h.since + s.rules[0].cap
    picked = 0
    if j.need == 0:
        for node in range(len(s.nodes)):
            if s.nodes[node].hold == hold:
                tier, _lost, count = choose_on_node(s, job, node, licence, due)
                s.picked[0] = node
                return count if tier >= 0 else -1
        return -1
    count = 0
    fits = True
    for node in range(len(s.nodes)):
        if s.nodes[node].hold != hold:
            continue
        s.picked[picked] = node
        picked += 1
        for place in range(s.nodes[node].count):
            row = s.on_node[node, place]
            if s.slices[row].chosen != 0:
                continue
            if tier_of(s, row, job, licence, due) < 0:
                fits = False
            s.slices[row].chosen = 1
            s.victims[count] = row
            count += 1
    for at in range(count):
        s.slices[s.victims[at]].chosen = 0
    return count if fits and picked == j.need else -1
