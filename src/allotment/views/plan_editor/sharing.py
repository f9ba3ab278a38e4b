"""Intents that change shares: a divider that is dragged or moved by keys, and a number that is typed.

A divider stands after one member of a family and before the next, the open part being the last. It exchanges shares
between these two; a number that is typed is paid for by the draft's way of taking.
"""

from __future__ import annotations

from fractions import Fraction

import attrs

from allotment.model.plan import Plan
from allotment.views.plan_editor.amounts import held, shown, typed_share
from allotment.views.plan_editor.asked import Asked, choice_of, member_of, node_of, number_of, text_of
from allotment.views.plan_editor.draft import Draft, Drag, Refused
from allotment.views.plan_editor.family import family, parent_of, payers_of, reach, reshare, with_family
from allotment.views.plan_editor.labels import name_of

_DRAGGED = 1000  # a dragged share is rounded to a tenth of a point of the parent


def neighbours(plan: Plan, divider: str) -> tuple[str, str]:
    """Return the two members of a family between which a divider stands; it is called by the first."""
    members = list(family(plan, parent_of(plan, divider)))
    place = members.index(divider)
    return members[place], members[place + 1]


def immovable(draft: Draft, divider: str) -> str:
    """Return why a divider cannot be moved, empty if it can."""
    pair = neighbours(draft.plan, divider)
    locked = [repr(name_of(draft.plan, member)) for member in pair if member in draft.locks]
    if not locked:
        return ""
    held = " and ".join(locked)
    be, them = ("are", "them") if len(locked) > 1 else ("is", "it")
    return f"{held} {be} locked: unlock {them} to move this divider, or move another"


def drag(draft: Draft, asked: Asked) -> Draft:
    """Follow a divider that is held: `amount` is how far it is from where it was taken up, in widths of the parent."""
    divider = node_of(draft, asked, "divider")
    amount = Fraction(number_of(asked, "amount"))
    if draft.drag is None or draft.drag.divider != divider:
        draft = attrs.evolve(drop(draft, {}), selected=divider)
        draft = attrs.evolve(draft, drag=Drag(divider=divider, plan=draft.plan))
    held = draft.drag
    assert held is not None  # noqa: S101 - made above
    if why := immovable(draft, divider):
        raise Refused(why)
    shares = family(held.plan, parent_of(held.plan, divider))
    at_rest = abs(amount) * _DRAGGED * 2 < 1  # a share such as 1/3 is not rounded by a mere touch
    wanted = shares[divider] if at_rest else Fraction(round((shares[divider] + amount) * _DRAGGED), _DRAGGED)
    return _exchanged(draft, held.plan, divider, wanted)


def drop(draft: Draft, _asked: Asked) -> Draft:
    """Let go of the divider that is held: one step that can be undone."""
    if draft.drag is None:
        return draft
    plan, divider = draft.plan, draft.drag.divider
    back = attrs.evolve(draft, plan=draft.drag.plan, drag=None)
    pair = " and ".join(repr(name_of(plan, member)) for member in neighbours(plan, divider))
    return back.step(f"divided {pair} anew", plan=plan)


def cancel(draft: Draft, _asked: Asked) -> Draft:
    """Put the divider that is held back to where it was."""
    return draft if draft.drag is None else attrs.evolve(draft, plan=draft.drag.plan, drag=None)


def move_divider(draft: Draft, asked: Asked) -> Draft:
    """Move a divider at once: by `points` of the parent, by an `amount` in widths of the parent, or to a `limit`."""
    divider = node_of(draft, asked, "divider")
    if why := immovable(draft, divider):
        raise Refused(why)
    shares = family(draft.plan, parent_of(draft.plan, divider))
    first, second = neighbours(draft.plan, divider)
    low, high = reach(shares, first, [second])
    if "limit" in asked:
        wanted = {"min": low, "max": high}[choice_of(asked, "limit", ("min", "max"))]
    elif "points" in asked:
        wanted = shares[first] + Fraction(number_of(asked, "points")) / 100
    else:
        wanted = shares[first] + Fraction(round(number_of(asked, "amount") * 10**6), 10**6)
    moved = _exchanged(draft, draft.plan, divider, wanted)
    if moved.plan == draft.plan:
        raise Refused(moved.notice.text or "The divider is there already")
    pair = " and ".join(repr(name_of(draft.plan, member)) for member in (first, second))
    back = attrs.evolve(moved, plan=draft.plan, selected=divider)
    return back.step(f"divided {pair} anew", plan=moved.plan)


def _exchanged(draft: Draft, base: Plan, divider: str, wanted: Fraction) -> Draft:
    """Return the draft with the first neighbour's share as wanted, as far as the second can pay, and say what stopped it."""
    shares = family(base, parent_of(base, divider))
    first, second = neighbours(base, divider)
    low, high = reach(shares, first, [second])
    got = min(max(wanted, low), high)
    moved = attrs.evolve(draft, plan=with_family(base, reshare(shares, first, got, [second])))
    if got == wanted:
        return moved.said("", "")
    empty = first if wanted < low else second
    return moved.said(
        f"{name_of(base, empty)!r} has nothing left to give, so the divider stops here: "
        f"type a number to take from others",
        "stopped",
    )


def set_share(draft: Draft, asked: Asked) -> Draft:
    """Give a node or an open part the share that was typed; the draft's way of taking says who pays."""
    member = member_of(draft, asked)
    plan, name = draft.plan, name_of(draft.plan, member)
    if member in draft.locks:
        raise Refused(f"{name!r} is locked at {held(draft, member)}: unlock it to change its share")
    parent = parent_of(plan, member)
    wanted = typed_share(draft, text_of(asked, "value"), parent, name)
    shares = family(plan, parent)
    if wanted == shares[member]:
        return draft.said(f"{name!r} has {shown(draft, member)} already", "")
    payers = payers_of(draft, member, shares)
    _, high = reach(shares, member, payers)
    if wanted > high:
        most = attrs.evolve(draft, plan=with_family(plan, reshare(shares, member, high, payers)))
        raise Refused(
            f"{name!r} cannot have {text_of(asked, 'value').strip()!r}: {_from(draft, payers)} leave it "
            f"{shown(most, member)} at most; type less, or take from others"
        )
    changed = with_family(plan, reshare(shares, member, wanted, payers))
    after = draft.step(f"set the share of {name!r}", plan=changed)
    return attrs.evolve(after, selected=member).said(_who_paid(draft, after, member, payers))


def _from(draft: Draft, payers: tuple[str, ...]) -> str:
    if draft.way == "siblings":
        return "its unlocked siblings"
    return " and ".join(repr(name_of(draft.plan, payer)) for payer in payers)


def _who_paid(before: Draft, after: Draft, member: str, payers: tuple[str, ...]) -> str:
    """Say who has what now, for at most four payers.

    A number here is the one that the picture shows, in the same unit.
    """
    listed = [f"{name_of(after.plan, payer)!r} {shown(before, payer)} → {shown(after, payer)}" for payer in payers[:4]]
    more = f" and {len(payers) - 4} more" if len(payers) > 4 else ""
    return (
        f"{name_of(after.plan, member)!r} {shown(before, member)} → {shown(after, member)}; {', '.join(listed)}{more}"
    )
