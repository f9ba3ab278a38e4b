"""What an intent asks for, read out of the dict that a browser sends, which may hold anything."""

from __future__ import annotations

import math
import reprlib
from collections.abc import Mapping
from typing import Any

from allotment.model.plan import ROOT
from allotment.views.plan_editor.draft import Draft, Refused
from allotment.views.plan_editor.family import OPEN

Asked = Mapping[str, Any]
_LONGEST = 500  # characters of a text that is taken


def text_of(asked: Asked, key: str) -> str:
    """Return a text of the intent. Raises Refused where there is none."""
    value = asked.get(key)
    if not isinstance(value, str):
        raise Refused(f"The intent {asked.get('type')!r} needs a text {key!r}, not {_short(value)}")
    if len(value) > _LONGEST:
        raise Refused(f"{_short(value)} is too long: {_LONGEST} characters are the most")
    if not all(letter.isprintable() or letter.isspace() for letter in value):
        raise Refused(f"{_short(value)} holds characters that cannot be seen: type {key!r} without them")
    return value


def number_of(asked: Asked, key: str) -> float:
    """Return a number of the intent. Raises Refused where there is none."""
    value = asked.get(key)
    # an int may be too large for a float, so its size comes first
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 1000 or not math.isfinite(value):
        raise Refused(f"The intent {asked.get('type')!r} needs a number {key!r}, not {_short(value)}")
    return value


def choice_of(asked: Asked, key: str, choices: Mapping[str, Any] | tuple[Any, ...]) -> Any:
    """Return one of the choices. Raises Refused for anything else."""
    value = asked.get(key)
    found = [choice for choice in choices if choice == value and type(choice) is type(value)]
    if not found:
        raise Refused(f"{key!r} must be one of {', '.join(map(repr, choices))}, not {_short(value)}")
    return found[0]


def node_of(draft: Draft, asked: Asked, key: str = "id") -> str:
    """Return the id of a node of the plan, neither the root nor an open part. Raises Refused."""
    found = text_of(asked, key)
    if found not in draft.plan.ids:
        raise Refused(f"There is no node {_short(found)} in the plan: it may have been removed; undo brings it back")
    return found


def parent_asked(draft: Draft, asked: Asked, key: str) -> str:
    """Return the id of a node of the plan or of the root. Raises Refused."""
    return ROOT if asked.get(key) == ROOT else node_of(draft, asked, key)


def member_of(draft: Draft, asked: Asked, key: str = "id") -> str:
    """Return the id of a node or of an open part. Raises Refused."""
    found = text_of(asked, key)
    if found.endswith(OPEN) and draft.plan.children_of(parent_asked(draft, {key: found.removesuffix(OPEN)}, key)):
        return found
    return node_of(draft, asked, key)


def _short(value: Any) -> str:
    shown = repr(value[:_LONGEST]) if isinstance(value, str) else reprlib.repr(value)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."
