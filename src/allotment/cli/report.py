"""One result as a page of text: what was run, who got what, how long it took, and what that cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import attrs
import pandas as pd
from rich.console import Group, RenderableType
from rich.text import Text

from allotment.cli.formats import count, gpu_hours, part, plain, span, times, wait
from allotment.cli.layout import apart, grid, titled
from allotment.results.result import Result
from allotment.results.waiting import ALL
from allotment.scenario import Scenario

LITTLE = 1.2  # times as much wanted as there is: below it policies look alike
STARRED = "* submitted when another job ends, so at other times under another policy: these waits cannot be compared"

Summary = Mapping[str, Any]


def page(result: Result) -> RenderableType:
    """Return a result as something to print, which fits in 80 columns."""
    summary = result.summary
    parts: list[RenderableType] = [_heading(result)]
    if summary["measured"]:
        parts += [_gpu_time(summary), *_delivered(summary), _waits(result), *_people(result), _price(summary)]
        parts += _repairs(summary)
    parts += [Text(note, style="dim") for note in _notes(result)]
    return apart(parts)


def _heading(result: Result) -> RenderableType:
    scenario, summary = result.scenario, result.summary
    cluster = scenario.cluster
    machines = f"{plain(cluster.name)} ({cluster.nodes} x {cluster.gpus_per_node} {plain(cluster.gpu)})"
    first = f"policy {plain(scenario.policy.name)}, seed {scenario.seed}, cluster {machines}, plan {plain(scenario.plan.name)}"
    facts = [
        f"{span(summary['measured'])} measured after {span(scenario.warmup)} of warm-up",
        f"{count(summary['jobs']['submitted'])} jobs submitted",
    ]
    if summary["pressure"] is not None:
        facts.append(f"demand {times(summary['pressure'])} supply")
    title = " ".join(scenario.title.split())
    lines = [
        Text.assemble((plain(scenario.name), "bold"), (f"  {plain(title)}" if title else "")),
        Text(first),
        Text(", ".join(facts)),
    ]
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
            f"useful work, {used['startup']} start-up, {used['restart']} restarting, {_squatted(summary)}and {used['redone']} "
            "work that was lost again."
        ),
    )


def _squatted(summary: Summary) -> str:
    return f"{part(summary['occupied_for']['squatted'])} held idle, " if summary["squatted_gpu_hours"] else ""


def _delivered(summary: Summary) -> Iterator[RenderableType]:
    of, budgets = summary["delivered"], summary["delivered"]["budgets"]
    if not of["teams"]:
        return
    title = "Delivered, of what was owed" + ("" if of["comparable"] else " (everything held counts: not comparable)")
    table = grid("owed GPU-h", "delivered", "of owed", "by the hour")
    for row in sorted(summary["delivery"], key=lambda row: (row["cumulative"], row["hourly"], row["team"])):
        table.add_row(
            plain(row["team"]),
            gpu_hours(row["owed_gpu_hours"], ""),
            gpu_hours(row["delivered_gpu_hours"], ""),
            part(row["cumulative"]),
            part(row["hourly"]),
        )
    levels = [("leaves", of)] + ([("budgets", budgets)] if budgets != _without(of, budgets) else [])
    for name, level in levels:
        table.add_row(f"all {name}", "", "", part(level["cumulative"]), part(level["hourly"]), style="bold")
    served = [f"{level['teams_at_95']} of {level['teams']} {name}" for name, level in levels]
    yield titled(title, table, Text(f"{' and '.join(served)} got 95 % or more of what they were owed."))


def _without(of: Summary, keys: Iterable[str]) -> Summary:
    """Return the same figures that are also in something else, to tell whether two levels of the plan are one."""
    return {key: of[key] for key in keys}


def by_team(result: Result) -> RenderableType:
    """Return the waits and the delivery of each leaf of one run, for a page that holds several."""
    summary = result.summary
    table = grid("jobs", "half (p50)", "9 in 10 (p90)", "never", "of owed", "by the hour")
    delivered = {row["team"]: row for row in summary["delivery"]}
    for each in _by_team(result):
        row = delivered.get(each.name, {"cumulative": None, "hourly": None})
        waits = (_quantile(each.row, which, each.longest) for which in ("p50", "p90"))
        got = (part(row["cumulative"]), part(row["hourly"]))
        table.add_row(plain(each.name), count(each.row["n"]), *waits, count(each.row["censored"]), *got)
    return titled(f"Teams under {plain(summary['policy'])}, seed {summary['seed']}", table)


@attrs.frozen
class _Wait:
    name: str
    row: Summary
    longest: int  # seconds that anyone of them was seen waiting


def _waits(result: Result) -> RenderableType:
    table = grid("jobs", "half (p50)", "9 in 10 (p90)", "never started")
    groups = [("by kind", list(_by_kind(result))), ("by GPUs, from a whole node on", list(_by_size(result)))]
    if any(result.jobs["name"] != ""):
        groups.append(("by team", list(_by_team(result))))
    starred = False
    for number, (name, rows) in enumerate(groups):
        if number and rows:
            table.add_row("")
            table.add_row(Text(name, style="dim"))
        for each in rows:
            star = "" if each.row["comparable"] or not each.row["n"] else "*"
            starred = starred or bool(star)
            table.add_row(
                f"{plain(each.name)}{star}",
                count(each.row["n"]),
                *(_quantile(each.row, which, each.longest) for which in ("p50", "p90")),
                count(each.row["censored"]),
            )
    notes = [Text(STARRED, style="dim")] if starred else []
    return titled("Waits, from submission to first start", table, *notes)


def _quantile(row: Summary, which: str, longest: int) -> str:
    if not row["n"]:
        return wait(None)
    return f"> {wait(longest)}" if row[which] is None else f"< {wait(row[which])}".replace("< <", "<")


def _by_kind(result: Result) -> Iterator[_Wait]:
    jobs, waits = _measured(result), result.summary["wait"]
    longest = jobs["waited"].groupby(jobs["kind"], observed=False).max()
    for name, row in waits.items():
        if name != ALL:
            yield _Wait(name, row, _seconds(longest.get(name.removesuffix(" (kind)"))))
    yield _Wait(ALL, waits[ALL], _seconds(jobs["waited"].max()))
    if not waits[ALL]["comparable"] and result.summary["wait_open"]["n"]:
        yield _Wait(
            "all that can be compared", result.summary["wait_open"], _seconds(jobs["waited"][~jobs["closed"]].max())
        )


def _by_size(result: Result) -> Iterator[_Wait]:
    jobs = _measured(result)
    longest = jobs["waited"].groupby(jobs["take"]).max()
    for name, row in result.summary["gang_wait"].items():
        yield _Wait(name, row, _seconds(longest.get(int(name))))


def _by_team(result: Result) -> Iterator[_Wait]:
    jobs = _measured(result)
    longest = jobs["waited"].groupby(jobs["leaf"], observed=True).max()
    for name, row in result.summary["team_wait"].items():
        yield _Wait(name, row, _seconds(longest.get(name)))


def _measured(result: Result) -> pd.DataFrame:
    return result.jobs[(result.jobs["submit"] >= result.scenario.warmup).to_numpy()]


def _seconds(value: Any) -> int:
    return 0 if value is None or pd.isna(value) else int(value)


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


def _price(summary: Summary) -> RenderableType:
    table = grid("stops", "work lost GPU-h", "of occupied")
    stops = summary["stops"]
    lost, share = summary["work_lost_gpu_hours"], summary["work_lost_share"]
    for cause, of in stops.items():
        if of["n"] or cause == "preempted":
            each = None if not lost or share is None else share * of["work_lost_gpu_hours"] / lost
            table.add_row(
                cause.replace("_", " "),
                count(of["n"]),
                gpu_hours(of["work_lost_gpu_hours"], ""),
                part(each if lost else share),
            )
    table.add_row("all stops", count(summary["restarts"]), gpu_hours(lost, ""), part(share), style="bold")
    if summary["jobs"]["given_up"]:
        table.add_row("jobs given up", count(summary["jobs"]["given_up"]), "", "")
    return titled("Price", table)


def _notes(result: Result) -> Iterator[str]:
    scenario, summary = result.scenario, result.summary
    if summary["interrupted"]:
        yield f"Stopped after {span(result.horizon)} of {span(scenario.horizon)}; everything until then is whole."
    if not summary["measured"]:
        yield "Nothing was measured: the run ended within its warm-up."
    elif _short_warmup(scenario):
        yield (
            f"The warm-up of {span(scenario.warmup)} is shorter than the {span(scenario.policy.window.lookback)} that the "
            "policy looks back: everybody begins with time to spend."
        )
    if summary["pressure"] is not None and summary["pressure"] < LITTLE:
        yield f"Little competition ({times(summary['pressure'])} as much wanted as healthy): policies look alike here."
    if summary["idle"]["unexplained"]:
        yield f"{part(summary['idle']['unexplained'])} of GPU time idled without a cause: a fault of the scheduler."


def _short_warmup(scenario: Scenario) -> bool:
    return scenario.policy.contracts is not None and scenario.warmup < scenario.policy.window.lookback
