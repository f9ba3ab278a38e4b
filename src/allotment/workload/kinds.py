"""Kinds of work, as plain values: what their jobs ask for, how long they run, and how they bear being stopped."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import attrs

from allotment.model.checks import at_least, between, one_line
from allotment.units import DAY, MINUTE, Seconds

WEIGHT = between(0, 1_000_000)


def some_weight(_instance: Any, attribute: attrs.Attribute[Any], value: Any) -> None:
    """Want an item that can be picked."""
    if not any(item.weight > 0 for item in value):
        raise ValueError(f"{attribute.name} must hold at least one item with a weight above 0")


@attrs.frozen(kw_only=True)
class Size:
    """A number of GPUs that jobs of a kind ask for, and how often (relative to the other sizes)."""

    gpus: int = attrs.field(validator=at_least(1))
    weight: float = attrs.field(default=1.0, converter=float, validator=WEIGHT)


def _sizes(values: Iterable[Size]) -> tuple[Size, ...]:
    return tuple(values)


@attrs.frozen(kw_only=True)
class Contract:
    """A minimum runtime that jobs of a kind ask for (seconds; 0 asks none), and how often."""

    min_runtime: Seconds = attrs.field(default=0, validator=at_least(0))
    weight: float = attrs.field(default=1.0, converter=float, validator=WEIGHT)


def _contracts(values: Iterable[Contract]) -> tuple[Contract, ...]:
    return tuple(values)


@attrs.frozen(kw_only=True)
class PriorityWeights:
    """How often jobs of a kind are marked with each priority (relative weights)."""

    low: float = attrs.field(default=0.0, converter=float, validator=WEIGHT)
    normal: float = attrs.field(default=0.0, converter=float, validator=WEIGHT)
    high: float = attrs.field(default=0.0, converter=float, validator=WEIGHT)
    urgent: float = attrs.field(default=0.0, converter=float, validator=WEIGHT)

    def __attrs_post_init__(self) -> None:
        if not any((self.low, self.normal, self.high, self.urgent)):
            raise ValueError("priorities must give at least one of low, normal, high and urgent a weight above 0")


@attrs.frozen(kw_only=True)
class RunTime:
    """How long jobs run at full speed: log-normal around `median`, kept within `shortest` and `longest` (seconds).

    `sigma` is the standard deviation of the natural logarithm: 1.0 puts nine in ten below 3.6 medians, 2.0 below 13.
    A part `early_failures` of the jobs dies early instead, log-normal around `early_median`; nobody knows that before,
    so these jobs ask the same GPUs, contract and time limit as the others.
    """

    median: Seconds = attrs.field(validator=at_least(1))
    sigma: float = attrs.field(default=1.0, converter=float, validator=between(0, 5))
    shortest: Seconds = attrs.field(default=10, validator=at_least(1))
    longest: Seconds = attrs.field(default=14 * DAY, validator=at_least(1))
    early_failures: float = attrs.field(default=0.0, converter=float, validator=between(0, 1))
    early_median: Seconds = attrs.field(default=3 * MINUTE, validator=at_least(1))
    early_sigma: float = attrs.field(default=1.0, converter=float, validator=between(0, 5))

    def __attrs_post_init__(self) -> None:
        if self.shortest > self.longest:
            raise ValueError(f"shortest must be at most longest ({self.longest} s), not {self.shortest!r}")


@attrs.frozen(kw_only=True)
class Kind:
    """A kind of work: what its jobs ask for, how long they run, and how they bear being stopped.

    `weight` is the kind's part of its stream: of the jobs of an open one, of the outstanding GPUs of a closed one.
    `resumable` is the part of the jobs that keep their last checkpoint when stopped. `preemptible` is the part that is
    not marked "do not preempt"; only policies without contracts look at it. The time limit a user asks for is at most
    `limit_factor` times the run time (uniform from 1), rounded up to a customary one.
    `users` people of each leaf submit it, the r-th of them in proportion to r ** -user_skew. `interactive` kinds are
    sessions that somebody sits at; a summary tells how long one was protected at most.
    """

    name: str = attrs.field(validator=one_line())
    weight: float = attrs.field(default=1.0, converter=float, validator=WEIGHT)
    sizes: tuple[Size, ...] = attrs.field(converter=_sizes, validator=some_weight)
    run_time: RunTime
    contracts: tuple[Contract, ...] = attrs.field(default=(Contract(),), converter=_contracts, validator=some_weight)
    resumable: float = attrs.field(default=1.0, converter=float, validator=between(0, 1))
    checkpoint: Seconds = attrs.field(default=30 * MINUTE, validator=at_least(1))
    startup: Seconds = attrs.field(default=MINUTE, validator=at_least(0))
    restart: Seconds = attrs.field(default=5 * MINUTE, validator=at_least(0))
    priorities: PriorityWeights = attrs.field(factory=lambda: PriorityWeights(normal=1.0))
    preemptible: float = attrs.field(default=1.0, converter=float, validator=between(0, 1))
    limit_factor: float = attrs.field(default=3.0, converter=float, validator=between(1, 1000))
    users: int = attrs.field(default=10, validator=between(1, 100_000))
    user_skew: float = attrs.field(default=1.0, converter=float, validator=between(0, 10))
    interactive: bool = False
    source: str = ""
