"""What `allotment check` found, as text."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from rich.console import Group, RenderableType
from rich.text import Text

from allotment.cli.formats import count, plain
from allotment.results.laws import Violation


def page_of(found: Iterable[tuple[Path, tuple[Violation, ...]]]) -> RenderableType:
    """Return one line for each folder in which every law holds, and one for each violation elsewhere."""
    lines: list[Text] = []
    for folder, broken in found:
        name = plain(folder)
        if not broken:
            lines.append(Text(f"{name}: every law holds"))
            continue
        laws = ", ".join(str(law) for law in sorted({violation.law for violation in broken}))
        lines.append(Text(f"{name}: {count(len(broken))} violations, of law {laws}", style="bold"))
        for each in broken:
            where = each.table if each.row is None else f"{each.table}, row {each.row}"
            lines.append(Text(f"  law {each.law}, {where}: {plain(each.text)}"))
    return Group(*lines)
