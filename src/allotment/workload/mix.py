"""A job mix turned by hand: more or less of a kind of work, other sizes, contracts and checkpoints; and what that asks for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import attrs
import numpy as np
from attrs.converters import optional

from allotment.errors import ValueProblems
from allotment.model.checks import at_least, between, one_line
from allotment.model.typed import typed
from allotment.units import HOUR, WEEK, Seconds
from allotment.workload.classes import OpenStream, RecordedStream, Stream
from allotment.workload.kinds import Contract, Kind
from allotment.workload.table import JobTable


@attrs.frozen(kw_only=True, field_transformer=typed)
class Turned:
    """How one kind of work differs from what the workload says; null leaves a thing as it is."""

    kind: str = attrs.field(validator=one_line())
    """The kind of work, in whichever streams it is."""
    rate: float = attrs.field(default=1.0, converter=float, validator=between(0, 100))
    """How many times as much of it: of the jobs of an open stream, of the GPUs that a closed one keeps outstanding."""
    sizes_up_to: int | None = attrs.field(default=None, validator=at_least(1))
    """Sizes of more GPUs are left out."""
    min_runtime: Seconds | None = attrs.field(default=None, validator=at_least(0))
    """The contract that all its jobs ask for; 0 asks none."""
    resumable: float | None = attrs.field(default=None, converter=optional(float), validator=between(0, 1))
    """The part of its jobs that keep their last checkpoint when stopped."""
    checkpoint: Seconds | None = attrs.field(default=None, validator=at_least(1))
    """The time between two checkpoints."""


@attrs.frozen(kw_only=True)
class Asked:
    """What a kind of work asks for in an average week: jobs (None for a closed stream, which follows the run), GPU-hours."""

    kind: str
    jobs: float | None
    gpu_hours: float


def turned(streams: Iterable[Stream], changes: Iterable[Turned]) -> tuple[Stream, ...]:
    """Return the streams with some kinds of work changed. Raises ValueProblems with everything that does not fit."""
    made, problems = tuple(streams), list[str]()
    names = {kind.name for stream in made if not isinstance(stream, RecordedStream) for kind in stream.kinds}
    for change in changes:
        if change.kind not in names:
            problems.append(f"there is no kind of work {change.kind!r} to change; there are {', '.join(sorted(names))}")
            continue
        try:
            made = tuple(_of_stream(stream, change) for stream in made)
        except ValueError as error:
            problems.append(str(error))
    if problems:
        raise ValueProblems(problems)
    return made


def _of_stream(stream: Stream, change: Turned) -> Stream:
    if isinstance(stream, RecordedStream) or change.kind not in {kind.name for kind in stream.kinds}:
        return stream
    kinds = tuple(_of_kind(kind, change) if kind.name == change.kind else kind for kind in stream.kinds)
    before, after = (sum(kind.weight for kind in of) for of in (stream.kinds, kinds))
    if after <= 0:
        raise ValueError(f"a rate of 0 for kind {change.kind!r} would leave stream {stream.name!r} without work")
    # the other kinds keep what they have
    if isinstance(stream, OpenStream):
        return attrs.evolve(stream, kinds=kinds, jobs_per_week=stream.jobs_per_week * after / before)
    return attrs.evolve(stream, kinds=kinds, demand=stream.demand * after / before)


def _of_kind(kind: Kind, change: Turned) -> Kind:
    more: dict[str, Any] = {"weight": kind.weight * change.rate}
    if change.sizes_up_to is not None:
        sizes = tuple(size for size in kind.sizes if size.gpus <= change.sizes_up_to)
        if not any(size.weight > 0 for size in sizes):
            least = min(size.gpus for size in kind.sizes if size.weight > 0)
            raise ValueError(f"sizes_up_to must leave a size to kind {kind.name!r}, whose smallest is {least} GPUs")
        more["sizes"] = sizes
    if change.min_runtime is not None:
        more["contracts"] = (Contract(min_runtime=change.min_runtime),)
    if change.resumable is not None:
        more["resumable"] = change.resumable
    if change.checkpoint is not None:
        more["checkpoint"] = change.checkpoint
    return attrs.evolve(kind, **more)


def asked(table: JobTable, horizon: int) -> tuple[Asked, ...]:
    """Return what each kind of work asks for, from the jobs that were drawn for a run of `horizon` seconds, in their order.

    GPU-hours are those of the work, at full speed; of closed streams those that they keep outstanding, on average, held
    for a week.
    """
    streams, count, weeks = table.streams, len(table.kinds), horizon / WEEK
    comes = ~(streams.closed | streams.manual)[table.stream] & (table.submit >= 0) & (table.submit < horizon)
    jobs = np.bincount(table.kind[comes], minlength=count)
    seconds = np.bincount(table.kind[comes], weights=(table.gpus * table.work)[comes].astype(float), minlength=count)
    follows = set[str]()
    for row in np.flatnonzero(streams.closed).tolist():
        times, gpus = streams.target(row)
        held = np.diff(np.append(np.minimum(times, horizon), horizon)) * gpus
        seconds[table.kinds.index(streams.kinds[row])] += float(held.sum())
        follows.add(streams.kinds[row])
    return tuple(
        Asked(
            kind=kind,
            jobs=None if kind in follows else float(jobs[code]) / weeks,
            gpu_hours=float(seconds[code]) / HOUR / weeks,
        )
        for code, kind in enumerate(table.kinds)
    )
