"""What a simulation gives: the scenario, tidy tables, and their summary."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, Literal

import attrs
import numpy.typing as npt
import pandas as pd

from allotment.errors import ValueProblems
from allotment.kernel.log import Log
from allotment.model.changeset import Changeset
from allotment.results import metrics, regime
from allotment.results import tables as make
from allotment.results.columns import TABLES, problems_of
from allotment.results.summary import Line, Summary, delivery, lines, policy_name, pressure, summarize
from allotment.results.tree import Tree
from allotment.results.usage import Outstanding, due, held, machines, wanted
from allotment.scenario import Scenario
from allotment.units import format_duration
from allotment.workload.import_report import ImportReport
from allotment.workload.table import JobTable
from allotment.world.incidents import incident_rows


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Result:
    """One run: what was simulated, what happened as tidy tables, and a summary. Compare two with :meth:`equals`.

    `allotment.results.columns.TABLES` says what each column of each table means, and in which unit;
    `allotment.results.figures.FIGURES` says the same of each figure of the summary.
    """

    scenario: Scenario
    """All that decided the run; simulating it again gives the same."""
    horizon: int
    """When the run ended (s from the scenario's start): before the scenario's own end where somebody stopped it."""
    jobs: pd.DataFrame
    """One row a job: what it asked for, when it first started and ended, how long it waited, what was lost."""
    slices: pd.DataFrame
    """One row each time that a job held GPUs: from when to when, why it ended, and for whom it made room."""
    placements: pd.DataFrame
    """One row for each node that a slice stood on."""
    segments: pd.DataFrame
    """The ledger: from when to when each slice was protected, interruptible or unallocated."""
    decisions: pd.DataFrame
    """Every start, refusal and displacement, with its reason and the numbers that decided."""
    usage: pd.DataFrame
    """One row for each plan node and hour: what it was entitled to, wanted, was owed and held."""
    cluster: pd.DataFrame
    """One row an hour: GPU time healthy, held and idle, by cause."""
    capacity: pd.DataFrame
    """GPUs healthy, draining and down, as a step function of time."""
    shares: pd.DataFrame
    """The absolute share of each plan node, from each change of the plan on."""
    changesets: pd.DataFrame
    """One row for each share that was changed during the run."""
    incidents: pd.DataFrame
    """One row for each node that broke or turned unhealthy."""
    priorities: pd.DataFrame
    """How jobs were marked, day by day."""
    imports: Mapping[str, ImportReport] = attrs.field(factory=dict)
    """What became of every row of each recording, by the name of its stream; empty without recordings."""
    jobs_drawn: str = ""
    """Equal where two runs have the same jobs: a digest of all that were drawn; empty where it is not known."""

    def __attrs_post_init__(self) -> None:
        problems = [problem for name, frame in self.tables.items() for problem in problems_of(name, frame)]
        if problems:
            raise ValueProblems(problems)

    @cached_property
    def summary(self) -> Summary:
        """The figures of the run as a plain dict: ratios are 0 to 1, times are seconds, None is what cannot be known."""
        return summarize(self.scenario, self.tables, self.horizon)

    @cached_property
    def delivered(self) -> Summary:
        """What the summary says of what nodes were owed and given, which is known sooner than all of it."""
        return delivery(self.scenario, self.tables, self.horizon)

    @property
    def policy(self) -> str:
        """What decided: the name of a policy, or of several that took over from one another."""
        return policy_name(self.scenario, self.horizon)

    @property
    def pressure(self) -> float | None:
        """How many times the healthy GPU time of the measured hours was wanted."""
        return pressure(self.scenario, self.tables)

    def equals(self, other: Result) -> bool:
        """Tell whether the scenarios, the imports and all rows of all tables are the same."""
        mine, theirs = ((of.scenario, of.horizon, of.imports, of.jobs_drawn) for of in (self, other))
        return mine == theirs and all(frame.equals(other.tables[name]) for name, frame in self.tables.items())

    def __repr__(self) -> str:
        """Say which run it is, without its rows."""
        of, measured = self.scenario, int((self.jobs["submit"] >= self.scenario.warmup).sum())
        before = f" after {len(self.jobs) - measured} in {format_duration(of.warmup)} of warm-up" if of.warmup else ""
        jobs = f"{measured} jobs in {format_duration(max(self.horizon - of.warmup, 0))}{before}"
        return f"Result({of.name!r}, policy={of.policy.name!r}, seed={of.seed}, {jobs})"

    @property
    def tables(self) -> dict[str, pd.DataFrame]:
        """All tables by name."""
        return {name: getattr(self, name) for name in TABLES}

    def waits(self, by: Literal["kind", "leaf", "size"] = "kind") -> pd.DataFrame:
        """Return how long jobs waited for their first start, over those submitted after the warm-up (columns: `WAITS`).

        By kind of work, and last of all; by leaf; or by GPUs taken, from a whole node on.
        """
        jobs, since = self.jobs, self.scenario.warmup
        if by == "leaf":
            return metrics.leaf_waits(jobs, since)
        if by == "size":
            return metrics.gang_waits(jobs, since, self.scenario.cluster.gpus_per_node)
        return metrics.waits(jobs, since)

    def delivery(self) -> pd.DataFrame:
        """Return what came to each plan node, and what it was owed and given after the warm-up (columns: `DELIVERY`)."""
        since = self.scenario.warmup
        return metrics.delivery(self.usage, metrics.first_hour(since), metrics.submitted(self.jobs, self.shares, since))

    def occupancy(self, hours: int = 6) -> pd.DataFrame:
        """Return what the GPUs did, on average over so many hours at a time, warm-up and all (columns: `OCCUPANCY`)."""
        return metrics.occupancy(self.cluster, hours, self.scenario.cluster.gpus)

    @property
    def lines(self) -> list[Line]:
        """The figures of the summary in reading order."""
        return lines(self.summary)


def build(
    scenario: Scenario,
    table: JobTable,
    log: Log,
    *,
    incidents: npt.NDArray[Any] | None = None,
    changesets: Iterable[Changeset] | None = None,
    imports: Mapping[str, ImportReport] | None = None,
    jobs_drawn: str = "",
) -> Result:
    """Return the result of a run.

    `table` holds the jobs that the log speaks of, row for row, as they were submitted. `incidents` are rows of `world.incidents.INCIDENT`, none
    by default; `changesets` are those that took effect, by default the scenario's own. `imports` are the reports on its
    recordings, by stream, and `jobs_drawn` the digest of the jobs before the run.
    """
    tree = Tree.of(scenario.plan, log)
    of_ledger, outstanding = held(table, log, tree), Outstanding.of(table, log)
    idle = regime.squatted(table, log)
    applied = scenario.changesets if changesets is None else tuple(changesets)
    tables = {
        "jobs": make.jobs(table, log, tree, idle),
        "slices": make.slices(table, log, tree, idle),
        "placements": make.placements(log),
        "segments": make.segments(log),
        "decisions": make.decisions(log, tree),
        "usage": make.usage(tree, of_ledger, wanted(outstanding, log, tree), due(outstanding, log, tree)),
        "cluster": make.cluster(tree, of_ledger, machines(log), regime.squatted_hourly(log, idle)),
        "capacity": make.capacity(log),
        "shares": make.shares(log, tree),
        "changesets": make.changesets(scenario.plan, [c for c in applied if c.time < log.horizon], tree),
        "incidents": make.incidents(incident_rows(()) if incidents is None else incidents),
        "priorities": make.priorities(regime.high_by_day(table, log)),
    }
    more: dict[str, Any] = {**tables, "imports": dict(imports or {}), "jobs_drawn": jobs_drawn}
    return Result(scenario=scenario, horizon=log.horizon, **more)
