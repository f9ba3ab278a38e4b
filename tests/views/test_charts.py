"""Charts, as the models that a browser is given: no browser is needed to see that an axis cannot be drawn."""

from __future__ import annotations

import holoviews as hv
import numpy as np
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
