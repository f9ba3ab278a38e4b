"""Reading YAML: plain mappings, lists and scalars of YAML 1.2, and nothing that could do anything.

Only the events of the parser are used, so no tag can make an object. `no`, `on` and `12:30` are texts, as YAML 1.2 has it.
Anchors, aliases, tags, repeated keys and more than one document are refused, each with its line.
Numbers with a point come as Decimal, so that a share is exactly what was typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentEndEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
    StreamStartEvent,
)

from allotment.errors import InputError
from allotment.interop.problems import Problems, shown
from allotment.model.checks import Where

LARGEST = 16_000_000  # bytes
DEEPEST = 256  # mappings and lists inside each other

_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INTEGER = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_MOST_DIGITS = 100


def read_file(path: Path) -> bytes:
    """Return a file's bytes. Raises InputError where there is none, or none that can be a scenario."""
    try:
        with path.open("rb") as file:
            found = file.read(LARGEST + 1)  # what is no plain file may have no size, and no end
    except FileNotFoundError:
        raise InputError(str(path), ["there is no such file"]) from None
    except IsADirectoryError:
        raise InputError(str(path), ["this is a folder; name a file in it"]) from None
    except (OSError, ValueError) as error:  # ValueError: a name that holds a zero byte
        raise InputError(str(path), [f"the file cannot be read: {getattr(error, 'strerror', None) or error}"]) from None
    if len(found) > LARGEST:
        raise InputError(str(path), [f"the file has more than {LARGEST:,} bytes; so many are read at most"])
    return found


def parse(text: str | bytes, source: str, problems: Problems) -> Any:
    """Return the plain value that the text holds; what is wrong but can be read past goes to `problems`.

    Raises InputError, with what was found till then, where nothing can be read any more.
    """
    try:
        decoded = text.decode("utf-8-sig") if isinstance(text, bytes) else text.removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise InputError(source, [f"the file is not UTF-8 text (byte {error.start}); save it as UTF-8"]) from None
    events = iter(YAML(typ="safe", pure=True).parse(decoded))
    try:
        return _document(events, source, problems)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        at = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        problems.add((), f"{at}this is no YAML: {error.problem or error.context}")
    except (YAMLError, ValueError, OverflowError, IndexError, AttributeError, AssertionError) as error:
        # the parser's own, for control characters and broken escapes
        problems.add((), f"this is no YAML: {' '.join(str(error).split())[:200] or type(error).__name__}")
    except _TooDeepError:
        problems.add((), f"the file is nested deeper than {DEEPEST} levels")
    problems.raise_if_any(source)
    return None


class _TooDeepError(Exception):
    pass


def _document(events: Iterator[Event], source: str, problems: Problems) -> Any:
    root: Any = None
    documents = 0
    for event in events:
        if isinstance(event, StreamStartEvent | StreamEndEvent | DocumentEndEvent):
            continue
        if isinstance(event, DocumentStartEvent):
            documents += 1
        elif documents == 1:
            root = _value(event, events, (), problems)
        else:
            problems.add((), f"{_line(event)}there is a second document; one file holds one")
            break
    if documents == 0:
        raise InputError(source, ["the file is empty"])
    return root


def _value(event: Any, events: Iterator[Event], where: Where, problems: Problems) -> Any:
    if len(where) > DEEPEST:
        raise _TooDeepError
    _refuse_decoration(event, where, problems)
    if isinstance(event, ScalarEvent):
        return _scalar(event, where, problems)
    if isinstance(event, SequenceStartEvent):
        items: list[Any] = []
        while not isinstance(inner := next(events), SequenceEndEvent):
            items.append(_value(inner, events, (*where, len(items)), problems))
        return items
    if isinstance(event, MappingStartEvent):
        return _mapping(events, where, problems)
    return None  # an alias, refused


def _mapping(events: Iterator[Event], where: Where, problems: Problems) -> dict[str, Any]:
    mapping: dict[str, Any] = {}
    lines: dict[str, int] = {}
    while not isinstance(event := next(events), MappingEndEvent):
        if isinstance(event, ScalarEvent):
            key = str(event.value)
            _refuse_decoration(event, (*where, key), problems)
        else:
            key = "?"
            problems.add(where, f"{_line(event)}a key must be a word")
            _value(event, events, (*where, key), problems)
        value = _value(next(events), events, (*where, key), problems)
        line = event.start_mark.line + 1
        if key in lines:
            problems.add(where, f"key {key!r} is there twice, on lines {lines[key]} and {line}")
        lines.setdefault(key, line)
        mapping.setdefault(key, value)
    return mapping


def _refuse_decoration(event: Any, where: Where, problems: Problems) -> None:
    if isinstance(event, AliasEvent):
        problems.add(where, f"{_line(event)}aliases such as '*{event.anchor}' are not read; write it out")
    elif event.anchor:
        problems.add(where, f"{_line(event)}anchors such as '&{event.anchor}' are not read; write it out")
    if getattr(event, "tag", None):
        problems.add(where, f"{_line(event)}tags such as {str(event.tag)!r} are not read; leave them out")


def _line(event: Any) -> str:
    return f"line {event.start_mark.line + 1}: "


def _scalar(event: ScalarEvent, where: Where, problems: Problems) -> Any:
    text = str(event.value)
    if not event.implicit[0] and not event.tag:  # quoted, or a block
        return text
    if len(text) > _MOST_DIGITS and not isinstance(resolve(text), str):
        problems.add(where, f"the number {shown(text)} has more than {_MOST_DIGITS} digits")
        return None
    return resolve(text)


def resolve(text: str) -> bool | int | Decimal | str | None:
    """Return what an unquoted word means by the core schema of YAML 1.2.

    >>> resolve("no"), resolve("012"), resolve("12:30"), resolve("0.1"), resolve("~")
    ('no', 12, '12:30', Decimal('0.1'), None)
    """
    if text in _NULLS:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if not _INTEGER.fullmatch(text) and not _FLOAT.fullmatch(text):
        return text
    if len(text) > _MOST_DIGITS:
        return Decimal("inf")  # too long to be worth converting, and no text
    base = {"0o": 8, "0x": 16}.get(text[:2])
    if base is not None or _INTEGER.fullmatch(text):
        return int(text[2:], base) if base else int(text)
    try:
        return Decimal(text.lower().replace(".inf", "inf").replace(".nan", "nan"))
    except InvalidOperation:  # an exponent beyond all bounds
        return Decimal("inf")
