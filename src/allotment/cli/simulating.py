"""`allotment simulate`, from what was typed to what is shown, and the status that it ends with."""

from __future__ import annotations

import typer

from allotment.cli import STOPPED
from allotment.cli.asked import Asked
from allotment.cli.console import Display, complain, print_json, remark, show
from allotment.cli.layout import apart, titled
from allotment.cli.overview import account, side_by_side
from allotment.cli.report import by_team, page
from allotment.cli.running import Done, carry_out, summary_of

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
    labelled = list(zip(done.results, done.task.labels, strict=False))  # Ctrl-C leaves out the last
    if as_json:
        plain = [summary_of(result, label, done.task) for result, label in labelled]
        print_json(plain if several else plain[0])
        return
    recorded = any(result.imports for result in done.results)
    parts = [account(done.task, done.results)] if recorded else []
    if several and (recorded or len(done.results) <= FEW):
        parts += [titled(label, by_team(result)) if label else by_team(result) for result, label in labelled]
    parts += [side_by_side(done.results, done.task.labels) if several else page(done.results[0])]
    show(apart(parts))
