"""What holds of the plan-tree editor whatever is done in it."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import attrs
from hypothesis import given, note, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from allotment.model.changeset import apply as apply_changeset
from allotment.model.plan import Plan
from allotment.views.plan_editor.draft import Draft, Notice
from allotment.views.plan_editor.family import family, spread
from allotment.views.plan_editor.state import apply, state_of
from tests.views.plan_editor.intents import JSON, drafts, intents

EDITS = ("drag", "move_divider", "set_share", "lock", "add", "rename", "move", "remove", "set_limits")


def bare(draft: Draft) -> Draft:
    return attrs.evolve(draft, notice=Notice())


def let_go(draft: Draft) -> Draft:
    return bare(apply(draft, {"type": "drop"}))


def locked_parts(draft: Draft, plan: Plan) -> dict[str, tuple[str, Fraction]]:
    return {node: (plan.parent(node), plan.node(node).share) for node in draft.locks if node in plan.ids}


class Editing(RuleBasedStateMachine):
    """Somebody who does anything that the editor allows, in any order, and much that it does not."""

    draft: Draft

    @initialize(draft=drafts())
    def begin(self, draft: Draft) -> None:
        self.draft = draft

    @rule(data=st.data())
    def do(self, data: st.DataObject) -> None:
        intent = data.draw(intents(self.draft))
        self.check_lock(self.draft, intent)
        before, self.draft = self.draft, apply(self.draft, intent)
        assert apply(before, intent) == self.draft
        if self.draft.notice.kind == "refused":
            assert self.draft.notice.text
            assert bare(self.draft) in (bare(before), let_go(before))

    @rule(data=st.data())
    def do_and_undo_and_redo(self, data: st.DataObject) -> None:
        before = let_go(self.draft)
        after = let_go(apply(before, data.draw(intents(before, EDITS))))
        if len(after.past) == len(before.past):
            assert (after.plan, after.locks) == (before.plan, before.locks)
            return
        back = apply(after, {"type": "undo"})
        assert (back.plan, back.locks, back.past) == (before.plan, before.locks, before.past)
        again = apply(back, {"type": "redo"})
        assert (again.plan, again.locks, again.past) == (after.plan, after.locks, after.past)
        self.draft = again

    def check_lock(self, before: Draft, intent: dict[str, Any]) -> None:
        if intent["type"] not in ("undo", "redo", "cancel"):
            held = locked_parts(before, before.plan)
            after = apply(before, intent)
            assert locked_parts(before, after.plan) == held

    @invariant()
    def siblings_and_the_open_part_are_the_whole_of_their_parent(self) -> None:
        plan = self.draft.plan
        for parent in ("root", *[node.id for node in plan.walk() if node.children]):
            shares = family(plan, parent)
            assert sum(shares.values()) == 1
            assert all(share >= 0 for share in shares.values())

    @invariant()
    def the_state_is_json_and_draws_what_the_plan_says(self) -> None:
        state = state_of(self.draft)
        assert json.loads(json.dumps(state, allow_nan=False)) == state
        rows = {row["id"]: row for row in state["rows"]}
        assert [row["id"] for row in state["rows"] if row["selected"]] == [self.draft.selected]
        for node in self.draft.plan.walk():
            assert rows[node.id]["size"] == float(self.draft.plan.absolute_share(node.id))
        for row in state["rows"]:
            if row["parent"]:
                above = rows[row["parent"]]
                assert above["start"] - 1e-9 <= row["start"]
                assert row["start"] + row["size"] <= above["start"] + above["size"] + 1e-9
        for divider in state["dividers"]:
            assert divider["min"] <= divider["now"] <= divider["max"]
            first = rows[divider["id"]]
            assert abs(divider["at"] - first["start"] - first["size"]) < 1e-9

    @invariant()
    def what_was_accepted_can_be_done_to_the_plan_before_it(self) -> None:
        for edit in self.draft.accepted:
            assert edit.author
            assert edit.reason
            if not edit.structure:
                assert edit.changeset(0).shares == edit.shares


TestEditing = Editing.TestCase
TestEditing.settings = settings(max_examples=60, stateful_step_count=20, deadline=None)


@given(drafts(), JSON)
def test_whatever_is_sent_the_editor_answers_and_what_is_no_intent_changes_nothing(draft, sent):
    intent = sent if isinstance(sent, dict) else {"type": sent}
    after = apply(draft, intent)
    assert after.notice.kind == "refused"
    assert bare(after) == draft


@given(st.data(), drafts())
def test_an_intent_with_anything_in_its_fields_never_raises(data, draft):
    intent = data.draw(intents(draft))
    for key in data.draw(st.lists(st.sampled_from(sorted({*intent} - {"type"}) or ["x"]))):
        intent[key] = data.draw(JSON)
    note(repr(intent))
    state_of(apply(draft, intent))


@given(st.data(), drafts())
def test_an_accepted_edit_of_shares_is_a_changeset_that_leads_to_the_same_plan(data, draft):
    before = draft.plan
    for _ in range(3):
        draft = apply(draft, data.draw(intents(draft, ("move_divider", "set_share"))))
    accepted = apply(draft, {"type": "accept", "author": "A. Director", "reason": "next quarter"}).accepted
    if not accepted:
        assert draft.plan == before
        return
    assert apply_changeset(before, accepted[-1].changeset(3600)) == draft.plan


@given(st.data(), drafts())
def test_a_drag_ends_where_its_last_move_says_whatever_came_between(data, draft):
    moves = data.draw(st.lists(st.floats(-1, 1), min_size=1, max_size=5))
    divider = data.draw(st.sampled_from(draft.plan.ids))
    wandering = draft
    for amount in moves:
        wandering = apply(wandering, {"type": "drag", "divider": divider, "amount": amount})
    straight = apply(draft, {"type": "drag", "divider": divider, "amount": moves[-1]})
    assert let_go(wandering).plan == let_go(straight).plan
    assert len(let_go(wandering).past) <= len(draft.past) + 1
    assert bare(apply(wandering, {"type": "cancel"})).plan == draft.plan


@given(st.dictionaries(st.text(max_size=3), st.fractions(0, 1), min_size=1, max_size=8), st.fractions(0, 1))
def test_what_is_spread_sums_exactly_and_keeps_the_proportions(shares, total):
    found = spread(shares, total)
    assert sum(found.values()) == total
    assert all(part >= 0 for part in found.values())
    now = sum(shares.values())
    for name, part in found.items():
        due = shares[name] * total / now if now else total / len(shares)
        assert abs(part - due) <= Fraction(len(shares), 1_000_000)
