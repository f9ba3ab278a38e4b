"""The picture of what moves a figure."""

from __future__ import annotations

import pandas as pd

from allotment.views.charts import tornado
from tests.views.charts.looked_at import check


def effects() -> pd.DataFrame:
    """Return a table of two settings, of which one moves work lost both ways and the other not."""
    columns = ["setting", "side", "label", "figure", "unit", "base", "difference", "lowest", "highest", "moves"]
    rows = [
        ("checkpoints", "low", "x 1/3", "work_lost", "ratio", 0.05, -0.02, -0.03, -0.01, True),
        ("checkpoints", "high", "x 3", "work_lost", "ratio", 0.05, 0.06, 0.05, 0.07, True),
        ("<i>margin</i>", "low", "0", "work_lost", "ratio", 0.05, 0.01, -0.01, 0.02, False),
        ("<i>margin</i>", "low", "0", "all_p90", "s", 100, 7_200, 3_600, 9_000, True),
    ]
    return pd.DataFrame(rows, columns=columns)


def test_it_has_a_row_for_every_setting_and_the_one_that_moves_most_on_top():
    shown = tornado(effects(), "work_lost", "work lost")
    check(shown)
    names = shown.layer("names").columns
    assert names["text"][names["y"].argsort()].tolist() == ["<i>margin</i>", "checkpoints"]
    assert shown.title == "What moves work lost"
    assert shown.summary == (
        "What moves work lost most is checkpoints, turned to x 3: +6.0 points; not clearly moved by <i>margin</i>."
    )


def test_the_bars_are_the_differences_and_pale_where_they_may_be_none():
    shown = tornado(effects(), "work_lost")
    found = {}
    for side in ("low", "high"):
        of = shown.layer(side).columns
        ends = zip(of["setting"], of["left"] + of["right"], of["alpha"] == 1, strict=True)
        found.update({(side, setting): (end, full) for setting, end, full in ends})
    assert found == {
        ("low", "checkpoints"): (-0.02, True),
        ("high", "checkpoints"): (0.06, True),
        ("low", "<i>margin</i>"): (0.01, False),
    }


def test_waits_are_told_as_waits():
    shown = tornado(effects(), "all_p90")
    check(shown)
    assert shown.table["change of all_p90"].tolist() == ["+2.0 h"]


def test_a_figure_that_nothing_moves_has_a_picture():
    shown = tornado(effects().iloc[:0], "work_lost")
    check(shown)
    assert shown.summary == "Nothing was turned that could move work_lost."
