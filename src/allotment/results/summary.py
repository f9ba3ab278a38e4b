"""The summary: the figures of one run as a plain dict that becomes JSON as it is. Ratios are 0 to 1, times are seconds.

A figure that cannot be known is None: a quantile that the waits end before, or a ratio of nothing. What each means is
written down in `allotment.results.figures`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
import pandas as pd

from allotment.model.codes import EndCode, IdleCause, JobState
from allotment.model.policy import Policy
from allotment.results import metrics, regime, waiting
from allotment.results.changes import Change, changes
from allotment.results.columns import words
from allotment.results.repairs import repairs
from allotment.results.tables import seconds
from allotment.scenario import Scenario
from allotment.units import HOUR

WELL_SERVED = Fraction(95, 100)
Tables = Mapping[str, pd.DataFrame]
Summary = dict[str, Any]
THEN = ", then "  # between the names of policies of which one took over from the other


def summarize(scenario: Scenario, tables: Tables, horizon: int) -> Summary:
    """Return the summary of a run, over the measured time: from the warm-up's end to the horizon (s).

    Hourly figures begin with the first whole hour after the warm-up; waits are of jobs submitted from its end on.
    """
    warmup, hour = scenario.warmup, metrics.first_hour(scenario.warmup)
    jobs, slices = tables["jobs"], tables["slices"]
    cluster = tables["cluster"][(tables["cluster"]["hour"] >= hour).to_numpy()]
    since = min(hour * HOUR, horizon)
    held = metrics.total(cluster["allocated"]) + metrics.total(cluster["unallocated"])
    healthy = metrics.total(cluster["healthy"])
    work = metrics.worked(slices, since, horizon)
    given = delivery(scenario, tables, horizon)
    availability = metrics.ratio(healthy, metrics.total(cluster["capacity"]))
    occupancy = metrics.ratio(held, healthy)
    return {
        "scenario": scenario.name,
        "policy": policy_name(scenario, horizon),
        "seed": scenario.seed,
        "cluster": scenario.cluster.name,
        "gpus": scenario.cluster.gpus,
        "warmup": warmup,
        "measured": max(horizon - warmup, 0),
        "interrupted": horizon < scenario.horizon,
        "jobs": _jobs(jobs, warmup),
        "pressure": pressure(scenario, tables),
        "occupancy": occupancy,
        "unallocated_share": metrics.ratio(metrics.total(cluster["unallocated"]), held),
        **given,
        "changes": [_change(change) for change in changes(tables, warmup, horizon)],
        "wait": _waits(waiting.by_kind(jobs, warmup)),
        "wait_open": _waits([waiting.of_all(jobs, warmup, only_open=True)])[waiting.ALL],
        "team_wait": _waits(waiting.by_leaf(jobs, warmup)),
        "gang_wait": _waits(waiting.by_size(jobs, warmup, scenario.cluster.gpus_per_node)),
        "contract_wait": _waits(waiting.by_contract(jobs, warmup)),
        "claimed_gpu_hours": _claimed(jobs, warmup),
        **stops(slices, since, horizon, held),
        "occupied_for": {name: metrics.ratio(time, held) for name, time in work.items()},
        "squatted_gpu_hours": work["squatted"] / HOUR,
        "priorities": regime.priorities(scenario, jobs, slices, horizon),
        "longest_protected_session": regime.longest_protected(
            jobs, slices, tables["segments"], regime.interactive_kinds(scenario), warmup
        ),
        **_idle(cluster, healthy),
        "pyramid": {
            "availability": availability,
            "occupancy": occupancy,
            "impact": given["delivered"]["cumulative"],
            "utilization": metrics.ratio(work["useful"], held),
        },
        **_incidents(tables["incidents"], since),
        "repairs": repairs(tables["incidents"], since, horizon),
    }


def _jobs(jobs: pd.DataFrame, warmup: int) -> Summary:
    codes = jobs["state"].cat.codes.to_numpy()[(jobs["submit"] >= warmup).to_numpy()]
    count = np.bincount(codes, minlength=len(JobState)).tolist()
    return {"submitted": len(codes)} | dict(zip(words(JobState)[1:], count[1:], strict=True))


def policy_name(scenario: Scenario, horizon: int) -> str:
    """Return what is called the policy of a run: one name, or those that took over from one another."""
    return THEN.join(policy.name for policy in _policies(scenario, horizon))


def _policies(scenario: Scenario, horizon: int) -> list[Policy]:
    return [phase.policy for phase in scenario.phases(horizon) if phase.end > min(scenario.warmup, horizon - 1)]


def delivery(scenario: Scenario, tables: Tables, horizon: int) -> Summary:
    """Return what a summary says of what nodes were owed and given: `delivered`, `delivery` and `budget_delivery`."""
    usage, hour = tables["usage"], metrics.first_hour(scenario.warmup)
    given = metrics.deliver(usage, hour)
    nodes = usage.iloc[: len(given.nodes)]
    leaves = given.only(nodes["is_leaf"].to_numpy())
    budgets = given.only((nodes["depth"] == 1).to_numpy())
    paths = [str(path) for path in nodes["node"]]
    came = metrics.submitted(tables["jobs"], tables["shares"], scenario.warmup)
    return {
        "delivered": {
            "comparable": all(policy.contracts is not None for policy in _policies(scenario, horizon)),
            "level": "leaf",
            **_standing(leaves),
            "budgets": _standing(budgets),
        },
        "delivery": _rows(leaves, paths, came),
        "budget_delivery": _rows(budgets, paths, came),
    }


def pressure(scenario: Scenario, tables: Tables) -> float | None:
    """Return how many times the healthy GPU time of the measured hours was wanted; None where there was none."""
    usage, cluster, hour = tables["usage"], tables["cluster"], metrics.first_hour(scenario.warmup)
    healthy = metrics.total(cluster["healthy"][(cluster["hour"] >= hour).to_numpy()])
    root = (usage["depth"].to_numpy() == 0) & (usage["hour"].to_numpy() >= hour)
    wanted = sum(metrics.total(usage[name][root]) for name in ("demand", "demand_too_large", "demand_free"))
    return metrics.ratio(wanted, healthy)


def _standing(of: metrics.Delivered) -> Summary:
    each = of.each
    return {
        "cumulative": of.cumulative,
        "hourly": of.hourly,
        "teams": len(each),
        "teams_at_95": sum(1 for part in each if part >= WELL_SERVED),
        "worst": float(min(each)) if each else None,
    }


def _rows(of: metrics.Delivered, paths: list[str], came: Mapping[str, int]) -> list[Summary]:
    names = ("team", "submitted_gpu_hours", "owed_gpu_hours", "delivered_gpu_hours", "cumulative", "hourly")
    hourly, cumulative = of.of_owed(of.capped_hourly), of.of_owed(of.capped)
    nodes = [paths[node] for node in of.nodes]
    hours = [came[node] / HOUR for node in nodes]
    rows = zip(nodes, hours, of.owed_hours, of.delivered_hours, cumulative, hourly, strict=True)
    return [dict(zip(names, row, strict=True)) for row in rows]


def _waits(waits: Iterable[waiting.Wait]) -> Summary:
    rows = [attrs.asdict(wait) for wait in waits]
    return {row.pop("of"): row for row in rows}


def _claimed(jobs: pd.DataFrame, warmup: int) -> float:
    """Return what the contracts of the jobs submitted in the measured time claim, if each is claimed once."""
    recent = (jobs["submit"] >= warmup).to_numpy()
    return int((jobs["take"].to_numpy().astype(np.int64) * jobs["min_runtime"].to_numpy())[recent].sum()) / HOUR


def _change(of: Change) -> Summary:
    return attrs.asdict(
        of, value_serializer=lambda _of, _field, value: list(value) if isinstance(value, tuple) else value
    )


def stops(slices: pd.DataFrame, since: int, horizon: int, held: int) -> Summary:
    """Return what a summary says of slices that were stopped in [since, horizon), of `held` GPU-seconds in all."""
    early = metrics.stopped(slices, since, horizon)
    ended = early["ended"].cat.codes.to_numpy()
    lost = seconds(early["lost"])
    of = {name: lost[ended == code] for code, name in enumerate(words(EndCode)) if name in metrics.STOPPED}
    return {
        "preemptions": len(of["preempted"]),
        "restarts": len(early),
        "work_lost_gpu_hours": int(lost.sum()) / HOUR,
        "work_lost_share": metrics.ratio(int(lost.sum()), held),
        "stops": {name: {"n": len(each), "work_lost_gpu_hours": int(each.sum()) / HOUR} for name, each in of.items()},
    }


def _idle(cluster: pd.DataFrame, healthy: int) -> Summary:
    idle = {cause: metrics.total(cluster[f"idle_{cause}"]) for cause in words(IdleCause)}
    return {
        "idle": {cause: metrics.ratio(time, healthy) for cause, time in idle.items()},
        "idle_gpu_hours": {cause: time / HOUR for cause, time in idle.items()},
    }


def _incidents(incidents: pd.DataFrame, since: int) -> Summary:
    recent = incidents[(incidents["begin"] >= since).to_numpy()]
    return {"incidents": len(recent), "incidents_with_a_person": int(np.count_nonzero(recent["person"]))}


@attrs.frozen
class Line:
    """One figure of a summary to show: under which heading, what it is called, its value as it is, and its unit."""

    section: str
    label: str
    value: Any
    unit: str


def lines(summary: Summary) -> list[Line]:
    """Return the figures of a summary in the order in which one reads them; how they look is for others to say."""
    found = [
        Line("run", "scenario", summary["scenario"], ""),
        Line("run", "policy", summary["policy"], ""),
        Line("run", "seed", summary["seed"], ""),
        Line("run", "measured", summary["measured"], "s"),
        Line("run", "jobs submitted", summary["jobs"]["submitted"], ""),
        Line("run", "wanted over healthy GPUs", summary["pressure"], "times"),
    ]
    found += [Line("GPU time", name, value, "ratio") for name, value in summary["pyramid"].items() if name != "impact"]
    found += [Line("GPU time", "unallocated, of occupied", summary["unallocated_share"], "ratio")]
    found += [
        Line("GPU time", f"idle: {cause.replace('_', ' ')}", part, "ratio") for cause, part in _idle_lines(summary)
    ]
    of = summary["delivered"]
    if of["comparable"]:
        found += [
            Line("delivered", "of what teams were owed", of["cumulative"], "ratio"),
            Line("delivered", "the same, hour by hour", of["hourly"], "ratio"),
            Line("delivered", f"teams at 95 %, of {of['teams']}", of["teams_at_95"], ""),
            Line("delivered", "worst team", of["worst"], "ratio"),
        ]
    for heading, waits in (("wait", summary["wait"]), ("wait of gangs, by GPUs", summary["gang_wait"])):
        for name, wait in waits.items():
            found += [Line(heading, f"{name} {which}", wait[which], "s") for which in ("p50", "p90")]
            found += [Line(heading, f"{name} {which}", wait[which], "") for which in ("n", "censored")]
    marks, mended = summary["priorities"], summary["repairs"]
    return [
        *found,
        Line("people", "held idle after work", summary["squatted_gpu_hours"], "GPU-hours"),
        Line("people", "marked HIGH, of jobs", marks["high"]["jobs"], "ratio"),
        Line("people", "the same on the last day", marks["high_at_end"]["jobs"], "ratio"),
        Line("people", "longest protected session", summary["longest_protected_session"], "s"),
        Line("repairs", "nodes", mended["n"], ""),
        Line("repairs", "that needed a person", mended["with_a_person"], ""),
        Line("repairs", "drain p50", mended["drain"]["p50"], "s"),
        Line("repairs", "longest drain", mended["drain"]["longest"], "s"),
        Line("price", "preemptions", summary["preemptions"], ""),
        Line("price", "restarts", summary["restarts"], ""),
        Line("price", "work lost", summary["work_lost_gpu_hours"], "GPU-hours"),
        Line("price", "work lost, of occupied", summary["work_lost_share"], "ratio"),
        Line("price", "restart costs, of occupied", summary["occupied_for"]["restart"], "ratio"),
    ]


def _idle_lines(summary: Summary) -> list[tuple[str, Any]]:
    return [(cause, part) for cause, part in summary["idle"].items() if part]
