"""Unallocated fill: what is free goes to waiting jobs, charged to nobody."""

from __future__ import annotations

from allotment.kernel.funding import FUNDED, recount_lender, why_not, within_slots
from allotment.kernel.jit import rule
from allotment.kernel.layout import State
from allotment.kernel.ledger import log_decision
from allotment.kernel.placement import find_free
from allotment.kernel.queues import COOLING, FRESH
from allotment.kernel.rank import ranks_before
from allotment.kernel.slices import start
from allotment.kernel.usage import refresh_use, set_use_ratio
from allotment.model.codes import DecisionCode, Reason, SliceState
from allotment.model.policy import Match

ALL = int(Match.ALL)
NO_REASON = int(Reason.NONE)
START_UNALLOCATED = int(DecisionCode.START_UNALLOCATED)
UNALLOCATED = int(SliceState.UNALLOCATED)


@rule
def fill(s: State, partition: int, match: int) -> None:
    """Give what is free to waiting jobs, unallocated: first those not displaced lately, then any."""
    clock = s.clock[0]
    if (
        match == ALL
        and clock.version == clock.filled
        and clock.queueing == clock.filled_queueing
        and clock.changed == 0
    ):
        return  # nothing fitted in the last pass, and nothing has changed since
    most = most_free(s)
    if most > 0:
        refresh_use(s)
    for place in (FRESH, COOLING):
        count = _fillable(s, place, most, match) if most > 0 else 0
        while count > 0:
            best = -1
            empty = s.free_count[s.rules[0].per_node]
            at = 0
            while at < count:
                c = s.classes[s.candidates[at]]
                job = c.first_fresh if place == FRESH else c.first_cooling
                fits = job >= 0 and (c.need <= empty if c.need > 0 else c.gpus <= most)
                if not fits or within_slots(s, c.leaf, c.gpus, False) >= 0:
                    count -= 1
                    s.candidates[at] = s.candidates[count]
                    continue
                if best < 0 or ranks_before(s, partition, job, best):
                    best = job
                at += 1
            if best < 0:
                break
            j = s.jobs[best]
            find_free(s, j.gpus, j.need, -1, False)
            decision = log_decision(s, START_UNALLOCATED, NO_REASON, j.leaf, best, -1, -1, 0, 0)
            s.tree[j.leaf].added += j.gpus * s.rules[0].cycle
            set_use_ratio(s, j.leaf)
            s.decisions[decision].slice = start(s, best, UNALLOCATED)
            recount_lender(s, j.leaf)
            most = most_free(s)
    clock.filled = clock.version
    clock.filled_queueing = clock.queueing


@rule
def _fillable(s: State, place: int, most: int, match: int) -> int:
    """Put the classes with a job that fits in what is free into `s.candidates` and return how many there are."""
    count = 0
    empty = s.free_count[s.rules[0].per_node]
    for leaf in s.leaves:
        cls = s.tree[leaf].classes
        while cls >= 0:
            c = s.classes[cls]
            job = c.first_fresh if place == FRESH else c.first_cooling
            if job >= 0 and (c.need <= empty if c.need > 0 else c.gpus <= most):
                if match == ALL or why_not(s, cls) != FUNDED:
                    s.candidates[count] = cls
                    count += 1
            cls = c.next
    return count


@rule
def most_free(s: State) -> int:
    """Return the most free GPUs that a node in service has."""
    for size in range(s.rules[0].per_node, 0, -1):
        if s.free_count[size] > 0:
            return size
    return 0
