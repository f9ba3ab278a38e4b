"""What became of every row of a recording: used, skipped for which reason, changed in which way, and what was assumed."""

from __future__ import annotations

from typing import Any

import attrs
import numpy.typing as npt


@attrs.frozen(kw_only=True)
class Counted:
    """So many rows of which something is true, and the first of them (data rows are counted from 1)."""

    what: str
    count: int
    row: int | None


def counted(what: str, rows: npt.NDArray[Any], mask: npt.NDArray[Any]) -> Counted:
    """Count the rows in a mask; `rows` are their numbers in the file."""
    found = rows[mask]
    return Counted(what=what, count=int(found.size), row=int(found.min()) if found.size else None)


@attrs.frozen(kw_only=True)
class ImportReport:
    """An account of an import, in which every row appears: `read` is `used` and all `skipped` together.

    `adjusted` counts rows that are used, with something changed. `assumed` says what holds for all, in sentences.
    """

    source: str
    read: int
    used: int
    skipped: tuple[Counted, ...]
    adjusted: tuple[Counted, ...] = ()
    assumed: tuple[str, ...] = ()
    ignored_columns: tuple[str, ...] = ()

    def __attrs_post_init__(self) -> None:
        skipped = sum(item.count for item in self.skipped)
        if self.read != self.used + skipped:
            raise ValueError(f"of {self.read} rows, {self.used} used and {skipped} skipped leave some unaccounted for")

    def lines(self) -> tuple[str, ...]:
        """Return the report as lines of text."""
        lines = [f"{self.source}: {self.read:,} rows read, {self.used:,} jobs used"]
        for title, items in (("skipped", self.skipped), ("adjusted", self.adjusted)):
            lines += [f"{title} {item.count:,}: {item.what} (first in row {item.row:,})" for item in items]
        lines += [f"assumed: {text}" for text in self.assumed]
        if self.ignored_columns:
            lines.append(f"columns not used: {', '.join(self.ignored_columns)}")
        return tuple(lines)


def count_reasons(reasons: tuple[str, ...], code: npt.NDArray[Any], rows: npt.NDArray[Any]) -> tuple[Counted, ...]:
    """Return how many rows have each reason, in the order of the reasons; `code` is 0 for none, else its place from 1."""
    items = [counted(reason, rows, code == place) for place, reason in enumerate(reasons, start=1)]
    return tuple(item for item in items if item.count)
