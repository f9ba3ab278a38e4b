"""Runs that somebody watches, without anybody watching: frames come, wishes are followed, and the end is that of any run."""

from __future__ import annotations

import gc
import queue
import time
import weakref

import attrs
import pytest

from allotment.experiment.simulate import simulate
from allotment.model.changeset import ShareChange
from allotment.presets import load_policy, load_scenario
from allotment.units import DAY, HOUR
from allotment.views.workbench.play import ALL_OF_IT, Play

WEEK = attrs.evolve(load_scenario("small-week"), warmup=DAY, measured=2 * DAY)
PAIR = (attrs.evolve(WEEK, policy=load_policy("priority")), WEEK)


class Watched:
    """A play whose frames are kept until a test asks for them."""

    def __init__(self):
        self.frames = queue.Queue()
        self.play = Play(self.frames.put)

    def until(self, state, seconds=120):
        """Return the first frame of some state that comes."""
        end = time.monotonic() + seconds
        while True:
            frame = self.frames.get(timeout=max(0.0, end - time.monotonic()))
            if frame.state == state:
                return frame


@pytest.fixture
def watched():
    found = Watched()
    yield found
    found.play.close()


def test_both_policies_end_as_they_would_alone(watched):
    watched.play.begin(PAIR)
    frame = watched.until("finished")
    assert (frame.now, frame.horizon) == (WEEK.horizon, WEEK.horizon)
    for result, scenario in zip(frame.results, PAIR, strict=True):
        alone = simulate(scenario)
        assert result.jobs.equals(alone.jobs)
        assert result.slices.equals(alone.slices)
        assert result.summary == alone.summary


def test_a_new_beginning_ends_what_went_on(watched):
    watched.play.begin(PAIR, speed=1.0)
    watched.play.begin(PAIR)
    assert watched.until("finished").now == WEEK.horizon


def test_a_paused_run_stands_still_and_steps_and_goes_on(watched):
    watched.play.begin(PAIR, paused=True)
    assert watched.until("paused").now == 0
    watched.play.step(6 * HOUR)
    frame = watched.until("paused")
    assert frame.now == 6 * HOUR
    assert [result.horizon for result in frame.results] == [6 * HOUR, 6 * HOUR]
    watched.play.set_speed(ALL_OF_IT)
    watched.play.resume()
    assert watched.until("finished").now == WEEK.horizon


def test_a_run_at_a_speed_streams_frames_and_can_be_paused_at_one_moment_for_both(watched):
    watched.play.begin(PAIR, speed=float(6 * HOUR))
    first, second = watched.until("running"), watched.until("running")
    assert 0 < first.now < second.now < WEEK.horizon
    watched.play.pause()
    frame = watched.until("paused")
    assert len({result.horizon for result in frame.results}) == 1


def test_an_edit_counts_from_its_moment_on_in_both_runs_and_is_kept(watched):
    watched.play.begin(PAIR, paused=True)
    watched.play.step(DAY)
    change = (ShareChange(id="biology", share="0.8"), ShareChange(id="climate", share="0.2"))
    watched.play.edit(change, author="Ann", reason="a deadline")
    watched.play.set_speed(ALL_OF_IT)
    watched.play.resume()
    results = watched.until("finished").results
    for result in results:
        assert [(each.time, each.author) for each in result.scenario.changesets] == [(DAY, "Ann")]
        assert result.slices.equals(simulate(result.scenario).slices)


def test_a_cancelled_run_keeps_what_has_happened_and_can_begin_again(watched):
    watched.play.begin(PAIR, speed=float(HOUR))
    watched.until("running")
    watched.play.cancel()
    frame = watched.until("cancelled")
    assert 0 < frame.now < WEEK.horizon
    assert all(result.horizon == frame.now for result in frame.results)
    watched.play.begin(PAIR)
    watched.until("finished")


def test_what_cannot_be_is_told_and_the_run_goes_on(watched):
    watched.play.begin(PAIR, paused=True)
    watched.until("paused")
    watched.play.edit((ShareChange(id="biology", share="0.9"),), author="", reason="")
    frame = watched.frames.get(timeout=30)
    assert frame.state == "paused"
    assert "the children of 'science' would sum to 1.4" in frame.problem
    watched.play.step(HOUR)
    assert watched.until("paused").now == HOUR


def test_a_scenario_that_cannot_run_is_told(watched):
    asks = attrs.evolve(WEEK.policy, contracts=attrs.evolve(WEEK.policy.contracts, reserve="0.00001"))
    watched.play.begin((attrs.evolve(WEEK, policy=asks), WEEK))
    assert "is too fine" in watched.until("failed").problem
    watched.play.begin(PAIR)
    watched.until("finished")


def test_the_scheduler_of_a_run_that_is_over_is_let_go_of(watched, monkeypatch):
    from allotment.views.workbench import play

    made = []

    def make(*given, live=play.Live, **options):
        found = live(*given, **options)
        made.append(weakref.ref(found))
        return found

    monkeypatch.setattr(play, "Live", make)
    watched.play.begin(PAIR)
    frame = watched.until("finished")
    gc.collect()
    assert [each() for each in made] == [None, None]
    watched.play.set_speed(float(HOUR))
    watched.play.step(HOUR)
    watched.play.follow(0, PAIR[1].policy)
    told = watched.frames.get(timeout=30)
    assert "the runs are over" in told.problem
    assert (told.state, told.now, told.results) == ("finished", frame.now, frame.results)


def test_jobs_are_drawn_once_for_as_long_as_they_stay_the_same(watched, monkeypatch):
    from allotment.views.workbench import play

    drawn = []
    monkeypatch.setattr(play, "draw_all", lambda scenario, draw=play.draw_all: drawn.append(1) or draw(scenario))
    watched.play.begin(PAIR)
    watched.until("finished")
    watched.play.begin((PAIR[1], attrs.evolve(PAIR[1], policy=load_policy("fifo"))))
    watched.until("finished")
    assert len(drawn) == 1
    watched.play.begin([attrs.evolve(each, seed=5) for each in PAIR])
    watched.until("finished")
    assert len(drawn) == 2
