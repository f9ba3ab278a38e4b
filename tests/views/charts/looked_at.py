"""What every picture must keep to, whatever it shows."""

from __future__ import annotations

import re

from allotment.views.charts.drawing import Drawn
from allotment.views.charts.picture import Picture

NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
FIXED = {"9", "10", "95"}  # of "9 in 10" and of the line at 95 %


def check(picture: Picture) -> Drawn:
    """Draw the picture, and find nothing in it that cannot be read."""
    readable(picture)
    drawn = Drawn(picture)
    assert [each.name for each in drawn.figure.renderers] == [
        *(layer.name for layer in picture.layers),
        *(f"key {key.name}" for key in picture.keys),
    ]
    assert drawn.figure.html_attributes["aria-label"] == picture.title.split(",")[0]
    return drawn


def readable(picture: Picture) -> None:
    """Find a sentence whose numbers stand in the table, and a table of text."""
    assert re.fullmatch(r"[A-Z].*[.]", picture.summary)
    assert picture.title
    table = picture.table
    written = " ".join([*map(str, table.index), *map(str, table.columns), *table.astype("str").to_numpy().ravel()])
    told = set(NUMBER.findall(picture.summary)) - FIXED
    named = set(NUMBER.findall(picture.title))  # of a team that is picked out, whose name people typed
    assert told <= set(NUMBER.findall(written)) | named, picture.summary
    assert all(dtype.name == "str" for dtype in table.dtypes)
