"""A job that becomes another in the middle of a run: the books stay right, the past stays, and nothing changed is nothing changed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from allotment.errors import SimulationError
from allotment.kernel.engine import Engine
from allotment.model.codes import JobState
from tests.laws.books import wrong_books
from tests.laws.cases import SHIPPED, cases
from tests.laws.effort import runs
from tests.laws.happenings import do, drive, reach
from tests.laws.made import budgets, job, plan, scenario, table

POLICIES = [*SHIPPED, None]  # None: one that Hypothesis invents
every_policy = pytest.mark.parametrize("name", POLICIES, ids=[name or "invented" for name in POLICIES])


def at_a_moment(data, name):
    """Return a case, an engine in the middle of it, and what the world still does."""
    case = data.draw(cases(name, passes=60, fewest=6))
    engine = Engine(case.scenario, case.table)
    time = data.draw(st.integers(0, case.scenario.horizon - 1))
    before = [each for each in case.happenings if each.time < time]
    for each in before:
        reach(engine, each.time)
        do(engine, each)
    reach(engine, time)
    return case, engine, [each for each in case.happenings if each.time >= time]


def told(log):
    return [log.jobs.tolist(), log.slices.tolist(), log.segments.tolist(), log.decisions.tolist()]


@every_policy
@runs(15)
@given(data=st.data())
def test_a_copy_goes_on_like_the_run_and_leaves_it_alone(name, data):
    case, engine, later = at_a_moment(data, name)
    other, again = engine.copy(), engine.copy()
    log = drive(other, case.scenario.horizon, later)
    assert told(drive(engine, case.scenario.horizon, later)) == told(log)
    assert told(drive(again, case.scenario.horizon, later)) == told(log)


@every_policy
@runs(15)
@given(data=st.data())
def test_a_job_that_asks_for_what_it_asked_changes_nothing(name, data):
    case, engine, later = at_a_moment(data, name)
    same = engine.copy()
    asked = data.draw(st.integers(0, len(case.table) - 1))
    if JobState(engine.job(asked)["state"]) in (JobState.UNSUBMITTED, JobState.WAITING, JobState.RUNNING):
        try:
            same.alter(asked, {"priority": same.job(asked)["priority"]})
        except SimulationError:  # it was over in this very second
            return
        assert wrong_books(same) == []
    there = told(drive(same, case.scenario.horizon, later))
    assert there == told(drive(engine, case.scenario.horizon, later))


@every_policy
@runs(40)
@given(data=st.data())
def test_the_books_are_right_whatever_a_job_becomes_and_the_past_stays(name, data):
    case, engine, later = at_a_moment(data, name)
    time, cluster = engine.now, case.scenario.cluster
    contracts = case.scenario.policy.contracts
    unchanged = told(engine.copy().so_far())
    asked = data.draw(st.integers(0, len(case.table) - 1))
    work = int(engine.job(asked)["work"])
    values = {
        "gpus": st.integers(1, min(cluster.gpus, 2 * cluster.gpus_per_node)),
        "work": st.integers(work, 2 * work),
        "min_runtime": st.integers(0, 4_000 if contracts is None else contracts.cap),
        "priority": st.integers(1, 4),
        "checkpoint": st.integers(0, 900),
    }
    chosen = data.draw(st.sets(st.sampled_from(sorted(values)), min_size=1))
    try:
        engine.alter(asked, {each: data.draw(values[each]) for each in sorted(chosen)})
    except SimulationError:
        state = JobState(engine.job(asked)["state"])
        assert state not in (JobState.UNSUBMITTED, JobState.WAITING)
        assert told(engine.copy().so_far())[0][asked] == unchanged[0][asked] or state is not JobState.RUNNING
        return
    assert wrong_books(engine) == []
    log = drive(engine, case.scenario.horizon, later, right)
    base = [row for row in unchanged[3] if row[0] < time]
    assert log.decisions.tolist()[: len(base)] == base


def right(engine):
    """Check the books of an engine."""
    assert wrong_books(engine) == []


def stopped_at(engine, time):
    """Return how much work a job of an engine loses that is stopped at a moment, and what it keeps."""
    engine.advance(time)
    engine.fail(0)
    row = engine._state.slices[0]
    return int(row.lost) // int(row.gpus), int(row.kept)


def one(**more):
    """Return an engine at half past the first checkpoint of its one job, which saves every thousand seconds from 100 s on."""
    asked = {"checkpoint": 1_000, "resumable": True, "startup": 100, "asks": 600} | more
    jobs = [job("a", 8, 30_000, **asked)]
    engine = Engine(scenario(budgets(), plan(a="1/2", b="1/2"), horizon=9_000), table(["a", "b"], jobs))
    engine.advance(1_600)
    return engine


def test_a_checkpoint_out_of_turn_saves_what_was_done_and_the_next_comes_after_an_interval():
    assert stopped_at(one(), 1_700) == (600, 1_000)
    saved = one()
    saved.save(0)
    assert stopped_at(saved.copy(), 1_700) == (100, 1_500)
    assert stopped_at(saved.copy(), 2_599) == (999, 1_500)
    assert stopped_at(saved.copy(), 2_600) == (0, 2_500)
    assert stopped_at(one(), 2_599) == (499, 2_000)


def test_a_checkpoint_while_it_starts_up_saves_nothing():
    starting = one(startup=2_000)
    starting.save(0)
    assert stopped_at(starting.copy(), 2_500) == (2_500, 0)
    assert stopped_at(starting, 3_000) == (0, 1_000)


def test_more_frequent_checkpoints_count_from_now_on_and_save_nothing_of_before():
    often = one()
    often.alter(0, {"checkpoint": 200})
    assert stopped_at(often.copy(), 1_700) == (600, 1_000)
    assert stopped_at(often.copy(), 1_850) == (50, 1_700)


def test_a_job_that_could_not_save_can_from_now_on():
    never = one(checkpoint=0, resumable=False)
    never.alter(0, {"checkpoint": 200})
    assert stopped_at(never.copy(), 1_799) == (1_799, 0)
    assert stopped_at(never.copy(), 1_800) == (0, 1_700)


def test_a_job_that_runs_keeps_its_gpus_and_what_it_was_promised():
    for values in ({"gpus": 4}, {"min_runtime": 60}, {"work": 1}):
        with pytest.raises(SimulationError, match="job 0 is running, so its"):
            one().alter(0, values)
    with pytest.raises(SimulationError, match="there is no job 7"):
        one().alter(7, {"priority": 4})


def test_a_job_that_becomes_smaller_brings_no_other_of_its_stream():
    jobs = [job("a", 8, 600, asks=600), *(job("b", 4, 600, asks=600, stream=1) for _ in range(6))]
    engine = Engine(scenario(budgets(), plan(a="1/2", b="1/2"), horizon=9_000), table(["a", "b"], jobs, [(0, 8)]))
    engine.advance(15)
    submitted = (engine._state.jobs.submit[1:] >= 0).sum()
    for each in (1, 2):
        if engine.job(each)["state"] == JobState.WAITING:
            engine.alter(each, {"gpus": 1})
            engine.advance(engine.now + 1)
            assert (engine._state.jobs.submit[1:] >= 0).sum() == submitted
            break
    else:
        raise AssertionError("none of them waits")
    engine.advance(9_000)
    assert int(engine._state.streams[1].outstanding) == 0


def test_a_job_that_is_withdrawn_keeps_what_it_saved():
    engine = one()
    engine.withdraw(0)
    assert (engine.job(0)["done"], JobState(engine.job(0)["state"])) == (1_000, JobState.CANCELLED)
    assert wrong_books(engine) == []
