"""What is clicked on, as Bokeh tells it: read in the browser, where the columns are those that the picture shows."""

from __future__ import annotations

import attrs
import numpy as np
import pytest
from bokeh.models import CustomJS, TapTool

from allotment.experiment.simulate import simulate
from allotment.presets import load_scenario
from allotment.units import DAY
from allotment.views import charts
from allotment.views.charts.drawing import Drawn
from allotment.views.charts.picking import READ, let_pick


@pytest.fixture(scope="module")
def result():
    return simulate(attrs.evolve(load_scenario("small-week"), warmup=0, measured=DAY))


def source_of(drawn, name):
    return next(each.data_source for each in drawn.figure.renderers if each.name == name)


def test_a_click_during_a_redraw_picks_what_was_seen_and_not_what_has_its_place_now(result):
    heard = []
    drawn = Drawn(charts.timeline(result))
    let_pick(drawn, lambda kind, value: heard.append((kind, value)))
    layer = next(each for each in drawn.picture.layers if each.pick is not None and len(each))
    _, column = layer.pick
    source = source_of(drawn, layer.name)
    seen = int(source.data[column][0])  # which the browser still shows
    others = {name: values[::-1] for name, values in layer.columns.items()}
    layers = [attrs.evolve(each, columns=others) if each is layer else each for each in drawn.picture.layers]
    drawn.refresh(attrs.evolve(drawn.picture, layers=layers))
    assert int(np.asarray(source.data[column])[0]) != seen
    source.tags = [seen, 1]
    assert heard == [("job", seen)]


def test_the_browser_reads_the_columns_that_it_has_drawn_and_lets_go_of_the_mark(result):
    drawn = Drawn(charts.timeline(result))
    let_pick(drawn, lambda _kind, _value: None)
    (tool,) = [each for each in drawn.figure.tools if isinstance(each, TapTool)]
    for renderer in tool.renderers:
        source = renderer.data_source
        (script,) = source.selected.js_property_callbacks["change:indices"]
        assert isinstance(script, CustomJS)
        assert script.code == READ
        assert script.args["source"] is source
        assert script.args["column"] in source.data


@pytest.mark.parametrize("said", [[], [None], ["x"], [float("nan")], [[1]], [{}]])
def test_what_no_click_says_is_not_heard(result, said):
    heard = []
    drawn = Drawn(charts.timeline(result))
    let_pick(drawn, lambda *of: heard.append(of))
    layer = next(each for each in drawn.picture.layers if each.pick is not None)
    source_of(drawn, layer.name).tags = said
    assert heard == []
