"""What the options of several commands have in common."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from allotment.cli import STOPPED
from allotment.cli.console import complain

Json = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else, to standard output.")]


@contextmanager
def telling_of_ctrl_c() -> Iterator[None]:
    """Let Ctrl-C end a command that has nothing to keep with one line; of itself Typer would say nothing."""
    try:
        yield
    except KeyboardInterrupt:
        complain("stopped by Ctrl-C")
        raise typer.Exit(STOPPED) from None


def names_of(kind: str) -> list[str]:
    """Return the names of the presets of a kind, to complete what is typed."""
    from allotment.presets.catalogue import names

    return list(names(kind))
