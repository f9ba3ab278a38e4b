"""When jobs come: a Poisson process that follows the clock and the calendar, noise, and flurries."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import attrs
import numpy as np
import numpy.typing as npt

from allotment.units import HOUR, WEEK
from allotment.workload.chance import Floats, exponential
from allotment.workload.classes import Cycle, Flurries

Times = npt.NDArray[np.int64]


def local_hours(start: datetime, horizon: int) -> tuple[Times, Times]:
    """Return the local hour (0-23) and weekday (0 is Monday) of each hour from the start on, in the start's time zone.

    Hours are counted as they pass, so where clocks change one local hour is there twice or not at all. A start that is
    not on the hour shifts the cycle by less than one. Raises ValueError for a start without a time zone.
    """
    if start.tzinfo is None:
        raise ValueError(f"start must have a time zone, and {start.isoformat()!r} has none")
    first = start.astimezone(UTC)
    count = -(-horizon // HOUR)
    there = [(first + timedelta(hours=hour)).astimezone(start.tzinfo) for hour in range(count)]
    hours = np.array([moment.hour for moment in there], dtype=np.int64)
    return hours, np.array([moment.weekday() for moment in there], dtype=np.int64)


def cycle_factors(cycle: Cycle, hours: Times, weekdays: Times) -> Floats:
    """Return for each hour its part of an average week's arrivals; over a plain week they sum to 1."""
    by_hour, by_day = np.array(cycle.hours), np.array(cycle.days)
    week = np.cumsum(by_day)[-1] * np.cumsum(by_hour)[-1]
    factors: Floats = by_hour[hours] * by_day[weekdays] / week
    return factors


def hourly_noise(rng: np.random.Generator, hours: int, shape: int) -> Floats:
    """Return a factor for each hour: gamma variates of a whole `shape` and mean 1, that is, of variance 1 / shape."""
    draws = exponential(rng.random((hours, shape)))
    total = np.zeros(hours)
    for column in draws.T:
        total += column
    return total / shape


@attrs.frozen(kw_only=True, eq=False)
class Rate:
    """Expected arrivals up to the start of each hour (one more than there are hours)."""

    expected: Floats

    @classmethod
    def of(cls, hourly: Floats) -> Rate:
        """Return the rate that has so many arrivals in each hour."""
        return cls(expected=np.concatenate([np.zeros(1), np.cumsum(hourly)]))

    @property
    def total(self) -> float:
        """The expected number of arrivals in all."""
        return float(self.expected[-1])

    def times(self, points: Floats) -> Times:
        """Return when each point of a Poisson process of rate 1 arrives (seconds, rounded down); points past the end are left out."""
        inside = points[points < self.expected[-1]]
        hour = np.searchsorted(self.expected, inside, side="right") - 1
        part = (inside - self.expected[hour]) / (self.expected[hour + 1] - self.expected[hour])
        times: Times = hour * HOUR + np.minimum((part * HOUR).astype(np.int64), HOUR - 1)
        return times


def flurry_times(rng: np.random.Generator, flurries: Flurries, horizon: int) -> tuple[Times, Times]:
    """Return the submit time of each job of the flurries, and the number of its flurry (both in the order of flurries)."""
    if flurries.per_week == 0:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.int64)
    starts: list[int] = []
    sizes: list[int] = []
    now = 0.0
    while now < horizon:
        gaps, parts = rng.random((64, 2)).T
        for gap, part in zip(exponential(gaps).tolist(), parts.tolist(), strict=True):
            now += gap * WEEK / flurries.per_week
            if now < horizon:
                starts.append(int(now))
                sizes.append(flurries.fewest + int(part * (flurries.most - flurries.fewest + 1)))
    count = np.array(sizes, dtype=np.int64)
    flurry = np.repeat(np.arange(len(sizes)), count)
    place = np.arange(flurry.size) - np.repeat(np.cumsum(count) - count, count)
    times = np.repeat(np.array(starts, dtype=np.int64), count) + place * flurries.spacing
    return times[times < horizon], flurry[times < horizon]
