"""Figures that are computed from the tables; each is a function of tables and of when the measured time begins.

Sums are taken over whole GPU-seconds and divided once, so that they are the same on every machine.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

import attrs
import numpy as np
import numpy.typing as npt
import pandas as pd

from allotment.kernel.log import SHARE_UNIT
from allotment.results import waiting
from allotment.results.columns import WAITS
from allotment.results.tables import seconds
from allotment.units import HOUR

Integers = npt.NDArray[np.int64]
STOPPED = ("preempted", "failed", "drained", "urgent_repair")  # before the job had finished, and not by its owner
RUNS_ON = ("horizon", "open")  # a slice that ended so had not lost anything yet


def first_hour(warmup: int) -> int:
    """Return the number of the first whole hour that counts.

    >>> first_hour(7 * 86_400), first_hour(1)
    (168, 1)
    """
    return -(-warmup // HOUR)


def ratio(part: int | Fraction, whole: int | Fraction) -> float | None:
    """Return part / whole, rounded once, or None where there is no whole.

    >>> ratio(1, 4), ratio(0, 0)
    (0.25, None)
    """
    return float(Fraction(part) / Fraction(whole)) if whole else None


def total(gpu_hours: pd.Series, unit: int = 1) -> int:
    """Return the exact sum of a column of GPU-hours in GPU-seconds, or in parts of one.

    >>> total(pd.Series([0.5, 1 / 3]))
    3000
    """
    return sum(seconds(gpu_hours, unit).tolist())


def _table_of(found: Iterable[waiting.Wait]) -> pd.DataFrame:
    kinds = {column.name: column.kind for column in WAITS}
    return pd.DataFrame([attrs.asdict(wait) for wait in found], columns=list(kinds)).astype(kinds)


def waits(jobs: pd.DataFrame, since: int) -> pd.DataFrame:
    """Return queue waits by kind of work, and last of all jobs, over those submitted from `since` (s) on.

    >>> def job(kind, waited, started):
    ...     return {"kind": kind, "submit": 5, "waited": waited, "wait": waited if started else None, "closed": False}
    >>> table = pd.DataFrame([job("debug", 1, True), job("debug", 2, True), job("batch", 9, False)])
    >>> waits(table.astype({"kind": "category", "wait": "Int64"}), since=0)[
    ...     ["of", "n", "censored", "p50"]
    ... ].values.tolist()
    [['batch', 1, 1, <NA>], ['debug', 2, 0, 1], ['all', 3, 1, 2]]
    """
    return _table_of(waiting.by_kind(jobs, since))


def open_waits(jobs: pd.DataFrame, since: int) -> pd.DataFrame:
    """Return the same over jobs of open and recorded streams alone: what can be compared between policies."""
    return waits(jobs[~jobs["closed"].to_numpy()], since)


def leaf_waits(jobs: pd.DataFrame, since: int) -> pd.DataFrame:
    """Return queue waits by the path of the leaf, over the jobs submitted from `since` (s) on; leaves without are left out."""
    return _table_of(waiting.by_leaf(jobs, since))


def gang_waits(jobs: pd.DataFrame, since: int, gpus_per_node: int) -> pd.DataFrame:
    """Return queue waits by GPUs taken, over the jobs that need a whole node or more, submitted from `since` on."""
    return _table_of(waiting.by_size(jobs, since, gpus_per_node))


@attrs.frozen(kw_only=True)
class Delivered:
    """What some plan nodes were owed and given, in exact parts (1e-8) of a GPU-second; one entry a node."""

    nodes: tuple[int, ...]  # rows among the plan nodes
    owed: tuple[int, ...]
    delivered: tuple[int, ...]
    capped: tuple[int, ...]  # min(delivered, owed)
    capped_hourly: tuple[int, ...]  # the minimum taken hour by hour

    def only(self, wanted: npt.NDArray[np.bool_]) -> Delivered:
        """Return the nodes that are wanted (one flag a plan node) and were owed anything."""
        keep = [at for at, node in enumerate(self.nodes) if wanted[node] and self.owed[at]]
        return Delivered(**{name: tuple(values[at] for at in keep) for name, values in attrs.asdict(self).items()})

    @property
    def cumulative(self) -> float | None:
        """Sum of min(delivered, owed) / sum of owed."""
        return ratio(sum(self.capped), sum(self.owed))

    @property
    def hourly(self) -> float | None:
        """The same capped hour by hour."""
        return ratio(sum(self.capped_hourly), sum(self.owed))

    @property
    def owed_hours(self) -> list[float]:
        """What each node was owed, in GPU-hours."""
        return [part / (SHARE_UNIT * HOUR) for part in self.owed]

    @property
    def delivered_hours(self) -> list[float]:
        """What each node was given, in GPU-hours."""
        return [part / (SHARE_UNIT * HOUR) for part in self.delivered]

    def of_owed(self, parts: tuple[int, ...]) -> list[float | None]:
        """Return the ratio of some part of each node's time to what it was owed; None for what was owed nothing."""
        return [ratio(part, owed) for part, owed in zip(parts, self.owed, strict=True)]

    @property
    def each(self) -> list[Fraction]:
        """The cumulative figure of each node; all must have been owed something."""
        return [Fraction(capped, owed) for capped, owed in zip(self.capped, self.owed, strict=True)]


def deliver(usage: pd.DataFrame, since: int, until: int | None = None) -> Delivered:
    """Return what every plan node was owed and given in the hours from number `since` on, before number `until`."""
    if usage.empty:
        return Delivered(nodes=(), owed=(), delivered=(), capped=(), capped_hourly=())
    nodes = len(usage["node"].cat.categories)
    hours = usage["hour"].to_numpy()
    counted = (hours >= since) & (hours < (hours[-1] + 1 if until is None else until))
    owed = seconds(usage["owed"].to_numpy()[counted], SHARE_UNIT).reshape(-1, nodes)
    given = seconds(usage["delivered"].to_numpy()[counted]).reshape(-1, nodes) * SHARE_UNIT
    least = np.minimum(owed, given)
    sums = [tuple(sum(column) for column in values.T.tolist()) for values in (owed, given, least)]
    capped = tuple(min(pair) for pair in zip(sums[0], sums[1], strict=True))
    return Delivered(nodes=tuple(range(nodes)), owed=sums[0], delivered=sums[1], capped=capped, capped_hourly=sums[2])


def submitted(jobs: pd.DataFrame, shares: pd.DataFrame, since: int) -> dict[str, int]:
    """Return the GPU-seconds of work that came to each plan node, by its path: GPUs taken x run time at full speed.

    Counted are the jobs that `owed` counts, those that ask a contract which is not too large, where they were submitted
    from `since` (s) on; each once, however long it waits. `shares` says what is above what.

    >>> jobs = pd.DataFrame(
    ...     {"leaf": ["a/b"], "submit": 5, "take": 8, "work": 60, "min_runtime": 60, "too_large": False}
    ... )
    >>> plan = pd.DataFrame({"node": ["root", "a", "a/b"], "parent": [None, "root", "a"]})
    >>> submitted(jobs.astype({"leaf": "category"}), plan, since=0)
    {'root': 480, 'a': 480, 'a/b': 480}
    """
    counts = (jobs["submit"] >= since) & (jobs["min_runtime"] > 0) & ~jobs["too_large"]
    chosen = jobs[counts.to_numpy()]
    work = chosen["take"].to_numpy().astype(np.int64) * chosen["work"].to_numpy()
    above = {
        str(node): None if pd.isna(up) else str(up) for node, up in zip(shares["node"], shares["parent"], strict=True)
    }
    sums = dict.fromkeys(above, 0)
    for leaf, of in pd.Series(work).groupby(chosen["leaf"].astype("str").to_numpy()).sum().items():
        node: str | None = str(leaf)
        while node is not None:
            sums[node] += int(of)
            node = above[node]
    return sums


def delivery(usage: pd.DataFrame, since: int, came: Mapping[str, int]) -> pd.DataFrame:
    """Return what came to every plan node, and what it was owed and given from hour number `since` on, as a table.

    `came` is what :func:`submitted` returns. Two leaves in two hours; the second had nothing at first and more than its
    due later:

    >>> rows = [(0, "a", 4.0, 4.0), (0, "b", 4.0, 0.0), (1, "a", 4.0, 4.0), (1, "b", 4.0, 6.0)]
    >>> table = pd.DataFrame(rows, columns=["hour", "node", "owed", "delivered"]).astype({"node": "category"})
    >>> table = table.assign(depth=pd.Series([1] * 4, dtype="int16"), is_leaf=True)
    >>> delivery(table, 0, {"a": 28_800, "b": 28_800})[["node", "cumulative", "hourly"]].values.tolist()
    [['a', 1.0, 1.0], ['b', 0.75, 0.5]]
    """
    of = deliver(usage, since)
    nodes = usage.iloc[: len(of.nodes)]
    return pd.DataFrame(
        {
            "node": nodes["node"].array,
            "depth": nodes["depth"].to_numpy(),
            "is_leaf": nodes["is_leaf"].to_numpy(),
            "submitted": np.array([came[str(node)] / HOUR for node in nodes["node"]], float),
            "owed": np.array(of.owed_hours, float),
            "delivered": np.array(of.delivered_hours, float),
            "cumulative": np.array(of.of_owed(of.capped), float),
            "hourly": np.array(of.of_owed(of.capped_hourly), float),
        }
    )


def occupancy(cluster: pd.DataFrame, hours: int, gpus: int) -> pd.DataFrame:
    """Return what the GPUs of a cluster of so many did, on average over `hours` at a time; the last may be fewer.

    >>> columns = {"time": [0, 3600], "capacity": [4.0, 4.0], "healthy": [4.0, 3.0]}
    >>> busy = {"allocated": [2.0, 2.0], "unallocated": [1.0, 0.0]}
    >>> occupancy(pd.DataFrame(columns | busy), hours=2, gpus=4).values.tolist()
    [[3600.0, 3.5, 2.0, 0.5, 1.0]]
    """
    names = ["capacity", "healthy", "allocated", "unallocated"]
    time = cluster["time"].to_numpy()
    begin = time // (hours * HOUR) * (hours * HOUR)
    sums = cluster[names].groupby(begin).sum()
    length = sums["capacity"].to_numpy() / gpus  # hours: the last of a run may not be whole
    mean = sums[names[1:]].div(length, axis=0)
    return pd.DataFrame(
        {
            "time": sums.index.to_numpy(np.int64) + np.rint(length * HOUR / 2).astype(np.int64),
            **{name: mean[name].to_numpy() for name in names[1:]},
            "idle": (mean["healthy"] - mean["allocated"] - mean["unallocated"]).to_numpy(),
        }
    )


def worked(slices: pd.DataFrame, since: int, until: int) -> dict[str, int]:
    """Return what the GPU-time held between two moments went into, in GPU-seconds.

    `useful` is work that was kept, `squatted` what was held idle after it, `startup` and `restart` what came before the
    work of a first and of a later slice, `redone` the column `lost`: work that was thrown away, and the start-up with it
    where nothing at all was kept. What a slice that still ran at the horizon had done since its last checkpoint is
    useful, as nobody has lost it.

    Two GPUs for 100 s, of which 10 s are start-up and 60 s were kept:

    >>> columns = {"start": [0], "end": [100], "overhead": [10], "kept": [60], "squatted": [0], "take": [2]}
    >>> columns |= {"ended": ["preempted"], "lost": [60 / 3600]}
    >>> worked(pd.DataFrame({"job": [0]} | columns).astype({"ended": "category"}), since=0, until=1000)
    {'useful': 120, 'squatted': 0, 'startup': 20, 'restart': 0, 'redone': 60}
    """
    start, end, take = (slices[name].to_numpy().astype(np.int64) for name in ("start", "end", "take"))
    begin_of_lost = end - seconds(slices["lost"]) // take
    work = np.minimum(start + slices["overhead"].to_numpy(), begin_of_lost)
    stop = np.where(_is_among(slices["ended"], RUNS_ON), end, np.minimum(work + slices["kept"].to_numpy(), end))

    def during(begin: Integers, finish: Integers) -> Integers:
        return np.asarray(take * np.maximum(np.minimum(finish, until) - np.maximum(begin, since), 0))

    idle = stop - slices["squatted"].to_numpy()  # from when on it was only held
    useful, squatted, before = int(during(work, idle).sum()), int(during(idle, stop).sum()), during(start, work)
    later = ~_first_of_each(slices["job"].to_numpy())
    startup, restart = int(before[~later].sum()), int(before[later].sum())
    redone = int(during(start, end).sum()) - useful - squatted - startup - restart
    return {"useful": useful, "squatted": squatted, "startup": startup, "restart": restart, "redone": redone}


def stopped(slices: pd.DataFrame, since: int, until: int) -> pd.DataFrame:
    """Return how the slices ended that were stopped in [since, until) before their job had finished, and what was lost."""
    end = slices["end"].to_numpy()
    early = _is_among(slices["ended"], STOPPED) & (end >= since) & (end < until)
    return slices[["ended", "lost"]][early]


def _is_among(column: pd.Series, names: tuple[str, ...]) -> npt.NDArray[np.bool_]:
    """Return where a column of categories, none of them missing, holds one of these names."""
    return np.asarray(column.cat.categories.isin(names)[column.cat.codes.to_numpy()])


def _first_of_each(numbers: npt.NDArray[np.integer]) -> npt.NDArray[np.bool_]:
    """Return where each number is there for the first time.

    >>> _first_of_each(np.array([3, 0, 3, 3])).tolist()
    [True, True, False, False]
    """
    first = np.zeros(int(numbers.max(initial=0)) + 1, np.int64)
    rows = np.arange(len(numbers))
    first[numbers[::-1]] = rows[::-1]  # of several rows of one number, the last that is written stays
    return np.asarray(first[numbers] == rows)
