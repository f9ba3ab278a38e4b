"""The tables of a result as arrays of whole numbers, and how a broken law is reported."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import attrs
import numpy as np
import numpy.typing as npt
import pandas as pd

from allotment.model.policy import Policy
from allotment.model.switch import Phase
from allotment.scenario import Scenario

Integers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
SHOWN = 5  # rows reported for each rule; the rest are counted


@attrs.frozen(kw_only=True)
class Violation:
    """A law that does not hold: its number, in which table and row (None: the table as a whole), with the numbers."""

    law: int
    table: str
    row: int | None
    text: str


def report(law: int, table: str, broken: Flags | Integers, say: Callable[[int], str]) -> list[Violation]:
    """Return what to say of the rows that break a law, given as flags or as row numbers."""
    rows = np.flatnonzero(broken) if broken.dtype == np.bool_ else broken
    found = [Violation(law=law, table=table, row=row, text=say(row)) for row in rows[:SHOWN].tolist()]
    if len(rows) > SHOWN:
        text = f"{len(rows) - SHOWN} more rows are wrong in the same way"
        found.append(Violation(law=law, table=table, row=None, text=text))
    return found


@attrs.frozen(kw_only=True, eq=False)
class Facts:
    """The tables of one result. `job` is the row in `jobs` of each slice's job."""

    scenario: Scenario
    horizon: int
    tables: Mapping[str, pd.DataFrame]
    job: Integers

    def ints(self, table: str, column: str) -> Integers:
        """Return a column as whole numbers; NA is -1."""
        values = self.tables[table][column]
        return np.asarray(values.fillna(-1) if values.isna().any() else values, dtype=np.int64)

    def codes(self, table: str, column: str) -> Integers:
        """Return the positions of a column's values among its categories; NA is -1."""
        return self.tables[table][column].cat.codes.to_numpy().astype(np.int64)

    def among(self, table: str, column: str, words: Iterable[str]) -> Flags:
        """Return where a column has one of some categories."""
        return self.tables[table][column].isin(list(words)).to_numpy()

    @property
    def phases(self) -> tuple[Phase, ...]:
        """The parts of the run, each under one policy."""
        return self.scenario.phases(self.horizon)

    def within(self, times: Integers, wanted: Callable[[Policy], bool]) -> Flags:
        """Return which moments lie in a phase whose policy is wanted; that of a switch is in the phase that it begins."""
        found = np.zeros(len(times), np.bool_)
        for phase in self.phases:
            if wanted(phase.policy):
                found |= (times >= phase.begin) & (times < phase.end)
        return found

    @property
    def paths(self) -> list[str]:
        """The paths of the plan nodes, in the order of their codes."""
        return [str(path) for path in self.tables["shares"]["node"].cat.categories]

    def of_job(self, column: str) -> Integers:
        """Return a column of `jobs` for each slice."""
        return self.ints("jobs", column)[self.job]


def gather(scenario: Scenario, horizon: int, tables: Mapping[str, pd.DataFrame]) -> tuple[Facts, list[Violation]]:
    """Return the facts, and every row that points to a row which is not there: then nothing else can be checked."""
    jobs = tables["jobs"]["job"].to_numpy()
    count = len(tables["slices"])
    wanted = tables["slices"]["job"].to_numpy()
    place = np.searchsorted(jobs, wanted)
    here = np.minimum(place, len(jobs) - 1)
    missing = (jobs[here] != wanted) if len(jobs) else np.ones(count, bool)
    facts = Facts(scenario=scenario, horizon=horizon, tables=tables, job=here.astype(np.int64))
    broken = report(1, "jobs", np.flatnonzero(np.diff(jobs) <= 0) + 1, lambda row: f"job {jobs[row]} is not in order")
    broken += report(1, "slices", missing, lambda row: f"job {wanted[row]} is not in the table of jobs")
    numbers = tables["slices"]["slice"].to_numpy()
    broken += report(1, "slices", numbers != np.arange(count), lambda row: f"slice {numbers[row]} is not in order")
    broken += _in_slices(facts, "segments", 0) + _in_slices(facts, "placements", 0) + _in_slices(facts, "decisions", -1)
    node, nodes = facts.ints("placements", "node"), scenario.cluster.nodes
    broken += report(
        1, "placements", (node < 0) | (node >= nodes), lambda row: f"node {node[row]} is not among the {nodes} nodes"
    )
    return facts, broken


def _in_slices(facts: Facts, table: str, least: int) -> list[Violation]:
    of = facts.ints(table, "slice")
    wrong = (of < least) | (of >= len(facts.job))
    return report(1, table, wrong, lambda row: f"slice {of[row]} is not in the table of slices")
