"""Simulate a result's scenario again: the same run, stopped where somebody has a question, or with one thing changed.

A scenario gives the same run bit for bit, so what a run did not keep can be had later, and a run that nobody asks about
pays nothing for its explanations.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import attrs
import numpy as np

from allotment.errors import SimulationError
from allotment.experiment.prepare import prepare
from allotment.experiment.simulate import announce, draw
from allotment.kernel.engine import Engine
from allotment.kernel.glance import Glance
from allotment.kernel.log import Log
from allotment.kernel.plan_tree import Tree
from allotment.model.job import gpus_taken
from allotment.model.policy import Policy
from allotment.results.result import Result
from allotment.results.tree import distinct
from allotment.scenario import Scenario
from allotment.workload.table import JobTable
from allotment.world.run import Run

OTHER_RUN = (
    "simulated again, the scenario of this result gives another run, so it cannot be explained: it was made by another "
    "version, its recording has changed, or it is one cluster of a fleet, to which jobs come from others; simulate the "
    "scenario by itself and ask that result"
)


class Rerun:
    """A result and the jobs that it came from, ready to be simulated again.

    `recordings` hold the jobs of recorded streams, by the stream's name; `table` holds all jobs where they are at hand.
    Raises SimulationError where the jobs are not those of the result.
    """

    def __init__(
        self, result: Result, recordings: Mapping[str, JobTable] | None = None, *, table: JobTable | None = None
    ) -> None:
        self.result = result
        self.scenario: Scenario = result.scenario
        self.table = draw(self.scenario, recordings) if table is None else table
        if result.jobs_drawn and self.table.digest != result.jobs_drawn:
            raise SimulationError(OTHER_RUN)
        tree = Tree.of(self.scenario.plan, self.table.leaves)
        self.paths = tuple(distinct([self.scenario.plan.path(node) for node in tree.ids], tree.ids))
        self.ids = tree.ids
        self.parents = tree.parents
        self.leaf_node = np.array([tree.ids.index(name) for name in self.table.leaves], np.int64)

    @cached_property
    def log(self) -> Log:
        """What the run left behind."""
        return self.run()

    def run(self, *, scenario: Scenario | None = None, table: JobTable | None = None, job: int | None = None) -> Log:
        """Simulate it once more, or with another scenario or table, as far as the result goes.

        `job` is one that has another size in the table: it is submitted when it was.
        """
        changed = self.table if table is None else table
        going, engine = self._begin(scenario or self.scenario, changed)
        if job is not None and changed.gpus[job] != self.table.gpus[job]:
            sizes = (gpus_taken(of.gpus[[job]], self.scenario.cluster.gpus_per_node) for of in (self.table, changed))
            before, after = (int(size[0]) for size in sizes)
            engine.look_like(job, before)
            going.advance(int(self.log.jobs["submit"][job]))
            engine.look_like(job, after)
        going.advance(self.result.horizon)
        return going.close().log

    def waits(self, jobs: Sequence[int]) -> tuple[Any, Log]:
        """Return what some jobs waited for, as records of `kernel.log.WAIT`, and the log of the run."""
        going, engine = self._begin()
        engine.ask(jobs)
        going.advance(self.result.horizon)
        waits = engine.waits
        return waits, going.close().log

    def glance(self, time: int) -> Glance:
        """Return how everything stands at a moment, decisions of this second made."""
        going, engine = self._begin()
        going.advance(min(time + 1, self.result.horizon))
        return engine.glance()

    def policy(self, time: int) -> Policy:
        """Return the policy that decides at a moment."""
        phases = self.scenario.phases(self.scenario.horizon)
        return next((phase.policy for phase in reversed(phases) if phase.begin <= time), phases[0].policy)

    def team(self, job: int) -> str:
        """Return the path of the leaf of a job."""
        return self.paths[int(self.leaf_node[self.table.leaf[job]])]

    def _begin(self, scenario: Scenario | None = None, table: JobTable | None = None) -> tuple[Run, Engine]:
        prepare(announce())
        made: list[Engine] = []

        def make(of: Scenario, jobs: JobTable) -> Engine:
            made.append(Engine(of, jobs))
            return made[0]

        going = Run(scenario or self.scenario, self.table if table is None else table, make)
        return going, made[0]


def check_same(result: Result, log: Log, job: int) -> None:
    """Raise SimulationError unless a job fares in a log as it does in the result."""
    row = result.jobs[(result.jobs["job"] == job).to_numpy()].iloc[0]
    of = log.jobs[job]
    if int(row["submit"]) != of["submit"] or int(row["queued"]) != of["queued"] or int(row["slices"]) != of["slices"]:
        raise SimulationError(OTHER_RUN)


@attrs.frozen(kw_only=True)
class Subject:
    """The job that is asked about."""

    job: int
    """Its number."""
    name: str
    """Its id in a recording; empty for a generated job."""
    team: str
    """The path of its leaf."""
    gpus: int
    """What it holds and is charged for."""
    shape: str
    """What it needs side by side: "8" GPUs of one node, or "4x8", whole nodes."""
    min_runtime: int
    """The contract it asks for (s); 0 asks none."""
    submit: int
    """When it was submitted (s from the start)."""
    first_start: int | None
    """When it first held GPUs."""
    end: int | None
    """When it was over; None if it was still there at the horizon."""
    state: str
    """Where it stood at the horizon."""
    queued: int
    """All its waiting (s)."""
    slices: int
    """How often it held GPUs."""
    lost: int
    """GPU-seconds of its work that had to be done again."""


def subject(result: Result, job: int) -> Subject:
    """Return the job of a result with this number. Raises NotFoundError."""
    from allotment.errors import NotFoundError

    found = result.jobs[(result.jobs["job"] == job).to_numpy()]
    if not len(found):
        numbers = result.jobs["job"].to_numpy()
        there = f"they are numbered from {numbers.min()} to {numbers.max()}" if len(numbers) else "it has none"
        near = f"; the nearest is {numbers[np.abs(numbers - job).argmin()]}" if len(numbers) else ""
        raise NotFoundError(f"there is no job {job} among the {len(numbers)} of this result; {there}{near}")
    row = found.iloc[0]
    take, per_node = int(row["take"]), result.scenario.cluster.gpus_per_node
    return Subject(
        job=job,
        name=str(row["name"]),
        team=str(row["leaf"]),
        gpus=take,
        shape=f"{take // per_node}x{per_node}" if int(row["gpus"]) > per_node else f"{take}",
        min_runtime=int(row["min_runtime"]),
        submit=int(row["submit"]),
        first_start=_or_none(row["first_start"]),
        end=_or_none(row["end"]),
        state=str(row["state"]),
        queued=int(row["queued"]),
        slices=int(row["slices"]),
        lost=round(float(row["lost"]) * 3_600),
    )


def _or_none(value: Any) -> int | None:
    import pandas as pd

    return None if pd.isna(value) else int(value)
