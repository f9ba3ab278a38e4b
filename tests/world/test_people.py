from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise
from zoneinfo import ZoneInfo

import attrs
import numpy as np
import pytest

from allotment.errors import SimulationError
from allotment.model.people import Hours, Impatience, Pause, Sessions
from allotment.units import DAY, HOUR, MINUTE
from allotment.workload.table import COLUMNS
from allotment.world.people import cast, with_people
from allotment.world.run import run
from tests.world import made
from tests.world.fake import FakeScheduler, verbs

SESSIONS = Sessions(people=2, run_time=Pause(median=10 * MINUTE), think=Pause(median=30 * MINUTE))
IMPATIENCE = Impatience(share=1, patience=Pause(median=HOUR, sigma=0), resubmit=1)


def simulate(scenario, table):
    held = []

    def make(given, jobs):
        held.append(FakeScheduler(given, jobs))
        return held[0]

    full = with_people(table, scenario)
    run(scenario, full, make=make)
    return full, held[0]


def test_without_people_the_table_stays_as_it_is():
    table = made.jobs((0, 1, 10))
    assert with_people(table, made.scenario()) is table


def test_the_rows_of_people_come_behind_all_others_which_stay_as_they_are():
    table = made.busy_jobs(50)
    full = with_people(table, made.scenario(people=(SESSIONS, IMPATIENCE)))
    assert len(full) > len(table)
    for name in COLUMNS:
        if name not in ("leaf", "kind", "user", "stream"):
            assert np.array_equal(getattr(full, name)[:50], getattr(table, name)), name
    assert [full.users[user] for user in full.user[:50]] == [table.users[user] for user in table.user]
    manual = full.streams.manual[full.stream]
    assert not manual[:50].any()
    assert manual[50:].all()
    assert (full.submit[50:] == -1).all()


def test_a_table_without_the_rows_of_people_is_refused():
    with pytest.raises(SimulationError, match="with_people"):
        run(made.scenario(people=(SESSIONS,)), made.jobs((0, 1, 10)), make=FakeScheduler)


def test_the_same_seed_has_the_same_people_and_another_has_others():
    table = made.busy_jobs(50)
    one, same, other = (
        with_people(table, made.scenario(people=(SESSIONS, IMPATIENCE), seed=seed)) for seed in (1, 1, 2)
    )
    assert np.array_equal(one.work, same.work)
    assert not np.array_equal(one.work[50:], other.work[50 : len(one)])


def test_one_behaviour_does_not_change_the_draws_of_another():
    table = made.busy_jobs(50)
    alone = with_people(table, made.scenario(people=(SESSIONS,)))
    after = with_people(table, made.scenario(people=(IMPATIENCE, SESSIONS)))
    assert np.array_equal(after.work[len(after) - len(alone) + 50 :], alone.work[50:])


# -- sessions


def test_people_submit_the_next_job_after_the_last_is_over_and_they_have_thought():
    scenario = made.scenario(people=(SESSIONS,))
    full, scheduler = simulate(scenario, made.jobs((0, 1, 10)))
    submitted = {call[2]: call[0] for call in verbs(scheduler, "submit")}
    workers = cast(full, scenario).workers
    assert len(workers) == 4  # two in each of the two leaves
    for worker in workers:
        done = [job for job in worker.jobs if job in submitted]
        assert len(done) > 50
        assert submitted[done[0]] == worker.pauses[0]
        for place, (before, job) in enumerate(pairwise(done), start=1):
            assert submitted[job] == scheduler.over[before] + 1 + worker.pauses[place]


def test_nobody_runs_out_of_jobs_before_the_horizon():
    short, long = (made.scenario(people=(SESSIONS,), horizon=days * DAY) for days in (5, 10))
    _, some = simulate(short, made.jobs((0, 1, 10)))
    _, all_of_them = simulate(long, made.jobs((0, 1, 10)))
    expected = [call[0] for call in verbs(all_of_them, "submit") if call[0] < 5 * DAY]
    assert [call[0] for call in verbs(some, "submit")] == expected


def test_a_slow_cluster_is_asked_less_often():
    scenario = made.scenario(nodes=1, people=(SESSIONS,))
    _, quick = simulate(scenario, made.jobs((0, 1, 10)))
    _, slow = simulate(scenario, made.jobs((0, 8, 5 * DAY)))
    assert len(verbs(slow, "submit")) < 0.7 * len(verbs(quick, "submit"))


def test_jobs_of_sessions_are_as_the_scenario_says():
    sessions = attrs.evolve(
        SESSIONS, leaves=("right",), kind="shell", gpus=2, startup=60, limit=20 * MINUTE, min_runtime=600, priority=3
    )
    full = with_people(made.jobs((0, 1, 10)), made.scenario(people=(sessions,)))
    mine = slice(1, None)
    assert {full.leaves[leaf] for leaf in full.leaf[mine]} == {"right"}
    assert {full.kinds[kind] for kind in full.kind[mine]} == {"shell"}
    assert {full.users[user] for user in full.user[mine]} == {"right-sessions01", "right-sessions02"}
    assert (full.work[mine] + 60 <= 20 * MINUTE).all()
    assert (full.work[mine] + 60 == 20 * MINUTE).any()
    for name, value in {"gpus": 2, "startup": 60, "min_runtime": 600, "priority": 3, "limit": 1200}.items():
        assert (getattr(full, name)[mine] == value).all(), name


def test_people_with_hours_submit_within_them_and_not_on_weekends():
    zone = ZoneInfo("Europe/Zurich")
    start = datetime(2026, 3, 26, tzinfo=zone)  # a Thursday; clocks change on Sunday
    sessions = attrs.evolve(SESSIONS, people=5, hours=Hours(begin=9, end=17))
    scenario = made.scenario(people=(sessions,), start=start, time_zone="Europe/Zurich")
    _, scheduler = simulate(scenario, made.jobs((0, 1, 10)))
    there = [scenario.moment(call[0]) for call in verbs(scheduler, "submit")]
    assert {moment.weekday() for moment in there} == {0, 1, 2, 3, 4}
    assert min(moment.hour for moment in there) == 9
    assert max(moment.hour for moment in there) <= 17  # each comes and goes up to an hour later
    before, after = ([m for m in there if (m.utcoffset().seconds == offset)] for offset in (3600, 7200))
    assert min(m.hour for m in before) == min(m.hour for m in after) == 9


def test_people_with_hours_do_not_all_come_in_the_same_second():
    sessions = attrs.evolve(SESSIONS, people=5, hours=Hours(begin=9, end=17))
    scenario = made.scenario(people=(sessions,), start=datetime(2026, 1, 5, tzinfo=UTC))
    _, scheduler = simulate(scenario, made.jobs((0, 1, 10)))
    first = sorted(call[0] for call in verbs(scheduler, "submit") if call[0] > DAY)[:10]
    assert len(set(first)) > 5


# -- impatience


def test_a_job_that_waits_longer_than_its_user_likes_is_cancelled():
    table = made.jobs((0, 8, 5 * DAY), (10, 8, 500))
    impatience = attrs.evolve(IMPATIENCE, resubmit=0)
    _, scheduler = simulate(made.scenario(nodes=1, people=(impatience,)), table)
    assert scheduler.calls == [(10 + HOUR, "cancel", 1)]


def test_a_job_that_has_started_in_time_is_left_alone():
    table = made.jobs((0, 8, 3000), (10, 8, 5 * DAY))
    _, scheduler = simulate(made.scenario(nodes=1, people=(IMPATIENCE,)), table)
    assert scheduler.calls == []


def test_who_comes_again_asks_for_fewer_gpus_and_the_time_that_this_takes():
    table = made.jobs((0, 24, 5 * DAY), (10, 24, 500), startup=7)
    scenario = made.scenario(nodes=3, people=(IMPATIENCE,))
    full = with_people(table, scenario)
    assert full.gpus.tolist() == [24, 24, 12, 12]
    assert full.work.tolist() == [5 * DAY, 500, 5 * DAY * 24 // 16, 750]  # 12 GPUs take two whole nodes
    assert (full.limit >= full.work + full.startup).all()
    assert [role.instead for role in cast(full, scenario).waiters] == [2, 3]


def test_what_is_asked_for_instead_is_submitted_when_the_other_is_cancelled():
    table = made.jobs((0, 4, 5 * DAY), (10, 8, 500))
    scenario = made.scenario(nodes=1, people=(IMPATIENCE,))
    full, scheduler = simulate(scenario, table)
    assert full.gpus[2:].tolist() == [2, 4]
    assert scheduler.calls == [(10 + HOUR, "cancel", 1), (10 + HOUR, "submit", 3)]
    assert scheduler.started[3] == 10 + HOUR


def test_nobody_asks_for_less_than_one_gpu():
    table = made.jobs((0, 8, 5 * DAY), (10, 1, 500))
    scenario = made.scenario(nodes=1, people=(IMPATIENCE,))
    assert with_people(table, scenario).gpus.tolist() == [8, 1, 4]
    assert [role.instead for role in cast(with_people(table, scenario), scenario).waiters] == [2, -1]


def test_only_the_users_kinds_and_leaves_that_are_meant_lose_patience():
    table = made.jobs(
        *[(10 * row, 1, 500) for row in range(2000)], user=np.arange(2000) % 500, leaf=np.arange(2000) % 2
    )
    half = attrs.evolve(IMPATIENCE, share=0.5, resubmit=0)
    scenario = made.scenario(people=(half,))
    users = {int(table.user[role.job]) for role in cast(table, scenario).waiters}
    assert len(users) == pytest.approx(250, abs=40)
    assert len(cast(table, scenario).waiters) == 4 * len(users)
    left = made.scenario(people=(attrs.evolve(half, leaves=("left",)),))
    assert {int(table.leaf[role.job]) for role in cast(table, left).waiters} == {0}
    other = made.scenario(people=(attrs.evolve(half, kinds=("debug",)),))
    assert cast(table, other).waiters == ()


def test_patience_differs_from_job_to_job_around_its_median():
    table = made.jobs(*[(0, 1, 500)] * 2000, user=np.arange(2000) % 50)
    scenario = made.scenario(people=(attrs.evolve(IMPATIENCE, patience=Pause(median=HOUR), resubmit=0),))
    waits = [role.time for role in cast(table, scenario).waiters]
    assert waits == sorted(waits)
    assert np.median(waits) == pytest.approx(HOUR, rel=0.08)
    assert len(set(waits)) > 1000


def test_a_part_of_those_who_cancel_comes_again():
    table = made.jobs(*[(0, 4, 500)] * 2000, user=np.arange(2000) % 50)
    scenario = made.scenario(people=(attrs.evolve(IMPATIENCE, resubmit=0.25),))
    assert len(with_people(table, scenario)) - 2000 == pytest.approx(500, abs=70)
