"""Fleets from their description to their figures."""

from __future__ import annotations

import contextlib
import json

import attrs
import numpy as np
import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from allotment.errors import InputError, ValueProblems
from allotment.experiment.fleet import draw_fleet, simulate_fleet
from allotment.experiment.simulate import simulate
from allotment.fleet import Arbitration, Fleet, Member, Portable
from allotment.model.people import Inflation, Sessions, Squatting
from allotment.results import laws
from allotment.results.columns import problems_of
from allotment.units import DAY
from allotment.workload.classes import OpenStream
from tests.fleets import fleet, member
from tests.strategies import POLICIES, regimes, scenarios

PEOPLE = (Sessions(people=1), Squatting(users=0.5, share=0.5), Inflation())
THREE = (
    member("a", "2x8", budgets=3),
    member("b", "4x8", policy="fifo", quota=4),
    member("c", "6x8", policy="budgets"),
)
CHOICES = [Arbitration.ROUND_ROBIN, Arbitration.RANKED_HEAD, Arbitration.ALLOCATION_BALANCE]


@pytest.fixture(scope="module")
def three():
    return simulate_fleet(fleet(*THREE, people=PEOPLE, arbitration=Arbitration.RANKED_HEAD))


@pytest.mark.parametrize("policy", POLICIES)
def test_one_member_gives_what_its_scenario_gives_to_the_bit(policy):
    of = fleet(member("alone", policy=policy, fifo=3), people=PEOPLE)
    mine = simulate_fleet(of)
    assert mine.members["alone"].equals(simulate(of.scenario("alone")))
    assert len(mine.portable) == 0


def test_where_nothing_is_portable_each_member_gives_what_its_scenario_gives():
    of = fleet(*THREE, portable=())
    mine = simulate_fleet(of)
    for name, result in mine.members.items():
        assert result.equals(simulate(of.scenario(name)))


@pytest.mark.parametrize("arbitration", CHOICES)
def test_the_order_of_the_members_changes_nothing_but_that_of_the_tables(arbitration):
    first, second = (simulate_fleet(fleet(*order, arbitration=arbitration)) for order in (THREE, THREE[::-1]))
    assert list(first.members) == list(second.members)[::-1]
    for name, result in first.members.items():
        assert result.equals(second.members[name])
    assert first.portable.equals(second.portable)
    assert first.rows[-1] == second.rows[-1]
    assert sorted(map(str, first.rows)) == sorted(map(str, second.rows))


def test_the_jobs_are_the_same_for_every_arbitration_and_where_they_go_is_not():
    of = fleet(*THREE)
    jobs = draw_fleet(of)
    runs = [simulate_fleet(of, arbitration=arbitration, jobs=jobs) for arbitration in Arbitration]
    for run in runs[1:]:
        for column in ("kind", "leaf", "gpus", "work", "submit", "home"):
            assert run.portable[column].equals(runs[0].portable[column])
    went = [tuple(run.portable["member"]) for run in runs]
    assert len(set(went)) == len(runs)
    assert went[0] == tuple(runs[0].portable["home"])


def test_every_portable_job_is_in_the_result_of_the_one_member_that_it_went_to(three):
    jobs = draw_fleet(three.fleet)
    assert len(three.portable) == len(jobs) > 50
    found = 0
    for place, name in enumerate(jobs.names):
        rows = jobs.rows[place][jobs.rows[place] >= 0]
        found += int(np.isin(three.members[name].jobs["job"].to_numpy(), rows).sum())
    assert found == len(jobs)
    assert three.portable["submit"].tolist() == jobs.submit.tolist()


@pytest.mark.parametrize("arbitration", list(Arbitration))
def test_every_law_holds_on_every_member(arbitration):
    run = simulate_fleet(fleet(*THREE, people=PEOPLE), arbitration=arbitration)
    for result in run.members.values():
        assert laws.check(result) == ()


def test_the_tables_of_a_fleet_are_documented(three):
    assert problems_of("portable", three.portable) == []
    assert problems_of("portable_by_day", three.by_day()) == []


def test_the_days_add_up_to_all_portable_jobs(three):
    days = three.by_day()
    assert days["jobs"].sum() == len(three.portable)
    assert len(days) == 3 * 5
    assert days["member"].tolist()[:3] == ["a", "b", "c"]


def test_phases_and_stages_are_cut_at_the_switches(three):
    told = [(row.member, row.policy, row.begin // DAY, row.end // DAY, row.switched) for row in three.rows]
    assert told == [
        ("a", "priority", 2, 3, 0),
        ("a", "budgets", 3, 5, 1),
        ("b", "fifo", 2, 4, 0),
        ("b", "quota", 4, 5, 1),
        ("c", "budgets", 2, 5, 0),
        ("", "", 2, 3, 0),
        ("", "", 3, 4, 1),
        ("", "", 4, 5, 2),
        ("", "all", 2, 5, 0),
    ]


def test_where_portable_jobs_went_adds_up_over_the_stages(three):
    *stages, whole = three.went
    for name in three.members:
        assert sum(stage.jobs[name] for stage in stages) == whole.jobs[name]
    assert sum(stage.moved for stage in stages) == whole.moved
    assert whole.wait.n == sum(whole.jobs.values()) == int((three.portable["submit"] >= 2 * DAY).sum())


def test_the_summary_is_json_and_says_which_run_it_is(three):
    summary = json.loads(json.dumps(three.summary))
    assert (summary["fleet"], summary["arbitration"], summary["seed"]) == ("fleet", "ranked_head", 0)
    assert [row["member"] for row in summary["phases"]].count(None) == 4
    assert list(summary["members"]) == ["a", "b", "c"]
    assert summary["portable"][-1]["wait"]["n"] == sum(summary["portable"][-1]["jobs"].values())
    assert "ranked_head" in repr(three)


def test_another_seed_gives_other_jobs_and_one_that_is_none_is_refused():
    of = fleet(*THREE[:2])
    assert draw_fleet(of).tables[0].digest != draw_fleet(attrs.evolve(of, seed=1)).tables[0].digest
    with pytest.raises(InputError, match="seed must be between 0"):
        simulate_fleet(of, seed=-1)


@st.composite
def fleets(draw):
    """Return two clusters of one plan with whatever work and people, on which policies that ship take over from others."""
    of = draw(scenarios(people=True, switches=True, longest=DAY))
    larger = attrs.evolve(of.cluster, name="larger", nodes=2 * of.cluster.nodes)
    kinds = {kind.name for stream in of.workload if isinstance(stream, OpenStream) for kind in stream.kinds}
    one = Member(name="one", cluster=of.cluster, plan=of.plan, policy=of.policy, switches=of.switches)
    other = Member(name="other", cluster=larger, plan=of.plan, policy=draw(regimes()), switches=())
    shared = ("workload", "people", "start", "time_zone", "warmup", "measured", "seed", "give_up_after")
    portable = [Portable(kind=kind, part=draw(st.floats(0, 1))) for kind in sorted(kinds)]
    with contextlib.suppress(ValueProblems):
        return Fleet(
            name="any",
            members=draw(st.permutations([one, other])),
            portable=portable,
            arbitration=draw(st.sampled_from(Arbitration)),
            **{name: getattr(of, name) for name in shared},
        )
    return reject()


@pytest.mark.slow
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(fleets())
def test_whatever_the_fleet_every_law_holds_and_each_portable_job_is_submitted_once(of):
    jobs = draw_fleet(of)
    run = simulate_fleet(of, jobs=jobs)
    assert sum(len(result.jobs) for result in run.members.values()) >= len(jobs) == len(run.portable)
    for result in run.members.values():
        assert laws.check(result) == ()
