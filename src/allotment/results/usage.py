"""GPU-time hour by hour, exact to the second: who held it, who wanted it, who was owed it.

Amounts that hold for a while are summed as whole GPU-seconds; what is owed, as whole parts (1e-8) of one, since shares
are. Within an hour nothing is sampled: each figure is the integral of a function that is constant between events.
"""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt

from allotment.kernel.log import SHARE_UNIT, Log
from allotment.model.codes import JobState, SliceState
from allotment.results.records import fields
from allotment.results.tree import Tree
from allotment.units import HOUR
from allotment.workload.table import JobTable

Integers = npt.NDArray[np.int64]
Rows = npt.NDArray[np.integer]

CONTRACT, TOO_LARGE, FREE = range(3)  # what a job wants: a contract, one that is never funded, or none


def hourly(amount: Rows, begin: Rows, end: Rows, group: Rows, groups: int, horizon: int) -> Integers:
    """Return the integral of `amount` from `begin` to `end`, by [group, hour]. Nothing may end after the horizon.

    Two GPUs from 1,800 s to 9,000 s are half of the first hour, all of the second and half of the third:

    >>> one = lambda value: np.array([value])
    >>> hourly(one(2), one(1800), one(9000), one(0), 1, horizon=10_800).tolist()
    [[3600, 7200, 3600]]
    """
    hours = -(-horizon // HOUR)
    shape = (groups, hours + 1)  # one hour more, for what ends with the last
    base = group.astype(np.int64) * shape[1]
    rest = np.zeros(shape, np.int64)  # from a change to the end of its own hour
    level = np.zeros(shape, np.int64)  # what the changes of an hour leave for the next
    for sign, time in ((1, begin), (-1, end)):
        hour = time // HOUR
        at = base + hour
        # Sums of whole numbers below 2**53 are exact in doubles, and a bin holds at most one hour of the cluster.
        level += sign * _binned(at, amount, shape)
        rest += sign * _binned(at, amount * (HOUR - (time - hour * HOUR)), shape)
    before = np.cumsum(level, axis=1) - level
    return (rest + before * HOUR)[:, :hours]


def _binned(at: Rows, amount: Rows, shape: tuple[int, int]) -> Integers:
    counted = np.bincount(at, weights=amount, minlength=shape[0] * shape[1])
    return counted.astype(np.int64).reshape(shape)


@attrs.frozen(kw_only=True, eq=False)
class Held:
    """Who held what: GPU-seconds by [plan node, hour], everything below a node included."""

    protected: Integers
    interruptible: Integers
    unallocated: Integers


def held(table: JobTable, log: Log, tree: Tree) -> Held:
    """Return the ledger summed by plan node and hour."""
    nodes, states = len(tree.ids), len(SliceState)
    of = fields(log.segments)
    which = of["slice"]
    node = log.leaf_node[table.leaf[log.slices["job"]]][which]
    group = node * states + (of["state"] - SliceState.PROTECTED)
    sums = hourly(log.slices["take"][which], of["begin"], of["end"], group, nodes * states, log.horizon)
    by_state = sums.reshape(nodes, states, -1)
    protected, interruptible, unallocated = (tree.roll_up(by_state[:, state]) for state in range(states))
    return Held(protected=protected, interruptible=interruptible, unallocated=unallocated)


@attrs.frozen(kw_only=True, eq=False)
class Outstanding:
    """The submitted jobs, one entry each: from when until when they were there, and what they wanted."""

    begin: Integers
    end: Integers  # the horizon for those that were still there
    take: Integers
    node: Rows  # the plan node
    sort: Rows  # CONTRACT, TOO_LARGE or FREE

    @classmethod
    def of(cls, table: JobTable, log: Log) -> Outstanding:
        """Return them in the order of their numbers."""
        rows = np.flatnonzero(log.jobs["state"] != JobState.UNSUBMITTED)
        jobs = log.jobs.take(rows)
        return cls(
            begin=jobs["submit"],
            end=np.where(jobs["end"] >= 0, jobs["end"], log.horizon),
            take=jobs["take"].astype(np.int64),
            node=log.leaf_node[table.leaf[rows]],
            sort=np.where(table.min_runtime[rows] == 0, FREE, np.where(jobs["too_large"], TOO_LARGE, CONTRACT)),
        )


@attrs.frozen(kw_only=True, eq=False)
class Wanted:
    """Who wanted what: GPU-seconds of outstanding jobs by [plan node, hour], everything below a node included."""

    contract: Integers
    too_large: Integers
    free: Integers


def wanted(jobs: Outstanding, log: Log, tree: Tree) -> Wanted:
    """Return the GPU-time of jobs that were submitted and not over, by whether a contract could serve them."""
    nodes = len(tree.ids)
    group = jobs.node * 3 + jobs.sort
    sums = hourly(jobs.take, jobs.begin, jobs.end, group, nodes * 3, log.horizon).reshape(nodes, 3, -1)
    contract, too_large, free = (tree.roll_up(sums[:, which]) for which in (CONTRACT, TOO_LARGE, FREE))
    return Wanted(contract=contract, too_large=too_large, free=free)


@attrs.frozen(kw_only=True, eq=False)
class Due:
    """What a plan node is entitled to, and the part of it that was wanted: 1e-8 GPU-seconds by [plan node, hour]."""

    entitlement: Integers
    owed: Integers


def due(jobs: Outstanding, log: Log, tree: Tree) -> Due:
    """Return the integrals of share x healthy capacity, and of its minimum with what is wanted under contract.

    At an inner node both are its own: its share, against the sum of what its leaves want.
    """
    hours = np.arange(0, log.horizon, HOUR)
    grid = np.unique(np.concatenate([hours, log.capacity["time"], log.epoch_time]))
    grid = grid[grid < log.horizon]
    healthy = log.capacity["healthy"][np.searchsorted(log.capacity["time"], grid, side="right") - 1]
    epoch = np.searchsorted(log.epoch_time, grid, side="right") - 1
    rate = log.epoch_share[epoch].T * healthy.astype(np.int64)  # [node, moment]
    on_hour = np.searchsorted(grid, hours)
    lasts = np.diff(grid, append=log.horizon)
    entitlement = np.add.reduceat(rate * lasts, on_hour, axis=1)

    owed = _owed(jobs, tree, grid, rate, on_hour, log.horizon)
    return Due(entitlement=entitlement, owed=owed)


def _owed(jobs: Outstanding, tree: Tree, grid: Integers, rate: Integers, on_hour: Rows, horizon: int) -> Integers:
    """Return by [node, hour] the integral of min(rate, wanted): rates step on the grid, what is wanted at each change."""
    counts = jobs.sort == CONTRACT
    take = jobs.take[counts] * SHARE_UNIT
    moments = np.concatenate([grid, jobs.begin[counts], jobs.end[counts]])
    change = np.concatenate([np.zeros_like(grid), take, -take])
    leaf = np.concatenate([np.full(len(grid), len(tree.ids)), np.tile(jobs.node[counts], 2)])
    order = np.sort(moments * len(moments) + np.arange(len(moments))) % len(moments)  # by moment, then as above
    moments, change, leaf = moments[order], change[order], leaf[order]
    on_grid = order < len(grid)
    step, hour = np.cumsum(on_grid) - 1, np.flatnonzero(on_grid)[on_hour]
    everywhere = np.ones((len(tree.ids), 1), bool)  # the grid is every node's
    owed = np.zeros((len(tree.ids), len(on_hour)), np.int64)
    for node, inside in enumerate(np.concatenate([tree.below(), everywhere], axis=1)):
        rows = np.flatnonzero(inside[leaf])
        least = np.minimum(rate[node][step[rows]], np.cumsum(change[rows]))
        lasts = np.diff(moments[rows], append=horizon)
        owed[node] = np.add.reduceat(least * lasts, np.searchsorted(rows, hour))
    return owed


@attrs.frozen(kw_only=True, eq=False)
class Machines:
    """The state of the machines: GPU-seconds by [hour]; `idle` by [hour, cause]."""

    capacity: Integers
    healthy: Integers
    draining: Integers
    down: Integers
    idle: Integers


def machines(log: Log) -> Machines:
    """Return the steps of the capacity summed by hour, beside the idle time that the kernel explained."""
    steps = log.capacity
    until = np.append(steps["time"][1:], log.horizon)
    count = len(steps)
    names = ("healthy", "draining", "down")
    amount = np.concatenate([steps[name] for name in names])
    group = np.repeat(np.arange(len(names)), count)
    sums = hourly(amount, np.tile(steps["time"], 3), np.tile(until, 3), group, len(names), log.horizon)
    hours = np.arange(0, log.horizon, HOUR)
    capacity = log.capacity_gpus * (np.minimum(hours + HOUR, log.horizon) - hours)
    healthy, draining, down = sums
    return Machines(capacity=capacity, healthy=healthy, draining=draining, down=down, idle=log.idle)
