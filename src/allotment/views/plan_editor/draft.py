"""What the plan-tree editor edits: a plan, what is locked in it, how shares are taken, and what was done so far."""

from __future__ import annotations

from fractions import Fraction
from typing import Literal

import attrs

from allotment.model.changeset import Changeset, ShareChange
from allotment.model.checks import at_least
from allotment.model.plan import ROOT, Plan
from allotment.model.typed import typed

Way = Literal["siblings", "node", "open"]  # of taking: from all siblings pro rata, from one of them, from the open part
Unit = Literal["whole", "parent", "hours", "gpus"]
Kind = Literal["", "done", "stopped", "refused"]


class Refused(Exception):
    """An intent that cannot be followed; its text names the thing, the value and the way out."""


@attrs.frozen(kw_only=True)
class Step:
    """What one can go back to: the plan and its locks, and what was done to them then, in words."""

    plan: Plan
    locks: frozenset[str]
    done: str


@attrs.frozen(kw_only=True)
class Drag:
    """A divider that is held, and the plan as it was when it was taken up."""

    divider: str
    plan: Plan


@attrs.frozen(kw_only=True)
class Notice:
    """What the editor says of the last intent."""

    kind: Kind = ""
    text: str = ""


@attrs.frozen(kw_only=True, field_transformer=typed)
class Accepted:
    """An edit that somebody signed for."""

    author: str
    """Who signs for it."""
    reason: str
    """Why the plan changes."""
    shares: tuple[ShareChange, ...] = ()
    """The new shares of the nodes that were there before and still are."""
    structure: tuple[str, ...] = ()
    """What else was changed, a sentence each; none of it can be changed while a simulation runs."""
    plan: Plan
    """The plan with the edit."""

    def changeset(self, time: int) -> Changeset:
        """Return the edit as a change of shares at a time of the run, in seconds from its start.

        Raises ValueError if more than shares was changed: such an edit is a new plan, for a new run.
        """
        if self.structure:
            raise ValueError(
                f"the edit by {self.author!r} is more than shares ({'; '.join(self.structure)}), which cannot change "
                "during a run; start a run with its plan instead"
            )
        return Changeset(time=time, author=self.author, reason=self.reason, shares=self.shares)


@attrs.frozen(kw_only=True)
class Draft:
    """A plan that is being edited. Every intent makes a new one, and nothing else does."""

    plan: Plan
    """The plan as it is drawn."""
    gpus: int = attrs.field(validator=at_least(1))
    """The GPUs of the cluster, to show shares in GPU-hours a week and in GPUs' worth."""
    base: Plan = attrs.field(default=attrs.Factory(lambda self: self.plan, takes_self=True))
    """The plan as it was accepted last, or as the editing began."""
    locks: frozenset[str] = frozenset()
    """The ids of the nodes whose part of their parent stays as it is."""
    way: Way = "siblings"
    """Who gives what a share gains, and gets what it loses."""
    payer: str | None = None
    """The id of the one that gives and gets, where the way is a node."""
    unit: Unit = "whole"
    """How shares are shown and typed."""
    selected: str = ROOT
    """The id of the node that is selected, ``root``, or ``x/open`` for what the children of x leave."""
    past: tuple[Step, ...] = ()
    """What can be undone, the last at the end."""
    future: tuple[Step, ...] = ()
    """What was undone, the last at the end."""
    accepted: tuple[Accepted, ...] = ()
    """The edits that were signed for, in their order."""
    drag: Drag | None = None
    """The divider that is being dragged."""
    notice: Notice = Notice()
    """What there is to say of the last intent."""

    def said(self, text: str, kind: Kind = "done") -> Draft:
        """Return the draft with something to say."""
        return attrs.evolve(self, notice=Notice(kind=kind, text=text))

    def step(self, done: str, *, plan: Plan | None = None, locks: frozenset[str] | None = None) -> Draft:
        """Return the draft with another plan or other locks, and with a step back to what was."""
        changed = attrs.evolve(
            self, plan=self.plan if plan is None else plan, locks=self.locks if locks is None else locks
        )
        if (changed.plan, changed.locks) == (self.plan, self.locks):
            return self
        before = Step(plan=self.plan, locks=self.locks, done=done)
        return attrs.evolve(changed, past=(*self.past, before), future=()).sound()

    def sound(self) -> Draft:
        """Return the draft without a selection, a payer or locks that lead to nothing."""
        ids = set(self.plan.ids)
        payer = self.payer if self.payer in ids else None
        return attrs.evolve(
            self,
            locks=self.locks & ids,
            selected=self.selected if self.selected.removesuffix("/open") in ids | {ROOT} else ROOT,
            payer=payer,
            way="siblings" if self.way == "node" and payer is None else self.way,
        )

    @property
    def share_changes(self) -> tuple[ShareChange, ...]:
        """The shares that differ from the plan that was accepted last, in the order of the tree."""
        before = {node.id: node.share for node in self.base.walk()}
        return tuple(
            ShareChange(id=node.id, share=node.share, old=before[node.id])
            for node in self.plan.walk()
            if node.id in before and node.share != before[node.id]
        )


def whole_of(plan: Plan, member: str) -> Fraction:
    """Return the exact part of the whole cluster that a node, the root or an open part is."""
    if not member.endswith("/open"):
        return plan.absolute_share(member)
    parent = member.removesuffix("/open")
    left = 1 - sum((child.share for child in plan.children_of(parent)), start=Fraction(0))
    return plan.absolute_share(parent) * left
