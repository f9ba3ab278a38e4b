"""A picture is drawn once, by HoloViews with Bokeh; when its numbers change, its columns are set and nothing is built.

What people typed is drawn as text: Bokeh writes hovers as text unless it is told otherwise, and what looks like a formula
to it is wrapped as plain text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import attrs
import holoviews as hv
import holoviews.plotting.bokeh
import numpy as np
from bokeh.models import FixedTicker, HoverTool, PlainText, Plot
from bokeh.models.annotations import Legend, LegendItem
from bokeh.models.renderers import GlyphRenderer

from allotment.views.charts.hatching import textures
from allotment.views.charts.picture import PLACES, Array, Axis, By, Key, Layer, Picture
from allotment.views.theme import FADED, FONT_SIZES, GRID, INK, NARROWEST, NEUTRAL, PALETTE, QUIET

ELEMENTS: Mapping[str, Callable[..., Any]] = {
    "curve": lambda c: hv.Curve((c["x"], c["y"]), "x", "y"),
    "step": lambda c: hv.Curve((c["x"], c["y"]), "x", "y"),
    "area": lambda c: hv.Area((c["x"], c["y"]), "x", "y"),
    "scatter": lambda c: hv.Scatter((c["x"], c["y"]), "x", "y"),
    "segments": lambda c: hv.Segments((c["x0"], c["y0"], c["x1"], c["y1"]), ["x0", "y0", "x1", "y1"]),
    "rectangles": lambda c: hv.Rectangles(
        (c["left"], c["bottom"], c["right"], c["top"]), ["left", "bottom", "right", "top"]
    ),
    "labels": lambda c: hv.Labels((c["x"], c["y"], c["text"]), ["x", "y"], "text"),
}
PLAIN: Mapping[str, Any] = {"default_tools": [], "tools": [], "toolbar": None, "apply_ranges": False}
HUES = frozenset({*PALETTE, NEUTRAL, FADED})  # of groups, of which others may be there the next time
LEGEND_LETTERS = 15  # with longer words there is room for one column on a phone, else for two
LEGEND_ROW = 23  # pixels
SHORT_WORDS, STEP = 8, 4  # letters: shorter labels are numbers, which change little
BLANK = "\u2002"  # half as wide as it is high, as letters are on average
LIKE_A_FORMULA = ("$$", "\\(", "\\[")


def draw(picture: Picture) -> hv.Overlay:
    """Return the picture as HoloViews shows it, in a notebook or on a page."""
    elements = [
        ELEMENTS[layer.mark](columns_of(layer)).opts(hooks=[partial(_dress, layer)], show_legend=False, **PLAIN)
        for layer in (*picture.layers, *map(_unseen, picture.keys))
    ]
    (x, y) = (picture.x, picture.y)
    return hv.Overlay(elements).opts(
        xlim=(x.low, x.high),
        ylim=(y.low, y.high),
        logx=x.scale == "log",
        logy=y.scale == "log",
        responsive=True,
        min_width=NARROWEST,
        height=_height(picture),
        toolbar=None,
        default_tools=[],
        show_legend=False,
        hooks=[partial(_finish, picture)],
    )


class Drawn:
    """A picture that has been drawn: a Bokeh figure, which :meth:`refresh` brings up to date.

    It belongs to one page: every session draws its own.
    """

    def __init__(self, picture: Picture) -> None:
        self.picture = picture
        self.figure: Plot = hv.render(draw(picture), backend="bokeh")
        self._hovers = {tool.name: tool for tool in self.figure.tools if isinstance(tool, HoverTool)}
        self._renderers: dict[Any, Any] = {
            each.name: each for each in self.figure.renderers if isinstance(each, GlyphRenderer)
        }

    def refresh(self, picture: Picture) -> None:
        """Show another picture with the same layers. Raises ValueError where they are not the same."""
        if (had := _shape(self.picture)) != (wanted := _shape(picture)):
            raise ValueError(f"a picture with the layers {had} cannot show one with {wanted}; draw it anew")
        for old, new in zip(self.picture.layers, picture.layers, strict=True):
            source = self._renderers[new.name].data_source
            self._restyle(new, old.style)
            if new.hover != old.hover:
                self._hovers[new.name].tooltips = _tooltips(new)
            if len(old) != len(new):
                source.data = columns_of(new)
            elif changed := _changed(old, new):
                of_new = columns_of(new)
                source.data.update({name: of_new[name] for name in _drawn_from(new, changed)})
        for key, before in zip(picture.keys, self.picture.keys, strict=True):
            self._restyle(_unseen(key), before.style)
        _frame(self.figure, picture, self.picture)
        self.picture = picture

    def _restyle(self, layer: Layer, before: Mapping[str, Any]) -> None:
        glyph = self._renderers[layer.name].glyph
        if layer.style != before:
            glyph.update(**_styles(layer))
        colours = _hatch_colours(layer)
        if colours and colours - glyph.hatch_extra.keys():
            glyph.hatch_extra = textures(layer.style["hatch_pattern"], sorted(colours | HUES))


def columns_of(layer: Layer) -> dict[str, Any]:
    """Return the columns of a layer as the source of its glyph holds them: stairs with their corners, areas as outlines."""
    columns = dict(layer.columns)
    if layer.mark == "area":
        return _outline(columns)
    if layer.mark == "step":
        x, y = columns["x"], columns["y"]
        return {"x": np.repeat(x, 2)[1:], "y": np.repeat(y, 2)[:-1]} if len(x) else columns
    return columns


def _outline(columns: Mapping[str, Array]) -> dict[str, Any]:
    """Return the closed outlines of areas that are parted by missing numbers."""
    x, low, high = columns["x"], columns["low"], columns["high"]
    gaps = np.flatnonzero(np.isnan(x))
    outlines: list[tuple[Array, Array]] = []
    for begin, end in zip([0, *(gaps + 1)], [*gaps, len(x)], strict=True):
        there = slice(begin, end)
        outlines.append((np.concatenate([x[there], x[there][::-1]]), np.concatenate([high[there], low[there][::-1]])))
    gap = np.array([np.nan])
    both = [[piece for outline in outlines for piece in (outline[axis], gap)][:-1] for axis in (0, 1)]
    return {"x": np.concatenate(both[0]), "y": np.concatenate(both[1])}


def _unseen(key: Key) -> Layer:
    """Return what a key of the legend is drawn from: marks that are nowhere."""
    nowhere = {name: np.full(2, np.nan) for name in PLACES[key.mark]}
    return Layer(name=f"key {key.name}", mark=key.mark, columns=nowhere, style=key.style)


def _shape(picture: Picture) -> list[tuple[Any, ...]]:
    layers = [(layer.name, layer.mark, bool(layer.hover)) for layer in picture.layers]
    return [*layers, *((key.name, key.mark) for key in picture.keys)]


def _changed(old: Layer, new: Layer) -> set[str]:
    """Return the columns that are others, of two layers of one length."""
    return {
        name
        for name, values in new.columns.items()
        if name not in old.columns
        or not (
            values is (before := old.columns[name])
            or np.array_equal(before, values, equal_nan=values.dtype.kind == "f" and before.dtype.kind == "f")
        )
    }


def _drawn_from(layer: Layer, columns: set[str]) -> set[str]:
    """Return the columns of the source of a glyph that hang on some of a layer's."""
    if layer.mark == "area":
        return {"x", "y"} if "x" in columns else {"y"}
    return columns


def _styles(layer: Layer) -> dict[str, Any]:
    styles = {name: {"field": value.column} if isinstance(value, By) else value for name, value in layer.style.items()}
    if "hatch_pattern" in styles:  # is the name of a texture from here on, which is its colour
        colour = styles["hatch_color"]
        plain = isinstance(colour, dict) or layer.mark == "area"  # which has one style in all
        styles["hatch_pattern"] = colour if plain else {"value": colour}
    return styles


def _hatch_colours(layer: Layer) -> set[str]:
    if "hatch_pattern" not in layer.style:
        return set()
    colour = layer.style["hatch_color"]
    return set(layer.columns[colour.column]) if isinstance(colour, By) else {colour}


DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "curve": {"line_color": INK, "line_width": 2},
    "step": {"line_color": INK, "line_width": 2},
    "area": {"line_color": None},
    "scatter": {"line_color": None, "fill_color": INK},
    "segments": {"line_color": INK, "line_width": 1},
    "rectangles": {"line_color": None, "fill_color": INK},
    "labels": {
        "text_color": INK,
        "text_font_size": FONT_SIZES["ticks"],
        "text_baseline": "middle",
        "text_align": "left",
    },
}


def _dress(layer: Layer, plot: Any, _element: Any) -> None:
    """Give the glyph that HoloViews made its columns, its styles and its name."""
    renderer = plot.handles["glyph_renderer"]
    renderer.update(name=layer.name, nonselection_glyph=None, selection_glyph=None, muted_glyph=None, hover_glyph=None)
    if layer.outside:
        renderer.level = "annotation"  # which is not cut off at the axes
    renderer.data_source.data = columns_of(layer)
    renderer.glyph.update(**{**DEFAULTS[layer.mark], **_styles(layer)})
    if "hatch_pattern" in layer.style:
        renderer.glyph.hatch_extra = textures(layer.style["hatch_pattern"], sorted(_hatch_colours(layer) | HUES))


def _finish(picture: Picture, plot: Any, _element: Any) -> None:
    """Give the figure its hovers, its legend and its axes."""
    figure = plot.state
    by_name = {each.name: each for each in figure.renderers if isinstance(each, GlyphRenderer)}
    for layer in picture.layers:
        if layer.hover:
            figure.add_tools(
                HoverTool(
                    renderers=[by_name[layer.name]],
                    name=layer.name,
                    tooltips=_tooltips(layer),
                    mode="vline" if layer.along else "mouse",
                    point_policy="follow_mouse",
                    attachment="horizontal",
                    visible=False,
                )
            )
    figure.add_layout(_legend(), "below")
    figure.toolbar.update(active_drag=None, active_scroll=None, logo=None)
    figure.update(outline_line_color=None, background_fill_color=None, output_backend="canvas")
    for axes in (figure.xaxis, figure.yaxis):
        axes.update(
            axis_line_color=GRID,
            major_tick_line_color=GRID,
            minor_tick_line_color=None,
            major_label_text_font_size=FONT_SIZES["ticks"],
            major_label_text_color=INK,
            axis_label_text_font_size=FONT_SIZES["labels"],
            axis_label_text_font_style="normal",
            axis_label_text_color=QUIET,
        )
    for axes, axis in ((figure.xaxis, picture.x), (figure.yaxis, picture.y)):
        axes.visible = bool(axis.label or axis.ticks)
    figure.title.update(text_font_size=FONT_SIZES["title"], text_color=INK)
    for grid, axis in ((figure.xgrid, picture.x), (figure.ygrid, picture.y)):
        grid.update(grid_line_color=GRID if axis.grid else None)
    _frame(figure, picture, None)


def _tooltips(layer: Layer) -> list[tuple[str, str]]:
    return [(word, f"@{{{column}}}") for word, column in layer.hover]


def _legend() -> Legend:
    return Legend(
        location="bottom_left",
        border_line_color=None,
        background_fill_color=None,
        label_text_font_size=FONT_SIZES["legend"],
        label_text_color=INK,
        glyph_width=26,
        glyph_height=16,
        spacing=7,
        margin=4,
        click_policy="none",
    )


def _frame(figure: Any, picture: Picture, before: Picture | None) -> None:
    """Set what is around the marks, as far as it is not what it was before."""
    for axis, old, ranges, models in (
        (picture.x, None if before is None else before.x, figure.x_range, figure.xaxis),
        (picture.y, None if before is None else before.y, figure.y_range, figure.yaxis),
    ):
        if axis != old:
            ranges.update(start=axis.low, end=axis.high)
            _label(models, axis if axis is picture.x else _keeping_its_width(axis), old)
    if before is None or picture.title != before.title:
        figure.title.text = _as_text(picture.title)
    if before is None:  # never again, as all of the figure would be built anew: what it says stands beside it
        figure.html_attributes = {"role": "img", "aria-label": picture.title.split(",")[0]}
    if before is None:
        by_name = {each.name: each for each in figure.renderers}
        figure.legend.items = [LegendItem(renderers=[by_name[_unseen(key).name]]) for key in picture.keys]
    if before is None or _legends(picture) != _legends(
        before
    ):  # with new models, all of the page would be gone through
        for item, key in zip(figure.legend[0].items, picture.keys, strict=True):
            item.update(label={"value": key.text}, visible=bool(key.text))
        figure.legend.update(visible=bool(_legends(picture)), ncols=_legend_columns(picture))
    if before is None or picture.right != before.right:
        figure.min_border_right = picture.right
    if before is None or _height(picture) != _height(before):
        figure.height = _height(picture)


def _legends(picture: Picture) -> list[tuple[str, str]]:
    return [(key.name, key.text) for key in picture.keys if key.text]


def _legend_columns(picture: Picture) -> int:
    return 1 if max((len(word) for _, word in _legends(picture)), default=0) > LEGEND_LETTERS else 2


def _height(picture: Picture) -> int:
    return picture.height + LEGEND_ROW * math.ceil(len(_legends(picture)) / _legend_columns(picture))


def _label(models: Any, axis: Axis, old: Axis | None) -> None:
    if old is None or axis.label != old.label:
        models.axis_label = _as_text(axis.label) if axis.label else None
    if old is None or axis.ticks != old.ticks:
        models.major_label_overrides = {place: _as_text(text) for place, text in axis.ticks}
        places = [place for place, _ in axis.ticks]
        if old is None:
            models.ticker = FixedTicker(ticks=places)
        else:
            models[0].ticker.ticks = places


def _keeping_its_width(axis: Axis) -> Axis:
    """Return a vertical axis with a blank label somewhat longer than any of its words.

    Without it the page would be laid out anew each time that the longest of them changes.
    """
    longest = max((len(text) for _, text in axis.ticks), default=0)
    if longest < SHORT_WORDS:
        return axis
    blank = BLANK * (STEP * math.ceil(longest / STEP))
    return attrs.evolve(axis, ticks=(*axis.ticks, (axis.low, blank)))


def _as_text(text: str) -> Any:
    """Return text that Bokeh does not take for a formula, which it would fetch a library to set."""
    return PlainText(text=text) if any(sign in text for sign in LIKE_A_FORMULA) else text
