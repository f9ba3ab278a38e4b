"""What a workload is, as plain values: the open, closed and recorded streams that submit jobs, and their kinds of work.

A stream names the leaves that submit it; each (stream, kind, leaf) draws from a generator of its own, keyed by the seed,
the stream's name, the kind's name and the leaf's id, so that nothing else in a scenario can change its jobs.
A scenario holds a tuple of streams; a file in `datasets/workloads/` holds a `Workload`, which gives them a name and a source.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from enum import IntEnum
from typing import Any, Literal

import attrs

from allotment.model.checks import Validator, at_least, between, one_line
from allotment.units import DAY, HOUR, MINUTE, Seconds
from allotment.workload.kinds import Contract, Kind, PriorityWeights, RunTime, Size, some_weight

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
]

_FLAT_DAY = (1.0,) * 24
_FLAT_WEEK = (1.0,) * 7
_FACTOR = between(0, 1_000)


def _factors(length: int) -> Validator:
    def check(_instance: Any, attribute: attrs.Attribute[Any], value: Any) -> None:
        if len(value) != length or not all(0 <= factor <= 1e6 for factor in value) or not any(value):
            raise ValueError(
                f"{attribute.name} must be {length} factors between 0 and 1000000, not all of them 0, not {value!r}"
            )

    return check


def _unique(_instance: Any, attribute: attrs.Attribute[Any], value: Any) -> None:
    names = [item if isinstance(item, str) else item.name for item in value]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ValueError(f"{attribute.name} must hold each name once; {twice[0]!r} is there twice")


def _floats(values: Iterable[float]) -> tuple[float, ...]:
    return tuple(float(value) for value in values)


def _strings(values: Iterable[str]) -> tuple[str, ...]:
    return tuple(values)


def _kinds(values: Iterable[Kind]) -> tuple[Kind, ...]:
    return tuple(values)


class Spread(IntEnum):
    """How a stream's level differs from leaf to leaf."""

    SHARE = 0  # in proportion to the leaf's share of the whole
    EACH = 1  # the same for each leaf


@attrs.frozen(kw_only=True)
class Cycle:
    """How arrivals follow the clock and the calendar of the scenario's time zone.

    `hours` are 24 factors from midnight, `days` seven from Monday; only their proportions matter, since they are scaled
    so that a week holds as many jobs as the stream says.
    """

    hours: tuple[float, ...] = attrs.field(default=_FLAT_DAY, converter=_floats, validator=_factors(24))
    days: tuple[float, ...] = attrs.field(default=_FLAT_WEEK, converter=_floats, validator=_factors(7))


@attrs.frozen(kw_only=True)
class Flurries:
    """Bursts of like jobs, as a script submits them: `per_week` of them a leaf, at any hour, on top of the arrivals.

    Each holds between `fewest` and `most` jobs of one user and one size, `spacing` seconds apart.
    """

    per_week: float = attrs.field(converter=float, validator=between(0, 10_000_000))
    fewest: int = attrs.field(default=100, validator=at_least(1))
    most: int = attrs.field(default=400, validator=at_least(1))
    spacing: Seconds = attrs.field(default=2, validator=at_least(0))

    def __attrs_post_init__(self) -> None:
        if self.fewest > self.most:
            raise ValueError(f"fewest must be at most most ({self.most}), not {self.fewest!r}")


@attrs.frozen(kw_only=True)
class OpenStream:
    """Jobs that arrive whatever the cluster does: a Poisson process with a daily and weekly cycle.

    `leaves` are ids of plan nodes; empty means every leaf. With the spread `share` a leaf gets `jobs_per_week` times its
    absolute share, with `each` it gets `jobs_per_week`; `weights`, one per leaf named, multiply that.
    `noise` k > 0 multiplies each hour's rate by a gamma variate of shape k and mean 1 (0: none; 1 is the noisiest).
    """

    type: Literal["open"] = attrs.field(default="open", validator=attrs.validators.in_(("open",)))
    name: str = attrs.field(validator=one_line())
    kinds: tuple[Kind, ...] = attrs.field(converter=_kinds, validator=[some_weight, _unique])
    leaves: tuple[str, ...] = attrs.field(default=(), converter=_strings, validator=_unique)
    weights: tuple[float, ...] = attrs.field(default=(), converter=_floats)
    spread: Spread = attrs.field(default=Spread.SHARE, converter=Spread)
    jobs_per_week: float = attrs.field(converter=float, validator=between(0, 10_000_000))
    cycle: Cycle = attrs.field(factory=Cycle)
    noise: int = attrs.field(default=0, validator=between(0, 64))
    flurries: Flurries | None = None
    source: str = ""

    def __attrs_post_init__(self) -> None:
        _check_weights(self.leaves, self.weights)


@attrs.frozen(kw_only=True)
class Swing:
    """How a team's demand changes: a factor uniform between `low` and `high`, held for `every` seconds on average."""

    every: Seconds = attrs.field(default=2 * DAY, validator=at_least(HOUR))
    low: float = attrs.field(default=0.5, converter=float, validator=_FACTOR)
    high: float = attrs.field(default=1.5, converter=float, validator=_FACTOR)

    def __attrs_post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError(f"low must be at most high ({self.high}), not {self.low!r}")


@attrs.frozen(kw_only=True)
class Step:
    """From `at` (seconds from the scenario's start) on, demand is `factor` times what the stream says."""

    at: Seconds = attrs.field(validator=at_least(0))
    factor: float = attrs.field(converter=float, validator=_FACTOR)


def _steps(values: Iterable[Step]) -> tuple[Step, ...]:
    return tuple(values)


@attrs.frozen(kw_only=True)
class ClosedStream:
    """Work that people keep outstanding (running or waiting): so many GPUs, more being submitted as work ends.

    The target of a leaf is `demand` times its absolute share times the cluster's GPUs (with the spread `each`: times an
    equal part of the cluster for each leaf of the plan), times its weight, divided over the kinds by their weights, and
    never below `least` GPUs for each kind. Each kind is held at its own target, so that the kind that waits longest
    does not crowd out the others. It changes over time by `steps` (the same for all leaves) and `swing` (drawn for each
    leaf before the run). Jobs ask at most `largest` times the leaf's part of the cluster.
    """

    type: Literal["closed"] = attrs.field(default="closed", validator=attrs.validators.in_(("closed",)))
    name: str = attrs.field(validator=one_line())
    kinds: tuple[Kind, ...] = attrs.field(converter=_kinds, validator=[some_weight, _unique])
    leaves: tuple[str, ...] = attrs.field(default=(), converter=_strings, validator=_unique)
    weights: tuple[float, ...] = attrs.field(default=(), converter=_floats)
    spread: Spread = attrs.field(default=Spread.SHARE, converter=Spread)
    demand: float = attrs.field(converter=float, validator=_FACTOR)
    swing: Swing | None = None
    steps: tuple[Step, ...] = attrs.field(default=(), converter=_steps)
    largest: float = attrs.field(default=4.0, converter=float, validator=_FACTOR)
    least: int = attrs.field(default=0, validator=at_least(0))
    source: str = ""

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


@attrs.frozen(kw_only=True)
class RecordedStream:
    """Jobs out of a table of real ones; what it does not say about them is taken from here.

    `path` is a CSV (also .gz) or Parquet file, relative to the scenario file. `origin` is where the scenario starts on the
    file's clock (seconds); None is 0, or for times of an epoch the midnight, UTC, before the first job.
    The columns and the rule for contracts are written down in `allotment.workload.recorded`.
    """

    type: Literal["recorded"] = attrs.field(default="recorded", validator=attrs.validators.in_(("recorded",)))
    name: str = attrs.field(default="recorded", validator=one_line())
    path: str = attrs.field(validator=one_line())
    origin: int | None = None
    contract: ContractRule = attrs.field(default=ContractRule.RUN_TIME, converter=ContractRule)
    short: Seconds = attrs.field(default=15 * MINUTE, validator=at_least(1))
    cap: Seconds = attrs.field(default=8 * HOUR, validator=at_least(1))
    resumable: bool = True
    checkpoint: Seconds = attrs.field(default=30 * MINUTE, validator=at_least(1))
    startup: Seconds = attrs.field(default=0, validator=at_least(0))
    restart: Seconds = attrs.field(default=5 * MINUTE, validator=at_least(0))
    preemptible: bool = True
    limit_factor: float = attrs.field(default=1.0, converter=float, validator=between(1, 1000))
    source: str = ""

    def __attrs_post_init__(self) -> None:
        if self.short > self.cap:
            raise ValueError(f"short must be at most the cap of {self.cap} s, not {self.short!r}")


Stream = OpenStream | ClosedStream | RecordedStream


def _streams(values: Iterable[Stream]) -> tuple[Stream, ...]:
    return tuple(values)


@attrs.frozen(kw_only=True)
class Workload:
    """Streams under one name, as a file in `datasets/workloads/` holds them."""

    name: str = attrs.field(validator=one_line())
    title: str = ""
    description: str = ""
    source: str = ""
    streams: tuple[Stream, ...] = attrs.field(converter=_streams, validator=_unique)


def _check_weights(leaves: tuple[str, ...], weights: tuple[float, ...]) -> None:
    if weights and len(weights) != len(leaves):
        raise ValueError(f"weights must be one for each of the {len(leaves)} leaves named, not {len(weights)}")
    if not all(0 <= weight <= 1e6 for weight in weights):
        raise ValueError(f"weights must be between 0 and 1000000, not {weights!r}")


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
