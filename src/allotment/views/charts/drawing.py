"""A picture is drawn once, by HoloViews with Bokeh; when its numbers change, its columns are set and nothing is built.

What people typed is drawn as text: Bokeh writes hovers as text unless it is told otherwise, and what looks like a formula
to it is wrapped as plain text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import holoviews as hv
import holoviews.plotting.bokeh
import numpy as np
from bokeh.models import FixedTicker, HoverTool, PlainText, Plot
from bokeh.models.annotations import Legend, LegendItem
from bokeh.models.renderers import GlyphRenderer

from allotment.views.charts.picture import Array, Axis, By, Layer, Picture
from allotment.views.theme import FONT_SIZES, GRID, INK, NARROWEST, QUIET

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
LEGEND_LETTERS = 15  # with longer words there is room for one column on a phone, else for two
LEGEND_ROW = 23  # pixels
LIKE_A_FORMULA = ("$$", "\\(", "\\[")


def draw(picture: Picture) -> hv.Overlay:
    """Return the picture as HoloViews shows it, in a notebook or on a page."""
    elements = [
        ELEMENTS[layer.mark](columns_of(layer)).opts(hooks=[partial(_dress, layer)], show_legend=False, **PLAIN)
        for layer in picture.layers
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
            renderer = self._renderers[new.name]
            if new.style != old.style:
                renderer.glyph.update(**_styles(new))
            if new.hover != old.hover:
                self._hovers[new.name].tooltips = _tooltips(new)
            if not _same(old, new):
                renderer.data_source.data = columns_of(new)
        _frame(self.figure, picture, self.picture)
        self.picture = picture


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


def _shape(picture: Picture) -> list[tuple[Any, ...]]:
    return [(layer.name, layer.mark, bool(layer.hover)) for layer in picture.layers]


def _same(old: Layer, new: Layer) -> bool:
    return (
        len(old) == len(new)
        and old.columns.keys() == new.columns.keys()
        and all(
            values is (before := old.columns[name])
            or np.array_equal(before, values, equal_nan=values.dtype.kind == "f" and before.dtype.kind == "f")
            for name, values in new.columns.items()
        )
    )


def _styles(layer: Layer) -> dict[str, Any]:
    return {name: {"field": value.column} if isinstance(value, By) else value for name, value in layer.style.items()}


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
            _label(models, axis, old)
    if before is None or picture.title != before.title:
        figure.title.text = _as_text(picture.title)
    if before is None or picture.summary != before.summary:
        figure.html_attributes = {"role": "img", "aria-label": f"{picture.title}. {picture.summary}"}
    if before is None or _legends(picture) != _legends(before):
        by_name = {each.name: each for each in figure.renderers}
        items = [LegendItem(label={"value": word}, renderers=[by_name[name]]) for name, word in _legends(picture)]
        figure.legend.update(items=items, visible=bool(items), ncols=_legend_columns(picture))
    if before is None or picture.right != before.right:
        figure.min_border_right = picture.right
    if before is None or _height(picture) != _height(before):
        figure.height = _height(picture)


def _legends(picture: Picture) -> list[tuple[str, str]]:
    return [(layer.name, layer.legend) for layer in picture.layers if layer.legend]


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


def _as_text(text: str) -> Any:
    """Return text that Bokeh does not take for a formula, which it would fetch a library to set."""
    return PlainText(text=text) if any(sign in text for sign in LIKE_A_FORMULA) else text
