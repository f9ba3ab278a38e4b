"""What each behaviour does to a week under priorities and under budgets, and that it does nothing else."""

from __future__ import annotations

from functools import cache

import attrs
import numpy as np
import pytest

from allotment.errors import InputError
from allotment.experiment.behaviours import BEHAVIOURS, without
from allotment.experiment.measures import measure
from allotment.experiment.simulate import draw, simulate, variant
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


@cache
def published(policy, seed, left_out=None, asking=None):
    """Return the figures of a short month with its behaviours, without one of them, or with over-asking."""
    given = variant(load_scenario("published-month"), policy=load_policy(policy), seed=seed, days=5)
    if asking is not None:
        given = attrs.evolve(given, people=(*given.people, asking))
    return measure(simulate(given if left_out is None else without(given, [left_out])).summary)


BOTH = pytest.mark.parametrize("seed", [0, 1])
SQUATTED, KEPT_NO_LONGER = 3 * DAY, 8 * HOUR + MINUTE  # a debug session runs 8 h at most


@pytest.mark.slow
@BOTH
def test_with_all_of_them_the_old_regime_is_what_was_published_of_it(seed):
    found = published("priority", seed)
    assert found["debug_p90"] > HOUR
    assert found["high"] > 0.95
    assert found["longest_session"] > SQUATTED
    assert found["repairs"] > 0


@pytest.mark.slow
@BOTH
def test_without_squatting_no_session_is_long_and_marks_and_waits_stay_high(seed):
    found = published("priority", seed, "squatting")
    assert found["longest_session"] < KEPT_NO_LONGER
    assert found["high"] > 0.9
    assert found["debug_p90"] > HOUR
    assert published("budgets", seed, "squatting")["longest_session"] == 15 * MINUTE


@pytest.mark.slow
@BOTH
def test_without_inflation_marks_are_what_people_mean_and_debug_work_does_not_wait(seed):
    for policy in ("priority", "budgets"):
        assert published(policy, seed)["high"] > published(policy, seed, "inflation")["high"] + 0.2
        assert published(policy, seed, "inflation")["high"] == pytest.approx(0.2, abs=0.02)
    found = published("priority", seed, "inflation")
    assert found["debug_p90"] < MINUTE
    assert found["longest_session"] > SQUATTED
    assert found["preemptions"] > published("priority", seed)["preemptions"] + 200


@pytest.mark.slow
@BOTH
def test_without_marks_that_forbid_it_sessions_yield_and_drains_need_nobody_and_budgets_do_not_look(seed):
    found = published("priority", seed, "do-not-preempt")
    assert (found["longest_session"], found["repairs"]) == (0, 0)
    assert found["high"] > 0.95
    assert published("budgets", seed, "do-not-preempt") == published("budgets", seed)


@pytest.mark.slow
@BOTH
def test_without_failures_nobody_repairs_and_the_rest_stays(seed):
    found = published("priority", seed, "failures")
    assert found["repairs"] == 0
    assert found["high"] > 0.95
    assert found["longest_session"] > SQUATTED
    assert found["debug_p90"] > HOUR
    assert published("budgets", seed, "failures")["repairs"] == 0


@pytest.mark.slow
@BOTH
def test_under_budgets_only_urgent_repairs_need_a_person_and_under_priorities_others_do(seed):
    def repairs(policy, left_out):
        given = variant(load_scenario("published-month"), policy=load_policy(policy), seed=seed, days=5)
        often = attrs.evolve(given.cluster.health, unhealthy_mtbf=12 * DAY, crews=20)
        given = attrs.evolve(given, cluster=attrs.evolve(given.cluster, health=often))
        return measure(simulate(without(given, left_out)).summary)["repairs"]

    assert repairs("budgets", []) > 0
    assert repairs("budgets", ["urgent-repairs"]) == 0
    assert repairs("priority", ["urgent-repairs"]) > repairs("budgets", [])


@pytest.mark.slow
@BOTH
def test_over_asking_protects_sessions_for_the_longest_contract_and_the_old_regime_does_not_look(seed):
    asking = OverAsking(share=0.3)
    assert published("budgets", seed)["longest_session"] == 15 * MINUTE
    assert published("budgets", seed, asking=asking)["longest_session"] == 8 * HOUR
    assert published("budgets", seed, "over-asking", asking) == published("budgets", seed)
    assert published("priority", seed, asking=asking) == published("priority", seed)


def test_what_is_left_out_is_left_out_alone_and_by_a_name_that_there_is():
    given = attrs.evolve(week(), people=(SQUATTING, INFLATION, ASKING))
    assert without(given, ["squatting", "over-asking"]).people == (INFLATION,)
    assert without(given, []) == given
    assert without(without(given, BEHAVIOURS), BEHAVIOURS) == without(given, BEHAVIOURS)
    unmarked = without(given, ["do-not-preempt"])
    assert draw(unmarked).preemptible.all()
    assert not draw(given).preemptible.all()
    with pytest.raises(InputError, match="'sleeping'.*squatting"):
        without(given, ["sleeping"])
