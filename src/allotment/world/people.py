"""People who react: what each will want is drawn before the run; when it comes to pass, the run decides.

A job that somebody may submit is a row of the job table from the start, in a manual stream, whether it comes to that or
not: `with_people` appends these rows, and `cast` finds them again.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from datetime import datetime, time, timedelta
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from allotment.errors import SimulationError
from allotment.model.job import gpus_taken
from allotment.model.people import Hours, Impatience, Sessions
from allotment.scenario import Scenario
from allotment.units import HOUR
from allotment.workload.chance import generator
from allotment.workload.table import COLUMNS, JobTable, StreamTable, merge
from allotment.world.clock import Play, World
from allotment.world.draws import log_normal
from allotment.world.habits import with_habits
from allotment.world.scope import meant, users

CHUNK = 64  # rounds of a person drawn at a time; the number decides nothing
ALWAYS = ((0,), (1 << 62,))

Array = npt.NDArray[Any]


@attrs.frozen(kw_only=True)
class Worker:
    """One person who works in rounds: the rows of the jobs, in order, and the pause before each (seconds).

    `begins` and `ends` are the hours at work (seconds from the start).
    """

    jobs: range
    pauses: tuple[int, ...]
    begins: tuple[int, ...]
    ends: tuple[int, ...]

    def next_at_work(self, moment: int) -> int | None:
        """Return the first second from `moment` on at which this person is at work; None if there is none."""
        place = bisect_right(self.ends, moment)
        return max(moment, self.begins[place]) if place < len(self.ends) else None


@attrs.frozen(kw_only=True)
class Waiter:
    """A job whose user will not wait beyond `time`, and the row of what is asked for instead (-1: nothing)."""

    time: int
    job: int
    instead: int


@attrs.frozen(kw_only=True)
class Cast:
    """Everybody who plays a part in a run; the impatient in the order in which their patience ends."""

    workers: tuple[Worker, ...]
    waiters: tuple[Waiter, ...]


def with_people(table: JobTable, scenario: Scenario) -> JobTable:
    """Return the table and, behind its rows, those that the scenario's people may submit (submit -1, manual streams).

    Whether one of them is submitted is up to the run: a row that is not stays `UNSUBMITTED`. All rows are as people
    with their habits would submit them.
    """
    if not scenario.people:
        return table
    parts = [part for part, _ in _parts(table, scenario)]
    leaves = sorted({*table.leaves, *(leaf for part in parts for leaf in part.leaves)})
    return with_habits(merge(leaves, [table, *parts]), scenario)


def rows_of_people(table: JobTable, scenario: Scenario) -> int:
    """Return how many rows of a table, its last, are those that people may submit."""
    return sum(len(part) for part, _ in _parts(table, scenario))


def cast(table: JobTable, scenario: Scenario) -> Cast:
    """Return who does what in a run over this table, which `with_people` has made: the rows of people are its last."""
    parts = list(_parts(table, scenario))
    place = first = len(table) - sum(len(part) for part, _ in parts)
    workers: list[Worker] = []
    waiters: list[Waiter] = []
    for part, roles in parts:
        for role in roles:
            if isinstance(role, Worker):
                workers.append(attrs.evolve(role, jobs=range(place + role.jobs.start, place + role.jobs.stop)))
            else:
                waiters.append(attrs.evolve(role, instead=place + role.instead if role.instead >= 0 else -1))
        place += len(part)
    if first < 0 or not np.all(table.streams.manual[table.stream[first:]]):
        raise SimulationError("the job table lacks the rows of the scenario's people; make it with 'with_people'")
    waiters.sort(key=lambda waiter: (waiter.time, waiter.job))
    return Cast(workers=tuple(workers), waiters=tuple(waiters))


def play(world: World, roles: Cast) -> None:
    """Let everybody begin."""
    for worker in roles.workers:
        world.env.process(_work(world, worker))
    if roles.waiters:
        world.env.process(_lose_patience(world, roles.waiters))


def _work(world: World, worker: Worker) -> Play:
    for job, pause in zip(worker.jobs, worker.pauses, strict=True):
        moment = worker.next_at_work(world.now + pause)
        if moment is None:
            return
        yield world.at(moment)
        yield world.submit(job)


def _lose_patience(world: World, waiters: tuple[Waiter, ...]) -> Play:
    for waiter in waiters:
        yield world.at(waiter.time)
        if world.scheduler.waiting(waiter.job):
            world.scheduler.cancel(waiter.job)
            if waiter.instead >= 0:
                world.scheduler.submit(waiter.instead)


# -- what each will want ------------------------------------------------------------------------------------------


def _parts(table: JobTable, scenario: Scenario) -> Iterator[tuple[JobTable, list[Worker] | list[Waiter]]]:
    """Yield for each behaviour the jobs that it may submit and the roles in it, whose rows count from its first one."""
    for person in scenario.people:
        match person:
            case Sessions():
                yield _sessions(person, scenario)
            case Impatience():
                yield _impatience(person, table, scenario)


def _sessions(person: Sessions, scenario: Scenario) -> tuple[JobTable, list[Worker]]:
    leaves = tuple(sorted({scenario.plan.work_leaf(leaf) for leaf in person.leaves} or scenario.plan.work_leaves()))
    workers: list[Worker] = []
    names: list[str] = []
    works: list[int] = []
    for leaf in leaves:
        for number in range(1, person.people + 1):
            user = f"{leaf}-{person.name}{number:02d}"
            rng = generator(scenario.seed, "people", person.name, user)
            pauses, work, begins, ends = _rounds(person, scenario, rng)
            jobs = range(len(works), len(works) + len(work))
            workers.append(Worker(jobs=jobs, pauses=pauses, begins=begins, ends=ends))
            names.append(user)
            works += work
    count = [len(worker.jobs) for worker in workers]
    leaf_of = np.repeat(np.arange(len(leaves)), person.people)
    total = len(works)
    part = JobTable(
        leaves=leaves,
        kinds=(person.kind,),
        users=tuple(names),
        streams=_manual(person.name, (person.kind,) * len(leaves), np.arange(len(leaves))),
        leaf=np.repeat(leaf_of, count),
        stream=np.repeat(leaf_of, count),
        kind=np.zeros(total),
        user=np.repeat(np.arange(len(names)), count),
        submit=np.full(total, -1),
        gpus=np.full(total, person.gpus),
        work=works,
        min_runtime=np.full(total, person.min_runtime),
        resumable=np.zeros(total),
        checkpoint=np.zeros(total),
        startup=np.full(total, person.startup),
        restart=np.full(total, person.startup),
        priority=np.full(total, int(person.priority)),
        preemptible=np.full(total, person.preemptible),
        limit=np.full(total, person.limit),
    )
    return part, workers


def _rounds(
    person: Sessions, scenario: Scenario, rng: np.random.Generator
) -> tuple[tuple[int, ...], list[int], tuple[int, ...], tuple[int, ...]]:
    """Return the pauses and run times of as many rounds as one person could do, and the hours of this person.

    Nobody can do more than somebody whose jobs all start at once: later ends only make later rounds. (A job that is
    given up early might; then the person has done all there is to do.) Everyone comes and goes by the same hour later.
    """
    late = int(rng.integers(HOUR))
    begins, ends = _hours_at_work(person.hours, scenario, late)
    person_at = Worker(jobs=range(0), pauses=(), begins=begins, ends=ends)
    pauses: list[int] = []
    works: list[int] = []
    moment = 0
    while True:
        think, run = rng.random((CHUNK, 2)).T
        thinks = log_normal(think, person.think.median, person.think.sigma)
        runs = np.minimum(log_normal(run, person.run_time.median, person.run_time.sigma), person.limit - person.startup)
        for pause, work in zip(thinks.tolist(), runs.tolist(), strict=True):
            begin = person_at.next_at_work(moment + pause)
            if begin is None or begin >= scenario.horizon:
                return tuple(pauses), works, begins, ends
            pauses.append(pause)
            works.append(work)
            moment = begin + person.startup + work


def _hours_at_work(hours: Hours | None, scenario: Scenario, late: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return from when to when people are at work within the horizon, `late` seconds after the hour."""
    if hours is None:
        return ALWAYS
    begins, ends = [], []
    zone, origin = scenario.start.tzinfo, scenario.start.timestamp()
    day, last = scenario.start.date(), scenario.moment(scenario.horizon).date()
    while day <= last:
        if hours.weekends or day.weekday() < 5:
            midnight = datetime.combine(day, time(), tzinfo=zone)
            begins.append(int((midnight + timedelta(hours=hours.begin)).timestamp() - origin) + late)
            ends.append(int((midnight + timedelta(hours=hours.end)).timestamp() - origin) + late)
        day += timedelta(days=1)
    return tuple(begins), tuple(ends)


def _impatience(person: Impatience, table: JobTable, scenario: Scenario) -> tuple[JobTable, list[Waiter]]:
    jobs, patience, again = _impatient(person, table, scenario)
    times = table.submit[jobs] + patience
    jobs, times, again = (column[times < scenario.horizon] for column in (jobs, times, again))
    per_node = scenario.cluster.gpus_per_node
    asked = table.gpus[jobs].astype(np.int64)
    fewer = np.maximum(1, np.floor(asked * person.keep).astype(np.int64))
    before, after = gpus_taken(asked, per_node), gpus_taken(fewer, per_node)
    again &= after < before
    rows = jobs[again]
    instead = np.where(again, np.cumsum(again) - 1, -1)
    columns = {name: getattr(table, name)[rows] for name in COLUMNS}
    for name in ("work", "limit"):
        columns[name] = -(-columns[name] * before[again] // after[again])
    kind_and_leaf, stream = np.unique(np.stack([columns["kind"], columns["leaf"]]), axis=1, return_inverse=True)
    columns |= {"gpus": fewer[again], "submit": np.full(rows.size, -1), "stream": stream.ravel()}
    streams = _manual(person.name, tuple(table.kinds[kind] for kind in kind_and_leaf[0]), kind_and_leaf[1])
    part = JobTable(leaves=table.leaves, kinds=table.kinds, users=table.users, streams=streams, **columns)
    waiters = [
        Waiter(time=moment, job=job, instead=other)
        for moment, job, other in zip(times.tolist(), jobs.tolist(), instead.tolist(), strict=True)
    ]
    return part, waiters


def _impatient(person: Impatience, table: JobTable, scenario: Scenario) -> tuple[Array, Array, Array]:
    """Return the jobs whose users may lose patience, after how many seconds each, and which of them would come again."""
    jobs: list[Array] = [np.zeros(0, np.int64)]
    draws = [np.zeros((0, 2))]
    rows = meant(person, table, scenario.plan) & (table.submit >= 0)
    for mine, rng in users(person, rows, table, scenario.seed):
        if rng.random() < person.share:
            jobs.append(mine)
            draws.append(rng.random((len(mine), 2)))
    wait, again = np.concatenate(draws).T
    return (
        np.concatenate(jobs),
        log_normal(wait, person.patience.median, person.patience.sigma),
        again < person.resubmit,
    )


def _manual(name: str, kinds: tuple[str, ...], leaf: Array) -> StreamTable:
    none = np.zeros(0, np.int64)
    count = len(kinds)
    return StreamTable(
        names=(name,) * count,
        kinds=kinds,
        leaf=leaf,
        closed=np.zeros(count, np.bool_),
        manual=np.ones(count, np.bool_),
        target_at=np.zeros(count + 1, np.int64),
        times=none,
        gpus=none,
    )
