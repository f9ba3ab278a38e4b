"""The smallest parts of a file, in and out: numbers, durations, shares, moments and choices.

Each type has one hook of cattrs that says what it wants ("must be ..."), and one that writes it back.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from enum import IntEnum
from fractions import Fraction
from functools import cache
from pathlib import PurePath
from typing import Any, Literal, get_args, get_origin

import attrs
import cattrs
from cattrs.gen import make_dict_unstructure_fn

from allotment.interop.problems import nearest, shown
from allotment.model.shares import exact_share, format_share
from allotment.units import Seconds, format_duration, parse_duration


class UnfitError(ValueError):
    """A value that a type does not take; the text goes on after the name of the field."""


def _wanted(what: str, value: object) -> UnfitError:
    return UnfitError(f"must be {what}, not {shown(value)}")


def _integer(value: Any, _: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise _wanted("a whole number", value)
    if abs(value) >= 2**63:
        raise _wanted("a number that fits in 64 bits", value)
    return value


def _float(value: Any, _: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise _wanted("a number", value)
    try:
        number = float(value)
    except (OverflowError, ValueError):  # an enormous integer, a signalling NaN
        number = math.inf
    if not math.isfinite(number):
        raise _wanted("a finite number", value)
    return number


def _boolean(value: Any, _: Any) -> bool:
    if not isinstance(value, bool):
        raise _wanted("true or false", value)
    return value


def _string(value: Any, _: Any) -> str:
    if not isinstance(value, str):
        hint = " (put it in quotes)" if isinstance(value, int | Decimal) else ""
        raise UnfitError(f"must be a text, not {shown(value)}{hint}")
    return value


def _share(value: Any, _: Any) -> Fraction:
    try:
        return exact_share(value)
    except ValueError:
        raise _wanted("a number such as 0.25, or a fraction such as '1/3'", value) from None


def _duration(value: Any, _: Any) -> int:
    try:
        return parse_duration(value)
    except (ValueError, TypeError):
        raise _wanted("a duration such as '8h', '15m' or '7d', or a whole number of seconds", value) from None


def _moment(value: Any, _: Any) -> datetime:
    try:
        return datetime.fromisoformat(value)
    except (ValueError, TypeError):
        raise _wanted("a date and time such as '2026-01-05T00:00:00'", value) from None


def _choice(value: Any, cls: type[IntEnum]) -> IntEnum:
    names = {member.name.lower(): member for member in cls}
    word = value.lower().replace("-", "_") if isinstance(value, str) else value
    if not isinstance(word, str) or word not in names:
        hint = nearest(value, names) if isinstance(value, str) else ""
        raise UnfitError(f"must be one of {', '.join(names)}, not {shown(value)}{hint}")
    return names[word]


def _constant(value: Any, type_: Any) -> Any:
    if value not in get_args(type_):
        raise _wanted(" or ".join(repr(option) for option in get_args(type_)), value)
    return value


def _is_choice(type_: Any) -> bool:
    return isinstance(type_, type) and issubclass(type_, IntEnum)


def _is_constant(type_: Any) -> bool:
    return bool(get_origin(type_) == Literal)


@cache
def reader() -> cattrs.Converter:
    """Return a converter that reads the smallest parts, and raises UnfitError."""
    converter = cattrs.Converter()
    hooks: dict[Any, Callable[[Any, Any], Any]] = {
        int: _integer,
        float: _float,
        bool: _boolean,
        str: _string,
        Fraction: _share,
        datetime: _moment,
    }
    for type_, hook in hooks.items():
        converter.register_structure_hook(type_, hook)
    converter.register_structure_hook_func(lambda type_: type_ == Seconds, _duration)
    converter.register_structure_hook(IntEnum, _choice)
    converter.register_structure_hook_func(_is_constant, _constant)
    return converter


def write_share(share: Fraction) -> int | float | str:
    """Return a share as a number where that is exact, else as a text such as "1/3"."""
    text = format_share(share)
    if "/" in text:
        return text
    return int(text) if text.isdigit() else float(text)


def _write_float(number: float) -> int | float:
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


@cache
def writer() -> cattrs.Converter:
    """Return a converter that turns values into plain mappings, lists and scalars.

    A field is left out only where it is its default and empty (null, an empty text or list), or follows from another
    field (a name from an id): a file stands by itself, and a default that changes one day does not change what it says.
    """
    converter = cattrs.Converter(unstruct_collection_overrides={tuple: list})
    converter.register_unstructure_hook(Fraction, write_share)
    converter.register_unstructure_hook(float, _write_float)
    converter.register_unstructure_hook(datetime, lambda moment: moment.isoformat())
    converter.register_unstructure_hook(PurePath, str)
    converter.register_unstructure_hook_func(lambda type_: type_ == Seconds, format_duration)
    converter.register_unstructure_hook_func(_is_choice, lambda member: member.name.lower())
    converter.register_unstructure_hook_factory(attrs.has, lambda cls: _object_writer(cls, converter))
    return converter


def _object_writer(cls: Any, converter: cattrs.Converter) -> Callable[[Any], dict[str, Any]]:
    whole = make_dict_unstructure_fn(cls, converter)
    fields = attrs.fields(cls)

    def write(value: Any) -> dict[str, Any]:
        plain = whole(value)
        for field in fields:
            held, default = getattr(value, field.name), field.default
            follows = getattr(default, "takes_self", False) and held == default.factory(value)
            if follows or (held in (None, "", ()) and held == default):
                del plain[field.name]
        return plain

    return write
