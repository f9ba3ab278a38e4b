"""The presets as text."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from allotment.cli.layout import apart, titled
from allotment.presets import Preset
from allotment.views.formats import plain

PLURALS = {"policy": "policies"}


def page_of(presets: Iterable[Preset]) -> RenderableType:
    """Return the presets, kind by kind, each with its title."""
    parts: list[RenderableType] = []
    for kind, group in groupby(presets, key=lambda preset: preset.kind):
        table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
        table.add_column(no_wrap=True, min_width=16)
        table.add_column(overflow="fold")
        for preset in group:
            table.add_row(plain(preset.name), plain(" ".join(preset.title.split())))
        parts.append(titled(PLURALS.get(kind, f"{kind}s"), table))
    parts.append(
        Text("A cluster can also be nodes x GPUs, as in 64x8. All of these can be files of your own.", style="dim")
    )
    return apart(parts)
