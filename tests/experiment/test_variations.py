"""What is turned for a table of sensitivities: each side turns one thing, and leaves a scenario that can be run."""

from __future__ import annotations

import attrs
import pytest

from allotment.experiment.variations import VARIATIONS
from allotment.model.people import OverAsking
from allotment.presets import load_policy, load_scenario
from allotment.units import DAY, HOUR, MINUTE

SIDES = {
    f"{each.name} {side.label}": side.change
    for each in VARIATIONS
    for side in (each.low, each.high)
    if side is not None
}
TURNED = {  # the field of a scenario that each setting is about
    "checkpoints": "workload",
    "contracts": "workload",
    "short contracts": "workload",
    "batch to rest": "workload",
    "demand": "workload",
    "resumable": "workload",
    "over-asking": "people",
    "candidates": "policy",
    "lending": "policy",
    "lookback": "policy",
    "margin": "policy",
    "pass interval": "cluster",
}


@pytest.fixture(scope="module")
def month():
    return load_scenario("published-month")


def kinds(scenario):
    return {kind.name: kind for stream in scenario.workload for kind in stream.kinds}


def asked(kind):
    return [contract.min_runtime for contract in kind.contracts]


def test_each_turns_what_it_is_about_and_nothing_else(month):
    for variation in VARIATIONS:
        for side in (variation.low, variation.high):
            changed = None if side is None else side.change(month)
            if changed is not None:
                fields = attrs.fields_dict(type(month))
                assert [name for name in fields if getattr(changed, name) != getattr(month, name)] == [
                    TURNED[variation.name]
                ]


def test_what_changes_nothing_or_does_not_fit_is_not_run(month):
    assert {name for name, change in SIDES.items() if change(month) is None} == {"candidates classes", "lookback x 2"}
    assert SIDES["lookback x 2"](attrs.evolve(month, warmup=14 * DAY)) is not None
    asking = attrs.evolve(month, people=(OverAsking(share=0.1),))
    assert SIDES["over-asking 30 %"](asking) is None


def test_without_contracts_nothing_that_is_about_them_is_turned(month):
    old = attrs.evolve(month, policy=load_policy("priority"))
    turned = {
        each.name for each in VARIATIONS for side in (each.low, each.high) if side and side.change(old) is not None
    }
    assert turned == {"checkpoints", "batch to rest", "demand", "resumable", "pass interval"}


def test_contracts_stay_under_the_cap_and_never_become_short(month):
    assert asked(kinds(SIDES["contracts x 2"](month))["training"]) == [8 * HOUR, 8 * HOUR, 4 * HOUR, 2 * HOUR]
    assert asked(kinds(SIDES["contracts x 1/2"](month))["training"]) == [4 * HOUR, 2 * HOUR, HOUR, 30 * MINUTE]
    for name in ("contracts x 2", "contracts x 1/2"):
        changed = kinds(SIDES[name](month))
        assert [asked(changed[kind]) for kind in ("debug", "evaluation", "batch")] == [
            [15 * MINUTE],
            [15 * MINUTE],
            [0],
        ]


def test_short_contracts_are_those_of_work_that_nobody_sits_at(month):
    none, longer = (kinds(SIDES[f"short contracts {label}"](month)) for label in ("0", "x 4"))
    assert (asked(none["evaluation"]), asked(longer["evaluation"])) == ([0], [HOUR])
    assert all(asked(of[kind]) == asked(kinds(month)[kind]) for of in (none, longer) for kind in ("debug", "training"))


def test_checkpoints_and_the_resumable_part_are_those_of_work_that_can_be_resumed(month):
    assert kinds(SIDES["checkpoints x 3"](month))["batch"].checkpoint == 90 * MINUTE
    assert kinds(SIDES["checkpoints x 3"](month))["debug"] == kinds(month)["debug"]
    assert kinds(SIDES["resumable 90 %"](month))["training"].resumable == 0.9
    assert kinds(SIDES["resumable 90 %"](month))["evaluation"].resumable == 0
