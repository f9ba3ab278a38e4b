"""What each behaviour of people does to a week under priorities and under budgets, and that it does nothing else."""

from __future__ import annotations

from functools import cache

import attrs
import numpy as np
import pytest

from allotment.experiment.simulate import draw, simulate
from allotment.model.people import Inflation, OverAsking, Squatting, Tolerance
from allotment.presets import load_policy, load_scenario
from allotment.results import laws
from allotment.units import DAY, HOUR, MINUTE
from allotment.workload.classes import PriorityWeights

SQUATTING = Squatting(share=0.1, users=0.5)
INFLATION = Inflation(
    tolerance=DAY,
    tolerances=(Tolerance(kind="debug", wait=15 * MINUTE), Tolerance(kind="training", wait=12 * HOUR)),
)
ASKING = OverAsking(kinds=("training",), share=0.3)
MEANT = PriorityWeights(low=20, normal=60, high=20)


@cache
def week():
    """Return the small week with jobs that are not yet nearly all HIGH."""
    given = load_scenario("small-week")
    streams = tuple(
        attrs.evolve(stream, kinds=tuple(attrs.evolve(kind, priorities=MEANT) for kind in stream.kinds))
        for stream in given.workload
    )
    return attrs.evolve(given, workload=streams)


@cache
def result(policy, *people):
    return simulate(attrs.evolve(week(), people=people, policy=load_policy(policy)))


def summary(policy, *people):
    return result(policy, *people).summary


@pytest.mark.parametrize("policy", ["priority", "budgets"])
@pytest.mark.parametrize("people", [(SQUATTING,), (INFLATION,), (ASKING,), (SQUATTING, INFLATION, ASKING)])
def test_the_laws_hold(policy, people):
    assert laws.check(result(policy, *people)) == ()


def test_squatting_takes_useful_hours_and_protects_sessions_for_days_and_only_without_contracts():
    off, on = summary("priority"), summary("priority", SQUATTING)
    assert off["squatted_gpu_hours"] == 0
    assert on["squatted_gpu_hours"] > 500
    assert on["pyramid"]["utilization"] < off["pyramid"]["utilization"] - 0.05
    assert off["longest_protected_session"] < 8 * HOUR
    assert DAY < on["longest_protected_session"] <= 7 * DAY + 8 * HOUR
    under_budgets = summary("budgets", SQUATTING)
    assert under_budgets["squatted_gpu_hours"] < on["squatted_gpu_hours"] / 3
    assert under_budgets["longest_protected_session"] == 15 * MINUTE == summary("budgets")["longest_protected_session"]
    assert under_budgets["wait"]["debug"]["p90"] < 60


def test_inflation_makes_nearly_all_high_where_debug_work_waits_and_little_where_it_does_not():
    off, on = summary("priority")["priorities"], summary("priority", INFLATION)["priorities"]
    assert off["high"]["jobs"] == pytest.approx(0.2, abs=0.05)
    assert on["high_at_end"]["jobs"] > 0.6
    budgets = summary("budgets", INFLATION)["priorities"]
    assert budgets["high_at_end"]["jobs"] < on["high_at_end"]["jobs"] - 0.2
    days = result("priority", INFLATION).priorities["high_jobs"]
    assert days.iloc[0] < 0.35
    assert days.iloc[-1] > 0.6


def test_over_asking_makes_claims_larger_and_changes_nothing_where_there_are_no_contracts():
    off, on = summary("budgets"), summary("budgets", ASKING)
    assert on["contract_wait"]["8h"]["n"] > 1.1 * off["contract_wait"]["8h"]["n"]
    usual, asked = result("priority"), result("priority", ASKING)
    assert usual.jobs.drop(columns="min_runtime").equals(asked.jobs.drop(columns="min_runtime"))
    assert usual.slices.equals(asked.slices)


@pytest.mark.parametrize("people", [(SQUATTING,), (INFLATION,), (ASKING,)])
def test_each_changes_the_columns_that_it_is_about_before_the_run_and_no_others(people):
    given = week()
    before, after = draw(given), draw(attrs.evolve(given, people=people))
    changed = {SQUATTING: {"work", "hold", "limit", "preemptible"}, INFLATION: set(), ASKING: {"min_runtime"}}
    columns = (
        "leaf",
        "kind",
        "user",
        "submit",
        "gpus",
        "work",
        "hold",
        "limit",
        "min_runtime",
        "priority",
        "preemptible",
    )
    assert {name for name in columns if not np.array_equal(getattr(before, name), getattr(after, name))} == changed[
        people[0]
    ]


@pytest.mark.parametrize("people", [(SQUATTING,), (INFLATION,), (ASKING,), (SQUATTING, INFLATION, ASKING)])
def test_both_policies_meet_the_same_jobs_of_open_streams(people):
    columns = ["job", "leaf", "kind", "user", "submit", "gpus", "work", "hold", "limit", "min_runtime"]
    one, other = (
        found.jobs[~found.jobs["closed"]] for found in (result(name, *people) for name in ("priority", "budgets"))
    )
    assert len(one) > 1000
    assert one[columns].reset_index(drop=True).equals(other[columns].reset_index(drop=True))
