"""The command line as a whole, and what it says when something is wrong."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from allotment.cli import experiments, pages, runs
from allotment.cli.console import complain, encode_anything, to_a_pipe
from allotment.errors import AllotmentError

WRONG_INPUT = 2

app = typer.Typer(
    name="allotment",
    help="Simulate how a GPU cluster is shared under GPU-time budgets with contracts.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
COMMANDS = (
    *(runs.presets, runs.simulate, runs.check, runs.explain, pages.serve, pages.game),
    *(experiments.bench, experiments.reproduce, experiments.sensitivity, experiments.rollout),
    *(experiments.theories, runs.schema),
)
for _command in COMMANDS:
    app.command()(_command)


def main() -> None:
    """Run the command that was typed; mistakes end it with status 2 and one message, never with a traceback."""
    encode_anything()
    with to_a_pipe(), _collecting_seldom():
        try:
            app(prog_name="allotment")
        except AllotmentError as error:
            complain(str(error))
            raise SystemExit(WRONG_INPUT) from None


@contextmanager
def _collecting_seldom() -> Iterator[None]:
    """Look for garbage seldom: what a start loads is none, and to look through it again and again takes a fifth of it."""
    before = gc.get_threshold()
    gc.set_threshold(1_000_000)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _version(wanted: bool) -> None:  # noqa: FBT001 - typer calls it
    if wanted:
        from importlib.metadata import PackageNotFoundError, version

        try:
            typer.echo(version("allotment"))
        except PackageNotFoundError:
            typer.echo("unknown: this is run from a folder of sources, not from what was installed")
        raise typer.Exit


@app.callback()
def _top(
    *,
    _show: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    """Read the options that all commands have in common."""
