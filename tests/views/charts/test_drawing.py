"""Pictures as Bokeh gets them, once and again; no browser is needed."""

from __future__ import annotations

import attrs
import numpy as np
import pandas as pd
import pytest
from bokeh.document import Document
from bokeh.document.events import ColumnDataChangedEvent, DocumentChangedEvent
from bokeh.models import HoverTool, PlainText, WheelZoomTool

from allotment.views.charts.drawing import Drawn, columns_of, draw
from allotment.views.charts.hatching import crossed, hatched
from allotment.views.charts.picture import PLACES, Axis, By, Key, Layer, Picture
from allotment.views.theme import DARK, NARROWEST, PALETTE

COLUMNS = {
    "curve": {"x": [1, 2], "y": [3, 4]},
    "step": {"x": [1, 2], "y": [3, 4]},
    "area": {"x": [1, 2], "low": [0, 0], "high": [3, 4]},
    "scatter": {"x": [1], "y": [2]},
    "segments": {"x0": [1], "y0": [2], "x1": [3], "y1": [4]},
    "rectangles": {"left": [1], "bottom": [2], "right": [3], "top": [4]},
    "labels": {"x": [1], "y": [2], "text": ["here"]},
}


def layer(mark: str, **more: object) -> Layer:
    return Layer(name=mark, mark=mark, columns=COLUMNS[mark], **more)


def picture(*layers: Layer, **more: object) -> Picture:
    given = {
        "title": "T",
        "x": Axis(low=0, high=10),
        "y": Axis(low=0, high=10),
        "summary": "None.",
        "table": pd.DataFrame(),
    }
    return Picture(layers=layers, **{**given, **more})


def empty(of: Layer) -> Layer:
    return attrs.evolve(of, columns={name: values[:0] for name, values in of.columns.items()})


def test_every_mark_is_drawn_in_its_order_and_with_its_name():
    drawn = Drawn(picture(*(layer(mark) for mark in PLACES)))
    assert [each.name for each in drawn.figure.renderers] == list(PLACES)
    kinds = [type(each.glyph).__name__ for each in drawn.figure.renderers]
    assert kinds == ["Line", "Line", "Patch", "Scatter", "Segment", "Quad", "Text"]


@pytest.mark.parametrize("mark", PLACES)
def test_a_layer_may_be_empty_and_filled_later(mark):
    drawn = Drawn(picture(empty(layer(mark))))
    drawn.refresh(picture(layer(mark)))
    (source,) = [each.data_source for each in drawn.figure.renderers]
    assert {name: list(values) for name, values in source.data.items()} == {
        name: list(values) for name, values in columns_of(layer(mark)).items()
    }
    drawn.refresh(picture(empty(layer(mark))))
    assert {len(values) for values in source.data.values()} == {0}


def test_a_refreshed_picture_is_the_one_that_would_be_drawn():
    before = picture(layer("rectangles"), layer("labels"), keys=[Key(name="a", mark="rectangles", style={}, text="")])
    after = picture(
        layer("rectangles", style={"fill_color": "#123456"}),
        Layer(name="labels", mark="labels", columns={"x": [7], "y": [8], "text": ["there"]}),
        keys=[Key(name="a", mark="rectangles", style={"fill_color": "#654321"}, text="bars")],
        title="U",
        summary="One.",
        x=Axis(low=1, high=5, label="days", ticks=((1, "one"),)),
        height=500,
    )
    refreshed, fresh = Drawn(before), Drawn(after)
    refreshed.refresh(after)
    one, other = refreshed.figure, fresh.figure
    assert (one.title.text, one.height) == (other.title.text, other.height)
    assert (one.x_range.start, one.x_range.end) == (other.x_range.start, other.x_range.end) == (1, 5)
    assert one.xaxis.axis_label == other.xaxis.axis_label
    assert one.xaxis[0].major_label_overrides == other.xaxis[0].major_label_overrides == {1: "one"}
    assert list(one.xaxis[0].ticker.ticks) == [1]
    assert one.renderers[0].glyph.fill_color == "#123456"
    assert [(item.label.value, item.visible) for item in one.legend[0].items] == [("bars", True)]
    assert one.legend[0].items[0].renderers[0].glyph.fill_color == "#654321"
    assert one.renderers[1].data_source.data["text"][0] == "there"


def test_a_refresh_builds_nothing():
    shown = picture(*(layer(mark) for mark in PLACES))
    drawn = Drawn(shown)
    models = drawn.figure.references()
    drawn.refresh(
        attrs.evolve(shown, layers=[empty(each) for each in shown.layers], y=Axis(low=1, high=2, ticks=((1, "a"),)))
    )
    assert drawn.figure.references() == models


def test_other_layers_cannot_be_shown_in_place():
    drawn = Drawn(picture(layer("curve")))
    with pytest.raises(ValueError, match="draw it anew"):
        drawn.refresh(picture(layer("scatter")))


def test_a_layer_without_a_column_it_needs_is_refused():
    with pytest.raises(ValueError, match="layer 'l' lacks the columns colour, y"):
        Layer(name="l", mark="scatter", columns={"x": [1]}, style={"fill_color": By("colour")})


def test_columns_of_different_lengths_are_refused():
    with pytest.raises(ValueError, match="equally long"):
        Layer(name="l", mark="scatter", columns={"x": [1], "y": []})


def test_two_layers_of_one_name_are_refused():
    with pytest.raises(ValueError, match="names of their own"):
        picture(layer("curve"), layer("curve"))


@pytest.mark.parametrize("ends", [(1, 1), (2, 1), (0, float("nan"))])
def test_an_axis_goes_up(ends):
    with pytest.raises(ValueError, match="must go up"):
        Axis(low=ends[0], high=ends[1])


def test_a_logarithmic_axis_begins_above_nothing():
    with pytest.raises(ValueError, match="above 0, not at 0"):
        Axis(low=0, high=1, scale="log")


def test_steps_have_their_corners_and_areas_their_outline():
    assert {name: list(at) for name, at in columns_of(layer("step")).items()} == {"x": [1, 2, 2], "y": [3, 3, 4]}
    assert {name: list(at) for name, at in columns_of(layer("area")).items()} == {"x": [1, 2, 2, 1], "y": [3, 4, 0, 0]}


def test_areas_are_parted_where_a_number_is_missing():
    nan = np.nan
    two = Layer(name="a", mark="area", columns={"x": [1, 2, nan, 5], "low": [0, 0, nan, 0], "high": [1, 1, nan, 2]})
    found = columns_of(two)
    assert np.array_equal(found["x"], [1, 2, 2, 1, nan, 5, 5], equal_nan=True)


def test_nothing_takes_the_scroll_wheel_and_the_page_decides_on_the_width():
    figure = Drawn(picture(layer("curve"))).figure
    assert figure.toolbar_location is None
    assert not [tool for tool in figure.tools if isinstance(tool, WheelZoomTool)]
    assert figure.sizing_mode in ("stretch_width", "scale_width")
    assert figure.min_width == NARROWEST


@pytest.mark.parametrize("name", ["$$x$$", r"\(x\)", r"a \[b\]"])
def test_what_looks_like_a_formula_is_text(name):
    shown = picture(layer("curve"), title=name, x=Axis(low=0, high=1, label=name, ticks=((0, name),)))
    figure = Drawn(shown).figure
    for text in (figure.title.text, figure.xaxis[0].axis_label, figure.xaxis[0].major_label_overrides[0]):
        assert isinstance(text, PlainText)
        assert text.text == name


def test_hovers_read_columns_and_no_markup():
    told = Layer(
        name="p", mark="scatter", columns={"x": [1], "y": [2], "team": ["<b>x</b>"]}, hover=(("team", "team"),)
    )
    (tool,) = [tool for tool in Drawn(picture(told)).figure.tools if isinstance(tool, HoverTool)]
    assert tool.tooltips == [("team", "@{team}")]


def test_a_notebook_shows_it_as_holoviews_does():
    shown = draw(picture(layer("curve"), layer("labels")))
    assert len(shown) == 2


def hatched_by(*colours: str) -> Layer:
    columns = {"left": range(len(colours)), "bottom": 0 * np.arange(len(colours)), "right": [9] * len(colours)}
    return Layer(
        name="h",
        mark="rectangles",
        columns={**columns, "top": [5] * len(colours), "hue": np.array(colours, object)},
        style=hatched(By("hue")),
    )


def test_every_hatch_is_a_texture_that_is_there_before_it_is_drawn():
    one = Layer(name="one", mark="area", columns=COLUMNS["area"], style=hatched("#010203"))
    drawn = Drawn(
        picture(one, hatched_by(PALETTE[0]), keys=[Key(name="k", mark="area", style=crossed(DARK), text="k")])
    )
    glyphs = {each.name: each.glyph for each in drawn.figure.renderers}
    assert "#010203" in glyphs["one"].hatch_extra
    assert glyphs["one"].hatch_pattern == "#010203"
    assert {*PALETTE} <= glyphs["h"].hatch_extra.keys()
    assert DARK in glyphs["key k"].hatch_extra
    drawn.refresh(
        picture(
            one, hatched_by("#0a0b0c", PALETTE[1]), keys=[Key(name="k", mark="area", style=crossed(DARK), text="k")]
        )
    )
    assert {"#0a0b0c", *PALETTE} <= glyphs["h"].hatch_extra.keys()


def changes_of(drawn: Drawn, after: Picture) -> list[DocumentChangedEvent]:
    """Return what a page is told when a picture is brought up to date."""
    document, told = Document(), []
    document.add_root(drawn.figure)
    document.on_change(told.append)
    drawn.refresh(after)
    return told


def test_a_column_that_stays_is_not_sent_again():
    drawn = Drawn(picture(layer("rectangles"), layer("area")))
    moved = [
        attrs.evolve(layer(mark), columns={**COLUMNS[mark], name: [7] * n})
        for mark, name, n in (("rectangles", "top", 1), ("area", "low", 2))
    ]
    told = changes_of(drawn, picture(*moved))
    assert [(type(each), sorted(each.cols)) for each in told] == [
        (ColumnDataChangedEvent, ["top"]),
        (ColumnDataChangedEvent, ["y"]),
    ]


def test_numbers_that_change_are_none_of_the_legends():
    # Bokeh makes all of a legend anew when anything changes that its entries speak of.
    drawn = Drawn(
        picture(layer("area"), keys=[Key(name="area", mark="area", style={"fill_color": "red"}, text="area")])
    )
    spoken_of = {renderer for item in drawn.figure.legend[0].items for renderer in item.renderers}
    assert spoken_of.isdisjoint({each for each in drawn.figure.renderers if each.name == "area"})
    below = set().union(*(renderer.references() for renderer in spoken_of))
    told = changes_of(
        drawn,
        picture(attrs.evolve(layer("area"), columns={"x": [1], "low": [0], "high": [9]}), keys=drawn.picture.keys),
    )
    assert told
    assert {each.model for each in told}.isdisjoint(below)
