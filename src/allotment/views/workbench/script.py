"""What the page needs of the browser itself: names for handles of sliders, less motion for who wants it, a lost connection."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import param
from panel.custom import AnyWidgetComponent

COPY = """
button.copy { height: 32px; padding: 0 12px; margin: 2px 8px 2px 0; font-size: 14px; background: #ffffff; border: 1px solid #767f8a;
  border-radius: 4px; cursor: pointer; }
button.copy:hover { background: #eef1f4; }
button.copy:focus-visible, input:focus-visible { outline: 3px solid #ffbf00; outline-offset: 1px; box-shadow: 0 0 0 5px #1b1b1b; }
span { font-size: 14px; color: #333333; }
input { box-sizing: border-box; width: 100%; margin-top: 4px; padding: 6px; font-size: 13px; }
"""


class CopyLink(AnyWidgetComponent):
    """A button that copies the address of the page with what is set; where there is no page around it, what goes behind one."""

    _esm = Path(__file__).parents[1] / "static" / "copy.js"
    address = param.String(default="")
    whole = param.Boolean(default=True)


class PageScript(AnyWidgetComponent):
    """Shows nothing, but where nobody answers any more.

    `calm_down` is called where a visitor's system asks for less motion, `see` with the names of the cards that are on the screen.
    """

    _esm = Path(__file__).parents[1] / "static" / "page.js"
    calm = param.Boolean(default=False)
    seen = param.List(default=[], item_type=str)
    address = param.String(default="")

    def __init__(self, calm_down: Callable[[], Any], see: Callable[[list[str]], Any]) -> None:
        super().__init__(margin=0, sizing_mode="stretch_width")  # type: ignore[no-untyped-call]
        self.param.watch(lambda _event: calm_down(), "calm")
        self.param.watch(lambda event: see(event.new), "seen")
