"""What became of every row of a recording: used, skipped for which reason, changed in which way, and what was assumed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import attrs
import numpy.typing as npt


@attrs.frozen(kw_only=True)
class Counted:
    """So many rows of which something is true, and the first of them: data rows, counted from 1 without the header."""

    what: str
    count: int
    row: int | None


def counted(what: str, rows: npt.NDArray[Any], mask: npt.NDArray[Any]) -> Counted:
    """Count the rows in a mask; `rows` are their numbers in the file."""
    found = rows[mask]
    return Counted(what=what, count=int(found.size), row=int(found.min()) if found.size else None)


@attrs.frozen(kw_only=True)
class ImportReport:
    """An account of an import, in which every row appears: `read` is `used` and all `skipped` together."""

    source: str
    """The name of the file."""
    read: int
    """How many data rows it has."""
    used: int
    """How many of them are jobs of the run."""
    skipped: tuple[Counted, ...]
    """The others, by reason."""
    adjusted: tuple[Counted, ...] = ()
    """Rows that are used, with something changed."""
    assumed: tuple[str, ...] = ()
    """What holds for all, in sentences."""
    ignored_columns: tuple[str, ...] = ()
    """Columns that nothing was made of."""
    unknown_teams: tuple[str, ...] = ()
    """Teams that the plan does not know, whose rows are skipped."""
    one_line_each: bool = False
    """Whether the file is a text in which data row n is line n + 1, after the header."""

    def __attrs_post_init__(self) -> None:
        skipped = sum(item.count for item in self.skipped)
        if self.read != self.used + skipped:
            raise ValueError(f"of {self.read} rows, {self.used} used and {skipped} skipped leave some unaccounted for")

    def lines(self) -> tuple[str, ...]:
        """Return the report as lines of text."""
        lines = [f"{self.source}: {self.read:,} rows read, {self.used:,} jobs used"]
        for title, items in (("skipped", self.skipped), ("adjusted", self.adjusted)):
            lines += [f"{title} {item.count:,}: {item.what} (first in {self._place(item)})" for item in items]
        if self.unknown_teams:
            lines.append(f"teams unknown to the plan: {some(self.unknown_teams)}")
        lines += [f"assumed: {text}" for text in self.assumed]
        if self.ignored_columns:
            lines.append(f"columns not used: {', '.join(self.ignored_columns)}")
        return tuple(lines)

    def _place(self, item: Counted) -> str:
        return f"data row {item.row:,}" + (f", line {(item.row or 0) + 1:,}" if self.one_line_each else "")


def some(names: Iterable[str], most: int = 10) -> str:
    """Return names in quotes, and how many more there are.

    >>> some(["a", "b", "c"], most=2)
    "'a', 'b' and 1 more"
    """
    listed = list(names)
    more = f" and {len(listed) - most} more" if len(listed) > most else ""
    return ", ".join(repr(name) for name in listed[:most]) + more


def count_reasons(reasons: tuple[str, ...], code: npt.NDArray[Any], rows: npt.NDArray[Any]) -> tuple[Counted, ...]:
    """Return how many rows have each reason, in the order of the reasons; `code` is 0 for none, else its place from 1."""
    items = [counted(reason, rows, code == place) for place, reason in enumerate(reasons, start=1)]
    return tuple(item for item in items if item.count)
