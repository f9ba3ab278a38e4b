"""Laws 2 and 5, for every policy: all GPU-time is accounted for, and each idle second has a cause.

GPU-time occupied + idle + down = capacity x time, to the second, in every hour and in all; the ledger sums to the tables
`usage` and `cluster`. Of law 5 a table shows only that nothing idle is left unexplained.
"""

from __future__ import annotations

import numpy as np

from allotment.model.codes import IdleCause
from allotment.results.columns import words
from allotment.results.laws.curve import by_hour, curve, steps
from allotment.results.laws.facts import Facts, Integers, Violation, report
from allotment.results.laws.plan import below, leaf_rows
from allotment.results.tables import seconds
from allotment.units import HOUR

STATES = {"allocated": ("protected", "interruptible"), "protected": ("protected",), "unallocated": ("unallocated",)}


def _gpu_seconds(facts: Facts, table: str, column: str) -> Integers:
    return seconds(facts.tables[table][column])


def _same(facts: Facts, column: str, due: Integers, source: str) -> list[Violation]:
    """Compare a column of `cluster` with what it should be, in GPU-seconds."""
    said = _gpu_seconds(facts, "cluster", column)
    return report(
        2, "cluster", said != due, lambda row: f"{column} is {said[row]} GPU-s; {source} has {due[row]} GPU-s"
    )


def segments_tile_their_slice(facts: Facts) -> list[Violation]:
    """Lay the segments of every slice end to end."""
    of, begin, end = (facts.ints("segments", name) for name in ("slice", "begin", "end"))
    order = np.lexsort((begin, of))
    first = np.append(True, np.diff(of[order]) != 0) if len(of) else np.zeros(0, bool)
    last = np.append(first[1:], True) if len(of) else first
    due = facts.ints("slices", "start")[of[order]]
    due[1:] = np.where(first[1:], due[1:], end[order][:-1])
    wrong = np.zeros(len(of), bool)
    wrong[order] = begin[order] != due
    should = np.zeros(len(of), np.int64)
    should[order] = due
    found = report(2, "segments", wrong, lambda row: f"begins at {begin[row]} s, not at {should[row]} s")
    stop = facts.ints("slices", "end")[of]
    short = np.zeros(len(of), bool)
    short[order] = last
    short &= end != stop
    found += report(
        2,
        "segments",
        short,
        lambda row: f"is the last of slice {of[row]} and ends at {end[row]} s, not at {stop[row]} s",
    )
    without = np.bincount(of, minlength=len(facts.job)) == 0
    return found + report(2, "slices", without, lambda row: "has no segment")


def ledger_sums_to_usage(facts: Facts) -> list[Violation]:
    """Sum the ledger by leaf and hour, charging nothing that is unallocated, and compare."""
    of = facts.ints("segments", "slice")
    leaf = facts.codes("jobs", "leaf")[facts.job][of]
    take, begin, end = facts.ints("slices", "take")[of], facts.ints("segments", "begin"), facts.ints("segments", "end")
    found = []
    for column, states in STATES.items():
        counts = facts.among("segments", "state", states)
        sums = {}
        for node in leaf_rows(facts):
            mine = counts & (leaf == node)
            sums[node] = by_hour(facts.horizon, curve(begin[mine], end[mine], take[mine]))
        found += _compare_usage(facts, column, sums)
    return found + _delivered_is_allocated(facts)


def _delivered_is_allocated(facts: Facts) -> list[Violation]:
    given, held = _gpu_seconds(facts, "usage", "delivered"), _gpu_seconds(facts, "usage", "allocated")
    return report(
        2, "usage", given != held, lambda row: f"delivered is {given[row]} GPU-s, but {held[row]} GPU-s were allocated"
    )


def demand_sums_to_usage(facts: Facts) -> list[Violation]:
    """Sum what outstanding jobs wanted by leaf and hour, and compare."""
    leaf, begin, take = facts.codes("jobs", "leaf"), facts.ints("jobs", "submit"), facts.ints("jobs", "take")
    end = facts.ints("jobs", "end")
    end = np.where(end < 0, facts.horizon, end)
    asks = facts.ints("jobs", "min_runtime") > 0
    large = facts.tables["jobs"]["too_large"].to_numpy()
    found = []
    for column, counts in (("demand", asks & ~large), ("demand_too_large", asks & large), ("demand_free", ~asks)):
        sums = {}
        for node in leaf_rows(facts):
            mine = counts & (leaf == node)
            sums[node] = by_hour(facts.horizon, curve(begin[mine], end[mine], take[mine]))
        found += _compare_usage(facts, column, sums)
    return found


def _compare_usage(facts: Facts, column: str, sums: dict[int, Integers]) -> list[Violation]:
    """Compare a column of `usage` with what its leaves sum to, [hour] for each, everything below a node included."""
    paths = facts.paths
    inside = below(facts)[:, list(sums)]
    due = (np.array(list(sums.values())).T @ inside.T.astype(np.int64)).ravel()
    said = _gpu_seconds(facts, "usage", column)
    return report(
        2,
        "usage",
        said != due,
        lambda row: f"{column} of {paths[row % len(paths)]!r} is {said[row]} GPU-s; its rows sum to {due[row]} GPU-s",
    )


def usage_sums_to_cluster(facts: Facts) -> list[Violation]:
    """Compare what the root has in `usage` with `cluster`."""
    root = (facts.tables["usage"]["depth"] == 0).to_numpy()
    found = []
    for column in STATES:
        found += _same(facts, column, _gpu_seconds(facts, "usage", column)[root], "the root in `usage`")
    return found


def all_time_is_accounted_for(facts: Facts) -> list[Violation]:
    """Add up every hour: occupied + idle + down = capacity x time."""
    columns = ["allocated", "unallocated", "down", *(f"idle_{cause}" for cause in words(IdleCause))]
    parts = np.array([_gpu_seconds(facts, "cluster", name) for name in columns])
    bounds = np.append(np.arange(0, facts.horizon, HOUR), facts.horizon)
    all_gpus = facts.scenario.cluster.gpus * np.diff(bounds)
    sums = parts.sum(axis=0)
    found = report(
        2,
        "cluster",
        sums != all_gpus,
        lambda row: f"occupied + idle + down is {sums[row]} GPU-s of {all_gpus[row]} GPU-s in the hour",
    )
    found += _same(facts, "capacity", all_gpus, "the whole cluster")
    whole, time = int(sums.sum()), facts.scenario.cluster.gpus * facts.horizon
    if whole != time:
        text = f"occupied + idle + down is {whole} GPU-s in all, capacity x time is {time} GPU-s"
        found.append(Violation(law=2, table="cluster", row=None, text=text))
    negative = parts.min(axis=0) < 0
    return found + report(
        2, "cluster", negative, lambda row: f"a part of the hour is negative: {parts[:, row].tolist()}"
    )


def capacity_sums_to_cluster(facts: Facts) -> list[Violation]:
    """Integrate the steps of the capacity and compare."""
    gpus = facts.scenario.cluster.gpus
    time, healthy, down = (facts.ints("capacity", name) for name in ("time", "healthy", "down"))
    found = report(
        2,
        "capacity",
        healthy + down != gpus,
        lambda row: f"{healthy[row]} healthy and {down[row]} down are not all {gpus} GPUs",
    )
    for column in ("healthy", "draining", "down"):
        of = steps(time, np.diff(facts.ints("capacity", column), prepend=0))
        found += _same(facts, column, by_hour(facts.horizon, of), "the table of the capacity")
    return found


def nothing_idle_is_unexplained(facts: Facts) -> list[Violation]:
    """Look at the idle time without a cause."""
    idle = _gpu_seconds(facts, "cluster", "idle_unexplained")
    return report(5, "cluster", idle != 0, lambda row: f"{idle[row]} GPU-s are idle without a cause")
