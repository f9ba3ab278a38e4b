"""What a page says: text and tables that change, in which what people typed stays text.

They are a widget of ours. A pane of Panel sends its style sheets again whenever its content changes, some of which lie on another
machine in a notebook; and with each of its texts Bokeh lays out the whole page anew, which took half of the time of a redraw.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from pathlib import Path
from typing import Any

import pandas as pd
import param
from panel.custom import AnyWidgetComponent

from allotment.views.formats import plain
from allotment.views.workbench.style import HEADING, TABLE

SCROLLS = {"class": "scroll", "tabindex": "0", "role": "group", "aria-label": "table"}


class Words(AnyWidgetComponent):
    """Where something is said, by :func:`say`, :func:`say_terms` or :func:`show_table`."""

    _esm = Path(__file__).parents[1] / "static" / "words.js"
    content = param.Dict(default={})

    @property
    def text(self) -> str:
        """What is said, without what it looks like; the cells of a table are parted by tabs."""
        of = self.content
        return "\n".join([*of.get("lines", []), *map("\t".join, [*of.get("terms", []), *of.get("rows", [])])])


def words(css: str = "", **options: Any) -> Words:
    """Return where something is said."""
    usual: dict[str, Any] = {"sizing_mode": None if "width" in options else "stretch_width", "margin": (0, 4)}
    return Words(stylesheets=[css] if css else [], **{**usual, **options})  # type: ignore[no-untyped-call]


def say(where: Words, text: str, tag: str = "div", **attributes: str) -> None:
    """Say something: lines of text, within an element that has some attributes."""
    where.content = {
        "tag": tag,
        "attributes": {name.replace("_", "-"): value for name, value in attributes.items()},
        "lines": [plain(line) for line in text.splitlines()],
    }


def say_terms(where: Words, terms: Mapping[str, str]) -> None:
    """Say something of each of some terms."""
    where.content = {"tag": "div", "terms": [[plain(term), plain(text)] for term, text in terms.items()]}


def heading(text: str, tag: str = "h2", **options: Any) -> Words:
    """Return a heading."""
    made = words(HEADING, **options)
    say(made, text, tag)
    return made


def table_of(css: str = TABLE) -> Words:
    """Return where a table is shown."""
    return words(css)


def show_table(where: Words, table: pd.DataFrame) -> None:
    """Show a table of text, whose columns may have headings in several levels."""
    levels = range(table.columns.nlevels)
    head = [
        [["", 1], *([text, len(list(same))] for text, same in groupby(map(str, table.columns.get_level_values(level))))]
        for level in levels
    ]
    rows = [[str(name), *map(str, cells)] for name, cells in zip(table.index, table.to_numpy(), strict=True)]
    where.content = {"tag": "div", "attributes": SCROLLS, "head": head, "rows": rows}
