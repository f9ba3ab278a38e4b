from __future__ import annotations

from fractions import Fraction
from itertools import pairwise

import attrs
import numpy as np
import pytest

from allotment.errors import SimulationError
from allotment.kernel.engine import Engine
from allotment.model.codes import Priority
from allotment.model.people import Impatience, Inflation, Sessions, Tolerance
from allotment.units import DAY, HOUR
from allotment.world.inflation import marked, teams, too_long
from allotment.world.people import with_people
from allotment.world.run import run
from tests.world import made
from tests.world.fake import FakeScheduler, verbs

HABIT = Inflation(step=1, every=DAY)


def look(*jobs, now=2 * HOUR, since=0, tolerance=HOUR, quantile="0.9"):
    """Judge jobs (submit, first start or -1)."""
    submit, start = (np.array([job[place] for job in jobs], np.int64) for place in range(2))
    waits = (start < 0) & (submit >= 0)
    given = np.full(len(jobs), tolerance)
    return too_long(submit, start, waits, given, since=since, now=now, quantile=Fraction(quantile))


def test_who_has_seen_nothing_does_not_judge():
    assert look() is None
    assert look((-1, -1)) is None  # not submitted
    assert look((0, 10), since=20) is None  # seen before
    assert look((7000, -1)) is None  # it still may start in time


def test_a_wait_as_long_as_the_tolerance_is_borne_and_a_second_more_is_not():
    assert look((0, HOUR)) is False
    assert look((0, HOUR + 1)) is True
    assert look((HOUR, -1)) is None
    assert look((HOUR - 1, -1)) is True


@pytest.mark.parametrize(("late", "verdict"), [(1, False), (2, True)])
def test_one_in_ten_may_wait_too_long(late, verdict):
    jobs = [(0, 10)] * (10 - late) + [(0, HOUR + 10)] * late
    assert look(*jobs) is verdict
    assert look(*jobs, quantile="0.8") is False


def test_what_starts_in_the_second_of_the_look_is_seen_by_the_next():
    assert look((0, 7200)) is None
    assert look((0, 7200), since=7200, now=9000) is True


def test_marks_rise_by_whole_levels_and_by_the_draw_and_never_above_the_highest():
    meant = np.array([1, 1, 2, 3, 4], np.int8)
    draw = np.array([0.2, 0.7, 0.2, 0.2, 0.2])
    assert marked(meant, draw, 0.0, Priority.HIGH).tolist() == [1, 1, 2, 3, 4]
    assert marked(meant, draw, 0.5, Priority.HIGH).tolist() == [2, 1, 3, 3, 4]
    assert marked(meant, draw, 1.0, Priority.HIGH).tolist() == [2, 2, 3, 3, 4]
    assert marked(meant, draw, 2.0, Priority.HIGH).tolist() == [3, 3, 3, 3, 4]
    assert marked(meant, draw, 2.0, Priority.URGENT).tolist() == [3, 3, 4, 4, 4]


def test_marks_never_fall_while_the_level_rises():
    meant, draw = np.ones(1000, np.int8), np.random.default_rng(0).random(1000)
    levels = [marked(meant, draw, step / 10, Priority.HIGH) for step in range(21)]
    assert all((after >= before).all() for before, after in pairwise(levels))
    assert [int((level == 3).sum()) for level in (levels[10], levels[20])] == [0, 1000]
    assert np.mean(levels[15] == 3) == pytest.approx(0.5, abs=0.05)


def crowded(later=200):
    """One GPU's worth of work that never ends, jobs behind it that wait, and others that come day by day."""
    first = [(0, 8, 20 * DAY), (10, 8, 500)]
    rest = [(DAY // 20 * row, 8, 500) for row in range(1, later)]
    count = len(first) + len(rest)
    return made.jobs(*first, *rest, leaf=np.arange(count) % 2, limit=30 * DAY)


def played(habit, table, *, policy=made.PRIORITY, people=(), **more):
    scenario = made.scenario(nodes=1, policy=policy, people=(*people, habit), **more)
    held = []

    def make(given, jobs):
        held.append(FakeScheduler(given, jobs))
        return held[0]

    outcome = run(scenario, with_people(table, scenario), make=make)
    return outcome, held[0]


def test_a_team_that_waits_marks_what_it_has_not_submitted_yet_higher_at_each_look():
    table = crowded()
    outcome, scheduler = played(attrs.evolve(HABIT, leaves=("right",)), table)
    marks = verbs(scheduler, "mark")
    assert len(marks) == 2  # from NORMAL to HIGH, and what was LOW as well; then there is nothing left to mark
    time, _, jobs, priority, _ = marks[0]
    right = np.flatnonzero(table.leaf == 1)
    assert jobs == [job for job in right.tolist() if table.submit[job] >= time]
    assert set(priority) == {3}
    assert outcome.table.priority[jobs].tolist() == priority
    others = np.setdiff1d(np.arange(len(table)), jobs)
    assert np.array_equal(outcome.table.priority[others], table.priority[others])


def test_a_team_looks_for_the_first_time_at_a_moment_of_its_own_and_then_at_equal_distances():
    given = teams(HABIT, crowded(), made.scenario())
    assert len({team.first for team in given}) == 2
    assert all(0 <= team.first < DAY for team in given)
    _, scheduler = played(attrs.evolve(HABIT, step=0.25, leaves=("right",)), crowded())
    times = [call[0] for call in verbs(scheduler, "mark")]
    first = given[1].first
    assert times == [
        first + DAY * number for number in range((times[0] - first) // DAY, (times[-1] - first) // DAY + 1)
    ]
    assert len(times) == 8  # two levels in steps of a quarter


def test_a_team_that_is_served_at_once_marks_nothing():
    table = made.jobs(*[(HOUR * row, 1, 500) for row in range(200)])
    outcome, scheduler = played(HABIT, table)
    assert verbs(scheduler, "mark") == []
    assert np.array_equal(outcome.table.priority, table.priority)


def test_each_kind_has_its_own_tolerance():
    patient = attrs.evolve(HABIT, tolerances=(Tolerance(kind="train", wait=30 * DAY),))
    assert verbs(played(patient, crowded())[1], "mark") == []
    other = attrs.evolve(HABIT, tolerances=(Tolerance(kind="debug", wait=30 * DAY),))
    assert verbs(played(other, crowded())[1], "mark") != []


def relief():
    """Two days in which all wait, and then room for everybody."""
    jobs = [(0, 8, 2 * DAY), *[(HOUR * row, 1, 60) for row in range(1, 235)]]
    return made.jobs(*jobs, limit=3 * DAY)


def test_marks_are_a_ratchet_unless_the_team_relaxes():
    outcome, _ = played(attrs.evolve(HABIT, step=0.5), relief())
    kept = outcome.table.priority
    assert np.mean(kept[-24:] == 3) == 1.0
    outcome, _ = played(attrs.evolve(HABIT, step=0.5, relax=0.25), relief())
    relaxed = outcome.table.priority
    assert relaxed.max() == 3
    assert (relaxed[-24:] == 2).all()


def test_who_waits_too_long_marks_more_and_more_of_its_work_do_not_preempt():
    habit = attrs.evolve(HABIT, step=0, pin=0.25, leaves=("right",))
    table = crowded()
    outcome, _ = played(habit, table)
    pinned = ~outcome.table.preemptible
    assert not pinned[table.leaf == 0].any()
    right = np.flatnonzero(table.leaf == 1)
    assert np.mean(pinned[right[:5]]) < 0.5
    assert np.mean(pinned[right[-20:]]) == 1.0
    assert np.array_equal(outcome.table.priority, table.priority)


def test_where_two_behaviours_are_about_one_job_the_higher_mark_counts():
    low = attrs.evolve(HABIT, name="low", highest=Priority.NORMAL)
    high = attrs.evolve(HABIT, name="high")
    alone, _ = played(high, crowded())
    both, _ = played(high, crowded(), people=(low,))
    assert np.array_equal(both.table.priority, alone.table.priority)


def test_what_is_drawn_hangs_on_no_other_behaviour():
    habit = attrs.evolve(HABIT, leaves=("right",))
    scenario = made.scenario(people=(Sessions(people=2), Impatience(share=1, resubmit=1), habit))
    table = made.busy_jobs(100)
    (alone,), (beside,) = (teams(habit, each, scenario) for each in (table, with_people(table, scenario)))
    count = len(alone.jobs)
    assert np.array_equal(beside.jobs[:count], alone.jobs)
    assert np.array_equal(beside.mark[:count], alone.mark)
    assert beside.first == alone.first


@pytest.mark.parametrize("policy", [made.BUDGETS, made.PRIORITY], ids=lambda policy: policy.name)
def test_the_real_scheduler_orders_by_the_marks_with_which_jobs_were_submitted(policy):
    scenario = made.scenario(policy=policy, people=(attrs.evolve(HABIT, step=0.2, tolerance=60),))
    table = with_people(made.busy_jobs(700), scenario)
    once = run(scenario, table)
    assert np.count_nonzero(once.table.priority != table.priority) > 100
    again = run(scenario, table, progress=lambda *_: None)
    assert np.array_equal(once.table.priority, again.table.priority)
    assert np.array_equal(once.log.decisions, again.log.decisions)


def test_the_higher_mark_starts_first():
    scenario = made.scenario(nodes=1, policy=made.PRIORITY)
    engine = Engine(scenario, made.jobs((0, 8, 600), (10, 8, 600), (20, 8, 600), preemptible=False))
    engine.advance(5)
    engine.mark(np.array([2]), np.array([3], np.int8), np.array([False]))
    engine.advance(5000)
    assert engine.close().jobs["first_start"].tolist() == [0, 1200, 600]


def test_a_job_that_was_submitted_keeps_its_marks():
    engine = Engine(made.scenario(nodes=1), made.jobs((0, 8, 600), (10, 8, 600)))
    engine.advance(5)
    with pytest.raises(SimulationError, match="job 0 is running, not unsubmitted"):
        engine.mark(np.array([0, 1]), np.array([3, 3], np.int8), np.array([True, True]))
    submit, start, waits = engine.observe(np.array([0, 1]))
    assert (submit.tolist(), start.tolist(), waits.tolist()) == ([0, -1], [0, -1], [False, False])
    engine.advance(11)
    submit, start, waits = engine.observe(np.array([0, 1]))
    assert (submit.tolist(), start.tolist(), waits.tolist()) == ([0, 10], [0, -1], [False, True])
