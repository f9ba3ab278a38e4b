"""Hatches as pictures that are there before anything is drawn with them.

Bokeh paints the hatch of every row on a canvas of its own, again whenever a number of its layer changes, which takes a
browser most of the time of a redraw. A picture of a hatch is fetched once, from the text that it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

from bokeh.models import ImageURLTexture

SIZE = 8  # pixels, to and fro
RISING = "M-2,2 L2,-2 M-2,10 L10,-2 M6,10 L10,6"
FALLING = "M-2,6 L2,10 M-2,-2 L10,10 M6,-2 L10,2"
LINES: Mapping[str, tuple[str, float]] = MappingProxyType({"/": (RISING, 2.0), "x": (f"{RISING} {FALLING}", 1.0)})
"""The lines of each pattern, and how wide they are (pixels)."""


def hatched(colour: Any) -> dict[str, Any]:
    """Return the style of what is hatched: a colour, or a :class:`~allotment.views.charts.picture.By`."""
    return {"hatch_pattern": "/", "hatch_color": colour}


def crossed(colour: str) -> dict[str, Any]:
    """Return the style of what is crossed out."""
    return {"hatch_pattern": "x", "hatch_color": colour}


def textures(pattern: str, colours: Iterable[str]) -> dict[str, ImageURLTexture]:
    """Return a texture for each colour, by the colour."""
    return {colour: ImageURLTexture(url=tile(pattern, colour)) for colour in colours}


@cache
def tile(pattern: str, colour: str) -> str:
    """Return the address of a picture that fits to itself on all sides; the address is the picture.

    >>> tile("/", "#004C8C").partition(",")[0]
    'data:image/svg+xml'
    """
    lines, width = LINES[pattern]
    drawn = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{SIZE}" height="{SIZE}">'
        f'<path d="{lines}" stroke="{colour}" stroke-width="{width}"/></svg>'
    )
    return f"data:image/svg+xml,{quote(drawn)}"
