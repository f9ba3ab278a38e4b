"""When nodes that are held for a job are clear: from when on, until when, and what stands there longest."""

from __future__ import annotations

import attrs
import numpy as np

from allotment.explain.order import Line
from allotment.explain.reasons import Reason, Value, reason
from allotment.explain.seats import seats
from allotment.model.codes import SliceState


@attrs.frozen(kw_only=True)
class Clearing:
    """What is known of nodes that are held for a job. Times are seconds from the start."""

    due: int
    """When they were to be clear, by the contracts that ran there when they were fixed."""
    earliest: int
    """When the last contract on them ends; at once where none runs there any more."""
    latest: int
    """When all work there that is past its contract has to yield, unless a node fails."""
    last: int
    """The job that may stand there longest; -1 where nothing has to end first."""


def clearing(line: Line, job: int) -> Clearing | None:
    """Return when the nodes are clear that are held for a job; None where none are."""
    glance, contracts = line.glance, line.policy.contracts
    hold = next((number for number, each in enumerate(glance.holds) if each["job"] == job), None)
    if contracts is None or hold is None:
        return None
    forced = int(glance.holds[hold]["since"]) + contracts.cap
    node, _gpus, row = seats(line)
    rows = np.unique(row[glance.nodes["hold"][node] == hold])
    rows = rows[glance.slices["state"][rows] != SliceState.UNALLOCATED]
    protected = glance.slices["state"][rows] == SliceState.PROTECTED
    until = glance.slices["until"][rows]
    over = np.where(protected, np.maximum(until, forced), forced)
    jobs = glance.slices["job"][rows]
    return Clearing(
        due=int(glance.holds[hold]["due"]),
        earliest=int(until[protected].max(initial=0)),
        latest=int(over.max(initial=forced)),
        last=int(jobs[np.lexsort((jobs, -until, -over))[0]]) if len(rows) else -1,
    )


def next_clear(line: Line, job: int, time: int, teams: tuple[str, ...], *, after: bool) -> Reason | None:
    """Return when there may be a chance for a job that nodes are held for, or `after` it for another; None where none are.

    `teams` are the paths of the plan's nodes.
    """
    found = clearing(line, job)
    if found is None:
        return None
    given: dict[str, Value] = {"due": found.due, "latest": found.latest, "late": int(found.latest <= time)}
    if after:
        given["other"] = job
    else:
        given |= {"earliest": found.earliest, "open": int(found.earliest <= time), "last": found.last}
        given["team"] = teams[int(line.glance.jobs["leaf"][found.last])] if found.last >= 0 else ""
        given["clear"] = int(found.last < 0)
    ahead = "due" if found.due > time else "overdue"
    return reason(f"next_after_{ahead}" if after else f"next_{ahead}", **given)
