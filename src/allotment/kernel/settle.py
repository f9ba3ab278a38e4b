"""Settling: a leaf saves up, what has no headroom turns unallocated, what is funded is promoted where it stands."""

from __future__ import annotations

from allotment.kernel.funding import (
    FUNDED,
    HEADROOM,
    SAVING,
    above_entitlement,
    has_room,
    recount_lender,
    tightest_level,
    why_not,
    within_slots,
)
from allotment.kernel.jit import large_rule, rule
from allotment.kernel.layout import State
from allotment.kernel.ledger import log_decision
from allotment.kernel.queues import head
from allotment.kernel.rank import ranks_before
from allotment.kernel.reclaim import NEVER
from allotment.kernel.slices import demote, promote
from allotment.kernel.usage import commit
from allotment.model.codes import DecisionCode, Reason
from allotment.model.policy import Match

DEMOTE = int(DecisionCode.DEMOTE)
MATCH_FUNDED = int(Match.FUNDED)
NO_REASON = int(Reason.NONE)
PROMOTE = int(DecisionCode.PROMOTE)


@rule
def note_saving(s: State) -> None:
    """A leaf whose oldest fundable claim has waited long enough saves for it: nothing else but short claims is funded.

    `save_from` is when the first of the claims that wait now will have waited that long, so that a leaf is looked at
    again only then, or when its queues or its entitlement have changed.
    """
    rules, clock = s.rules[0], s.clock[0]
    if rules.save_after < 0:
        return
    for leaf in s.leaves:
        v = s.tree[leaf]
        if v.stirred == 0 and (v.saving != 0 or clock.now < v.save_from):
            continue
        v.saving = 0
        v.save_from = NEVER
        oldest, since = -1, NEVER
        cls = v.classes
        while cls >= 0:
            c = s.classes[cls]
            if c.min_runtime > rules.short:
                job = head(s, cls)
                if job >= 0 and (s.jobs[job].queued_at < since or (s.jobs[job].queued_at == since and job < oldest)):
                    if above_entitlement(s, leaf, c.gpus * c.min_runtime, False) < 0:
                        oldest, since = job, s.jobs[job].queued_at
            cls = c.next
        if oldest >= 0:
            v.save_from = since + rules.save_after
            if clock.now >= v.save_from:
                v.saving = 1
                v.saving_take = s.jobs[oldest].gpus
                v.saving_runtime = s.jobs[oldest].min_runtime
                v.saving_job = oldest


@rule
def settle(s: State) -> None:
    """Turn what has no headroom any more unallocated, then promote what is funded, in the order of the funded partition."""
    for leaf in s.leaves:
        v = s.tree[leaf]
        if v.interruptible_long >= 0 and (v.saving != 0 or not has_room(s, leaf, False)):
            _demote_all(s, v.interruptible_long, leaf)
        if v.interruptible_short >= 0 and not has_room(s, leaf, True):
            _demote_all(s, v.interruptible_short, leaf)
    for leaf in s.leaves:  # who lends is found anew only now, so that the order of the leaves does not matter
        recount_lender(s, leaf)
    partition = _funded_partition(s)
    while partition >= 0:
        best = -1
        for leaf in s.leaves:
            if s.tree[leaf].promotable == 0 or s.tree[s.tree[leaf].budget].headroom <= 0:
                continue
            cls = s.tree[leaf].classes
            while cls >= 0:
                c = s.classes[cls]
                if c.running >= 0 and why_not(s, cls) == FUNDED and within_slots(s, leaf, c.gpus, True) < 0:
                    job = c.first_running
                    if best < 0 or ranks_before(s, partition, job, best):
                        best = job
                cls = c.next
        if best < 0:
            return
        j = s.jobs[best]
        claim = j.gpus * j.min_runtime
        level = tightest_level(s, j.leaf, j.min_runtime <= s.rules[0].short)
        log_decision(s, PROMOTE, NO_REASON, level, best, j.slice, -1, claim, 0)
        promote(s, j.slice)
        commit(s, j.leaf, claim)
        recount_lender(s, j.leaf)


@large_rule
def _demote_all(s: State, row: int, leaf: int) -> None:
    short = s.jobs[s.slices[row].job].min_runtime <= s.rules[0].short
    level = tightest_level(s, leaf, short)
    reason = SAVING if s.tree[leaf].saving != 0 and not short else HEADROOM
    while row >= 0:
        following = s.slices[row].next
        log_decision(s, DEMOTE, reason, level, s.slices[row].job, row, -1, 0, 0)
        demote(s, row)
        row = following


@rule
def _funded_partition(s: State) -> int:
    for partition in range(s.rules[0].partitions):
        if s.partitions[partition].match == MATCH_FUNDED:
            return partition
    return -1
