"""Who comes first: exact ratios, the ranked keys of a partition, and the first term in which two ranks differ."""

from __future__ import annotations

import numpy as np

from allotment.kernel.jit import rule
from allotment.kernel.layout import State
from allotment.kernel.usage import rate
from allotment.model.policy import Key

BALANCE = int(Key.BALANCE)
USE = int(Key.USE)
PRIORITY = int(Key.PRIORITY)
AGE = int(Key.AGE)
MIN_RUNTIME = int(Key.MIN_RUNTIME)
SIZE = int(Key.SIZE)
RETRY = int(Key.RETRY)
LEVEL_FAIR_SHARE = int(Key.LEVEL_FAIR_SHARE)

TOO_CLOSE = 1e-9  # relative; nearer ratios are compared as integers, as floats may be off in their last places


@rule
def compare_ratios(a: int, b: int, c: int, d: int) -> int:
    """Return -1, 0 or 1 as a/b is below, equal to or above c/d; exact, without overflow; x/0 is infinite.

    Numerators and denominators are not negative. Where the whole parts agree, the remainders are compared upside
    down, as in Euclid's algorithm.

    >>> (
    ...     compare_ratios(1, 3, 2, 6),
    ...     compare_ratios(1, 3, 333, 1000),
    ...     compare_ratios(5, 0, 9, 1),
    ...     compare_ratios(0, 0, 1, 0),
    ... )
    (0, 1, 1, 0)
    """
    if b == 0 or d == 0:
        return (1 if b == 0 else 0) - (1 if d == 0 else 0)
    sign = 1
    while True:
        p, q = a // b, c // d
        if p != q:
            return sign if p > q else -sign
        a -= p * b
        c -= q * d
        if a == 0 or c == 0:
            if a == c:
                return 0
            return sign if a > 0 else -sign
        a, b, c, d = b, a, d, c
        sign = -sign


@rule
def fork(s: State, a: int, b: int) -> tuple[int, int]:
    """Return the children, on either side, of the first common ancestor of two different plan nodes."""
    tree = s.tree
    while tree[a].depth > tree[b].depth:
        a = tree[a].parent
    while tree[b].depth > tree[a].depth:
        b = tree[b].parent
    while tree[a].parent != tree[b].parent:
        a = tree[a].parent
        b = tree[b].parent
    return a, b


@rule
def compare_balance(s: State, a: int, b: int) -> int:
    """Compare two leaves where their branches part: lowest (usage + committed) / entitlement first, then id."""
    if a == b:
        return 0
    rate(s)
    x, y = fork(s, a, b)
    u, v = s.tree[x], s.tree[y]
    if u.ratio < np.inf and v.ratio < np.inf:
        near = TOO_CLOSE * (1.0 + u.ratio)
        if u.ratio < v.ratio - near:
            return -1
        if v.ratio < u.ratio - near:
            return 1
    order = compare_ratios(max(u.used + u.committed, 0), u.entitled, max(v.used + v.committed, 0), v.entitled)
    if order != 0:
        return order
    return -1 if x < y else 1


@rule
def compare_use(s: State, a: int, b: int) -> int:
    """Compare two leaves by all use over entitlement; those without entitlement last, by use alone; then id."""
    if a == b:
        return 0
    u, v = s.tree[a], s.tree[b]
    if u.entitled > 0 and v.entitled > 0:
        near = TOO_CLOSE * (1.0 + u.use_ratio)
        if u.use_ratio < v.use_ratio - near:
            return -1
        if v.use_ratio < u.use_ratio - near:
            return 1
    order = compare_ratios(u.use + u.added, u.entitled, v.use + v.added, v.entitled)
    if order == 0 and u.entitled == 0 and v.entitled == 0:
        order = int(u.use + u.added > v.use + v.added) - int(u.use + u.added < v.use + v.added)
    if order != 0:
        return order
    return -1 if a < b else 1


@rule
def ranks_before(s: State, partition: int, a: int, b: int) -> bool:
    """Tell whether job `a` ranks before job `b` by the keys of a partition, in order, and then by id.

    Fair GPUs rank queues, not jobs: two jobs are only compared within a leaf then.
    """
    part, x, y = s.partitions[partition], s.jobs[a], s.jobs[b]
    for place in range(part.keys):
        key = _key(part, place)
        order = 0
        if key == BALANCE:
            order = compare_balance(s, x.leaf, y.leaf)
        elif key == USE:
            order = compare_use(s, x.leaf, y.leaf)
        elif key == PRIORITY:
            order = y.priority - x.priority
        elif key == AGE:
            order = x.submit - y.submit
        elif key == MIN_RUNTIME:
            order = x.min_runtime - y.min_runtime
        elif key == SIZE:
            order = x.gpus - y.gpus
        elif key == RETRY:
            order = y.restarts - x.restarts
        elif key == LEVEL_FAIR_SHARE:
            order = s.tree[x.leaf].standing - s.tree[y.leaf].standing
        if order != 0:
            return order < 0
    return a < b


@rule
def _key(part, place: int) -> int:  # type: ignore[no-untyped-def]
    if place == 0:
        return int(part.key0)
    if place == 1:
        return int(part.key1)
    if place == 2:
        return int(part.key2)
    if place == 3:
        return int(part.key3)
    if place == 4:
        return int(part.key4)
    if place == 5:
        return int(part.key5)
    if place == 6:
        return int(part.key6)
    if place == 7:
        return int(part.key7)
    return int(part.key8)
