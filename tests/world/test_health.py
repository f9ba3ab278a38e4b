from __future__ import annotations

import attrs
import numpy as np
import pytest

from allotment.model.cluster import Health
from allotment.units import DAY, HOUR, MINUTE
from allotment.world.health import FAULT, faults
from allotment.world.incidents import Emptied, IncidentKind
from allotment.world.run import run
from tests.world import made
from tests.world.fake import FakeScheduler, rows, verbs

FOREVER = 10_000 * DAY
PATIENT = attrs.evolve(made.HEALTH, urgent_share=0, repair=HOUR, repair_spread=0.0)


def only(monkeypatch, *given):
    """Let these faults happen and no others: (node, time, kind, urgent, repair)."""
    rows_given = np.array(list(given), FAULT)
    monkeypatch.setattr("allotment.world.health.faults", lambda *_: rows_given)


def simulate(monkeypatch, given, table, *, health=PATIENT, policy=made.BUDGETS, nodes=2):
    only(monkeypatch, *given)
    held = []

    def make(scenario, jobs):
        held.append(FakeScheduler(scenario, jobs))
        return held[0]

    outcome = run(made.scenario(nodes=nodes, health=health, policy=policy), table, make=make)
    return rows(outcome.incidents), held[0]


def test_faults_come_about_as_often_as_the_cluster_says():
    health = Health(hard_mtbf=10 * DAY, unhealthy_mtbf=5 * DAY, urgent_share="0.25", repair=DAY, repair_spread=0.5)
    drawn = faults(health, 200, 100 * DAY, 3)
    hard, unhealthy = drawn[drawn["kind"] == 1], drawn[drawn["kind"] == 2]
    assert len(hard) == pytest.approx(2_000, rel=0.1)
    assert len(unhealthy) == pytest.approx(4_000, rel=0.1)
    assert np.mean(unhealthy["urgent"]) == pytest.approx(0.25, abs=0.03)
    assert not np.any(hard["urgent"])
    assert np.median(drawn["repair"]) == pytest.approx(DAY, rel=0.05)
    assert np.quantile(drawn["repair"], 0.9) == pytest.approx(DAY * np.exp(0.5 * 1.2816), rel=0.1)
    gaps = np.diff(hard["time"])[np.diff(hard["node"]) == 0]
    assert np.std(gaps) == pytest.approx(np.mean(gaps), rel=0.15)  # as it is for an exponential


def test_faults_are_in_the_order_of_nodes_and_times():
    drawn = faults(made.HEALTH, 20, 50 * DAY, 0)
    assert np.all(np.diff(drawn["node"]) >= 0)
    assert np.all(np.diff(drawn["time"])[np.diff(drawn["node"]) == 0] >= 0)
    assert drawn["time"].min() >= 1
    assert drawn["time"].max() < 50 * DAY


def test_a_longer_run_or_a_larger_cluster_has_the_same_faults_and_more():
    short = faults(made.HEALTH, 5, 30 * DAY, 7)
    long = faults(made.HEALTH, 9, 300 * DAY, 7)
    assert np.array_equal(long[(long["time"] < 30 * DAY) & (long["node"] < 5)], short)
    assert len(short) > 5


def test_another_seed_has_other_faults():
    assert not np.array_equal(faults(made.HEALTH, 5, 30 * DAY, 7), faults(made.HEALTH, 5, 30 * DAY, 8))


def test_unhealthy_nodes_do_not_change_when_others_fail_hard():
    often = attrs.evolve(made.HEALTH, hard_mtbf=DAY)
    some, other = (faults(health, 5, 30 * DAY, 7) for health in (made.HEALTH, often))
    assert np.array_equal(some[some["kind"] == 2], other[other["kind"] == 2])


def test_a_hard_failure_takes_the_node_down_until_a_crew_has_repaired_it(monkeypatch):
    (case,), scheduler = simulate(monkeypatch, [(1, 100, 1, False, 3600)], made.jobs((0, 8, 500)))
    assert scheduler.calls == [(100, "fail", 1), (3700, "clear", 1)]
    assert case | {"node": 1, "begin": 100, "down": 100, "crew_wait": 0, "repaired": 3700} == case
    assert case["kind"] == IncidentKind.HARD
    assert case["emptied"] == Emptied.FAILED
    assert (case["cordoned"], case["drained"], case["called"], case["person"]) == (-1, -1, -1, False)


def test_an_unhealthy_node_drains_and_is_then_taken_down_and_repaired(monkeypatch):
    table = made.jobs((0, 8, 5000), preemptible=False)
    (case,), scheduler = simulate(monkeypatch, [(0, 100, 2, False, 3600)], table)
    assert scheduler.calls == [(100, "cordon", 0), (5001, "take_down", 0), (8601, "clear", 0)]
    assert (case["cordoned"], case["drained"], case["down"], case["repaired"]) == (100, 5001, 5001, 8601)
    assert case["emptied"] == Emptied.DRAINED
    assert not case["person"]


def test_an_empty_unhealthy_node_is_taken_down_in_the_same_second(monkeypatch):
    (case,), scheduler = simulate(monkeypatch, [(0, 100, 2, False, 60)], made.jobs((9000, 8, 10)))
    assert scheduler.calls == [(100, "cordon", 0), (100, "take_down", 0), (160, "clear", 0)]
    assert case["drained"] == case["down"] == 100


def test_without_contracts_an_engineer_empties_a_node_that_has_not_drained_in_time(monkeypatch):
    table = made.jobs((0, 8, 5 * DAY), preemptible=False)
    (case,), scheduler = simulate(monkeypatch, [(0, 100, 2, False, 60)], table, policy=made.PRIORITY)
    evicted = 100 + HOUR + 30 * MINUTE
    assert verbs(scheduler, "evict", "take_down") == [(evicted, "evict", 0)]
    assert (case["called"], case["engineer_wait"], case["drained"], case["down"]) == (100 + HOUR, 0, -1, evicted)
    assert case["person"]
    assert case["emptied"] == Emptied.ENGINEER


def test_with_contracts_nobody_is_called_however_long_a_drain_lasts(monkeypatch):
    table = made.jobs((0, 8, 5 * DAY), preemptible=False)
    (case,), scheduler = simulate(monkeypatch, [(0, 100, 2, False, 60)], table)
    assert verbs(scheduler, "evict", "take_down") == [(5 * DAY + 1, "take_down", 0)]
    assert not case["person"]


def test_without_contracts_nobody_is_called_to_a_node_that_drains_in_time(monkeypatch):
    table = made.jobs((0, 8, 1000), preemptible=False)
    (case,), scheduler = simulate(monkeypatch, [(0, 100, 2, False, 60)], table, policy=made.PRIORITY)
    assert verbs(scheduler, "evict", "take_down") == [(1001, "take_down", 0)]
    assert (case["called"], case["person"]) == (-1, False)


def test_an_urgent_case_gets_an_engineer_under_any_policy(monkeypatch):
    table = made.jobs((0, 8, 5 * DAY), preemptible=False)
    for policy in (made.BUDGETS, made.PRIORITY):
        (case,), scheduler = simulate(monkeypatch, [(0, 100, 2, True, 60)], table, policy=policy)
        assert verbs(scheduler, "evict") == [(100 + 30 * MINUTE, "evict", 0)]
        assert case["urgent"]
        assert case["person"]


def test_an_urgent_case_that_drains_meanwhile_still_keeps_its_engineer(monkeypatch):
    table = made.jobs((0, 8, 1000), preemptible=False)
    (case,), scheduler = simulate(monkeypatch, [(0, 100, 2, True, 60)], table)
    assert verbs(scheduler, "evict", "take_down") == [(100 + 30 * MINUTE, "take_down", 0)]
    assert (case["drained"], case["person"], case["emptied"]) == (1001, True, Emptied.DRAINED)


def test_cases_queue_for_few_engineers(monkeypatch):
    given = [(node, 100 + node, 2, True, 60) for node in range(3)]
    table = made.jobs(*[(0, 8, 5 * DAY)] * 3, preemptible=False)
    one, scheduler = simulate(monkeypatch, given, table, nodes=3)
    assert [case["engineer_wait"] for case in one] == [0, 1799, 3598]
    assert [call[0] for call in verbs(scheduler, "evict")] == [1900, 3700, 5500]
    three, _ = simulate(monkeypatch, given, table, nodes=3, health=attrs.evolve(PATIENT, engineers=3))
    assert [case["engineer_wait"] for case in three] == [0, 0, 0]


def test_cases_queue_for_few_crews(monkeypatch):
    given = [(node, 100, 1, False, 1000) for node in range(3)]
    one, scheduler = simulate(monkeypatch, given, made.jobs((0, 1, 1)), nodes=3)
    assert [case["crew_wait"] for case in one] == [0, 1000, 2000]
    assert verbs(scheduler, "clear") == [(1100, "clear", 0), (2100, "clear", 1), (3100, "clear", 2)]
    two, _ = simulate(monkeypatch, given, made.jobs((0, 1, 1)), nodes=3, health=attrs.evolve(PATIENT, crews=2))
    assert [case["crew_wait"] for case in two] == [0, 0, 1000]


def test_an_engineer_who_is_awaited_is_called_off_when_the_node_drains(monkeypatch):
    given = [(0, 100, 2, True, 60), (1, 101, 2, False, 60), (2, 102, 2, True, 60)]
    table = made.jobs((0, 8, 5 * DAY), (0, 8, 4000), (0, 8, 5 * DAY), preemptible=False)
    health = attrs.evolve(PATIENT, person_time=HOUR, drain_patience=10)
    cases, _ = simulate(monkeypatch, given, table, nodes=3, health=health, policy=made.PRIORITY)
    assert [case["person"] for case in cases] == [True, False, True]
    assert [case["called"] for case in cases] == [100, 111, 102]
    assert cases[1]["engineer_wait"] == -1
    assert cases[1]["drained"] == 4001
    assert cases[2]["engineer_wait"] == 100 + HOUR - 102


def test_a_node_that_fails_hard_while_it_drains_is_one_case_and_down_at_once(monkeypatch):
    given = [(0, 100, 2, False, 60), (0, 700, 1, False, 999)]
    table = made.jobs((0, 8, 5 * DAY), preemptible=False)
    (case,), scheduler = simulate(monkeypatch, given, table)
    assert scheduler.calls == [(100, "cordon", 0), (700, "fail", 0), (760, "clear", 0)]
    assert (case["kind"], case["emptied"], case["down"]) == (IncidentKind.UNHEALTHY, Emptied.FAILED, 700)


def test_nothing_more_happens_to_a_node_that_is_down(monkeypatch):
    given = [(0, 100, 1, False, 1000), (0, 500, 1, False, 10), (0, 600, 2, False, 10), (0, 1200, 1, False, 10)]
    cases, scheduler = simulate(monkeypatch, given, made.jobs((0, 1, 1)))
    assert [case["begin"] for case in cases] == [100, 1200]
    assert [call[0] for call in verbs(scheduler, "fail", "cordon")] == [100, 1200]


def test_what_is_not_over_at_the_horizon_says_so(monkeypatch):
    end = 10 * DAY
    given = [(0, end - 50, 1, False, 1000), (1, end - 40, 1, False, 1000)]
    cases, _ = simulate(monkeypatch, given, made.jobs((0, 1, 1)))
    assert [case["repaired"] for case in cases] == [-1, -1]
    assert [case["crew_wait"] for case in cases] == [0, -1]


def test_the_nodes_break_alike_under_every_policy():
    table = made.jobs(*[(0, 8, 9 * DAY)] * 6, preemptible=[True, False, False, True, False, True])
    begins = []
    for policy in (made.BUDGETS, made.PRIORITY):
        world = made.scenario(nodes=6, health=attrs.evolve(made.HEALTH, hard_mtbf=FOREVER), policy=policy)
        found = rows(run(world, table, make=FakeScheduler).incidents)
        begins.append(
            {node: min(c["begin"] for c in found if c["node"] == node) for node in {c["node"] for c in found}}
        )
    assert begins[0] == begins[1]
    assert len(begins[0]) >= 3
