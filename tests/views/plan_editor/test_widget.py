"""The two shells of the plan-tree editor, without a browser: an intent comes, a state goes."""

from __future__ import annotations

from typing import Any

import pytest

from allotment.errors import AllotmentError
from allotment.presets import load_plan
from allotment.views.plan_editor.draft import Accepted
from allotment.views.plan_editor.widget import PlanEditor, PlanEditorPane

SHELLS = pytest.mark.parametrize("shell", [PlanEditor, PlanEditorPane])


@SHELLS
def test_an_intent_is_followed_and_the_state_says_which_it_answers(shell: Any) -> None:
    editor = shell("three-teams", gpus=8)
    assert editor.state["rows"][1]["shown"] == "50.0 %"
    editor.intent = {"type": "set_share", "id": "alder", "value": "40", "token": "view:1"}
    assert editor.state["heard"] == "view:1"
    assert editor.state["rows"][1]["shown"] == "40.0 %"
    assert str(editor.plan.node("alder").share) == "2/5"
    editor.intent = {"type": "undo", "token": "view:2"}
    editor.intent = {"type": "undo", "token": "view:3"}
    assert editor.state["heard"] == "view:3"
    assert editor.state["notice"]["kind"] == "refused"
    assert editor.plan == load_plan("three-teams")


@SHELLS
def test_whoever_asked_is_told_of_an_edit_that_was_signed_for_once_and_after_it_is_shown(shell: Any) -> None:
    told: list[tuple[str, bool]] = []
    seen: list[str] = []

    def tell(edit: Accepted) -> None:
        told.append((edit.author, editor.state["changes"]["any"]))

    editor = shell(load_plan("three-teams"), gpus=8, on_change=tell)
    editor.on_change(lambda edit: seen.append(edit.reason))
    editor.intent = {"type": "move_divider", "divider": "alder", "points": 1, "token": "view:1"}
    assert told == []
    editor.intent = {"type": "accept", "author": "A. Director", "reason": "the launch", "token": "view:2"}
    editor.intent = {"type": "select", "id": "alder", "token": "view:3"}
    assert told == [("A. Director", False)]
    assert seen == ["the launch"]
    assert [edit.changeset(0).author for edit in editor.accepted] == ["A. Director"]


@SHELLS
def test_a_plan_that_is_not_there_is_told_before_anything_is_shown(shell: Any) -> None:
    with pytest.raises(AllotmentError, match="three-team"):
        shell("three-team", gpus=8)


@SHELLS
@pytest.mark.parametrize("token", ["x" * 1_000_000, "\ud800", 7, ["view:1"], None])
def test_a_token_that_no_page_of_ours_sends_is_not_sent_back(shell: Any, token: Any) -> None:
    editor = shell("three-teams", gpus=8)
    editor.intent = {"type": "select", "id": "alder", "token": token}
    assert editor.state["heard"] == ""
    assert editor.state["selected"]["id"] == "alder"
