"""A family: the children of one parent and the part they leave open, which together are exactly the whole of it.

Shares are exact. What siblings give or get pro rata is rounded down to a millionth of the parent, and the largest of
them takes up the rest, so that sums stay exact and numbers stay short however often a plan is edited.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from allotment.model.changeset import Changeset, ShareChange
from allotment.model.changeset import apply as apply_changeset
from allotment.model.plan import Plan
from allotment.views.plan_editor.draft import Draft, Refused
from allotment.views.plan_editor.labels import inside

OPEN = "/open"
_GRID = 1_000_000  # parts of the parent
_SIMPLE = 1000  # the largest denominator of a fraction that people write, such as 1/3

Shares = Mapping[str, Fraction]  # of a family, in its order, the open part last


def family(plan: Plan, parent: str) -> dict[str, Fraction]:
    """Return the shares of the children of a parent and of its open part, which is ``<parent>/open``."""
    shares = {child.id: child.share for child in plan.children_of(parent)}
    return shares | {f"{parent}{OPEN}": 1 - sum(shares.values(), start=Fraction(0))}


def parent_of(plan: Plan, member: str) -> str:
    """Return the id of the parent of a node or of an open part."""
    return member.removesuffix(OPEN) if member.endswith(OPEN) else plan.parent(member)


def with_family(plan: Plan, shares: Shares) -> Plan:
    """Return the plan with the shares of one family. Raises ValueError where one has too many digits."""
    changes = [
        ShareChange(id=member, share=share)
        for member, share in shares.items()
        if not member.endswith(OPEN) and plan.node(member).share != share
    ]
    return apply_changeset(plan, Changeset(time=0, shares=changes)) if changes else plan


def spread(shares: Shares, total: Fraction) -> dict[str, Fraction]:
    """Return the shares scaled so that they sum to the total, exactly; those that are all nothing become equal.

    >>> {name: str(share) for name, share in spread({"a": Fraction(2, 3), "b": Fraction(1, 3)}, Fraction(1, 2)).items()}
    {'a': '1/3', 'b': '1/6'}
    """
    now = sum(shares.values(), start=Fraction(0))
    scaled = {member: _short(share * total / now if now else total / len(shares)) for member, share in shares.items()}
    largest = max(shares, key=lambda member: (shares[member], member))
    rest = total - sum(scaled.values(), start=Fraction(0))
    return scaled | {largest: scaled[largest] + rest}


def _short(share: Fraction) -> Fraction:
    return share if share.denominator <= _SIMPLE else Fraction(share * _GRID // 1, _GRID)


def reshare(shares: Shares, member: str, share: Fraction, payers: Iterable[str]) -> dict[str, Fraction]:
    """Return the family with another share of one member, what it gains or loses being spread over the payers.

    The share must lie within :func:`reach`.
    """
    paying = {payer: shares[payer] for payer in payers}
    if not paying:
        return dict(shares)
    rest = sum(paying.values(), start=Fraction(0)) + shares[member] - share
    return {**shares, **spread(paying, rest), member: share}


def reach(shares: Shares, member: str, payers: Iterable[str]) -> tuple[Fraction, Fraction]:
    """Return the least and the most that a member can have, given who pays."""
    paying = [shares[payer] for payer in payers]
    own = shares[member]
    return (Fraction(0), own + sum(paying, start=Fraction(0))) if paying else (own, own)


def payers_of(draft: Draft, member: str, shares: Shares) -> tuple[str, ...]:
    """Return who gives and gets when a member of a family changes, by the draft's way. Raises Refused if nobody can."""
    parent = next(name for name in shares if name.endswith(OPEN)).removesuffix(OPEN)
    where = inside(draft.plan, parent)
    if draft.way == "open":
        if member.endswith(OPEN):
            raise Refused("The open part cannot take from itself: take from siblings pro rata, or from a chosen one")
        return (f"{parent}{OPEN}",)
    if draft.way == "node":
        payer = str(draft.payer)
        name = draft.plan.node(payer).name
        if payer not in shares or payer == member:
            raise Refused(f"{name!r} cannot give to or take from here: choose one of the others inside {where}")
        if payer in draft.locks:
            raise Refused(f"{name!r} is locked and neither gives nor takes: unlock it, or take from another")
        return (payer,)
    found = tuple(each for each in shares if each not in (member, *draft.locks) and not each.endswith(OPEN))
    if not found:
        raise Refused(f"No sibling inside {where} is free to give or take: unlock one, or take from the open part")
    return found
