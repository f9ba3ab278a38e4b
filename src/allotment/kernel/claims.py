"""Funded work: claims start in rank order, on free GPUs or on what the licence lets them reclaim; gangs hold."""

from __future__ import annotations

from allotment.kernel.funding import FUNDED, measure_room, recount_lender, tightest_level, why_not, within_slots
from allotment.kernel.gangs import reclaim_nodes
from allotment.kernel.holding import clear_held_nodes, end_hold, hold_nodes
from allotment.kernel.jit import rule
from allotment.kernel.layout import State
from allotment.kernel.ledger import log_decision
from allotment.kernel.outcome import displace, refuse
from allotment.kernel.placement import could_reclaim, find_free, has_free
from allotment.kernel.queues import head
from allotment.kernel.rank import ranks_before
from allotment.kernel.reclaim import NEVER, allow_leaves, reclaim_on_node
from allotment.kernel.slices import start
from allotment.kernel.treap import precedes
from allotment.kernel.usage import commit
from allotment.model.codes import DecisionCode, Reason, SliceState
from allotment.model.policy import Backfill, Licence

ANY = int(Backfill.ANY)
HOLDING = int(Reason.HOLDING)
NOBODY = int(Licence.NOBODY)
BY_BALANCE = int(Licence.INTERRUPTIBLE)
NO_REASON = int(Reason.NONE)
NO_ROOM = int(Reason.NO_ROOM)
PROTECTED = int(SliceState.PROTECTED)
SLOT_LIMIT = int(Reason.SLOT_LIMIT)
START = int(DecisionCode.START)
STRICT = int(Backfill.STRICT)
UNALLOCATED_ONLY = int(Backfill.UNALLOCATED_ONLY)


@rule
def start_funded(s: State, partition: int) -> None:
    """Start funded claims in rank order, on free GPUs or on what the licence lets them reclaim.

    One sweep finds the classes with a funded claim. Starting one can only take headroom from others, so the sweep is
    not made again; what it missed by lending that begins within this pass is found in the next. A claim that found no
    room is tried again when something has moved, as what is left of a reclaim belongs to the best rank that it fits.
    """
    clock, rules = s.clock[0], s.rules[0]
    licence = s.partitions[partition].licence
    count = 0
    for leaf in s.leaves:
        if s.tree[leaf].classes >= 0:
            count = _sweep(s, leaf, count)
    while count > 0:
        # order matters only among those that can start, and for who may hold; the rest is refused as it comes
        may_hold = clock.holds < rules.holders
        best = -1
        at = 0
        while at < count:
            cls = s.candidates[at]
            at += 1
            if s.classes[cls].blocked == clock.passes and s.classes[cls].blocked_at == clock.version:
                continue  # tried in vain, and nothing has moved since
            job = head(s, cls)
            waits = may_hold and _may_hold(s, job)
            if not waits and rules.backfill == ANY and not _may_fit(s, job, licence):
                s.classes[cls].blocked = clock.passes
                s.classes[cls].blocked_at = clock.version
                refuse(s, job, NO_ROOM)
            elif best < 0 or ranks_before(s, partition, job, best):
                best = job
        if best < 0:
            return
        j = s.jobs[best]
        if _place_claim(s, best, licence):
            count = _still_funded(s, j.leaf, count)
            continue
        s.classes[j.cls].blocked = clock.passes
        s.classes[j.cls].blocked_at = clock.version
        refuse(s, best, NO_ROOM)
        if clock.holds < rules.holders and _may_hold(s, best):
            if hold_nodes(s, best):
                recount_lender(s, j.leaf)
                count = _still_funded(s, j.leaf, count)
        if rules.backfill == STRICT:
            clock.stopped = 1
            clock.stopped_by = best
            return
        if rules.backfill == UNALLOCATED_ONLY:
            clock.stopped = 2  # only this partition
            clock.stopped_by = best
            return


@rule
def _sweep(s: State, leaf: int, count: int) -> int:
    """Add the classes of a leaf whose first claim is funded to `s.candidates`; refuse the others, with the reason.

    A leaf in which nothing was funded is passed over until its queues change or its room reaches its least claim.
    """
    v, rules = s.tree[leaf], s.rules[0]
    measure_room(s, leaf)
    if v.stirred == 0 and v.unfunded != 0 and v.room_long < v.least_long and v.room_short < v.least_short:
        return count
    v.stirred = 0
    v.unfunded = 1
    v.least_long = NEVER
    v.least_short = NEVER
    only = _first_of_leaf(s, leaf) if rules.heads_only != 0 else -1
    cls = v.classes
    while cls >= 0:
        c = s.classes[cls]
        if c.min_runtime > 0 and (c.fresh >= 0 or c.cooling >= 0):
            job = head(s, cls)
            if rules.heads_only == 0 or job == only:
                claim = c.gpus * c.min_runtime
                if c.min_runtime <= rules.short:
                    v.least_short = min(v.least_short, claim)
                else:
                    v.least_long = min(v.least_long, claim)
                why = why_not(s, cls)
                if why == FUNDED:
                    v.unfunded = 0
                    if within_slots(s, leaf, c.gpus, True) >= 0:
                        why = SLOT_LIMIT
                if why == FUNDED:
                    if s.jobs[job].funded_at < 0:
                        s.jobs[job].funded_at = s.clock[0].now
                    s.candidates[count] = cls
                    count += 1
                else:
                    refuse(s, job, why)
        cls = c.next
    return count


@rule
def _still_funded(s: State, leaf: int, count: int) -> int:
    """Keep of the candidates those that a change in `leaf` leaves funded, in slots, and with a job to start."""
    budget = s.tree[leaf].budget
    at = 0
    while at < count:
        c = s.classes[s.candidates[at]]
        keep = True
        if c.fresh < 0 and c.cooling < 0:
            keep = False
        elif s.tree[c.leaf].budget == budget or s.rules[0].slot_limits != 0:
            why = why_not(s, s.candidates[at])
            if why == FUNDED and within_slots(s, c.leaf, c.gpus, True) >= 0:
                why = SLOT_LIMIT
            if why != FUNDED:
                keep = False
                refuse(s, head(s, s.candidates[at]), why)
            elif s.rules[0].heads_only != 0 and c.leaf == leaf:
                keep = head(s, s.candidates[at]) == _first_of_leaf(s, leaf)
        if keep:
            at += 1
        else:
            count -= 1
            s.candidates[at] = s.candidates[count]
    return count


@rule
def _may_hold(s: State, job: int) -> bool:
    """Tell whether a claim without room is one that nodes are held for: a gang's, or one that was funded a cap ago."""
    j = s.jobs[job]
    return bool(j.need > 0 or (j.funded_at >= 0 and s.clock[0].now - j.funded_at >= s.rules[0].cap))


@rule
def _may_fit(s: State, job: int, licence: int) -> bool:
    """Tell quickly whether it is worth looking for room: free GPUs, or something to reclaim that was not tried in vain."""
    j = s.jobs[job]
    if has_free(s, j.gpus, j.need):
        return True
    if licence == NOBODY or not could_reclaim(s, job):
        return False
    c = s.classes[j.cls]
    known = licence == BY_BALANCE and s.rules[0].within_leaf == 0  # else it depends on the job's priority as well
    return bool(not known or c.tried != s.clock[0].loosened or c.mask != allow_leaves(s, job))


@rule
def _first_of_leaf(s: State, leaf: int) -> int:
    """Return the first waiting job of a leaf that asks a contract, by the order inside a leaf."""
    best = -1
    cls = s.tree[leaf].classes
    while cls >= 0:
        c = s.classes[cls]
        if c.min_runtime > 0:
            job = head(s, cls)
            if job >= 0:
                if best < 0 or precedes(s.jobs, job, best):
                    best = job
        cls = c.next
    return best


@rule
def _place_claim(s: State, job: int, licence: int) -> bool:
    """Start a funded claim if it has room, or if room can be reclaimed for all of it."""
    j, clock, rules = s.jobs[job], s.clock[0], s.rules[0]
    contract_end = clock.now + j.min_runtime
    victims = 0
    if not find_free(s, j.gpus, j.need, contract_end, False):
        if licence == NOBODY or not could_reclaim(s, job):
            return False
        bits = allow_leaves(s, job)
        c = s.classes[j.cls]
        known = licence == BY_BALANCE and rules.within_leaf == 0 and bits >= 0
        if known and c.tried == clock.loosened and c.mask == bits:
            return False
        if j.need > 0:
            victims = reclaim_nodes(s, job, licence, contract_end)
        else:
            victims = reclaim_on_node(s, job, licence, contract_end)
        if victims < 0:
            c.tried = clock.loosened
            c.mask = bits
            return False
    _start_claim(s, job, victims, licence, False, NO_REASON)
    return True


@rule
def _start_claim(s: State, job: int, victims: int, licence: int, hold_due: bool, reason: int) -> None:
    """Displace the chosen victims and start the job protected on the picked nodes; `reason` tells a holder's start."""
    j, rules = s.jobs[job], s.rules[0]
    claim = j.gpus * j.min_runtime
    displace(s, job, victims, licence, hold_due)
    level = tightest_level(s, j.leaf, j.min_runtime <= rules.short)
    decision = log_decision(s, START, reason, level, job, -1, -1, claim, 0)
    s.decisions[decision].slice = start(s, job, PROTECTED)
    commit(s, j.leaf, claim)
    recount_lender(s, j.leaf)


@rule
def start_holders(s: State, partition: int) -> None:
    """A holder starts as soon as its nodes can be cleared, or wherever else its claim fits."""
    licence = s.partitions[partition].licence
    for hold in range(len(s.holds)):
        job = s.holds[hold].job
        if job < 0:
            continue
        j = s.jobs[job]
        if within_slots(s, j.leaf, j.gpus, True) >= 0:
            continue
        if not could_reclaim(s, job):
            continue  # as little room as that is not on the held nodes either
        due = s.clock[0].now >= s.holds[hold].since + s.rules[0].cap
        bits = allow_leaves(s, job)
        h = s.holds[hold]
        if licence == BY_BALANCE and not due and bits >= 0 and h.tried == s.clock[0].loosened and h.mask == bits:
            continue  # the same in vain as in the last pass
        h.tried = s.clock[0].loosened
        h.mask = bits
        victims = clear_held_nodes(s, hold, licence)
        hold_due = due
        if victims < 0:
            hold_due = False
            victims = _elsewhere(s, job, licence)
        if victims >= 0:
            end_hold(s, hold)
            _start_claim(s, job, victims, licence, hold_due, HOLDING)


@rule
def _elsewhere(s: State, job: int, licence: int) -> int:
    """Look for room outside the held nodes; return the number of victims, or -1."""
    j, clock = s.jobs[job], s.clock[0]
    contract_end = clock.now + j.min_runtime
    if find_free(s, j.gpus, j.need, contract_end, False):
        return 0
    if licence == NOBODY or not could_reclaim(s, job):
        return -1
    if j.need > 0:
        return reclaim_nodes(s, job, licence, contract_end)
    return reclaim_on_node(s, job, licence, contract_end)
