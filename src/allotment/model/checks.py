"""Validators of single fields: each names the field, the value and what would do."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import attrs

from allotment.model.shares import format_share

Where = tuple[str | int, ...]  # fields and positions, from a value down to the part of it that is meant
Validator = Callable[[Any, "attrs.Attribute[Any]", Any], None]

FEWEST = "fewest"  # in the metadata of a field: so many items at least, as its class checks
NOT_EMPTY: Mapping[str, int] = {FEWEST: 1}


@attrs.frozen
class Bounds:
    """A validator that wants a number from `low` to `high`, both included; None is no bound, and passes."""

    low: int
    high: int | None = None

    def __call__(self, _instance: Any, attribute: attrs.Attribute[Any], value: Any) -> None:
        """Raise ValueError for a number out of the bounds."""
        if value is None or (value >= self.low and (self.high is None or value <= self.high)):
            return
        bounds = f"at least {self.low}" if self.high is None else f"between {self.low} and {self.high}"
        raise ValueError(f"{attribute.name} must be {bounds}, not {_shown(value)}")


def at_least(bound: int) -> Bounds:
    """Return a validator that wants a number of at least `bound`; None passes."""
    return Bounds(bound)


def between(low: int, high: int) -> Bounds:
    """Return a validator that wants a number from `low` to `high`, both included; None passes."""
    return Bounds(low, high)


def finite(_instance: Any, attribute: attrs.Attribute[Any], value: Any) -> None:
    """Want a number that is neither infinite nor not a number."""
    if not math.isfinite(value):
        raise ValueError(f"{attribute.name} must be a finite number, not {value!r}")


@attrs.frozen
class Line:
    """A validator that wants some printable text on one line, without spaces at its ends and without `without`."""

    longest: int = 200
    without: str = ""

    def __call__(self, _instance: Any, attribute: attrs.Attribute[Any], value: Any) -> None:
        """Raise ValueError for any other text."""
        name = attribute.name
        if not isinstance(value, str) or not value or value != value.strip() or not value.isprintable():
            raise ValueError(f"{name} must be printable text on one line, not {value!r}")
        if len(value) > self.longest:
            raise ValueError(f"{name} must have at most {self.longest} characters, not {len(value)}")
        if self.without and self.without in value:
            raise ValueError(
                f"{name} must not hold {self.without!r}, which joins the names of a path, as {value!r} does"
            )


def one_line(longest: int = 200) -> Line:
    """Return a validator that wants some printable text on one line, without spaces at its ends."""
    return Line(longest)


def known(thing: Any, *path: str) -> Any:
    """Return the attribute at the end of a path of attributes, None where there is none (yet)."""
    for name in path:
        thing = getattr(thing, name, None)
    return thing


def known_items(thing: Any, name: str) -> tuple[Any, ...]:
    """Return what a tuple attribute holds, as far as it is there."""
    return tuple(known(thing, name) or ())


def _shown(value: Any) -> str:
    return format_share(value) if isinstance(value, Fraction) else repr(value)
