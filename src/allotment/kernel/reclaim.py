"""Reclaim: which slices make room for a claim, on real nodes, with least work lost and never for nothing.

Among the node sets that would hold the whole claim the cheapest is taken: lower tier first (unallocated before
interruptible; under a priority licence the lower priority), then least GPU-seconds of work lost, then best fit, then
node number. A victim that turns out not to be needed is put back. Whole nodes for a gang are chosen in gangs.py.
"""

from __future__ import annotations

from allotment.kernel.jit import rule
from allotment.kernel.layout import State
from allotment.kernel.overquota import count_taken, may_preempt, may_reclaim
from allotment.kernel.placement import claimable, gpus_on
from allotment.kernel.queues import HOLDER
from allotment.kernel.rank import TOO_CLOSE, compare_ratios, fork
from allotment.kernel.slices import progress
from allotment.kernel.usage import rate
from allotment.model.codes import Reason, SliceState
from allotment.model.policy import Licence

INTERRUPTIBLE = int(SliceState.INTERRUPTIBLE)
UNALLOCATED = int(SliceState.UNALLOCATED)

LOWER = int(Licence.LOWER)
NOBODY = int(Licence.NOBODY)
BY_INTERRUPTIBLE = int(Licence.INTERRUPTIBLE)
RECLAIM = int(Licence.RECLAIM)  # under quotas: what other leaves hold
WITHIN_LEAF = RECLAIM + 1  # under quotas: what the own leaf holds
UNALLOCATED_FIRST = int(Reason.UNALLOCATED_FIRST)
BALANCE = int(Reason.BALANCE)
SHORT_CLAIM = int(Reason.SHORT_CLAIM)
HOLD_DUE = int(Reason.HOLD_DUE)
PRIORITY = int(Reason.PRIORITY)
OVER_FAIR_SHARE = int(Reason.OVER_FAIR_SHARE)
OVER_QUOTA = int(Reason.OVER_QUOTA)
NEVER = 1 << 62


@rule
def outranks(
    claimant_used: int, claim: int, entitled: int, victim_used: int, victim_entitled: int, part: int, whole: int
) -> bool:
    """Tell whether (used + claim) / entitled + part/whole < victim's ratio; exact.

    >>> outranks(10, 10, 100, 30, 100, 1, 20), outranks(10, 10, 100, 25, 100, 1, 20)
    (True, False)
    """
    if entitled == 0:
        return False
    return (
        compare_ratios(
            whole * (claimant_used + claim) + part * entitled, whole * entitled, victim_used, victim_entitled
        )
        < 0
    )


@rule
def allow_leaves(s: State, job: int) -> int:
    """Mark in `s.allowed` the leaves whose interruptible slices job may reclaim by balance; return them as bits.

    The ratios are compared at the children of the first common ancestor. With more than 62 leaves the bits are -1,
    which stands for "do not remember".
    """
    rate(s)
    j, rules = s.jobs[job], s.rules[0]
    claim = j.gpus * j.min_runtime if j.place != HOLDER else 0  # a holder's claim is committed already
    short = j.min_runtime <= rules.short
    bits = 0
    for at in range(len(s.leaves)):
        leaf = s.leaves[at]
        v = s.tree[leaf]
        yes = False
        if v.interruptible_long >= 0 or v.interruptible_short >= 0:
            if leaf == j.leaf:
                yes = rules.within_leaf != 0
            elif short:
                yes = True
            else:
                a, b = fork(s, j.leaf, leaf)
                x, y = s.tree[a], s.tree[b]
                if x.entitled > 0:  # who is owed nothing outranks nobody
                    after = (x.used + x.committed + claim) / x.entitled
                    ahead = y.ratio - rules.margin_part / rules.margin_whole - after
                    near = TOO_CLOSE * (1.0 + after)
                    if -near < ahead < near:
                        ours, theirs = x.used + x.committed, y.used + y.committed
                        yes = outranks(
                            ours, claim, x.entitled, theirs, y.entitled, rules.margin_part, rules.margin_whole
                        )
                    else:
                        yes = ahead > 0
        s.allowed[leaf] = 1 if yes else 0
        if yes:
            bits += 1 << min(at, 62)
    return bits if len(s.leaves) <= 62 else -1


@rule
def tier_of(s: State, row: int, job: int, licence: int, hold_due: bool) -> int:
    """Return how dear a victim is (0 first), or -1 where the claimant may not displace it.

    Nobody displaces what began in this very second, as no slice has zero seconds; it can be had in the next pass.
    """
    r, j = s.slices[row], s.jobs[job]
    if licence == NOBODY:
        return -1
    if r.start == s.clock[0].now:
        s.clock[0].too_young = 1
        return -1
    if r.state == UNALLOCATED:
        return 0
    if r.state != INTERRUPTIBLE:
        return -1
    if licence == LOWER:
        victim = s.jobs[r.job]
        return int(victim.priority) if hold_due or victim.priority < j.priority else -1
    if licence == RECLAIM:
        return 0 if may_reclaim(s, row, job) else -1
    if licence == WITHIN_LEAF:
        return int(s.jobs[r.job].priority) if may_preempt(s, row, job) else -1
    if hold_due:
        return 1
    if s.allowed[r.leaf] == 0:
        return -1
    if r.leaf == j.leaf and s.jobs[r.job].priority >= j.priority:
        return -1
    return 1


@rule
def rule_of(s: State, row: int, job: int, licence: int, hold_due: bool) -> int:
    """Return the reason code by which a victim is displaced."""
    r, j = s.slices[row], s.jobs[job]
    if r.state == UNALLOCATED:
        return UNALLOCATED_FIRST
    if hold_due and tier_of(s, row, job, licence, False) < 0:
        return HOLD_DUE
    if licence == LOWER or r.leaf == j.leaf:
        return PRIORITY
    if licence == RECLAIM:
        return OVER_QUOTA if s.tree[s.tree[r.leaf].facing].for_quota != 0 else OVER_FAIR_SHARE
    if j.min_runtime <= s.rules[0].short:
        return SHORT_CLAIM
    return BALANCE


@rule
def lost_if_stopped(s: State, row: int) -> int:
    """Return the GPU-seconds of work that stopping a slice now would lose, over all its nodes."""
    r, now = s.slices[row], s.clock[0].now
    if r.priced_at != now:  # many claims of one pass look at it
        _kept, lost = progress(s, row, now)
        r.priced_at = now
        r.price = lost * r.gpus
    return int(r.price)


@rule
def choose_on_node(s: State, job: int, node: int, licence: int, hold_due: bool) -> tuple[int, int, int]:
    """Choose victims on one node for a claim of up to a node; return (tier, lost, how many), -1 first if it cannot be.

    The victims are in `s.victims` from row 0 on.
    """
    take = s.jobs[job].gpus
    n = s.nodes[node]
    room = n.free
    count = 0
    worst, lost = 0, 0
    while room < take:
        best, best_tier, best_lost = -1, NEVER, NEVER
        for place in range(n.count):
            row = s.on_node[node, place]
            if s.slices[row].chosen != 0:
                continue
            tier = tier_of(s, row, job, licence, hold_due)
            if tier < 0 or tier > best_tier:
                continue
            cost = lost_if_stopped(s, row)
            if tier < best_tier or cost < best_lost or (cost == best_lost and row < best):
                best, best_tier, best_lost = row, tier, cost
        if best < 0:
            break
        s.slices[best].chosen = 1
        if licence == RECLAIM:
            count_taken(s, best, 1)
        s.victims[count] = best
        count += 1
        room += gpus_on(s, best)
    kept = 0
    if room >= take:
        for at in range(count - 1, -1, -1):  # the dearest first: put back what is not needed
            gpus = gpus_on(s, s.victims[at])
            if room - gpus >= take:
                room -= gpus
                _spare(s, s.victims[at], licence)
                s.victims[at] = -1
        for at in range(count):
            row = s.victims[at]
            if row >= 0:
                worst = max(worst, tier_of(s, row, job, licence, hold_due))
                lost += lost_if_stopped(s, row)
                _spare(s, row, licence)
                s.victims[kept] = row
                kept += 1
        return worst, lost, kept
    for at in range(count):
        _spare(s, s.victims[at], licence)
    return -1, 0, 0


@rule
def _spare(s: State, row: int, licence: int) -> None:
    """A slice is not chosen any longer."""
    s.slices[row].chosen = 0
    if licence == RECLAIM:
        count_taken(s, row, -1)


@rule
def reclaim_on_node(s: State, job: int, licence: int, contract_end: int) -> int:
    """Choose the cheapest single node for a claim; return the number of victims (in `s.victims`), or -1."""
    take = s.jobs[job].gpus
    best, best_tier, best_lost, best_left = -1, NEVER, NEVER, NEVER
    nodes = len(s.nodes)
    for at in range(2 * nodes):  # first the nodes where unallocated slices are enough
        if at == nodes and best_tier == 0:
            break
        node = at if at < nodes else at - nodes
        n = s.nodes[node]
        enough = n.free + n.unallocated >= take
        if enough != (at < nodes) or n.free + n.unallocated + n.interruptible < take:
            continue
        if not claimable(s, node, contract_end):
            continue
        tier, lost, count = choose_on_node(s, job, node, licence, False)
        if tier < 0:
            continue
        left = n.free - take
        for at in range(count):
            left += gpus_on(s, s.victims[at])
        if tier < best_tier or (tier == best_tier and (lost < best_lost or (lost == best_lost and left < best_left))):
            best, best_tier, best_lost, best_left = node, tier, lost, left
    if best < 0:
        return -1
    tier, lost, count = choose_on_node(s, job, best, licence, False)
    s.picked[0] = best
    return count
