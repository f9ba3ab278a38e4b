"""The four words, and when each is said."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from allotment.experiment.spread import Spread
from allotment.lessons.card import Predicts
from allotment.lessons.verdict import FEWEST, Finding, Verdict, finding, interval, verdict

HOLDS, FAILS, OPEN = Finding.HOLDS, Finding.FAILS, Finding.OPEN


def lies(low: float, high: float) -> Spread:
    return Spread(values=(), median=(low + high) / 2, mean=(low + high) / 2, low=low, high=high)


@pytest.mark.parametrize(
    ("low", "high", "less", "same", "more"),
    [
        (-30, -20, HOLDS, FAILS, FAILS),
        (-30, -10, HOLDS, FAILS, FAILS),
        (-30, -9, OPEN, OPEN, FAILS),
        (-9, 9, FAILS, HOLDS, FAILS),
        (-9, 10, FAILS, OPEN, OPEN),
        (10, 10, FAILS, FAILS, HOLDS),
        (20, 30, FAILS, FAILS, HOLDS),
        (-20, 20, OPEN, OPEN, OPEN),
        (0, 0, FAILS, HOLDS, FAILS),
    ],
)
def test_a_belief_holds_where_the_whole_interval_lies_beyond_what_matters_on_its_side(low, high, less, same, more):
    found = [finding(lies(low, high), predicts, 10, 20) for predicts in (Predicts.LESS, Predicts.SAME, Predicts.MORE)]
    assert found == [less, same, more]


@pytest.mark.parametrize("predicts", list(Predicts))
def test_with_fewer_seeds_than_make_an_interval_nothing_is_shown(predicts):
    assert finding(lies(20, 30), predicts, 10, FEWEST - 1) is OPEN
    assert finding(lies(20, 30), predicts, 10, FEWEST) is not OPEN


def test_true_and_false_want_every_condition_and_conditional_wants_both():
    words = {
        (HOLDS, HOLDS): Verdict.TRUE,
        (FAILS, FAILS): Verdict.FALSE,
        (HOLDS, FAILS): Verdict.CONDITIONAL,
        (HOLDS, OPEN): Verdict.NOT_SHOWN,
        (FAILS, OPEN): Verdict.NOT_SHOWN,
        (OPEN, OPEN): Verdict.NOT_SHOWN,
        (HOLDS, FAILS, OPEN): Verdict.CONDITIONAL,
    }
    assert {findings: verdict(findings) for findings in words} == words
    assert [word.value for word in Verdict] == ["TRUE", "FALSE", "CONDITIONAL", "NOT SHOWN"]


@given(st.lists(st.sampled_from(Finding), min_size=1, max_size=4))
def test_a_verdict_stays_whatever_open_conditions_turn_out_to_be(findings):
    said = verdict(findings)
    closed = [(HOLDS, FAILS) if each is OPEN else (each,) for each in findings]
    outcomes = {verdict(each) for each in product(*closed)}
    assert outcomes == {said} if said is not Verdict.NOT_SHOWN else len(outcomes) > 1


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=25))
def test_the_interval_holds_the_median_and_lies_within_the_values(values):
    found = interval(values)
    assert min(values) <= found.low <= found.median <= found.high <= max(values)
    assert interval(values) == found


@given(st.lists(st.integers(-1000, 1000).map(float), min_size=3, max_size=20), st.sampled_from(Predicts))
def test_what_a_belief_in_more_says_of_values_one_in_less_says_of_their_opposites(values, predicts):
    other = Predicts(-predicts)
    up, down = interval(values), interval([-value for value in values])
    mirrored = lies(-up.high, -up.low)
    assert finding(up, predicts, 10, 20) is finding(mirrored, other, 10, 20)
    assert (down.median, len(down.values)) == (-up.median, len(up.values))


def test_the_interval_of_a_median_covers_it_about_as_often_as_it_says():
    rng = np.random.default_rng(0)
    hits = [found.low <= 0 <= found.high for found in (interval(rng.normal(size=20).tolist()) for _ in range(300))]
    assert 0.9 <= np.mean(hits) <= 0.99
