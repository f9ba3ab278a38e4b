"""The picture of scenarios against a baseline."""

from __future__ import annotations

import numpy as np
import pytest

from allotment.views.charts.comparison import Measured, comparison
from tests.views.charts.looked_at import check


def with_seed(result, seed, **summary):
    return Measured(seed=seed, summary={**result.summary, **summary})


def test_every_figure_has_its_value_and_its_difference(pair):
    shown = comparison({"old": pair[0], "new": pair[1]})
    check(shown)
    summary = [result.summary for result in pair]
    more = summary[1]["preemptions"] - summary[0]["preemptions"]
    assert shown.table.loc["slices displaced"].tolist()[:3] == [
        f"{summary[0]['preemptions']:,}",
        f"{summary[1]['preemptions']:,}",
        f"+{more:,}",
    ]
    assert shown.table.loc["delivered, of what teams were owed", "old"] == "-"  # it cannot be compared
    assert shown.table.index[-1] == "occupied"
    assert len(shown.layer("baseline")) + len(shown.layer("others")) <= 2 * len(shown.table)


def test_another_scenario_can_be_pinned(pair):
    shown = comparison({"old": pair[0], "new": pair[1]}, pinned="new")
    check(shown)
    assert shown.title == "Scenarios against new"
    assert shown.table.columns[0] == "new"


def test_differences_are_taken_seed_by_seed(pair):
    base = [with_seed(pair[1], seed, occupancy=value) for seed, value in enumerate((0.5, 0.9, 0.7))]
    more = [with_seed(pair[1], seed, occupancy=value) for seed, value in enumerate((0.6, 0.95, 0.72))]
    shown = comparison({"base": base, "more": more})
    check(shown)
    cells = shown.table.loc["occupied"].tolist()
    assert cells == ["70.0 %", "72.0 %", "+5.0 points", "[+2.0 points, +10.0 points]"]


def test_what_the_seeds_do_not_agree_on_is_grey_and_not_in_the_sentence(pair):
    base = [with_seed(pair[1], seed, occupancy=0.5) for seed in range(2)]
    both = [with_seed(pair[1], seed, occupancy=value) for seed, value in enumerate((0.4, 0.6))]
    shown = comparison({"base": base, "both": both})
    check(shown)
    said = "Against base, the median of 2 seeds, where all of them agree on the sign: both: no clear difference."
    assert shown.summary == f"{said} What is grey may be chance."
    assert len(set(shown.layer("texts").columns["colour"])) == 2


def test_the_sentence_over_seeds_says_between_what_the_difference_lies(pair):
    base = [with_seed(pair[1], seed, occupancy=0.5) for seed in range(10)]
    more = [with_seed(pair[1], seed, occupancy=0.6 + seed / 100) for seed in range(10)]
    shown = comparison({"base": base, "more": more})
    assert "occupied 64.5 % (+14.5 points; +10.0 points to +19.0 points)" in shown.summary
    assert shown.table.columns[-1] == "more: least and most of 10 seeds"


def test_of_one_seed_no_interval_is_shown_as_it_would_look_certain(pair):
    shown = comparison({"old": pair[0], "new": pair[1]})
    assert shown.table.columns.tolist() == ["old", "new", "new: difference"]
    assert shown.summary.endswith("One seed: it may be chance.")


def test_that_the_sentence_leaves_something_out_is_said(pair):
    shown = comparison({"old": pair[0], "new": pair[1]})
    check(shown)
    assert "and more, which the table has" in shown.summary


def test_what_cannot_be_compared_says_why(pair):
    with pytest.raises(ValueError, match="at least one scenario"):
        comparison({})
    with pytest.raises(ValueError, match="the baseline 'x' is none of the scenarios 'a'"):
        comparison({"a": pair[0]}, pinned="x")
    with pytest.raises(ValueError, match="their seeds differ"):
        comparison({"a": with_seed(pair[0], 1), "b": with_seed(pair[0], 2)})


def test_a_scenario_alone_has_no_differences(pair):
    shown = comparison({"alone": pair[1]})
    check(shown)
    assert shown.summary == "Only alone was simulated."
    assert np.isfinite(shown.layer("baseline").columns["x"]).all()
