"""Whose jobs a behaviour is about, and the users among them in an order that nothing else in a scenario changes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
import numpy.typing as npt

from allotment.model.plan import Plan
from allotment.workload.chance import generator
from allotment.workload.table import JobTable

Rows = npt.NDArray[np.int64]


class Scoped(Protocol):
    """A behaviour of some leaves and kinds; empty means all."""

    @property
    def name(self) -> str:
        """What keys its chance."""

    @property
    def leaves(self) -> tuple[str, ...]:
        """Ids of plan nodes."""

    @property
    def kinds(self) -> tuple[str, ...]:
        """Names of kinds of work."""


def meant(person: Scoped, table: JobTable, plan: Plan) -> npt.NDArray[np.bool_]:
    """Return which rows of a job table a behaviour is about."""
    rows = np.ones(len(table), np.bool_)
    if person.leaves:
        leaves = {plan.work_leaf(leaf) for leaf in person.leaves}
        rows &= np.array([leaf in leaves for leaf in table.leaves], np.bool_)[table.leaf]
    if person.kinds:
        rows &= np.array([kind in person.kinds for kind in table.kinds], np.bool_)[table.kind]
    return rows


def users(
    person: Scoped, rows: npt.NDArray[np.bool_], table: JobTable, seed: int
) -> Iterator[tuple[Rows, np.random.Generator]]:
    """Yield the rows of each user among those marked, in the order of names, with the generator of this user.

    Who takes numbers for one row after the other gives a job the same ones whatever rows come behind it.
    """
    of_user: dict[int, list[int]] = {}
    for job in np.flatnonzero(rows).tolist():
        of_user.setdefault(int(table.user[job]), []).append(job)
    for user in sorted(of_user, key=lambda row: table.users[row]):
        yield np.array(of_user[user], np.int64), generator(seed, "people", person.name, table.users[user])
