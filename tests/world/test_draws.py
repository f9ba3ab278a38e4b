from __future__ import annotations

import numpy as np
import pytest

from allotment.world.draws import LONGEST, log_normal, memoryless


def test_half_of_the_durations_lie_below_the_median_and_nine_in_ten_below_the_known_multiple():
    u = np.random.default_rng(0).random(50_000)
    drawn = log_normal(u, 3600, 1.0)
    assert np.median(drawn) == pytest.approx(3600, rel=0.02)
    assert np.quantile(drawn, 0.9) == pytest.approx(3600 * 3.602, rel=0.03)


def test_the_time_between_failures_has_the_mean_it_should():
    u = np.random.default_rng(0).random(50_000)
    assert np.mean(memoryless(u, 86_400)) == pytest.approx(86_400, rel=0.02)


def test_durations_are_whole_at_least_a_second_and_never_overflow():
    edges = np.array([0.0, 0.5, 1 - 2**-53])
    for drawn in (log_normal(edges, 1, 5.0), log_normal(edges, 10**9, 5.0), memoryless(edges, 10**12)):
        assert drawn.dtype == np.int64
        assert drawn.min() >= 1
        assert drawn.max() <= LONGEST
