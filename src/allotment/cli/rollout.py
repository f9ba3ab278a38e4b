"""`allotment rollout`: a fleet whose clusters go over to another policy one after the other, phase by phase."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import attrs
import pandas as pd
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from allotment.cli.console import Display
from allotment.cli.figures import one
from allotment.cli.layout import apart, titled
from allotment.cli.running import on_compiling
from allotment.errors import InputError
from allotment.experiment.fleet import draw_fleet, fleet_variant, simulate_fleet
from allotment.experiment.prepare import prepare
from allotment.fleet import Arbitration, Fleet
from allotment.presets import load_fleet
from allotment.results import metrics
from allotment.results.fleet_result import FleetResult, Row, Went
from allotment.results.phases import Figures
from allotment.results.waiting import Wait
from allotment.units import DAY
from allotment.views.formats import NOTHING, part, plain, span

USUAL = "three-clusters"
WORDS = {choice.name.lower().replace("_", "-"): choice for choice in Arbitration}
WAITS = ("debug\nhalf", "wait\n9 in 10", "all\nhalf", "waits\n9 in 10")
MACHINES = ("occu-\npied", "unallo-\ncated", "pre-\nempted", "work\nlost")


@attrs.frozen(kw_only=True)
class Asked:
    """What was typed after `allotment rollout`; empty is what the fleet's file says."""

    fleet: str
    arbitrations: tuple[str, ...]
    seeds: tuple[int, ...]


@attrs.frozen(kw_only=True, eq=False)
class Told:
    """What is told of one run; its tables, which may be large, are not kept."""

    fleet: Fleet
    rows: tuple[Row, ...]
    went: tuple[Went, ...]
    days: pd.DataFrame
    summary: dict[str, Any]

    @classmethod
    def of(cls, result: FleetResult) -> Told:
        """Return what is told of a result."""
        days = result.by_day()
        return cls(fleet=result.fleet, rows=result.rows, went=result.went, days=days, summary=result.summary)


def carry_out(asked: Asked, display: Display) -> list[Told]:
    """Simulate the fleet under each arbitration and over each seed, with the same jobs for all arbitrations of a seed.

    Raises AllotmentError with everything that is wrong with what was typed.
    """
    display.phase("reading")
    if problems := _problems(asked):
        raise InputError("these options", problems)
    fleet = load_fleet(asked.fleet)
    arbitrations = [WORDS[_word(name)] for name in asked.arbitrations] or [fleet.arbitration]
    seeds = list(asked.seeds) or [fleet.seed]
    prepare(on_compiling(display), questions=True)
    found: list[Told] = []
    for seed in seeds:
        of_seed = fleet_variant(fleet, seed=seed)
        jobs = draw_fleet(of_seed)
        for arbitration in arbitrations:
            number = len(found) + 1
            total = len(seeds) * len(arbitrations)
            display.phase("simulating" + (f" {number} of {total}" if total > 1 else ""))
            result = simulate_fleet(of_seed, arbitration=arbitration, progress=display.tell, jobs=jobs)
            found.append(Told.of(result))
    order = [(seed, arbitration) for arbitration, seed in product(arbitrations, seeds)]
    return sorted(found, key=lambda run: order.index((run.fleet.seed, run.fleet.arbitration)))


def _word(name: str) -> str:
    return name.lower().replace("_", "-")


def _problems(asked: Asked) -> list[str]:
    words = [_word(name) for name in asked.arbitrations]
    found = [
        f"--arbitration must be one of {', '.join(WORDS)}, not {name!r}"
        for name, word in zip(asked.arbitrations, words, strict=True)
        if word not in WORDS
    ]
    found += [f"--seed must be at least 0, not {seed}" for seed in asked.seeds if seed < 0]
    for what, typed in (("--arbitration", words), ("--seed", asked.seeds)):
        twice = sorted({str(value) for value in typed if list(typed).count(value) > 1})
        found += [f"{what} {value} is there twice" for value in twice]
    return found


def json_of(found: Sequence[Told]) -> Any:
    """Return the summary of one run, or a list of those of several."""
    return found[0].summary if len(found) == 1 else [run.summary for run in found]


def page(found: Sequence[Told]) -> RenderableType:
    """Return one run phase by phase, or several side by side, in 80 columns."""
    if len(found) == 1:
        return apart([_heading(found), _phases(found[0]), _portable(found[0]), _days(found[0]), _legend()])
    return apart([_heading(found), _compared(found), _legend()])


def _heading(found: Sequence[Told]) -> RenderableType:
    fleet = found[0].fleet
    title = " ".join(fleet.title.split())
    run = f", {_name(fleet)}, seed {fleet.seed}" if len(found) == 1 else ""
    gpus = " + ".join(f"{member.cluster.gpus}" for member in fleet.members)
    return titled(
        f"{plain(fleet.name)}{f'  {plain(title)}' if title else ''}",
        Text(f"{gpus} GPUs, {span(fleet.measured)} measured after {span(fleet.warmup)} of warm-up{run}"),
    )


def _name(fleet: Fleet) -> str:
    return fleet.arbitration.name.lower().replace("_", "-")


def _members(run: Told) -> list[str]:
    return [member.name for member in run.fleet.members]


def _table(*columns: str) -> Table:
    table = Table(box=None, header_style="dim", pad_edge=False, padding=(0, 1, 0, 0), collapse_padding=True)
    table.add_column("", overflow="fold")
    for column in columns:
        table.add_column(column, justify="right", no_wrap=True, vertical="bottom")
    return table


def _phases(run: Told) -> RenderableType:
    table = _table("days", *WAITS, *MACHINES)
    before = None
    for row in run.rows:
        if row.member != before:
            table.add_row(Text(plain(row.member or "the fleet"), style="bold"))
            before = row.member
        table.add_row(f"  {plain(_label(row))}", _when(row.begin, row.end), *_figures(row.figures))
    return table


def _label(row: Row) -> str:
    return row.policy or f"{row.switched} switched"


def _when(begin: int, end: int) -> str:
    """Return the days of a part of the run, the first of all being 1.

    >>> _when(7 * DAY, 14 * DAY), _when(0, 3600)
    ('8-14', '1')
    """
    first, last = begin // DAY + 1, -(-end // DAY)
    return f"{first}-{last}" if last > first else str(first)


def _wait(wait: Wait) -> tuple[str, str]:
    return _seconds(wait.p50), _seconds(wait.p90)


def _seconds(seconds: int | None) -> str:
    return NOTHING if seconds is None else one(seconds, "s")


def _figures(of: Figures) -> tuple[str, ...]:
    machines = (part(of.occupancy), part(of.unallocated), one(of.preemptions, "count"), part(of.work_lost))
    return (*_wait(of.interactive), *_wait(of.all), *machines)


def _portable(run: Told) -> RenderableType:
    table = _table("jobs", *(plain(name) for name in _members(run)), "moved", "half", "9 in 10")
    for at, each in enumerate(run.went, start=1):
        label = "all" if at == len(run.went) else f"days {_when(each.begin, each.end)}"
        table.add_row(label, f"{sum(each.jobs.values()):,}", *_went(each), *_wait(each.wait))
    return titled("portable jobs: where they went, and their wait", table)


def _went(each: Went) -> list[str]:
    jobs = sum(each.jobs.values())
    return [part(metrics.ratio(count, jobs)) for count in (*each.jobs.values(), each.moved)]


def _days(run: Told) -> RenderableType:
    """Return day by day which part of the portable jobs went to each member, a digit a day."""
    frame = run.days
    of_day = frame.groupby("day")["jobs"].sum()
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 1, 0, 0), collapse_padding=True)
    for name in _members(run):
        jobs = frame[frame["member"] == name]["jobs"].tolist()
        digits = [_digit(count, whole) for count, whole in zip(jobs, of_day.tolist(), strict=True)]
        table.add_row(plain(name), Text("".join(digits), overflow="fold"))
    return titled("the same day by day from day 1 on: tenths, 9 for nine or ten, . for none", table)


def _digit(count: int, whole: int) -> str:
    """Return a part of a whole in tenths, rounded down.

    >>> _digit(0, 5), _digit(1, 20), _digit(5, 10), _digit(3, 3)
    ('.', '0', '5', '9')
    """
    return "." if count == 0 else str(min(9, 10 * count // whole))


def _compared(found: Sequence[Told]) -> RenderableType:
    table = _table(
        "seed", "portable\nmoved", "9 in 10\nwait", "debug\n9 in 10", "all\n9 in 10", MACHINES[0], *MACHINES[2:]
    )
    table.columns[0].no_wrap = True
    for run in found:
        total, went = run.rows[-1].figures, run.went[-1]
        moved = part(metrics.ratio(went.moved, sum(went.jobs.values())))
        waits = [_seconds(wait.p90) for wait in (went.wait, total.interactive, total.all)]
        price = (part(total.occupancy), one(total.preemptions, "count"), part(total.work_lost))
        table.add_row(_name(run.fleet), str(run.fleet.seed), moved, *waits, *price)
    return table


def _legend() -> RenderableType:
    lines = [
        "waits: by when half, and nine in ten, of the jobs submitted then had started;",
        "  whoever still waits when a part ends counts as waiting longer (Kaplan-Meier)",
        "moved: submitted on another cluster than the one that the job came to",
    ]
    return Text("\n".join(lines), style="dim")
