"""Whole seconds and the short way people write them: ``"8h"`` is 28,800 seconds."""

from __future__ import annotations

import re
from typing import Annotated

Seconds = Annotated[int, "seconds"]  # a field of this type is written '8h' in files

SECOND = 1
MINUTE = 60
HOUR = 3_600
DAY = 86_400
WEEK = 604_800

_UNITS = {"w": WEEK, "d": DAY, "h": HOUR, "m": MINUTE, "s": SECOND}
_PART = re.compile(r"(\d+)\s*([wdhms])", re.ASCII)
_WHOLE = re.compile(r"\s*(?:\d+\s*[wdhms]\s*)+", re.ASCII)


def parse_duration(text: str | int) -> int:
    """Return whole seconds for ``"8h"``, ``"1d 12h"``, ``"90s"`` or a plain number of seconds.

    Raises ValueError for anything else, negative numbers and fractions included.

    >>> parse_duration("8h"), parse_duration("1d12h"), parse_duration(90)
    (28800, 129600, 90)
    """
    if isinstance(text, bool):
        raise ValueError(f"{text!r} is not a duration; write '8h', '15m', '7d' or a whole number of seconds")
    if isinstance(text, int):
        seconds = text
    elif isinstance(text, str) and text.strip().isascii() and text.strip().isdigit():
        seconds = int(text)
    elif isinstance(text, str) and _WHOLE.fullmatch(text):
        seconds = sum(int(number) * _UNITS[unit] for number, unit in _PART.findall(text))
    else:
        raise ValueError(f"{text!r} is not a duration; write '8h', '15m', '7d' or a whole number of seconds")
    if not 0 <= seconds < 2**53:
        raise ValueError(f"{text!r} is out of range; a duration is between 0 and 285 million years")
    return seconds


def format_duration(seconds: int) -> str:
    """Return the shortest exact way to write whole seconds, the inverse of :func:`parse_duration`.

    >>> format_duration(28800), format_duration(604800), format_duration(90), format_duration(0)
    ('8h', '7d', '90s', '0s')
    """
    for unit in ("d", "h", "m"):
        if seconds and seconds % _UNITS[unit] == 0:
            return f"{seconds // _UNITS[unit]}{unit}"
    return f"{seconds}s"
