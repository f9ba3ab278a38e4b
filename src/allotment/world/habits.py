"""What people's habits make of their jobs, before the run: sessions that outlast their work, contracts above the need.

All that these habits change are columns of the job table, the same under every policy.
"""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

from allotment.model.people import OverAsking, Squatting
from allotment.scenario import Scenario
from allotment.workload.attributes import CUSTOMARY_LIMITS, round_up
from allotment.workload.table import JobTable
from allotment.world.draws import log_normal
from allotment.world.scope import meant, users

Integers = npt.NDArray[np.int64]


def with_habits(table: JobTable, scenario: Scenario) -> JobTable:
    """Return the table as its users would submit it. Who squats asks a longer limit, so contracts come after."""
    for person in scenario.people:
        if isinstance(person, Squatting):
            table = _squat(person, table, scenario)
    for person in scenario.people:
        if isinstance(person, OverAsking):
            table = _over_ask(person, table, scenario)
    return table


def _squat(person: Squatting, table: JobTable, scenario: Scenario) -> JobTable:
    """Lengthen the sessions that are kept, and the limits to match; a session that is kept already stays as it is."""
    hold = np.zeros(len(table), np.int64)
    for rows, rng in users(person, meant(person, table, scenario.plan), table, scenario.seed):
        does = rng.random() < person.users
        kept, lasts = rng.random((len(rows), 2)).T
        if does:
            held = np.minimum(log_normal(lasts, person.hold.median, person.hold.sigma), person.longest)
            hold[rows] = np.where(kept < person.share, held, 0)
    hold[table.hold > 0] = 0
    squats = hold > 0
    work = table.work + hold
    limit = np.where(squats, np.maximum(table.limit, round_up(work + table.startup, CUSTOMARY_LIMITS)), table.limit)
    preemptible = table.preemptible & (person.preemptible | ~squats)
    return attrs.evolve(table, work=work, hold=table.hold + hold, limit=limit, preemptible=preemptible)


def _over_ask(person: OverAsking, table: JobTable, scenario: Scenario) -> JobTable:
    """Lengthen the contracts of those who over-ask; nobody's becomes shorter."""
    asks = np.zeros(len(table), np.bool_)
    for rows, rng in users(person, meant(person, table, scenario.plan), table, scenario.seed):
        asks[rows] = rng.random() < person.share
    return attrs.evolve(table, min_runtime=np.where(asks, _asked(person, table), table.min_runtime))


def _asked(person: OverAsking, table: JobTable) -> Integers:
    if person.times is None:
        wanted = np.full(len(table), person.min_runtime)
    else:
        wanted = np.minimum((table.min_runtime * person.times).astype(np.int64), person.min_runtime)
    asked = np.maximum(table.min_runtime, np.minimum(wanted, table.limit))
    return np.where(table.min_runtime > 0, asked, 0)
