"""Validators of single fields: each names the field, the value and what would do."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import attrs

from allotment.model.shares import format_share

Where = tuple[str | int, ...]  # fields and positions, from a value down to the part of it that is meant
Validator = Callable[[Any, "attrs.Attribute[Any]", Any], None]


def at_least(bound: int) -> Validator:
    """Return a validator that wants a number of at least `bound`; None passes."""

    def check(_instance: Any, attribute: attrs.Attribute[Any], value: Any) -> None:
        if value is not None and not value >= bound:
            raise ValueError(f"{attribute.name} must be at least {bound}, not {_shown(value)}")

    return check


def between(low: int, high: int) -> Validator:
    """Return a validator that wants a number from `low` to `high`, both included; None passes."""

    def check(_instance: Any, attribute: attrs.Attribute[Any], value: Any) -> None:
        if value is not None and not low <= value <= high:
            raise ValueError(f"{attribute.name} must be between {low} and {high}, not {_shown(value)}")

    return check


def finite(_instance: Any, attribute: attrs.Attribute[Any], value: Any) -> None:
    """Want a number that is neither infinite nor not a number."""
    if not math.isfinite(value):
        raise ValueError(f"{attribute.name} must be a finite number, not {value!r}")


def one_line(longest: int = 200) -> Validator:
    """Return a validator that wants some printable text on one line, without spaces at its ends."""

    def check(_instance: Any, attribute: attrs.Attribute[Any], value: Any) -> None:
        if not isinstance(value, str) or not value or value != value.strip() or not value.isprintable():
            raise ValueError(f"{attribute.name} must be printable text on one line, not {value!r}")
        if len(value) > longest:
            raise ValueError(f"{attribute.name} must have at most {longest} characters, not {len(value)}")

    return check


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
