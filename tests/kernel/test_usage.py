"""Use over the window, against sums over the changes themselves."""

from __future__ import annotations

import math

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allotment.model.policy import Window
from allotment.units import DAY, HOUR
from tests.laws.made import budgets, job, plan, scenario, table

CURVE = 0
changes = st.lists(st.tuples(st.integers(0, 2 * HOUR), st.integers(0, 8)), min_size=1, max_size=30)


def state(plain, lookback, half_life=None, share="1/2"):
    policy = attrs.evolve(budgets(), window=Window(lookback=lookback, half_life=half_life))
    of = scenario(policy, plan(a=share), horizon=30 * DAY)
    return plain.engine.Engine(of, table(["a"], [job("a", 1, 1)]))._state


def rates(found):
    """Turn waits and rates into (begin, end, rate), the last one open."""
    time, steps = 0, []
    for wait, rate in found:
        time += wait
        steps.append((time, rate))
    ends = [*(begin for begin, _ in steps[1:]), math.inf]
    return [(begin, end, rate) for (begin, rate), end in zip(steps, ends, strict=True)]


@settings(deadline=None)
@given(
    found=changes, lookback=st.sampled_from([HOUR, 3 * HOUR, DAY]), looks=st.lists(st.integers(0, HOUR), max_size=10)
)
def test_use_in_the_window_is_exact_to_the_second_and_old_points_are_used_again(plain, found, lookback, looks):
    s = state(plain, lookback)
    steps, before, now = rates(found), 0, 0
    for begin, _end, rate in steps:
        plain.usage.change_rate(s, CURVE, begin, rate - before)
        before, now = rate, begin
        start = max(now - lookback, 0)
        assert plain.usage.in_window(s, CURVE, now) == brute(steps, start, now)
        live, at = 1, s.curves[CURVE].oldest
        while s.points[at].next >= 0:
            at, live = s.points[at].next, live + 1
        assert live <= 2 + sum(step[0] > start and step[0] <= now for step in steps)
    for wait in looks:
        now += wait
        assert plain.usage.in_window(s, CURVE, now) == brute(steps, max(now - lookback, 0), now)
    assert s.clock[0].points <= len(s.curves) + len({begin for begin, *_ in steps})


def brute(steps, start, now):
    return sum(rate * max(0, min(end, now) - max(begin, start)) for begin, end, rate in steps)


def brute_decayed(steps, start, now, half_life):
    """Integrate rate x 2^(-age / half-life) piece by piece."""
    scale = half_life / math.log(2)
    total = 0.0
    for begin, end, rate in steps:
        since, until = max(begin, start), min(end, now)
        if until > since:
            total += rate * scale * (2 ** ((until - now) / half_life) - 2 ** ((since - now) / half_life))
    return total


@settings(deadline=None)
@given(found=changes, lookback=st.sampled_from([HOUR, DAY]), half_life=st.sampled_from([HOUR, 5 * HOUR, 7 * DAY]))
def test_use_that_fades_is_the_integral_of_what_is_left_of_it(plain, found, lookback, half_life):
    s = state(plain, lookback, half_life)
    steps, before = rates(found), 0
    for begin, _end, rate in steps:
        plain.usage.change_rate(s, CURVE, begin, rate - before)
        before = rate
        due = brute_decayed(steps, max(begin - lookback, 0), begin, half_life)
        assert plain.usage.in_window(s, CURVE, begin) == pytest.approx(due, abs=2, rel=1e-9)


@settings(deadline=None)
@given(age=st.integers(0, 10**8), half_life=st.integers(1, 10**7))
def test_decay_is_two_to_the_minus_age_over_half_life(plain, age, half_life):
    assert plain.usage.decayed(age, half_life) == pytest.approx(2.0 ** (-age / half_life), rel=1e-12, abs=1e-300)


@pytest.mark.parametrize(
    ("lookback", "now", "seconds"),
    [
        (7 * DAY, 0, DAY),  # nothing has passed: everybody has a day to spend
        (7 * DAY, HOUR, DAY),
        (7 * DAY, 2 * DAY, 2 * DAY),
        (7 * DAY, 9 * DAY, 7 * DAY),
        (6 * HOUR, HOUR, 6 * HOUR),  # a shorter window gives no more than itself
        (6 * HOUR, 12 * HOUR, 6 * HOUR),
    ],
)
def test_an_entitlement_is_that_of_a_window_and_at_first_of_a_day(plain, lookback, now, seconds):
    s = state(plain, lookback)
    s.clock[0].now = now
    plain.usage.refresh(s)
    assert s.tree[0].entitled == 8 * seconds // 2
