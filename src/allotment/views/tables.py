"""The figures of a result as tables of text to read, on a terminal as in a notebook: a row's name, then its figures.

A name with a star (*) stands for jobs that are submitted when another job ends, so at other times under another policy:
their waits cannot be compared between policies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import attrs
import pandas as pd

from allotment.results.result import Result
from allotment.results.waiting import ALL, Wait, by_kind, by_leaf, by_size, of_all
from allotment.views.formats import count, gpu_hours, part, plain, span, times, wait

STAR = "*"
STARRED = "* Submitted when another job of the team ends, so at other times and not as often under each policy: not the same jobs."
OPEN = "all that can be compared"
WAITS = ("jobs", "half within", "9 in 10 within", "never started")
PRICE = ("stops", "work lost, GPU-h", "of occupied")
DELIVERY = ("submitted, GPU-h", "owed, GPU-h", "delivered, GPU-h", "of owed, in all", "of owed, hourly")

Summary = Mapping[str, Any]
Grouping = Literal["kind", "leaf", "size"]


def _table(columns: Sequence[str], rows: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    return pd.DataFrame.from_dict(dict(rows), orient="index", columns=list(columns), dtype="str")


def waits(result: Result, by: Grouping = "kind", *, comparable: bool = False) -> pd.DataFrame:
    """Return how soon jobs started, by kind of work, leaf, or GPUs taken from a whole node on.

    With `comparable`, only what can be compared between policies. "> 6.9 d" says that fewer had started when the run
    ended, and how long the longest had then waited.
    """
    rows = {}
    for each in _waits_of(result, by):
        starred = bool(each.row.n) and not each.row.comparable
        if not (comparable and starred):
            rows[each.name + (STAR if starred else "")] = wait_cells(each.row, each.longest)
    return _table(WAITS, rows)


def side_by_side(results: Sequence[Result]) -> pd.DataFrame:
    """Return how soon jobs started under each of two policies, A and B, by kind of work."""
    found = {
        f"{letter} {plain(result.policy)}": waits(result).drop(columns="jobs")
        for letter, result in zip("AB", results, strict=False)
    }
    return pd.concat(found, axis=1)


def wait_cells(row: Wait, longest: int) -> list[str]:
    """Return what the columns `WAITS` say of one group; `longest` (s) is the longest that one of it was seen waiting."""
    return [count(row.n), *(_quantile(row, each, longest) for each in (row.p50, row.p90)), count(row.censored)]


def _quantile(row: Wait, quantile: int | None, longest: int) -> str:
    if row.n and quantile is None:
        return f"> {wait(longest)}".replace("> <", "<")
    return wait(quantile)


@attrs.frozen
class _Named:
    name: str
    row: Wait
    longest: int


def _waits_of(result: Result, by: Grouping) -> Iterator[_Named]:
    jobs = result.jobs[(result.jobs["submit"] >= result.scenario.warmup).to_numpy()]
    column = {"kind": "kind", "leaf": "leaf", "size": "take"}[by]
    longest = {str(name): int(most) for name, most in jobs.groupby(column, observed=True)["waited"].max().items()}
    rows = {row.of: row for row in _grouped(result, by)}
    if by == "leaf":
        rows = dict(sorted(rows.items()))
    for name, row in rows.items():
        if by != "kind" or name != ALL:
            yield _Named(name, row, longest.get(name.removesuffix(" (kind)") if by == "kind" else name, 0))
    if by == "kind":
        yield _Named(ALL, rows[ALL], _longest(jobs))
        only_open = of_all(result.jobs, result.scenario.warmup, only_open=True)
        if not rows[ALL].comparable and only_open.n:
            yield _Named(OPEN, only_open, _longest(jobs[~jobs["closed"].to_numpy()]))


def _grouped(result: Result, by: Grouping) -> list[Wait]:
    jobs, since = result.jobs, result.scenario.warmup
    if by == "leaf":
        return by_leaf(jobs, since)
    return by_kind(jobs, since) if by == "kind" else by_size(jobs, since, result.scenario.cluster.gpus_per_node)


def _longest(jobs: pd.DataFrame) -> int:
    return int(jobs["waited"].max()) if len(jobs) else 0


def delivery(result: Result, level: Literal["teams", "budgets"] = "teams") -> pd.DataFrame:
    """Return what each team, or each budget above them, was owed and given, those served worst first; last, all of them."""
    summary = result.delivered
    rows = summary["delivery" if level == "teams" else "budget_delivery"]
    of = summary["delivered"] if level == "teams" else summary["delivered"]["budgets"]
    ranked = sorted(rows, key=lambda row: (row["cumulative"], row["hourly"], row["team"]))
    cells = {row["team"]: _delivery_cells(row) for row in ranked}
    sums = {
        name: sum(row[name] for row in rows)
        for name in ("submitted_gpu_hours", "owed_gpu_hours", "delivered_gpu_hours")
    }
    return _table(DELIVERY, {**cells, f"all {level}": _delivery_cells({**sums, **of})})


def _delivery_cells(row: Summary) -> list[str]:
    hours = (gpu_hours(row[f"{name}_gpu_hours"], "") for name in ("submitted", "owed", "delivered"))
    return [*hours, part(row["cumulative"]), part(row["hourly"])]


def price(result: Result) -> pd.DataFrame:
    """Return how often jobs were stopped before they had finished, by cause, and the work that this threw away."""
    summary = result.summary
    lost, share = summary["work_lost_gpu_hours"], summary["work_lost_share"]
    rows = {}
    for cause, of in summary["stops"].items():
        if of["n"] or cause == "preempted":
            each = share if not lost or share is None else share * of["work_lost_gpu_hours"] / lost
            rows[cause.replace("_", " ")] = [count(of["n"]), gpu_hours(of["work_lost_gpu_hours"], ""), part(each)]
    return _table(PRICE, {**rows, "all stops": [count(summary["restarts"]), gpu_hours(lost, ""), part(share)]})


def figures(result: Result, sections: Iterable[str] = ("run", "GPU time", "delivered", "price")) -> pd.DataFrame:
    """Return the figures of a result's summary under their headings, each with its unit."""
    chosen = [line for line in result.lines if line.section in set(sections)]
    index = pd.MultiIndex.from_tuples([(line.section, line.label) for line in chosen], names=["", " "])
    return pd.DataFrame({"": [_figure(line.value, line.unit) for line in chosen]}, index=index)


def _figure(value: Any, unit: str) -> str:
    if unit == "s":
        return span(value)
    if unit == "ratio":
        return part(value)
    if unit == "times":
        return times(value)
    if unit == "GPU-hours":
        return gpu_hours(value)
    return count(value) if isinstance(value, int) else str(value)
