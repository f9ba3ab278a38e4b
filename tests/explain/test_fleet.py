"""A job of a fleet: its cluster gives the same run again, and it might have gone on in another."""

from __future__ import annotations

import numpy as np
import pytest

from allotment.errors import NotFoundError, SimulationError
from allotment.experiment.fleet import simulate_fleet
from allotment.explain.answer import why as why_alone
from allotment.explain.elsewhere import with_job
from allotment.explain.fleet import members_of, rerun_of
from allotment.fleet import Arbitration
from allotment.model.people import Impatience, Sessions
from allotment.presets import load_scenario
from allotment.presets.why import before, why
from allotment.world.people import rows_of_people
from tests.fleets import fleet, member


@pytest.fixture(scope="module")
def result():
    small, large = member("small", "4x8", budgets=3), member("large", "8x8", policy="budgets")
    return simulate_fleet(fleet(small, large, arbitration=Arbitration.RANKED_HEAD))


def test_each_cluster_gives_its_run_again_with_what_came_from_outside(result):
    assert len(result.portable) > 20
    for name, of in result.members.items():
        log = rerun_of(result, name).log
        jobs = of.jobs
        assert log.jobs["submit"][jobs["job"]].tolist() == jobs["submit"].tolist()
        assert log.jobs["queued"][jobs["job"]].tolist() == jobs["queued"].tolist()
        assert len(log.decisions) == len(of.decisions)


def longest(result, name, portable):
    jobs = result.members[name].jobs
    numbers = result.portable["job"][(result.portable["member"] == name).to_numpy()]
    some = jobs[jobs["job"].isin(numbers).to_numpy() == portable]
    return int(some.sort_values("queued")["job"].iloc[-1])


@pytest.mark.parametrize("portable", [False, True])
@pytest.mark.parametrize("name", ["small", "large"])
def test_its_waiting_is_explained_and_it_might_have_gone_on_elsewhere(result, name, portable):
    job = longest(result, name, portable)
    found = why(result, job, member=name)
    assert found.waited == found.job.queued > 0
    assert found.unexplained == 0
    (moved,) = [each for each in found.what_if if each.change.code.startswith("if_member")]
    assert moved.change.parameters["member"] == {"small": "large", "large": "small"}[name]
    assert (moved.since, moved.instead) == (found.job.submit, None)
    assert moved.others_wait is not None
    assert moved.wait >= found.at - found.job.submit or found.job.first_start < found.at
    assert "if_preset" not in {each.change.code for each in found.what_if}


def test_a_job_that_moves_takes_with_it_what_it_saved(result):
    rerun = rerun_of(result, "small")
    log = rerun.log
    kept = log.slices[(log.slices["kept"] > 0) & (log.slices["end_code"] == 2)]
    job, stop = int(kept["job"][0]), int(kept["end"][0])
    found = why(result, job, stop + 1, member="small")
    (moved,) = [each for each in found.what_if if each.change.code.startswith("if_member")]
    assert moved.change.code == "if_member_again"
    assert moved.wait == found.job.first_start - found.job.submit
    assert moved.queued >= 0


def test_a_guest_is_a_row_before_those_of_people_and_moves_no_other(result):
    here, there = rerun_of(result, "small"), rerun_of(result, "large")
    job = longest(result, "small", False)
    table, number = with_job(there.table, there.scenario, here.table, job, saved=5, began=True)
    assert len(table) == len(there.table) + 1
    for name in ("gpus", "min_runtime", "checkpoint", "priority", "restart"):
        column = getattr(table, name)
        assert column[number] == getattr(here.table, name)[job]
        assert np.array_equal(np.delete(column, number), getattr(there.table, name))
    assert table.work[number] == here.table.work[job] - 5
    assert table.startup[number] == here.table.restart[job]
    assert table.leaves[table.leaf[number]] == here.table.leaves[here.table.leaf[job]]


def test_it_must_be_clear_which_cluster_is_meant(result):
    both = next(int(job) for job in result.members["small"].jobs["job"] if len(members_of(result, job)) == 2)
    with pytest.raises(NotFoundError, match=f"job {both} is there on small, large, .* as in small/{both}"):
        why(result, both)
    with pytest.raises(NotFoundError, match="there is no job 99999999 on any member of this fleet: small, large"):
        why(result, 99_999_999)
    with pytest.raises(NotFoundError, match="has no member 'tiny'; there are small, large"):
        why(result, both, member="tiny")
    with pytest.raises(NotFoundError, match="is one cluster and no fleet"):
        why(result.members["small"], both, member="small")
    alone = next(int(job) for job in result.members["large"].jobs["job"] if len(members_of(result, job)) == 1)
    assert why(result, alone, what_if=False).job.job == alone
    with pytest.raises(SimulationError, match="ask the result of the fleet"):
        why_alone(result.members["small"], longest(result, "small", False))


def test_who_comes_first_is_told_of_two_jobs_of_one_cluster(result):
    rerun = rerun_of(result, "small")
    time = result.fleet.horizon - 7_200
    a, b = rerun.glance(time).waiting[:2].tolist()
    assert before(result, a, b, time, member="small").sentence.startswith("Job ")


def test_where_people_are_about_they_stay_who_they_are():
    people = load_scenario("published-month").people
    small, large = member("small", "4x8"), member("large", "8x8", policy="budgets")
    usual = [Sessions(name="shells", gpus=1, people=2)]
    result = simulate_fleet(
        fleet(small, large, people=[*usual, *(each for each in people if isinstance(each, Impatience))])
    )
    assert len(result.portable) > 20
    here, there = rerun_of(result, "small"), rerun_of(result, "large")
    assert rows_of_people(there.table, there.scenario) > 0
    table, number = with_job(there.table, there.scenario, here.table, longest(result, "small", False))
    assert number + rows_of_people(there.table, there.scenario) == len(table) - 1
    found = why(result, longest(result, "small", False), member="small")
    assert [each.change.parameters["member"] for each in found.what_if if each.change.code.startswith("if_member")] == [
        "large"
    ]
    alone = there.begin(table=table)
    alone.advance(result.fleet.horizon)
    log = alone.run.close().log
    assert np.delete(log.jobs["submit"], number).tolist() == there.log.jobs["submit"].tolist()
    assert np.delete(log.jobs["queued"], number).tolist() == there.log.jobs["queued"].tolist()
