"""Use of GPU-time over the sliding window, exact to the second.

A curve is the running integral of a step function: each change of the rate leaves a point (time, sum so far, rate).
The use in the window is the curve read twice, now and at the window's start; points that the window has passed are
used again, so that memory follows the window and not the run. With a half-life a second, decayed sum is kept beside the
exact one: use from `age` seconds ago counts 2^(-age / half-life) (Slurm's PriorityDecayHalfLife and KAI's
halfLifePeriod have the same form; inside a window, as in KAI's sliding window).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from allotment.kernel.jit import large_rule, rule
from allotment.kernel.layout import State
from allotment.kernel.log import SHARE_UNIT
from allotment.units import DAY

LN2 = 0.6931471805599453
NEVER = 1 << 62


def decayed(age: int, half_life: int) -> float:
    """Return 2^(-age / half_life), by sums and products alone so that every machine gives the same bits.

    >>> decayed(0, 10), decayed(10, 10), decayed(30, 10), round(decayed(5, 10), 12)
    (1.0, 0.5, 0.125, 0.707106781187)
    """
    halvings = age // half_life
    x = -LN2 * (age % half_life) / half_life
    value = 1.0
    for n in range(17, 0, -1):
        value = 1.0 + x * value / n
    if halvings > 1100:
        return 0.0
    for _ in range(halvings):
        value *= 0.5
    return value


decay = large_rule(decayed)  # a compiled rule cannot be called from Python


@rule
def change_rate(s: State, curve: int, now: int, change: int) -> None:
    """Add `change` GPUs to the rate of a curve from `now` on."""
    clock, points, c = s.clock[0], s.points, s.curves[curve]
    last = c.latest
    if c.last_time == now:
        points[last].rate += change
        c.last_rate += change
        if c.oldest == last:
            c.from_rate += change
        return
    if clock.spare_point >= 0:
        new = clock.spare_point
        clock.spare_point = points[new].next
    else:
        new = clock.points
        clock.points += 1
    passed = now - points[last].time
    points[new].time = now
    points[new].total = points[last].total + points[last].rate * passed
    points[new].rate = points[last].rate + change
    points[new].next = -1
    half_life = s.rules[0].half_life
    if half_life > 0:
        points[new].decayed = _decayed_at(points, last, now, half_life)
    points[last].next = new
    if c.oldest == last:
        c.next_time = now
    c.latest = new
    c.last_time = now
    c.last_total = points[new].total
    c.last_rate = points[new].rate


@large_rule
def _decayed_at(points: Any, at: int, time: int, half_life: int) -> float:
    left = decay(time - points[at].time, half_life)
    return points[at].decayed * left + points[at].rate * (half_life / LN2) * (1.0 - left)


@large_rule
def begin_epoch(s: State) -> None:
    """Other shares count from now on: their row is there already, unless others began in this very second."""
    clock = s.clock[0]
    clock.piece = -1  # what everybody is entitled to is to be found anew
    clock.changed = 1  # and the limits may let more start
    clock.loosened += 1
    if clock.epochs == len(s.epochs):
        return
    capacity, epoch = len(s.curves) - 1, s.epochs[clock.epochs]
    epoch.time = clock.now
    epoch.total = sum_now(s, capacity, clock.now)
    if s.rules[0].half_life > 0:
        epoch.decayed = _decayed_at(s.points, s.curves[capacity].latest, clock.now, s.rules[0].half_life)
    clock.epochs += 1


@rule
def sum_at_start(s: State, curve: int, start: int) -> int:
    """Return the integral up to the window's start and give back the points before it; `start` never goes back."""
    c = s.curves[curve]
    if c.next_time <= start:
        _let_go(s, curve, start)
    return c.from_total + c.from_rate * (start - c.from_time)


@large_rule
def _let_go(s: State, curve: int, start: int) -> None:
    points, clock, c = s.points, s.clock[0], s.curves[curve]
    at = c.oldest
    while points[at].next >= 0 and points[points[at].next].time <= start:
        after = points[at].next
        points[at].next = clock.spare_point
        clock.spare_point = at
        at = after
    c.oldest = at
    c.from_time = points[at].time
    c.from_total = points[at].total
    c.from_rate = points[at].rate
    c.next_time = points[points[at].next].time if points[at].next >= 0 else NEVER


@rule
def sum_now(s: State, curve: int, now: int) -> int:
    """Return the integral up to now."""
    c = s.curves[curve]
    return c.last_total + c.last_rate * (now - c.last_time)


@rule
def in_window(s: State, curve: int, now: int) -> int:
    """Return the GPU-seconds of a curve in (now - lookback, now], decayed where the policy has a half-life."""
    rules = s.rules[0]
    start = max(now - rules.lookback, rules.since)
    before = sum_at_start(s, curve, start)
    if rules.half_life <= 0:
        return sum_now(s, curve, now) - before
    points, half_life = s.points, rules.half_life
    to_start = _decayed_at(points, s.curves[curve].oldest, start, half_life)
    to_now = _decayed_at(points, s.curves[curve].latest, now, half_life)
    return int(max(to_now - to_start * decay(now - start, half_life), 0.0))


@rule
def refresh(s: State) -> None:
    """Bring use, commitments, entitlement and headroom of every plan node up to now.

    entitlement = integral over the window of share(t) x healthy GPUs(t), whole GPU-seconds, rounded down; before the
    first full window it is that of the time since use counts, or of a day (a lookback that is shorter) if that is more.
    """
    tree, now = s.tree, s.clock[0].now
    for node in s.upward:
        tree[node].used = 0
        tree[node].committed = 0
    for node in s.leaves:
        v = tree[node]
        v.used = in_window(s, 2 * node, now)
        v.committed = v.until - v.protected * now + v.earmark
    _entitle(s)
    for node in s.upward:
        v = tree[node]
        if v.parent >= 0:
            up = tree[v.parent]
            up.used += v.used
            up.committed += v.committed
        v.headroom = v.entitled - v.used - v.committed


@rule
def rate(s: State) -> None:
    """Have the ratios of all plan nodes ready to be compared in this pass; most passes compare none."""
    if s.clock[0].rated != s.clock[0].passes:
        _rate_all(s)


@large_rule
def _rate_all(s: State) -> None:
    s.clock[0].rated = s.clock[0].passes
    for node in s.upward:
        _set_ratio(s, node)


@rule
def _set_ratio(s: State, node: int) -> None:
    """Set the ratio as a float, which decides a comparison unless it is too close; see rank.py for the exact one."""
    v = s.tree[node]
    v.ratio = max(v.used + v.committed, 0) / v.entitled if v.entitled > 0 else np.inf


@rule
def refresh_use(s: State) -> None:
    """Bring all use of the leaves, allocated or not, up to now; only the fill, and a policy that ranks by it, ask for it."""
    now = s.clock[0].now
    for node in s.leaves:
        s.tree[node].use = in_window(s, 2 * node + 1, now)
        s.tree[node].added = 0
        set_use_ratio(s, node)


@rule
def set_use_ratio(s: State, leaf: int) -> None:
    """Set the ratio of all use as a float, which decides a comparison unless it is too close."""
    v = s.tree[leaf]
    v.use_ratio = (v.use + v.added) / v.entitled if v.entitled > 0 else np.inf


@rule
def _entitle(s: State) -> None:
    tree, clock, rules = s.tree, s.clock[0], s.rules[0]
    now = clock.now
    start = max(now - rules.lookback, rules.since)
    capacity = len(s.curves) - 1
    half_life = rules.half_life
    from_sum = sum_at_start(s, capacity, start)
    if clock.epochs == 1 and half_life <= 0:
        piece = sum_now(s, capacity, now) - from_sum
        piece += clock.healthy * max(min(DAY, rules.lookback) - (now - rules.since), 0)
        if piece == clock.piece:
            return  # nothing broke, nothing was mended within the window
        clock.piece = piece
        for node in s.upward:
            _set_entitlement(s, node, s.shares[0, node] * piece)
        return
    clock.piece = -1
    for node in s.upward:
        tree[node].entitled = 0
    from_decayed = 0.0
    if half_life > 0:
        from_decayed = _decayed_at(s.points, s.curves[capacity].oldest, start, half_life)
    from_time = start
    for epoch in range(clock.epochs):
        last = epoch + 1 == clock.epochs
        to_time = now if last else s.epochs[epoch + 1].time
        if to_time <= start and not last:
            continue
        to_sum = sum_now(s, capacity, now) if last else s.epochs[epoch + 1].total
        piece = to_sum - from_sum
        if half_life > 0:
            if last:
                to_decayed = _decayed_at(s.points, s.curves[capacity].latest, now, half_life)
            else:
                to_decayed = s.epochs[epoch + 1].decayed
            grown = to_decayed - from_decayed * decay(to_time - from_time, half_life)
            piece = int(max(grown, 0.0) * decay(now - to_time, half_life))
            from_decayed = to_decayed
        if last:
            piece += clock.healthy * max(min(DAY, rules.lookback) - (now - rules.since), 0)
        from_sum = to_sum
        from_time = to_time
        for node in s.upward:
            tree[node].entitled += s.shares[epoch, node] * piece
    for node in s.upward:
        _set_entitlement(s, node, tree[node].entitled)


@rule
def _set_entitlement(s: State, node: int, scaled: int) -> None:
    """Set entitlement and reserve of a plan node, both in whole GPU-seconds, rounded down."""
    v, rules = s.tree[node], s.rules[0]
    v.entitled = scaled // SHARE_UNIT
    v.reserve = v.entitled * rules.reserve_part // rules.reserve_whole if rules.contracts != 0 else 0
    v.stirred = 1


@rule
def commit(s: State, leaf: int, claim: int) -> None:
    """Charge a claim to a leaf and everything above it at once (in this pass; `refresh` finds it again later)."""
    node = leaf
    while node >= 0:
        s.tree[node].committed += claim
        s.tree[node].headroom -= claim
        _set_ratio(s, node)
        node = s.tree[node].parent
