"""The books of a run: decisions, segments, and the running totals that every slice is counted in."""

from __future__ import annotations

from allotment.kernel.jit import large_rule, rule
from allotment.kernel.layout import State
from allotment.kernel.placement import adjust, gpus_on, next_node
from allotment.kernel.queues import UNALLOCATED_RUN, put, take_out
from allotment.kernel.usage import change_rate
from allotment.model.codes import SliceState

INTERRUPTIBLE = int(SliceState.INTERRUPTIBLE)
PROTECTED = int(SliceState.PROTECTED)
UNALLOCATED = int(SliceState.UNALLOCATED)


@rule
def log_decision(
    s: State, code: int, reason: int, level: int, job: int, row: int, other: int, claim: int, lost: int
) -> int:
    """Write a decision with the standing of `level` and return its row."""
    at = s.clock[0].decisions
    s.clock[0].decisions = at + 1
    d = s.decisions[at]
    d.time = s.clock[0].now
    d.code = code
    d.reason = reason
    d.level = level
    d.job = job
    d.slice = row
    d.other_job = other
    d.claim = claim
    d.lost = lost
    d.other_used = -1
    d.other_entitled = -1
    if level >= 0:
        v = s.tree[level]
        d.headroom = v.headroom
        d.used = v.used + v.committed
        d.entitled = v.entitled
    else:
        d.headroom = 0
        d.used = -1
        d.entitled = -1
    return int(at)


@rule
def book(s: State, row: int, sign: int) -> None:
    """Add (1) or take away (-1) a slice, in its present state, in every running total."""
    r, clock = s.slices[row], s.clock[0]
    job = r.job
    leaf = s.jobs[job].leaf
    min_runtime = s.jobs[job].min_runtime
    gpus = gpus_on(s, row)
    take = sign * r.gpus
    allocated = r.state != UNALLOCATED
    change_rate(s, 2 * leaf + 1, clock.now, take)
    if allocated:
        change_rate(s, 2 * leaf, clock.now, take)
    if s.rules[0].immune != 0 and s.jobs[job].preemptible == 0:
        count_immune(s, leaf, take)
    node = leaf
    while node >= 0:
        if allocated:
            s.tree[node].allocated += take
        else:
            s.tree[node].unallocated += take
        node = s.tree[node].parent
    if r.state == PROTECTED:
        if s.rules[0].contracts != 0:  # without contracts nothing is promised, so nothing is committed
            s.tree[leaf].protected += take
            s.tree[leaf].until += take * r.until
        return
    unallocated = sign * gpus if r.state == UNALLOCATED else 0
    interruptible = sign * gpus if r.state == INTERRUPTIBLE else 0
    place = r.node
    while place >= 0:
        adjust(s, place, 0, unallocated, interruptible)
        place = next_node(s, row, place)
    if r.state == UNALLOCATED:
        clock.unallocated += sign
        if min_runtime > s.rules[0].short:
            s.tree[leaf].long_running += sign
        if min_runtime > 0 and r.blocked == 0:
            if sign > 0:
                put(s, job, UNALLOCATED_RUN)
            else:
                take_out(s, job)
    else:
        clock.interruptible += sign
        if s.rules[0].contracts != 0:
            _list_interruptible(s, row, sign, leaf, min_runtime <= s.rules[0].short)


@large_rule
def count_immune(s: State, leaf: int, gpus: int) -> None:
    """Count GPUs that nobody may reclaim, at every level, which must stay within its quota."""
    node = leaf
    while node >= 0:
        s.tree[node].immune += gpus
        node = s.tree[node].parent


@rule
def close_segment(s: State, row: int) -> None:
    """Write what a slice has been in since its last change of state, unless no time has passed."""
    r, clock = s.slices[row], s.clock[0]
    if clock.now > r.begin:
        g = s.segments[clock.segments]
        clock.segments += 1
        g.slice = row
        g.state = r.state
        g.begin = r.begin
        g.end = clock.now
        r.begin = clock.now


@rule
def _list_interruptible(s: State, row: int, sign: int, leaf: int, short: bool) -> None:
    v, r = s.tree[leaf], s.slices[row]
    if sign > 0:
        head = v.interruptible_short if short else v.interruptible_long
        r.previous = -1
        r.next = head
        if head >= 0:
            s.slices[head].previous = row
        if short:
            v.interruptible_short = row
        else:
            v.interruptible_long = row
        return
    if r.next >= 0:
        s.slices[r.next].previous = r.previous
    if r.previous >= 0:
        s.slices[r.previous].next = r.next
    elif short:
        v.interruptible_short = r.next
    else:
        v.interruptible_long = r.next
