"""`allotment simulate`, from what was typed to what is shown, and the status that it ends with."""

from __future__ import annotations

import typer

from allotment.cli import STOPPED
from allotment.cli.console import Display, complain, print_json, remark, show
from allotment.cli.layout import apart
from allotment.cli.overview import account, side_by_side
from allotment.cli.report import by_team, page
from allotment.cli.running import Asked, Done, carry_out, summary_of

FEW = 3  # runs: more would need a table of teams each


def run(asked: Asked, *, as_json: bool) -> None:
    """Simulate, save and show. Raises AllotmentError for what is wrong, typer.Exit where Ctrl-C ended it."""
    try:
        with Display() as display:
            done = carry_out(asked, display)
    except KeyboardInterrupt:
        complain("stopped before anything was simulated")
        raise typer.Exit(STOPPED) from None
    _show(done, as_json=as_json)
    for folder in done.saved:
        remark(f"saved in {str(folder)!r}")
    if done.stopped:
        remark("stopped by Ctrl-C; what is shown is whole up to then")
    if done.failure is not None:
        raise done.failure
    if done.stopped:
        raise typer.Exit(STOPPED)


def _show(done: Done, *, as_json: bool) -> None:
    several = len(done.task.scenarios) > 1
    if as_json:
        plain = [summary_of(result, done.task) for result in done.results]
        print_json(plain if several else plain[0])
        return
    parts = [account(done.task, done.results)] if done.task.recordings else []
    if several and (done.task.recordings or len(done.results) <= FEW):
        parts += [by_team(result) for result in done.results]
    parts += [side_by_side(done.results) if several else page(done.results[0])]
    show(apart(parts))
