"""The types of fields, checked: what is given must be what the annotation says, or the error says what would do.

A class takes part by `attrs.frozen(kw_only=True, field_transformer=typed)`. Its converters run first, and what they
cannot convert is told in the same words. Scalars of numpy become those of Python.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from enum import IntEnum
from fractions import Fraction
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import attrs
import numpy as np

from allotment.units import Seconds

_SHORT = 80  # characters of a value that is shown
_WORDS: dict[Any, str] = {
    bool: "True or False",
    int: "a whole number",
    float: "a number",
    str: "a text",
    Fraction: "a share such as 0.25 or '1/3'",
    datetime: "a datetime",
    Seconds: "a whole number of seconds",
    NoneType: "None",
}
_WAYS_OUT = {  # what gives a value of a class that people know by a name
    "Cluster": "allotment.load_cluster gives one, by the name of a preset, a file, or a size such as '64x8'",
    "Plan": "allotment.load_plan gives one, by the name of a preset or a file",
    "Policy": "allotment.load_policy gives one, by the name of a preset or a file",
}


def typed(cls: type, fields: list[attrs.Attribute[Any]]) -> list[attrs.Attribute[Any]]:
    """Return the fields of a class of attrs with their types checked: a field transformer."""
    return [
        field.evolve(
            converter=_converting(cls, field),
            validator=attrs.validators.and_(_checking(cls), *([] if field.validator is None else [field.validator])),
        )
        for field in fields
    ]


@cache
def hints_of(cls: type) -> dict[str, Any]:
    """Return the types of the fields of a class, those of durations still told apart."""
    return get_type_hints(cls, include_extras=True)


def classes_of(type_: Any) -> tuple[Any, ...]:
    """Return the members of a union, or the type itself."""
    return get_args(type_) if get_origin(type_) in (Union, UnionType) else (type_,)


def _converting(cls: type, field: attrs.Attribute[Any]) -> Callable[[Any], Any]:
    name = field.name
    inner: Any = field.converter

    def convert(value: Any) -> Any:
        if isinstance(value, np.generic):
            value = value.item()
        if inner is None:
            return value
        type_ = hints_of(cls)[name]
        if isinstance(value, str) and get_origin(type_) is tuple:  # its letters are not what is meant
            raise _misfit(name, type_, value)
        try:
            return inner(value)
        except (TypeError, ValueError, OverflowError):
            raise _misfit(name, type_, value) from None

    return convert


def _checking(cls: type) -> Callable[[Any, attrs.Attribute[Any], Any], None]:
    def check(_instance: Any, attribute: attrs.Attribute[Any], value: Any) -> None:
        for name, type_, part in _misfits(attribute.name, hints_of(cls)[attribute.name], value):
            raise _misfit(name, type_, part)

    return check


def _misfits(name: str, type_: Any, value: Any) -> Iterator[tuple[str, Any, Any]]:
    if get_origin(type_) is tuple and isinstance(value, tuple):
        for place, part in enumerate(value):
            yield from _misfits(f"{name}[{place}]", get_args(type_)[0], part)
    elif not any(_fits(option, value) for option in classes_of(type_)):
        yield name, type_, value


def bare(type_: Any) -> Any:
    """Return a type without the mark that tells it from others of its kind, such as that of a weight; Seconds keep it."""
    return type_.__origin__ if hasattr(type_, "__metadata__") and type_ != Seconds else type_


def _fits(type_: Any, value: Any) -> bool:
    type_ = bare(type_)
    if get_origin(type_) == Literal:
        return value in get_args(type_)
    if type_ in (int, float, Seconds):
        return isinstance(value, int if type_ is not float else int | float) and not isinstance(value, bool)
    return isinstance(value, type_) and not (type_ is str and _is_broken(value))


def _is_broken(text: str) -> bool:
    """Return whether a text holds half a character, as JSON can: nothing that it is in could be written or sent."""
    return not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text)


def _misfit(name: str, type_: Any, value: Any) -> ValueError:
    shown = repr(value)
    shown = shown if len(shown) <= _SHORT else f"{shown[: _SHORT - 3]}..."
    ways = [way for option in classes_of(type_) if (way := _way_out(option, value))]
    return ValueError("; ".join([f"{name} must be {wanted(type_)}, not {shown}", *ways]))


def wanted(type_: Any) -> str:
    """Return what a type takes, in words.

    >>> wanted(int | None), wanted(tuple[str, ...])
    ('a whole number or None', 'a tuple in which each is a text')
    """
    if get_origin(type_) is tuple:
        return f"a tuple in which each is {wanted(get_args(type_)[0])}"
    options = classes_of(type_)
    if len(options) > 1:
        return " or ".join(wanted(option) for option in options)
    type_ = bare(type_)
    if get_origin(type_) == Literal:
        return " or ".join(repr(option) for option in get_args(type_))
    if type_ in _WORDS:
        return _WORDS[type_]
    if issubclass(type_, IntEnum):
        return "one of " + ", ".join(f"{type_.__name__}.{member.name}" for member in type_)
    return f"{'an' if type_.__name__[0] in 'AEIOU' else 'a'} {type_.__name__}"


def _way_out(type_: Any, value: Any) -> str:
    if type_ == Seconds and isinstance(value, str):
        return "allotment.units.parse_duration reads '8h' and the like"
    if type_ is str and isinstance(value, str):
        return "it holds half of a character, which no file can; leave that out"
    return _WAYS_OUT.get(getattr(type_, "__name__", ""), "")
