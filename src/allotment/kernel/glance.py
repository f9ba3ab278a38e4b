"""How everything stands after a pass, copied out of a state for those who explain it: queues, nodes, slices and plan nodes."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np

from allotment.kernel.layout import State
from allotment.model.codes import EndCode, JobState


@attrs.frozen(kw_only=True, eq=False)
class Glance:
    """Copies of records of `layout.py`, with the plain names of their fields. Rows of `tree` are plan nodes by id."""

    time: int
    """Of the last pass (s from the start); -1 before the first."""
    tree: Any
    """Every plan node: use, commitments, entitlement, GPUs held, limits."""
    nodes: Any
    """Every node: free GPUs, whether it is down or draining, and the hold on it."""
    holds: Any
    """What nodes are held for, from when, until when."""
    waiting: Any
    """Rows of the jobs that wait."""
    jobs: Any
    """Every job, as it stands."""
    slices: Any
    """The slices that run."""
    rows: Any
    """And their numbers."""
    reserved_for: int
    """The job that nodes are reserved for, -1 without one."""
    reserved_until: int
    """When they are due by the users' limits, -1 without."""


def glance_at(s: State) -> Glance:
    """Return how everything stands in a state."""
    clock = s.clock[0]
    slices = s.slices[: clock.slices].view(np.ndarray)
    rows = np.flatnonzero(slices["end_code"] == EndCode.OPEN)
    jobs = np.array(s.jobs.view(np.ndarray))
    return Glance(
        time=int(clock.last_pass),
        tree=np.array(s.tree.view(np.ndarray)),
        nodes=np.array(s.nodes.view(np.ndarray)),
        holds=np.array(s.holds.view(np.ndarray)),
        waiting=np.flatnonzero(jobs["state"] == JobState.WAITING),
        jobs=jobs,
        slices=slices[rows],
        rows=rows,
        reserved_for=int(clock.reserved_for) if clock.reserved else -1,
        reserved_until=int(clock.reserved_until) if clock.reserved else -1,
    )
