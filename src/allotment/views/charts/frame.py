"""What all charts have around them: as wide as the page lets them be, the legend below, no tool that takes the scroll wheel."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import holoviews.plotting.bokeh  # noqa: F401 - makes Bokeh's options known, which the charts are made with

from allotment.views.theme import FONT_SIZES, NARROWEST

FRAME: Mapping[str, Any] = {"default_tools": [], "tools": ["hover"], "toolbar": None}


def below(columns: int) -> dict[str, Any]:
    """Return the options of an overlay that is as wide as the page, with the legend of so many columns below it."""
    return {
        "responsive": True,
        "min_width": NARROWEST,
        "legend_position": "bottom",
        "legend_cols": columns,
        "fontsize": dict(FONT_SIZES),
        "toolbar": None,
        "default_tools": [],
    }


def number(column: str, unit: str, pattern: str = "0,0") -> str:
    """Return how a hover tells a number: without places nobody needs, with its unit."""
    return f"@{{{column}}}{{{pattern}}} {unit}".rstrip()
