"""What the plan-tree editor shows and says, in the numbers of a plan that can be followed by hand."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from allotment.presets import load_plan
from allotment.views.plan_editor.draft import Draft
from allotment.views.plan_editor.state import apply, state_of

SCRIPT = "<img src=x onerror=alert(1)>"


@pytest.fixture
def draft() -> Draft:
    return Draft(plan=load_plan("fifteen-teams"), gpus=1024)


def after(draft: Draft, *intents: dict[str, Any]) -> Draft:
    for intent in intents:
        draft = apply(draft, intent)
        assert draft.notice.kind != "refused", draft.notice.text
    return draft


def refusal(draft: Draft, **intent: Any) -> str:
    answered = apply(draft, intent)
    assert answered.notice.kind == "refused"
    assert answered.plan == draft.plan
    return answered.notice.text


def row(draft: Draft, member: str) -> dict[str, Any]:
    return next(each for each in state_of(draft)["rows"] if each["id"] == member)


def shares(draft: Draft, *nodes: str) -> list[Fraction]:
    return [draft.plan.node(node).share for node in nodes]


def test_a_share_is_shown_in_four_units(draft):
    said = {
        unit: row(after(draft, {"type": "unit", "unit": unit}), "language")["shown"]
        for unit in ("whole", "parent", "hours", "gpus")
    }
    assert said == {"whole": "16.0 %", "parent": "50.0 %", "hours": "27.5 k GPU-h", "gpus": "163.8 GPUs"}


@pytest.mark.parametrize(
    ("unit", "text"),
    [("whole", "8"), ("parent", "25 %"), ("hours", "13,762.56"), ("hours", "13.76256 k"), ("gpus", "81.92")],
)
def test_the_same_share_can_be_typed_in_every_unit(draft, unit, text):
    typed = after(draft, {"type": "unit", "unit": unit}, {"type": "set_share", "id": "language", "value": text})
    assert shares(typed, "language") == [Fraction(1, 4)]


def test_siblings_pay_pro_rata_and_the_locked_one_does_not(draft):
    locked = after(draft, {"type": "lock", "id": "platform", "locked": True})
    paid = after(locked, {"type": "set_share", "id": "science", "value": "19"})
    assert shares(paid, "science", "platform") == [Fraction(19, 100), Fraction(8, 100)]
    assert shares(paid, "pretraining", "posttraining", "multimodal") == [
        Fraction(288, 1000),
        Fraction(198, 1000),
        Fraction(144, 1000),
    ]
    assert row(paid, "root/open")["shown"] == "10.0 %"
    assert "'Pretraining' 32.0 % → 28.8 %" in paid.notice.text


def test_one_sibling_or_the_open_part_pays_alone(draft):
    node = after(
        draft,
        {"type": "take", "way": "node", "payer": "platform"},
        {"type": "set_share", "id": "science", "value": "15"},
    )
    assert shares(node, "science", "platform", "pretraining") == [Fraction(3, 20), Fraction(1, 20), Fraction(8, 25)]
    left = after(draft, {"type": "take", "way": "open"}, {"type": "set_share", "id": "science", "value": "22"})
    assert row(left, "root/open")["shown"] == "0.0 %"
    assert shares(left, "pretraining") == [Fraction(8, 25)]


def test_a_divider_exchanges_between_its_two_neighbours_and_says_where_it_stops(draft):
    moved = after(draft, {"type": "move_divider", "divider": "language", "points": 5})
    assert shares(moved, "language", "scaling", "data") == [Fraction(11, 20), Fraction(1, 4), Fraction(1, 5)]
    far = apply(moved, {"type": "move_divider", "divider": "language", "points": 50})
    assert shares(far, "language", "scaling") == [Fraction(4, 5), 0]
    assert far.notice.kind == "stopped"
    assert "'Scaling' has nothing left to give" in far.notice.text
    assert "'Scaling' has nothing left" in refusal(far, type="move_divider", divider="language", points=1)


def test_a_divider_says_its_limits_and_a_locked_neighbour_holds_it(draft):
    found = {each["id"]: each for each in state_of(draft)["dividers"]}
    assert (found["language"]["now"], found["language"]["min"], found["language"]["max"]) == (50.0, 0.0, 80.0)
    assert found["language"]["text"] == "Language 16.0 %, Scaling 9.6 %"
    assert found["platform"]["text"] == "Platform 8.0 %, open 10.0 %"
    locked = after(draft, {"type": "lock", "id": "scaling", "locked": True})
    held = {each["id"]: each for each in state_of(locked)["dividers"]}["language"]
    assert held["min"] == held["now"] == held["max"]
    assert held["why"] == "'Scaling' is locked: unlock it to move this divider, or move another"
    assert refusal(locked, type="drag", divider="language", amount=0.1) == held["why"]


def test_a_drag_is_one_step_whose_shares_are_whole_tenths_of_points(draft):
    held = after(
        draft,
        {"type": "drag", "divider": "language", "amount": 0.031},
        {"type": "drag", "divider": "language", "amount": 0.07777},
    )
    assert shares(held, "language") == [Fraction(578, 1000)]
    assert held.past == ()
    dropped = after(held, {"type": "drop"})
    assert [step.done for step in dropped.past] == ["divided 'Language' and 'Scaling' anew"]
    assert after(dropped, {"type": "undo"}).plan == draft.plan
    assert after(held, {"type": "cancel"}).plan == draft.plan


def test_a_third_is_not_rounded_by_a_touch():
    thirds = Draft(plan=load_plan("three-teams"), gpus=8)
    touched = after(thirds, {"type": "drag", "divider": "birch", "amount": 0.0004}, {"type": "drop"})
    assert touched.plan == thirds.plan
    assert touched.past == ()


@pytest.mark.parametrize(
    ("intent", "names"),
    [
        ({"type": "set_share", "id": "science", "value": "many"}, ["'many'", "'Science'", "12.5"]),
        ({"type": "set_share", "id": "science", "value": "95"}, ["'Science'", "'95'", "90.0 % at most", "take from"]),
        (
            {"type": "set_share", "id": "climate", "value": "13"},
            ["'Climate'", "'13'", "all of its parent is 12 %", "type less"],
        ),
        ({"type": "add", "parent": "science", "name": "Climate"}, ["'Climate'", "'Science'", "another name"]),
        ({"type": "rename", "id": "climate", "name": "a/b"}, ["must not hold '/'"]),
        ({"type": "move", "id": "science", "to": "climate"}, ["'Science'", "into itself", "another parent"]),
        ({"type": "move", "id": "climate", "to": "science"}, ["'Climate'", "'Science'", "already"]),
        ({"type": "set_limits", "id": "climate", "allocated": "few"}, ["'few'", "'Climate'", "whole GPUs"]),
        ({"type": "remove", "id": "gone"}, ["'gone'", "undo"]),
        ({"type": "undo"}, ["nothing to undo"]),
        ({"type": "redo"}, ["nothing to redo"]),
        ({"type": "accept", "author": "", "reason": "x"}, ["nothing to sign for"]),
    ],
)
def test_what_is_impossible_names_thing_value_and_way_out(draft, intent, names):
    text = refusal(draft, **intent)
    for name in names:
        assert name in text


def test_a_locked_node_is_neither_set_nor_moved_nor_removed(draft):
    locked = after(draft, {"type": "lock", "id": "science", "locked": True})
    for intent in (
        {"type": "set_share", "id": "science", "value": "5"},
        {"type": "move", "id": "science", "to": "platform"},
        {"type": "remove", "id": "science"},
    ):
        assert "'Science' is locked at 12.0 % of the cluster: unlock it" in refusal(locked, **intent)
    assert "'Science' is locked: unlock it" in refusal(locked, type="move_divider", divider="science", points=1)
    inside = after(draft, {"type": "lock", "id": "climate", "locked": True})
    assert "'Climate' is locked" in refusal(inside, type="remove", id="science")


def test_the_last_budget_stays():
    alone = Draft(plan=load_plan("three-teams"), gpus=8)
    alone = after(alone, {"type": "remove", "id": "alder"}, {"type": "remove", "id": "birch"})
    assert "'Cedar' is the only budget" in refusal(alone, type="remove", id="cedar")
    added = after(alone, {"type": "add", "parent": "cedar", "name": "Sapling"})
    assert "'Cedar' cannot move into itself" in refusal(added, type="move", id="cedar", to="sapling")


def test_a_node_that_moves_keeps_its_part_of_the_cluster_as_far_as_it_can(draft):
    moved = after(draft, {"type": "move", "id": "climate", "to": "platform"})
    assert moved.plan.parent("climate") == "platform"
    assert moved.plan.absolute_share("climate") == Fraction(6, 100)
    assert shares(moved, "biology", "chemistry") == [Fraction(3, 5), Fraction(2, 5)]
    large = after(draft, {"type": "move", "id": "language", "to": "platform"})
    assert large.plan.absolute_share("language") == Fraction(8, 100)
    assert "16.0 % → 8.0 %" in large.notice.text


def test_a_name_that_is_html_is_a_name_and_its_id_is_plain(draft):
    added = after(draft, {"type": "add", "parent": "science", "name": SCRIPT, "value": "1"})
    (node,) = [each for each in added.plan.walk() if each.name == SCRIPT]
    assert node.id == "img-src-x-onerror-alert-1"
    assert row(added, node.id)["name"] == SCRIPT
    assert added.plan.absolute_share(node.id) == Fraction(1, 100)
    twin = after(added, {"type": "add", "parent": "platform", "name": SCRIPT})
    assert "img-src-x-onerror-alert-1-2" in twin.plan.ids


def test_an_accepted_edit_of_shares_is_a_changeset_and_one_of_the_tree_is_not(draft):
    edited = after(draft, {"type": "move_divider", "divider": "science", "points": 2})
    assert state_of(edited)["changes"]["shares"] == ["Science: 12.0 % → 14.0 %", "Platform: 8.0 % → 6.0 %"]
    signed = after(edited, {"type": "accept", "author": "A. Director", "reason": "the launch"})
    (edit,) = signed.accepted
    changeset = edit.changeset(7 * 86_400)
    assert (changeset.author, changeset.reason, changeset.time) == ("A. Director", "the launch", 604_800)
    assert [(each.id, each.old, each.share) for each in changeset.shares] == [
        ("science", Fraction(12, 100), Fraction(14, 100)),
        ("platform", Fraction(8, 100), Fraction(6, 100)),
    ]
    assert not state_of(signed)["changes"]["any"]
    more = after(
        signed, {"type": "remove", "id": "audio"}, {"type": "accept", "author": "A. Director", "reason": "closed"}
    )
    assert more.accepted[-1].structure == ("'Audio' removed",)
    with pytest.raises(ValueError, match="cannot change during a run; start a run with its plan instead"):
        more.accepted[-1].changeset(0)
    assert "new run" in state_of(more)["words"]["before_run"]


def test_rows_say_to_a_screen_reader_what_the_picture_shows(draft):
    assert row(draft, "reasoning")["aria"] == "Reasoning, 9.9 % of the cluster, 45.0 % of Posttraining"
    locked = after(draft, {"type": "lock", "id": "science", "locked": True}, {"type": "unit", "unit": "hours"})
    assert row(locked, "science")["aria"] == "Science, 12.0 % of the cluster, 20.6 k GPU-h a week, locked"
    assert row(draft, "root")["aria"] == "Whole cluster, 1,024 GPUs, 172 k GPU-h a week"
    assert (
        state_of(draft)["summary"]
        == "15 teams in 5 budgets have 90.0 % of 1,024 GPUs, 172 k GPU-h a week; 10.0 % is open"
    )


def test_what_was_changed_says_what_it_was(draft):
    edited = after(draft, {"type": "set_share", "id": "science", "value": "17"})
    assert row(edited, "science")["was"] == "was 12.0 %"
    assert row(draft, "science")["was"] == ""
    added = after(edited, {"type": "add", "parent": "science", "name": "Ocean"})
    assert row(added, "ocean")["was"] == "new"
