"""Writing YAML: the same value gives the same text, which reads back to the same value.

Short flat lists and mappings stand on one line, long texts are folded, and everything else has a line of its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from allotment.interop.yaml_reader import resolve

WIDTH = 110

_PLAIN = re.compile(r"[A-Za-z0-9_./][A-Za-z0-9_./+*()%;-]*( [A-Za-z0-9_./+*()%;'=<>-]+)*", re.ASCII)


def render(value: Mapping[str, Any]) -> str:
    """Return plain mappings, lists and scalars as a YAML document.

    >>> print(render({"name": "a", "shares": {"x": 0.5}, "log": [{"by": "1", "list": [1, 2]}]}), end="")
    name: a
    shares: {x: 0.5}
    log:
      - by: "1"
        list: [1, 2]
    """
    return "".join(f"{line}\n" for line in _mapping(value, 0)) if value else "{}\n"


def _mapping(mapping: Mapping[str, Any], indent: int) -> Iterator[str]:
    for key, item in mapping.items():
        yield from _entry(f"{' ' * indent}{_text(key)}:", item, indent + 2)


def _entry(start: str, item: Any, indent: int) -> Iterator[str]:
    line = _one_line(item)
    long = isinstance(item, Mapping | list | tuple) and item and len(start) + len(line or "") >= WIDTH
    if line is not None and not long:
        yield f"{start} {line}"
    elif isinstance(item, str):
        header, lines = _block(item, WIDTH - indent)
        yield f"{start} {header}"
        yield from (f"{' ' * indent}{line}" if line else "" for line in lines)
    elif isinstance(item, Mapping):
        yield start
        yield from _mapping(item, indent)
    else:
        yield start
        for part in item:
            yield from _item(part, indent)


def _item(part: Any, indent: int) -> Iterator[str]:
    dash = f"{' ' * indent}-"
    if isinstance(part, Mapping) and (_one_line(part) is None or len(_one_line(part) or "") + len(dash) >= WIDTH):
        first, *rest = _mapping(part, indent + 2)
        yield f"{dash} {first.lstrip(' ')}"
        yield from rest
    else:
        yield from _entry(dash, part, indent + 2)


def _one_line(value: Any) -> str | None:
    """Return the value as it stands on one line, or None if it should not."""
    if isinstance(value, str):
        return None if _block(value, WIDTH)[1] else _text(value)
    if isinstance(value, Mapping):
        if any(isinstance(item, Mapping | list | tuple) and item for item in value.values()):
            return None
        parts = [f"{_text(key)}: {_flat(item)}" for key, item in value.items()]
        return None if len(parts) > 6 else f"{{{', '.join(parts)}}}"
    if isinstance(value, list | tuple):
        if any(isinstance(item, Mapping | list | tuple) and item for item in value):
            return None
        return f"[{', '.join(_flat(item) for item in value)}]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return repr(value)  # int and float; a float's repr reads back to itself


def _flat(item: Any) -> str:
    return _text(item) if isinstance(item, str) else _one_line(item) or ""


def _text(text: str) -> str:
    """Return a text on one line, in quotes where without them it could be anything else."""
    if _PLAIN.fullmatch(text) and isinstance(resolve(text), str) and text not in ("---", "..."):
        return text
    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(
        letter
        if letter.isprintable()
        else f"\\u{ord(letter):04x}"
        if ord(letter) < 0x10000
        else f"\\U{ord(letter):08x}"
        for letter in quoted
    )


def _block(text: str, width: int) -> tuple[str, list[str]]:
    """Return the header and the lines of a text that is better written as a block; no lines if it is not."""
    body = text.removesuffix("\n")
    lines = body.split("\n")
    if not all(line.isprintable() for line in lines) or body != body.strip():
        return "", []
    end = "" if text.endswith("\n") else "-"
    if len(lines) > 1:
        return f"|{end}", lines
    words = body.split(" ")
    if len(body) <= WIDTH - 20 or end == "" or "" in words:
        return "", []
    folded = [words[0]]
    for word in words[1:]:
        if len(folded[-1]) + len(word) < width:
            folded[-1] += f" {word}"
        else:
            folded.append(word)
    return (">-", folded) if len(folded) > 1 else ("", [])
