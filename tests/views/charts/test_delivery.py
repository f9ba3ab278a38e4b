"""The picture of delivery."""

from __future__ import annotations

import pytest

from allotment.views.charts.delivery import delivery
from allotment.views.charts.groups import Highlight
from allotment.views.theme import FADED, PALETTE
from tests.views.charts.looked_at import check


def test_there_is_a_bar_for_every_team_that_was_owed_anything(pair):
    shown = delivery(pair[1])
    check(shown)
    rows = pair[1].delivery().query("is_leaf and owed > 0").sort_values("cumulative")
    bars = shown.layer("delivered").columns
    assert sorted(bars["right"]) == rows["cumulative"].tolist()
    assert bars["right"][-1] == rows["cumulative"].iloc[0]  # the worst on top
    assert len(shown.layer("owed")) == len(shown.y.ticks) == len(rows)


def test_a_mark_says_which_are_below_the_line(made):
    shown = delivery(made)
    check(shown)
    short = (shown.layer("delivered").columns["right"] < 0.95).sum()
    assert len(shown.layer("below")) == short > 0
    assert (shown.table["got 95 % or more"] == "no").sum() == short


def test_of_two_runs_the_first_is_a_dashed_mark(pair):
    shown = delivery(*pair)
    check(shown)
    assert shown.layer("A").style["line_dash"]
    assert 0 < len(shown.layer("A")) <= len(shown.layer("owed"))
    assert "cannot be compared" in shown.summary.split(";")[0]
    assert "cannot be compared" not in shown.summary.split(";")[1]


@pytest.mark.parametrize("picked", [Highlight(team="science"), Highlight(team="science/climate")])
def test_a_team_that_is_picked_out_keeps_its_hue(pair, picked):
    shown = delivery(pair[1], highlight=picked)
    of = dict(zip([text for _, text in shown.y.ticks], shown.layer("delivered").columns["colour"], strict=True))
    assert of["climate"] == PALETTE[1]
    assert of["pretraining"] == FADED


def test_the_budgets_have_a_picture_of_their_own(pair):
    shown = delivery(*pair, level="budgets")
    check(shown)
    assert {text for _, text in shown.y.ticks} == {"language", "science"}
