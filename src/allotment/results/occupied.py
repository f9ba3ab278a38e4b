"""What the GPUs of a cluster did over time, budget by budget."""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt
import pandas as pd

from allotment.units import HOUR

Numbers = npt.NDArray[np.float64]
BLOCKS = (1, 2, 3, 4, 6, 8, 12, 24, 48, 168)  # hours that are averaged over


@attrs.frozen(kw_only=True, eq=False)
class Occupied:
    """GPUs on average over blocks of time, which are the last axis; the parts of a block sum to the cluster's GPUs."""

    edges: npt.NDArray[np.int64]
    """When the blocks begin, and when the last one ends (s)."""
    budgets: tuple[str, ...]
    """Paths of the children of the root, in the order of the usage table."""
    allocated: Numbers
    """[budget, block]: held and charged to it."""
    unallocated: Numbers
    """[budget, block]: held by its jobs and charged to nobody."""
    idle: Numbers
    """Healthy, held by nobody, on nodes that take work."""
    out: Numbers
    """Out of service, or held by nobody on nodes that are being emptied."""

    @property
    def middle(self) -> Numbers:
        """When each block is half over (s)."""
        return np.asarray((self.edges[1:] + self.edges[:-1]) / 2)


def block_hours(horizon: int, most: int = 90) -> int:
    """Return over how many hours to average so that at most so many blocks come of it.

    >>> block_hours(14 * 86_400), block_hours(37 * 86_400), block_hours(3600)
    (4, 12, 1)
    """
    return next((hours for hours in BLOCKS if horizon <= most * hours * HOUR), BLOCKS[-1])


def by_budget(usage: pd.DataFrame, cluster: pd.DataFrame, gpus: int, hours: int, end: int) -> Occupied:
    """Return what the GPUs did, on average over so many hours at a time up to the run's `end` (s).

    Two GPUs for an hour and a half, of which one was held for an hour:

    >>> usage = pd.DataFrame(
    ...     {"hour": [0, 1], "node": ["a", "a"], "depth": 1, "allocated": [1.0, 0], "unallocated": 0.0}
    ... )
    >>> cluster = pd.DataFrame(
    ...     {"time": [0, 3600], "healthy": [2.0, 1.0], "idle_draining": 0.0, "down": 0.0}
    ...     | {"allocated": [1.0, 0.0], "unallocated": 0.0}
    ... )
    >>> found = by_budget(usage.astype({"node": "category"}), cluster, gpus=2, hours=1, end=5400)
    >>> found.allocated.tolist(), found.idle.tolist(), found.edges.tolist()
    ([[1.0, 0.0]], [1.0, 2.0], [0, 3600, 5400])
    """
    begins = np.arange(0, end, hours * HOUR)
    edges = np.append(begins, end).astype(np.int64)
    length = np.diff(edges) / HOUR
    first = begins // HOUR

    top = usage[(usage["depth"] == 1).to_numpy()]
    budgets = tuple(str(node) for node in pd.unique(top["node"]))

    def of_budgets(name: str) -> Numbers:
        each = top[name].to_numpy().reshape(-1, len(budgets))
        return np.asarray(np.add.reduceat(each, first, axis=0).T / length)

    def of_cluster(values: pd.Series) -> Numbers:
        return np.asarray(np.add.reduceat(values.to_numpy(), first) / length)

    if not len(begins):
        nothing, each = np.zeros(0), np.zeros((len(budgets), 0))
        return Occupied(edges=edges, budgets=budgets, allocated=each, unallocated=each, idle=nothing, out=nothing)
    held = of_cluster(cluster["allocated"] + cluster["unallocated"])
    emptied = of_cluster(cluster["idle_draining"])
    idle = np.maximum(of_cluster(cluster["healthy"]) - held - emptied, 0)
    return Occupied(
        edges=edges,
        budgets=budgets,
        allocated=of_budgets("allocated"),
        unallocated=of_budgets("unallocated"),
        idle=idle,
        out=np.maximum(gpus - held - idle, 0),
    )
