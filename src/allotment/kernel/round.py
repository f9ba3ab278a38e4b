"""A pass of the scheduler: settle, start by partition, hold, and explain what stays idle.

What a partition matches, how it ranks, whom it may displace and what happens behind a candidate that cannot start are
all read from the policy; no policy is known by name.
"""

from __future__ import annotations

from allotment.kernel.easy import reserve, unreserve
from allotment.kernel.funding import (
    FUNDED,
    HEADROOM,
    SAVING,
    TOO_LARGE,
    above_entitlement,
    count_lenders,
    has_room,
    lacking_level,
    measure_room,
    recount_lender,
    tightest_level,
    within_slots,
)
from allotment.kernel.holding import clear_held_nodes, end_hold, hold_nodes
from allotment.kernel.idle import explain
from allotment.kernel.jit import large_rule, rule
from allotment.kernel.layout import State
from allotment.kernel.placement import find_free, in_service
from allotment.kernel.queue import first_within, precedes
from allotment.kernel.rank import fork, ranks_before
from allotment.kernel.reclaim import NEVER, allow_leaves, reclaim_nodes, reclaim_on_node, rule_of
from allotment.kernel.slices import (
    COOLING,
    ENDED_PREEMPTED,
    FRESH,
    INTERRUPTIBLE,
    PROTECTED,
    UNALLOCATED,
    demote,
    head,
    log_decision,
    promote,
    put,
    start,
    stop,
)
from allotment.kernel.timers import WARM, push
from allotment.kernel.usage import commit, refresh, refresh_use
from allotment.model.codes import DecisionCode, Reason
from allotment.model.policy import Backfill, Licence, Match

START = int(DecisionCode.START)
START_UNALLOCATED = int(DecisionCode.START_UNALLOCATED)
REFUSE = int(DecisionCode.REFUSE)
PROMOTE = int(DecisionCode.PROMOTE)
DEMOTE = int(DecisionCode.DEMOTE)
PREEMPT = int(DecisionCode.PREEMPT)
NO_REASON = int(Reason.NONE)
NO_ROOM = int(Reason.NO_ROOM)
SLOT_LIMIT = int(Reason.SLOT_LIMIT)
RESERVED = int(Reason.RESERVED)
HOLDING = int(Reason.HOLDING)
ALL = int(Match.ALL)
MATCH_FUNDED = int(Match.FUNDED)
MATCH_UNFUNDED = int(Match.UNFUNDED)
STRICT = int(Backfill.STRICT)
EASY = int(Backfill.EASY)
ANY = int(Backfill.ANY)
UNALLOCATED_ONLY = int(Backfill.UNALLOCATED_ONLY)
NOBODY = int(Licence.NOBODY)
LOWER = int(Licence.LOWER)


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
    if rules.contracts != 0:
        count_lenders(s)
        _note_saving(s)
        _settle(s)
    unreserve(s)
    clock.stopped = 0
    for partition in range(rules.partitions):
        if clock.stopped != 0:
            break
        match = s.partitions[partition].match
        if rules.contracts != 0 and match == MATCH_FUNDED:
            _start_holders(s, partition)
            _start_funded(s, partition)
        elif rules.contracts != 0:
            _fill(s, partition, match)
        else:
            _start_ranked(s, partition)
    if clock.version != clock.explained or clock.queueing != clock.explained_queueing or clock.changed != 0:
        explain(s, rules.contracts == 0 or rules.fill != 0, clock.stopped != 0)
        clock.explained = clock.version
        clock.explained_queueing = clock.queueing
    clock.changed = 0
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


# --- settle ---------------------------------------------------------------------------------------------------------


@rule
def _note_saving(s: State) -> None:
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


@rule
def _settle(s: State) -> None:
    """Turn what has no headroom any more unallocated, then promote what is funded, in the order of the funded partition."""
    for leaf in s.leaves:
        v = s.tree[leaf]
        if v.interruptible_long >= 0 and (v.saving != 0 or not has_room(s, leaf, False)):
            _demote_all(s, v.interruptible_long, leaf)
        if v.interruptible_short >= 0 and not has_room(s, leaf, True):
            _demote_all(s, v.interruptible_short, leaf)
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
                if c.running >= 0 and _why_not(s, cls) == FUNDED and within_slots(s, leaf, c.gpus, True) < 0:
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


@rule
def _why_not(s: State, cls: int) -> int:
    """Return why the claim of a class is not funded, or FUNDED."""
    c = s.classes[cls]
    if c.min_runtime == 0:
        return HEADROOM
    short = c.min_runtime <= s.rules[0].short
    v = s.tree[c.leaf]
    if v.saving != 0 and not short and (c.gpus != v.saving_take or c.min_runtime != v.saving_runtime):
        return SAVING
    if lacking_level(s, c.leaf, c.gpus * c.min_runtime, short) >= 0:
        return HEADROOM
    return FUNDED


# --- funded work ----------------------------------------------------------------------------------------------------


@rule
def _start_funded(s: State, partition: int) -> None:
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
            waits = may_hold and (s.jobs[job].need > 0 or clock.now - s.jobs[job].funded_at >= rules.cap)
            if not waits and rules.backfill == ANY and not _may_fit(s, job, licence):
                if s.jobs[job].funded_at < 0:
                    s.jobs[job].funded_at = clock.now
                _refuse(s, job, NO_ROOM)
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
        if j.funded_at < 0:
            j.funded_at = clock.now
        _refuse(s, best, NO_ROOM)
        if clock.holds < rules.holders and (j.need > 0 or clock.now - j.funded_at >= rules.cap):
            if hold_nodes(s, best):
                recount_lender(s, j.leaf)
                count = _still_funded(s, j.leaf, count)
        if rules.backfill == STRICT:
            clock.stopped = 1
            return
        if rules.backfill == UNALLOCATED_ONLY:
            return


@rule
def _may_fit(s: State, job: int, licence: int) -> bool:
    """Tell quickly whether it is worth looking for room: free GPUs, or something to reclaim that was not tried in vain."""
    j = s.jobs[job]
    if _has_free(s, j.gpus, j.need):
        return True
    if licence == NOBODY or not _could_reclaim(s, job):
        return False
    c = s.classes[j.cls]
    return bool(c.tried != s.clock[0].loosened or c.mask != allow_leaves(s, job) or s.rules[0].within_leaf != 0)


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
                why = _why_not(s, cls)
                if why == FUNDED:
                    v.unfunded = 0
                    if within_slots(s, leaf, c.gpus, True) >= 0:
                        why = SLOT_LIMIT
                if why == FUNDED:
                    s.candidates[count] = cls
                    count += 1
                else:
                    _refuse(s, job, why)
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
            why = _why_not(s, s.candidates[at])
            if why == FUNDED and within_slots(s, c.leaf, c.gpus, True) >= 0:
                why = SLOT_LIMIT
            if why != FUNDED:
                keep = False
                _refuse(s, head(s, s.candidates[at]), why)
            elif s.rules[0].heads_only != 0 and c.leaf == leaf:
                keep = head(s, s.candidates[at]) == _first_of_leaf(s, leaf)
        if keep:
            at += 1
        else:
            count -= 1
            s.candidates[at] = s.candidates[count]
    return count


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


@large_rule
def _refuse(s: State, job: int, reason: int) -> None:
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
    elif reason == SAVING:
        level = j.leaf
    elif reason == SLOT_LIMIT:
        level = within_slots(s, j.leaf, j.gpus, True)
    if j.reason == reason and j.level == level:
        return
    j.reason = reason
    j.level = level
    log_decision(s, REFUSE, reason, level, job, -1, -1, claim, 0)


@rule
def _place_claim(s: State, job: int, licence: int) -> bool:
    """Start a funded claim if it has room, or if room can be reclaimed for all of it."""
    j, clock, rules = s.jobs[job], s.clock[0], s.rules[0]
    contract_end = clock.now + j.min_runtime
    victims = 0
    if not find_free(s, j.gpus, j.need, contract_end, False):
        if licence == NOBODY or not _could_reclaim(s, job):
            return False
        bits = allow_leaves(s, job)
        c = s.classes[j.cls]
        if bits >= 0 and c.tried == clock.loosened and c.mask == bits and rules.within_leaf == 0:
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
def _could_reclaim(s: State, job: int) -> bool:
    """Tell, from the counts of nodes alone, whether room for the job could be made at all."""
    j, per_node = s.jobs[job], s.rules[0].per_node
    if j.need > 0:
        return bool(s.loose_count[per_node] >= j.need)
    for size in range(j.gpus, per_node + 1):
        if s.loose_count[size] > 0:
            return True
    return False


@rule
def _start_claim(s: State, job: int, victims: int, licence: int, hold_due: bool, reason: int) -> None:
    """Displace the chosen victims and start the job protected on the picked nodes; `reason` tells a holder's start."""
    j, rules = s.jobs[job], s.rules[0]
    claim = j.gpus * j.min_runtime
    _displace(s, job, victims, licence, hold_due)
    level = tightest_level(s, j.leaf, j.min_runtime <= rules.short)
    decision = log_decision(s, START, reason, level, job, -1, -1, claim, 0)
    s.decisions[decision].slice = start(s, job, PROTECTED)
    commit(s, j.leaf, claim)
    recount_lender(s, j.leaf)


@rule
def _displace(s: State, job: int, victims: int, licence: int, hold_due: bool) -> None:
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


@rule
def _start_holders(s: State, partition: int) -> None:
    """A holder starts as soon as its nodes can be cleared, or wherever else its claim fits."""
    licence = s.partitions[partition].licence
    for hold in range(len(s.holds)):
        job = s.holds[hold].job
        if job < 0:
            continue
        j = s.jobs[job]
        if within_slots(s, j.leaf, j.gpus, True) >= 0:
            continue
        due = s.clock[0].now >= s.holds[hold].since + s.rules[0].cap
        bits = allow_leaves(s, job)
        h = s.holds[hold]
        if not due and bits >= 0 and h.tried == s.clock[0].loosened and h.mask == bits:
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
    if licence == NOBODY or not _could_reclaim(s, job):
        return -1
    if j.need > 0:
        return reclaim_nodes(s, job, licence, contract_end)
    return reclaim_on_node(s, job, licence, contract_end)


# --- unallocated fill -----------------------------------------------------------------------------------------------


@rule
def _fill(s: State, partition: int, match: int) -> None:
    """Give what is free to waiting jobs, unallocated: first those not displaced lately, then any."""
    clock = s.clock[0]
    if clock.version == clock.filled and clock.queueing == clock.filled_queueing and clock.changed == 0:
        return  # nothing fitted in the last pass, and nothing has changed since
    most = _most_free(s)
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
            s.decisions[decision].slice = start(s, best, UNALLOCATED)
            recount_lender(s, j.leaf)
            most = _most_free(s)
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
                if match == ALL or _why_not(s, cls) != FUNDED:
                    s.candidates[count] = cls
                    count += 1
            cls = c.next
    return count


@rule
def _most_free(s: State) -> int:
    for size in range(s.rules[0].per_node, 0, -1):
        if s.free_count[size] > 0:
            return size
    return 0


@rule
def _has_free(s: State, take: int, need: int) -> bool:
    per_node = s.rules[0].per_node
    if need > 0:
        return bool(s.free_count[per_node] >= need)
    for size in range(take, per_node + 1):
        if s.free_count[size] > 0:
            return True
    return False


# --- policies without contracts -------------------------------------------------------------------------------------


@large_rule
def _start_ranked(s: State, partition: int) -> None:
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
            _refuse(s, best, SLOT_LIMIT)
            continue
        if _start_plain(s, best, licence):
            continue
        s.classes[j.cls].blocked = clock.passes
        _refuse(s, best, NO_ROOM if clock.reserved == 0 else RESERVED)
        if rules.backfill == STRICT:
            clock.stopped = 1
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
    if not _has_free(s, c.gpus, c.need):
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
        if licence == NOBODY or not _could_reclaim(s, job):
            return False
        if j.need > 0:
            victims = reclaim_nodes(s, job, licence, -1)
        else:
            victims = reclaim_on_node(s, job, licence, -1)
        if victims < 0:
            return False
    _displace(s, job, victims, licence, False)
    decision = log_decision(s, START, NO_REASON, j.leaf, job, -1, -1, 0, 0)
    preemptible = licence == LOWER and j.preemptible != 0
    s.decisions[decision].slice = start(s, job, INTERRUPTIBLE if preemptible else PROTECTED)
    return True
