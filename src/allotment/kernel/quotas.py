"""Policies with quotas: who is next is found level by level, and what finds no room may reclaim or preempt.

As in a cycle of the KAI Scheduler, all free GPUs are given away first, then work reclaims from other leaves, then it preempts
in its own; last, what a displacement left over is given away, for which KAI has its next cycle.
"""

from __future__ import annotations

from allotment.kernel.division import allocatable, divide
from allotment.kernel.fill import most_free
from allotment.kernel.funding import within_slots
from allotment.kernel.gangs import reclaim_nodes
from allotment.kernel.jit import large_rule, rule
from allotment.kernel.layout import State
from allotment.kernel.ledger import log_decision
from allotment.kernel.outcome import displace, refuse
from allotment.kernel.overquota import beyond_quota, face_leaves, keeps_order, shows_lower
from allotment.kernel.placement import could_reclaim, find_free, has_free
from allotment.kernel.queues import head
from allotment.kernel.rank import compare_ratios, ranks_before
from allotment.kernel.reclaim import RECLAIM, WITHIN_LEAF, reclaim_on_node
from allotment.kernel.slices import is_immune, start
from allotment.model.codes import DecisionCode, Reason, SliceState
from allotment.model.policy import Licence

BEYOND_FAIR_SHARE = int(Reason.BEYOND_FAIR_SHARE)
BEYOND_QUOTA = int(Reason.BEYOND_QUOTA)
FREE = int(Licence.NOBODY)
INTERRUPTIBLE = int(SliceState.INTERRUPTIBLE)
NO_REASON = int(Reason.NONE)
NO_ROOM = int(Reason.NO_ROOM)
PROTECTED = int(SliceState.PROTECTED)
SLOT_LIMIT = int(Reason.SLOT_LIMIT)
START = int(DecisionCode.START)


@large_rule
def start_by_quota(s: State, partition: int) -> None:
    """Start what fits, then what may make room for itself."""
    divide(s)
    if most_free(s) > 0:
        _start_all(s, partition, FREE)
    _start_all(s, partition, RECLAIM)
    shows_lower(s)
    _start_all(s, partition, WITHIN_LEAF)
    if s.clock[0].displaced > 0:
        _start_all(s, partition, FREE)


@large_rule
def _start_all(s: State, partition: int, licence: int) -> None:
    """Start waiting jobs by one licence, the best-ranked first, until none is left that could start."""
    count = 0
    for leaf in s.leaves:
        cls = s.tree[leaf].classes
        while cls >= 0:
            s.candidates[count] = cls
            count += 1 if _may_try(s, cls, licence) else 0
            cls = s.classes[cls].next
    while count > 0:
        job = _first(s, partition, count)
        started = _try(s, job, licence)
        if not started and licence == RECLAIM:  # what may not reclaim has its reason already
            refuse(s, job, NO_ROOM)
        tried, at = s.jobs[job].cls, 0
        while at < count:
            cls = s.candidates[at]
            if (started or cls != tried) and (not started or _may_try(s, cls, licence)):
                at += 1
            else:
                count -= 1
                s.candidates[at] = s.candidates[count]


@rule
def _may_try(s: State, cls: int, licence: int) -> bool:
    """Tell whether the first job of a class could start by a licence; refuse it where it may not, with the reason."""
    job = head(s, cls)
    if job < 0:
        return False
    j = s.jobs[job]
    if within_slots(s, j.leaf, j.gpus, True) >= 0:
        refuse(s, job, SLOT_LIMIT)
        return False
    if is_immune(s, job) and beyond_quota(s, j.leaf, j.gpus) >= 0:
        refuse(s, job, BEYOND_QUOTA)
        return False
    if licence == FREE:
        return bool(has_free(s, j.gpus, j.need))
    v = s.tree[j.leaf]
    if licence == RECLAIM:
        if v.allocated + j.gpus > v.fair:
            refuse(s, job, BEYOND_FAIR_SHARE)
            return False
    elif j.priority <= v.lowest:
        return False
    return bool(could_reclaim(s, job))


@rule
def _try(s: State, job: int, licence: int) -> bool:
    """Start a job on what is free, or on what it may take; with all its GPUs or not at all."""
    j = s.jobs[job]
    victims = 0
    if licence == FREE:
        find_free(s, j.gpus, j.need, -1, False)
    else:
        if licence == RECLAIM:
            face_leaves(s, job)
        if j.need > 0:
            victims = reclaim_nodes(s, job, licence, -1)
        else:
            victims = reclaim_on_node(s, job, licence, -1)
        if victims < 0 or (licence == RECLAIM and not keeps_order(s, job, victims)):
            return False
    displace(s, job, victims, licence, False)
    decision = log_decision(s, START, NO_REASON, j.leaf, job, -1, -1, 0, 0)
    kept = is_immune(s, job) or s.tree[j.leaf].spared > 0
    s.decisions[decision].slice = start(s, job, PROTECTED if kept else INTERRUPTIBLE)
    return True


@rule
def _first(s: State, partition: int, count: int) -> int:
    """Return the best job of the candidates: of each leaf its best by the keys, of each node the best child's."""
    tree = s.tree
    for node in s.upward:
        tree[node].best = -1
    for at in range(count):
        job = head(s, s.candidates[at])
        v = tree[s.jobs[job].leaf]
        if v.best < 0 or ranks_before(s, partition, job, v.best):
            v.best = job
    top = -1
    for node in s.upward:
        v = tree[node]
        if v.parent < 0:
            top = v.best
        elif v.best >= 0:
            up = tree[v.parent]
            if up.best < 0 or queue_before(s, node, up.best_child):
                up.best = v.best
                up.best_child = node
    return int(top)


@rule
def queue_before(s: State, x: int, y: int) -> bool:
    """Tell whether one sibling is served before another, each with its best job (KAI, plugins/proportion/queue_order)."""
    u, v = s.tree[x], s.tree[y]
    a, b = u.allocated + s.jobs[u.best].gpus, v.allocated + s.jobs[v.best].gpus
    if (u.allocated > u.fair) != (v.allocated > v.fair):
        return bool(u.allocated <= u.fair)
    if (a > u.quota) != (b > v.quota):
        return bool(a <= u.quota)
    most, others = allocatable(s, x), allocatable(s, y)
    if (most == 0) != (others == 0):
        return bool(most > 0)
    order = compare_ratios(a, max(most, 1), b, max(others, 1))
    if order == 0:
        order = compare_ratios(u.allocated, max(most, 1), v.allocated, max(others, 1))
    if order == 0:
        order = most - others
    return bool(order < 0 if order != 0 else x < y)
