"""A click on a picture that has been drawn picks out what lies under it: a job, a team or a moment."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

from bokeh.events import Tap
from bokeh.models import CustomJS, TapTool
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
        _listen(layer, renderers[layer.name], tell)
    if drawn.picture.times:
        drawn.figure.on_event(Tap, lambda event: _tell_time(drawn, event, tell))


# What is clicked on is read in the browser, from the columns that it has drawn: those of Python may be others by then, and an
# index into them another mark. Then none is picked, so that the same one can be picked again.
READ = """
const at = selected.indices[0];
if (at === undefined) return;
source.tags = [source.data[column][at], Date.now()];
selected.indices = [];
"""


def _listen(layer: Layer, renderer: Any, tell: Tell) -> None:
    source: Any = renderer.data_source
    if layer.pick is None:
        return
    kind, column = layer.pick
    source.selected.js_on_change(
        "indices", CustomJS(args={"source": source, "selected": source.selected, "column": column}, code=READ)
    )

    def heard(_name: str, _old: object, said: list[Any]) -> None:
        value = said[0] if said else None
        if kind == "job" and isinstance(value, int | float) and math.isfinite(value):
            tell(kind, int(value))
        elif kind != "job" and isinstance(value, str):
            tell(kind, value)

    source.on_change("tags", heard)


def _tell_time(drawn: Drawn, event: Tap, tell: Tell) -> None:
    axis = drawn.picture.x
    if event.x is not None and axis.low <= event.x <= axis.high:
        tell("time", int(event.x))
