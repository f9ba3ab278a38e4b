"""Another policy takes over while jobs run and wait: examples on paper, and what must hold of every such run."""

from __future__ import annotations

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from allotment.errors import InputError, SimulationError
from allotment.experiment.simulate import draw, simulate, variant
from allotment.kernel.engine import Engine
from allotment.model.codes import IdleCause
from allotment.model.plan import PlanNode
from allotment.model.switch import Switch
from allotment.presets import load_policy, load_scenario
from allotment.results.laws import check
from allotment.results.result import build
from allotment.units import DAY, HOUR
from allotment.world.live import Live
from allotment.world.run import Run, run
from tests.laws.effort import runs
from tests.laws.made import Told, budgets, job, plan, ranked, table
from tests.strategies import regimes, scenarios
from tests.worked.made import LONG, paper

few = runs(25)
HALVES = plan(a="1/2", b="1/2")
LOW, HIGH = 1, 3


def after(policy, *jobs, first="priority", at=3_600, of=HALVES, horizon=20_000, **more) -> Told:
    """Run jobs under one policy and from a moment on under another."""
    switches = (Switch(time=at, policy=policy if not isinstance(policy, str) else load_policy(policy)),)
    scenario = paper(of, policy=first, horizon=horizon, switches=switches, **more)
    leaves = tuple(node.id for node in of.children)
    return Told(log=run(scenario, table(leaves, list(jobs))).log)


def test_what_runs_turns_unallocated_and_is_promoted_where_its_claim_is_funded() -> None:
    # both start under `priority`; at 3,600 use counts from nothing, so a claim of 4 x 3,600 fits in half of the first day
    told = after("budgets", job("a", 4, LONG, asks=3_600), job("b", 4, LONG))
    assert told.segments(0) == [
        ("interruptible", 0, 3_600),
        ("protected", 3_600, 7_200),
        ("interruptible", 7_200, 20_000),
    ]
    assert told.segments(1) == [("interruptible", 0, 3_600), ("unallocated", 3_600, 20_000)]
    assert told.decisions("carry_over", "promote", "preempt") == [
        (3_600, "carry_over", 0),
        (3_600, "carry_over", 1),
        (3_600, "promote", 0),
    ]
    promoted = told.rows("promote")[0]
    assert (promoted["used"], promoted["claim"], promoted["entitled"]) == (0, 14_400, 8 * DAY // 2)


def test_the_first_pass_is_that_of_the_grid_and_what_runs_is_unallocated_until_then() -> None:
    told = after("budgets", job("a", 4, LONG, asks=3_600), at=3_601)
    assert told.segments(0)[:3] == [
        ("interruptible", 0, 3_601),
        ("unallocated", 3_601, 3_630),
        ("protected", 3_630, 7_230),
    ]


def test_what_waited_keeps_its_place_and_its_submit_time() -> None:
    told = after("fifo", job("a", 8, 5_000), job("b", 8, 100, submit=60, priority=LOW), job("b", 8, 100, submit=30))
    assert [told.log.jobs["first_start"][row] for row in range(3)] == [0, 5_130, 5_010]
    assert told.log.jobs["queued"].tolist() == [0, 5_070, 4_980]


def test_without_contracts_a_slice_is_what_its_mark_says_and_no_promise_is_kept() -> None:
    jobs = [
        job("a", 4, LONG, asks=HOUR),
        job("b", 4, LONG, preemptible=False),
        job("b", 4, 50, submit=3_610, priority=HIGH),
    ]
    told = after("priority", *jobs, first="budgets", at=1_800)
    assert told.segments(0)[:2] == [("protected", 0, 1_800), ("interruptible", 1_800, 3_630)]
    assert told.segments(1) == [("unallocated", 0, 1_800), ("protected", 1_800, 20_000)]
    assert told.ends(0)[0] == "preempted"


def test_between_two_policies_with_contracts_promises_and_use_go_on() -> None:
    # half of 8 GPUs for a day is 345,600; 4 GPUs have used 4 x 1,800 and 4 x 5,400 are promised still
    other = attrs.evolve(budgets(lookback=DAY), name="other")
    jobs = [job("a", 4, LONG, asks=7_200), job("a", 1, LONG, submit=1_800, asks=600)]
    told = after(other, *jobs, first=budgets(lookback=DAY), at=1_800)
    assert told.segments(0)[:2] == [("protected", 0, 7_200), ("interruptible", 7_200, 20_000)]
    assert told.decisions("carry_over") == []
    second = told.rows("start", 1)[0]
    assert (second["used"], second["entitled"]) == (4 * 7_200, 8 * DAY // 2)


def test_nodes_that_are_held_are_given_back() -> None:
    # the gang of two nodes is funded and holds them until the contracts end; `fifo` holds nothing
    jobs = [
        job("a", 8, 6_000, asks=3_600),
        job("a", 8, 6_000, asks=3_600),
        job("b", 16, 100, submit=60, asks=60),
    ]
    told = after("fifo", *jobs, first="budgets", at=1_800, cluster="2x8")
    assert told.decisions("hold", "release") == [(60, "hold", 2), (1_800, "release", 2)]
    assert told.log.jobs["first_start"].tolist() == [0, 0, 6_000]


def test_minimum_runtimes_of_quotas_count_from_the_start_of_a_slice() -> None:
    spared = PlanNode(id="a", share="1/2", reclaim_min_runtime=7_200, preempt_min_runtime=7_200)
    of = plan(a=spared, b="1/2")
    told = after("quota", job("a", 8, LONG), job("b", 4, LONG, submit=3_700), of=of, first="fifo")
    assert told.segments(0)[1] == ("protected", 3_600, 7_200)
    assert told.log.jobs["first_start"].tolist() == [0, 7_200]


def test_a_job_that_is_marked_before_it_is_submitted_waits_among_those_with_that_mark() -> None:
    # two of one size, one of which nobody may stop: it must stay within the quota of 4 GPUs, the other need not
    jobs = [job("a", 4, LONG), job("a", 4, LONG, submit=60), job("a", 4, LONG, submit=90)]
    quota = load_policy("quota")
    quota = attrs.evolve(quota, quotas=attrs.evolve(quota.quotas, immune_within_quota=True))
    engine = Engine(paper(HALVES, policy=quota, horizon=1_000), table(("a", "b"), jobs))
    engine.mark(np.array([0, 1]), np.array([2, 2]), np.array([False, False]))
    engine.advance(1_000)
    assert engine.close().jobs["first_start"].tolist() == [0, -1, 90]


@few
@given(data=st.data())
def test_the_laws_hold_whatever_takes_over_from_what(data):
    scenario = data.draw(scenarios(health=True, people=True, switches=True))
    outcome = run(scenario, draw(scenario))
    result = build(scenario, outcome.table, outcome.log, incidents=outcome.incidents)
    assert [str(violation) for violation in check(result)] == []
    assert outcome.log.idle[:, int(IdleCause.UNEXPLAINED)].sum() == 0


@few
@given(data=st.data())
def test_many_small_steps_and_switches_by_hand_equal_one_run(data):
    scenario = data.draw(scenarios(switches=True))
    drawn = draw(scenario)
    whole = run(scenario, drawn).log
    stepped = Live(attrs.evolve(scenario, switches=()), drawn)
    for switch in scenario.switches:
        while stepped.now < switch.time:
            stepped.step(data.draw(st.integers(1, switch.time - stepped.now)))
        stepped.follow(switch.policy)
    assert stepped.scenario == scenario
    log = stepped.finish().log
    assert all(
        np.array_equal(getattr(log, field.name), getattr(whole, field.name)) for field in attrs.fields(type(log))
    )


@few
@given(data=st.data())
def test_a_policy_that_takes_over_from_itself_changes_nothing_but_that_there_is_a_pass(data):
    # so the other run has one as well: where use ranks what waits, a pass may start what none was there to start
    policy = data.draw(regimes())
    if policy.contracts is not None:  # what is held is given back
        policy = attrs.evolve(policy, contracts=attrs.evolve(policy.contracts, holders=0))
    scenario = data.draw(scenarios(st.just(policy)))
    drawn = draw(scenario)
    time = data.draw(st.integers(0, (scenario.horizon - 1) // scenario.cluster.cycle)) * scenario.cluster.cycle
    logs = []
    for happen in (lambda going: going.follow(policy), lambda going: going.scheduler.clear(0)):  # node 0 is in service
        going = Run(scenario, drawn)
        going.advance(time)
        happen(going)
        going.advance(scenario.horizon)
        logs.append(going.close().log)
    assert np.array_equal(logs[0].slices, logs[1].slices)
    assert np.array_equal(*(log.jobs[["first_start", "end", "lost"]] for log in logs))


def test_a_policy_that_does_not_allow_what_jobs_ask_is_refused_and_nothing_changes() -> None:
    scenario = paper(HALVES, horizon=2_000)
    going = Run(scenario, table(("a", "b"), [job("a", 4, LONG, asks=3_600)]))
    going.advance(600)
    with pytest.raises(SimulationError, match="1 jobs ask a contract of up to 1h, above the cap of policy 'budgets'"):
        going.follow(budgets(cap=600, short=600))
    going.advance(2_000)
    assert len(going.close().log.segments) == 1


def test_a_finished_run_cannot_change_its_policy() -> None:
    live = Live(paper(HALVES, horizon=60), table(("a", "b"), []))
    live.step(60)
    with pytest.raises(SimulationError, match="the policy of a run that is finished cannot be changed"):
        live.follow(ranked())


def test_a_variant_with_another_policy_is_under_it_all_the_time() -> None:
    week = load_scenario("small-week")
    switched = attrs.evolve(week, switches=(Switch(time=10 * DAY, policy=load_policy("fifo")),))
    assert variant(switched, policy=load_policy("quota")).switches == ()
    assert variant(switched, days=3).switches == ()
    assert simulate(switched, days=4).summary["policy"] == "budgets, then fifo"
    assert not simulate(switched, days=4).summary["delivered"]["comparable"]
    with pytest.raises(InputError, match="lies after the end"):
        raise InputError("x", _problems(week))


def _problems(week):
    try:
        attrs.evolve(week, switches=(Switch(time=week.horizon, policy=week.policy),))
    except ValueError as error:
        return error.problems
    return ()
