from __future__ import annotations

import numpy as np
import pytest

from allotment.units import DAY, HOUR
from allotment.workload.chance import generator
from allotment.workload.classes import Step, Swing
from allotment.workload.demand import given_steps, product, swing_steps, target


def test_a_swing_stays_within_its_bounds_and_holds_as_long_as_it_says() -> None:
    steps = swing_steps(generator(0, "swing"), Swing(every=DAY, low=0.5, high=1.5), 2000 * DAY)
    times, factors = np.array([at for at, _ in steps]), np.array([factor for _, factor in steps])
    assert times[0] == 0
    assert np.diff(times).mean() == pytest.approx(DAY, rel=0.06)
    assert 0.5 <= factors.min() < 0.51
    assert 1.49 < factors.max() <= 1.5
    assert factors.mean() == pytest.approx(1, abs=0.03)


def test_a_longer_run_only_adds_steps() -> None:
    swing = Swing(every=HOUR, low=0, high=2)
    short, long = (swing_steps(generator(0, "swing"), swing, days * DAY) for days in (3, 30))
    assert short == long[: len(short)]
    assert len(long) > 3 * len(short)


def test_given_steps_begin_with_the_plain_demand() -> None:
    assert given_steps(()) == ((0, 1.0),)
    assert given_steps((Step(at=10, factor=2),)) == ((0, 1.0), (10, 2.0))
    assert given_steps((Step(at=0, factor=3),)) == ((0, 3.0),)


def test_steps_at_the_same_moment_are_one_step() -> None:
    assert product(((0, 2.0), (5, 3.0)), ((0, 0.5), (5, 2.0))) == ((0, 1.0), (5, 6.0))


def test_targets_are_whole_gpus_without_steps_that_change_nothing() -> None:
    times, gpus = target(10.0, 0, ((0, 1.0), (5, 1.04), (9, 0.0), (12, 0.26)))
    assert times.tolist() == [0, 9, 12]
    assert gpus.tolist() == [10, 0, 3]


def test_a_least_target_holds_where_demand_is_lower() -> None:
    times, gpus = target(0.3, 1, ((0, 1.0), (5, 9.0)))
    assert (times.tolist(), gpus.tolist()) == ([0, 5], [1, 3])
