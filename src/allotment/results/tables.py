"""The tables of a run, from the arrays that the workload and the kernel left: codes become words, rows stay rows.

Every function returns one table with the columns that `columns.py` documents, in that order.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from allotment.kernel.log import SHARE_UNIT, Log
from allotment.model.changeset import Changeset
from allotment.model.codes import DecisionCode, EndCode, IdleCause, JobState, Priority, Reason, SliceState
from allotment.model.plan import Plan
from allotment.results.columns import INCIDENTS, words
from allotment.results.records import fields
from allotment.results.repairs import drains
from allotment.results.tree import Tree
from allotment.results.usage import Due, Held, Machines, Wanted
from allotment.units import HOUR
from allotment.workload.table import JobTable
from allotment.world.incidents import Emptied, IncidentKind

Rows = npt.NDArray[np.integer]
Frame = dict[str, Any]


def hours(seconds: Rows) -> npt.NDArray[np.float64]:
    """Return GPU-hours for whole GPU-seconds; :func:`seconds` gives the same whole numbers back."""
    return np.asarray(seconds / HOUR, dtype=np.float64)


def seconds(gpu_hours: pd.Series | npt.NDArray[np.float64], unit: int = 1) -> npt.NDArray[np.int64]:
    """Return the whole GPU-seconds that a column of GPU-hours stands for, or whole parts of one.

    >>> seconds(np.array([0.1]) / 3, unit=1)
    array([120])
    """
    return np.asarray(np.rint(np.asarray(gpu_hours) * (HOUR * unit)), dtype=np.int64)


def coded(codes: Rows, of: type[IntEnum]) -> pd.Categorical:
    """Return the categories that an array of codes stands for."""
    place = np.full(max(of) + 1, -1, np.int8)
    place[[int(code) for code in of]] = np.arange(len(of))
    return _categories(place[codes], words(of))


def _categories(rows: Rows, names: Iterable[str]) -> pd.Categorical:
    dtype = pd.CategoricalDtype(pd.Index(list(names), dtype="str"))
    return pd.Categorical.from_codes(rows, dtype=dtype, validate=False)


def _or_none(values: Rows, missing: npt.NDArray[np.bool_] | None = None) -> pd.arrays.IntegerArray:
    return pd.arrays.IntegerArray(np.ascontiguousarray(values), values < 0 if missing is None else missing)


def _text(values: list[str]) -> Any:
    return pd.array(values, dtype="str")


def _frame(columns: Frame) -> pd.DataFrame:
    owned = {name: np.ascontiguousarray(c) if isinstance(c, np.ndarray) else c for name, c in columns.items()}
    return pd.DataFrame(owned, copy=False)


def jobs(table: JobTable, log: Log, tree: Tree, squatted: Rows) -> pd.DataFrame:
    """Return the submitted jobs; those that a closed stream did not get to are left out.

    `squatted` are the seconds of each slice that were held idle.
    """
    idle = np.zeros(len(table), np.int64)
    np.add.at(idle, log.slices["job"], squatted * log.slices["take"])
    rows = np.flatnonzero(log.jobs["state"] != JobState.UNSUBMITTED)
    of = fields(log.jobs.take(rows))
    leaf = log.leaf_node[table.leaf[rows]]
    submit, first, end = of["submit"], of["first_start"], of["end"]
    never = first < 0
    over = np.where(end >= 0, end, log.horizon)
    names = _text([""]).repeat(len(rows)) if table.names is None else _text([table.names[row] for row in rows.tolist()])
    return _frame(
        {
            "job": rows.astype(np.int32),
            "name": names,
            "leaf": tree.named(leaf),
            "budget": tree.named(tree.budget[leaf]),
            "kind": _categories(table.kind[rows], table.kinds),
            "user": _categories(table.user[rows], table.users),
            "closed": table.streams.closed[table.stream[rows]],
            "gpus": table.gpus[rows],
            "take": of["take"],
            "work": table.work[rows],
            "hold": table.hold[rows],
            "min_runtime": table.min_runtime[rows],
            "too_large": of["too_large"],
            "resumable": table.resumable[rows],
            "checkpoint": table.checkpoint[rows],
            "startup": table.startup[rows],
            "restart": table.restart[rows],
            "limit": table.limit[rows],
            "priority": coded(table.priority[rows], Priority),
            "preemptible": table.preemptible[rows],
            "submit": submit,
            "first_start": _or_none(first),
            "end": _or_none(end),
            "state": coded(of["state"], JobState),
            "wait": _or_none(first - submit, never),
            "waited": np.where(never, over, first) - submit,
            "queued": of["queued"],
            "done": of["done"],
            "lost": hours(of["lost"]),
            "squatted": hours(idle[rows]),
            "restarts": of["restarts"],
            "slices": of["slices"],
        }
    )


def slices(table: JobTable, log: Log, tree: Tree, squatted: Rows) -> pd.DataFrame:
    """Return one row for each time that a job held GPUs."""
    of = fields(log.slices)
    return _frame(
        {
            "slice": np.arange(len(log.slices), dtype=np.int32),
            "job": of["job"],
            "leaf": tree.named(log.leaf_node[table.leaf[of["job"]]]),
            "start": of["start"],
            "end": of["end"],
            "ended": coded(of["end_code"], EndCode),
            "for_job": _or_none(of["for_job"]),
            "overhead": of["overhead"],
            "kept": of["kept"],
            "squatted": squatted,
            "lost": hours(of["lost"]),
            "take": of["take"],
            "nodes": of["nodes"],
        }
    )


def placements(log: Log) -> pd.DataFrame:
    """Return on which nodes each slice stood."""
    return _frame(fields(log.placements))


def segments(log: Log) -> pd.DataFrame:
    """Return the ledger: in which state each slice was, from when until when."""
    of = fields(log.segments)
    return _frame(
        {"slice": of["slice"], "state": coded(of["state"], SliceState), "begin": of["begin"], "end": of["end"]}
    )


def decisions(log: Log, tree: Tree) -> pd.DataFrame:
    """Return what the scheduler decided, with the numbers that decided it."""
    of = fields(log.decisions)
    ranked = of["entitled"] >= 0
    other = of["other_entitled"] >= 0
    return _frame(
        {
            "time": of["time"],
            "decision": coded(of["code"], DecisionCode),
            "reason": coded(of["reason"], Reason),
            "level": tree.named(of["level"]),
            "job": _or_none(of["job"]),
            "slice": _or_none(of["slice"]),
            "other_job": _or_none(of["other_job"]),
            "claim": _known(of["claim"], of["claim"] >= 0),
            "headroom": _known(of["headroom"], ranked),
            "used": _known(of["used"], ranked),
            "entitled": _known(of["entitled"], ranked),
            "other_used": _known(of["other_used"], other),
            "other_entitled": _known(of["other_entitled"], other),
            "lost": _known(of["lost"], of["lost"] >= 0),
        }
    )


def _known(values: Rows, where: npt.NDArray[np.bool_]) -> npt.NDArray[np.float64]:
    known: npt.NDArray[np.float64] = np.where(where, values / HOUR, np.nan)
    return known


def usage(tree: Tree, held: Held, wanted: Wanted, due: Due) -> pd.DataFrame:
    """Return a row for each hour and plan node; the nodes of an hour are in the order of their ids."""
    nodes, count = held.protected.shape
    hour = np.repeat(np.arange(count, dtype=np.int32), nodes)
    allocated = held.protected + held.interruptible

    def flat(sums: npt.NDArray[np.int64], unit: int = 1) -> npt.NDArray[np.float64]:
        return (sums.T / (HOUR * unit)).ravel()

    return _frame(
        {
            "hour": hour,
            "time": hour.astype(np.int64) * HOUR,
            "node": tree.named(np.tile(np.arange(nodes), count)),
            "depth": np.tile(tree.depth, count),
            "is_leaf": np.tile(tree.is_leaf, count),
            "entitlement": flat(due.entitlement, SHARE_UNIT),
            "demand": flat(wanted.contract),
            "demand_too_large": flat(wanted.too_large),
            "demand_free": flat(wanted.free),
            "owed": flat(due.owed, SHARE_UNIT),
            "delivered": flat(allocated),
            "allocated": flat(allocated),
            "protected": flat(held.protected),
            "unallocated": flat(held.unallocated),
        }
    )


def cluster(tree: Tree, held: Held, of: Machines, squatted: Rows) -> pd.DataFrame:
    """Return a row for each hour: what the GPUs of the cluster did. `squatted` are GPU-seconds by hour."""
    root = int(np.flatnonzero(tree.parent < 0)[0])
    hour = np.arange(len(of.capacity), dtype=np.int32)
    return _frame(
        {
            "hour": hour,
            "time": hour.astype(np.int64) * HOUR,
            "capacity": hours(of.capacity),
            "healthy": hours(of.healthy),
            "allocated": hours(held.protected[root] + held.interruptible[root]),
            "protected": hours(held.protected[root]),
            "unallocated": hours(held.unallocated[root]),
            "squatted": hours(squatted),
            **{f"idle_{cause}": hours(of.idle[:, at]) for at, cause in enumerate(words(IdleCause))},
            "draining": hours(of.draining),
            "down": hours(of.down),
        }
    )


def capacity(log: Log) -> pd.DataFrame:
    """Return the steps of the cluster's capacity."""
    return _frame(fields(log.capacity))


def shares(log: Log, tree: Tree) -> pd.DataFrame:
    """Return what each plan node deserved from which moment on."""
    epochs, nodes = log.epoch_share.shape
    return _frame(
        {
            "time": np.repeat(log.epoch_time, nodes),
            "id": _text(list(tree.ids) * epochs),
            "node": tree.named(np.tile(np.arange(nodes), epochs)),
            "parent": tree.named(np.tile(tree.parent, epochs)),
            "depth": np.tile(tree.depth, epochs),
            "is_leaf": np.tile(tree.is_leaf, epochs),
            "share": log.epoch_share.ravel() / SHARE_UNIT,
        }
    )


def changesets(plan: Plan, changes: Iterable[Changeset], tree: Tree) -> pd.DataFrame:
    """Return one row for each share that was changed, with what it was before."""
    row_of = {node: row for row, node in enumerate(tree.ids)}
    share = {node.id: node.share for node in plan.walk()}
    rows = []
    for change in changes:
        for part in change.shares:
            rows.append((change, part, share[part.id]))
            share[part.id] = part.share
    return _frame(
        {
            "time": np.array([change.time for change, _, _ in rows], np.int64),
            "author": _text([change.author for change, _, _ in rows]),
            "reason": _text([change.reason for change, _, _ in rows]),
            "node": tree.named(np.array([row_of[part.id] for _, part, _ in rows], np.int64)),
            "old": np.array([float(old) for _, _, old in rows]),
            "new": np.array([float(part.share) for _, part, _ in rows]),
        }
    )


def incidents(rows: npt.NDArray[Any]) -> pd.DataFrame:
    """Return what broke, from rows of `allotment.world.incidents.INCIDENT`."""
    codes = {"kind": IncidentKind, "emptied": Emptied}
    columns: Frame = {}
    for column in INCIDENTS:
        values = drains(rows) if column.name == "drain" else rows[column.name]
        if column.name in codes:
            columns[column.name] = coded(values, codes[column.name])
        else:
            columns[column.name] = _or_none(values) if column.kind == "Int64" else values
    return _frame(columns)


def priorities(columns: Frame) -> pd.DataFrame:
    """Return how much of the jobs and of the GPU-time of each day was marked HIGH, from what `regime` has counted."""
    return _frame(columns)
