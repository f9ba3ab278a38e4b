"""The world around the real scheduler."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from allotment.kernel.engine import Engine
from allotment.model.changeset import Changeset, ShareChange
from allotment.model.codes import EndCode, JobState
from allotment.model.people import Impatience, Pause, Sessions
from allotment.units import DAY, HOUR, MINUTE
from allotment.world.health import FAULT
from allotment.world.incidents import Emptied
from allotment.world.live import Live
from allotment.world.people import cast, with_people
from allotment.world.run import run
from tests.world import made
from tests.world.fake import rows

POLICIES = {"budgets": made.BUDGETS, "priority": made.PRIORITY}
PEOPLE = (
    Sessions(people=3, think=Pause(median=HOUR)),
    Impatience(share=0.5, patience=Pause(median=2 * HOUR), resubmit=0.5),
)
CHANGE = Changeset(time=4 * DAY, author="ada", reason="a deadline", shares=(ShareChange(id="left", share="0.1"),))
CROWDED = made.busy_jobs(700)


@pytest.fixture(params=sorted(POLICIES))
def policy(request):
    return POLICIES[request.param]


def lively(policy, **more):
    given = {"health": made.HEALTH, "people": PEOPLE, "changesets": (CHANGE,)} | more
    scenario = made.scenario(policy=policy, **given)
    return scenario, with_people(CROWDED, scenario)


def assert_same(one, other):
    assert one.interrupted == other.interrupted
    assert one.incidents.tolist() == other.incidents.tolist()
    for field in attrs.fields(type(one.log)):
        a, b = getattr(one.log, field.name), getattr(other.log, field.name)
        if field.name == "epoch_time":
            assert a.tolist() == b.tolist()
        assert np.array_equal(a, b), field.name


def test_everybody_plays_a_part(policy):
    scenario, table = lively(policy)
    outcome = run(scenario, table)
    log, base = outcome.log, len(CROWDED)
    assert len(outcome.incidents) > 3
    assert (log.jobs["state"] == JobState.CANCELLED).sum() > 10
    assert (log.jobs["submit"][base:] >= 0).sum() > 100
    assert log.epoch_time.tolist() == [0, 4 * DAY]
    assert log.capacity["down"].max() > 0


def test_jobs_of_people_are_submitted_one_after_the_other(policy):
    scenario, table = lively(policy)
    jobs = run(scenario, table).log.jobs
    for worker in cast(table, scenario).workers:
        mine = jobs[worker.jobs.start : worker.jobs.stop]
        submitted = mine[mine["submit"] >= 0]
        assert len(submitted) > 3
        assert np.all(mine["submit"][len(submitted) :] == -1)
        assert np.all(mine["state"][len(submitted) :] == JobState.UNSUBMITTED)
        pauses = np.array(worker.pauses)[1 : len(submitted)]
        assert np.array_equal(submitted["submit"][1:], submitted["end"][:-1] + 1 + pauses)


def test_impatient_users_cancel_only_what_has_waited_too_long(policy):
    scenario, table = lively(policy)
    jobs = run(scenario, table).log.jobs
    cancelled = np.flatnonzero(jobs["state"] == JobState.CANCELLED)
    until = {role.job: role.time for role in cast(table, scenario).waiters}
    assert np.all(jobs["first_start"][cancelled] == -1)
    assert jobs["end"][cancelled].tolist() == [until[job] for job in cancelled.tolist()]
    for job, time in until.items():
        assert job in cancelled or 0 <= jobs["first_start"][job] < time


def test_in_how_many_steps_a_run_goes_changes_nothing(policy):
    scenario, table = lively(policy)
    once = run(scenario, table)
    assert_same(run(scenario, table, progress=lambda *_: None), once)
    live = Live(scenario, table)
    rng = np.random.default_rng(0)
    while live.now < 3 * DAY:
        live.step(int(rng.integers(1, 2 * HOUR)))
    for _ in range(50):
        live.step_pass()
    assert live.step_decision() < live.horizon
    assert_same(live.finish(), once)


def test_pausing_at_the_very_moments_at_which_things_happen_changes_nothing(policy):
    scenario, table = lively(policy)
    once = run(scenario, table)
    live = Live(scenario, table)
    begins = set(once.incidents["begin"].tolist()) | set(once.incidents["drained"].tolist())
    ends = set(once.log.jobs["end"][len(CROWDED) :].tolist())
    moments = sorted({time + late for time in begins | ends if time > 0 for late in (0, 1)})
    assert len(moments) > 100
    for moment in moments:
        if live.now < moment < live.horizon:
            live.step(moment - live.now)
    assert_same(live.finish(), once)


def test_an_edited_run_is_the_run_of_the_scenario_that_it_leaves(policy):
    scenario, table = lively(policy)
    live = Live(scenario, table)
    live.step(2 * DAY + 17)
    live.edit([ShareChange(id="right", share="0.2")], author="ada", reason="they need it less")
    live.step(2 * DAY - 17)
    live.edit([ShareChange(id="right", share="0.45")], author="ada", reason="they need it again")
    outcome = live.finish()
    assert_same(outcome, run(live.scenario, table))
    assert outcome.log.epoch_time.tolist() == [0, 2 * DAY + 17, 4 * DAY]


def test_a_run_that_is_stopped_is_the_beginning_of_the_whole_one(policy):
    scenario, table = lively(policy)
    looks = iter([False] * 4 + [True])
    part, whole = run(scenario, table, stop=lambda: next(looks)), run(scenario, table)
    assert part.interrupted
    assert part.log.horizon == 5 * DAY
    begun = whole.log.slices[whole.log.slices["start"] < 5 * DAY]
    assert np.array_equal(part.log.slices["job"], begun["job"])
    assert np.array_equal(part.log.slices["start"], begun["start"])
    assert part.log.idle.sum() == whole.log.idle[:120].sum()


def test_the_same_nodes_break_at_the_same_times_under_each_policy():
    firsts = []
    for policy in POLICIES.values():
        scenario, table = lively(policy)
        found = rows(run(scenario, table).incidents)
        firsts.append(
            {node: min(c["begin"] for c in found if c["node"] == node) for node in {c["node"] for c in found}}
        )
    assert firsts[0] == firsts[1]


def test_a_node_is_out_of_service_from_down_to_repaired(policy):
    scenario, table = lively(policy)
    outcome = run(scenario, table)
    capacity = outcome.log.capacity
    down = np.zeros(scenario.horizon, np.int64)
    for case in rows(outcome.incidents):
        if case["down"] >= 0:
            down[case["down"] : case["repaired"] if case["repaired"] >= 0 else None] += scenario.cluster.gpus_per_node
    logged = np.repeat(capacity["down"], np.diff([*capacity["time"], scenario.horizon]))
    assert np.array_equal(logged, down)


def test_jobs_that_may_not_be_preempted_need_a_person_without_contracts_and_none_with_them():
    table = attrs.evolve(
        made.jobs(*[(0, 8, 9 * DAY)] * 4, preemptible=False),
        min_runtime=np.full(4, 2 * HOUR),
        resumable=np.ones(4),
        checkpoint=np.full(4, 30 * MINUTE),
    )
    health = attrs.evolve(made.HEALTH, hard_mtbf=10_000 * DAY, urgent_share=0, engineers=4, crews=4)
    persons = {}
    for name, policy in POLICIES.items():
        outcome = run(made.scenario(policy=policy, health=health), table)
        cases = [case for case in rows(outcome.incidents) if case["emptied"] != Emptied.NOT_YET]
        assert len(cases) >= 2
        persons[name] = [case["person"] for case in cases]
        codes = set(outcome.log.slices["end_code"].tolist())
        assert (EndCode.DRAINED in codes) == (name == "budgets")
        assert (EndCode.URGENT_REPAIR in codes) == (name == "priority")
    assert not any(persons["budgets"])
    assert all(persons["priority"])


def test_a_drain_ends_when_the_last_contract_does():
    table = made.jobs((0, 8, 9 * DAY), (0, 8, 9 * DAY), min_runtime=8 * HOUR, preemptible=False)
    health = attrs.evolve(made.HEALTH, hard_mtbf=10_000 * DAY, unhealthy_mtbf=DAY, urgent_share=0)
    cases = rows(run(made.scenario(health=health), table).incidents)
    waits = [case["drained"] - case["cordoned"] for case in cases if case["drained"] >= 0]
    assert len(waits) > 3
    assert max(waits) <= 8 * HOUR + 1


def test_an_engine_is_a_scheduler_with_nobody_to_stop_it(monkeypatch):
    leaps = []
    advance = Engine.advance
    monkeypatch.setattr(Engine, "advance", lambda self, until: (leaps.append(until), advance(self, until))[1])
    run(made.scenario(), CROWDED)
    assert leaps == [10 * DAY]


def test_an_empty_node_is_taken_down_even_in_the_second_in_which_somebodys_job_ends(policy, monkeypatch):
    scenario = made.scenario(nodes=8, policy=policy, people=(Sessions(people=1, leaves=("left",)),), health=made.HEALTH)
    table = with_people(made.jobs((0, 1, 10)), scenario)
    monkeypatch.setattr("allotment.world.health.faults", lambda *_: np.zeros(0, FAULT))
    ends = [int(end) for end in run(scenario, table).log.jobs["end"][1:6]]
    for end in ends:
        monkeypatch.setattr("allotment.world.health.faults", lambda *_: np.array([(7, end, 2, False, 60)], FAULT))  # noqa: B023
        (case,) = rows(run(scenario, table).incidents)
        assert case["cordoned"] == end
        assert case["drained"] in (end, end + 1)
