"""Every field of the values that people make says what it takes, when it is given something else."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import attrs
import numpy as np
import pytest

from allotment.model.changeset import Changeset, ShareChange
from allotment.model.cluster import Cluster, Health
from allotment.model.people import Hours, Impatience, Inflation, OverAsking, Pause, Sessions, Squatting, Tolerance
from allotment.model.plan import Plan, PlanNode
from allotment.model.policy import Contracts, Key, Match, Partition, Policy
from allotment.model.typed import wanted
from allotment.presets import load_scenario
from allotment.scenario import Scenario
from allotment.workload.classes import ClosedStream, Kind, OpenStream, RecordedStream, Size, Workload


def values_in(value: Any) -> list[Any]:
    """Return a value of attrs and all those within it."""
    if isinstance(value, tuple):
        return [found for part in value for found in values_in(part)]
    if not attrs.has(type(value)):
        return []
    return [value, *(found for field in attrs.fields(type(value)) for found in values_in(getattr(value, field.name)))]


WEEK = load_scenario("small-week")
ONE_OF_EACH = {type(value): value for value in values_in(WEEK)} | {
    value: value
    for value in (
        ShareChange(id="a", share=1),
        Changeset(time=0, shares=(ShareChange(id="a", share=1),)),
        RecordedStream(path="jobs.csv"),
        Impatience(share=0.5),
        Sessions(people=1, hours=Hours()),
        Hours(),
        Squatting(share=1),
        Pause(median=1),
        Tolerance(kind="debug", wait=0),
        Inflation(),
        OverAsking(share=1),
    )
}


class Strange:
    """Fits no field."""

    def __repr__(self) -> str:
        return "<strange>"


@pytest.mark.parametrize(
    ("value", "field"),
    [(value, field.name) for value in ONE_OF_EACH.values() for field in attrs.fields(type(value))],
    ids=lambda part: part if isinstance(part, str) else type(part).__name__,
)
def test_no_field_takes_just_anything(value: Any, field: str) -> None:
    with pytest.raises(ValueError, match=rf"^{field} must .*<strange>|^{field} must .*, not "):
        attrs.evolve(value, **{field: Strange()})


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"policy": "priority"}, "policy must be a Policy, not 'priority'; allotment.load_policy gives one"),
        ({"cluster": "64x8"}, "cluster must be a Cluster, not '64x8'; allotment.load_cluster gives one"),
        ({"plan": None}, "plan must be a Plan, not None; allotment.load_plan"),
        ({"workload": "small"}, "workload must be a tuple in which each is an OpenStream or a ClosedStream or a Rec"),
        ({"workload": (Size(gpus=1),)}, r"workload\[0\] must be an OpenStream or .*, not Size\(gpus=1"),
        ({"warmup": "7d"}, "warmup must be a whole number of seconds, not '7d'; allotment.units.parse_duration"),
        ({"seed": 1.5}, "seed must be a whole number, not 1.5"),
        ({"seed": True}, "seed must be a whole number, not True"),
        ({"start": "2026-01-05"}, "start must be a datetime, not '2026-01-05'"),
        ({"title": None}, "title must be a text, not None"),
        ({"time_zone": 1}, "time_zone must be a text, not 1"),
    ],
)
def test_a_scenario_says_what_it_takes_and_where_to_get_it(changes: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        attrs.evolve(WEEK, **changes)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: PlanNode(id="a", share="much"), "share must be a share such as 0.25 or '1/3', not 'much'"),
        (lambda: PlanNode(id="a", share=1, allocated_limit=0.5), "allocated_limit must be a whole number or None"),
        (lambda: Plan(name="p", children="ab"), "children must be a tuple in which each is a PlanNode, not 'ab'"),
        (lambda: Plan(name="p", children=PlanNode(id="a", share=1)), "children must be a tuple in which each"),
        (lambda: Cluster(name="c", nodes="8"), "nodes must be a whole number, not '8'"),
        (lambda: Cluster(name="c", nodes=8, health=4), "health must be a Health or None, not 4"),
        (lambda: Partition(match="all", keys=(Key.AGE,)), "match must be one of Match.ALL, Match.FUNDED"),
        (lambda: Partition(match=Match.ALL, keys=("age",)), "keys must be a tuple in which each is one of Key.BAL"),
        (lambda: Contracts(reserve="some"), "reserve must be a share"),
        (lambda: OpenStream(name="s", kinds=(), jobs_per_week="many"), "jobs_per_week must be a number, not 'many'"),
        (lambda: OpenStream(name="s", kinds=(), leaves="abc", jobs_per_week=1), "leaves must be a tuple .*'abc'"),
        (lambda: Kind(name="k", sizes=(1, 8), run_time=None), r"sizes\[0\] must be a Size, not 1"),
        (lambda: RecordedStream(type="open", path="x.csv"), "type must be 'recorded', not 'open'"),
    ],
)
def test_a_part_says_what_it_takes(make: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        make()


def test_numbers_of_numpy_become_those_of_python() -> None:
    changed = attrs.evolve(WEEK, seed=np.int64(3))
    assert type(changed.seed) is int
    assert type(Size(gpus=np.int32(4), weight=np.float32(0.5)).gpus) is int
    assert PlanNode(id="a", share=np.float64(0.1)).share == Fraction(1, 10)


def test_every_class_of_the_values_takes_part() -> None:
    assert {type(value) for value in values_in(WEEK)} >= {Scenario, Cluster, Health, Plan, PlanNode, Policy, Kind}
    assert any(isinstance(value, ClosedStream) for value in values_in(WEEK))
    for cls in (Changeset, ShareChange, RecordedStream, Workload):
        with pytest.raises(ValueError, match="must be"):
            cls(**{field.name: Strange() for field in attrs.fields(cls)})


def test_types_are_told_in_words() -> None:
    assert wanted(Fraction | None) == "a share such as 0.25 or '1/3' or None"
