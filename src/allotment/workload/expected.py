"""About how many jobs a workload asks for, told without drawing them: of a large one that takes minutes and all memory."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from allotment.model.cluster import Cluster
from allotment.model.job import gpus_taken
from allotment.model.plan import Plan
from allotment.units import WEEK
from allotment.workload.attributes import mean_run_time
from allotment.workload.classes import ClosedStream, Kind, OpenStream, RecordedStream, Size, Spread, Stream
from allotment.workload.demand import given_steps


def expected_jobs(streams: Sequence[Stream], plan: Plan, cluster: Cluster, horizon: int) -> float:
    """Return about how many jobs would be drawn for `horizon` seconds, without those of recordings, flurries and swings.

    Of a closed stream that is as many as could be worked off at the most that it keeps outstanding, as `generate` draws them.
    """
    made = [stream for stream in streams if not isinstance(stream, RecordedStream)]
    return sum(jobs for stream in made for jobs in _of_each(stream, plan, cluster, horizon))


def _of_each(stream: OpenStream | ClosedStream, plan: Plan, cluster: Cluster, horizon: int) -> Iterator[float]:
    leaves = [plan.work_leaf(leaf) for leaf in stream.leaves] or list(plan.work_leaves())
    weights = stream.weights or (1.0,) * len(leaves)
    whole = sum(kind.weight for kind in stream.kinds)
    for leaf, weight in zip(leaves, weights, strict=True):
        own = plan.absolute_share(leaf) if stream.spread is Spread.SHARE else Fraction(1, len(plan.work_leaves()))
        for kind in stream.kinds:
            part = weight * kind.weight / whole
            if isinstance(stream, OpenStream):
                spread = float(own) if stream.spread is Spread.SHARE else 1.0
                yield stream.jobs_per_week * part * spread * horizon / WEEK
            else:
                yield _held(stream, kind, part, float(own * cluster.gpus), cluster.gpus_per_node, horizon)


def _held(stream: ClosedStream, kind: Kind, part: float, gpus: float, per_node: int, horizon: int) -> float:
    fit = [size for size in kind.sizes if size.gpus <= stream.largest * gpus] or [_smallest(kind.sizes)]
    whole = sum(size.weight for size in fit)
    each = sum(size.weight / whole * gpus_taken(size.gpus, per_node) for size in fit) if whole else 0.0
    steps = [factor for begin, factor in given_steps(stream.steps) if begin < horizon]
    target = max(stream.demand * part * gpus * max([1.0, *map(float, steps)]), float(stream.least))
    largest = max(gpus_taken(size.gpus, per_node) for size in fit)
    most = max(target + largest // 2, float(largest)) if target >= 0.5 else 0.0
    return most * horizon / (each * mean_run_time(kind.run_time)) if each else 0.0


def _smallest(sizes: Sequence[Size]) -> Size:
    return min(sizes, key=lambda size: size.gpus)
