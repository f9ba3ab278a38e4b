"""Durations drawn by chance, the same on every machine."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from allotment.units import DAY
from allotment.workload.chance import Floats, exp, exponential, normal_quantile

LONGEST = 36_600 * DAY  # beyond the end of any run, and far from the end of int64


def log_normal(u: Floats, median: int, sigma: float) -> npt.NDArray[np.int64]:
    """Return whole seconds, at least 1, for uniform u in [0, 1): log-normal around `median`.

    >>> log_normal(np.array([0.5, 0.9]), median=600, sigma=0.0).tolist()
    [600, 600]
    """
    return _whole(median * exp(sigma * normal_quantile(u)))


def memoryless(u: Floats, mean: int) -> npt.NDArray[np.int64]:
    """Return whole seconds, at least 1, for uniform u in [0, 1): exponential of this mean.

    >>> memoryless(np.array([0.0, 0.5]), mean=1000).tolist()
    [1, 693]
    """
    return _whole(mean * exponential(u))


def _whole(seconds: Floats) -> npt.NDArray[np.int64]:
    return np.clip(np.rint(seconds), 1, LONGEST).astype(np.int64)
