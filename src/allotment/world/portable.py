"""The jobs of a fleet: what comes to each member, and those of it that may be submitted on another.

A portable job is a row of a manual stream in the table of every member that it fits on, with the same attributes in each,
so that the same job can be had whichever cluster and arbitration it meets. Where no job has a choice, the tables are those of
the members' scenarios.
"""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from allotment.fleet import Fleet
from allotment.model.job import gpus_taken
from allotment.scenario import Scenario
from allotment.workload.chance import generator
from allotment.workload.generate import generate
from allotment.workload.table import COLUMNS, JobTable, StreamTable, merge
from allotment.world.people import with_people

Integers = npt.NDArray[np.int64]
Array = npt.NDArray[Any]


@attrs.frozen(kw_only=True, eq=False)
class FleetJobs:
    """All jobs of a fleet: a table for each member, in the order of their names, and the portable jobs among them.

    Portable jobs are in the order in which they are submitted. `rows` holds, for each member and portable job, the row
    in the member's table, -1 where it cannot run there; `home` is the member that it comes to.
    """

    names: tuple[str, ...]
    scenarios: tuple[Scenario, ...]
    tables: tuple[JobTable, ...]
    submit: Integers
    home: Integers
    rows: Integers  # [member, portable job]

    def __len__(self) -> int:
        return len(self.submit)


def jobs_of(fleet: Fleet) -> FleetJobs:
    """Return all jobs of a fleet, drawn before the run. Raises ValueProblems where something does not fit together."""
    scenarios = tuple(fleet.scenario(name) for name in fleet.names)
    drawn = [_draw(scenario) for scenario in scenarios]
    kept, parts, homes = [], [], []
    for home, (scenario, table) in enumerate(zip(scenarios, drawn, strict=True)):
        chosen = _portable(fleet, scenario, table)
        chosen &= sum(_fits(table, other, of) for other, of in zip(scenarios, drawn, strict=True)) > 1
        rows = np.flatnonzero(chosen)
        habits = with_people(table, scenario)
        parts.append(_by_hand(_rows_of(habits, rows), table.submit[rows]))
        homes.append(np.full(len(rows), home))
        kept.append(_rows_of(table, np.flatnonzero(~chosen)) if len(rows) else table)
    leaves = sorted({leaf for part in parts for leaf in part[0].leaves})
    whole = merge(leaves, [part for part, _ in parts])
    submit, home_of = np.concatenate([times for _, times in parts]), np.concatenate(homes)
    order = np.lexsort((np.arange(len(submit)), submit))
    whole, submit, home_of = _rows_of(whole, order), submit[order], home_of[order]
    tables, places = [], []
    for scenario, own, of in zip(scenarios, kept, drawn, strict=True):
        here = np.flatnonzero(_fits(whole, scenario, of))
        places.append(np.full(len(submit), -1))
        places[-1][here] = len(own) + np.arange(len(here))
        tables.append(_joined(own, _rows_of(whole, here), scenario))
    return FleetJobs(
        names=fleet.names,
        scenarios=scenarios,
        tables=tuple(tables),
        submit=submit,
        home=home_of,
        rows=np.stack(places),
    )


def _draw(scenario: Scenario) -> JobTable:
    at = (scenario.plan, scenario.cluster, scenario.start, scenario.horizon, scenario.seed)
    return generate(scenario.workload, *at)


def _portable(fleet: Fleet, scenario: Scenario, table: JobTable) -> npt.NDArray[np.bool_]:
    """Return which jobs of a member are portable, each by a number of its own: more of them are those and others."""
    parts = {portable.kind: portable.part for portable in fleet.portable}
    streams = table.streams
    chosen = np.zeros(len(table), np.bool_)
    for row in np.flatnonzero(~(streams.closed | streams.manual)).tolist():
        kind, leaf = streams.kinds[row], table.leaves[streams.leaf[row]]
        if kind in parts:
            mine = np.flatnonzero(table.stream == row)
            draws = generator(scenario.seed, "portable", streams.names[row], kind, leaf).random(len(mine))
            chosen[mine] = draws < parts[kind]
    return chosen


def _fits(table: JobTable, scenario: Scenario, drawn: JobTable) -> npt.NDArray[np.bool_]:
    """Return which jobs could run on a member: it has enough GPUs, and its plan a leaf for them."""
    takes = gpus_taken(table.gpus.astype(np.int64), scenario.cluster.gpus_per_node)
    leaves = set(drawn.leaves)
    there = np.array([leaf in leaves for leaf in table.leaves], np.bool_)
    return np.asarray(there[table.leaf] & (takes <= scenario.cluster.gpus))


def _rows_of(table: JobTable, rows: Integers) -> JobTable:
    columns = {name: getattr(table, name)[rows] for name in COLUMNS}
    names = None if table.names is None else tuple(table.names[row] for row in rows.tolist())
    return attrs.evolve(table, names=names, **columns)


def _by_hand(table: JobTable, submit: Array) -> tuple[JobTable, Array]:
    """Return the jobs in manual streams, one for each stream and leaf that they are of, and when they are submitted."""
    used, stream = np.unique(table.stream, return_inverse=True)
    of, none = table.streams, np.zeros(0, np.int64)
    streams = StreamTable(
        names=tuple(of.names[row] for row in used.tolist()),
        kinds=tuple(of.kinds[row] for row in used.tolist()),
        leaf=of.leaf[used],
        closed=np.zeros(len(used), np.bool_),
        manual=np.ones(len(used), np.bool_),
        target_at=np.zeros(len(used) + 1, np.int64),
        times=none,
        gpus=none,
    )
    return attrs.evolve(table, streams=streams, stream=stream, submit=np.full(len(table), -1)), submit


def _joined(own: JobTable, portable: JobTable, scenario: Scenario) -> JobTable:
    """Return a member's table: its own jobs, the portable ones as they were where they came from, and its people's."""
    if not len(portable):
        return with_people(own, scenario)
    both = merge(own.leaves, [own, _by_hand(portable, portable.submit)[0]])  # in streams that some job is of
    table = with_people(both, scenario)
    rows = slice(len(own), len(both))
    columns = {}
    for name in COLUMNS:
        if name not in ("leaf", "kind", "user", "stream"):
            columns[name] = getattr(table, name).copy()
            columns[name][rows] = getattr(portable, name)
    return attrs.evolve(table, **columns)
