"""The life of a slice: start, promotion, end of contract, demotion, stop.

A slice changes state where it stands. Every change of state closes a segment, and segments are the ledger.
"""

from __future__ import annotations

from allotment.kernel.jit import large_rule, rule
from allotment.kernel.layout import State
from allotment.kernel.ledger import book, close_segment, log_decision
from allotment.kernel.placement import gpus_on, next_node, seat, unseat
from allotment.kernel.queues import DISPLACED, FRESH, NOWHERE, UNALLOCATED_RUN, dequeue, enqueue, put, take_out
from allotment.kernel.timers import CONTRACT_END, FINISH, push
from allotment.model.codes import DecisionCode, EndCode, JobState, Reason, SliceState

CANCELLED = int(JobState.CANCELLED)
DONE = int(JobState.FINISHED)
ENDED_CANCELLED = int(EndCode.CANCELLED)
ENDED_FINISHED = int(EndCode.FINISHED)
ENDED_PREEMPTED = int(EndCode.PREEMPTED)
GIVEN_UP = int(JobState.GIVEN_UP)
GIVE_UP = int(DecisionCode.GIVE_UP)
INTERRUPTIBLE = int(SliceState.INTERRUPTIBLE)
NOTICE_DRAINED = 3
NOTICE_ENDED = 2
NOTICE_STARTED = 1
NO_REASON = int(Reason.NONE)
PROTECTED = int(SliceState.PROTECTED)
RUNNING = int(JobState.RUNNING)
UNALLOCATED = int(SliceState.UNALLOCATED)


@rule
def start(s: State, job: int, state: int) -> int:
    """Start a job on `s.picked` in the given state and return its slice.

    A protected slice of a policy without contracts stays so until it ends (`until` is -1). Under quotas `until` is when the
    next of those who may not take it yet will be allowed to.
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
    r.saved = 0
    r.saved_from = 0
    r.blocked = 0
    r.timer = -1
    r.chosen = 0
    r.leaf = j.leaf
    r.priced_at = -1
    r.overhead = j.startup if j.slices == 0 else j.restart
    r.finish = clock.now + r.overhead + j.work - j.done
    r.plan_end = clock.now + j.plan
    r.until = -1
    if state == PROTECTED and s.rules[0].contracts != 0:
        r.until = clock.now + j.min_runtime
    elif s.rules[0].quotas != 0 and not is_immune(s, job):
        r.until = yields_next(s, row)
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
    book(s, row, 1)
    set_timer(s, row)
    if j.watched != 0:
        post(s, NOTICE_STARTED, job)
    clock.version += 1
    clock.events += 1
    return int(row)


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
    """A protected slice has had its minimum runtime: it is interruptible from now on, and charged.

    Under quotas one that is interruptible already has had a longer one, for those who must wait longer for it.
    """
    if s.rules[0].quotas != 0:
        s.slices[row].until = yields_next(s, row)
    if s.slices[row].state == PROTECTED:
        _turn(s, row, INTERRUPTIBLE)
    else:
        set_timer(s, row)
    s.clock[0].dirty = 1


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
    book(s, row, -1)
    close_segment(s, row)
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


@rule
def leave(s: State, job: int, state: int) -> None:
    """A job is over; a closed stream may submit its next one."""
    j = s.jobs[job]
    j.state = state
    j.end = s.clock[0].now
    j.place = NOWHERE
    if j.stream >= 0 and s.streams[j.stream].closed != 0:
        s.streams[j.stream].outstanding -= j.gpus + j.beyond
        s.streams[j.stream].dirty = 1
        s.clock[0].stirred_streams = 1
    if j.watched != 0:
        post(s, NOTICE_ENDED, job)
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

    A resumable job keeps what it had at its last checkpoint in this slice, counted from the start of work, or from one
    out of turn; before the first one it loses everything since the start, start-up included. One that is not resumable
    loses everything.
    """
    r = s.slices[row]
    interval = s.jobs[r.job].checkpoint
    ran = now - r.start - r.overhead
    kept = r.saved
    if interval > 0 and ran - r.saved_from >= interval:
        kept = r.saved_from + (ran - r.saved_from) // interval * interval
    if kept > 0:
        return kept, ran - kept
    return 0, now - r.start


@rule
def is_immune(s: State, job: int) -> bool:
    """Tell whether nobody may ever take a slice of this job, under quotas."""
    return bool(s.rules[0].immune != 0 and s.jobs[job].preemptible == 0)


@large_rule
def yields_next(s: State, row: int) -> int:
    """Return when the next of the minimum runtimes that spare a slice ends, or -1: its leaf's own, or one for others."""
    r, now = s.slices[row], s.clock[0].now
    time = r.start + s.tree[r.leaf].preempt_after
    best = time if time > now else -1
    node = r.leaf
    while s.tree[node].parent >= 0:
        time = r.start + s.tree[node].reclaim_after
        if time > now and (best < 0 or time < best):
            best = time
        node = s.tree[node].parent
    return int(best)


@large_rule
def post(s: State, kind: int, row: int) -> None:
    """Leave word for the world: a watched job started or ended, a cordoned node is empty."""
    at = s.clock[0].notices
    s.clock[0].notices = at + 1
    s.notices[at].kind = kind
    s.notices[at].row = row


@large_rule
def _turn(s: State, row: int, state: int) -> None:
    book(s, row, -1)
    close_segment(s, row)
    s.slices[row].state = state
    if state == PROTECTED:
        s.slices[row].until = s.clock[0].now + s.jobs[s.slices[row].job].min_runtime
    book(s, row, 1)
    set_timer(s, row)
    s.clock[0].version += 1
    if state != PROTECTED:
        s.clock[0].loosened += 1
    s.clock[0].events += 1


@rule
def set_timer(s: State, row: int) -> None:
    """Set the next thing that happens to a slice by itself; an older timer is dropped when it comes up."""
    r = s.slices[row]
    time, kind = r.finish, FINISH
    if (r.state == PROTECTED or s.rules[0].quotas != 0) and 0 <= r.until < r.finish:
        time, kind = r.until, CONTRACT_END
    if time != r.timer:
        r.timer = time
        push(s, time, kind, row)
