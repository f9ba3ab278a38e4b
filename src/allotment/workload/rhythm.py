"""How the level of a stream changes, as plain values: from leaf to leaf, with the clock, in bursts, and over time."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from typing import Any

import attrs

from allotment.model.checks import at_least, between
from allotment.model.typed import typed
from allotment.units import DAY, HOUR, Seconds

_FLAT_DAY = (1.0,) * 24
_FLAT_WEEK = (1.0,) * 7
FACTOR = between(0, 1_000)


@attrs.frozen
class Factors:
    """A validator that wants so many factors, not all of them 0."""

    length: int

    def __call__(self, _instance: Any, attribute: attrs.Attribute[Any], value: Any) -> None:
        """Raise ValueError for anything else."""
        if len(value) != self.length or not all(0 <= factor <= 1e6 for factor in value) or not any(value):
            raise ValueError(
                f"{attribute.name} must be {self.length} factors between 0 and 1000000, not all of them 0, not {value!r}"
            )


def floats(values: Iterable[float]) -> tuple[float, ...]:
    """Return numbers as a tuple of floats."""
    return tuple(float(value) for value in values)


class Spread(IntEnum):
    """How a stream's level differs from leaf to leaf."""

    SHARE = 0  # in proportion to the leaf's share of the whole
    EACH = 1  # the same for each leaf


@attrs.frozen(kw_only=True, field_transformer=typed)
class Cycle:
    """How arrivals follow the clock and the calendar of the scenario's time zone.

    Only the proportions matter: the factors are scaled so that a week holds as many jobs as the stream says.
    """

    hours: tuple[float, ...] = attrs.field(default=_FLAT_DAY, converter=floats, validator=Factors(24))
    """24 factors, one for each hour from midnight on."""
    days: tuple[float, ...] = attrs.field(default=_FLAT_WEEK, converter=floats, validator=Factors(7))
    """Seven factors, one for each day from Monday on."""


@attrs.frozen(kw_only=True, field_transformer=typed)
class Flurries:
    """Bursts of like jobs, of one user and one size, as a script submits them: at any hour, on top of the arrivals."""

    per_week: float = attrs.field(converter=float, validator=between(0, 10_000_000))
    """How many bursts of each leaf there are in a week, on average."""
    fewest: int = attrs.field(default=100, validator=at_least(1))
    """The fewest jobs that a burst holds."""
    most: int = attrs.field(default=400, validator=at_least(1))
    """The most jobs that a burst holds."""
    spacing: Seconds = attrs.field(default=2, validator=at_least(0))
    """The time between two of its jobs."""

    def __attrs_post_init__(self) -> None:
        if self.fewest > self.most:
            raise ValueError(f"fewest must be at most most ({self.most}), not {self.fewest!r}")


@attrs.frozen(kw_only=True, field_transformer=typed)
class Swing:
    """How a team's demand changes: by a factor, uniform between two bounds, that is held for a time."""

    every: Seconds = attrs.field(default=2 * DAY, validator=at_least(HOUR))
    """How long a factor is held on average."""
    low: float = attrs.field(default=0.5, converter=float, validator=FACTOR)
    """The least factor."""
    high: float = attrs.field(default=1.5, converter=float, validator=FACTOR)
    """The largest factor."""

    def __attrs_post_init__(self) -> None:
        if self.low > self.high:
            raise ValueError(f"low must be at most high ({self.high}), not {self.low!r}")


@attrs.frozen(kw_only=True, field_transformer=typed)
class Step:
    """A change of the demand of all leaves."""

    at: Seconds = attrs.field(validator=at_least(0))
    """From when on, counted from the scenario's start."""
    factor: float = attrs.field(converter=float, validator=FACTOR)
    """How many times what the stream says is wanted from then on."""
