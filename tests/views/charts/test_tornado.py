"""The tornado, as the models that a browser is given."""

from __future__ import annotations

import holoviews as hv
import pandas as pd
from bokeh.models import CategoricalAxis, GlyphRenderer, NumeralTickFormatter, PrintfTickFormatter, Text
from bokeh.models.plots import Plot

from allotment.views import charts
from allotment.views.theme import NARROWEST

NUMBERS_ONLY = (NumeralTickFormatter, PrintfTickFormatter, Text)


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
