"""A pass of the scheduler: settle, start by partition, hold, and explain what stays idle.

What a partition matches, how it ranks, whom it may displace and what happens behind a candidate that cannot start are
all read from the policy; no policy is known by name.
"""

from __future__ import annotations

from allotment.kernel.claims import start_funded, start_holders
from allotment.kernel.easy import unreserve
from allotment.kernel.fill import fill
from allotment.kernel.funding import count_lenders
from allotment.kernel.idle import STOPPED, depends_on_funding, explain
from allotment.kernel.jit import rule
from allotment.kernel.layout import State
from allotment.kernel.levels import rank_leaves
from allotment.kernel.queues import COOLING, FRESH, put
from allotment.kernel.quotas import start_by_quota
from allotment.kernel.ranked import start_ranked
from allotment.kernel.settle import note_saving, settle
from allotment.kernel.timers import WARM, push
from allotment.kernel.usage import refresh, refresh_use
from allotment.kernel.waits import note_waits
from allotment.model.policy import Match

MATCH_FUNDED = int(Match.FUNDED)


@rule
def run_pass(s: State) -> None:
    """Decide everything that is to be decided now."""
    clock, rules = s.clock[0], s.rules[0]
    clock.passes += 1
    clock.events += 1
    clock.dirty = 0
    clock.last_pass = clock.now
    clock.next_pass = -1
    refresh(s)
    if rules.by_use != 0:
        refresh_use(s)
    if rules.by_level != 0:
        rank_leaves(s)
    if rules.contracts != 0:
        count_lenders(s)
        note_saving(s)
        settle(s)
    unreserve(s)
    clock.stopped = 0
    for partition in range(rules.partitions):
        if clock.stopped == STOPPED:
            break
        match = s.partitions[partition].match
        if rules.contracts != 0 and match == MATCH_FUNDED:
            start_holders(s, partition)
            start_funded(s, partition)
        elif rules.contracts != 0:
            fill(s, partition, match)
        elif rules.quotas != 0:
            start_by_quota(s, partition)
        else:
            start_ranked(s, partition)
    moved = clock.version != clock.explained or clock.queueing != clock.explained_queueing or clock.changed != 0
    if moved or depends_on_funding(s):
        explain(s)
        clock.explained = clock.version
        clock.explained_queueing = clock.queueing
    if clock.asked > 0:
        note_waits(s)
    clock.changed = 0
    if clock.too_young != 0:
        clock.loosened += 1
        clock.too_young = 0
    _requeue_displaced(s)


@rule
def _requeue_displaced(s: State) -> None:
    """What was displaced in this pass waits again; for a while the fill prefers others."""
    clock, cooldown = s.clock[0], s.rules[0].cooldown
    for at in range(clock.displaced):
        job = s.displaced[at]
        s.classes[s.jobs[job].cls].displaced -= 1
        if cooldown > 0 and s.rules[0].contracts != 0:
            put(s, job, COOLING)
            push(s, clock.now + cooldown, WARM, job)
        else:
            put(s, job, FRESH)
    if clock.displaced > 0:
        clock.dirty = 1
        clock.changed = 1
    clock.displaced = 0
