"""What a candidate comes to: refused, with the reason, or started on what others had to give up."""

from __future__ import annotations

from allotment.kernel.funding import (
    HEADROOM,
    SAVING,
    TOO_LARGE,
    above_entitlement,
    lacking_level,
    recount_lender,
    within_slots,
)
from allotment.kernel.jit import large_rule, rule
from allotment.kernel.layout import State
from allotment.kernel.ledger import log_decision
from allotment.kernel.overquota import beyond_quota
from allotment.kernel.rank import fork
from allotment.kernel.reclaim import rule_of
from allotment.kernel.slices import stop
from allotment.model.codes import DecisionCode, EndCode, Reason

BEYOND_FAIR_SHARE = int(Reason.BEYOND_FAIR_SHARE)
BEYOND_QUOTA = int(Reason.BEYOND_QUOTA)
ENDED_PREEMPTED = int(EndCode.PREEMPTED)
PREEMPT = int(DecisionCode.PREEMPT)
REFUSE = int(DecisionCode.REFUSE)
SLOT_LIMIT = int(Reason.SLOT_LIMIT)


@large_rule
def refuse(s: State, job: int, reason: int) -> None:
    """Log why a candidate does not start, once per reason and level; with the numbers of the level that decided."""
    j = s.jobs[job]
    level = -1
    claim = j.gpus * j.min_runtime
    if reason == HEADROOM:
        short = j.min_runtime <= s.rules[0].short
        level = above_entitlement(s, j.leaf, claim, short)
        if level >= 0:
            reason = TOO_LARGE
        else:
            level = lacking_level(s, j.leaf, claim, short)
    elif reason in (SAVING, BEYOND_FAIR_SHARE):
        level = j.leaf
    elif reason == SLOT_LIMIT:
        level = within_slots(s, j.leaf, j.gpus, True)
    elif reason == BEYOND_QUOTA:
        level = beyond_quota(s, j.leaf, j.gpus)
    if j.reason == reason and j.level == level:
        return
    j.reason = reason
    j.level = level
    log_decision(s, REFUSE, reason, level, job, -1, -1, claim, 0)


@rule
def displace(s: State, job: int, victims: int, licence: int, hold_due: bool) -> None:
    """Stop the chosen victims for a job, and log of each by which rule and with which numbers."""
    j = s.jobs[job]
    claim = j.gpus * j.min_runtime
    for at in range(victims):
        row = s.victims[at]
        other = s.slices[row].job
        leaf = s.jobs[other].leaf
        reason = rule_of(s, row, job, licence, hold_due)
        level, theirs = j.leaf, leaf
        if leaf != j.leaf:
            level, theirs = fork(s, j.leaf, leaf)
        d = log_decision(s, PREEMPT, reason, level, other, row, job, claim, 0)
        v = s.tree[theirs]
        s.decisions[d].other_used = v.used + v.committed
        s.decisions[d].other_entitled = v.entitled
        s.decisions[d].lost = stop(s, row, ENDED_PREEMPTED, job)
        recount_lender(s, leaf)
