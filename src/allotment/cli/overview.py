"""Several results side by side, one line each, and the account of a recording."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from allotment.cli.comparable import notes_on_jobs
from allotment.cli.layout import grid, titled
from allotment.cli.notes import notes_between
from allotment.cli.running import Task, occupancy_until, states_of
from allotment.results.result import Result
from allotment.views.formats import count, part, plain, times, wait

SOME_WAIT = "9 in 10 wait: over the jobs whose submit times do not hang on the policy"
ALL_WAIT = "9 in 10 wait: over all jobs"


def side_by_side(results: Sequence[Result], labels: Sequence[str]) -> RenderableType:
    """Return a table of several runs that fits in 80 columns; what cannot be compared is in brackets.

    Runs of one scenario stand below its label, which is empty where there is only one scenario.
    """
    table = Table(box=None, header_style="dim", pad_edge=False, padding=(0, 1, 0, 0), collapse_padding=True)
    table.add_column("policy", overflow="fold")
    heads = ("seed", "occu-\npied", "unallo-\ncated", "deliv-\nered", "at\n95 %", "worst\nteam", "9 in 10\nwait")
    for head in (*heads, "pre-\nempted", "work\nlost"):
        table.add_column(head, justify="right", no_wrap=True, vertical="bottom")
    above = ""
    for result, label in zip(results, labels, strict=False):
        if label != above:
            above = label
            table.add_row(Text(plain(label), style="bold"))
        summary = result.summary
        of, waits = summary["delivered"], summary["wait_open"]
        shown = [part(of["cumulative"]), f"{of['teams_at_95']}/{of['teams']}", part(of["worst"])]
        table.add_row(
            plain(summary["policy"]) + ("" if not summary["interrupted"] else " (stopped)"),
            str(summary["seed"]),
            part(summary["occupancy"]),
            part(summary["unallocated_share"]),
            *(text if of["comparable"] else f"({text})" for text in shown),
            wait(waits["p90"]) if waits["p90"] is not None or not waits["n"] else "longer",
            count(summary["preemptions"]),
            part(summary["work_lost_share"]),
        )
    kinds = {bool(result.jobs["closed"].any()) for result in results}
    lines = [SOME_WAIT if True in kinds else ALL_WAIT]
    if not all(result.summary["delivered"]["comparable"] for result in results):
        lines.append("in brackets: under this policy everything held counts as delivered, so it cannot be compared")
    wanted = [result.summary["pressure"] for result in results if result.summary["pressure"] is not None]
    if wanted:
        low, high = times(min(wanted)), times(max(wanted))
        lines.append(
            f"wanted by jobs running or waiting: {high if low == high else f'{low} to {high}'} the healthy GPUs"
        )
    lines += notes_on_jobs(results, labels)
    lines += notes_between(results, labels)
    of_one = "" if above else f" of {plain(results[0].scenario.name)}"
    return titled(f"{len(results)} runs{of_one}", table, *_small(lines))


def account(task: Task, results: Sequence[Result]) -> RenderableType:
    """Return what became of the rows of the recordings and, at the end of each run, of the jobs made of them."""
    things: list[RenderableType] = []
    runs = list(zip(results, task.labels, strict=False))
    reports = {(label, name): report for result, label in runs for name, report in result.imports.items()}
    for (label, _), report in reports.items():
        things += [Text(plain(f"{label}: {line}" if label else line)) for line in report.lines()]
    things += [Text(plain(note)) for note in task.notes]
    until = task.replayed_until
    columns = ("finished", "running", "waiting", "given up") + (
        ("occupied while, jobs came in",) if until is not None else ()
    )
    table = grid(*columns)
    for result, label in runs:
        if not result.imports:
            continue
        states = states_of(result)
        numbers = [count(states[name.replace(" ", "_")]) for name in columns[:4]]
        busy = [part(occupancy_until(result, until))] if until is not None else []
        of = [*([label] if label else []), result.summary["policy"], f"seed {result.summary['seed']}"]
        table.add_row(plain(", ".join(of)), *numbers, *busy)
    return titled("Recording", Group(*things), Text("Jobs at the end of the run"), table)


def _small(lines: Iterable[str]) -> list[Text]:
    return [Text(line, style="dim") for line in lines]
