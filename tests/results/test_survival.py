import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import CensoredData, ecdf

from allotment.results.survival import curve

waits = st.lists(st.tuples(st.integers(0, 30), st.booleans()), min_size=1, max_size=60)


def of(rows):
    waited = np.array([wait for wait, _ in rows], np.int64)
    return curve(waited, np.array([started for _, started in rows], bool))


@given(waits)
def test_it_is_what_scipy_estimates(rows):
    ours = of(rows)
    started = [wait for wait, over in rows if over]
    theirs = ecdf(CensoredData(uncensored=started, right=[wait for wait, over in rows if not over])).cdf
    known = dict(zip(theirs.quantiles.tolist(), theirs.probabilities.tolist(), strict=True))
    assert ours.time.tolist() == sorted(set(started))
    assert ours.over.tolist() == pytest.approx([known[time] for time in ours.time.tolist()], abs=1e-12)


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
