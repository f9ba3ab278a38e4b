"""A form on a page of the game: text and radio buttons, sent all at once. Nothing that is sent is trusted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import param
from panel.custom import AnyWidgetComponent


class Form(AnyWidgetComponent):
    """What is asked stands in `content` (see widgets/src/form); `heard` is called with the answers, by name."""

    _esm = Path(__file__).parents[1] / "static" / "form.js"
    content = param.Dict(default={"fields": []})
    sent = param.Dict(default={})

    def __init__(self, heard: Callable[[Mapping[str, Any]], Any], **options: Any) -> None:
        super().__init__(sizing_mode="stretch_width", margin=(4, 4), **options)  # type: ignore[no-untyped-call]
        self.param.watch(lambda event: heard(_values(event.new)), "sent")

    def ask(self, fields: list[dict[str, Any]], button: str, *, disabled: bool = False) -> None:
        """Ask for some fields; what somebody has begun to answer stays where the same is asked."""
        self.content = {"fields": fields, "button": button, "disabled": disabled}


def _values(sent: Any) -> Mapping[str, Any]:
    values = sent.get("values") if isinstance(sent, dict) else None
    return values if isinstance(values, dict) else {}
