"""What the world may do to the scheduler: submit and cancel jobs, take nodes out of service and put them back."""

from __future__ import annotations

from allotment.kernel.alter import keep, lay_aside, take_back
from allotment.kernel.funding import is_too_large
from allotment.kernel.handover import put_down, take_up
from allotment.kernel.holding import end_hold, hold_of, release, replace_node
from allotment.kernel.idle import forget_node, remember_node
from allotment.kernel.jit import large_rule
from allotment.kernel.layout import State
from allotment.kernel.placement import in_service
from allotment.kernel.queues import FRESH, HOLDER, dequeue, enqueue
from allotment.kernel.slices import leave, post, stop
from allotment.kernel.usage import begin_epoch, change_rate
from allotment.model.codes import EndCode, JobState, SliceState

CANCELLED = int(JobState.CANCELLED)
DONE = int(JobState.FINISHED)
ENDED_CANCELLED = int(EndCode.CANCELLED)
NOTICE_DRAINED = 3
PROTECTED = int(SliceState.PROTECTED)
RUNNING = int(JobState.RUNNING)
WAITING = int(JobState.WAITING)

FAILED = int(EndCode.FAILED)
DRAINED = int(EndCode.DRAINED)
URGENT_REPAIR = int(EndCode.URGENT_REPAIR)

ADVANCE, SUBMIT, CANCEL, CORDON, FAIL, EVICT, TAKE_DOWN, CLEAR, PLAN_CHANGED, SETTLE, REST, LET_GO = range(12)
PUT_DOWN, TAKE_UP, RELEASE, LAY_ASIDE, TAKE_BACK, KEEP, SAVE = range(12, 19)


@large_rule
def act(s: State, verb: int, row: int) -> None:
    """Do one thing to a job or a node, now; the caller has checked that it makes sense."""
    if verb == SETTLE:
        return  # what is due now has happened
    if verb >= LAY_ASIDE:
        _change(s, verb, row)
        return
    if verb == SUBMIT:
        submit(s, row)
    elif verb == CANCEL:
        cancel(s, row)
    elif verb == REST:
        rest(s, row)
    elif verb == LET_GO:
        let_go(s, row)
    elif verb == CORDON:
        cordon(s, row)
    elif verb == FAIL:
        _stop_all(s, row, FAILED)
        _set_service(s, row, 1, 0)
    elif verb == EVICT:
        _stop_all(s, row, URGENT_REPAIR)
        _set_service(s, row, 1, 0)
    elif verb == TAKE_DOWN:
        _set_service(s, row, 1, 0)
    elif verb == CLEAR:
        _set_service(s, row, 0, 0)
    elif verb == PLAN_CHANGED:
        begin_epoch(s)
    elif verb == PUT_DOWN:
        put_down(s)
    elif verb == TAKE_UP:
        take_up(s, row)
    elif verb == RELEASE:
        release(s, hold_of(s, row))
    s.clock[0].dirty = 1


@large_rule
def _change(s: State, verb: int, row: int) -> None:
    """Do a part of what changes a job; whether there is anything to decide then is up to the caller."""
    if verb == LAY_ASIDE:
        lay_aside(s, row)
    elif verb == TAKE_BACK:
        take_back(s, row)
    elif verb == KEEP:
        keep(s, row, False)
    elif verb == SAVE:
        keep(s, row, True)


@large_rule
def submit(s: State, job: int) -> None:
    """A job is submitted now."""
    j, clock = s.jobs[job], s.clock[0]
    j.submit = clock.now
    if s.rules[0].contracts != 0:
        j.too_large = 1 if is_too_large(s, job) else 0
    clock.events += 1
    if j.stream >= 0:
        s.streams[j.stream].outstanding += j.gpus + j.beyond
    enqueue(s, job, FRESH)


@large_rule
def cancel(s: State, job: int) -> None:
    """End a job, running, waiting or holding."""
    j = s.jobs[job]
    if j.state == RUNNING:
        stop(s, j.slice, ENDED_CANCELLED, -1)
    elif j.state == WAITING:
        if j.place == HOLDER:
            end_hold(s, hold_of(s, job))
        dequeue(s, job)
        leave(s, job, CANCELLED)


@large_rule
def rest(s: State, job: int) -> None:
    """A running job has done its work and only holds its GPUs: whoever stops it from now on costs it nothing."""
    j = s.jobs[job]
    if j.state == RUNNING:  # it may have been stopped in this very second
        j.checkpoint = 1
        s.slices[j.slice].priced_at = -1


@large_rule
def let_go(s: State, job: int) -> None:
    """A job that rested was stopped: it was over at that moment, and its work is done."""
    j = s.jobs[job]
    late = s.clock[0].now - j.queued_at if j.state == WAITING else 0
    cancel(s, job)
    j.state = DONE
    j.end -= late
    j.queued -= late


@large_rule
def cordon(s: State, node: int) -> None:
    """A node takes no new slices; what is not protected moves at once, the rest when its contract ends."""
    was_empty = s.nodes[node].count == 0
    _set_service(s, node, 0, 1)
    place = 0
    while place < s.nodes[node].count:
        row = s.on_node[node, place]
        if s.slices[row].state == PROTECTED:
            place += 1
        else:
            stop(s, row, DRAINED, -1)
            place = 0
    if was_empty:  # else the last slice to leave says so
        post(s, NOTICE_DRAINED, node)


@large_rule
def _stop_all(s: State, node: int, code: int) -> None:
    while s.nodes[node].count > 0:
        stop(s, s.on_node[node, 0], code, -1)


@large_rule
def _set_service(s: State, node: int, down: int, draining: int) -> None:
    """Change a node's service, with everything that counts nodes, and let a hold on it look for another."""
    n, clock, per_node = s.nodes[node], s.clock[0], s.rules[0].per_node
    forget_node(s, node)
    if in_service(s, node):
        s.free_count[n.free] -= 1
        s.loose_count[n.free + n.unallocated + n.interruptible] -= 1
    healthy_before = clock.healthy
    clock.draining -= per_node * n.draining
    clock.down -= per_node * n.down
    n.down = down
    n.draining = draining
    clock.draining += per_node * draining
    clock.down += per_node * down
    clock.healthy = per_node * s.rules[0].nodes - clock.down
    if in_service(s, node):
        s.free_count[n.free] += 1
        s.loose_count[n.free + n.unallocated + n.interruptible] += 1
    remember_node(s, node)
    if clock.healthy != healthy_before:
        change_rate(s, len(s.curves) - 1, clock.now, clock.healthy - healthy_before)
    _note_capacity(s)
    clock.version += 1
    clock.loosened += 1
    clock.changed = 1
    if not in_service(s, node):
        replace_node(s, node)


@large_rule
def _note_capacity(s: State) -> None:
    clock = s.clock[0]
    at = clock.capacities - 1
    if s.capacity[at].time != clock.now:
        at += 1
        clock.capacities += 1
    s.capacity[at].time = clock.now
    s.capacity[at].healthy = clock.healthy
    s.capacity[at].draining = clock.draining
    s.capacity[at].down = clock.down
