"""What one job of a kind asks for and how long it runs, out of one row of uniform numbers.

Every job takes one row of `WIDTH` numbers from its generator, whatever comes of them. So a longer horizon adds jobs at the end
and changes none, and a change of one setting changes nothing but what it is about.
"""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from allotment.units import DAY, HOUR, MINUTE
from allotment.workload.chance import Floats, exp, log, normal_quantile, pick
from allotment.workload.classes import Kind, RunTime, Size

Array = npt.NDArray[Any]

GAP, SIZE, RUN, FAILS, FAILURE, CONTRACT, RESUMABLE, PRIORITY, PREEMPTIBLE, LIMIT, USER = range(11)
WIDTH = USER + 1

# Time limits that people ask for: a few round values make up nearly all, and most are far above the run time (Mu'alem and
# Feitelson, IEEE TPDS 12(6), 2001; Tsafrir, Etsion and Feitelson, JSSPP 2005). The values themselves are ours.
CUSTOMARY_LIMITS = (
    *(15 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR, 12 * HOUR),
    *(DAY, 2 * DAY, 3 * DAY, 5 * DAY, 7 * DAY, 10 * DAY, 14 * DAY, 21 * DAY, 30 * DAY),
)


def round_up(seconds: Array, customary: tuple[int, ...]) -> Array:
    """Return the least customary value of at least so many seconds; above the largest, whole days.

    >>> round_up(np.array([1, 900, 901, 40 * 86400 + 1]), CUSTOMARY_LIMITS).tolist()
    [900, 900, 1800, 3542400]
    """
    values = np.array(customary, dtype=np.int64)
    place = np.searchsorted(values, seconds, side="left")
    whole_days = -(-seconds // DAY) * DAY
    return np.where(place < values.size, values[np.minimum(place, values.size - 1)], whole_days)


def draw_sizes(rows: Floats, sizes: tuple[Size, ...]) -> Array:
    """Return the GPUs that each job asks for."""
    gpus = np.array([size.gpus for size in sizes], dtype=np.int64)
    return gpus[pick(rows[:, SIZE], tuple(size.weight for size in sizes))]


def draw_run_times(rows: Floats, run_time: RunTime) -> tuple[Array, Array]:
    """Return how long each job runs, and how long it would if it did not fail early (seconds)."""
    intended = log_normal(rows[:, RUN], run_time.median, run_time.sigma, run_time.shortest, run_time.longest)
    if run_time.early_failures == 0:
        return intended, intended
    fails = np.flatnonzero(rows[:, FAILS] < run_time.early_failures)
    failure = log_normal(
        rows[fails, FAILURE], run_time.early_median, run_time.early_sigma, run_time.shortest, run_time.longest
    )
    work = intended.copy()
    work[fails] = np.minimum(failure, intended[fails])
    return work, intended


def log_normal(u: Floats, median: int, sigma: float, shortest: int, longest: int) -> Array:
    """Return log-normal whole seconds for uniform numbers, kept within bounds.

    >>> log_normal(np.array([0.5, 0.9]), median=100, sigma=1.0, shortest=1, longest=1000).tolist()
    [100, 360]
    """
    middle = log(np.array([float(median)]))
    # above the bound nothing matters, and the exponential is good to 50
    logarithm = np.clip(middle + sigma * normal_quantile(u), 0.0, 40.0)
    return np.clip((exp(logarithm) + 0.5).astype(np.int64), shortest, longest)


def mean_run_time(run_time: RunTime) -> float:
    """Return about how long jobs run on average (seconds), early failures included."""
    grid = np.zeros((256, WIDTH))
    grid[:, RUN] = grid[:, FAILURE] = (np.arange(256) + 0.5) / 256
    p = run_time.early_failures
    fails, intended = (draw_run_times(grid, attrs.evolve(run_time, early_failures=part))[0] for part in (1.0, 0.0))
    return (p * float(np.cumsum(fails)[-1]) + (1 - p) * float(np.cumsum(intended)[-1])) / 256


def draw_attributes(rows: Floats, kind: Kind, work: Array, intended: Array) -> dict[str, Array]:
    """Return the other columns of a job table that a kind decides, `user` as a rank from 0.

    The time limit covers what the job was meant to run, not the early end that it met; nobody asks a contract that is
    longer than the time limit.
    """
    asked = (intended + kind.startup) * (1.0 + (kind.limit_factor - 1.0) * rows[:, LIMIT])
    limit = np.maximum(round_up(asked.astype(np.int64), CUSTOMARY_LIMITS), work + kind.startup)
    contracts = np.array([contract.min_runtime for contract in kind.contracts], dtype=np.int64)
    contract = contracts[pick(rows[:, CONTRACT], tuple(contract.weight for contract in kind.contracts))]
    weights = (kind.priorities.low, kind.priorities.normal, kind.priorities.high, kind.priorities.urgent)
    ranks = exp(-kind.user_skew * log(np.arange(1.0, kind.users + 1)))
    return {
        "work": work,
        "limit": limit,
        "min_runtime": np.minimum(contract, limit),
        "resumable": rows[:, RESUMABLE] < kind.resumable,
        "checkpoint": np.full(work.size, kind.checkpoint),
        "startup": np.full(work.size, kind.startup),
        "restart": np.full(work.size, kind.restart),
        "priority": pick(rows[:, PRIORITY], weights) + 1,
        "preemptible": rows[:, PREEMPTIBLE] < kind.preemptible,
        "user": pick(rows[:, USER], tuple(ranks.tolist())),
    }
