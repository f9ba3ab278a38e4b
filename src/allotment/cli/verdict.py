"""What `allotment check` found, as lines of text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from allotment.results.laws import Violation
from allotment.views.formats import count, plain


def lines_of(found: Iterable[tuple[Path, tuple[Violation, ...]]]) -> Iterator[str]:
    """Yield a line for each folder in which every law holds, and one for each violation elsewhere."""
    for folder, broken in found:
        if not broken:
            yield f"{plain(folder)}: every law holds"
            continue
        laws = ", ".join(str(law) for law in sorted({violation.law for violation in broken}))
        yield f"{plain(folder)}: {count(len(broken))} violations, of law {laws}"
        for each in broken:
            where = each.table if each.row is None else f"{each.table}, row {each.row}"
            yield f"  law {each.law}, {where}: {plain(each.text)}"
