"""Colours and sizes that all charts share. The colours can be told apart by those who do not see all of them."""

from __future__ import annotations

from collections.abc import Mapping

COLOURS: Mapping[str, str] = {
    "allocated": "#2b6ca3",
    "unallocated": "#9fc9e2",
    "idle": "#e3e3e3",
    "owed": "#1b1b1b",
    "faded": "#ffffff",
    "words": "#333333",
}
NARROWEST = 280  # pixels; below it a page scrolls sideways
FONT_SIZES: Mapping[str, str] = {"labels": "10pt", "ticks": "9pt", "legend": "9pt"}
