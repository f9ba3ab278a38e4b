"""How a page of text is put together."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from allotment.views.formats import plain


def apart(parts: Iterable[RenderableType]) -> RenderableType:
    """Return things to print one below the other, with an empty line between."""
    spaced = [each for part in parts for each in ("", part)]
    return Group(*spaced[1:])


def titled(title: str, *things: RenderableType) -> RenderableType:
    """Return things under a title."""
    return Group(Text(title, style="bold"), *things)


def grid(*columns: str) -> Table:
    """Return an empty table: names to the left, figures to the right, no lines. A heading goes on below after its comma."""
    table = Table(box=None, header_style="dim", pad_edge=False, padding=(0, 2, 0, 0), collapse_padding=True)
    table.add_column("", overflow="fold")
    for column in columns:
        table.add_column(column.replace(", ", "\n"), justify="right", no_wrap=True, vertical="bottom")
    return table


def add_rows(table: Table, frame: pd.DataFrame, *, last: str = "") -> None:
    """Add the rows of a table of text to a grid, the last one in a style of its own."""
    for at, (name, row) in enumerate(zip(frame.index, frame.to_numpy(), strict=True), start=1):
        table.add_row(plain(name), *row, style=last if at == len(frame) else None)
