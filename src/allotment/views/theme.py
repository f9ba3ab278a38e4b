"""Colours and sizes of all pictures: one table of which colour stands for what, so that it means the same everywhere.

The hues are those of the groups at the top of the plan, and of nothing else: what a policy is called is told by a
dashed or a solid line, what a slice is in by how full its colour is. Each can be told from each other with normal sight
and by those who see two of the three primary colours (CIEDE2000 of 11 or more), and each has a contrast of 3 : 1 on
white; `tests/views/test_theme.py` measures both.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

PALETTE: tuple[str, ...] = ("#004C8C", "#B84300", "#008563", "#B8860B", "#3D9AD1", "#B5569A")
NEUTRAL = "#5B6673"  # the seventh group and all after it, which only their labels tell apart
INK = "#1B1B1B"
WHITE = "#FFFFFF"
BLACK = "#000000"
FADED = "#8A939E"  # what is not highlighted
QUIET = "#767F8A"  # words that may be overlooked
GRID = "#D5DAE0"
DARK = "#4D4D4D"  # out of service
SEPARATOR = WHITE
TINT = 0.38  # how full the colour of a slice is whose contract is over

ON: Mapping[str, str] = MappingProxyType(
    {
        **dict.fromkeys(PALETTE[:3], WHITE),
        **dict.fromkeys(PALETTE[3:], BLACK),  # on purple the ink is too pale
        NEUTRAL: WHITE,
        FADED: INK,
        WHITE: INK,
    }
)
"""The colour of words on a fill; both reach 4.5 : 1."""

COLOURS: Mapping[str, str] = MappingProxyType(
    {
        "allocated": PALETTE[0],
        "unallocated": NEUTRAL,
        "idle": WHITE,
        "owed": INK,
        "faded": WHITE,
        "words": "#333333",
    }
)
NARROWEST = 280  # pixels; below it a page scrolls sideways
FONT_SIZES: Mapping[str, str] = MappingProxyType({"title": "12pt", "labels": "11pt", "ticks": "10pt", "legend": "10pt"})


def group_colour(place: int) -> str:
    """Return the hue of the group at a place, from 0, among the children of the plan's root.

    >>> group_colour(0), group_colour(6), group_colour(40)
    ('#004C8C', '#5B6673', '#5B6673')
    """
    return PALETTE[place] if place < len(PALETTE) else NEUTRAL
