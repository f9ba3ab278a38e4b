"""Two regimes over several seeds, beside what was published; on the smallest scenario."""

from __future__ import annotations

import json

import attrs
import pytest

from allotment.cli.reproducing import json_of
from allotment.experiment.differences import MADE_REASONS, REASONS
from allotment.experiment.published import FIGURES, MADE_SCENARIO, Published
from allotment.experiment.reproduce import Setting, reproduce
from allotment.experiment.simulate import simulate
from allotment.experiment.spread import Spread
from allotment.model.people import Inflation, Squatting
from allotment.presets import load_policy, load_scenario
from allotment.units import DAY

SEEDS = (3, 4)


@pytest.fixture(scope="module")
def scenario():
    people = (Squatting(share=0.5), Inflation(step=1))
    return attrs.evolve(load_scenario("small-week"), measured=DAY, people=people)


@pytest.fixture(scope="module")
def found(scenario):
    return again(scenario, processes=1)


def again(scenario, **more):
    setting = Setting(scenario=scenario)
    return reproduce([setting], before=load_policy("priority"), after=load_policy("budgets"), seeds=SEEDS, **more)[0]


def row(found, name):
    return next(row for row in found.rows if row.name == name)


def test_every_published_figure_has_its_row_in_order(found):
    assert [row.name for row in found.rows] == list(FIGURES)
    assert all(row.published == FIGURES[row.name] for row in found.rows)


def test_each_figure_is_that_of_the_run_of_its_policy_and_seed(scenario, found):
    for arm, policy in (("before", "priority"), ("after", "budgets")):
        summaries = [simulate(scenario, policy=load_policy(policy), seed=seed).summary for seed in SEEDS]
        assert getattr(row(found, "occupancy"), arm).values == tuple(of["occupancy"] for of in summaries)
        waits = tuple(of["wait"]["debug"]["p90"] for of in summaries)
        spread = getattr(row(found, "debug_p90"), arm)
        assert (None if spread is None else spread.values) == (None if None in waits else waits)
        assert getattr(row(found, "preemptions"), arm).values == tuple(of["preemptions"] for of in summaries)


def test_what_only_contracts_give_is_not_told_of_the_regime_before(found):
    for name in ("delivered", "teams_at_95", "worst_team", "unallocated"):
        assert row(found, name).before is None
        assert row(found, name).after is not None


def test_repairs_are_told_as_parts_of_those_before(scenario):
    often = attrs.evolve(scenario.cluster.health, unhealthy_mtbf=2 * DAY)
    found = again(attrs.evolve(scenario, cluster=attrs.evolve(scenario.cluster, health=often)), processes=1)
    counts = [
        [
            simulate(
                attrs.evolve(scenario, cluster=attrs.evolve(scenario.cluster, health=often)),
                policy=load_policy(policy),
                seed=seed,
            ).summary["repairs"]["with_a_person"]
            for seed in SEEDS
        ]
        for policy in ("priority", "budgets")
    ]
    assert row(found, "repairs").before.values == (100, 100)
    assert row(found, "repairs").after.values == tuple(100 * b / a for a, b in zip(*counts, strict=True))


def test_several_processes_give_the_same(scenario, found):
    told = []
    assert again(scenario, processes=2, tell=lambda *done: told.append(done)) == found
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_it_is_json_as_it_is(found):
    plain = json.loads(json.dumps(json_of([found]), allow_nan=False))[0]
    assert [each["row"] for each in plain["rows"]] == list(FIGURES)
    delivered = plain["rows"][0]
    assert delivered["before"] == {"published": None, "simulated": None, "differs": None, "far": None, "why": None}
    assert delivered["after"]["published"] == FIGURES["delivered"].after
    assert len(delivered["after"]["simulated"]["values"]) == len(plain["seeds"]) == 2


@pytest.mark.parametrize(("figures", "reasons"), [(FIGURES, REASONS), (MADE_SCENARIO, MADE_REASONS)])
def test_every_row_that_can_differ_has_a_reason(figures, reasons):
    can = {(name, arm) for name, of in figures.items() for arm in ("before", "after") if getattr(of, arm) is not None}
    assert set(reasons) == can - {("repairs", "before")}  # that is 100 by definition
    assert all(reason and reason[-1] != "." for reason in reasons.values())


def test_several_settings_are_run_at_once_and_told_apart(scenario, found):
    one = Setting(scenario=scenario)
    other = Setting(scenario=attrs.evolve(scenario, name="other"), figures=MADE_SCENARIO, reasons=MADE_REASONS)
    told = []
    arms = {"before": load_policy("priority"), "after": load_policy("budgets")}
    both = reproduce([one, other], **arms, seeds=SEEDS, processes=1, tell=lambda *done: told.append(done))
    assert told[-1] == (8, 8)
    assert both[0] == found
    assert (both[1].scenario, [row.name for row in both[1].rows]) == ("other", list(MADE_SCENARIO))
    assert row(both[1], "preemptions").after == row(found, "preemptions").after


def test_a_figure_differs_where_it_lies_outside_the_interval(found):
    spread = Spread(values=(1, 3), median=2, mean=2, low=1, high=3)
    of = Published(title="x", unit="count", before=3, after=4)
    made = attrs.evolve(row(found, "preemptions"), published=of, before=spread, after=spread)
    assert (made.before_differs, made.after_differs) == (False, True)
    assert attrs.evolve(made, before=None).before_differs is None


def test_a_figure_is_far_where_its_median_is_off_by_more_than_two_either_way(found):
    of = Published(title="x", unit="s", before=10, after=10)
    for median, far in ((4.9, True), (5, False), (10, False), (20, False), (20.1, True)):
        spread = Spread(values=(median,), median=median, mean=median, low=0, high=99)
        made = attrs.evolve(row(found, "preemptions"), published=of, before=spread, after=spread)
        assert (made.before_far, made.after_far) == (far, far)
    assert attrs.evolve(made, after=None).after_far is None
    assert attrs.evolve(made, published=attrs.evolve(of, before=None)).before_far is None
