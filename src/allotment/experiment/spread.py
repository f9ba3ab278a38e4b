"""How a figure lies over seeds: its median, and an interval around it that asks nothing of its distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean, median

import attrs

CONFIDENCE = 0.95


@attrs.frozen(kw_only=True)
class Spread:
    """How one figure lies over seeds: its median, its mean, and an interval; `values` are in the order of the seeds."""

    values: tuple[float, ...]
    median: float
    mean: float
    low: float
    high: float


def spread(values: Sequence[float | None], rank: int) -> Spread | None:
    """Return how values lie; None where a seed has none, since what is left would not be all there is.

    >>> found = spread([3, 1, 2], 1)
    >>> found.median, found.low, found.high
    (2.0, 1.0, 3.0)
    >>> spread([3, None], 1)
    """
    known = tuple(float(value) for value in values if value is not None)
    if len(known) < len(values):
        return None
    ordered = sorted(known)
    return Spread(values=known, median=median(known), mean=fmean(known), low=ordered[rank - 1], high=ordered[-rank])


def interval_rank(n: int) -> int:
    """Return r, so that the r-th lowest and the r-th highest of n values enclose the median of what they are drawn from.

    It is the highest rank, and so the narrowest interval, whose :func:`coverage` is at least `CONFIDENCE`; where even
    the whole range has less, it is 1.

    >>> interval_rank(10), interval_rank(5), interval_rank(20)
    (2, 1, 6)
    """
    return max((r for r in range(1, n // 2 + 1) if coverage(n, r) >= CONFIDENCE), default=1)


def coverage(n: int, rank: int) -> float:
    """Return how probably the interval between the rank-th lowest and highest of n values holds the median.

    That is 1 - 2 P(fewer than `rank` of n fall below it), each being a half, whatever the values are distributed like
    (H. A. David and H. N. Nagaraja, Order Statistics, 2003, section 7.1).

    >>> round(coverage(10, 2), 4), coverage(5, 1), coverage(1, 1)
    (0.9785, 0.9375, 0.0)
    """
    return 1 - sum(math.comb(n, k) for k in range(rank)) / 2.0 ** (n - 1)
