"""Intents that change what there is: add, rename, move and remove nodes, and their slot limits.

None of this can change during a run, unlike shares: it makes another plan, for another run.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from fractions import Fraction

import attrs

from allotment.model.plan import DEEPEST, ROOT, Plan, PlanNode
from allotment.views.plan_editor.amounts import held, shown, typed_share
from allotment.views.plan_editor.asked import Asked, node_of, parent_asked, text_of
from allotment.views.plan_editor.draft import Draft, Refused
from allotment.views.plan_editor.family import OPEN, family, parent_of, payers_of, reach, reshare, with_family
from allotment.views.plan_editor.labels import inside, name_of

Nodes = tuple[PlanNode, ...]
_LONGEST_ID = 40


def add(draft: Draft, asked: Asked) -> Draft:
    """Add a node under a parent, with nothing or with the share that was typed, which the draft's way of taking pays."""
    parent = parent_asked(draft, asked, "parent")
    name = text_of(asked, "name").strip()
    if len(draft.plan.lineage(parent)) >= DEEPEST:
        raise Refused(f"{name!r} would lie deeper than {DEEPEST} levels: add it further up")
    _free_name(draft.plan, parent, name)
    fresh = PlanNode(id=_free_id(draft.plan, name), name=name, share=Fraction(0))
    plan = _with_children(draft.plan, parent, lambda children: (*children, fresh))
    grown = attrs.evolve(draft, plan=plan)
    value = text_of(asked, "value").strip() if asked.get("value") else ""
    share = typed_share(grown, value, parent, name) if value else Fraction(0)
    if share:
        plan = _paid(grown, fresh.id, share)
    after = attrs.evolve(draft.step(f"added {name!r}", plan=plan), selected=fresh.id)
    way = "" if share else ": it has no share yet; type one, or drag a divider"
    return after.said(f"{name!r} is added to {inside(plan, parent)}{way}")


def rename(draft: Draft, asked: Asked) -> Draft:
    """Give a node another name; its id stays, by which ties and random numbers are keyed."""
    node = node_of(draft, asked)
    name, old = text_of(asked, "name").strip(), draft.plan.node(node).name
    if name == old:
        return draft.said("", "")
    _free_name(draft.plan, draft.plan.parent(node), name)
    plan = _with_node(draft.plan, node, lambda found: attrs.evolve(found, name=name))
    return draft.step(f"renamed {old!r} to {name!r}", plan=plan).said(f"{old!r} is now called {name!r}")


def move(draft: Draft, asked: Asked) -> Draft:
    """Give a node another parent. It keeps its part of the cluster, or the most that the new parent's family can pay."""
    node, to = node_of(draft, asked), parent_asked(draft, asked, "to")
    plan, name = draft.plan, name_of(draft.plan, node)
    if to == plan.parent(node):
        raise Refused(f"{name!r} is inside {inside(plan, to)} already: choose another parent")
    if node in plan.lineage(to):
        raise Refused(f"{name!r} cannot move into itself or what is inside it: choose another parent")
    _unlocked(draft, node, "move")
    if plan.parent(node) == ROOT and len(plan.children) == 1:
        raise Refused(f"{name!r} is the only budget: add another before it moves")
    _free_name(plan, to, name)
    found, whole = plan.node(node), plan.absolute_share(node)
    gone = _without(draft, node)
    plan = _with_children(gone.plan, to, lambda children: (*children, attrs.evolve(found, share=0)))
    above = plan.absolute_share(to)
    arrived = attrs.evolve(gone, plan=plan)
    plan = _paid(arrived, node, whole / above if above else Fraction(0), most=True)
    after = attrs.evolve(draft.step(f"moved {name!r} to {inside(plan, to)}", plan=plan), selected=node)
    return after.said(f"{name!r} is inside {inside(plan, to)} now: {shown(draft, node)} → {shown(after, node)}")


def remove(draft: Draft, asked: Asked) -> Draft:
    """Remove a node with all that is inside it; the draft's way of taking says who gets its share."""
    node = node_of(draft, asked)
    parent, name = draft.plan.parent(node), name_of(draft.plan, node)
    if parent == ROOT and len(draft.plan.children) == 1:
        raise Refused(f"{name!r} is the only budget, and a plan needs one: add another before you remove it")
    below = [each.id for each in draft.plan.walk() if node in draft.plan.lineage(each.id)]
    for each in below:
        _unlocked(draft, each, "remove")
    plan = _without(draft, node).plan
    after = attrs.evolve(draft.step(f"removed {name!r}", plan=plan), selected=parent)
    more = f" and the {len(below) - 1} inside it" if len(below) > 1 else ""
    return after.sound().said(f"{name!r}{more} is removed, with {shown(draft, node)}; undo brings it back")


def set_limits(draft: Draft, asked: Asked) -> Draft:
    """Limit how many GPUs may be held at once, allocated or unallocated; an empty text is no limit."""
    node = node_of(draft, asked)
    found = draft.plan.node(node)
    limits = {"allocated": found.allocated_limit, "unallocated": found.unallocated_limit}
    for kind in limits:
        if kind in asked:
            limits[kind] = _limit(draft, node, kind, text_of(asked, kind).strip())
    changed = attrs.evolve(found, allocated_limit=limits["allocated"], unallocated_limit=limits["unallocated"])
    plan = _with_node(draft.plan, node, lambda _: changed)
    told = ", ".join(
        f"{kind} {'without limit' if limit is None else f'at most {limit:,} GPUs'}" for kind, limit in limits.items()
    )
    return draft.step(f"limited {found.name!r}", plan=plan).said(f"{found.name!r}: {told}")


def _limit(draft: Draft, node: str, kind: str, text: str) -> int | None:
    if not text:
        return None
    digits = text.replace(",", "")
    if not (digits.isascii() and digits.isdecimal()) or len(digits) > 9:
        name = name_of(draft.plan, node)
        raise Refused(f"{text[:40]!r} is no {kind} limit for {name!r}: type whole GPUs, or nothing for no limit")
    return int(digits)


def _paid(draft: Draft, member: str, share: Fraction, *, most: bool = False) -> Plan:
    """Return the plan with a share for a member that has none; `most` is content with what can be had."""
    shares = family(draft.plan, parent_of(draft.plan, member))
    try:
        payers = payers_of(draft, member, shares)
    except Refused:
        if not most:
            raise
        payers = tuple(each for each in shares if each.endswith(OPEN))
    _, high = reach(shares, member, payers)
    if share > high and not most:
        raise Refused(
            f"{name_of(draft.plan, member)!r} cannot have so much at once: add it with less, or take from others"
        )
    got = min(share, high)
    got = got if got.denominator <= 10**12 else Fraction(got * 10**12 // 1, 10**12)
    return with_family(draft.plan, reshare(shares, member, got, payers))


def _without(draft: Draft, node: str) -> Draft:
    """Return the draft without a node: who gives and takes gets its share, else it is open."""
    parent = draft.plan.parent(node)
    shares = family(draft.plan, parent)
    try:
        payers = payers_of(draft, node, shares)
    except Refused:
        payers = (f"{parent}{OPEN}",)
    plan = with_family(draft.plan, reshare(shares, node, Fraction(0), payers))
    left = _with_children(plan, parent, lambda children: tuple(child for child in children if child.id != node))
    return attrs.evolve(draft, plan=left)


def _unlocked(draft: Draft, node: str, verb: str) -> None:
    if node in draft.locks:
        name = name_of(draft.plan, node)
        raise Refused(f"{name!r} is locked at {held(draft, node)}: unlock it before you {verb} it")


def _free_name(plan: Plan, parent: str, name: str) -> None:
    if name in {child.name for child in plan.children_of(parent)}:
        raise Refused(f"There is a {name!r} inside {inside(plan, parent)} already: choose another name")


def _free_id(plan: Plan, name: str) -> str:
    """Return an id made of a name, that no node has."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    stem = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:_LONGEST_ID].strip("-") or "team"
    taken = {*plan.ids, ROOT}
    return next(
        each
        for each in (stem if number == 1 else f"{stem}-{number}" for number in range(1, len(taken) + 2))
        if each not in taken
    )


def _with_node(plan: Plan, node: str, change: Callable[[PlanNode], PlanNode]) -> Plan:
    return _with_children(
        plan,
        plan.parent(node),
        lambda children: tuple(change(child) if child.id == node else child for child in children),
    )


def _with_children(plan: Plan, parent: str, change: Callable[[Nodes], Nodes]) -> Plan:
    if parent == ROOT:
        return attrs.evolve(plan, children=change(plan.children))

    def below(node: PlanNode) -> PlanNode:
        if node.id == parent:
            return attrs.evolve(node, children=change(node.children))
        return attrs.evolve(node, children=tuple(below(child) for child in node.children))

    return attrs.evolve(plan, children=tuple(below(child) for child in plan.children))
