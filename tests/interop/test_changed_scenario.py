"""A scenario with a change put in is what a file with all of it written out would be."""

from __future__ import annotations

import attrs
import pytest

from allotment.interop.changed_scenario import changed, merged
from allotment.interop.problems import Problems
from allotment.interop.reading import UNREAD, Ready
from allotment.interop.scenario_file import dumps, loads
from allotment.presets import load_policy, load_scenario
from allotment.presets.catalogue import preset
from allotment.scenario import Scenario
from allotment.units import DAY, HOUR


@pytest.fixture(scope="module")
def base() -> Scenario:
    return load_scenario("small-week")


def put_in(base: Scenario, change: object) -> Scenario:
    problems = Problems()
    found = changed(base, change, preset, problems)
    problems.raise_if_any("change")
    assert isinstance(found, Ready)
    return found.value


def problems_of(base: Scenario, change: object) -> list[str]:
    problems = Problems()
    assert changed(base, change, preset, problems, ("change",)) is UNREAD
    return list(problems)


def test_no_change_leaves_the_scenario_as_it_is(base):
    assert put_in(base, {}) is base


def test_a_policy_is_a_preset_or_one_with_changes(base):
    assert put_in(base, {"policy": "fifo"}).policy == load_policy("fifo")
    shorter = put_in(base, {"policy": {"preset": "budgets", "window": {"lookback": "1d"}}}).policy
    assert (shorter.window.lookback, shorter.contracts) == (DAY, base.policy.contracts)
    assert put_in(base, {"policy": {"window": {"lookback": "1d"}}}).policy == attrs.evolve(
        base.policy, window=shorter.window
    )


def test_things_with_a_name_are_changed_where_they_are_and_others_come_after_them(base):
    probe = {"type": "open", "name": "probe", "jobs_per_week": 1, "kinds": [{"name": "x", "sizes": [{"gpus": 1}]}]}
    probe["kinds"][0]["run_time"] = {"median": "1h"}
    found = put_in(
        base, {"workload": [{"name": "backlog", "demand": 1, "kinds": [{"name": "batch", "weight": 7}]}, probe]}
    )
    assert [stream.name for stream in found.workload] == ["debug", "backlog", "probe"]
    assert found.workload[0] == base.workload[0]
    assert found.workload[1].kinds[0] == base.workload[1].kinds[0]
    assert found.workload[1].kinds[1] == attrs.evolve(base.workload[1].kinds[1], weight=7)
    assert found.workload[2].kinds[0].run_time.median == HOUR


def test_a_node_deep_in_the_plan_is_found_by_its_id(base):
    change = {"plan": {"children": [{"id": "science", "children": [{"id": "climate", "unallocated_limit": 0}]}]}}
    found = put_in(base, change).plan
    assert found.node("climate").unallocated_limit == 0
    assert found == loads(dumps(put_in(base, change))).plan
    assert [found.absolute_share(node) for node in found.ids] == [base.plan.absolute_share(n) for n in base.plan.ids]


def test_lists_of_things_without_a_name_are_replaced():
    assert merged({"sizes": [{"gpus": 1}, {"gpus": 2}]}, {"sizes": [{"gpus": 8}]}) == {"sizes": [{"gpus": 8}]}
    assert merged({"leaves": ["a", "b"]}, {"leaves": []}) == {"leaves": []}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (3, "change must be a mapping, not 3 @ .change"),
        ({"polcy": "fifo"}, "unknown key 'polcy'"),
        ({"policy": "fif"}, "there is no policy 'fif'; did you mean 'fifo'?"),
        ({"workload": [{"name": "backlog", "demand": -1}]}, "demand must be between 0 and 1000, not -1"),
        ({"workload": [{"name": "backlog", "leaves": ["biolgy"]}]}, "did you mean 'biology'?"),
    ],
)
def test_what_does_not_fit_is_told_with_its_place(base, change, said):
    assert any(said in problem and "@ .change" in problem for problem in problems_of(base, change)), problems_of(
        base, change
    )
