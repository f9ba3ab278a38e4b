"""What a job that may go elsewhere is told: who ranks before it, how its budget stands, what is free; and nothing changes."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from allotment.errors import SimulationError
from allotment.experiment.simulate import draw
from allotment.kernel.engine import Engine
from allotment.kernel.questions import Standing
from allotment.model.policy import Key
from allotment.presets import load_policy, load_scenario
from allotment.units import DAY, HOUR
from allotment.workload.table import merge
from tests.laws.happenings import reach
from tests.laws.made import budgets, job, plan, ranked, scenario, table
from tests.strategies import POLICIES

TWO = plan(a="1/2", b="1/2")
MANUAL = 2


def engine(*jobs, policy, of=TWO, leaves=("a", "b"), **more):
    return Engine(scenario(policy, of, **more), table(leaves, jobs))


def test_nobody_ranks_before_a_job_on_an_empty_cluster():
    run = engine(job("a", 1, 60, stream=MANUAL), policy=ranked())
    assert run.standing(0) == Standing(ahead=0, used=0, entitled=8 * HOUR // 2, free=8)


def test_who_ranks_before_it_goes_by_the_keys_of_the_policy():
    jobs = [
        job("a", 8, 1000),
        *(job("a", 1, 60, submit=20, priority=level) for level in (1, 2, 3)),
        job("b", 1, 60, stream=MANUAL, priority=2),
    ]
    by_priority = engine(*jobs, policy=ranked(Key.PRIORITY, Key.AGE))
    by_age = engine(*jobs, policy=ranked())
    for run in (by_priority, by_age):
        reach(run, 30)
    assert (by_priority.standing(4).ahead, by_age.standing(4).ahead) == (2, 3)
    assert by_priority.standing(4).free == 0


def test_a_job_that_runs_does_not_wait_before_it():
    run = engine(job("a", 1, 1000), job("b", 1, 60, stream=MANUAL), policy=ranked())
    reach(run, 100)
    assert run.standing(1) == Standing(ahead=0, used=0, entitled=8 * HOUR // 2, free=7)


def test_funded_work_stands_before_what_is_not_funded_and_among_equals_the_keys_decide():
    # a may claim half of 8 GPUs for an hour, and is protected on all of that from second 0 on; then only b is funded
    jobs = [
        job("a", 4, HOUR, asks=HOUR),
        job("a", 4, HOUR),
        job("a", 1, 60, submit=25, asks=HOUR),
        job("b", 1, 60, submit=25, asks=60),
        job("a", 1, 60, stream=MANUAL, min_runtime=HOUR),
        job("b", 1, 60, stream=MANUAL, min_runtime=120),
        job("b", 1, 60, stream=MANUAL),
    ]
    run = engine(*jobs, policy=budgets(reserve=0, cooldown=0))
    reach(run, 26)
    assert run.standing(4).ahead == 2  # not funded: behind b's funded job, and by use behind a's own that came earlier
    assert run.standing(5).ahead == 1  # funded, in the queue of b behind the one that came earlier
    assert run.standing(6).ahead == 1  # not funded: behind the funded one, and by use before those of a


def test_the_budget_is_told_with_all_that_it_is_committed_to():
    run = engine(job("a", 4, HOUR, asks=HOUR // 2), job("a", 1, 60, stream=MANUAL), policy=budgets())
    reach(run, 60)
    half = 8 * HOUR // 2
    assert run.standing(1) == Standing(ahead=0, used=4 * HOUR // 2, entitled=half, free=4)


def test_with_quotas_another_team_is_before_it_where_its_queue_would_be_served_first():
    jobs = [
        job("a", 6, 1000),
        *(job("a", 4, 60, submit=20) for _ in range(3)),
        *(job(name, 4, 60, stream=MANUAL) for name in "ab"),
    ]
    run = engine(*jobs, policy=load_policy("quota"), of=plan(a="1/2", b="1/2"))
    reach(run, 30)
    assert (run.standing(4).ahead, run.standing(5).ahead) == (3, 0)


def test_a_job_that_was_submitted_is_not_asked_about_again():
    run = engine(job("a", 1, 60), policy=ranked())
    reach(run, 10)
    with pytest.raises(SimulationError, match="not unsubmitted"):
        run.standing(0)
    with pytest.raises(SimulationError, match="there is no job 7"):
        run.standing(7)


@pytest.mark.parametrize("policy", POLICIES)
def test_a_run_that_is_asked_at_every_second_is_the_same_to_the_bit(policy):
    of = attrs.evolve(load_scenario("small-week"), policy=load_policy(policy), warmup=0, measured=DAY // 3)
    drawn = draw(of)
    asked_about = table(drawn.leaves, [job(leaf, 4, HOUR, asks=900, stream=MANUAL) for leaf in drawn.leaves])
    jobs = merge(drawn.leaves, [drawn, asked_about])
    silent, asked = Engine(of, jobs), Engine(of, jobs)
    reach(silent, of.horizon)
    told = set()
    for second in range(of.horizon):
        reach(asked, second)
        told.add(asked.standing(len(drawn) + second % len(drawn.leaves)))
    reach(asked, of.horizon)
    assert len(told) > 100, "nothing was there to be asked about"
    assert_equal(silent.close(), asked.close())


@pytest.mark.parametrize(
    ("before", "after"), [("priority", "budgets"), ("budgets", "fair-tree"), ("quota", "priority")]
)
def test_and_so_is_one_in_which_another_policy_takes_over(before, after):
    of = attrs.evolve(load_scenario("small-week"), policy=load_policy(before), warmup=0, measured=DAY // 4)
    drawn = draw(of)
    asked_about = table(drawn.leaves, [job(leaf, 4, HOUR, asks=900, stream=MANUAL) for leaf in drawn.leaves])
    jobs = merge(drawn.leaves, [drawn, asked_about])
    silent, asked = Engine(of, jobs), Engine(of, jobs)
    for second in range(of.horizon):
        reach(asked, second)
        if second == of.horizon // 2 + 7:
            reach(silent, second)
            for run in (silent, asked):
                run.set_policy(load_policy(after))
        asked.standing(len(drawn) + second % len(drawn.leaves))
    for run in (silent, asked):
        reach(run, of.horizon)
    assert_equal(silent.close(), asked.close())


def assert_equal(one, other):
    for field in attrs.fields(type(one)):
        mine, theirs = getattr(one, field.name), getattr(other, field.name)
        assert np.array_equal(mine, theirs) if isinstance(mine, np.ndarray) else mine == theirs, field.name
