"""Where portable jobs are submitted: tiny fleets worked by hand, one for each rule, and what arbitration must not change."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from allotment.fleet import Arbitration, Fleet, Member
from allotment.kernel.questions import Standing
from allotment.model.codes import JobState
from allotment.model.policy import Key
from allotment.units import HOUR
from allotment.world.fleet import NOWHERE, balance, chooser, run_fleet
from allotment.world.portable import FleetJobs
from tests.laws.made import job, plan, ranked, scenario, table

LOW, HIGH, URGENT = 1, 3, 4
BY_PRIORITY = ranked(Key.PRIORITY, Key.AGE)
MANUAL = 2


def by_hand(arbitration, clusters, portable, policies=(BY_PRIORITY, BY_PRIORITY)):
    """Return which member each portable job goes to: `clusters` are (size, jobs of its own), `portable` is told with its time.

    The members are called a, b, ...; a portable job is (submit, job, places among the members where it fits).
    """
    names = tuple("abcdef"[: len(clusters)])
    made = [
        scenario(policy, plan(x="1/2", y="1/2"), cluster=size)
        for (size, _), policy in zip(clusters, policies, strict=True)
    ]
    rows = np.full((len(names), len(portable)), -1)
    tables = []
    for place, (_, own) in enumerate(clusters):
        here = [at for at, (_, _, fits) in enumerate(portable) if place in fits]
        rows[place, here] = len(own) + np.arange(len(here))
        tables.append(table(("x", "y"), [*own, *({**portable[at][1], "stream": MANUAL} for at in here)]))
    jobs = FleetJobs(
        names=names,
        scenarios=tuple(made),
        tables=tuple(tables),
        submit=np.array([time for time, _, _ in portable]),
        home=np.array([fits[0] for _, _, fits in portable]),
        rows=rows,
    )
    members = [
        Member(name=name, cluster=of.cluster, plan=of.plan, policy=of.policy)
        for name, of in zip(names, made, strict=True)
    ]
    fleet = Fleet(name="fleet", members=members, workload=(), warmup=0, measured=HOUR, arbitration=arbitration)
    outcome = run_fleet(fleet, jobs)
    for place, name in enumerate(names):
        states = outcome.outcomes[name].log.jobs["state"][rows[place][rows[place] >= 0]]
        assert np.array_equal(states != JobState.UNSUBMITTED, (outcome.chosen == place)[rows[place] >= 0])
    return [names[place] for place in outcome.chosen]


def test_at_home_nobody_chooses():
    portable = [(10, job("x", 1, 60), (1, 0)), (10, job("x", 1, 60), (0, 1)), (20, job("x", 1, 60), (1, 0))]
    assert by_hand(Arbitration.HOME, [("1x8", []), ("1x8", [])], portable) == ["b", "a", "b"]


def test_in_turn_the_members_take_one_job_each_and_who_cannot_take_it_is_passed_over():
    small = job("x", 1, 60)
    portable = [(10, small, (1, 0)), (10, small, (0, 1)), (20, job("x", 16, 60), (1,)), (30, small, (0, 1))]
    assert by_hand(Arbitration.ROUND_ROBIN, [("1x8", []), ("2x8", [])], portable) == ["a", "b", "b", "a"]


def busy(*waiting, gpus=8):
    return [job("y", gpus, 1000), *(job("y", 8, 1000, submit=20, priority=level) for level in waiting)]


def test_by_rank_a_job_goes_where_fewer_stand_before_it_though_more_wait_there():
    clusters = [("1x8", busy(LOW, LOW)), ("1x8", busy(URGENT))]
    portable = [(30, job("x", 1, 60, priority=HIGH), (1, 0))]
    assert by_hand(Arbitration.RANKED_HEAD, clusters, portable) == ["a"]


def test_and_rank_is_by_the_policy_of_each_cluster():
    clusters = [("1x8", busy(LOW, LOW)), ("1x8", busy(URGENT))]
    portable = [(30, job("x", 1, 60, priority=HIGH), (0, 1))]
    assert by_hand(Arbitration.RANKED_HEAD, clusters, portable, (ranked(), BY_PRIORITY)) == ["b"]


def test_by_rank_jobs_of_one_second_see_those_that_went_before_them():
    clusters = [("1x8", busy()), ("1x8", busy())]
    portable = [(30, job("x", 8, 60), (0, 1)) for _ in range(4)]
    assert by_hand(Arbitration.RANKED_HEAD, clusters, portable) == ["a", "b", "a", "b"]


# x has used 400 of its 14,400 GPU-seconds on a, which is empty again, and 600 of its 28,800 on b, which is nearly full
USED = [("1x8", [job("x", 4, 100)]), ("2x8", [job("x", 6, 100), job("y", 8, 1000), job("y", 6, 1000, submit=110)])]


def test_by_balance_a_job_goes_where_less_of_its_budget_is_used_though_less_is_free_there():
    portable = [(200, job("x", 1, 60), (0, 1))]
    assert by_hand(Arbitration.ALLOCATION_BALANCE, USED, portable) == ["b"]


def test_by_rank_the_same_job_goes_where_more_is_free_as_nobody_waits():
    portable = [(200, job("x", 1, 60), (1, 0))]
    assert by_hand(Arbitration.RANKED_HEAD, USED, portable) == ["a"]


def test_by_balance_it_is_the_budget_of_the_jobs_team_that_counts():
    portable = [(200, job("y", 1, 60), (1, 0))]  # on a it has used nothing
    assert by_hand(Arbitration.ALLOCATION_BALANCE, USED, portable) == ["a"]


def test_ties_go_to_the_most_free_gpus_and_then_by_name():
    portable = [(30, job("x", 1, 60), (1, 0))]
    for arbitration in (Arbitration.RANKED_HEAD, Arbitration.ALLOCATION_BALANCE):
        assert by_hand(arbitration, [("1x8", []), ("1x8", [])], portable) == ["a"]
        assert by_hand(arbitration, [("1x8", []), ("2x8", [])], portable) == ["b"]


def test_without_entitlement_a_budget_is_the_last_to_be_chosen():
    answers = [Standing(ahead=0, used=0, entitled=0, free=8), Standing(ahead=9, used=99, entitled=1, free=0)]
    choose = chooser(Arbitration.ALLOCATION_BALANCE)
    assert choose([0, 1], lambda place: answers[place]) == 1
    assert balance(answers[1]) < balance(answers[0])


def test_ratios_that_differ_by_less_than_a_float_can_hold_are_told_apart():
    large = 10**17
    answers = [
        Standing(ahead=0, used=large + 1, entitled=large, free=8),
        Standing(ahead=0, used=large, entitled=large, free=0),
    ]
    assert chooser(Arbitration.ALLOCATION_BALANCE)([0, 1], lambda place: answers[place]) == 1


@pytest.mark.parametrize("stopped_after", [1, 2])
def test_a_fleet_that_is_stopped_stops_on_all_members_at_one_moment(stopped_after):
    looks = []

    def stop():
        looks.append(1)
        return len(looks) == stopped_after

    of = scenario(ranked(), plan(x="1"), horizon=100 * HOUR)
    jobs = FleetJobs(
        names=("a", "b"),
        scenarios=(of, of),
        tables=(table(("x",), [job("x", 1, 60, stream=MANUAL)]),) * 2,
        submit=np.array([30 * HOUR]),
        home=np.array([1]),
        rows=np.zeros((2, 1), np.int64),
    )
    members = [Member(name=name, cluster=of.cluster, plan=of.plan, policy=of.policy) for name in "ab"]
    fleet = Fleet(name="fleet", members=members, workload=(), warmup=0, measured=100 * HOUR)
    outcome = run_fleet(fleet, jobs, stop=stop)
    assert {each.log.horizon for each in outcome.outcomes.values()} == {stopped_after * 24 * HOUR}
    assert outcome.chosen.tolist() == [NOWHERE if stopped_after == 1 else 0]


def test_how_far_it_is_is_told_up_to_the_end():
    told = []
    of = scenario(ranked(), plan(x="1"), horizon=100 * HOUR)
    empty = table(("x",), [])
    none = np.zeros(0, np.int64)
    jobs = FleetJobs(
        names=("a",), scenarios=(of,), tables=(empty,), submit=none, home=none, rows=np.zeros((1, 0), np.int64)
    )
    member = Member(name="a", cluster=of.cluster, plan=of.plan, policy=of.policy)
    fleet = Fleet(name="fleet", members=[member], workload=(), warmup=0, measured=100 * HOUR)
    run_fleet(fleet, jobs, progress=lambda now, of: told.append((now, of)))
    assert told[-1] == (100 * HOUR, 100 * HOUR)


def test_who_is_asked_does_not_depend_on_the_members_order():
    asked = []
    choose = chooser(Arbitration.RANKED_HEAD)
    answers = {0: Standing(ahead=1, used=0, entitled=0, free=0), 2: Standing(ahead=0, used=0, entitled=0, free=0)}

    def ask(place):
        asked.append(place)
        return answers[place]

    assert choose([0, 2], ask) == 2
    assert asked == [0, 2]
    assert attrs.asdict(answers[2])["ahead"] == 0
