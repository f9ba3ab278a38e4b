"""What the plan-tree editor shows: every number, word and colour of it, computed here and drawn as it is.

`state_of(draft)` is all that a browser is told, as JSON; `apply(draft, intent)` is all that it can ask for. Positions
are parts of the whole cluster from 0 to 1, so that a browser only has to multiply them by its pixels.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any

import attrs

from allotment.model.plan import ROOT
from allotment.views.formats import count, gpu_hours, part
from allotment.views.plan_editor.amounts import HOURS, SHORT, UNITS, editable, of_parent, shown
from allotment.views.plan_editor.changes import structural
from allotment.views.plan_editor.draft import Draft, whole_of
from allotment.views.plan_editor.family import OPEN, family, parent_of, reach
from allotment.views.plan_editor.intents import WAYS, apply
from allotment.views.plan_editor.labels import FIELDS, KEYS, NOTICES, WORDS, name_of
from allotment.views.plan_editor.sharing import immovable
from allotment.views.theme import NEUTRAL, group_colour, ink_on, tint

__all__ = ["apply", "state_of"]

State = dict[str, Any]
_MOST = 12  # accepted edits that are listed


def state_of(draft: Draft) -> State:
    """Return what is shown of a draft: JSON without infinities, the same for the same draft.

    ``rows`` are the root, the nodes and the open parts in the order of the tree; ``dividers`` stand between siblings.
    """
    starts = dict(_starts(draft, ROOT, Fraction(0)))
    return {
        "title": draft.plan.name,
        "summary": _summary(draft),
        "rows": _rows(draft, starts),
        "dividers": list(_dividers(draft, starts)),
        "selected": _selected(draft),
        "unit": {"value": draft.unit, "options": _options(UNITS), "short": SHORT[draft.unit]},
        "take": {"value": draft.way, "payer": draft.payer or "", "options": _options(WAYS), "payers": _payers(draft)},
        "undo": draft.past[-1].done if draft.past else "",
        "redo": draft.future[-1].done if draft.future else "",
        "changes": _changes(draft),
        "accepted": [
            {"author": edit.author, "reason": edit.reason, "lines": _count_of(len(edit.shares), len(edit.structure))}
            for edit in draft.accepted[-_MOST:]
        ],
        "notice": {"kind": draft.notice.kind, "label": NOTICES[draft.notice.kind], "text": draft.notice.text},
        "words": dict(WORDS),
        "fields": dict(FIELDS),
        "keys": [list(pair) for pair in KEYS],
    }


def _options(words: Any) -> list[State]:
    return [{"value": value, "label": label} for value, label in words.items()]


def _summary(draft: Draft) -> str:
    budgets = len(draft.plan.children)
    hours = gpu_hours(float(draft.gpus * HOURS))
    left = whole_of(draft.plan, f"{ROOT}{OPEN}")
    teams = len(draft.plan.work_leaves())
    within = "" if teams == budgets else f" in {budgets} {'budget' if budgets == 1 else 'budgets'}"
    called = f"1 team{within} has" if teams == 1 else f"{teams} teams{within} have"
    rest = f"{part(float(left))} is open" if left else "nothing is open"
    return f"{called} {part(float(1 - left))} of {count(draft.gpus)} GPUs, {hours} a week; {rest}"


def _starts(draft: Draft, member: str, start: Fraction) -> Iterator[tuple[str, Fraction]]:
    """Yield a member and all that is inside it, in the order of the tree, with where each begins in the whole."""
    yield member, start
    if member.endswith(OPEN) or not draft.plan.children_of(member):
        return
    whole = draft.plan.absolute_share(member)
    for each, share in family(draft.plan, member).items():
        yield from _starts(draft, each, start)
        start += whole * share


def _rows(draft: Draft, starts: Mapping[str, Fraction]) -> list[State]:
    rows = [_row(draft, member, start) for member, start in starts.items()]
    families: dict[str, list[State]] = {}
    for row in rows:
        families.setdefault(row["parent"], []).append(row)
    for members in families.values():
        for position, row in enumerate(members, start=1):
            row |= {"position": position, "of": len(members)}
    whole = attrs.evolve(draft, unit="whole") if draft.unit == "parent" else draft
    rows[0] |= {
        "aria": f"Whole cluster, {count(draft.gpus)} GPUs, {gpu_hours(float(draft.gpus * HOURS))} a week",
        "shown": shown(whole, ROOT),
    }
    return rows


def _row(draft: Draft, member: str, start: Fraction) -> State:
    plan, is_open = draft.plan, member.endswith(OPEN)
    level = 1 if member == ROOT else len(plan.lineage(parent_of(plan, member))) + 2
    children = 0 if is_open else len(plan.children_of(member))
    return {
        "id": member,
        "kind": "root" if member == ROOT else "open" if is_open else "node",
        "parent": "" if member == ROOT else parent_of(plan, member),
        "level": level,
        "children": children,
        "start": float(start),
        "size": float(whole_of(plan, member)),
        "name": name_of(plan, member),
        "shown": shown(draft, member),
        "value": editable(draft, member),
        "was": _was(draft, member),
        "locked": member in draft.locks,
        "selected": member == draft.selected,
        "limits": _limits(draft, member),
        "aria": _aria(draft, member),
        **_colours(draft, member, level),
    }


def _colours(draft: Draft, member: str, level: int) -> State:
    """Return the hue of the budget that a member belongs to: filled for the budget, as an edge for what is inside."""
    above = member.removesuffix(OPEN)
    line = draft.plan.lineage(above)
    if not line:
        fill = "#e9edf2" if member == ROOT else "#ffffff"
        return {"fill": fill, "ink": "#1b1b1b", "edge": NEUTRAL, "hatch": tint(NEUTRAL, 0.45)}
    hue = group_colour([child.id for child in draft.plan.children].index(line[0]))
    if level == 2:
        return {"fill": hue, "ink": ink_on(hue), "edge": hue, "hatch": tint(hue, 0.45)}
    return {"fill": tint(hue, 0.12), "ink": "#1b1b1b", "edge": hue, "hatch": tint(hue, 0.45)}


def _aria(draft: Draft, member: str) -> str:
    if member == ROOT:
        return ""  # said by the root's row
    parent = parent_of(draft.plan, member)
    words = [name_of(draft.plan, member), f"{part(float(whole_of(draft.plan, member)))} of the cluster"]
    if parent != ROOT:
        words.append(f"{part(float(of_parent(draft, member)))} of {name_of(draft.plan, parent)}")
    if draft.unit in ("hours", "gpus"):
        words.append(f"{shown(draft, member)}{' a week' if draft.unit == 'hours' else ' worth'}")
    words += ["locked"] if member in draft.locks else []
    return ", ".join(words)


def _was(draft: Draft, member: str) -> str:
    """Return what was accepted last, where it reads otherwise than what is shown; "new" for what was not there."""
    before = attrs.evolve(draft, plan=draft.base)
    above = member.removesuffix(OPEN)
    if above != ROOT and above not in draft.base.ids:
        return "" if member.endswith(OPEN) else "new"
    if member == ROOT or (member.endswith(OPEN) and not draft.base.children_of(above)):
        return ""
    old = shown(before, member)
    return "" if old == shown(draft, member) else f"was {old}"


def _limits(draft: Draft, member: str) -> State:
    if member == ROOT or member.endswith(OPEN):
        return {"allocated": "", "unallocated": ""}
    node = draft.plan.node(member)
    limits = {"allocated": node.allocated_limit, "unallocated": node.unallocated_limit}
    return {kind: "" if limit is None else str(limit) for kind, limit in limits.items()}


def _dividers(draft: Draft, starts: Mapping[str, Fraction]) -> Iterator[State]:
    for parent in (ROOT, *[node.id for node in draft.plan.walk() if node.children]):
        shares = family(draft.plan, parent)
        for first, second in pairwise(shares):
            yield {
                "id": first,
                "parent": parent,
                "level": len(draft.plan.lineage(first)) + 1,
                "at": float(starts[second]),
                "size": float(draft.plan.absolute_share(parent)),
                **_divided(draft, shares, first, second),
            }


def _divided(draft: Draft, shares: Mapping[str, Fraction], first: str, second: str) -> State:
    why = immovable(draft, first)
    low, high = reach(shares, first, [] if why else [second])
    names = [name_of(draft.plan, member) for member in (first, second)]
    return {
        "after": second,
        "now": _percent(shares[first]),
        "min": _percent(low),
        "max": _percent(high),
        "text": f"{names[0]} {shown(draft, first)}, {names[1]} {shown(draft, second)}",
        "aria": f"Divider between {names[0]} and {names[1]}",
        "why": why,
    }


def _percent(share: Fraction) -> float:
    return round(float(100 * share), 3)


def _selected(draft: Draft) -> State:
    member, plan = draft.selected, draft.plan
    is_node = member != ROOT and not member.endswith(OPEN)
    return {
        "id": member,
        "kind": "node" if is_node else "open" if member.endswith(OPEN) else "root",
        "name": name_of(plan, member),
        "path": plan.path(member) if is_node else name_of(plan, member),
        "value": editable(draft, member),
        "locked": member in draft.locks,
        "limits": _limits(draft, member),
        "says": _says(draft, member),
        "parent": plan.parent(member) if is_node else "",
        "parents": _parents(draft, member) if is_node else [],
        "lock": WORDS["unlock"] if member in draft.locks else WORDS["lock"],
        "adds_to": member.removesuffix(OPEN),
        "adds_label": f"Add inside {name_of(plan, member.removesuffix(OPEN))}",
    }


def _says(draft: Draft, member: str) -> str:
    """Return the sizes of a member in every unit."""
    whole = whole_of(draft.plan, member)
    sizes = [f"{part(float(whole))} of the cluster"]
    if member != ROOT and parent_of(draft.plan, member) != ROOT:
        parent = name_of(draft.plan, parent_of(draft.plan, member))
        sizes.append(f"{part(float(of_parent(draft, member)))} of {parent}")
    sizes.append(f"{gpu_hours(float(whole * draft.gpus * HOURS))} a week")
    sizes.append(f"{shown(attrs.evolve(draft, unit='gpus'), member)}' worth")
    return " · ".join(sizes)


def _parents(draft: Draft, member: str) -> list[State]:
    """Return where a node can be: inside every node that is not inside it; where it is is one of them."""
    inside = {node.id for node in draft.plan.walk() if member in draft.plan.lineage(node.id)}
    others = [node.id for node in draft.plan.walk() if node.id not in inside]
    labels = [{"value": node, "label": draft.plan.path(node)} for node in others]
    return [{"value": ROOT, "label": name_of(draft.plan, ROOT)}, *labels]


def _payers(draft: Draft) -> list[State]:
    """Return who could pay for the selected member alone: its siblings that are not locked."""
    member, plan = draft.selected, draft.plan
    siblings = [] if member == ROOT else [child.id for child in plan.children_of(parent_of(plan, member))]
    free = [each for each in siblings if each != member and each not in draft.locks]
    if draft.payer and draft.payer not in free:
        free.append(draft.payer)
    return [{"value": each, "label": plan.path(each)} for each in free]


def _changes(draft: Draft) -> State:
    """Return what was changed since the last time somebody signed, a line each."""
    before = attrs.evolve(draft, plan=draft.base)
    shares = draft.share_changes
    others = structural(draft.base, draft.plan)
    lines = [f"{draft.plan.path(each.id)}: {shown(before, each.id)} → {shown(draft, each.id)}" for each in shares]
    return {
        "shares": lines,
        "structure": list(others),
        "count": _count_of(len(shares), len(others)),
        "any": bool(shares or others),
    }


def _count_of(shares: int, others: int) -> str:
    parts = [f"{shares} share{'s' * (shares != 1)}"] if shares else []
    parts += [f"{others} other change{'s' * (others != 1)}"] if others else []
    return " and ".join(parts) or "nothing"
