"""Every second of every job's waiting has one reason, the reasons are those of the tables, and a fault shows as one."""

from __future__ import annotations

from itertools import pairwise

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from allotment.experiment.simulate import draw
from allotment.explain import life
from allotment.explain.reasons import reason
from allotment.explain.rerun import Rerun, subject
from allotment.kernel.engine import Engine
from allotment.model.changeset import ShareChange
from allotment.presets import load_policy, load_scenario
from allotment.presets.simulate import simulate
from allotment.results.result import build
from allotment.units import DAY
from allotment.world.live import Live
from tests.explain.brute import Tables, disagreements
from tests.laws.cases import SHIPPED, cases
from tests.laws.effort import runs
from tests.laws.happenings import drive

POLICIES = [*SHIPPED, None]  # None: one that Hypothesis invents
every_policy = pytest.mark.parametrize("name", POLICIES, ids=[name or "invented" for name in POLICIES])


def lives_of(case):
    """Return the result of a case, and the waiting of every job in it."""
    engine = Engine(case.scenario, case.table)
    engine.ask(range(len(case.table)))
    log = drive(engine, case.scenario.horizon, case.happenings)
    waits = engine.waits
    result = build(case.scenario, case.table, log)
    rerun = Rerun(result, table=case.table)
    return result, {
        job: life.intervals(result, subject(result, job), waits, rerun) for job in result.jobs["job"].tolist()
    }


@every_policy
@runs(30)
@given(data=st.data())
def test_every_second_of_waiting_has_one_reason_and_none_is_unexplained(name, data):
    result, found = lives_of(data.draw(cases(name, passes=60, fewest=6)))
    queued = dict(zip(result.jobs["job"], result.jobs["queued"], strict=True))
    for job, intervals in found.items():
        assert sum(each.seconds for each in intervals) == queued[job]
        assert all(each.seconds > 0 for each in intervals)
        assert all(a.end <= b.begin for a, b in pairwise(intervals))
        assert life.unexplained(intervals) == 0
        assert all(each.reason.sentence for each in intervals)


@every_policy
@runs(25)
@given(data=st.data())
def test_asking_changes_nothing(name, data):
    case = data.draw(cases(name, passes=40))
    asked, unasked = (Engine(case.scenario, case.table) for _ in range(2))
    asked.ask(range(len(case.table)))
    a, b = (drive(engine, case.scenario.horizon, case.happenings) for engine in (asked, unasked))
    assert all(
        np.array_equal(getattr(a, part), getattr(b, part)) for part in ("jobs", "slices", "segments", "decisions")
    )
    assert len(unasked.waits) == 0


def sampled(result, count, seed=0):
    """Return jobs of a result drawn at random, those that waited for more than a pass first."""
    long = result.jobs[(result.jobs["queued"] > result.scenario.cluster.cycle).to_numpy()]["job"].to_numpy()
    rest = np.setdiff1d(result.jobs["job"].to_numpy(), long)
    rng = np.random.default_rng(seed)
    return np.concatenate([rng.permutation(long), rng.permutation(rest)])[:count].tolist()


def check_against_tables(result, jobs, moments, seed=0):
    """Hold the reasons of some jobs at random passes against the tables; return the codes that were looked at."""
    found = life.of_jobs(result, jobs, Rerun(result))
    cycle, rng, tables = result.scenario.cluster.cycle, np.random.default_rng(seed), Tables(result)
    by_code: dict[str, list[tuple[int, life.Interval]]] = {}
    for job, intervals in found.items():
        for each in intervals:
            by_code.setdefault(each.reason.code, []).append((job, each))
    for code, those in sorted(by_code.items()):
        for place in rng.permutation(len(those))[: -(-moments // len(by_code))].tolist():
            job, each = those[place]
            passes = range(-(-each.begin // cycle) * cycle, each.end, cycle)
            if code == "next_pass" or not passes:
                continue
            time = passes[int(rng.integers(len(passes)))]
            assert list(disagreements(tables.at(time), job, each)) == [], (job, time, each)
    return set(by_code)


@pytest.mark.parametrize("policy", SHIPPED)
def test_a_brute_force_from_the_tables_agrees_with_the_reasons(policy):
    result = simulate("small-week", policy=policy, days=2)
    assert len(check_against_tables(result, sampled(result, 400), 60)) >= 3


def wrong(interval, others):
    """Yield the interval with each reason but its own that could be mistaken for it."""
    given = {"level": "science", "other": others, "held": 0, "limit": 9, "gpus": 1, "room": 0, "due": 0, "shape": "1"}
    given |= dict(interval.reason.parameters)
    for code in {"no_room", "fragment", "headroom", "holding", "behind", "no_contract", "saving"} - {
        interval.reason.code.removesuffix("_funded")
    }:
        if (interval.reason.code.removesuffix("_funded"), code) != ("overdrawn", "headroom"):
            yield attrs.evolve(interval, reason=reason(code, **given))


def test_a_wrong_reason_is_noticed_by_the_brute_force():
    result = simulate("small-week", days=2)
    found, tables = life.of_jobs(result, sampled(result, 60), Rerun(result)), Tables(result)
    tried = missed = 0
    for job, intervals in found.items():
        for each in intervals[:2]:
            if each.reason.code in ("next_pass", "held") or each.begin % result.scenario.cluster.cycle:
                continue
            for false in wrong(each, (job + 1) % 500):
                tried += 1
                missed += not list(disagreements(tables.at(each.begin), job, false))
    assert tried > 200
    assert missed / tried < 0.15  # a claim without room may be short of a budget that is not asked about


@pytest.mark.slow
@pytest.mark.parametrize("policy", SHIPPED)
def test_a_thousand_jobs_of_the_reference_month_add_up_to_the_second(policy):
    result = simulate("reference-month", policy=policy)
    jobs = np.random.default_rng(1).permutation(result.jobs["job"].to_numpy())[:1000].tolist()
    queued = dict(zip(result.jobs["job"], result.jobs["queued"], strict=True))
    found = life.of_jobs(result, jobs, Rerun(result))
    assert len(found) == 1000
    assert {job for job, those in found.items() if sum(each.seconds for each in those) != queued[job]} == set()
    assert sum(life.unexplained(those) for those in found.values()) == 0
    check_against_tables(result, sampled(result, 300), 24)


def test_a_run_that_was_edited_changed_policy_and_is_not_over_adds_up_too():
    scenario = load_scenario("small-week")
    table = draw(scenario)
    live = Live(scenario, table)
    live.step(5 * DAY + 1_234)
    live.edit([ShareChange(id="biology", share="0.7"), ShareChange(id="climate", share="0.3")], author="", reason="")
    live.step(2 * DAY)
    live.follow(load_policy("quota"))
    live.step(DAY + 77)
    ended = live.so_far()
    result = build(live.scenario, ended.table, ended.log, incidents=ended.incidents, jobs_drawn=table.digest)
    found = life.of_jobs(result, result.jobs["job"].tolist(), Rerun(result))
    queued = dict(zip(result.jobs["job"], result.jobs["queued"], strict=True))
    assert {job: sum(each.seconds for each in those) for job, those in found.items()} == queued
    assert sum(life.unexplained(those) for those in found.values()) == 0
    codes = {each.reason.code for those in found.values() for each in those}
    assert {"headroom", "beyond_fair_share"} <= codes


def test_what_is_asked_for_a_job_that_started_at_once_is_no_wait():
    result = simulate(load_scenario("small-week"), days=1)
    never = result.jobs[(result.jobs["queued"] == 0).to_numpy()]["job"].iloc[0]
    assert life.of_jobs(result, [int(never)], Rerun(result)) == {int(never): ()}
