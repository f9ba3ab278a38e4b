"""Every intent that the plan-tree editor follows, and how: an intent that cannot be followed changes nothing but the notice."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import attrs

from allotment.errors import AllotmentError
from allotment.model.plan import ROOT
from allotment.views.plan_editor import sharing, structure
from allotment.views.plan_editor.amounts import UNITS, held
from allotment.views.plan_editor.asked import Asked, choice_of, member_of, node_of, text_of
from allotment.views.plan_editor.changes import structural
from allotment.views.plan_editor.draft import Accepted, Draft, Notice, Refused, Step
from allotment.views.plan_editor.labels import name_of

WAYS: Mapping[str, str] = {
    "siblings": "its siblings, pro rata",
    "node": "one sibling",
    "open": "the parent's open part",
}


def apply(draft: Draft, intent: Asked) -> Draft:
    """Return the draft after an intent, a dict with its ``type`` and what that needs (see `INTENTS`).

    An intent that is impossible, or no intent at all, leaves the draft as it is but for `notice`, which names the
    thing, the value and the way out. It never raises.
    """
    try:
        follow = INTENTS[choice_of(intent, "type", tuple(INTENTS))]
        if follow not in (sharing.drag, sharing.drop, sharing.cancel):
            draft = sharing.drop(draft, {})  # what is held is let go of first
        if follow is not sharing.drop:  # which leaves what the drag said, such as where it stopped
            draft = attrs.evolve(draft, notice=Notice())
        return follow(draft, intent)
    except Refused as refused:
        return draft.said(str(refused), "refused")
    except (AllotmentError, ValueError) as error:  # what the model does not allow
        text = "; ".join(getattr(error, "problems", ()) or (str(error),))
        return draft.said(text[:1].upper() + text[1:], "refused")


def lock(draft: Draft, asked: Asked) -> Draft:
    """Keep a node's part of its parent as it is, or no longer."""
    node = node_of(draft, asked)
    wanted = choice_of(asked, "locked", (True, False))
    name = name_of(draft.plan, node)
    done = f"{'locked' if wanted else 'unlocked'} {name!r}"
    after = draft.step(done, locks=draft.locks | {node} if wanted else draft.locks - {node})
    at = f"locked at {held(draft, node)}: it neither gives nor takes" if wanted else "unlocked"
    return after.said(f"{name!r} is {at}")


def select(draft: Draft, asked: Asked) -> Draft:
    """Select a node, the root or an open part."""
    found = ROOT if asked.get("id") == ROOT else member_of(draft, asked)
    return attrs.evolve(draft, selected=found)


def undo(draft: Draft, _asked: Asked) -> Draft:
    """Go back one step."""
    if not draft.past:
        raise Refused("There is nothing to undo: the plan is as it was when the editing began")
    last = draft.past[-1]
    back = attrs.evolve(draft, past=draft.past[:-1], future=(*draft.future, _now(draft, last)))
    return _at(back, last).said(f"Undone: {last.done}")


def redo(draft: Draft, _asked: Asked) -> Draft:
    """Do again what was undone last."""
    if not draft.future:
        raise Refused("There is nothing to redo: an edit after an undo begins a new future")
    last = draft.future[-1]
    on = attrs.evolve(draft, past=(*draft.past, _now(draft, last)), future=draft.future[:-1])
    return _at(on, last).said(f"Done again: {last.done}")


def _now(draft: Draft, step: Step) -> Step:
    return Step(plan=draft.plan, locks=draft.locks, done=step.done)


def _at(draft: Draft, step: Step) -> Draft:
    return attrs.evolve(draft, plan=step.plan, locks=step.locks).sound()


def take(draft: Draft, asked: Asked) -> Draft:
    """Say who gives what a typed share gains, and gets what it loses; one of the nodes needs a ``payer``."""
    way = choice_of(asked, "way", tuple(WAYS))
    if way != "node":
        return attrs.evolve(draft, way=way, payer=None)
    return attrs.evolve(draft, way=way, payer=node_of(draft, asked, "payer"))


def unit(draft: Draft, asked: Asked) -> Draft:
    """Say in what shares are shown and typed."""
    return attrs.evolve(draft, unit=choice_of(asked, "unit", tuple(UNITS)))


def accept(draft: Draft, asked: Asked) -> Draft:
    """Sign for all that was changed since the last time."""
    author, reason = text_of(asked, "author").strip(), text_of(asked, "reason").strip()
    changes, others = draft.share_changes, structural(draft.base, draft.plan)
    if not changes and not others:
        raise Refused("There is nothing to sign for: the plan is as it was signed last")
    missing = " and ".join(what for what, given in (("who signs", author), ("why", reason)) if not given)
    if missing:
        raise Refused(f"Who signs needs to say {missing}: fill in {'both' if 'and' in missing else 'it'}")
    edit = Accepted(author=author, reason=reason, shares=changes, structure=others, plan=draft.plan)
    after = attrs.evolve(draft, base=draft.plan, accepted=(*draft.accepted, edit))
    return after.said(f"Signed by {author!r}")


INTENTS: Mapping[str, Callable[[Draft, Mapping[str, Any]], Draft]] = {
    "drag": sharing.drag,
    "drop": sharing.drop,
    "cancel": sharing.cancel,
    "move_divider": sharing.move_divider,
    "set_share": sharing.set_share,
    "lock": lock,
    "add": structure.add,
    "rename": structure.rename,
    "move": structure.move,
    "remove": structure.remove,
    "set_limits": structure.set_limits,
    "select": select,
    "undo": undo,
    "redo": redo,
    "take": take,
    "unit": unit,
    "accept": accept,
}
