"""One result as a page of text: what was run, who got what, how long it took, and what that cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from allotment.cli import delivered, waits
from allotment.cli.delivered import HELD
from allotment.cli.layout import add_rows, apart, grid, titled
from allotment.cli.notes import notes_on
from allotment.cli.waits import marks
from allotment.results.result import Result
from allotment.units import DAY
from allotment.views import tables
from allotment.views.formats import count, gpu_hours, part, plain, span, times, wait

Summary = Mapping[str, Any]


def page(result: Result) -> RenderableType:
    """Return a result as something to print, which fits in 80 columns."""
    summary = result.summary
    parts: list[RenderableType] = [_heading(result)]
    if summary["measured"]:
        parts += [_gpu_time(summary), delivered.section(result), *delivered.changed(result)]
        parts += [waits.section(result), *_people(result), _price(result), *_repairs(summary)]
    parts += [Text(note, style="dim") for note in notes_on(result)]
    return apart(parts)


def _heading(result: Result) -> RenderableType:
    scenario, summary = result.scenario, result.summary
    cluster = scenario.cluster
    machines = f"{plain(cluster.name)} ({cluster.nodes} x {cluster.gpus_per_node} {plain(cluster.gpu)})"
    first = (
        f"policy {plain(summary['policy'])}, seed {scenario.seed}, cluster {machines}, plan {plain(scenario.plan.name)}"
    )
    facts = [
        f"{span(summary['measured'])} measured after {span(scenario.warmup)} of warm-up",
        f"{count(summary['jobs']['submitted'])} jobs submitted",
    ]
    title = " ".join(scenario.title.split())
    lines = [
        Text.assemble((plain(scenario.name), "bold"), (f"  {plain(title)}" if title else "")),
        Text(first),
        Text(", ".join(facts)),
    ]
    for switch in scenario.switches:
        when = f"on day {switch.time / DAY:.3g} of {span(scenario.horizon)}"
        lines.append(Text(f"policy {plain(switch.policy.name)} takes over {when}"))
    if summary["pressure"] is not None:
        lines.append(Text(f"wanted: {times(summary['pressure'])} the healthy GPUs, by jobs running or waiting"))
    return Group(*lines)


def _gpu_time(summary: Summary) -> RenderableType:
    table = grid("of healthy", "of occupied")
    held, free = summary["occupancy"], summary["unallocated_share"]
    table.add_row("occupied", part(held), "")
    for name, of_held in (("allocated", None if free is None else 1 - free), ("unallocated", free)):
        table.add_row(f"  {name}", part(None if of_held is None or held is None else of_held * held), part(of_held))
    table.add_row("idle", part(None if held is None else sum(summary["idle"].values())), "")
    for cause, ratio in summary["idle"].items():
        if ratio:
            table.add_row(f"  {cause.replace('_', ' ')}", part(ratio), "")
    used = {name: part(ratio) for name, ratio in summary["occupied_for"].items()}
    return titled(
        "GPU time",
        table,
        Text(
            f"{part(summary['pyramid']['availability'])} of all GPU time was healthy. Of what was occupied {used['useful']} was "
            f"useful work, {used['startup']} start-up{_squatted(summary)} and {used['restart']} restarting; the rest is under "
            "Price."
        ),
    )


def _squatted(summary: Summary) -> str:
    return f", {part(summary['occupied_for']['squatted'])} held idle" if summary["squatted_gpu_hours"] else ""


def by_team(result: Result) -> RenderableType:
    """Return the waits and the delivery of each team of one run, for a page that holds several."""
    summary = result.summary
    comparable = summary["delivered"]["comparable"]
    shown = grid("jobs", "half, within", "9 in 10, within", "never, started", "of owed, in all")
    given = {row["team"]: part(row["cumulative"]) for row in summary["delivery"]}
    waited = tables.waits(result, "leaf")
    for name, row in zip(waited.index, waited.to_numpy(), strict=True):
        got = given.get(name.removesuffix(tables.STAR), part(None))
        shown.add_row(plain(name), *row, got if comparable else f"({got})")
    notes = [*marks(waited), *([] if comparable else [f"in brackets: {HELD}"])]
    title = f"Teams under {plain(summary['policy'])}, seed {summary['seed']}"
    return titled(title, shown, *(Text(note, style="dim") for note in notes))


def _people(result: Result) -> Iterator[RenderableType]:
    """Yield what people made of the regime, where the scenario has people that do so."""
    summary, types = result.summary, {person.type for person in result.scenario.people}
    said = []
    if "squatting" in types:
        said.append(f"{gpu_hours(summary['squatted_gpu_hours'])} were held idle after the work was done.")
    if "squatting" in types and summary["longest_protected_session"] is not None:
        said.append(f"An interactive session was protected for {wait(summary['longest_protected_session'])} at most.")
    if "inflation" in types:
        marks = (part(summary["priorities"][when]["jobs"]) for when in ("high", "high_at_end"))
        said.append("{} of the jobs were marked HIGH, and {} on the last day.".format(*marks))
    if said:
        yield titled("People", Text(" ".join(said)))


def _repairs(summary: Summary) -> Iterator[RenderableType]:
    of, drain = summary["repairs"], summary["repairs"]["drain"]
    if not of["n"]:
        return
    said = [f"{count(of['n'])} nodes went to repair; {count(of['with_a_person'])} of them needed a person."]
    if drain["n"]:
        said.append(f"Unhealthy ones took {wait(drain['p50'])} to drain (median), {wait(drain['longest'])} at most.")
    if of["on_call_hours"]:
        said.append(f"Engineers spent {of['on_call_hours']:.1f} h on call.")
    yield titled("Repairs", Text(" ".join(said)))


def _price(result: Result) -> RenderableType:
    shown = grid(*tables.PRICE)
    add_rows(shown, tables.price(result), last="bold")
    given_up = result.summary["jobs"]["given_up"]
    sentence = "Work lost has to be done again, or was for nothing" + (
        f": {count(given_up)} jobs gave up." if given_up else "."
    )
    return titled("Price", shown, Text(sentence, style="dim"))
