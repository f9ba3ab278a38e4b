from __future__ import annotations

from datetime import datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from allotment.units import DAY, HOUR, WEEK
from allotment.workload.arrivals import Rate, cycle_factors, flurry_times, hourly_noise, local_hours
from allotment.workload.chance import generator
from allotment.workload.classes import Cycle, Flurries

BERLIN = ZoneInfo("Europe/Berlin")


def test_hours_and_weekdays_are_those_of_the_time_zone() -> None:
    hours, days = local_hours(datetime(2026, 1, 4, 22, tzinfo=BERLIN), 4 * HOUR)
    assert hours.tolist() == [22, 23, 0, 1]
    assert days.tolist() == [6, 6, 0, 0]


def test_a_spring_day_lacks_the_hour_that_clocks_skip() -> None:
    hours, days = local_hours(datetime(2026, 3, 29, tzinfo=BERLIN), 24 * HOUR)
    assert hours.tolist() == [0, 1, *range(3, 24), 0]
    assert days.tolist() == [6] * 23 + [0]


def test_an_autumn_day_has_the_hour_twice_that_clocks_repeat() -> None:
    hours, _ = local_hours(datetime(2026, 10, 25, tzinfo=BERLIN), 25 * HOUR)
    assert hours.tolist() == [0, 1, 2, 2, *range(3, 24)]


def test_a_start_without_a_time_zone_is_refused() -> None:
    with pytest.raises(ValueError, match="time zone"):
        local_hours(datetime(2026, 1, 1), HOUR)  # noqa: DTZ001 - on purpose


def test_the_factors_of_a_plain_week_sum_to_one_and_follow_the_cycle() -> None:
    cycle = Cycle(hours=tuple(range(24)), days=(1, 1, 1, 1, 1, 0, 0))
    hours, days = local_hours(datetime(2026, 1, 5, tzinfo=timezone(timedelta(hours=5, minutes=45))), WEEK)
    factors = cycle_factors(cycle, hours, days)
    assert factors.sum() == pytest.approx(1, rel=1e-12)
    assert factors[5 * 24 :].sum() == 0
    assert factors[23] == pytest.approx(23 * factors[1])


def test_arrivals_are_spread_within_each_hour_and_counted_by_its_rate() -> None:
    hourly = np.array([0.0, 1000.0, 0.0, 3000.0])
    points = np.arange(0.5, 4000.0)
    times = Rate.of(hourly).times(points)
    counts = np.bincount(times // HOUR, minlength=4)
    assert counts.tolist() == [0, 1000, 0, 3000]
    assert times[:3].tolist() == [HOUR + 1, HOUR + 5, HOUR + 9]
    assert np.all(np.diff(times) >= 0)


def test_what_arrives_after_the_last_hour_is_left_out() -> None:
    assert Rate.of(np.array([2.0])).times(np.array([0.5, 1.5, 2.0, 2.5])).tolist() == [900, 2700]


@pytest.mark.parametrize("shape", [1, 4])
def test_noise_has_a_mean_of_one_and_the_variance_of_its_shape(shape: int) -> None:
    noise = hourly_noise(generator(1, "noise"), 20_000, shape)
    assert noise.mean() == pytest.approx(1, abs=0.03)
    assert noise.var() == pytest.approx(1 / shape, rel=0.06)


def test_flurries_come_as_often_and_as_large_as_they_say() -> None:
    flurries = Flurries(per_week=5, fewest=10, most=30, spacing=3)
    times, flurry = flurry_times(generator(3, "flurries"), flurries, 100 * WEEK)
    sizes = np.bincount(flurry)
    assert 430 < sizes.size < 570
    assert sizes[:-1].min() == 10
    assert sizes.max() == 30
    assert np.diff(times[flurry == 0]).tolist() == [3] * (int(sizes[0]) - 1)


def test_no_flurries_are_no_jobs() -> None:
    times, flurry = flurry_times(generator(3, "flurries"), Flurries(per_week=0), DAY)
    assert times.size == flurry.size == 0
