"""What a workload is, as plain values: the open, closed and recorded streams that submit jobs, and their kinds of work.

A stream names the leaves that submit it; each (stream, kind, leaf) draws from a generator of its own, keyed by the seed,
the stream's name, the kind's name and the leaf's id, so that nothing else in a scenario can change its jobs.
A scenario holds a tuple of streams; a file in `datasets/workloads/` holds a `Workload`, which gives them a name and a source.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from enum import IntEnum
from typing import Any, Literal

import attrs

from allotment.model.checks import at_least, between, one_line
from allotment.model.typed import typed
from allotment.units import HOUR, MINUTE, Seconds
from allotment.workload.kinds import Contract, Kind, PriorityWeights, RunTime, Size, some_weight
from allotment.workload.rhythm import FACTOR, Cycle, Flurries, Spread, Step, Swing, floats

__all__ = [
    "ClosedStream",
    "Contract",
    "ContractRule",
    "Cycle",
    "Flurries",
    "Kind",
    "OpenStream",
    "PriorityWeights",
    "RecordedStream",
    "RunTime",
    "Size",
    "Spread",
    "Step",
    "Stream",
    "Swing",
    "Workload",
    "with_demand",
    "with_sizes_up_to",
]

_SHA256 = re.compile(r"[0-9a-f]{64}")


def _unique(_instance: Any, attribute: attrs.Attribute[Any], value: Any) -> None:
    names = [item if isinstance(item, str) else item.name for item in value]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"{attribute.name} must hold each name once; {twice[0]!r} is there twice")


def _checksum(_instance: Any, attribute: attrs.Attribute[Any], value: str) -> None:
    if value and not _SHA256.fullmatch(value):
        raise ValueError(f"{attribute.name} must be 64 hexadecimal digits, as sha256sum prints them, not {value!r}")


def _strings(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(values)


def _kinds(values: Iterable[Kind]) -> tuple[Kind, ...]:
    return tuple(values)


@attrs.frozen(kw_only=True, field_transformer=typed)
class OpenStream:
    """Jobs that arrive whatever the cluster does: a Poisson process with a daily and weekly cycle.

    With the spread `share` a leaf gets `jobs_per_week` times its absolute share, with `each` it gets `jobs_per_week`.
    """

    type: Literal["open"] = "open"
    """Tells which class of stream it is."""
    name: str = attrs.field(validator=one_line())
    """What the stream is called; its jobs are drawn from generators keyed by it."""
    kinds: tuple[Kind, ...] = attrs.field(converter=_kinds, validator=[some_weight, _unique])
    """The kinds of work that its jobs are of."""
    leaves: tuple[str, ...] = attrs.field(default=(), converter=_strings, validator=_unique)
    """The ids of the plan nodes that submit it; empty means every leaf."""
    weights: tuple[float, ...] = attrs.field(default=(), converter=floats)
    """One for each of `leaves`, which multiplies what that leaf submits; empty multiplies none."""
    spread: Spread = attrs.field(default=Spread.SHARE, converter=Spread)
    """How many jobs each leaf submits: in proportion to its share of the plan, or all the same number."""
    jobs_per_week: float = attrs.field(converter=float, validator=between(0, 10_000_000))
    """The jobs of an average week: of a leaf with the whole cluster, or of each leaf; see `spread`."""
    cycle: Cycle = attrs.field(factory=Cycle)
    """How the rate changes with the hour and the weekday; by default it does not."""
    noise: int = attrs.field(default=0, validator=between(0, 64))
    """k > 0 multiplies each hour's rate by a gamma variate of shape k and mean 1: 1 is the noisiest, 0 is no noise."""
    flurries: Flurries | None = None
    """Bursts of like jobs on top; null is none."""
    source: str = ""
    """Where its figures come from."""

    def __attrs_post_init__(self) -> None:
        _check_weights(self.leaves, self.weights)


def _steps(values: Iterable[Step]) -> tuple[Step, ...]:
    return tuple(values)


@attrs.frozen(kw_only=True, field_transformer=typed)
class ClosedStream:
    """Work that people keep outstanding (running or waiting): so many GPUs, more being submitted as work ends.

    The target of a leaf is `demand` times its absolute share times the cluster's GPUs (with the spread `each`: times an
    equal part of the cluster for each leaf of the plan), times its weight, divided over the kinds by their weights, and
    never below `least` GPUs for each kind. Each kind is held at its own target, so that the kind that waits longest
    does not crowd out the others.
    """

    type: Literal["closed"] = "closed"
    """Tells which class of stream it is."""
    name: str = attrs.field(validator=one_line())
    """What the stream is called; its jobs are drawn from generators keyed by it."""
    kinds: tuple[Kind, ...] = attrs.field(converter=_kinds, validator=[some_weight, _unique])
    """The kinds of work that its jobs are of."""
    leaves: tuple[str, ...] = attrs.field(default=(), converter=_strings, validator=_unique)
    """The ids of the plan nodes that submit it; empty means every leaf."""
    weights: tuple[float, ...] = attrs.field(default=(), converter=floats)
    """One for each of `leaves`, which multiplies what that leaf submits; empty multiplies none."""
    spread: Spread = attrs.field(default=Spread.SHARE, converter=Spread)
    """How much each leaf keeps outstanding: in proportion to its share of the plan, or all the same."""
    demand: float = attrs.field(converter=float, validator=FACTOR)
    """How many times its part of the cluster a leaf keeps outstanding."""
    swing: Swing | None = None
    """How the demand of each leaf changes by itself, drawn before the run; null leaves it."""
    steps: tuple[Step, ...] = attrs.field(default=(), converter=_steps)
    """How the demand of all leaves changes at given times, in their order."""
    largest: float = attrs.field(default=4.0, converter=float, validator=FACTOR)
    """Sizes above so many times the leaf's part of the cluster are not asked for; the smallest always is."""
    least: int = attrs.field(default=0, validator=at_least(0))
    """The GPUs that a leaf keeps outstanding of each kind at the least."""
    source: str = ""
    """Where its figures come from."""

    def __attrs_post_init__(self) -> None:
        _check_weights(self.leaves, self.weights)
        times = [step.at for step in self.steps]
        if any(later <= earlier for earlier, later in itertools.pairwise(times)):
            raise ValueError(f"steps must come one after the other, not at {times!r}")


class ContractRule(IntEnum):
    """Which contract a recorded job gets when its record does not say."""

    RUN_TIME = 0  # its run time rounded up to a customary minimum runtime, at most the cap
    NONE = 1  # none
    CAP = 2  # the longest there is, or the short one for jobs that ran no longer than that


@attrs.frozen(kw_only=True, field_transformer=typed)
class RecordedStream:
    """Jobs out of a table of real ones; what it does not say about them is taken from here.

    The columns and the rule for contracts are written down in `allotment.workload.recorded`.
    """

    type: Literal["recorded"] = "recorded"
    """Tells which class of stream it is."""
    name: str = attrs.field(default="recorded", validator=one_line())
    """What the stream is called."""
    path: str = attrs.field(validator=one_line(1000))
    """A CSV (also .gz) or Parquet file, as seen from the scenario file."""
    sha256: str = attrs.field(default="", validator=_checksum)
    """The SHA-256 of the file in 64 hexadecimal digits: another content is refused. Empty takes whatever is there."""
    origin: int | None = None
    """Where the scenario starts on the file's clock (s); null is 0, or for times of an epoch the midnight, UTC, before
    the first job."""
    contract: ContractRule = attrs.field(default=ContractRule.RUN_TIME, converter=ContractRule)
    """Which contract a job gets that says none."""
    short: Seconds = attrs.field(default=15 * MINUTE, validator=at_least(1))
    """The shortest contract of that rule, and up to which run time a job without a kind is of the kind `short`."""
    cap: Seconds = attrs.field(default=8 * HOUR, validator=at_least(1))
    """The longest contract that a job gets; at most the cap of the policy."""
    resumable: bool = True
    """Whether jobs that do not say so keep their last checkpoint when stopped."""
    checkpoint: Seconds = attrs.field(default=30 * MINUTE, validator=at_least(1))
    """The time between two checkpoints of jobs that say none."""
    startup: Seconds = attrs.field(default=0, validator=at_least(0))
    """How long a job holds its GPUs before its work begins."""
    restart: Seconds = attrs.field(default=5 * MINUTE, validator=at_least(0))
    """The same for a job that starts again after it was stopped."""
    preemptible: bool = True
    """Whether jobs may be displaced under policies without contracts."""
    limit_factor: float = attrs.field(default=1.0, converter=float, validator=between(1, 1000))
    """The time limit of jobs that say none: so many times the run time, rounded up to a customary one."""
    source: str = ""
    """Where its figures come from."""

    def __attrs_post_init__(self) -> None:
        if self.short > self.cap:
            raise ValueError(f"short must be at most the cap of {self.cap} s, not {self.short!r}")


Stream = OpenStream | ClosedStream | RecordedStream


def _streams(values: Iterable[Stream]) -> tuple[Stream, ...]:
    return tuple(values)


@attrs.frozen(kw_only=True, field_transformer=typed)
class Workload:
    """Streams under one name, as a file in `datasets/workloads/` holds them."""

    name: str = attrs.field(validator=one_line())
    """What the workload is called."""
    title: str = ""
    """One line that says what it is."""
    description: str = ""
    """What more there is to say about it."""
    source: str = ""
    """Where its figures come from."""
    streams: tuple[Stream, ...] = attrs.field(converter=_streams, validator=_unique)
    """What submits jobs."""


def _check_weights(leaves: tuple[str, ...], weights: tuple[float, ...]) -> None:
    if weights and len(weights) != len(leaves):
        raise ValueError(f"weights must be one for each of the {len(leaves)} leaves named, not {len(weights)}")
    if not all(0 <= weight <= 1e6 for weight in weights):
        raise ValueError(f"weights must be between 0 and 1000000, not {weights!r}")


def with_sizes_up_to(streams: tuple[Stream, ...], gpus: int) -> tuple[Stream, ...]:
    """Return the streams without the sizes of more GPUs; what asked for these asks for the others, by their weights.

    Raises ValueError where a kind would have no size left.
    """
    made = []
    for stream in streams:
        if not isinstance(stream, RecordedStream):
            kinds = []
            for kind in stream.kinds:
                small = tuple(size for size in kind.sizes if size.gpus <= gpus)
                if not any(size.weight > 0 for size in small):
                    smallest = min(size.gpus for size in kind.sizes if size.weight > 0)
                    raise ValueError(
                        f"sizes_up_to must leave a size to kind {kind.name!r}, whose smallest is {smallest}, not {gpus!r}"
                    )
                kinds.append(attrs.evolve(kind, sizes=small))
            stream = attrs.evolve(stream, kinds=tuple(kinds))
        made.append(stream)
    return tuple(made)


def with_demand(streams: tuple[Stream, ...], demand: float) -> tuple[Stream, ...]:
    """Return the streams with every closed one at `demand` times its leaves' part of the cluster; open ones stay.

    Raises ValueError when there is more than one closed stream, since one number cannot say how they divide it.
    """
    closed = [stream for stream in streams if isinstance(stream, ClosedStream)]
    if len(closed) != 1:
        raise ValueError(f"demand can be set for a workload with one closed stream, and this one has {len(closed)}")
    return tuple(
        attrs.evolve(stream, demand=demand) if isinstance(stream, ClosedStream) else stream for stream in streams
    )
