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
CROSSES = "#9A9A9A"  # upon it
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
FOCUS = "#FFBF00"  # the ring around what has the focus, with a dark edge
NARROWEST = 280  # pixels; below it a page scrolls sideways
FONT_SIZES: Mapping[str, str] = MappingProxyType({"title": "12pt", "labels": "11pt", "ticks": "10pt", "legend": "10pt"})


def group_colour(place: int) -> str:
    """Return the hue of the group at a place, from 0, among the children of the plan's root.

    >>> group_colour(0), group_colour(6), group_colour(40)
    ('#004C8C', '#5B6673', '#5B6673')
    """
    return PALETTE[place] if place < len(PALETTE) else NEUTRAL


def ink_on(fill: str) -> str:
    """Return the colour of text on a fill: light or dark, whichever contrasts more.

    >>> [ink_on(fill) for fill in (PALETTE[0], PALETTE[4])]
    ['#FFFFFF', '#000000']
    """
    return max(WHITE, BLACK, key=lambda ink: contrast(ink, fill))


def tint(colour: str, part: float) -> str:
    """Return a colour mixed with white, of which it is so large a part.

    >>> tint("#004c8c", 1), tint("#004c8c", 0.5), tint("#004c8c", 0)
    ('#004c8c', '#80a6c6', '#ffffff')
    """
    channels = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return "#" + "".join(f"{round(255 + (channel - 255) * part):02x}" for channel in channels)


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, from 1 to 21, as WCAG 2.2 defines it (relative luminance).

    >>> round(contrast("#ffffff", "#000000"), 1), contrast("#336699", "#336699")
    (21.0, 1.0)
    """
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
