"""What the page needs of the browser itself: names for handles of sliders, less motion for who wants it, a lost connection."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import param
from panel.custom import AnyWidgetComponent


class PageScript(AnyWidgetComponent):
    """Shows nothing, but where nobody answers any more. `calm_down` is called where a visitor's system asks for less motion."""

    _esm = Path(__file__).parents[1] / "static" / "page.js"
    calm = param.Boolean(default=False)
    address = param.String(default="")

    def __init__(self, calm_down: Callable[[], Any]) -> None:
        super().__init__(margin=0, sizing_mode="stretch_width")  # type: ignore[no-untyped-call]
        self.param.watch(lambda _event: calm_down(), "calm")
