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
# Of the budgets, told apart by most who do not see all colours (CIEDE2000 of 11 or more), each 3:1 or more on white.
GROUPS = ("#004c8c", "#b84300", "#008563", "#b8860b", "#3d9ad1", "#b5569a")
NEUTRAL = "#5b6673"  # of a seventh budget and further ones, which are told by their labels
FOCUS = "#ffbf00"  # the ring around what has the focus, with a dark edge
_DARK, _LIGHT = "#000000", "#ffffff"
NARROWEST = 280  # pixels; below it a page scrolls sideways
FONT_SIZES: Mapping[str, str] = {"labels": "10pt", "ticks": "9pt", "legend": "9pt"}


def group_colour(place: int) -> str:
    """Return the hue of a budget by its place among the budgets.

    >>> group_colour(0), group_colour(6)
    ('#004c8c', '#5b6673')
    """
    return GROUPS[place] if place < len(GROUPS) else NEUTRAL


def ink_on(fill: str) -> str:
    """Return the colour of text on a fill: light or dark, whichever contrasts more.

    >>> [ink_on(fill) for fill in (GROUPS[0], GROUPS[4])]
    ['#ffffff', '#000000']
    """
    return max(_LIGHT, _DARK, key=lambda ink: contrast(ink, fill))


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
