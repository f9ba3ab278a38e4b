"""What comes of choices: computed by the scheduler, the same for the same choices, and added up without a gap."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allotment.lessons.game.choice import CAREFUL, CHOICES, GRABBING, Choice, High
from allotment.lessons.game.course import Course
from allotment.lessons.game.outcome import NO_EFFECT, PLAYED, Half, by_seat, compare, effect
from allotment.lessons.game.score import Score, play_half, play_round, total
from allotment.lessons.game.setting import NODE, POLICIES, ROUND, WARMUP, Setting, draw
from allotment.model.codes import EndCode, Priority

SETTING = Setting(seats=3, rounds=3, seed=4)
DRAWN = draw(SETTING)
ROUNDS = st.lists(st.tuples(*[st.sampled_from(CHOICES)] * 3), min_size=1, max_size=3)
POLICY = st.sampled_from(POLICIES)


@settings(max_examples=25, deadline=None)
@given(ROUNDS, POLICY)
def test_the_same_choices_and_the_same_seed_come_to_the_same(choices, policy):
    once = play_half(SETTING, DRAWN, policy, choices)
    assert play_half(SETTING, draw(SETTING), policy, choices) == once
    half = Half(SETTING, DRAWN, policy)
    for of_round in choices:
        half.play(of_round)
    assert half.played == once


@settings(max_examples=15, deadline=None)
@given(ROUNDS, st.tuples(*[st.sampled_from(CHOICES)] * 3), POLICY)
def test_what_is_chosen_later_changes_nothing_of_what_was_played(choices, later, policy):
    before = play_half(SETTING, DRAWN, policy, choices)
    after = play_half(SETTING, DRAWN, policy, [*choices[:2], later])
    assert after[: len(choices[:2])] == before[:2]


@settings(max_examples=25, deadline=None)
@given(ROUNDS, POLICY)
def test_the_books_of_the_rounds_agree_with_what_the_scheduler_logged(choices, policy):
    course, played = Course(SETTING, DRAWN, policy), []
    for of_round in choices:
        before = course.copy()
        played.append(play_round(course, of_round))
        assert before.now == course.now - ROUND
    log = course.copy()._engine.close()
    of = log.slices
    take, own = of["take"].astype(np.int64), of["job"] < 2 * DRAWN.count
    sums = total(by_seat(played))
    inside = 0
    for each in course.inside:
        node = of[(of["job"] == each.session) & (of["start"] <= each.start) & (of["end"] >= each.start)]
        if int(node["end"].max()) >= each.end:
            inside += int(DRAWN.table.gpus[each.job]) * (each.end - each.start)
    warm = play_before(policy)
    assert sums.work == int((take * of["kept"])[own].sum()) + inside - warm
    begun = np.minimum(np.maximum(of["start"], WARMUP), of["end"])
    assert sum(each.held for each in played) == int((take * (of["end"] - begun)).sum())
    assert all(each.held <= each.capacity for each in played)
    assert all(one.idle >= 0 for each in played for one in each.scores)
    asked = (DRAWN.asked >= WARMUP) & (DRAWN.asked < course.now)
    assert sums.jobs == int(asked.sum())
    assert len(sums.waits) == int((asked & DRAWN.debug).sum())
    assert sums.stopped >= int(((of["end_code"] == EndCode.PREEMPTED) & own & (of["end"] >= WARMUP)).sum())


def play_before(policy: str) -> int:
    """Return the GPU-seconds of work that are kept of the time before the first round."""
    of = Course(SETTING, DRAWN, policy)._engine.close().slices
    return int((of["take"].astype(np.int64) * of["kept"]).sum())


def test_both_regimes_and_every_choice_meet_the_same_jobs():
    asked = {
        (policy, choice): tuple(len(one.waits) for one in play_half(SETTING, DRAWN, policy, [(choice,) * 3])[0].scores)
        for policy in POLICIES
        for choice in (CAREFUL, GRABBING)
    }
    assert len(set(asked.values())) == 1
    careful, most = (slice(at, at + DRAWN.count) for at in (0, DRAWN.count))
    table = DRAWN.table
    for name in ("gpus", "work", "kind", "leaf", "checkpoint", "restart"):
        column = getattr(table, name)
        assert np.array_equal(column[careful], column[most]), name
    assert not np.array_equal(table.min_runtime[careful], table.min_runtime[most])


@pytest.mark.parametrize(("high", "part"), [(High.NONE, 0), (High.HALF, 0.5), (High.ALL, 1)])
def test_as_many_trainings_are_marked_as_were_chosen_and_every_debug_session(high, part):
    course = Course(SETTING, DRAWN, "priority")
    log = course.play((Choice(high=high),) * 3)
    mine = (course.row >= 0) & (DRAWN.asked >= WARMUP)
    marked = course.high[mine & ~DRAWN.debug]
    assert abs(marked.mean() - part) < 0.1
    assert course.high[mine & DRAWN.debug].all()
    assert np.all(log.jobs["submit"][course.row[mine]] == DRAWN.asked[mine])
    assert set(course._engine._jobs["priority"][course.row[mine]]) <= {Priority.NORMAL, Priority.HIGH}


def test_a_kept_node_is_used_without_a_wait_and_idles_between_and_is_given_back():
    course = Course(SETTING, DRAWN, "priority")
    keeps = (Choice(high=High.ALL, keep=True), CAREFUL, CAREFUL)
    first, second = play_round(course, keeps), play_round(course, keeps)
    assert len({each.session for each in course.inside}) == 1  # the same node, without asking anew
    in_there = [each for each in course.inside if each.start >= WARMUP + ROUND]
    assert len(in_there) > 5
    assert second.scores[0].waits.count(0) >= len(in_there)
    used = sum(int(DRAWN.table.gpus[each.job]) * (each.end - each.start) for each in in_there)
    assert second.scores[0].idle == NODE * ROUND - used
    at_once = {each.start for each in in_there}
    for moment in at_once:
        there = [each for each in in_there if each.start <= moment < each.end]
        assert sum(int(DRAWN.table.gpus[each.job]) for each in there) <= NODE
    third = play_round(course, (CAREFUL,) * 3)
    assert third.scores[0].idle == first.scores[1].idle == 0


def test_a_careful_team_does_nothing_to_the_others_and_a_grabbing_one_does_under_priorities():
    half = Half(SETTING, DRAWN, "priority")
    for _ in range(3):
        half.play((GRABBING, CAREFUL, CAREFUL))
    assert all(effects[1:] == (NO_EFFECT, NO_EFFECT) for effects in half.effects)
    assert all(effects[0].gained > 0 and effects[0].points > 0 for effects in half.effects)


def test_an_effect_is_the_difference_to_having_been_careful():
    def score(in_time: int, work: int) -> Score:
        return Score(waits=(0,) * in_time, work=work, idle=0, lost=0, stopped=0, jobs=0, high=0)

    found = effect(0, [score(5, 36_000), score(1, 0)], [score(3, 0), score(4, 72_000)])
    assert (found.gained, found.late, found.work, found.points) == (3, 3, 72_000, 5)


def test_the_comparison_holds_what_was_played_and_what_would_have_been():
    grabbed, careful = ((GRABBING,) * 3,) * 3, ((CAREFUL,) * 3,) * 3
    first = compare(SETTING, (grabbed, ()))
    assert [name for name, _ in first.rows] == [PLAYED[0], "priorities, had all been careful"]
    assert len(first.effects) == 1
    whole = compare(SETTING, (grabbed, careful))
    of = dict(whole.rows)
    assert len(of) == 5
    assert whole.rows[:2] == first.rows
    assert of[PLAYED[1]] == of["budgets, had all been careful"]
    assert of["budgets, with the choices made under priorities"] == play_half(SETTING, DRAWN, "budgets", grabbed)
    assert whole.effects[1] == (NO_EFFECT,) * 3
