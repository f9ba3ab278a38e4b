"""The picture of queue waits."""

from __future__ import annotations

import numpy as np

from allotment.views.charts.groups import Highlight
from allotment.views.charts.waits import waits
from tests.views.charts.looked_at import check


def test_waits_count_those_that_never_started(made):
    shown = waits(made)
    check(shown)
    assert shown.table.loc["debug"].tolist()[0] == "2"
    assert shown.table.loc["debug"].tolist()[3] == "2"
    assert "2 never started" in shown.layer("rug").columns["text"].tolist()[0]


def test_a_curve_of_waits_ends_where_the_estimate_does(pair):
    shown = waits(*pair, kinds=["debug"])
    check(shown)
    for letter, result in zip("AB", pair, strict=True):
        table = result.waits().set_index("of").loc["debug"]
        handles = shown.layer(f"handles {letter}").columns
        assert sorted(handles["x"]) == sorted(max(1, table[each]) for each in ("p50", "p90"))
        y = shown.layer(letter).columns["y"]
        assert 0.9 < np.nanmax(y) <= 1.0
        assert np.all(np.diff(y) >= 0)
    assert shown.layer("A").style["line_dash"]
    assert not shown.layer("B").style["line_dash"]
    assert shown.layer("A").style["line_color"] == shown.layer("B").style["line_color"]


def test_work_that_comes_at_other_times_is_marked_where_two_are_compared(pair):
    assert "training*" in [text for _, text in waits(*pair).y.ticks]
    assert "debug" in [text for _, text in waits(*pair).y.ticks]
    assert "training" in [text for _, text in waits(pair[0]).y.ticks]


def test_the_waits_of_a_team_are_of_its_jobs(pair):
    shown = waits(pair[1], highlight=Highlight(team="science"))
    assert " jobs of science wait less than " in shown.summary  # or it contradicts the table of all teams beside it
    check(shown)
    jobs = pair[1].jobs
    mine = jobs[(jobs["budget"].astype("str") == "science") & (jobs["submit"] >= pair[1].scenario.warmup)]
    assert sum(int(n.replace(",", "")) for n in shown.table["jobs"]) == len(mine)
