"""Where jobs wait and slices wait to be promoted: the queues of each class, and the counts that follow from them."""

from __future__ import annotations

from typing import Any

from allotment.kernel.jit import rule
from allotment.kernel.layout import State
from allotment.kernel.treap import first, insert, precedes, remove
from allotment.model.codes import JobState, Reason

NOWHERE = 0
FRESH = 1
COOLING = 2
UNALLOCATED_RUN = 3  # in the queue of slices that may be promoted
HOLDER = 4
DISPLACED = 5  # stopped in this pass; back in its queue when the pass ends
NO_REASON = int(Reason.NONE)
WAITING = int(JobState.WAITING)


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


@rule
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


@rule
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
def enqueue(s: State, job: int, place: int) -> None:
    """A job begins to wait (`place` FRESH, COOLING or DISPLACED)."""
    j, clock = s.jobs[job], s.clock[0]
    j.state = WAITING
    j.slice = -1
    j.queued_at = clock.now
    overhead = j.startup if j.slices == 0 else j.restart
    j.plan = j.limit - j.startup - j.done + overhead  # the limit has one start-up in it
    order_keys(s, job)
    clock.waiting += 1
    clock.queueing += 1
    s.tree[j.leaf].asked += j.gpus
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


@rule
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
    s.tree[j.leaf].asked -= j.gpus
    if j.min_runtime > 0:
        clock.contract_waiting -= 1
        if j.min_runtime > s.rules[0].short:
            s.tree[j.leaf].long_waiting -= 1


@rule
def order_keys(s: State, job: int) -> None:
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
