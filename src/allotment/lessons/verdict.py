"""The verdict on a belief, computed from differences seed by seed and from what the card declared before.

In one condition the belief *holds* if the whole interval of the median difference lies beyond the smallest difference
that matters, on the side that the belief predicts; it *fails* if none of the interval does; else it is *open*. Over the
conditions the verdict is the one word that stays true however those that are open would turn out, and else NOT SHOWN.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

import numpy as np

from allotment.experiment.spread import CONFIDENCE, Spread
from allotment.lessons.card import Predicts

DRAWS = 9_999
FEWEST = 3  # seeds; with fewer an interval says nothing


class Finding(Enum):
    """What one condition says of the belief."""

    HOLDS = "holds"
    FAILS = "fails"
    OPEN = "open"


class Verdict(Enum):
    """What all conditions together say of it; there are no other words."""

    TRUE = "TRUE"
    FALSE = "FALSE"
    CONDITIONAL = "CONDITIONAL"
    NOT_SHOWN = "NOT SHOWN"


def interval(values: Sequence[float]) -> Spread:
    """Return the median of values and its bootstrap 95 % interval, by the percentiles of medians of values drawn again.

    The draws come from a generator of their own, so that the same values give the same interval. Source: B. Efron,
    Bootstrap methods: another look at the jackknife, Annals of Statistics 7 (1979), 1-26.

    >>> found = interval([1.0, 2.0, 3.0, 4.0, 5.0])
    >>> found.median, found.low, found.high
    (3.0, 1.0, 5.0)
    """
    given = np.asarray(values, dtype=np.float64)
    rows = np.random.default_rng(len(given)).integers(len(given), size=(DRAWS, len(given)))
    tail = 100 * (1 - CONFIDENCE) / 2
    low, high = np.percentile(np.median(given[rows], axis=1), [tail, 100 - tail])
    return Spread(
        values=tuple(given.tolist()),
        median=float(np.median(given)),
        mean=float(np.mean(given)),
        low=float(low),
        high=float(high),
    )


def finding(of: Spread, predicts: Predicts, threshold: float, seeds: int) -> Finding:
    """Return what an interval says of a belief that predicts a difference of at least the threshold, or none so large.

    >>> minutes = Spread(values=(), median=20, mean=20, low=15, high=30)
    >>> finding(minutes, Predicts.MORE, 10, 20), finding(minutes, Predicts.LESS, 10, 20)
    (<Finding.HOLDS: 'holds'>, <Finding.FAILS: 'fails'>)
    >>> finding(minutes, Predicts.MORE, 20, 20), finding(minutes, Predicts.SAME, 40, 20)
    (<Finding.OPEN: 'open'>, <Finding.HOLDS: 'holds'>)
    """
    if seeds < FEWEST:
        return Finding.OPEN
    if predicts is Predicts.SAME:
        if -threshold < of.low and of.high < threshold:
            return Finding.HOLDS
        return Finding.FAILS if of.low >= threshold or of.high <= -threshold else Finding.OPEN
    ends = sorted((int(predicts) * of.low, int(predicts) * of.high))
    if ends[0] >= threshold:
        return Finding.HOLDS
    return Finding.FAILS if ends[1] < threshold else Finding.OPEN


def verdict(findings: Sequence[Finding]) -> Verdict:
    """Return the word for a belief, from what each condition says of it.

    >>> holds, fails, is_open = Finding.HOLDS, Finding.FAILS, Finding.OPEN
    >>> [verdict(each).value for each in ([holds, holds], [fails, fails], [holds, fails, is_open], [fails, is_open])]
    ['TRUE', 'FALSE', 'CONDITIONAL', 'NOT SHOWN']
    """
    found = set(findings)
    if {Finding.HOLDS, Finding.FAILS} <= found:
        return Verdict.CONDITIONAL
    if found == {Finding.HOLDS}:
        return Verdict.TRUE
    return Verdict.FALSE if found == {Finding.FAILS} else Verdict.NOT_SHOWN
