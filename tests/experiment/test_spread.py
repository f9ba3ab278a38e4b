"""Intervals over seeds."""

from __future__ import annotations

import pytest

from allotment.experiment.spread import coverage, interval_rank, spread


@pytest.mark.parametrize(("n", "rank"), [(1, 1), (2, 1), (5, 1), (6, 1), (9, 2), (10, 2), (12, 3), (25, 8)])
def test_the_interval_is_the_narrowest_that_covers_the_median_often_enough(n, rank):
    assert interval_rank(n) == rank
    assert coverage(n, rank + 1) < 0.95


def test_a_figure_that_a_seed_lacks_has_no_spread():
    assert spread([1, None, 3], 1) is None


def test_values_stay_in_the_order_of_their_seeds():
    found = spread([3, 1, 2, 9], 1)
    assert found is not None
    assert (found.values, found.median, found.low, found.high) == ((3, 1, 2, 9), 2.5, 1, 9)
