"""Simulate a result's scenario again: the same run, stopped where somebody has a question, or with one thing changed.

A scenario gives the same run bit for bit, so what a run did not keep can be had later, and a run that nobody asks about
pays nothing for its explanations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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
from allotment.model.cluster import Cluster
from allotment.model.policy import Policy
from allotment.results.result import Result
from allotment.results.tree import distinct
from allotment.scenario import Scenario
from allotment.workload.table import JobTable
from allotment.world.run import STRIDE, Run
from allotment.world.tape import Spoken, Taped

Make = Callable[[Scenario, JobTable], Engine]
OTHER_RUN = (
    "simulated again, the scenario of this result gives another run, so it cannot be explained: it was made by another "
    "version, its recording has changed, or it is one cluster of a fleet, to which jobs come from others; ask the result "
    "of the fleet, or simulate the scenario by itself and ask that"
)


@attrs.frozen(kw_only=True, eq=False)
class Moment:
    """A run up to a moment: the scheduler as it stood then, before anything of that second, and what the world had asked of it."""

    time: int
    engine: Engine
    tape: tuple[Spoken, ...]


@attrs.frozen(kw_only=True, eq=False)
class Branch:
    """A run that goes on from a moment; whatever is done to it is done at that moment."""

    run: Run
    engine: Engine
    brought: tuple[tuple[int, int], ...] = ()
    """When which jobs are submitted from outside; those before the moment have been."""

    def advance(self, until: int) -> None:
        """Go on to a moment (s from the start), at most to the horizon."""
        for time, job in self.brought:
            if self.run.now <= time < until:
                self.run.advance(time)
                self.run.scheduler.submit(job)
        self.run.advance(until)

    def until_over(self, job: int, at_least: int, horizon: int) -> Log:
        """Go on until a job is over, and to a moment at least, or to the horizon, and return what happened up to there."""
        self.advance(min(at_least, horizon))
        while self.run.now < horizon and self.engine.job(job)["end"] < 0:
            self.advance(min(self.run.now + STRIDE, horizon))
        return self.run.close().log


class Rerun:
    """A result and the jobs that it came from, ready to be simulated again.

    `recordings` hold the jobs of recorded streams, by the stream's name; `table` holds all jobs where they are at hand.
    On a cluster of a fleet `brought` says when which jobs were submitted that may run on several, and `others` gives the
    other clusters, by name. `clusters` are some on which the same jobs might have been run.
    Raises SimulationError where the jobs are not those of the result.
    """

    def __init__(
        self,
        result: Result,
        recordings: Mapping[str, JobTable] | None = None,
        *,
        table: JobTable | None = None,
        brought: Sequence[tuple[int, int]] = (),
        others: Mapping[str, Callable[[], Rerun]] | None = None,
        clusters: Sequence[Cluster] = (),
    ) -> None:
        self.result = result
        self.scenario: Scenario = result.scenario
        self.table = draw(self.scenario, recordings) if table is None else table
        if result.jobs_drawn and self.table.digest != result.jobs_drawn:
            raise SimulationError(OTHER_RUN)
        self.brought = tuple(sorted(brought))
        self.others = dict(others or {})
        self.clusters = tuple(clusters)
        tree = Tree.of(self.scenario.plan, self.table.leaves)
        self.paths = tuple(distinct([self.scenario.plan.path(node) for node in tree.ids], tree.ids))
        self.ids = tree.ids
        self.parents = tree.parents
        self.leaf_node = np.array([tree.ids.index(name) for name in self.table.leaves], np.int64)
        self._log: Log | None = None
        self._moments: dict[int, Moment] = {}

    @property
    def log(self) -> Log:
        """What the run left behind."""
        if self._log is None:
            self._log = self.run()
        return self._log

    def run(self) -> Log:
        """Simulate it once more, as far as the result goes."""
        whole = self.begin()
        whole.advance(self.result.horizon)
        return whole.run.close().log

    def waits(self, jobs: Sequence[int]) -> tuple[Any, Log]:
        """Return what some jobs waited for, as records of `kernel.log.WAIT`, and the log of the run."""
        whole = self.begin()
        whole.engine.ask(jobs)
        whole.advance(self.result.horizon)
        waits = whole.engine.waits
        self._log = whole.run.close().log
        return waits, self._log

    def look(self, time: int, jobs: Sequence[int] = ()) -> tuple[Glance, Any]:
        """Return how everything stands at a moment, decisions of this second made, and what some jobs had waited for by then.

        The run up to that moment is kept, for those who would have it go on differently.
        """
        branch, taped = self._recorded()
        branch.engine.ask(jobs)
        self._keep(branch, taped, time)
        branch.advance(min(time + 1, self.result.horizon))
        return branch.engine.glance(), branch.engine.waits

    def glance(self, time: int) -> Glance:
        """Return how everything stands at a moment, decisions of this second made."""
        return self.look(time)[0]

    def branch(self, time: int) -> Branch:
        """Return the run as it stood at a moment, before anything of that second, to go on differently."""
        of = self.moment(time)
        taped = Taped(of.engine.copy(), of.tape)
        branch = self._under(taped)
        branch.advance(time)
        taped.check_over()
        return branch

    def moment(self, time: int) -> Moment:
        """Return the run as it stood at a moment, to be looked at."""
        if time not in self._moments:
            self._keep(*self._recorded(), time)
        return self._moments[time]

    def begin(
        self, *, scenario: Scenario | None = None, table: JobTable | None = None, engine_of: Make | None = None
    ) -> Branch:
        """Return a run at its start; of another scenario or table, or with a scheduler of another make."""
        prepare(announce())
        made: list[Engine] = []

        def make(of: Scenario, jobs: JobTable) -> Engine:
            made.append(Engine(of, jobs) if engine_of is None else engine_of(of, jobs))
            return made[0]

        run = Run(scenario or self.scenario, self.table if table is None else table, make)
        return Branch(run=run, engine=made[0], brought=self.brought)

    def policy(self, time: int) -> Policy:
        """Return the policy that decides at a moment."""
        phases = self.scenario.phases(self.scenario.horizon)
        return next((phase.policy for phase in reversed(phases) if phase.begin <= time), phases[0].policy)

    def team(self, job: int) -> str:
        """Return the path of the leaf of a job."""
        return self.paths[int(self.leaf_node[self.table.leaf[job]])]

    def _recorded(self) -> tuple[Branch, Taped]:
        prepare(announce())
        taped = Taped(Engine(self.scenario, self.table), records=True)
        return self._under(taped), taped

    def _keep(self, branch: Branch, taped: Taped, time: int) -> None:
        branch.advance(time)
        self._moments = {
            time: Moment(time=time, engine=taped.engine.copy(), tape=tuple(taped.tape))
        }  # one, as it is large

    def _under(self, taped: Taped) -> Branch:
        """Return a run at its start under a scheduler that may have answers on tape."""
        run = Run(self.scenario, self.table, lambda *_of: taped)
        return Branch(run=run, engine=taped.engine, brought=self.brought)


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
