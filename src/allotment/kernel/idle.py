"""Why a GPU idles: the GPUs of each cause now, their integral per hour, and the explanation made after each pass.

The explanation looks at nodes and queues anew and shares no code with the placement, so that a fault of the scheduler
shows up as `unexplained`.
"""

from __future__ import annotations

from typing import Any

from allotment.kernel.funding import FUNDED, why_not
from allotment.kernel.jit import large_rule, rule
from allotment.kernel.layout import State
from allotment.kernel.placement import in_service
from allotment.model.codes import IdleCause
from allotment.model.policy import Match

NO_DEMAND = int(IdleCause.NO_DEMAND)
FRAGMENT = int(IdleCause.FRAGMENT)
HELD = int(IdleCause.HELD)
SLOT_LIMIT = int(IdleCause.SLOT_LIMIT)
DRAINING = int(IdleCause.DRAINING)
CYCLE = int(IdleCause.CYCLE)
UNFUNDED = int(IdleCause.UNFUNDED)
UNEXPLAINED = int(IdleCause.UNEXPLAINED)
MATCH_ALL = int(Match.ALL)
STOPPED = 1  # behind what found no room nothing starts in this pass


@rule
def accrue(s: State, until: int) -> None:
    """Add the idle GPU-seconds since the last change, hour by hour."""
    clock = s.clock[0]
    time = clock.idle_at
    while time < until:
        hour = time // 3_600
        end = min((hour + 1) * 3_600, until)
        for cause in range(len(s.idling)):
            s.idle[hour, cause] += s.idling[cause] * (end - time)
        time = end
    clock.idle_at = until


@large_rule
def forget_node(s: State, node: int) -> None:
    """Take a node's idle GPUs out of the counts, before it changes its service."""
    n = s.nodes[node]
    if n.down != 0:
        return
    if n.draining != 0:
        s.idling[DRAINING] -= n.free
        return
    s.idling[n.cause] -= n.counted
    s.idling[CYCLE] -= n.free - n.counted
    n.counted = 0


@large_rule
def remember_node(s: State, node: int) -> None:
    """Count a node's idle GPUs again after it has changed its service."""
    n = s.nodes[node]
    n.counted = 0
    if n.down == 0:
        s.idling[DRAINING if n.draining != 0 else CYCLE] += n.free


@rule
def explain(s: State) -> None:
    """Give every idle GPU its cause, after a pass."""
    nodes, clock, per_node, contracts = s.nodes, s.clock[0], s.rules[0].per_node, s.rules[0].contracts
    for cause in range(len(s.idling)):
        s.idling[cause] = 0
    if s.free_count[0] == len(nodes):  # all in service, none with a free GPU
        for node in range(len(nodes)):
            nodes[node].counted = 0
        return
    by_funding = depends_on_funding(s)
    wanted = _wanted(s)
    asked = _asked_by_funding(s, by_funding)
    displaced = _wanted_by_displaced(s)
    empty, open_empty = 0, 0
    for node in range(len(nodes)):
        if nodes[node].free == per_node and in_service(s, node):
            empty += 1
            open_empty += 1 if s.reserved[node] == 0 else 0
    for node in range(len(nodes)):
        n = nodes[node]
        n.counted = 0
        if n.down != 0 or n.free == 0:
            continue
        cause = DRAINING
        if n.draining == 0:
            spare = empty if n.free == per_node else 0
            open_spare = open_empty if n.free == per_node else 0
            if clock.waiting == 0:
                cause = NO_DEMAND
            elif by_funding:
                cause = _cause_by_funding(n.free, spare, asked)
            elif _fits(n.free, spare, wanted[0], wanted[1]):
                open_node = clock.reserved == 0 or s.reserved[node] == 0
                may = _fits(n.free, spare, wanted[2], wanted[3]) or (
                    open_node and _fits(n.free, open_spare, wanted[0], wanted[1])
                )
                cause = HELD if clock.stopped == STOPPED or not may else UNEXPLAINED
                if cause == UNEXPLAINED and contracts == 0 and clock.dirty != 0:
                    cause = CYCLE  # it came free by a displacement in this pass, after the job had been looked at
            elif _fits(n.free, spare, wanted[4], wanted[5]):
                cause = SLOT_LIMIT
            elif _fits(n.free, spare, wanted[6], wanted[7]):
                cause = UNFUNDED
            else:
                cause = FRAGMENT
            kept = cause in (SLOT_LIMIT, FRAGMENT) or (cause == UNFUNDED and not by_funding)
            if kept and _fits(n.free, spare, displaced[0], displaced[1]):
                cause = CYCLE
            if cause == FRAGMENT and n.hold >= 0:
                cause = HELD
            n.cause = cause
            n.counted = n.free
        s.idling[cause] += n.free


@rule
def _cause_by_funding(free: int, spare: int, asked: tuple[int, ...]) -> int:
    if _fits(free, spare, asked[0], asked[1]):
        return UNEXPLAINED
    if _fits(free, spare, asked[2], asked[3]):
        return HELD
    if _fits(free, spare, asked[4], asked[5]):
        return UNFUNDED
    if _fits(free, spare, asked[6], asked[7]):
        return CYCLE
    if _fits(free, spare, asked[8], asked[9]):
        return SLOT_LIMIT
    return FRAGMENT


@rule
def depends_on_funding(s: State) -> bool:
    """Tell whether it depends on the funding of a claim which partition may start it: none matches all work."""
    if s.rules[0].contracts == 0:
        return False
    for partition in range(s.rules[0].partitions):
        if s.partitions[partition].match == MATCH_ALL:
            return False
    return True


@rule
def _fits(free: int, empty: int, least: int, need: int) -> bool:
    return least <= free or need <= empty


@rule
def _wanted(s: State) -> tuple[int, int, int, int, int, int, int, int]:
    """Return the least GPUs and the fewest nodes that waiting work asks for, four times.

    Of all work; of what may use reserved nodes; of what its slot limit keeps back, which is left out of the others; and of
    what may only run within a quota and does not fit in it, which is too.
    """
    none = 1 << 62
    least, need, short_least, short_need, limited_least, limited_need = none, none, none, none, none, none
    beyond_least, beyond_need = none, none
    clock = s.clock[0]
    for leaf in s.leaves:
        cls = s.tree[leaf].classes
        while cls >= 0:
            c = s.classes[cls]
            cls = c.next
            if c.fresh < 0 and c.cooling < 0:
                continue
            gpus = c.gpus if c.need == 0 else none
            nodes = c.need if c.need > 0 else none
            if _over_limit(s, leaf, c.gpus, s.rules[0].contracts == 0):
                limited_least = min(limited_least, gpus)
                limited_need = min(limited_need, nodes)
                continue
            if _over_quota(s, leaf, c):
                beyond_least = min(beyond_least, gpus)
                beyond_need = min(beyond_need, nodes)
                continue
            least = min(least, gpus)
            need = min(need, nodes)
            if clock.reserved == 0 or _lowest_plan(s, c) <= clock.reserved_until - clock.now:
                short_least = min(short_least, gpus)
                short_need = min(short_need, nodes)
    return least, need, short_least, short_need, limited_least, limited_need, beyond_least, beyond_need


@rule
def _asked_by_funding(s: State, by_funding: bool) -> tuple[int, int, int, int, int, int, int, int, int, int]:
    """Return the least GPUs and the fewest nodes that are asked for, five times, where it depends on the funding.

    In vain, as the policy allows it; by what stands behind a better rank; by what is not funded, where nothing else is
    started; by what was not looked at in this pass, as its loan or its slots came about in it; by what its slots keep back.
    """
    none = 1 << 62
    vain, held, unfunded, later, limited = none, none, none, none, none
    vain_need, held_need, unfunded_need, later_need, limited_need = none, none, none, none, none
    rules, clock = s.rules[0], s.clock[0]
    for leaf in s.leaves:
        cls = s.tree[leaf].classes if by_funding else -1
        while cls >= 0:
            c = s.classes[cls]
            if c.fresh >= 0 or c.cooling >= 0:
                gpus = c.gpus if c.need == 0 else none
                nodes = c.need if c.need > 0 else none
                funded = why_not(s, cls) == FUNDED
                if not funded and rules.fill == 0:
                    unfunded = min(unfunded, gpus)
                    unfunded_need = min(unfunded_need, nodes)
                elif _over_limit(s, leaf, c.gpus, funded):
                    limited = min(limited, gpus)
                    limited_need = min(limited_need, nodes)
                elif clock.stopped == STOPPED or (funded and _stands_behind(s, c)):
                    held = min(held, gpus)
                    held_need = min(held_need, nodes)
                elif funded and c.blocked != clock.passes:
                    later = min(later, gpus)
                    later_need = min(later_need, nodes)
                else:
                    vain = min(vain, gpus)
                    vain_need = min(vain_need, nodes)
            cls = c.next
    return vain, vain_need, held, held_need, unfunded, unfunded_need, later, later_need, limited, limited_need


@rule
def _stands_behind(s: State, c: Any) -> bool:
    """Tell whether a funded claim waits for a better rank: by the backfill rule, in its leaf, or for nodes held for one."""
    clock = s.clock[0]
    if clock.stopped != 0 or (s.rules[0].heads_only != 0 and c.blocked != clock.passes):
        return True
    ends, found = clock.now + c.min_runtime, 0
    for node in range(len(s.nodes)):
        n = s.nodes[node]
        if in_service(s, node) and (n.hold < 0 or ends <= s.holds[n.hold].due):
            if c.need == 0 and n.free >= c.gpus:
                return False
            found += 1 if n.free == s.rules[0].per_node else 0
    return bool(c.need == 0 or found < c.need)


@rule
def _wanted_by_displaced(s: State) -> tuple[int, int]:
    least, need = 1 << 62, 1 << 62
    for at in range(s.clock[0].displaced):
        j = s.jobs[s.displaced[at]]
        if j.need == 0:
            least = min(least, j.gpus)
        else:
            need = min(need, j.need)
    return least, need


@rule
def _over_limit(s: State, leaf: int, take: int, allocated: bool) -> bool:
    """Tell whether a limit on allocated GPUs, or on unallocated ones, is reached."""
    if s.rules[0].slot_limits == 0:
        return False
    node = leaf
    while node >= 0:
        v = s.tree[node]
        limit = v.allocated_limit if allocated else v.unallocated_limit
        used = v.allocated if allocated else v.unallocated
        if limit >= 0 and used + take > limit:
            return True
        node = v.parent
    return False


@rule
def _over_quota(s: State, leaf: int, c: Any) -> bool:
    """Tell whether a class is of jobs that may not be stopped, and above a quota; all jobs of a class are so or none."""
    if s.rules[0].immune == 0 or s.jobs[c.fresh if c.fresh >= 0 else c.cooling].preemptible != 0:
        return False
    node = leaf
    while s.tree[node].parent >= 0:
        if s.tree[node].quota < s.tree[node].immune + c.gpus:
            return True
        node = s.tree[node].parent
    return False


@rule
def _lowest_plan(s: State, c: Any) -> int:
    lowest = 1 << 62
    if c.fresh >= 0:
        lowest = s.jobs[c.fresh].lowest
    if c.cooling >= 0 and s.jobs[c.cooling].lowest < lowest:
        lowest = s.jobs[c.cooling].lowest
    return int(lowest)
