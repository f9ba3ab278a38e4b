"""Where the parts of the page stand: two columns where there is room, under what belongs to both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import panel as pn

from allotment.views.workbench.style import COLUMNS, PAGE
from allotment.views.workbench.words import heading

Parts = Sequence[Any]
Sections = Sequence[tuple[str, Parts]]
"""Headings with what stands under each; an empty heading is none."""


def arranged(title: str, *, above: Parts, left: Sections, right: Sections, below: Parts) -> pn.Column:
    """Return the page of these parts."""
    columns = [
        pn.Column(*_in_a_row(sections), css_classes=[side], sizing_mode="stretch_width")
        for side, sections in (("left", left), ("right", right))
    ]
    return pn.Column(
        heading(title, "h1"),
        *above,
        pn.FlexBox(*columns, gap="16px", align_items="flex-start", stylesheets=[COLUMNS]),
        *below,
        css_classes=["workbench"],
        stylesheets=[PAGE],
        sizing_mode="stretch_width",
    )


def _in_a_row(sections: Sections) -> list[Any]:
    return [part for title, parts in sections for part in ((heading(title), *parts) if title else parts)]
