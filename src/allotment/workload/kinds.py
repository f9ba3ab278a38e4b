"""Kinds of work, as plain values: what their jobs ask for, how long they run, and how they bear being stopped."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import attrs

from allotment.model.checks import at_least, between, one_line
from allotment.model.typed import typed
from allotment.units import DAY, MINUTE, Seconds

WEIGHT = between(0, 1_000_000)


def some_weight(_instance: Any, attribute: attrs.Attribute[Any], value: Any) -> None:
    """Want an item that can be picked."""
    if not any(item.weight > 0 for item in value):
        raise ValueError(f"{attribute.name} must hold at least one item with a weight above 0")


@attrs.frozen(kw_only=True, field_transformer=typed)
class Size:
    """A number of GPUs that jobs of a kind ask for, and how often (relative to the other sizes)."""

    gpus: int = attrs.field(validator=at_least(1))
    """The GPUs that are asked for; above one node, whole nodes are taken."""
    weight: float = attrs.field(default=1.0, converter=float, validator=WEIGHT)
    """How often, relative to the other sizes."""


def _sizes(values: Iterable[Size]) -> tuple[Size, ...]:
    return tuple(values)


@attrs.frozen(kw_only=True, field_transformer=typed)
class Contract:
    """A minimum runtime that jobs of a kind ask for (seconds), and how often."""

    min_runtime: Seconds = attrs.field(default=0, validator=at_least(0))
    """The time during which nobody may displace the job; 0 asks none. At most the cap of the policy."""
    weight: float = attrs.field(default=1.0, converter=float, validator=WEIGHT)
    """How often, relative to the other contracts."""


def _contracts(values: Iterable[Contract]) -> tuple[Contract, ...]:
    return tuple(values)


@attrs.frozen(kw_only=True, field_transformer=typed)
class PriorityWeights:
    """How often jobs of a kind are marked with each priority (relative weights)."""

    low: float = attrs.field(default=0.0, converter=float, validator=WEIGHT)
    """The relative weight of the priority `low`."""
    normal: float = attrs.field(default=0.0, converter=float, validator=WEIGHT)
    """The relative weight of the priority `normal`."""
    high: float = attrs.field(default=0.0, converter=float, validator=WEIGHT)
    """The relative weight of the priority `high`."""
    urgent: float = attrs.field(default=0.0, converter=float, validator=WEIGHT)
    """The relative weight of the priority `urgent`."""

    def __attrs_post_init__(self) -> None:
        if not any((self.low, self.normal, self.high, self.urgent)):
            raise ValueError("priorities must give at least one of low, normal, high and urgent a weight above 0")


@attrs.frozen(kw_only=True, field_transformer=typed)
class RunTime:
    """How long jobs run at full speed: log-normal, kept within bounds; and how many of them die early instead.

    Nobody knows before that a job will die early, so these ask the same GPUs, contract and time limit as the others.
    """

    median: Seconds = attrs.field(validator=at_least(1))
    """Half of the jobs run longer."""
    sigma: float = attrs.field(default=1.0, converter=float, validator=between(0, 5))
    """The standard deviation of the natural logarithm: 1.0 puts nine in ten below 3.6 medians, 2.0 below 13."""
    shortest: Seconds = attrs.field(default=10, validator=at_least(1))
    """No job runs shorter."""
    longest: Seconds = attrs.field(default=14 * DAY, validator=at_least(1))
    """No job runs longer."""
    early_failures: float = attrs.field(default=0.0, converter=float, validator=between(0, 1))
    """The part of the jobs that dies early."""
    early_median: Seconds = attrs.field(default=3 * MINUTE, validator=at_least(1))
    """Half of those that die early run longer."""
    early_sigma: float = attrs.field(default=1.0, converter=float, validator=between(0, 5))
    """The standard deviation of the natural logarithm of how long they run."""

    def __attrs_post_init__(self) -> None:
        if self.shortest > self.longest:
            raise ValueError(f"shortest must be at most longest ({self.longest} s), not {self.shortest!r}")


@attrs.frozen(kw_only=True, field_transformer=typed)
class Kind:
    """A kind of work: what its jobs ask for, how long they run, and how they bear being stopped."""

    name: str = attrs.field(validator=one_line())
    """What the kind is called; its jobs are drawn from a generator keyed by it."""
    weight: float = attrs.field(default=1.0, converter=float, validator=WEIGHT)
    """The kind's part of its stream: of the jobs of an open one, of the outstanding GPUs of a closed one."""
    sizes: tuple[Size, ...] = attrs.field(converter=_sizes, validator=some_weight)
    """The GPUs that its jobs ask for; each size must fit on the cluster."""
    run_time: RunTime
    """How long its jobs run."""
    contracts: tuple[Contract, ...] = attrs.field(default=(Contract(),), converter=_contracts, validator=some_weight)
    """The minimum runtimes that its jobs ask for; by default none."""
    resumable: float = attrs.field(default=1.0, converter=float, validator=between(0, 1))
    """The part of the jobs that keep their last checkpoint when stopped."""
    checkpoint: Seconds = attrs.field(default=30 * MINUTE, validator=at_least(1))
    """The time between two checkpoints."""
    startup: Seconds = attrs.field(default=MINUTE, validator=at_least(0))
    """How long a job holds its GPUs before its work begins."""
    restart: Seconds = attrs.field(default=5 * MINUTE, validator=at_least(0))
    """The same for a job that starts again after it was stopped."""
    priorities: PriorityWeights = attrs.field(factory=lambda: PriorityWeights(normal=1.0))
    """How often its jobs are marked with each priority."""
    preemptible: float = attrs.field(default=1.0, converter=float, validator=between(0, 1))
    """The part not marked "do not preempt"; only policies without contracts look at it."""
    limit_factor: float = attrs.field(default=3.0, converter=float, validator=between(1, 1000))
    """The time limit asked for is at most so many times the run time (uniform from 1), rounded up to a customary one."""
    users: int = attrs.field(default=10, validator=between(1, 100_000))
    """How many people of each leaf submit it."""
    user_skew: float = attrs.field(default=1.0, converter=float, validator=between(0, 10))
    """The r-th of them submits in proportion to r ** -user_skew; 0 makes them all alike."""
    interactive: bool = False
    """Whether its jobs are sessions that somebody sits at; a summary tells how long one was protected at most."""
    source: str = ""
    """Where its figures come from."""
