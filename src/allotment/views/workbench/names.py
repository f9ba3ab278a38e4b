"""Names for the handles of sliders, which Bokeh gives none that a screen reader could say."""

from __future__ import annotations

from pathlib import Path

from panel.custom import AnyWidgetComponent


class SliderNames(AnyWidgetComponent):
    """Shows nothing: while it is on a page, every slider there is called what stands above it."""

    _esm = Path(__file__).parents[1] / "static" / "slider-names.js"

    def __init__(self) -> None:
        super().__init__(width=0, height=0, margin=0)  # type: ignore[no-untyped-call]
