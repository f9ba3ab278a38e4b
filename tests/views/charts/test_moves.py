"""Who loses by a change: one figure before and after it, row by row."""

from __future__ import annotations

import pytest

from allotment.views import charts
from allotment.views.formats import MINUS
from allotment.views.theme import INK, QUIET


def test_those_who_lose_most_are_on_top_whether_less_or_more_is_better():
    rows = {"gains": (7200.0, 3600.0), "loses": (3600.0, 10800.0), "stays": (60.0, 60.0)}
    waits = charts.moves("Waits", rows, "s", better="less", label="wait")
    assert waits.table.index.to_list() == ["loses", "stays", "gains"]
    assert waits.table["difference"].to_list() == ["+2.0 h", "0", f"{MINUS}1.0 h"]
    assert waits.layer("after").columns["y"].tolist() == [2.0, 1.0, 0.0]
    assert waits.summary == f"Wait; worse: loses (+2.0 h); better: gains ({MINUS}1.0 h)."
    hours = charts.moves("Hours", {"a": (10.0, 20.0), "b": (10.0, 5.0)}, "GPU-hours", better="more")
    assert hours.table.index.to_list() == ["b", "a"]


def test_differences_are_taken_seed_by_seed_and_are_grey_where_seeds_disagree():
    rows = {"clear": ([1.0, 9.0, 5.0], [2.0, 11.0, 8.0]), "not clear": ([1.0, 9.0, None], [2.0, 8.0, 3.0])}
    picture = charts.moves("Work", rows, "count", better="less")
    assert picture.table.loc["clear"].to_list() == ["5", "8", "+2", "+1", "+3", "3"]
    assert picture.table.loc["not clear", "seeds"] == "2"
    assert picture.layer("texts").columns["colour"].tolist() == [INK, QUIET]
    assert "the median over 3 seeds where all of them agree; worse: clear (+2); better: nobody" in picture.summary


def test_what_is_not_known_on_both_sides_is_left_out():
    picture = charts.moves("Parts", {"gone": (None, 0.5), "there": (0.25, 0.5)}, "ratio", better="more")
    assert len(picture.table) == 1
    assert picture.layer("after").columns["x"].tolist() == [0.5]
    assert picture.table["difference"].to_list() == ["+25.0 points"]
    assert "nothing is known" in charts.moves("Nothing", {}, "ratio", better="more").summary


def test_before_and_after_need_as_many_seeds():
    with pytest.raises(ValueError, match="zip"):
        charts.moves("Work", {"a": ([1.0, 2.0], [1.0])}, "count", better="less")
