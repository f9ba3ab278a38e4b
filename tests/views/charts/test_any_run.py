"""Whatever was simulated, every picture is there, with a sentence, and can take the place of another."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allotment.errors import SimulationError
from allotment.experiment.simulate import draw, simulate
from allotment.model.plan import Plan, PlanNode
from allotment.presets import load_policy, load_scenario
from allotment.results.result import Result, build
from allotment.units import DAY, HOUR
from allotment.views.charts import (
    Highlight,
    Picture,
    comparison,
    delivery,
    node_map,
    occupancy,
    standing,
    timeline,
    waits,
)
from allotment.views.charts.drawing import Drawn
from allotment.world.live import Live
from tests.results.made import Made, a_run
from tests.strategies import scenarios
from tests.views.charts.looked_at import check, readable

Draw = Callable[..., Picture]
CHARTS: dict[str, Draw] = {
    "occupancy": occupancy,
    "waits": waits,
    "delivery": delivery,
    "standing": standing,
    "node map": node_map,
    "timeline": lambda *results, highlight: timeline(results[-1], highlight=highlight),
    "comparison": lambda *results, highlight: comparison({str(at): each for at, each in enumerate(results)}),
}


def one_job() -> Result:
    made = Made()
    made.slice(made.job(leaf="speech", work=100, min_runtime=60, submit=0), 30, 130)
    return made.result()


def nobody() -> Result:
    made = Made()
    made.job(leaf="speech", submit=0)  # never starts
    return made.result()


@pytest.fixture(scope="module")
def drawn() -> dict[str, Drawn]:
    return {name: check(chart(a_run().result(), highlight=Highlight())) for name, chart in CHARTS.items()}


@pytest.mark.parametrize("name", CHARTS)
@pytest.mark.parametrize("run", [one_job, nobody])
def test_a_run_of_hardly_anything_has_its_picture(drawn, name, run):
    shown = CHARTS[name](run(), highlight=Highlight())
    readable(shown)
    drawn[name].refresh(shown)


@settings(deadline=timedelta(seconds=60), max_examples=15)
@given(
    scenario=scenarios(health=True, people=True, switches=True, longest=DAY),
    data=st.data(),
)
def test_any_run_has_its_pictures(drawn, scenario, data):
    try:
        result = simulate(scenario)
    except SimulationError:
        return
    leaf = data.draw(st.none() | st.sampled_from(sorted(result.shares["node"].astype("str").unique())))
    job = data.draw(st.none() | st.integers(0, max(len(result.jobs), 1)))
    time = data.draw(st.none() | st.integers(0, result.horizon))
    highlight = Highlight(team=leaf, job=job, time=time)
    for name, chart in CHARTS.items():
        for results in ((result,), (result, result)):
            shown = chart(*results, highlight=highlight)
            readable(shown)
            drawn[name].refresh(shown)


@pytest.mark.parametrize("name", CHARTS)
def test_a_run_that_was_stopped_in_its_warm_up_has_its_picture(drawn, name):
    whole = a_run().result()
    early = attrs.evolve(whole, scenario=attrs.evolve(whole.scenario, warmup=30 * HOUR))
    shown = CHARTS[name](early, highlight=Highlight(time=40 * HOUR))
    readable(shown)
    drawn[name].refresh(shown)


@pytest.mark.parametrize("name", CHARTS)
@pytest.mark.parametrize("policy", ["budgets", "priority", "quota", "fair-tree"])
@pytest.mark.parametrize("seconds", [0, 1, 30, 1800, HOUR])
def test_a_run_that_has_hardly_begun_has_its_picture(drawn, name, policy, seconds):
    scenario = attrs.evolve(load_scenario("small-week"), warmup=DAY, measured=DAY, policy=load_policy(policy))
    live = Live(scenario, draw(scenario))
    if seconds:
        live.step(seconds)
    outcome = live.so_far()
    result = build(scenario, outcome.table, outcome.log, incidents=outcome.incidents)
    assert result.horizon == seconds
    for results in ((result,), (result, result)):
        shown = CHARTS[name](*results, highlight=Highlight())
        readable(shown)
        drawn[name].refresh(shown)


def test_the_eighth_budget_is_neutral_and_nothing_is_lost():
    base = load_scenario("small-week")
    plan = Plan(name="many", children=[PlanNode(id=f"team-{at}", share="0.1") for at in range(9)])
    result = simulate(attrs.evolve(base, plan=plan, warmup=0, measured=DAY))
    for chart in CHARTS.values():
        check(chart(result, highlight=Highlight()))
