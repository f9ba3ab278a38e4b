"""What a simulation gives: the scenario, tidy tables, and their summary."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import attrs
import numpy.typing as npt
import pandas as pd

from allotment.errors import ValueProblems
from allotment.kernel.log import Log
from allotment.model.changeset import Changeset
from allotment.results import metrics
from allotment.results import tables as make
from allotment.results.columns import TABLES, problems_of
from allotment.results.summary import Line, Summary, lines, summarize
from allotment.results.tree import Tree
from allotment.results.usage import Outstanding, due, held, machines, wanted
from allotment.scenario import Scenario
from allotment.units import format_duration
from allotment.workload.table import JobTable
from allotment.world.incidents import incident_rows


@attrs.frozen(kw_only=True, eq=False, repr=False)
class Result:
    """One run. `allotment.results.columns.TABLES` says what each column of each table means, and in which unit.

    `horizon` is when the run ended, in seconds from the scenario's start: before the scenario's own end where somebody
    stopped it. Compare two with :meth:`equals`.
    """

    scenario: Scenario
    horizon: int
    jobs: pd.DataFrame
    slices: pd.DataFrame
    placements: pd.DataFrame
    segments: pd.DataFrame
    decisions: pd.DataFrame
    usage: pd.DataFrame
    cluster: pd.DataFrame
    capacity: pd.DataFrame
    shares: pd.DataFrame
    changesets: pd.DataFrame
    incidents: pd.DataFrame
    summary: Summary

    def __attrs_post_init__(self) -> None:
        problems = [problem for name, frame in self.tables.items() for problem in problems_of(name, frame)]
        if problems:
            raise ValueProblems(problems)

    def equals(self, other: Result) -> bool:
        """Tell whether the scenarios and all rows of all tables are the same."""
        same = (self.scenario, self.horizon) == (other.scenario, other.horizon)
        return same and all(frame.equals(other.tables[name]) for name, frame in self.tables.items())

    def __repr__(self) -> str:
        """Say which run it is, without its rows."""
        of, measured = self.scenario, self.summary["jobs"]["submitted"]
        before = f" after {len(self.jobs) - measured} in {format_duration(of.warmup)} of warm-up" if of.warmup else ""
        jobs = f"{measured} jobs in {format_duration(self.summary['measured'])}{before}"
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
) -> Result:
    """Return the result of a run.

    `table` holds the jobs that the log speaks of, row for row. `incidents` are rows of `world.incidents.INCIDENT`, none
    by default; `changesets` are those that took effect, by default the scenario's own.
    """
    tree = Tree.of(scenario.plan, log)
    of_ledger, outstanding = held(table, log, tree), Outstanding.of(table, log)
    applied = scenario.changesets if changesets is None else tuple(changesets)
    tables = {
        "jobs": make.jobs(table, log, tree),
        "slices": make.slices(table, log, tree),
        "placements": make.placements(log),
        "segments": make.segments(log),
        "decisions": make.decisions(log, tree),
        "usage": make.usage(tree, of_ledger, wanted(outstanding, log, tree), due(outstanding, log, tree)),
        "cluster": make.cluster(tree, of_ledger, machines(log)),
        "capacity": make.capacity(log),
        "shares": make.shares(log, tree),
        "changesets": make.changesets(scenario.plan, [c for c in applied if c.time < log.horizon], tree),
        "incidents": make.incidents(incident_rows(()) if incidents is None else incidents),
    }
    summary = summarize(scenario, tables, log.horizon)
    return Result(scenario=scenario, horizon=log.horizon, summary=summary, **tables)
