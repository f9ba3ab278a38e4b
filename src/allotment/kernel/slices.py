"""The life of a slice: start, promotion, end of contract, demotion, stop; and the books that each of them moves.

A slice changes state where it stands. Every change of state closes a segment, and segments are the ledger.
"""

from __future__ import annotations

from typing import Any

from allotment.kernel.jit import large_rule, rule
from allotment.kernel.layout import State
from allotment.kernel.placement import adjust, gpus_on, next_node, seat, unseat
from allotment.kernel.queue import first, insert, precedes, remove
from allotment.kernel.timers import CONTRACT_END, FINISH, push
from allotment.kernel.usage import change_rate
from allotment.model.codes import DecisionCode, EndCode, JobState, Reason, SliceState

PROTECTED = int(SliceState.PROTECTED)
INTERRUPTIBLE = int(SliceState.INTERRUPTIBLE)
UNALLOCATED = int(SliceState.UNALLOCATED)
WAITING = int(JobState.WAITING)
RUNNING = int(JobState.RUNNING)
DONE = int(JobState.FINISHED)
CANCELLED = int(JobState.CANCELLED)
GIVEN_UP = int(JobState.GIVEN_UP)
ENDED_FINISHED = int(EndCode.FINISHED)
ENDED_PREEMPTED = int(EndCode.PREEMPTED)
ENDED_CANCELLED = int(EndCode.CANCELLED)
GIVE_UP = int(DecisionCode.GIVE_UP)
NO_REASON = int(Reason.NONE)

# where a job is kept while it does not run (place), or its slice while it does
NOWHERE = 0
FRESH = 1
COOLING = 2
UNALLOCATED_RUN = 3  # in the queue of slices that may be promoted
HOLDER = 4
DISPLACED = 5  # stopped in this pass; back in its queue when the pass ends


@rule
def log_decision(s: State, code: int, reason: int, level: int, job: int, row: int, other: int, claim: int, lost: int) -> int:
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


# --- queues ---------------------------------------------------------------------------------------------------------


@rule
def list_class(s: State, cls: int) -> None:
    """Keep a class in its leaf's list while it has anything to look at."""
    c = s.classes[cls]
    v = s.tree[c.leaf]
    needed = c.fresh >= 0 or c.cooling >= 0 or c.running >= 0
    if needed and c.listed == 0:
        c.listed = 1
        c.previous = -1
        c.next = v.classes
        if v.classes >= 0:
            s.classes[v.classes].previous = cls
        v.classes = cls
    elif not needed and c.listed == 1:
        c.listed = 0
        if c.previous >= 0:
            s.classes[c.previous].next = c.next
        else:
            v.classes = c.next
        if c.next >= 0:
            s.classes[c.next].previous = c.previous


@large_rule
def put(s: State, job: int, place: int) -> None:
    """Put a job into one of its class's queues."""
    j = s.jobs[job]
    c = s.classes[j.cls]
    s.tree[c.leaf].stirred = 1
    if place == FRESH:
        c.fresh = insert(s.jobs, c.fresh, job)
        if c.first_fresh < 0 or precedes(s.jobs, job, c.first_fresh):
            c.first_fresh = job
    elif place == COOLING:
        c.cooling = insert(s.jobs, c.cooling, job)
        if c.first_cooling < 0 or precedes(s.jobs, job, c.first_cooling):
            c.first_cooling = job
    elif place == UNALLOCATED_RUN:
        s.tree[c.leaf].promotable += 1
        c.running = insert(s.jobs, c.running, job)
        if c.first_running < 0 or precedes(s.jobs, job, c.first_running):
            c.first_running = job
    j.place = place
    list_class(s, j.cls)


@large_rule
def take_out(s: State, job: int) -> None:
    """Take a job out of whichever queue it is in."""
    j = s.jobs[job]
    c = s.classes[j.cls]
    s.tree[c.leaf].stirred = 1
    if j.place == FRESH:
        c.fresh = remove(s.jobs, c.fresh, job)
        if c.first_fresh == job:
            c.first_fresh = first(s.jobs, c.fresh)
    elif j.place == COOLING:
        c.cooling = remove(s.jobs, c.cooling, job)
        if c.first_cooling == job:
            c.first_cooling = first(s.jobs, c.cooling)
    elif j.place == UNALLOCATED_RUN:
        s.tree[c.leaf].promotable -= 1
        c.running = remove(s.jobs, c.running, job)
        if c.first_running == job:
            c.first_running = first(s.jobs, c.running)
    j.place = NOWHERE
    list_class(s, j.cls)


@rule
def head(s: State, cls: int) -> int:
    """Return the first waiting job of a class, or -1."""
    c = s.classes[cls]
    a, b = c.first_fresh, c.first_cooling
    if a < 0 or b < 0:
        return int(max(a, b))
    return int(a if precedes(s.jobs, a, b) else b)


@rule
def _order_keys(s: State, job: int) -> None:
    """Set the numbers by which a job is ordered inside its class, in the order that the policy names them."""
    rules, j = s.rules[0], s.jobs[job]
    j.key0 = _order_key(j, rules.order0)
    j.key1 = _order_key(j, rules.order1)
    j.key2 = _order_key(j, rules.order2)


@rule
def _order_key(j: Any, key: int) -> int:
    if key == 3:  # Key.PRIORITY
        return int(-j.priority)
    if key == 4:  # Key.AGE
        return int(j.submit)
    if key == 7:  # Key.RETRY
        return int(-j.restarts)
    return 0


@large_rule
def enqueue(s: State, job: int, place: int) -> None:
    """A job begins to wait (`place` FRESH, COOLING or DISPLACED)."""
    j, clock = s.jobs[job], s.clock[0]
    j.state = WAITING
    j.slice = -1
    j.queued_at = clock.now
    overhead = j.startup if j.slices == 0 else j.restart
    j.plan = j.limit - j.done + overhead
    _order_keys(s, job)
    clock.waiting += 1
    clock.queueing += 1
    if j.min_runtime > 0:
        clock.contract_waiting += 1
        if j.min_runtime > s.rules[0].short:
            s.tree[j.leaf].long_waiting += 1
    if place == DISPLACED:
        j.place = DISPLACED
        s.displaced[clock.displaced] = job
        clock.displaced += 1
        s.classes[j.cls].displaced += 1
    else:
        put(s, job, place)
    clock.dirty = 1


@large_rule
def dequeue(s: State, job: int) -> None:
    """A job's wait ends: it starts, or it is cancelled. Holders and displaced jobs are in no queue."""
    j, clock = s.jobs[job], s.clock[0]
    if j.place == FRESH or j.place == COOLING:
        take_out(s, job)
    j.place = NOWHERE
    j.queued += clock.now - j.queued_at
    j.funded_at = -1
    j.reason = NO_REASON
    clock.waiting -= 1
    clock.queueing += 1
    if j.min_runtime > 0:
        clock.contract_waiting -= 1
        if j.min_runtime > s.rules[0].short:
            s.tree[j.leaf].long_waiting -= 1


# --- the books ------------------------------------------------------------------------------------------------------


@rule
def _book(s: State, row: int, sign: int) -> None:
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
    node = leaf
    while node >= 0:
        if allocated:
            s.tree[node].allocated += take
        else:
            s.tree[node].unallocated += take
        node = s.tree[node].parent
    if r.state == PROTECTED:
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


@rule
def _close_segment(s: State, row: int) -> None:
    r, clock = s.slices[row], s.clock[0]
    if clock.now > r.begin:
        g = s.segments[clock.segments]
        clock.segments += 1
        g.slice = row
        g.state = r.state
        g.begin = r.begin
        g.end = clock.now
        r.begin = clock.now


@large_rule
def _turn(s: State, row: int, state: int) -> None:
    _book(s, row, -1)
    _close_segment(s, row)
    s.slices[row].state = state
    if state == PROTECTED:
        s.slices[row].until = s.clock[0].now + s.jobs[s.slices[row].job].min_runtime
    _book(s, row, 1)
    _set_timer(s, row)
    s.clock[0].version += 1
    if state != PROTECTED:
        s.clock[0].loosened += 1
    s.clock[0].events += 1


@rule
def _set_timer(s: State, row: int) -> None:
    """Set the next thing that happens to a slice by itself; an older timer is dropped when it comes up."""
    r = s.slices[row]
    time, kind = r.finish, FINISH
    if r.state == PROTECTED and 0 <= r.until < r.finish:
        time, kind = r.until, CONTRACT_END
    if time != r.timer:
        r.timer = time
        push(s, time, kind, row)


# --- what happens to a slice ----------------------------------------------------------------------------------------


@rule
def start(s: State, job: int, state: int) -> int:
    """Start a job on `s.picked` in the given state and return its slice.

    A protected slice of a policy without contracts stays so until it ends (`until` is -1).
    """
    clock, j = s.clock[0], s.jobs[job]
    dequeue(s, job)
    row = clock.slices
    clock.slices += 1
    r = s.slices[row]
    r.job = job
    r.state = state
    r.start = clock.now
    r.begin = clock.now
    r.end = -1
    r.end_code = 0
    r.for_job = -1
    r.gpus = j.gpus
    r.need = j.need
    r.kept = 0
    r.lost = 0
    r.blocked = 0
    r.timer = -1
    r.chosen = 0
    r.overhead = j.startup if j.slices == 0 else j.restart
    r.finish = clock.now + r.overhead + j.work - j.done
    r.plan_end = clock.now + j.plan
    r.until = -1
    if state == PROTECTED and s.rules[0].contracts != 0:
        r.until = clock.now + j.min_runtime
    gpus = gpus_on(s, row)
    r.node = s.picked[0]
    count = max(j.need, 1)
    for at in range(count):
        node = s.picked[at]
        s.nodes[node].gang_next = -1
        if at + 1 < count:
            s.nodes[node].gang_next = s.picked[at + 1]
        seat(s, row, node, gpus)
        if s.nodes[node].hold >= 0:
            r.blocked += 1
        p = s.placements[clock.placements]
        clock.placements += 1
        p.slice = row
        p.node = node
    j.state = RUNNING
    j.slice = row
    j.slices += 1
    if j.first_start < 0:
        j.first_start = clock.now
    _book(s, row, 1)
    _set_timer(s, row)
    if j.watched != 0:
        post(s, NOTICE_STARTED, job)
    clock.version += 1
    clock.events += 1
    return int(row)


NOTICE_STARTED = 1
NOTICE_ENDED = 2
NOTICE_DRAINED = 3


@large_rule
def post(s: State, kind: int, row: int) -> None:
    """Leave word for the world: a watched job started or ended, a cordoned node is empty."""
    at = s.clock[0].notices
    s.clock[0].notices = at + 1
    s.notices[at].kind = kind
    s.notices[at].row = row


@rule
def promote(s: State, row: int) -> None:
    """An unallocated slice becomes protected where it stands, for the full minimum runtime from now."""
    _turn(s, row, PROTECTED)


@rule
def demote(s: State, row: int) -> None:
    """An interruptible slice becomes unallocated where it stands."""
    _turn(s, row, UNALLOCATED)


@rule
def end_contract(s: State, row: int) -> None:
    """A protected slice has had its minimum runtime: it is interruptible from now on, and charged."""
    _turn(s, row, INTERRUPTIBLE)
    s.clock[0].dirty = 1


@large_rule
def block(s: State, row: int, change: int) -> None:
    """Count the nodes of a slice that are held: while there are any, it is not promoted."""
    r = s.slices[row]
    queued = r.state == UNALLOCATED and s.jobs[r.job].min_runtime > 0
    before = r.blocked
    r.blocked += change
    if queued and before == 0:
        take_out(s, r.job)
    elif queued and r.blocked == 0:
        put(s, r.job, UNALLOCATED_RUN)


@rule
def progress(s: State, row: int, now: int) -> tuple[int, int]:
    """Return the seconds of work that a slice would keep if it stopped now, and the seconds that it would lose.

    A resumable job keeps what it had at its last checkpoint in this slice, counted from the start of work; before the
    first one it loses everything since the start, start-up included. One that is not resumable loses everything.
    """
    r = s.slices[row]
    interval = s.jobs[r.job].checkpoint
    ran = now - r.start - r.overhead
    kept = 0
    if interval > 0 and ran > 0:
        kept = ran // interval * interval
    if kept > 0:
        return kept, ran - kept
    return 0, now - r.start


@large_rule
def stop(s: State, row: int, code: int, for_job: int) -> int:
    """End a slice and return the GPU-seconds lost; the job goes back to its queue, or has finished or is given up."""
    clock, r = s.clock[0], s.slices[row]
    now = clock.now
    job = r.job
    j = s.jobs[job]
    kept, lost = 0, 0
    if code == ENDED_FINISHED:
        kept = j.work - j.done
    else:
        kept, lost = progress(s, row, now)
    if r.state != UNALLOCATED:
        clock.loosened += 1  # what was unallocated could be had before
    _book(s, row, -1)
    _close_segment(s, row)
    gpus = gpus_on(s, row)
    node = r.node
    while node >= 0:
        after = next_node(s, row, node)
        unseat(s, row, node, gpus)
        s.nodes[node].gang_next = -1
        if s.nodes[node].draining != 0 and s.nodes[node].count == 0:
            post(s, NOTICE_DRAINED, node)
        node = after
    r.end = now
    r.end_code = code
    r.for_job = for_job
    r.timer = -1
    r.kept = kept
    r.lost = lost * r.gpus
    j.done += kept
    j.lost += r.lost
    j.slice = -1
    clock.version += 1
    clock.events += 1
    clock.dirty = 1
    if code == ENDED_FINISHED:
        leave(s, job, DONE)
        return int(r.lost)
    if code == ENDED_CANCELLED:
        leave(s, job, CANCELLED)
        return int(r.lost)
    j.restarts += 1
    if j.checkpoint == 0 and s.rules[0].give_up_after > 0 and j.restarts >= s.rules[0].give_up_after:
        log_decision(s, GIVE_UP, NO_REASON, -1, job, row, for_job, 0, r.lost)
        leave(s, job, GIVEN_UP)
    elif code == ENDED_PREEMPTED:
        j.displaced_at = now
        enqueue(s, job, DISPLACED)
    else:
        enqueue(s, job, FRESH)
    return int(r.lost)


@large_rule
def leave(s: State, job: int, state: int) -> None:
    """A job is over; a closed stream may submit its next one."""
    j = s.jobs[job]
    j.state = state
    j.end = s.clock[0].now
    j.place = NOWHERE
    if j.stream >= 0 and s.streams[j.stream].closed != 0:
        s.streams[j.stream].outstanding -= j.gpus
        s.streams[j.stream].dirty = 1
        s.clock[0].stirred_streams = 1
    if j.watched != 0:
        post(s, NOTICE_ENDED, job)
    s.clock[0].dirty = 1
