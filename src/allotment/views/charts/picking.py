"""A click on a picture that has been drawn picks out what lies under it: a job, a team or a moment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from bokeh.events import Tap
from bokeh.models import TapTool
from bokeh.models.renderers import GlyphRenderer

from allotment.views.charts.drawing import Drawn
from allotment.views.charts.picture import Layer

Tell = Callable[[Literal["job", "team", "time"], Any], None]


def let_pick(drawn: Drawn, tell: Tell) -> None:
    """Call `tell` with what is clicked on: the number of a job, the path of a team, or a moment (s), each with its kind."""
    renderers = {each.name: each for each in drawn.figure.renderers if isinstance(each, GlyphRenderer)}
    pickable = [layer for layer in drawn.picture.layers if layer.pick is not None]
    if pickable:
        drawn.figure.add_tools(
            TapTool(renderers=[renderers[layer.name] for layer in pickable], mode="replace", visible=False)
        )
    for layer in pickable:
        _listen(drawn, layer, renderers[layer.name], tell)
    if drawn.picture.times:
        drawn.figure.on_event(Tap, lambda event: _tell_time(drawn, event, tell))


def _listen(drawn: Drawn, layer: Layer, renderer: Any, tell: Tell) -> None:
    selected: Any = renderer.data_source.selected

    def heard(_name: str, _old: object, chosen: list[int]) -> None:
        if not chosen:
            return
        selected.indices = []  # so that the same mark can be picked again, and none stays picked when the columns change
        shown = drawn.picture.layer(layer.name)
        if shown.pick is not None and chosen[0] < len(shown):
            kind, column = shown.pick
            value = shown.columns[column][chosen[0]]
            tell(kind, int(value) if kind == "job" else str(value))

    selected.on_change("indices", heard)


def _tell_time(drawn: Drawn, event: Tap, tell: Tell) -> None:
    axis = drawn.picture.x
    if event.x is not None and axis.low <= event.x <= axis.high:
        tell("time", int(event.x))
