"""From plain mappings and lists to frozen values, so that one reading finds every mistake.

Each field is read and checked by itself, in every object, whatever is wrong elsewhere. An object with a mistake in it
is kept as a *fragment*: an instance on which only what could be read is set. What must hold between fields, and between
the parts of a scenario, is then checked on the fragments too, as far as they go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import NoneType
from typing import Any, Literal, TypeVar, get_args, get_origin

import attrs

from allotment import fleet
from allotment.errors import ValueProblems
from allotment.fleet import Fleet
from allotment.interop.leaves import UnfitError, reader
from allotment.interop.problems import Problems, nearest, shown
from allotment.model import plan
from allotment.model.checks import Where
from allotment.model.plan import Plan
from allotment.model.typed import classes_of, hints_of
from allotment.scenario import Scenario, contradictions

T = TypeVar("T")
Checks = Callable[[Any], Iterator[tuple[Where, str]]]

_BETWEEN_FIELDS: Mapping[type, Checks] = {
    Plan: plan.contradictions,
    Scenario: contradictions,
    Fleet: fleet.contradictions,
}
TAG = "type"  # the field that tells which of several classes a mapping stands for


@attrs.frozen
class Ready:
    """A value that is already there, such as a preset, where a file would have a mapping."""

    value: Any


class Unread:
    """Stands for what could not be read at all."""


UNREAD = Unread()


def read(cls: type[T], raw: Any, problems: Problems, where: Where = ()) -> T | None:
    """Return the value of a class of attrs that plain data stand for, or None with every reason in `problems`."""
    value, whole = _read(cls, raw, where, str(where[-1]) if where else cls.__name__.lower(), problems)
    return value if whole and isinstance(value, cls) else None


def _read(type_: Any, raw: Any, where: Where, name: str, problems: Problems) -> tuple[Any, bool]:
    """Return the value and whether it is whole; if not, it is a fragment or UNREAD, and `problems` says why."""
    if isinstance(raw, Ready):
        return raw.value, True
    if raw is UNREAD:
        return UNREAD, False
    options = classes_of(type_)
    if raw is None and NoneType in options:
        return None, True
    options = tuple(option for option in options if option is not NoneType)
    if any(attrs.has(option) for option in options):
        return _read_object(options, raw, where, name, problems)
    if get_origin(options[0]) is tuple:
        return _read_tuple(get_args(options[0])[0], raw, where, name, problems)
    try:
        return reader().structure(raw, options[0]), True
    except UnfitError as error:
        problems.add(where, f"{name} {error}")
        return UNREAD, False


def tag_of(cls: type) -> str | None:
    """Return what the field ``type`` of a class says, where the class has one."""
    hint = hints_of(cls).get(TAG)
    return str(get_args(hint)[0]) if get_origin(hint) is Literal else None


def _read_tuple(item: Any, raw: Any, where: Where, name: str, problems: Problems) -> tuple[Any, bool]:
    if not isinstance(raw, list | tuple):
        problems.add(where, f"{name} must be a list, not {shown(raw)}")
        return UNREAD, False
    read_items = [_read(item, part, (*where, index), f"{name}[{index}]", problems) for index, part in enumerate(raw)]
    whole = all(ok for _, ok in read_items)
    objects = any(attrs.has(option) for option in classes_of(item))
    if not whole and not objects:
        return UNREAD, False
    return tuple(value for value, _ in read_items), whole


def _read_object(options: tuple[Any, ...], raw: Any, where: Where, name: str, problems: Problems) -> tuple[Any, bool]:
    if not isinstance(raw, dict):
        problems.add(where, f"{name} must be a mapping, not {shown(raw)}")
        return UNREAD, False
    cls = options[0]
    if len(options) > 1:
        tags = {tag_of(option): option for option in options}
        tag = raw.get(TAG)
        if not isinstance(tag, str) or tag not in tags:
            said = f"not {shown(tag)}{nearest(str(tag), map(str, tags))}" if TAG in raw else "and is missing"
            problems.add(where, f"type must be one of {', '.join(map(str, tags))}, {said}")
            meant = max(options, key=lambda option: len(raw.keys() & hints_of(option).keys()))
            tagged = {TAG: tag_of(meant)} | {key: value for key, value in raw.items() if key != TAG}
            return _read_fields(meant, tagged, where, problems)[0], False
        cls = tags[tag]
    return _read_fields(cls, raw, where, problems)


def _read_fields(cls: Any, raw: dict[str, Any], where: Where, problems: Problems) -> tuple[Any, bool]:
    before = len(problems)
    fields = {field.name: field for field in attrs.fields(cls)}
    hints = hints_of(cls)
    free = [name for name in fields if name not in raw]
    keys = {
        name: name for name in fields if name in raw
    }  # where the value of a field stands: under a misspelt key, too
    for key in raw:
        if key not in fields:
            hint = nearest(key, free or fields)
            keys |= {name: key for name in free if f"did you mean {name!r}" in hint}
            problems.add(where, f"unknown key {key!r}{hint}")
    values: dict[str, Any] = {}
    readable = all(key in fields for key in raw)
    for name, field in fields.items():
        if name in keys:
            place = (*where, keys[name])
            value, ok = _read(hints[name], raw[keys[name]], place, name, problems)
            ok = _valid(field, value, place, problems) and ok
            if ok or attrs.has(type(value)) or isinstance(value, tuple):
                values[name] = value
        else:
            ok = field.default is not attrs.NOTHING
            if not ok:
                problems.add(where, f"missing key {name!r}")
        readable = readable and ok
    if readable:
        made = _make(cls, values, where, problems)
        if made is not None:
            return made, len(problems) == before
    return _fragment(cls, values, keys, where, problems), False


def _valid(field: attrs.Attribute[Any], value: Any, where: Where, problems: Problems) -> bool:
    """Return whether a field's own converter and validator take the value; else the reason is in `problems`."""
    if value is UNREAD or attrs.has(type(value)):
        return value is not UNREAD
    if isinstance(value, tuple) and any(part is UNREAD for part in value):
        return False
    try:
        converter: Any = field.converter
        if converter is not None:
            value = converter(value)
        if field.validator is not None:
            field.validator(None, field, value)
    except AttributeError:  # a list that holds fragments; the object that holds it is one too
        return False
    except (ValueError, TypeError) as error:
        for text in _texts(error):
            problems.add(where, text)
        return False
    return True


def _make(cls: Any, values: Mapping[str, Any], where: Where, problems: Problems) -> Any:
    check = _BETWEEN_FIELDS.get(cls)
    try:
        return cls(**values)
    except (ValueError, TypeError) as error:
        if check is None:
            for text in _texts(error):
                problems.add(where, text)
    return None


def _fragment(cls: Any, values: Mapping[str, Any], keys: Mapping[str, str], where: Where, problems: Problems) -> Any:
    """Return an instance that has only what could be read, after checking between its fields what can be checked."""
    fragment = cls.__new__(cls)
    for field in attrs.fields(cls):
        if field.name in values:
            object.__setattr__(fragment, field.name, values[field.name])
        elif field.name not in keys and field.default is not attrs.NOTHING:
            default: Any = field.default
            try:
                made = default if not hasattr(default, "factory") else default.factory(*[fragment] * default.takes_self)
            except AttributeError:  # made of a field that could not be read
                continue
            object.__setattr__(fragment, field.name, made)
    check = _BETWEEN_FIELDS.get(cls)
    if check is not None:
        for place, text in check(fragment):
            problems.add((*where, *place), text)
    elif hasattr(fragment, "__attrs_post_init__"):
        try:
            fragment.__attrs_post_init__()
        except AttributeError:
            pass  # it needs what could not be read
        except (ValueError, TypeError) as error:
            for text in _texts(error):
                problems.add(where, text)
    return fragment


def _texts(error: Exception) -> tuple[str, ...]:
    """Return what an error of a converter or validator says; attrs' own put more than the text into it."""
    if isinstance(error, ValueProblems):
        return error.problems
    return (str(error.args[0]) if error.args else type(error).__name__,)
