"""The whole answer, as a panel and as a reader gets it."""

from __future__ import annotations

import json

import attrs
import pytest

import allotment
from allotment.errors import NotFoundError, SimulationError
from allotment.explain.answer import before, why
from allotment.explain.rerun import Rerun
from allotment.presets.simulate import simulate
from allotment.units import HOUR
from allotment.views import answers
from tests.laws.cases import SHIPPED


@pytest.fixture(scope="module")
def result():
    return simulate("small-week")


@pytest.mark.parametrize("policy", SHIPPED)
def test_every_policy_answers_for_those_who_waited_longest_and_for_some_others(policy):
    result = simulate("small-week", policy=policy, days=1)
    order = result.jobs.sort_values("queued")["job"].tolist()
    for job in (order[-1], order[-len(order) // 10], order[-len(order) // 4]):
        found = why(result, job, what_if=False)
        assert found.waited == found.job.queued
        assert sum(cause.seconds for cause in found.causes) == found.waited
        assert found.unexplained == 0
        if found.at is not None:
            assert found.why is not None
            stopped = found.why.code.startswith("stopped_")
            assert all(bool(each) is not stopped for each in (found.turn, found.room, found.next))
        json.dumps(found.plain(), allow_nan=False)
        assert all(text.endswith(".") for text in found.sentences)


def test_an_answer_has_its_three_lines_in_order(result):
    found = why(result, 502, what_if=False)
    codes = [each.code for each in (*found.turn, *found.room, found.next)]
    assert codes[0] == "turn_balance"
    assert codes.index("room_none") > codes.index("turn_ahead")
    assert codes[-1].startswith("next_")
    assert found.sentences[0] == found.why.sentence


def test_a_moment_can_be_named_and_has_its_own_reason(result):
    found = why(result, 502, what_if=False)
    for each in found.life:
        at = why(result, 502, each.begin, what_if=False)
        assert (at.at, at.why) == (each.begin, each.reason)
    early = found.life[0].begin - 1
    with pytest.raises(
        NotFoundError, match=f"job 502 neither waited nor ran at {early} s .*; it waited from {found.life[0].begin} to"
    ):
        why(result, 502, early)
    with pytest.raises(NotFoundError, match="is not within the run, which ends at"):
        why(result, 502, 10**9)


def test_at_a_moment_at_which_it_ran_it_is_told_how_and_what_could_not_change_any_more(result):
    slices = result.slices[(result.slices["end"] - result.slices["start"] > 9 * HOUR).to_numpy()]
    state = result.segments.set_index("slice")["state"].astype(str)
    number = next(each for each in slices["slice"] if "protected" in state.loc[[each]].tolist())
    of = slices[(slices["slice"] == number).to_numpy()].iloc[0]
    rows = result.segments[(result.segments["slice"] == number).to_numpy()]
    job = int(of["job"])
    for row in rows.itertuples():
        found = why(result, job, int(row.begin), what_if=False)
        assert (found.why.code, found.at) == (f"runs_{row.state}", row.begin)
        if row.state == "protected" and row.end < of["end"]:
            assert found.why.parameters["until"] == row.end
        assert (found.turn, found.room, found.next) == ((), (), None)
    found = why(result, job, int(rows["begin"].iloc[0]) + HOUR)
    assert "cannot_claim" in {each.code for each in found.cannot}
    claims = [each for each in found.what_if if each.change.code in ("if_gpus", "if_min_runtime", "if_no_contract")]
    assert claims
    assert all(each.since == found.job.submit and each.instead.code == "cannot_claim" for each in claims)
    assert all(each.since == found.at for each in found.what_if if each.instead is None)
    assert "if_saved" in {each.change.code for each in found.what_if}


def test_a_job_behind_another_is_told_what_that_one_waits_for(result):
    found = why(result, 522, what_if=False)
    assert found.why.code == "behind"
    assert found.behind is not None
    assert found.behind[0] == found.why.parameters["other"]
    first = why(result, found.behind[0], found.at, what_if=False)
    assert first.why == found.behind[1]
    chance = first.next.parameters.get("time")
    assert found.next.code == ("next_after" if chance is None else "next_after_at")
    assert found.next.parameters.get("time") == chance


def test_a_job_whose_room_is_held_for_another_is_told_until_when_and_whether_that_has_passed(result):
    waits = result.jobs.sort_values("queued")["job"].iloc[-60:].tolist()
    codes = set()
    for job in (502, *waits[::6]):
        for each in why(result, job, what_if=False).life:
            if each.reason.code in ("held", "holding") and len(codes) < 4:
                found = why(result, job, each.begin, what_if=False)
                due = found.next.parameters["due"]
                assert due == each.reason.parameters["due"]
                assert found.next.code.endswith("overdue") == (due <= each.begin)
                codes.add(found.next.code)
                break
    assert {"next_after_overdue"} <= codes <= {"next_after_due", "next_after_overdue", "next_due", "next_overdue"}


def test_a_job_that_is_not_there_is_told_with_the_nearest(result):
    with pytest.raises(
        NotFoundError, match=r"there is no job 10000000 among the \d+ of this result; .*the nearest is \d+"
    ):
        why(result, 10_000_000)
    with pytest.raises(NotFoundError, match="there is no job"):
        before(result, 502, 10_000_000, 0)


def test_a_job_that_never_waited_has_nothing_to_explain(result):
    job = int(result.jobs[(result.jobs["queued"] == 0).to_numpy()]["job"].iloc[0])
    found = why(result, job, what_if=False)
    assert (found.at, found.why, found.turn, found.room, found.next, found.life) == (None, None, (), (), None, ())
    over = int(found.job.end)
    with pytest.raises(NotFoundError, match=f"job {job} never waited, so there is nothing to explain at {over} s"):
        why(result, job, over)


def test_a_result_that_its_scenario_does_not_give_any_more_is_refused(result):
    other = attrs.evolve(result, jobs_drawn="0" * 32)
    with pytest.raises(SimulationError, match="gives another run, so it cannot be explained"):
        Rerun(other)
    moved = result.jobs.copy()
    moved.loc[moved["job"] == 502, "queued"] += 1
    with pytest.raises(SimulationError, match="ask the result of the fleet, or simulate the scenario by itself"):
        why(attrs.evolve(result, jobs=moved), 502)


def test_it_is_public_and_works_on_what_was_saved(result, tmp_path):
    allotment.save_result(result, tmp_path / "week")
    again = allotment.why(allotment.read_result(tmp_path / "week"), 603)
    assert again.plain() == allotment.why(result, 603).plain()
    assert again.remedy is not None


def test_where_no_moment_is_named_changes_count_from_the_submission_and_else_what_had_gone_is_told(result):
    whole = why(result, 645)
    assert whole.since == whole.job.submit < whole.at
    assert {each.gone for each in whole.what_if} == {0}
    named = why(result, 645, whole.at)
    waited = sum(each.seconds for each in named.life if each.end <= whole.at)
    assert named.since == named.at == whole.at
    assert named.gone == waited > 0
    for each in named.what_if:
        assert each.gone == (waited if each.since == whole.at else 0)
        assert each.halves == (2 * each.gained >= each.delay - each.gone)
    assert "of its delay of" in answers.remedy(named)
    assert "of its delay of" not in answers.remedy(whole)


def test_who_stands_in_front_is_told_with_all_that_it_waited_for_meanwhile(result):
    found = why(result, 605, what_if=False)
    stood = [each for each in found.life if each.reason.parameters.get("other") == found.behind[0]]
    behind = sum(each.seconds for each in stood if each.reason.code == "behind")
    assert sum(each.seconds for each in found.front) == behind > 0
    assert f"Job {found.behind[0]} came first for" in answers.cause(found)
