"""Shares in the units that people think in: percent of the whole or of the parent, GPU-hours a week, GPUs' worth."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

from allotment.model.shares import exact_share
from allotment.units import HOUR, WEEK
from allotment.views.formats import gpu_hours, part
from allotment.views.plan_editor.draft import Draft, Refused, Unit, whole_of
from allotment.views.plan_editor.family import parent_of
from allotment.views.plan_editor.labels import inside

HOURS = WEEK // HOUR  # in a week
UNITS: Mapping[Unit, str] = {
    "whole": "% of the cluster",
    "parent": "% of the parent",
    "hours": "GPU-hours a week",
    "gpus": "GPUs' worth",
}
SHORT: Mapping[Unit, str] = {"whole": "%", "parent": "%", "hours": "GPU-h a week", "gpus": "GPUs"}
DECIMALS: Mapping[Unit, int] = {"whole": 3, "parent": 3, "hours": 1, "gpus": 2}  # in fields
_SUFFIX = re.compile(r"\s*(%|percent|gpu-?h(ours)?( a week)?|gpus?|pts?|points?)\s*$", re.IGNORECASE)
_THOUSANDS = re.compile(r"(?<=\d)[, \N{NO-BREAK SPACE}](?=\d{3}(?!\d))")
_SCALED = re.compile(r"(.*\d)\s*([kM])", re.DOTALL)
_SCALES: Mapping[str, int] = {"k": 1000, "M": 1_000_000}
_FINEST = 10**12  # what is typed is kept exactly up to so many parts of the parent, and to the nearest beyond


def size_of(unit: Unit, gpus: int, above: Fraction) -> Fraction:
    """Return how many units the whole of a parent is, itself `above` of the cluster.

    >>> size_of("hours", 1024, Fraction(1)), size_of("parent", 8, Fraction(1, 2)), size_of("gpus", 8, Fraction(1, 2))
    (Fraction(172032, 1), Fraction(100, 1), Fraction(4, 1))
    """
    sizes = {"whole": 100 * above, "parent": Fraction(100), "hours": gpus * HOURS * above, "gpus": gpus * above}
    return Fraction(sizes[unit])


def shown(draft: Draft, member: str) -> str:
    """Return the size of a node or an open part in the draft's unit, as it is read."""
    return written(draft.unit, draft.gpus, whole_of(draft.plan, member), of_parent(draft, member))


def written(unit: Unit, gpus: int, whole: Fraction, of_its_parent: Fraction) -> str:
    """Return a size as it is read.

    >>> [written(unit, 1024, Fraction(1, 8), Fraction(1, 3)) for unit in UNITS]
    ['12.5 %', '33.3 %', '21.5 k GPU-h', '128 GPUs']
    """
    if unit == "hours":
        return gpu_hours(float(whole * gpus * HOURS))
    if unit == "gpus":
        return f"{_plain(whole * gpus, 1)} GPUs"
    return part(float(whole if unit == "whole" else of_its_parent))


def of_parent(draft: Draft, member: str) -> Fraction:
    """Return the part of its parent that a node, an open part or the root is."""
    if member == "root":
        return Fraction(1)
    if not member.endswith("/open"):
        return draft.plan.node(member).share
    return 1 - sum((child.share for child in draft.plan.children_of(parent_of(draft.plan, member))), Fraction(0))


def held(draft: Draft, node: str) -> str:
    """Return the part of its parent that a lock keeps, in words."""
    return f"{part(float(of_parent(draft, node)))} of {inside(draft.plan, draft.plan.parent(node))}"


def editable(draft: Draft, member: str) -> str:
    """Return the number that stands in the field of a node, without its unit and with few decimals."""
    above = Fraction(1) if member == "root" else whole_of(draft.plan, parent_of(draft.plan, member))
    return _plain(of_parent(draft, member) * size_of(draft.unit, draft.gpus, above), DECIMALS[draft.unit])


def _plain(number: Fraction, decimals: int) -> str:
    text = f"{float(number):,.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def typed_share(draft: Draft, text: str, parent: str, name: str) -> Fraction:
    """Return the part of the parent that was typed in the draft's unit: "12.5", "12.5 %", "44,100", "44.1 k" or "1/3".

    Raises Refused for what is no such number; `name` is what the node is called.
    """
    size = size_of(draft.unit, draft.gpus, whole_of(draft.plan, parent))
    what = UNITS[draft.unit]
    try:
        number = _number(text)
    except ValueError:
        raise Refused(f"{text[:40]!r} is no number for {name!r}: type {what}, such as 12.5") from None
    if size == 0:
        raise Refused(f"The parent of {name!r} has nothing to divide: give it a share first, or show % of the parent")
    share = number / size
    if share > 1:
        most = f"{_plain(size, 1)} {SHORT[draft.unit]}"
        raise Refused(f"{name!r} cannot have {text.strip()[:40]!r}: all of its parent is {most}; type less")
    return share if share.denominator <= _FINEST else Fraction(round(share * _FINEST), _FINEST)


def _number(text: str) -> Fraction:
    bare = _THOUSANDS.sub("", _SUFFIX.sub("", text.strip()))
    scaled = _SCALED.fullmatch(bare)
    return exact_share(scaled[1]) * _SCALES[scaled[2]] if scaled else exact_share(bare)
