"""Fair GPUs: what each plan node should hold now, given who deserves what and who wants what; whole GPUs.

Each node's fair GPUs are divided among its children, from the root, which has all healthy GPUs, down: first what they deserve
and want; then the rest by over-quota weight, less for those who have used much lately; then what rounding left over. These
are the three phases of the KAI Scheduler (pkg/scheduler/plugins/proportion/resource_division), for one resource and without
queue priorities, which plans do not have.
"""

from __future__ import annotations

from allotment.kernel.jit import large_rule, rule
from allotment.kernel.layout import State
from allotment.kernel.log import SHARE_UNIT
from allotment.kernel.rank import compare_ratios
from allotment.kernel.usage import in_window


@rule
def whole_gpus(share: int, healthy: int) -> int:
    """Return a share, in parts of SHARE_UNIT, of some GPUs, rounded down; a third of 9 is 3 in spite of the parts.

    >>> whole_gpus(33_333_333, 9), whole_gpus(33_333_333, 10), whole_gpus(50_000_000, 7)
    (3, 3, 3)
    """
    return (share * healthy + healthy - 1) // SHARE_UNIT


@large_rule
def divide(s: State) -> None:
    """Set quota, request and fair GPUs of every plan node for this pass."""
    tree, clock = s.tree, s.clock[0]
    epoch, healthy = clock.epochs - 1, clock.healthy
    _measure_use(s)
    for node in s.upward:
        v = tree[node]
        v.quota = whole_gpus(s.shares[epoch, node], healthy)
        v.request = v.allocated + v.asked if v.leaf != 0 else 0
        v.fair = healthy
    for node in s.upward:
        v = tree[node]
        if v.parent >= 0:
            tree[v.parent].request += v.request
        v.request = requestable(s, node)
    for at in range(len(s.upward) - 1, -1, -1):
        _divide_among_children(s, s.upward[at])


@rule
def requestable(s: State, node: int) -> int:
    """Return what a plan node can ask for: what its jobs take, at most its slot limit."""
    v = s.tree[node]
    if s.rules[0].slot_limits != 0 and v.allocated_limit >= 0:
        return int(min(v.request, v.allocated_limit))
    return int(v.request)


@rule
def allocatable(s: State, node: int) -> int:
    """Return what a plan node may hold before it is fair to take from it: its quota or its fair GPUs, at most its limit."""
    v = s.tree[node]
    most = max(v.quota, v.fair)
    if s.rules[0].slot_limits != 0 and v.allocated_limit >= 0:
        most = min(most, v.allocated_limit)
    return int(most)


@rule
def _measure_use(s: State) -> None:
    """Set each node's use in the window as a part of all healthy GPU time in it, in SHARE_UNIT, if the policy asks for it."""
    if s.rules[0].history_part == 0:
        return
    total = in_window(s, len(s.curves) - 1, s.clock[0].now)
    for node in s.upward:
        v = s.tree[node]
        v.use_part = v.used * SHARE_UNIT // total if total > 0 else 0


@rule
def _divide_among_children(s: State, node: int) -> None:
    tree, left = s.tree, s.tree[node].fair
    child = tree[node].child
    while child >= 0:
        v = tree[child]
        v.fair = min(v.quota, v.request)
        v.rest = 0
        v.rest_of = 1
        left -= v.fair
        child = v.sibling
    again = left > 0
    while again:
        before = left
        left = _give_by_weight(s, node, left)
        again = s.clock[0].undershot != 0 and 0 < left < before
    while left > 0:
        best = _largest_rest(s, node)
        if best < 0:
            return
        tree[best].fair += 1
        tree[best].rest = 0
        left -= 1


@rule
def _give_by_weight(s: State, node: int, left: int) -> int:
    """Divide so many GPUs by weight among the children that want more; return what is left of them.

    Each has its part, rounded down, or what it still wants if that is less; `undershot` says that it was for one. What is rounded
    off is kept as `rest` / `rest_of`.
    """
    tree, weights, parts = s.tree, 0, 0
    child = tree[node].child
    while child >= 0:
        v = tree[child]
        weights += v.weight if v.request > v.fair else 0
        child = v.sibling
    child = tree[node].child
    while child >= 0:
        v = tree[child]
        v.part = _part(s, child, weights) if v.request > v.fair else 0
        parts += v.part
        child = v.sibling
    s.clock[0].undershot = 0
    round_left = left
    child = tree[node].child
    while child >= 0:
        v = tree[child]
        if v.part > 0:
            due, rest, wants = round_left * v.part // parts, round_left * v.part % parts, v.request - v.fair
            if wants <= due:
                if wants < due or rest > 0:
                    s.clock[0].undershot = 1
                due, rest = wants, 0
            v.fair += due
            v.rest = rest
            v.rest_of = parts
            left -= due
        child = v.sibling
    return int(left)


@rule
def _part(s: State, node: int, weights: int) -> int:
    """Return the weight of a node, or with history max(0, w + k (w - use)) for w = its part of all weights.

    The second is in SHARE_UNIT divided by the denominator of k.
    """
    v, rules = s.tree[node], s.rules[0]
    if rules.history_part == 0 or weights == 0:
        return int(v.weight)
    k, of = rules.history_part, rules.history_whole
    w = v.weight * SHARE_UNIT // weights
    return int(max(0, w * (of + k) - k * v.use_part))


@rule
def _largest_rest(s: State, node: int) -> int:
    best, child = -1, s.tree[node].child
    while child >= 0:
        v = s.tree[child]
        if v.rest > 0:
            if best < 0 or compare_ratios(v.rest, v.rest_of, s.tree[best].rest, s.tree[best].rest_of) > 0:
                best = child
        child = v.sibling
    return best
