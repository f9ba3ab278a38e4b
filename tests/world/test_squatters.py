"""Sessions that are kept after their work, on one node of eight GPUs, small enough to follow by hand."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from allotment.kernel.engine import Engine
from allotment.model.codes import EndCode, JobState
from allotment.model.people import Pause, Squatting
from allotment.results.laws import check
from allotment.results.result import build
from allotment.units import DAY, HOUR, MINUTE
from allotment.world.health import FAULT
from allotment.world.live import Live
from allotment.world.people import with_people
from allotment.world.run import run
from tests.world import made

SQUATS = Squatting(kinds=(), leaves=("left",), share=1, hold=Pause(median=2 * HOUR, sigma=0))
OVER = 600 + 2 * HOUR  # when the session below is over, left alone


def two(**columns):
    """A session of ten minutes, with a contract of fifteen; and a job of another team that wants all its GPUs."""
    usual = {"leaf": [0, 1], "min_runtime": 15 * MINUTE, "limit": HOUR, "preemptible": True}
    return made.jobs((0, 8, 600), (100, 8, 1200), **usual | columns)


def outcome_of(table, policy, *people, **more):
    scenario = made.scenario(nodes=1, horizon=DAY, policy=policy, people=people, **more)
    full = with_people(table, scenario)
    outcome = run(scenario, full)
    result = build(scenario, outcome.table, outcome.log, incidents=outcome.incidents)
    assert check(result) == ()
    return outcome, result


def test_without_contracts_a_session_keeps_its_gpus_until_it_is_over():
    outcome, result = outcome_of(two(), made.PRIORITY, SQUATS)
    assert outcome.log.jobs["first_start"].tolist() == [0, OVER]
    assert outcome.log.jobs["end"].tolist() == [OVER, OVER + 1200]
    assert result.slices["squatted"].tolist() == [2 * HOUR, 0]
    assert result.jobs["squatted"].tolist() == [16.0, 0.0]
    assert result.jobs["hold"].tolist() == [2 * HOUR, 0]
    assert result.cluster["squatted"].tolist()[:4] == [8 * 3000 / 3600, 8.0, 8 * 600 / 3600, 0.0]
    assert result.summary["squatted_gpu_hours"] == 16.0
    held = 8 * (OVER + 1200)
    assert result.summary["pyramid"]["utilization"] == 8 * 1800 / held
    assert result.summary["occupied_for"]["squatted"] == 16 * HOUR / held


def test_a_higher_priority_does_not_displace_a_session_that_is_kept_unless_it_is_marked_preemptible():
    urgent = two(priority=[2, 4])
    outcome, _ = outcome_of(urgent, made.PRIORITY, SQUATS)
    assert outcome.log.jobs["first_start"].tolist() == [0, OVER]
    outcome, result = outcome_of(urgent, made.PRIORITY, attrs.evolve(SQUATS, preemptible=True))
    assert outcome.log.jobs["first_start"].tolist() == [0, 120]  # the pass after 100 s, in the midst of its work
    assert result.jobs["lost"].tolist() == [8 * 120 / HOUR, 0.0]  # work, which is lost as ever


def test_under_budgets_a_session_is_protected_for_its_contract_and_over_when_others_need_its_gpus():
    outcome, result = outcome_of(two(), made.BUDGETS, SQUATS)
    jobs, slices = outcome.log.jobs, outcome.log.slices
    assert jobs["first_start"].tolist() == [0, 900]
    assert jobs["end"].tolist() == [900, 900 + 1200]
    assert jobs["state"].tolist() == [JobState.FINISHED, JobState.FINISHED]
    assert slices["end_code"].tolist() == [EndCode.PREEMPTED, EndCode.FINISHED]
    assert slices["kept"].tolist() == [900, 1200]
    assert (slices["lost"] == 0).all()
    assert jobs["queued"].tolist() == [0, 800]
    assert result.slices["squatted"].tolist() == [300, 0]
    assert result.summary["squatted_gpu_hours"] == 8 * 300 / HOUR
    assert result.summary["work_lost_gpu_hours"] == 0


def test_under_budgets_a_session_that_nobody_needs_the_gpus_of_is_kept_to_its_end():
    outcome, result = outcome_of(made.jobs((0, 8, 600), min_runtime=900), made.BUDGETS, SQUATS)
    assert outcome.log.jobs["end"].tolist() == [OVER]
    assert result.summary["squatted_gpu_hours"] == 16.0


def test_a_session_that_is_stopped_before_its_work_is_done_comes_back_and_is_kept_then(monkeypatch):
    fault = np.array([(0, 300, 1, False, 1000)], FAULT)  # down from 300 to 1300 s
    monkeypatch.setattr("allotment.world.health.faults", lambda *_: fault)
    alone = made.jobs((0, 8, 600), min_runtime=900)
    outcome, result = outcome_of(alone, made.PRIORITY, SQUATS, health=made.HEALTH)
    begin = 1320  # the pass after the repair
    assert outcome.log.jobs["end"].tolist() == [begin + OVER]
    assert result.slices["squatted"].tolist() == [0, 2 * HOUR]
    assert result.slices["lost"].tolist() == [8 * 300 / HOUR, 0.0]


@pytest.mark.parametrize("kind", [1, 2])
def test_a_session_on_a_node_that_breaks_while_it_only_holds_it_is_over_and_has_lost_nothing(monkeypatch, kind):
    fault = np.array([(0, 1000, kind, kind == 2, 1000)], FAULT)
    monkeypatch.setattr("allotment.world.health.faults", lambda *_: fault)
    alone = made.jobs((0, 8, 600), min_runtime=900)
    outcome, result = outcome_of(alone, made.PRIORITY, SQUATS, health=made.HEALTH)
    until = 1000 if kind == 1 else 1000 + 30 * MINUTE  # an urgent case waits for the engineer
    assert outcome.log.jobs["end"].tolist() == [until]
    assert outcome.log.jobs["state"].tolist() == [JobState.FINISHED]
    assert len(result.slices) == 1
    assert result.slices["squatted"].tolist() == [until - 600]
    assert result.summary["work_lost_gpu_hours"] == 0


def test_a_session_on_a_node_that_drains_moves_nowhere(monkeypatch):
    fault = np.array([(0, 2000, 2, False, 1000)], FAULT)
    monkeypatch.setattr("allotment.world.health.faults", lambda *_: fault)
    alone = made.jobs((0, 8, 600), min_runtime=900)
    outcome, _ = outcome_of(alone, made.BUDGETS, SQUATS, health=made.HEALTH)
    assert outcome.log.jobs["end"].tolist() == [2000]
    assert outcome.log.slices["end_code"].tolist() == [EndCode.DRAINED]
    assert outcome.incidents["drained"].tolist() == [2000]


@pytest.mark.parametrize("policy", [made.BUDGETS, made.PRIORITY], ids=lambda policy: policy.name)
def test_in_how_many_steps_a_run_with_squatters_goes_changes_nothing(policy):
    squats = attrs.evolve(SQUATS, share=0.4, leaves=(), hold=Pause(median=3 * HOUR))
    scenario = made.scenario(policy=policy, people=(squats,), health=made.HEALTH)
    table = with_people(attrs.evolve(made.busy_jobs(600), resumable=np.zeros(600), checkpoint=np.zeros(600)), scenario)
    once = run(scenario, table)
    rested = once.log.jobs["done"] > (table.work - table.hold)
    assert np.count_nonzero(rested) > 50
    live = Live(scenario, table)
    rng = np.random.default_rng(0)
    while live.now < 5 * DAY:
        live.step(int(rng.integers(1, HOUR)))
    for _ in range(50):
        live.step_pass()
    other = live.finish()
    for name in ("jobs", "slices", "segments", "decisions", "idle"):
        assert np.array_equal(getattr(once.log, name), getattr(other.log, name)), name
    assert check(build(scenario, once.table, once.log, incidents=once.incidents)) == ()


def test_a_job_that_does_not_run_cannot_rest():
    scenario = made.scenario(nodes=1)
    engine = Engine(scenario, made.jobs((0, 8, 600), (0, 8, 600)))
    engine.advance(10)
    assert engine.works_until(0) == 600
    assert engine.works_until(1) == -1
    assert not engine.rest(1)
