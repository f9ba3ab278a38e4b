"""A change of the plan, as people sign it: when, who, why, and which shares from what to what."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

import attrs

from allotment.errors import InputError, ValueProblems
from allotment.model.checks import NOT_EMPTY, at_least, between
from allotment.model.plan import NODE_ID, Plan, PlanNode
from allotment.model.shares import exact_share, format_share
from allotment.model.typed import typed
from allotment.units import Seconds, format_duration


def _exact_or_none(value: Fraction | float | str | None) -> Fraction | None:
    return None if value is None else exact_share(value)


@attrs.frozen(kw_only=True, field_transformer=typed)
class ShareChange:
    """One node's new share."""

    id: str = attrs.field(validator=NODE_ID)
    """The id of the plan node."""
    share: Fraction = attrs.field(converter=exact_share, validator=between(0, 1))
    """Its part of the parent from then on."""
    old: Fraction | None = attrs.field(default=None, converter=_exact_or_none, validator=between(0, 1))
    """What the share must be until then; null does not check it."""


def _shares(shares: Iterable[ShareChange]) -> tuple[ShareChange, ...]:
    return tuple(shares)


@attrs.frozen(kw_only=True, field_transformer=typed)
class Changeset:
    """Shares that change together at one time."""

    time: Seconds = attrs.field(validator=at_least(0))
    """When, from the scenario's start."""
    author: str = ""
    """Who signs for the change."""
    reason: str = ""
    """Why the shares change."""
    shares: tuple[ShareChange, ...] = attrs.field(converter=_shares, metadata=NOT_EMPTY)
    """The new shares, each node at most once; afterwards the shares of siblings sum to at most 1."""

    def __attrs_post_init__(self) -> None:
        ids = [change.id for change in self.shares]
        problems = [] if ids else ["shares must not be empty"]
        problems += [
            f"the share of {twice!r} is changed twice"
            for twice in sorted({name for name in ids if ids.count(name) > 1})
        ]
        if problems:
            raise ValueProblems(problems)


def apply(plan: Plan, changeset: Changeset) -> Plan:
    """Return the plan with the new shares; ids, names and places stay. Raises InputError with every problem."""
    problems = []
    wanted: dict[str, Fraction] = {}
    known = set(plan.ids)
    for change in changeset.shares:
        if change.id not in known:
            problems.append(f"plan {plan.name!r} has no node {change.id!r}")
            continue
        share = plan.node(change.id).share
        if change.old is not None and change.old != share:
            problems.append(
                f"the share of {change.id!r} is {format_share(share)}, not {format_share(change.old)} as the changeset says"
            )
        wanted[change.id] = change.share
    for parent in ("root", *plan.ids):
        shares = [wanted.get(child.id, child.share) for child in plan.children_of(parent)]
        total = sum(shares, start=Fraction(0))
        if total > 1:
            problems.append(
                f"the children of {parent!r} would sum to {format_share(total)}; siblings may sum to at most 1"
            )
    if problems:
        by = f" by {changeset.author!r}" if changeset.author else ""
        raise InputError(f"changeset at {format_duration(changeset.time)}{by}", problems)
    return attrs.evolve(plan, children=tuple(_changed(child, wanted) for child in plan.children))


def _changed(node: PlanNode, wanted: Mapping[str, Fraction]) -> PlanNode:
    children = tuple(_changed(child, wanted) for child in node.children)
    return attrs.evolve(node, share=wanted.get(node.id, node.share), children=children)
