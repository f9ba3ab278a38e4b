"""The jobs of a fleet: what each cluster is asked, and the rows of jobs that may go elsewhere."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from allotment.fleet import Portable
from allotment.model.people import Impatience, OverAsking, Sessions, Squatting
from allotment.model.plan import Plan, PlanNode
from allotment.units import DAY, HOUR
from allotment.workload.table import COLUMNS
from allotment.world.people import cast, with_people
from allotment.world.portable import _draw, jobs_of
from tests.fleets import fleet, member

TWO = (member("a", "2x8"), member("b", "6x8"))
PEOPLE = (
    Sessions(people=1),
    Squatting(users=0.5, share=0.5),
    OverAsking(share=0.5, min_runtime=2 * HOUR),
    Impatience(share=0.5),
)


def attributes(jobs, place, job):
    table, row = jobs.tables[place], jobs.rows[place, job]
    named = {"leaf": table.leaves, "kind": table.kinds, "user": table.users}
    found = {name: getattr(table, name)[row].item() for name in COLUMNS if name != "stream"}
    return found | {name: names[found[name]] for name, names in named.items()}


@pytest.mark.parametrize("people", [(), PEOPLE])
def test_a_portable_job_is_the_same_on_every_member(people):
    jobs = jobs_of(fleet(*TWO, people=people))
    both = np.flatnonzero((jobs.rows >= 0).all(axis=0))
    assert len(both) == len(jobs) > 50
    for job in both.tolist():
        assert attributes(jobs, 0, job) == attributes(jobs, 1, job)
        assert attributes(jobs, 0, job)["submit"] == -1
    if people:
        assert any(attributes(jobs, 0, job)["hold"] for job in both.tolist())


def test_it_is_submitted_by_hand_and_no_row_of_people_is_taken_for_it():
    jobs = jobs_of(fleet(*TWO, people=PEOPLE))
    for place, table in enumerate(jobs.tables):
        assert table.streams.manual[table.stream[jobs.rows[place]]].all()
        roles = cast(table, jobs.scenarios[place])
        rows = {row for worker in roles.workers for row in worker.jobs} | {waiter.instead for waiter in roles.waiters}
        assert not rows & set(jobs.rows[place].tolist())
        assert len(roles.workers) == 4
        assert not {waiter.job for waiter in roles.waiters} & set(jobs.rows[place].tolist())


def test_portable_jobs_are_those_of_the_open_streams_and_none_is_lost_or_doubled():
    of = fleet(*TWO)
    jobs = jobs_of(of)
    every = [_draw(scenario) for scenario in jobs.scenarios]
    own = [len(table) - np.count_nonzero(jobs.rows[place] >= 0) for place, table in enumerate(jobs.tables)]
    assert sum(own) + len(jobs) == sum(len(table) for table in every)
    drawn = sorted(time for table in every for time in table.submit.tolist())
    told = [time for table in jobs.tables for time in table.submit[table.submit >= 0].tolist()] + jobs.submit.tolist()
    assert sorted(told) == [time for time in drawn if time >= 0]
    assert np.all(np.diff(jobs.submit) >= 0)


def test_a_larger_part_adds_jobs_and_takes_none_away():
    few, many, all_of_them = (
        jobs_of(fleet(*TWO, portable=[Portable(kind="debug", part=part)])) for part in (0.2, 0.6, 1)
    )
    for less, more in ((few, many), (many, all_of_them)):
        mine = {(int(home), int(time)) for home, time in zip(less.home, less.submit, strict=True)}
        assert mine <= {(int(home), int(time)) for home, time in zip(more.home, more.submit, strict=True)}
    assert 0.1 < len(few) / len(all_of_them) < 0.3


def test_what_fits_on_its_own_cluster_alone_is_not_portable():
    jobs = jobs_of(fleet(member("a", "1x4"), member("b", "6x8")))
    taken = jobs.tables[1].gpus[jobs.rows[1]]
    assert taken.max() == 4
    assert jobs.tables[0].gpus.max() <= 4
    assert jobs.tables[1].gpus.max() > 8


def test_nor_is_what_no_other_plan_has_a_leaf_for():
    elsewhere = attrs.evolve(TWO[1], plan=Plan(name="one", children=(PlanNode(id="climate", share=1),)))
    jobs = jobs_of(fleet(TWO[0], elsewhere))
    table = jobs.tables[0]
    from_a = jobs.rows[0][jobs.home == 0]
    assert {table.leaves[leaf] for leaf in table.leaf[from_a]} == {"climate"}


def test_each_cluster_is_asked_in_proportion_to_its_gpus():
    of = fleet(*TWO, measured=60 * DAY, workload=fleet(*TWO).workload[:1], portable=())
    small, large = (len(table) for table in jobs_of(of).tables)
    assert 0.2 < small / (small + large) < 0.3


def test_the_jobs_hang_neither_on_the_order_of_the_members_nor_on_the_arbitration_nor_on_the_policies():
    first = jobs_of(fleet(*TWO))
    others = [attrs.evolve(each, policy=TWO[0].policy) for each in TWO]
    for other in (fleet(*TWO[::-1]), fleet(*TWO, arbitration=2), fleet(*others)):
        second = jobs_of(other)
        assert [table.digest for table in first.tables] == [table.digest for table in second.tables]
        assert np.array_equal(first.rows, second.rows)


def test_where_nothing_is_portable_the_jobs_are_those_of_the_members_scenarios():
    alone = jobs_of(fleet(TWO[1], people=PEOPLE))
    scenario = alone.scenarios[0]
    assert len(alone) == 0
    assert alone.tables[0].digest == with_people(_draw(scenario), scenario).digest


def test_clusters_do_not_break_at_the_same_times():
    seeds = {scenario.seed for scenario in jobs_of(fleet(*TWO)).scenarios}
    assert len(seeds) == 2
