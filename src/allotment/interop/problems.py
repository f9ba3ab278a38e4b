"""What is wrong with a file, collected: each problem with the place it is at and the nearest thing that would do."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator

from allotment.errors import InputError
from allotment.model.checks import Where

_PLAIN_KEY = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*", re.ASCII)
_MOST = 200  # nobody reads further, and a file that is no scenario at all could give millions


def path_text(where: Where) -> str:
    """Return a place the way messages show it.

    >>> path_text(("plan", "children", 1, "share")), path_text(("odd key",))
    ('.plan.children[1].share', '.["odd key"]')
    """
    steps = []
    for step in where:
        if isinstance(step, int):
            steps.append(f"[{step}]")
        else:
            steps.append(f".{step}" if _PLAIN_KEY.fullmatch(step) else f'.["{step}"]')
    return "".join(steps)


def nearest(word: str, options: Iterable[str]) -> str:
    """Return "; did you mean ...?" for the option most like the word, or an empty text.

    >>> nearest("shares", ["id", "share"])
    "; did you mean 'share'?"
    """
    near = difflib.get_close_matches(word.lower()[:100], sorted(options), n=1, cutoff=0.6)
    return f"; did you mean {near[0]!r}?" if near else ""


def shown(value: object) -> str:
    """Return a value of a file as its reader would call it, shortened."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list | tuple):
        return "a list"
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


class Problems:
    """The problems found so far, each once, in the order of finding."""

    def __init__(self) -> None:
        self._found: dict[str, None] = {}

    def add(self, where: Where, text: str) -> None:
        """Add one problem and the place it is at."""
        at = path_text(where)
        self._found[f"{text} @ {at}" if at else text] = None

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def raise_if_any(self, source: str) -> None:
        """Raise one InputError that lists every problem, if there is one."""
        if self._found:
            listed = list(self._found)
            more = [f"and {len(listed) - _MOST} more"] if len(listed) > _MOST else []
            raise InputError(source, listed[:_MOST] + more)
