from __future__ import annotations

import attrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allotment.errors import InputError, SimulationError
from allotment.experiment.simulate import draw
from allotment.model.changeset import Changeset, ShareChange
from allotment.model.people import Impatience, Sessions
from allotment.units import DAY, HOUR
from allotment.world.live import LONGEST_SLICE, SHORTEST_SLICE, Live, Pace, due, next_slice
from allotment.world.people import with_people
from allotment.world.run import run
from tests.strategies import scenarios
from tests.world import made
from tests.world.fake import FakeScheduler

PEOPLE = (Sessions(people=2), Impatience(share=0.5, resubmit=0.5))
SCENARIO = made.scenario(health=made.HEALTH, people=PEOPLE)
TABLE = with_people(made.busy_jobs(), SCENARIO)


class Wall:
    """A wall clock that goes on by itself by `each` at every look, and otherwise when told."""

    def __init__(self, each=0.0):
        self.time = 100.0
        self.each = each

    def __call__(self):
        self.time += self.each
        return self.time


def live(scenario=SCENARIO, table=TABLE, **more):
    return Live(scenario, table, make=FakeScheduler, **more)


def same(one, other):
    return one.log == other.log and one.incidents.tolist() == other.incidents.tolist()


def test_a_watched_run_ends_like_any_other():
    watched = live()
    for seconds in (1, 59, 3600, 100_000):
        watched.step(seconds)
    watched.step_pass()
    watched.step_decision()
    assert same(watched.finish(), run(SCENARIO, TABLE, make=FakeScheduler))
    assert watched.pace is Pace.FINISHED


def test_a_run_that_ends_by_ticks_ends_like_any_other():
    wall = Wall()
    watched = live(wall=wall, speed=100_000)
    watched.resume()
    while watched.pace is Pace.RUNNING:
        wall.time += 1
        watched.tick()
    assert same(watched.close(), run(SCENARIO, TABLE, make=FakeScheduler))


def test_an_edited_run_is_the_run_of_the_scenario_that_it_leaves():
    planned = made.scenario(
        health=made.HEALTH,
        people=PEOPLE,
        changesets=(Changeset(time=5 * DAY, shares=(ShareChange(id="right", share="0.3"),)),),
    )
    watched = live(planned)
    watched.step(2 * DAY)
    first = watched.edit([ShareChange(id="left", share="0.2", old="0.5")], author="ada", reason="a deadline")
    watched.step(3 * DAY)  # up to the very second of the changeset that was planned
    watched.edit([ShareChange(id="left", share="0.6")], author="ada", reason="it is over")
    outcome = watched.finish()
    assert (first.time, first.author, first.reason) == (2 * DAY, "ada", "a deadline")
    assert [changeset.time for changeset in watched.scenario.changesets] == [2 * DAY, 5 * DAY, 5 * DAY]
    assert len(watched.edits) == 2
    assert same(outcome, run(watched.scenario, TABLE, make=FakeScheduler))
    assert not same(outcome, run(planned, TABLE, make=FakeScheduler))
    assert str(watched.plan.node("left").share) == "3/5"
    assert str(watched.plan.node("right").share) == "3/10"


def test_an_edit_that_does_not_fit_is_refused_and_leaves_no_trace():
    watched = live()
    watched.step(HOUR)
    with pytest.raises(InputError, match=r"sum to 1\.2"):
        watched.edit([ShareChange(id="left", share="0.8")], author="ada", reason="")
    assert watched.edits == ()
    assert watched.plan == made.PLAN


def test_an_edit_after_which_a_planned_changeset_would_not_fit_is_refused():
    planned = made.scenario(changesets=(Changeset(time=DAY, shares=(ShareChange(id="right", share="0.5"),)),))
    watched = live(planned, made.jobs((0, 1, 10)))
    with pytest.raises(InputError, match="changeset at 1d"):
        watched.edit([ShareChange(id="left", share="0.6")], author="ada", reason="")
    watched.step(2 * DAY)
    with pytest.raises(InputError, match="changeset at 2d"):
        watched.edit([ShareChange(id="left", share="0.6")], author="ada", reason="")


def test_a_paused_run_stands_still():
    wall = Wall()
    watched = live(wall=wall, speed=60)
    wall.time += 100
    assert watched.tick() == 0
    watched.resume()
    wall.time += 10
    assert watched.tick() == 600
    watched.pause()
    wall.time += 1000
    assert watched.tick() == 600
    watched.resume()
    wall.time += 1
    assert watched.tick() == 660


def test_a_run_goes_at_the_speed_that_was_set():
    wall = Wall()
    watched = live(wall=wall, speed=60)
    watched.resume()
    wall.time += 10
    watched.tick()
    watched.set_speed(3600)
    wall.time += 2
    assert watched.tick() == 600 + 7200
    assert watched.speed == 3600


def test_a_tick_takes_no_longer_than_it_may_and_does_not_catch_up():
    wall = Wall(each=0.004)
    watched = live(wall=wall, speed=1_000_000)
    watched.resume()
    wall.time += 0.5
    reached = watched.tick(0.015)
    assert 0 < reached < 500_000
    before = wall.time
    watched.tick(0.015)
    assert wall.time - before < 0.05
    assert watched.now - reached <= 1_000_000 * 0.1


def test_a_step_pauses_a_run():
    watched = live()
    watched.resume()
    watched.step(10)
    assert watched.now == 10
    assert watched.pace is Pace.PAUSED


def test_stepping_by_pass_goes_over_one_moment_of_the_grid_at_a_time():
    watched = live()
    assert [watched.step_pass() for _ in range(3)] == [1, 31, 61]
    watched.step(9)
    assert watched.step_pass() == 91


def test_stepping_to_a_decision_stops_when_there_is_one_or_at_the_end():
    watched = live(made.scenario(), made.jobs((1000, 1, 10)))
    assert watched.step_decision() == 1021  # the pass at 1020 is the first after it
    assert watched.step_decision() == 10 * DAY
    assert watched.pace is Pace.FINISHED


def test_a_cancelled_run_goes_no_further_and_leaves_what_has_happened():
    watched = live()
    watched.step(DAY)
    watched.cancel()
    assert watched.pace is Pace.CANCELLED
    with pytest.raises(SimulationError, match="cancelled at 86400 s"):
        watched.step(1)
    with pytest.raises(SimulationError, match="cannot be edited"):
        watched.edit([ShareChange(id="left", share="0.1")], author="", reason="")
    watched.resume()
    assert watched.tick() == DAY
    outcome = watched.finish()
    assert outcome.interrupted
    assert outcome.log["horizon"] == DAY


def test_impossible_steps_and_speeds_are_refused():
    watched = live()
    with pytest.raises(SimulationError, match="at least one second, not 0"):
        watched.step(0)
    for speed in (0, -1.0, float("inf"), float("nan")):
        with pytest.raises(SimulationError, match="speed must be above 0"):
            watched.set_speed(speed)


@given(since=st.integers(0, 10**6), speed=st.floats(0.1, 1e6), elapsed=st.floats(-5, 1e6), more=st.floats(0, 100))
def test_what_is_due_never_goes_back_and_never_past_the_horizon(since, speed, elapsed, more):
    horizon = 2 * 10**6
    now = due(since=since, speed=speed, elapsed=elapsed, horizon=horizon)
    assert since <= now <= due(since=since, speed=speed, elapsed=elapsed + more, horizon=horizon) <= horizon


@given(length=st.integers(SHORTEST_SLICE, LONGEST_SLICE), took=st.floats(0, 10), budget=st.floats(0.001, 1))
def test_slices_stay_within_their_bounds_and_shrink_when_they_take_too_long(length, took, budget):
    following = next_slice(length, took, budget)
    assert SHORTEST_SLICE <= following <= LONGEST_SLICE
    assert following <= length or took <= budget / 4


@given(data=st.data())
@settings(max_examples=15, deadline=None, derandomize=True)
def test_what_has_happened_so_far_is_what_a_run_that_ends_there_leaves_and_the_run_goes_on(data):
    scenario = data.draw(scenarios(health=True, people=True))
    table = draw(scenario)
    watched = Live(scenario, table)
    for _ in range(data.draw(st.integers(1, 3))):
        watched.step(data.draw(st.integers(1, max(1, (watched.horizon - watched.now) // 2))))
        there = Live(scenario, table)
        there.step(watched.now)
        assert equal(watched.so_far(), there.close())
    assert equal(watched.finish(), run(scenario, table))


def equal(one, other):
    logs = all(
        np.array_equal(getattr(one.log, field.name), getattr(other.log, field.name))
        for field in attrs.fields(type(one.log))
        if field.name != "events"  # a step of its own ends what is due in its second
    )
    return logs and one.incidents.tolist() == other.incidents.tolist()
