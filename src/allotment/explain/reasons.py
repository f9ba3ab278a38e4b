"""A reason: a code and its parameters, of which a sentence is made at the border."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import attrs

from allotment.explain.words import ENGLISH, sentence

Value = int | float | str | None


def _frozen(parameters: Mapping[str, Value]) -> Mapping[str, Value]:
    return MappingProxyType(dict(parameters))


@attrs.frozen
class Reason:
    """Why something is as it is. Times are seconds from the start, GPU time is GPU-seconds, ratios are 0 to 1."""

    code: str
    """What it is; each code has a template in `words.py`."""
    parameters: Mapping[str, Value] = attrs.field(factory=dict, converter=_frozen, hash=False)
    """The numbers, plan nodes (by path) and jobs (by number) that it is about."""

    @property
    def sentence(self) -> str:
        """The reason in English."""
        return sentence(self.code, self.parameters, ENGLISH)

    def plain(self) -> dict[str, Any]:
        """Return it as plain values, for JSON, with its sentence."""
        return {"code": self.code, "parameters": dict(self.parameters), "sentence": self.sentence}


def reason(code: str, **parameters: Value) -> Reason:
    """Return a reason of this code.

    >>> reason("next_pass", cycle=30).parameters["cycle"]
    30
    """
    return Reason(code, parameters)
