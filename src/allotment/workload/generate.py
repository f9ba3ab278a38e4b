"""All jobs of a scenario, drawn before the run from one generator for each stream, kind and leaf."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from allotment.errors import ValueProblems
from allotment.model.cluster import Cluster
from allotment.model.job import gpus_taken
from allotment.model.plan import OWN, Plan
from allotment.workload.arrivals import Rate, Times, cycle_factors, flurry_times, hourly_noise, local_hours
from allotment.workload.attributes import (
    GAP,
    SIZE,
    USER,
    WIDTH,
    draw_attributes,
    draw_run_times,
    draw_sizes,
    mean_run_time,
)
from allotment.workload.chance import Floats, exponential, generator
from allotment.workload.classes import ClosedStream, Flurries, Kind, OpenStream, RecordedStream, Size, Spread, Stream
from allotment.workload.demand import given_steps, product, swing_steps, target
from allotment.workload.table import COLUMNS, JobTable, StreamTable, joined, merge

Array = npt.NDArray[Any]

MOST_JOBS = 5_000_000  # far above what a machine holds in memory beside the results


@attrs.frozen(kw_only=True, eq=False)
class _Setting:
    plan: Plan
    cluster: Cluster
    horizon: int
    seed: int
    hours: tuple[Times, Times]  # local hour and weekday of each hour


@attrs.frozen(kw_only=True, eq=False)
class _Cell:
    """The jobs of one stream, kind and leaf."""

    stream: str
    kind: Kind
    leaf: str
    targets: tuple[Array, Array] | None  # None for an open stream
    columns: dict[str, Array]


def generate(
    streams: Sequence[Stream],
    plan: Plan,
    cluster: Cluster,
    start: datetime,
    horizon: int,
    seed: int,
    *,
    recordings: Mapping[str, JobTable] | None = None,
) -> JobTable:
    """Return all jobs that the streams submit to a cluster under a plan within `horizon` seconds.

    `start` carries the time zone that the daily and weekly cycle follows. The jobs of a recorded stream come from
    `recordings`, by the stream's name. Rows are in the order of leaf, stream and kind, recordings last, so that neither
    the order of the streams nor that of the plan matters. A closed stream gets as many jobs as it could possibly work
    off. Raises ValueProblems with everything that does not fit together.
    """
    _check(streams, plan, cluster, recordings or {})
    setting = _Setting(plan=plan, cluster=cluster, horizon=horizon, seed=seed, hours=local_hours(start, horizon))
    made = [stream for stream in streams if not isinstance(stream, RecordedStream)]
    cells = [cell for stream in made for cell in _cells(stream, setting)]
    cells.sort(key=lambda cell: (cell.leaf, cell.stream, cell.kind.name))
    leaves = plan.work_leaves(direct_nodes(streams, plan))
    recorded = sorted(stream.name for stream in streams if isinstance(stream, RecordedStream))
    tables = [(recordings or {})[name] for name in recorded]
    own = {leaf for table in tables for leaf in table.leaves}
    leaves = tuple(sorted(set(leaves) | own))
    return merge(leaves, [_assemble(cells, leaves), *tables] if cells or not tables else tables)


def direct_nodes(streams: Sequence[Stream], plan: Plan) -> frozenset[str]:
    """Return the inner nodes of a plan that some stream names, and that so have jobs of their own."""
    named = {leaf for stream in streams if not isinstance(stream, RecordedStream) for leaf in stream.leaves}
    return frozenset(name.removesuffix(OWN) for name in named if plan.node(name).children)


def _check(streams: Sequence[Stream], plan: Plan, cluster: Cluster, recordings: Mapping[str, JobTable]) -> None:
    problems = []
    names = [stream.name for stream in streams]
    problems += [f"stream {name!r} is there twice" for name in sorted(set(names)) if names.count(name) > 1]
    known = set(plan.ids)
    own = {f"{node.id}{OWN}" for node in plan.walk() if node.children}
    for stream in streams:
        if isinstance(stream, RecordedStream):
            if stream.name not in recordings:
                problems.append(f"the recorded stream {stream.name!r} has not been read from {stream.path!r}")
            continue
        problems += [
            f"stream {stream.name!r} names {leaf!r}, which is no node of plan {plan.name!r} that jobs can belong to"
            for leaf in stream.leaves
            if leaf not in known | own
        ]
        places = [f"{leaf.removesuffix(OWN)}{OWN}" for leaf in stream.leaves]
        problems += [
            f"stream {stream.name!r} names {leaf!r} and what stands for its own jobs; name one of them"
            for leaf in sorted(known)
            if places.count(f"{leaf}{OWN}") > 1
        ]
        problems += [
            f"size {size.gpus} of kind {kind.name!r} in stream {stream.name!r} does not fit on the {cluster.gpus} GPUs of "
            "the cluster; leave it out"
            for kind in stream.kinds
            for size in kind.sizes
            if size.weight > 0 and gpus_taken(size.gpus, cluster.gpus_per_node) > cluster.gpus
        ]
    if problems:
        raise ValueProblems(problems)


def _up_to(sizes: tuple[Size, ...], most: float) -> tuple[Size, ...]:
    """Return the sizes up to `most` GPUs; if there are none, the smallest."""
    possible = [size for size in sizes if size.weight > 0]
    small = tuple(size for size in possible if size.gpus <= most)
    return small or tuple(sorted(possible, key=lambda size: size.gpus)[:1])


def _cells(stream: OpenStream | ClosedStream, setting: _Setting) -> Iterator[_Cell]:
    leaves = [setting.plan.work_leaf(leaf) for leaf in stream.leaves] or list(setting.plan.work_leaves())
    weights = stream.weights or (1.0,) * len(leaves)
    whole = sum(kind.weight for kind in stream.kinds)
    for kind in stream.kinds:
        mean = mean_run_time(kind.run_time)
        for leaf, weight in zip(leaves, weights, strict=True):
            part = weight * kind.weight / whole
            if isinstance(stream, OpenStream):
                yield _open_cell(stream, kind, leaf, part, setting)
            else:
                yield _closed_cell(stream, kind, leaf, part, mean, setting)


def _open_cell(stream: OpenStream, kind: Kind, leaf: str, part: float, setting: _Setting) -> _Cell:
    if stream.spread is Spread.SHARE:
        part *= float(setting.plan.absolute_share(leaf))
    key = (setting.seed, stream.name, kind.name, leaf)
    hourly = stream.jobs_per_week * part * cycle_factors(stream.cycle, *setting.hours)
    if stream.noise:
        hourly = hourly * hourly_noise(generator(*key, "noise"), hourly.size, stream.noise)
    rows, submit = _arrivals(generator(*key), Rate.of(hourly))
    rows, submit = rows[submit < setting.horizon], submit[submit < setting.horizon]
    if stream.flurries is not None and part > 0:
        each = kind.weight / sum(other.weight for other in stream.kinds)
        flurries = attrs.evolve(stream.flurries, per_week=stream.flurries.per_week * each)
        more, when = _flurries(generator(*key, "flurries"), flurries, setting.horizon)
        rows, submit = np.concatenate([rows, more]), np.concatenate([submit, when])
        order = np.argsort(submit, kind="stable")
        rows, submit = rows[order], submit[order]
    sizes = _up_to(kind.sizes, setting.cluster.gpus)
    work, intended = draw_run_times(rows, kind.run_time)
    columns = draw_attributes(rows, kind, work, intended) | {"gpus": draw_sizes(rows, sizes), "submit": submit}
    return _Cell(stream=stream.name, kind=kind, leaf=leaf, targets=None, columns=columns)


def _arrivals(rng: np.random.Generator, rate: Rate) -> tuple[Floats, Times]:
    """Return a row of uniform numbers and a submit time for each arrival of a Poisson process."""
    blocks: list[Floats] = []
    points: list[Floats] = []
    reached = 0.0
    while reached < rate.total:
        left = rate.total - reached
        _bound(left)
        rows = rng.random((int(left + 6 * left**0.5) + 16, WIDTH))
        gaps = exponential(rows[:, GAP])
        gaps[0] += reached
        points.append(np.cumsum(gaps))
        blocks.append(rows)
        reached = float(points[-1][-1])
    if not blocks:
        return np.zeros((0, WIDTH)), np.zeros(0, dtype=np.int64)
    submit = rate.times(np.concatenate(points))
    return np.concatenate(blocks)[: submit.size], submit


def _flurries(rng: np.random.Generator, flurries: Flurries, horizon: int) -> tuple[Floats, Times]:
    """Return a row of uniform numbers and a submit time for each job of the flurries."""
    times, flurry = flurry_times(rng, flurries, horizon)
    rows = rng.random((times.size, WIDTH))
    _, first, place = np.unique(flurry, return_index=True, return_inverse=True)
    for column in (SIZE, USER):
        rows[:, column] = rows[first[place], column]
    return rows, times


def _closed_cell(stream: ClosedStream, kind: Kind, leaf: str, part: float, mean: float, setting: _Setting) -> _Cell:
    cluster, plan = setting.cluster, setting.plan
    own = plan.absolute_share(leaf) if stream.spread is Spread.SHARE else Fraction(1, len(plan.work_leaves()))
    steps = given_steps(stream.steps)
    if stream.swing is not None:
        rng = generator(setting.seed, stream.name, leaf, "swing")
        steps = product(steps, swing_steps(rng, stream.swing, setting.horizon))
    steps = tuple(step for step in steps if step[0] < setting.horizon)
    times, gpus = target(stream.demand * part * float(own * cluster.gpus), stream.least, steps)
    sizes = _up_to(kind.sizes, stream.largest * float(own * cluster.gpus))
    rng = generator(setting.seed, stream.name, kind.name, leaf)
    rows, asked, work, intended = _enough(rng, kind, sizes, mean, int(gpus.max()), setting)
    submit = np.full(work.size, -1, dtype=np.int64)
    columns = draw_attributes(rows, kind, work, intended) | {"gpus": asked, "submit": submit}
    return _Cell(stream=stream.name, kind=kind, leaf=leaf, targets=(times, gpus), columns=columns)


def _enough(
    rng: np.random.Generator, kind: Kind, sizes: tuple[Size, ...], mean: float, target: int, setting: _Setting
) -> tuple[Floats, Array, Array, Array]:
    """Return rows, sizes, run times and intended ones of as many jobs as the cluster could finish at this target.

    What is outstanding is at most the target and half a job, or one job. So the jobs suffice, however fast they are
    served, if they hold that over all the horizon, and besides what may be unfinished at its end, at worst those that
    run longest. `mean` is the mean run time.
    """
    per_node = setting.cluster.gpus_per_node
    largest = max(gpus_taken(size.gpus, per_node) for size in sizes)
    most = max(target + largest // 2, largest) if target else 0
    whole = sum(size.weight for size in sizes)
    each = mean * sum(size.weight / whole * gpus_taken(size.gpus, per_node) for size in sizes)
    rows, gpus = np.zeros((0, WIDTH)), np.zeros(0, dtype=np.int64)
    work, intended = gpus, gpus
    need, total = most * setting.horizon, 0
    while total < need:
        _bound((need - total) / each)
        rows = np.concatenate([rows, rng.random((int(1.1 * (need - total) / each) + 16, WIDTH))])
        gpus = draw_sizes(rows, sizes)
        work, intended = draw_run_times(rows, kind.run_time)
        takes = gpus_taken(gpus, per_node)
        need = most * setting.horizon + _longest(takes, work, most)
        total = int((takes * work).sum())
    count = int(np.searchsorted(np.cumsum(gpus_taken(gpus, per_node) * work), need)) + 1 if total else 0
    return rows[:count], gpus[:count], work[:count], intended[:count]


def _longest(takes: Array, work: Array, gpus: int) -> int:
    """Return the GPU-seconds of the jobs that run longest, as many as fit on so many GPUs, and one more.

    >>> _longest(np.array([1, 2, 1]), np.array([5, 10, 20]), 2)
    40
    """
    order = np.argsort(-work, kind="stable")
    count = int(np.searchsorted(np.cumsum(takes[order]), gpus, side="right")) + 1
    return int((takes * work)[order[:count]].sum())


def _bound(jobs: float) -> None:
    if jobs > MOST_JOBS:
        raise ValueProblems([f"the workload asks for about {jobs:.3g} jobs; at most {MOST_JOBS} can be simulated"])


def _assemble(cells: list[_Cell], leaves: tuple[str, ...]) -> JobTable:
    leaf_row = {leaf: row for row, leaf in enumerate(leaves)}
    kinds = tuple(sorted({cell.kind.name for cell in cells}))
    kind_row = {kind: row for row, kind in enumerate(kinds)}
    counts = [cell.columns["work"].size for cell in cells]
    people: dict[str, int] = {}
    for cell in cells:
        people[cell.leaf] = max(people.get(cell.leaf, 0), cell.kind.users)
    first: dict[str, int] = {}
    users: list[str] = []
    for leaf in sorted(people):
        first[leaf] = len(users)
        users += [f"{leaf}-u{rank:02d}" for rank in range(1, people[leaf] + 1)]
    elsewhere = ("leaf", "kind", "stream", "hold")  # below, or nothing that a kind of work decides
    parts = {name: [cell.columns[name] for cell in cells] for name in COLUMNS if name not in elsewhere}
    parts["user"] = [cell.columns["user"] + first[cell.leaf] for cell in cells]
    empty = np.zeros(0, dtype=np.int64)
    targets = [cell.targets or (empty, empty) for cell in cells]
    streams = StreamTable(
        names=tuple(cell.stream for cell in cells),
        kinds=tuple(cell.kind.name for cell in cells),
        leaf=np.array([leaf_row[cell.leaf] for cell in cells], dtype=np.int64),
        closed=np.array([cell.targets is not None for cell in cells], dtype=np.bool_),
        target_at=np.cumsum([0, *(times.size for times, _ in targets)]),
        times=np.concatenate([empty, *(times for times, _ in targets)]),
        gpus=np.concatenate([empty, *(gpus for _, gpus in targets)]),
    )
    return JobTable(
        leaves=leaves,
        kinds=kinds,
        users=tuple(users),
        streams=streams,
        names=None,
        leaf=np.repeat([leaf_row[cell.leaf] for cell in cells], counts),
        kind=np.repeat([kind_row[cell.kind.name] for cell in cells], counts),
        stream=np.repeat(np.arange(len(cells)), counts),
        **{name: joined(columns, COLUMNS[name]) for name, columns in parts.items()},
    )
