"""Waits that are not over: quantiles by Kaplan-Meier, in which a job that never started counts as censored.

SciPy's `scipy.stats.ecdf` computes the same, and the tests compare the two; importing it costs every process more than
a second and 50 MB, which is more than a month of simulation.
"""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

_EQUAL = 1e-12  # so that 9 of 10 are 0.9, however the product was rounded


@attrs.frozen
class Curve:
    """The share of waits that are over by `time`: a step at each of these seconds, from 0 towards 1."""

    time: npt.NDArray[np.int64]
    over: npt.NDArray[np.float64]

    def quantile(self, q: float) -> int | None:
        """Return the smallest time by which a part `q` is over, or None where the waits end before that is known."""
        at = int(np.searchsorted(self.over, q - _EQUAL))
        return int(self.time[at]) if at < len(self.time) else None


def curve(waited: npt.NDArray[np.integer], started: npt.NDArray[np.bool_]) -> Curve:
    """Return the Kaplan-Meier estimate of waits: S(t) is the product over t_i <= t of 1 - starts_i / waiting_i.

    `waited` is in seconds, for jobs that never started the time until they were last seen waiting. A job last seen at
    t_i is still among those waiting then. Source: Kaplan and Meier, JASA 53 (1958), 457-481.

    Three start after 1, 2 and 4 s, one is cancelled after 3 s:

    >>> curve(np.array([1, 2, 4, 3]), np.array([True, True, True, False])).over.tolist()
    [0.25, 0.5, 1.0]
    """
    if not len(waited):
        return Curve(np.zeros(0, np.int64), np.zeros(0))
    marked = np.sort(waited.astype(np.int64) * 2 + started)  # one sort of numbers; within a second the order is nothing
    times = marked >> 1
    first = np.flatnonzero(np.diff(times, prepend=-1))
    waiting = len(times) - first
    starts = np.add.reduceat(marked & 1, first)
    times = times[first]
    left = np.cumprod(1 - starts / waiting, dtype=np.float64)
    step = starts > 0
    return Curve(times[step], 1 - left[step])
