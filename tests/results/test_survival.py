from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from allotment.results.survival import curve

waits = st.lists(st.tuples(st.integers(0, 30), st.booleans()), min_size=1, max_size=60)


def of(rows):
    waited = np.array([wait for wait, _ in rows], np.int64)
    return curve(waited, np.array([started for _, started in rows], bool))


@given(waits)
def test_it_is_the_product_limit_worked_out_in_fractions(rows):
    ours = of(rows)
    left, known = Fraction(1), {}
    for time in sorted({wait for wait, over in rows if over}):
        at_risk = sum(wait >= time for wait, _ in rows)
        left *= 1 - Fraction(sum(wait == time and over for wait, over in rows), at_risk)
        known[time] = float(1 - left)
    assert ours.time.tolist() == list(known)
    assert ours.over.tolist() == pytest.approx(list(known.values()), abs=1e-12)


@given(st.lists(st.integers(0, 1000), min_size=1, max_size=200), st.integers(1, 100))
def test_where_all_started_a_quantile_is_the_smallest_wait_that_enough_had(waited, percent):
    enough = -(-len(waited) * percent // 100)  # at least this many have waited no longer
    assert of([(wait, True) for wait in waited]).quantile(percent / 100) == sorted(waited)[enough - 1]


def test_a_job_that_never_started_is_not_missing():
    rows = [(10, True), (20, True), (30, True), (40, False)]
    assert of(rows).quantile(0.5) == 20
    assert of(rows[:3]).quantile(0.9) == 30
    assert of(rows).quantile(0.9) is None  # not 30: a quarter waits longer than anybody knows


def test_who_is_last_seen_waiting_at_a_start_still_waited_then():
    assert of([(10, True), (10, False)]).over.tolist() == [0.5]


def test_nobody_has_no_quantile():
    assert of([]).quantile(0.5) is None
    assert of([(5, False)]).quantile(0.01) is None
