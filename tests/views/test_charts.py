"""Charts, as the models that a browser is given: no browser is needed to see that an axis cannot be drawn."""

from __future__ import annotations

import holoviews as hv
import numpy as np
import pandas as pd
import pytest
from bokeh.models import CategoricalAxis, FactorRange, GlyphRenderer, NumeralTickFormatter, PrintfTickFormatter, Text
from bokeh.models.plots import Plot

from allotment.results.result import Result
from allotment.units import DAY, HOUR
from allotment.views import charts
from allotment.views.theme import NARROWEST
from tests.results.made import a_run

NUMBERS_ONLY = (NumeralTickFormatter, PrintfTickFormatter, Text)


@pytest.fixture(scope="module")
def result() -> Result:
    return a_run().result()


def model(chart: hv.Overlay) -> Plot:
    return hv.render(chart, backend="bokeh")


def check(figure: Plot) -> None:
    """Find nothing that a browser cannot draw, or that is cut off where there is little room."""
    for axis in [*figure.xaxis, *figure.yaxis]:
        assert not (isinstance(axis, CategoricalAxis) and isinstance(axis.formatter, NUMBERS_ONLY))
    glyphs = [each for each in figure.renderers if isinstance(each, GlyphRenderer)]
    assert glyphs
    for each in glyphs:
        columns = each.data_source.data
        assert columns
        assert all(len(values) for values in columns.values())
    assert figure.sizing_mode in ("stretch_width", "scale_width", "stretch_both")
    assert figure.min_width == NARROWEST
    assert figure.legend
    assert all(legend.ncols <= 2 for legend in figure.legend)
    assert figure.legend in figure.below or any(legend in figure.below for legend in figure.legend)


def test_delivery_has_a_bar_and_a_mark_for_every_team_that_was_owed_anything(result):
    figure = model(charts.delivery(result.delivery()))
    check(figure)
    rows = result.delivery().query("is_leaf and owed > 0")
    assert isinstance(figure.y_range, FactorRange)
    assert set(figure.y_range.factors) == set(rows["node"].astype("str"))
    (axis,) = figure.xaxis
    assert isinstance(axis.formatter, NUMBERS_ONLY)
    assert axis.ticker.desired_num_ticks <= 4


def test_a_number_format_on_the_axis_of_names_would_be_found(result):
    chart = charts.delivery(result.delivery()).opts(yformatter=NumeralTickFormatter(format="0a"))
    with pytest.raises(AssertionError):
        check(model(chart))


def test_occupancy_stacks_to_what_is_healthy_and_marks_the_warm_up(result):
    table = result.occupancy(hours=1)
    figure = model(charts.occupancy(table, result.scenario.warmup))
    check(figure)
    assert figure.x_range.end * DAY == pytest.approx(table["time"].iloc[-1])
    parts = table["allocated"] + table["unallocated"] + table["idle"]
    assert np.allclose(parts, table["healthy"])
    texts = [
        each.data_source.data["text"] for each in figure.renderers if isinstance(getattr(each, "glyph", None), Text)
    ]
    assert [list(text) for text in texts] == [["warm-up"]]


def test_occupancy_averages_what_the_hours_hold(result):
    hours, blocks = result.cluster, result.occupancy(hours=2)
    assert blocks["allocated"].iloc[0] == pytest.approx(hours["allocated"].iloc[:2].mean())
    assert blocks["time"].iloc[0] == HOUR
    last = hours.iloc[2:]
    length = last["capacity"].sum() / result.scenario.cluster.gpus
    assert blocks["unallocated"].iloc[-1] == pytest.approx(last["unallocated"].sum() / length)


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


def test_a_tornado_has_a_row_for_every_setting_and_the_one_that_moves_most_on_top():
    figure = model(charts.tornado(effects(), "work_lost", "work lost"))
    check(figure)
    (axis,) = figure.yaxis
    names = [axis.major_label_overrides[at] for at in sorted(axis.major_label_overrides)]
    assert names == ["<i>margin</i>\n0", "checkpoints\nx 1/3 | x 3"]
    assert figure.xaxis[0].axis_label == "work lost: change (points)"


def test_the_bars_of_a_tornado_are_its_differences_and_pale_where_they_may_be_none():
    figure = model(charts.tornado(effects(), "work_lost"))
    bars = [
        each.data_source.data
        for each in figure.renderers
        if isinstance(each, GlyphRenderer) and "alpha" in each.data_source.data
    ]
    found = {
        (setting, label): (difference, alpha == 1)
        for data in bars
        for setting, label, difference, alpha in zip(
            data["setting"], data["label"], data["difference"], data["alpha"], strict=True
        )
    }
    assert found == {
        ("checkpoints", "x 1/3"): (-2, True),
        ("checkpoints", "x 3"): (6, True),
        ("<i>margin</i>", "0"): (1, False),
    }


def test_long_waits_in_a_tornado_are_told_in_hours():
    assert model(charts.tornado(effects(), "all_p90")).xaxis[0].axis_label == "all_p90: change (h)"
