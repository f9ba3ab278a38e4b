from __future__ import annotations

import attrs
import numpy as np
import pytest

from allotment.model.people import Impatience, OverAsking, Pause, Sessions, Squatting
from allotment.units import DAY, HOUR, MINUTE
from allotment.workload.table import COLUMNS
from allotment.world.people import with_people
from tests.world import made

ALWAYS = Squatting(kinds=(), share=1, hold=Pause(median=2 * HOUR, sigma=0))
ASKING = OverAsking(share=1)


def many(count=2000, **columns):
    given = [(10 * row, 1, 500) for row in range(count)]
    usual = {"user": np.arange(count) % 500, "leaf": np.arange(count) % 2, "min_runtime": 900, "limit": 8 * HOUR}
    return made.jobs(*given, **usual | columns)


def submitted(table, *people, **more):
    return with_people(table, made.scenario(people=people, **more))


def differing(one, other):
    return {name for name in COLUMNS if not np.array_equal(getattr(one, name), getattr(other, name))}


def test_a_session_that_is_kept_is_longer_its_limit_matches_and_it_may_not_be_preempted():
    table = made.jobs((0, 2, 600), startup=30, limit=900)
    full = submitted(table, ALWAYS)
    assert (full.work[0], full.hold[0]) == (600 + 2 * HOUR, 2 * HOUR)
    assert full.limit[0] == 4 * HOUR  # the customary limit above 2 h 10 min 30 s
    assert not full.preemptible[0]
    assert differing(table, full) == {"work", "hold", "limit", "preemptible"}
    assert submitted(table, attrs.evolve(ALWAYS, preemptible=True)).preemptible[0]


def test_nobody_holds_for_longer_than_the_longest():
    full = submitted(many(), attrs.evolve(ALWAYS, hold=Pause(median=2 * DAY, sigma=2), longest=7 * DAY))
    assert full.hold.max() == 7 * DAY
    assert np.median(full.hold) == pytest.approx(2 * DAY, rel=0.15)


def test_a_part_of_the_sessions_is_kept_and_only_by_a_part_of_the_users():
    table = many()
    part = submitted(table, attrs.evolve(ALWAYS, share=0.3))
    assert np.mean(part.hold > 0) == pytest.approx(0.3, abs=0.04)
    few = submitted(table, attrs.evolve(ALWAYS, users=0.5, share=1))
    users = set(few.user[few.hold > 0].tolist())
    assert len(users) == pytest.approx(250, abs=40)
    assert set(few.user[few.hold == 0].tolist()).isdisjoint(users)


def test_only_the_kinds_and_leaves_that_are_meant_are_kept():
    table = many()
    left = submitted(table, attrs.evolve(ALWAYS, leaves=("left",)))
    assert np.array_equal(left.hold > 0, table.leaf == 0)
    assert not submitted(table, attrs.evolve(ALWAYS, kinds=("debug",))).hold.any()


def test_jobs_of_people_who_work_in_rounds_are_kept_too():
    sessions = Sessions(people=2)
    full = submitted(made.jobs((0, 1, 10)), sessions, Squatting(share=1))
    assert full.hold[0] == 0  # it is no debug job
    assert (full.hold[1:] > 0).all()
    assert len(full) == len(submitted(made.jobs((0, 1, 10)), sessions))


def test_more_jobs_of_other_behaviours_do_not_change_who_squats():
    table = many(count=200, leaf=0)
    part = attrs.evolve(ALWAYS, share=0.3, hold=Pause(median=HOUR))
    alone = submitted(table, part)
    beside = submitted(table, Impatience(share=1, resubmit=1), Sessions(people=3), part)
    assert np.array_equal(beside.hold[:200], alone.hold)


def test_a_share_of_nobody_changes_nothing():
    table = many()
    assert differing(table, submitted(table, attrs.evolve(ALWAYS, share=0), attrs.evolve(ASKING, share=0))) == set()


def test_who_over_asks_asks_the_longest_contract_for_every_job_that_asks_one():
    table = made.jobs((0, 1, 500), (0, 1, 500), min_runtime=[900, 0], limit=12 * HOUR)
    full = submitted(table, ASKING)
    assert full.min_runtime.tolist() == [8 * HOUR, 0]
    assert differing(table, full) == {"min_runtime"}


def test_who_over_asks_by_a_factor_stays_below_the_longest_and_nobody_goes_above_the_time_limit():
    table = made.jobs(*[(0, 1, 500)] * 3, min_runtime=[900, 4 * HOUR, 600], limit=[DAY, DAY, 20 * MINUTE])
    assert submitted(table, attrs.evolve(ASKING, times=3)).min_runtime.tolist() == [2700, 8 * HOUR, 20 * MINUTE]
    assert submitted(table, ASKING).min_runtime.tolist() == [8 * HOUR, 8 * HOUR, 20 * MINUTE]
    shorter = attrs.evolve(ASKING, min_runtime=HOUR)
    assert submitted(table, shorter).min_runtime.tolist() == [HOUR, 4 * HOUR, 20 * MINUTE]


def test_a_part_of_the_users_over_asks_and_always_the_same_ones():
    table = many()
    full = submitted(table, attrs.evolve(ASKING, share=0.3))
    asks = full.min_runtime == 8 * HOUR
    users = set(full.user[asks].tolist())
    assert len(users) == pytest.approx(150, abs=35)
    assert set(full.user[~asks].tolist()).isdisjoint(users)
    other = submitted(table, attrs.evolve(ASKING, share=0.3), seed=1)
    assert not np.array_equal(other.min_runtime, full.min_runtime)


def test_a_session_that_is_kept_has_the_limit_for_a_long_contract_in_whichever_order_they_are_named():
    table = made.jobs((0, 1, 600), min_runtime=900, limit=900)
    for people in ((ASKING, ALWAYS), (ALWAYS, ASKING)):
        assert submitted(table, *people).min_runtime.tolist() == [4 * HOUR]


@pytest.mark.parametrize("policy", [made.BUDGETS, made.PRIORITY], ids=lambda policy: policy.name)
def test_every_policy_meets_the_same_people(policy):
    table, people = made.busy_jobs(100), (attrs.evolve(ALWAYS, share=0.5), attrs.evolve(ASKING, share=0.5))
    full = submitted(table, *people, policy=policy)
    assert differing(full, submitted(table, *people)) == set()
