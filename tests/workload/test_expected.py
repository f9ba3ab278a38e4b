from __future__ import annotations

import attrs
import pytest

from allotment.experiment.simulate import draw
from allotment.model.cluster import Cluster
from allotment.presets import load_scenario
from allotment.units import DAY
from allotment.workload.classes import with_demand
from allotment.workload.expected import expected_jobs

WEEK = load_scenario("small-week")


def expected(scenario):
    return expected_jobs(scenario.workload, scenario.plan, scenario.cluster, scenario.horizon)


@pytest.mark.parametrize("name", ["small-week", "our-team", "published-saturated"])
def test_about_as_many_jobs_are_expected_as_are_drawn(name):
    scenario = load_scenario(name)
    assert 1 / 3 < expected(scenario) / len(draw(scenario).gpus) < 3 / 2


def test_more_of_anything_is_expected_to_be_more_jobs():
    more = attrs.evolve(WEEK, workload=with_demand(WEEK.workload, 50))
    longer, larger = attrs.evolve(WEEK, measured=30 * DAY), attrs.evolve(WEEK, cluster=Cluster.parse("20000x8"))
    assert expected(WEEK) < expected(longer) < expected(larger)
    assert 5 * expected(WEEK) < expected(more)
