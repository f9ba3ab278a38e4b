"""Teams that mark their work higher because it waits too long, by what they have seen of the run so far.

What is drawn before the run: when each team looks for the first time, and for each job how soon it is marked. What the
run decides: whether a look finds that jobs wait too long.
"""

from __future__ import annotations

from fractions import Fraction

import attrs
import numpy as np
import numpy.typing as npt

from allotment.model.codes import Priority
from allotment.model.people import Inflation
from allotment.scenario import Scenario
from allotment.workload.chance import Floats, generator
from allotment.workload.table import JobTable
from allotment.world.clock import Play, World
from allotment.world.scope import meant

Integers = npt.NDArray[np.int64]
Rows = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@attrs.frozen(kw_only=True, eq=False)
class Team:
    """The jobs of one leaf that a behaviour is about, and what was drawn for them; arrays have one entry a job."""

    habit: Inflation
    first: int  # when it looks for the first time (s from the start)
    jobs: Rows
    tolerance: Integers  # s
    mark: Floats  # uniform: a job is marked one level higher when the level of inflation has passed it
    pin: Floats  # uniform: a job is marked "do not preempt" when the level of pinning has passed it


def teams(habit: Inflation, table: JobTable, scenario: Scenario) -> list[Team]:
    """Return the teams of one behaviour, in the order of their leaves' ids; those without a job are left out."""
    rows = meant(habit, table, scenario.plan)
    of_kind = {tolerance.kind: tolerance.wait for tolerance in habit.tolerances}
    tolerance = np.array([of_kind.get(kind, habit.tolerance) for kind in table.kinds], np.int64)
    found = []
    for leaf in sorted(range(len(table.leaves)), key=lambda row: table.leaves[row]):
        jobs = np.flatnonzero(rows & (table.leaf == leaf))
        rng = generator(scenario.seed, "people", habit.name, table.leaves[leaf])
        first = int(rng.random() * habit.every)
        mark, pin = rng.random((len(jobs), 2)).T
        if len(jobs):
            given = tolerance[table.kind[jobs]]
            found.append(Team(habit=habit, first=first, jobs=jobs, tolerance=given, mark=mark, pin=pin))
    return found


def too_long(
    submit: Integers,
    first_start: Integers,
    waits: Flags,
    tolerance: Integers,
    *,
    since: int,
    now: int,
    quantile: Fraction,
) -> bool | None:
    """Return whether jobs waited too long, as one sees it at `now`; None where there was nothing to see.

    What counts are the jobs that started from `since` on, and those that still wait for their first start and have
    done so for longer than their tolerance. It was too long if not `quantile` of them waited at most that.

    Ten jobs, of which nine started at once and one after an hour and a half, are borne; with one more that waits since
    two hours they are not:

    >>> submit, start = np.zeros(11, int), np.array([0] * 9 + [5400, -1])
    >>> look = {"tolerance": np.full(11, 3600), "since": 0, "now": 7200, "quantile": Fraction(9, 10)}
    >>> too_long(submit, start, np.zeros(11, bool), **look), too_long(submit, start, start < 0, **look)
    (False, True)
    """
    started = (first_start >= since) & (first_start < now)
    overdue = waits & (now - submit > tolerance)
    seen = np.count_nonzero(started) + np.count_nonzero(overdue)
    if seen == 0:
        return None
    borne = np.count_nonzero(started & (first_start - submit <= tolerance))
    return bool(borne * quantile.denominator < quantile.numerator * seen)


def marked(meant_as: npt.NDArray[np.int8], draw: Floats, level: float, highest: Priority) -> npt.NDArray[np.int8]:
    """Return the priorities that jobs get, which were meant to have these, at a level of inflation.

    A level of 1.25 marks every job one level higher, and those with a draw below 0.25 two; nothing above `highest`.

    >>> marked(np.array([1, 1, 2, 4], np.int8), np.array([0.1, 0.9, 0.1, 0.1]), 1.25, Priority.HIGH).tolist()
    [3, 2, 3, 4]
    """
    whole = int(level)
    higher = meant_as + whole + (draw < level - whole)
    return np.maximum(meant_as, np.minimum(higher, int(highest))).astype(np.int8)


class Marks:
    """What teams have made of their jobs' marks so far: the jobs as they are submitted.

    Where two behaviours are about one job, the higher mark counts.
    """

    def __init__(self, world: World, table: JobTable, scenario: Scenario) -> None:
        self._world = world
        self._table = table
        habits = [person for person in scenario.people if isinstance(person, Inflation)]
        self._priorities = [table.priority.copy() for _ in habits]
        self._preemptible = [table.preemptible.copy() for _ in habits]
        for place, habit in enumerate(habits):
            for team in teams(habit, table, scenario):
                world.env.process(self._look(team, self._priorities[place], self._preemptible[place]))

    @property
    def table(self) -> JobTable:
        """The job table with the marks with which jobs were submitted, or would be now."""
        if not self._priorities:
            return self._table
        every = np.arange(len(self._table))
        return attrs.evolve(self._table, priority=self._priority(every), preemptible=self._may_be_preempted(every))

    def _priority(self, jobs: Rows) -> npt.NDArray[np.int8]:
        highest: npt.NDArray[np.int8] = np.maximum.reduce([column[jobs] for column in self._priorities])
        return highest

    def _may_be_preempted(self, jobs: Rows) -> Flags:
        every: Flags = np.logical_and.reduce([column[jobs] for column in self._preemptible])
        return every

    def _look(self, team: Team, priority: npt.NDArray[np.int8], preemptible: Flags) -> Play:
        """Look at the waits again and again, and mark the jobs that are still to be submitted."""
        world, habit, table = self._world, team.habit, self._table
        level, pinned, since = 0.0, 0.0, 0
        moment = team.first
        while True:
            yield world.at(moment)
            submit, first_start, waits = world.scheduler.observe(team.jobs)
            verdict = too_long(
                submit, first_start, waits, team.tolerance, since=since, now=world.now, quantile=habit.quantile
            )
            before = (level, pinned)
            if verdict is not None:
                most = float(max(habit.highest - Priority.LOW, 0))
                level = min(level + habit.step, most) if verdict else max(level - habit.relax, 0.0)
                pinned = min(pinned + habit.pin, 1.0) if verdict else max(pinned - habit.unpin, 0.0)
            if (level, pinned) != before:
                ahead = submit < 0
                jobs = team.jobs[ahead]
                priority[jobs] = marked(table.priority[jobs], team.mark[ahead], level, habit.highest)
                preemptible[jobs] = table.preemptible[jobs] & (team.pin[ahead] >= pinned)
                world.scheduler.mark(jobs, self._priority(jobs), self._may_be_preempted(jobs))
            since, moment = world.now, moment + habit.every
