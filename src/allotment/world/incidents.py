"""Incidents: one row for each time that a node broke, from then until it was back in service."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

# Times in seconds from the scenario's start, -1 for what has not come to pass.
INCIDENT = np.dtype(
    [
        ("node", "i4"),
        ("kind", "i1"),  # IncidentKind
        ("urgent", "?"),  # could not wait until the jobs had left
        ("person", "?"),  # an on-call engineer came
        ("begin", "i8"),
        ("cordoned", "i8"),  # -1 for a hard failure
        ("called", "i8"),  # when an engineer was called
        ("engineer_wait", "i8"),  # s from the call until one was free
        ("engineer_time", "i8"),  # s that the visit takes from then on
        ("drained", "i8"),  # when it was empty without anybody's doing
        ("down", "i8"),  # when it was taken out of service
        ("emptied", "i1"),  # Emptied
        ("crew_wait", "i8"),  # s from then until a crew was free
        ("repaired", "i8"),  # when it was back in service
    ]
)


class IncidentKind(IntEnum):
    """How a node broke."""

    HARD = 1  # it failed, and its jobs died
    UNHEALTHY = 2  # it ran on, to be emptied for repair


class Emptied(IntEnum):
    """How the node of an incident became empty."""

    NOT_YET = 0
    DRAINED = 1  # by itself
    ENGINEER = 2  # an on-call engineer stopped what was left
    FAILED = 3  # it failed hard, from the first or while it drained


@attrs.define(kw_only=True)
class Case:
    """An incident while it lasts; its fields are those of `INCIDENT`."""

    node: int
    kind: IncidentKind
    urgent: bool = False
    person: bool = False
    begin: int
    cordoned: int = -1
    called: int = -1
    engineer_wait: int = -1
    engineer_time: int = -1
    drained: int = -1
    down: int = -1
    emptied: Emptied = Emptied.NOT_YET
    crew_wait: int = -1
    repaired: int = -1


def incident_rows(cases: Iterable[Case]) -> npt.NDArray[Any]:
    """Return the cases as rows of `INCIDENT`, in the order in which they began."""
    names = INCIDENT.names or ()
    return np.array([tuple(getattr(case, name) for name in names) for case in cases], dtype=INCIDENT)
