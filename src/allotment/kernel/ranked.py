"""Policies without contracts: jobs start in rank order, and behind the first that cannot, by the backfill rule."""

from __future__ import annotations

from allotment.kernel.easy import reserve
from allotment.kernel.funding import within_slots
from allotment.kernel.gangs import reclaim_nodes
from allotment.kernel.jit import large_rule, rule
from allotment.kernel.layout import State
from allotment.kernel.ledger import log_decision
from allotment.kernel.outcome import displace, refuse
from allotment.kernel.placement import could_reclaim, find_free, has_free, in_service
from allotment.kernel.queues import head
from allotment.kernel.rank import ranks_before
from allotment.kernel.reclaim import reclaim_on_node
from allotment.kernel.slices import start
from allotment.kernel.treap import first_within, precedes
from allotment.model.codes import DecisionCode, Reason, SliceState
from allotment.model.policy import Backfill, Licence

EASY = int(Backfill.EASY)
INTERRUPTIBLE = int(SliceState.INTERRUPTIBLE)
LOWER = int(Licence.LOWER)
NOBODY = int(Licence.NOBODY)
NO_REASON = int(Reason.NONE)
NO_ROOM = int(Reason.NO_ROOM)
PROTECTED = int(SliceState.PROTECTED)
RESERVED = int(Reason.RESERVED)
SLOT_LIMIT = int(Reason.SLOT_LIMIT)
START = int(DecisionCode.START)
STRICT = int(Backfill.STRICT)


@large_rule
def start_ranked(s: State, partition: int) -> None:
    """Start waiting jobs in rank order; behind the first that cannot start, what the backfill rule lets through."""
    clock, rules = s.clock[0], s.rules[0]
    licence = s.partitions[partition].licence
    while True:
        best = -1
        most, empty = _open_room(s)
        for leaf in s.leaves:
            cls = s.tree[leaf].classes
            while cls >= 0:
                c = s.classes[cls]
                if c.blocked != clock.passes and (c.fresh >= 0 or c.cooling >= 0):
                    job = _open_to(s, cls, most, empty)
                    if job >= 0 and (best < 0 or ranks_before(s, partition, job, best)):
                        best = job
                cls = c.next
        if best < 0:
            return
        j = s.jobs[best]
        level = within_slots(s, j.leaf, j.gpus, True)
        if level >= 0:
            s.classes[j.cls].blocked = clock.passes
            refuse(s, best, SLOT_LIMIT)
            continue
        if _start_plain(s, best, licence):
            continue
        s.classes[j.cls].blocked = clock.passes
        refuse(s, best, NO_ROOM if clock.reserved == 0 else RESERVED)
        if rules.backfill == STRICT:
            clock.stopped = 1
            clock.stopped_by = best
            return
        if rules.backfill == EASY and clock.reserved == 0:
            reserve(s, best)


@rule
def _open_room(s: State) -> tuple[int, int]:
    """Return, outside the reserved nodes, the most free GPUs of a node and the number of empty nodes."""
    most, empty = 0, 0
    if s.clock[0].reserved != 0:
        for node in range(len(s.nodes)):
            if s.reserved[node] == 0 and in_service(s, node):
                most = max(most, s.nodes[node].free)
                empty += 1 if s.nodes[node].free == s.rules[0].per_node else 0
    return most, empty


@rule
def _open_to(s: State, cls: int, most: int, empty: int) -> int:
    """Return the first job of a class that may start by the present reservation, or -1.

    Without one it is the head. With one: the head, if what is free outside the reserved nodes is enough for it, else
    the first whose limit ends before the reservation does.
    """
    c, clock = s.classes[cls], s.clock[0]
    if clock.reserved == 0 or (c.gpus <= most if c.need == 0 else c.need <= empty):
        return int(head(s, cls))
    if not has_free(s, c.gpus, c.need):
        return -1
    bound = clock.reserved_until - clock.now
    a, b = first_within(s.jobs, c.fresh, bound), first_within(s.jobs, c.cooling, bound)
    if a < 0 or b < 0:
        return int(max(a, b))
    return int(a if precedes(s.jobs, a, b) else b)


@large_rule
def _start_plain(s: State, job: int, licence: int) -> bool:
    """Start a job, charged; the first in rank may displace, those behind a reservation take only what is free."""
    j, clock = s.jobs[job], s.clock[0]
    victims = 0
    if clock.reserved != 0:
        around = not (0 < j.plan <= clock.reserved_until - clock.now)
        if not find_free(s, j.gpus, j.need, -1, around) and not find_free(s, j.gpus, j.need, -1, True):
            return False
    elif not find_free(s, j.gpus, j.need, -1, False):
        if licence == NOBODY or not could_reclaim(s, job):
            return False
        if j.need > 0:
            victims = reclaim_nodes(s, job, licence, -1)
        else:
            victims = reclaim_on_node(s, job, licence, -1)
        if victims < 0:
            return False
    displace(s, job, victims, licence, False)
    decision = log_decision(s, START, NO_REASON, j.leaf, job, -1, -1, 0, 0)
    preemptible = licence == LOWER and j.preemptible != 0
    s.decisions[decision].slice = start(s, job, INTERRUPTIBLE if preemptible else PROTECTED)
    return True
