"""Which hue a team has: that of the budget it belongs to, in the order in which the plan names them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import attrs
import numpy as np
import pandas as pd

from allotment.model.plan import OWN
from allotment.results.result import Result
from allotment.views.theme import FADED, NEUTRAL, PALETTE, group_colour


@attrs.frozen(kw_only=True)
class Highlight:
    """What is picked out in every picture; the rest turns grey. None picks nothing out."""

    team: str | None = None
    """Path of a plan node, a team or a budget."""
    job: int | None = None
    """Number of a job."""
    time: int | None = None
    """Seconds from the scenario's start."""


NOTHING_PICKED = Highlight()


@attrs.frozen(kw_only=True)
class Groups:
    """The budgets at the top of the plan and who belongs to which; all are named by their paths."""

    budgets: tuple[str, ...]
    """In the order of the plan."""
    leaves: tuple[str, ...]
    """In the order of the plan."""
    parent: Mapping[str, str]
    """Of every node below the root."""

    @classmethod
    def of(cls, result: Result) -> Groups:
        """Return the groups of a run."""
        names = ("id", "node", "parent", "depth", "is_leaf")
        first = result.shares.iloc[: int((result.shares["time"] == 0).to_numpy().sum())]
        place = {node.id: at for at, node in enumerate(result.scenario.plan.walk())}
        rows = sorted(
            zip(*(first[name].tolist() for name in names), strict=True),
            key=lambda row: (place.get(row[0].removesuffix(OWN), len(place)), row[0]),
        )
        below = [row for row in rows if row[3] > 0]
        return cls(
            budgets=tuple(node for _, node, _, depth, _ in below if depth == 1),
            leaves=tuple(node for _, node, _, _, is_leaf in below if is_leaf),
            parent={node: str(parent) for _, node, parent, _, _ in below},
        )

    @cached_property
    def _budget(self) -> dict[str, str]:
        found = {}
        for node in self.parent:
            top = node
            while self.parent.get(top, "") in self.parent:
                top = self.parent[top]
            found[node] = top
        return found

    def budget(self, node: str) -> str:
        """Return the budget that a node belongs to; the root, and what is no node, belong to none, which is empty."""
        return self._budget.get(node, "")

    def slot(self, node: str) -> int:
        """Return the place of a node's hue in the palette; one past its end is the neutral one."""
        budget = self.budget(node)
        return min(self.budgets.index(budget), len(PALETTE)) if budget else len(PALETTE)

    def colour(self, node: str, picked: Highlight = NOTHING_PICKED, job: int | None = None) -> str:
        """Return the hue of a node, or of a job of it; grey where something else is picked out."""
        if picked.job is not None and job is not None:
            return self._hue(node) if job == picked.job else FADED
        return self._hue(node) if picked.team is None or self.within(node, picked.team) else FADED

    def _hue(self, node: str) -> str:
        slot = self.slot(node)
        return group_colour(slot) if slot < len(PALETTE) else NEUTRAL

    def within(self, node: str, above: str) -> bool:
        """Tell whether a node is `above`, or lies below it, or the other way round."""
        return self._lies_in(node, above) or self._lies_in(above, node)

    def _lies_in(self, node: str, above: str) -> bool:
        while node != above and node in self.parent:
            node = self.parent[node]
        return node == above


def job_team(result: Result, job: int) -> str | None:
    """Return the leaf that a job of this number is charged to; None where there is no such job."""
    rows = result.jobs["leaf"][(result.jobs["job"] == job).to_numpy()]
    return str(rows.iloc[0]) if len(rows) else None


def of_team(result: Result, picked: Highlight) -> Highlight:
    """Return what is picked out where a picture has no jobs in it: of a job, its team.

    >>> of_team(None, Highlight(team="a", time=5)).team
    'a'
    """
    if picked.team is not None or picked.job is None:
        return picked
    return attrs.evolve(picked, team=job_team(result, picked.job))


def frame_of(rows: Mapping[str, list[str]], columns: list[str]) -> pd.DataFrame:
    """Return a table of text with a name for each row."""
    cells = np.array(list(rows.values()), object).reshape(len(rows), len(columns))
    return pd.DataFrame(
        {name: pd.array(cells[:, at], dtype="str") for at, name in enumerate(columns)},
        index=pd.Index(list(rows), dtype="str"),
    )


def rows_of(table: pd.DataFrame) -> list[Any]:
    """Return the rows of a table, each with its columns as attributes."""
    return list(table.itertuples(index=False))
