from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings

from allotment.interop.scenario_file import FORMAT, loads_plain, plain_of
from allotment.interop.schema import json_schema
from allotment.presets import load_fleet
from allotment.presets.catalogue import datasets, fleet_schema, names, scenario_schema
from allotment.scenario import Scenario
from tests.strategies import scenarios

SCHEMA = json.loads(scenario_schema())
DEFINITIONS = {"clusters": "Cluster", "plans": "Plan", "policies": "Policy"}


def plain(folder: str, name: str) -> Any:
    """Return what a file holds, with decimals as the floats that JSON has."""
    raw = loads_plain((datasets() / folder / f"{name}.yaml").read_bytes())
    return json.loads(json.dumps(raw, default=float))


def errors_of(instance: Any, schema: dict[str, Any] = SCHEMA) -> list[str]:
    return [error.message for error in jsonschema.Draft202012Validator(schema).iter_errors(instance)]


def test_the_schema_that_ships_is_the_one_of_the_code() -> None:
    shipped = (datasets() / "scenario.schema.json").read_text(encoding="utf-8")
    assert shipped == scenario_schema(), "write it anew: allotment schema > datasets/scenario.schema.json"


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


FLEETS = json.loads(fleet_schema())
FLEET = {"format": FORMAT, **plain("fleets", "three-clusters")}


def test_that_of_fleets_ships_too_and_is_one() -> None:
    shipped = (datasets() / "fleet.schema.json").read_text(encoding="utf-8")
    assert shipped == fleet_schema(), "write it anew: allotment schema --fleet > datasets/fleet.schema.json"
    jsonschema.Draft202012Validator.check_schema(FLEETS)


@pytest.mark.parametrize("name", names("fleets"))
def test_every_fleet_that_ships_fits_it_as_it_stands_and_as_it_is_written(name: str) -> None:
    assert errors_of({"format": FORMAT, **plain("fleets", name)}, FLEETS) == []
    assert errors_of({"format": FORMAT, **plain_of(load_fleet(name))}, FLEETS) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"arbitration": "loudest"},
        {"members": []},
        {"members": [{key: value for key, value in FLEET["members"][0].items() if key != "plan"}]},
        {"members": [FLEET["members"][0] | {"cluster": "h100-99"}]},
        {"members": [FLEET["members"][0] | {"switches": [{"time": "9d", "policy": "budget"}]}]},
        {"portable": [{"kind": "debug", "part": 1.5}]},
        {"portable": [{"part": 1}]},
        {"workload": "smal"},
        {"cluster": "64x8"},
    ],
)
def test_mistakes_in_fleets_are_found_by_it(changes: dict[str, Any]) -> None:
    assert errors_of(FLEET, FLEETS) == []
    assert errors_of(FLEET | changes, FLEETS)


@settings(max_examples=30, deadline=None)
@given(scenarios(health=True, people=True))
def test_whatever_is_written_fits_the_schema(scenario: Scenario) -> None:
    assert errors_of({"format": FORMAT, **plain_of(scenario)}) == []


@pytest.mark.parametrize("name", names("scenarios"))
def test_every_scenario_that_ships_fits_the_schema(name: str) -> None:
    assert errors_of({"format": FORMAT, **plain("scenarios", name)}) == []


@pytest.mark.parametrize(("folder", "name"), [(folder, name) for folder in DEFINITIONS for name in names(folder)])
def test_every_part_that_ships_fits_its_definition(folder: str, name: str) -> None:
    schema = {"$ref": f"#/$defs/{DEFINITIONS[folder]}", "$defs": SCHEMA["$defs"]}
    assert errors_of(plain(folder, name), schema) == []


GOOD = {"format": FORMAT, **plain("scenarios", "small-week")}
CLUSTER = plain("clusters", "h100-88")
POLICY = plain("policies", "budgets")
STREAMS = {stream["name"]: stream for stream in plain("workloads", "small")["streams"]}
KIND = STREAMS["debug"]["kinds"][0]
RECORDED = {"type": "recorded", "path": "jobs.csv"}


def stream(**changes: Any) -> dict[str, Any]:
    return {"workload": [STREAMS["debug"] | changes]}


def kind(**changes: Any) -> dict[str, Any]:
    return stream(kinds=[KIND | changes])


def plan(**changes: Any) -> dict[str, Any]:
    return {"plan": {"name": "p", "children": [{"id": "a", "share": 0.5} | changes]}}


@pytest.mark.parametrize(
    "changes",
    [
        {"cluster": "64x8"},
        {"cluster": "./mine.yaml"},
        {"cluster": CLUSTER},
        {"cluster": {"preset": "h100-1024", "nodes": 64, "health": {"repair": "2h"}}},
        {"plan": {"preset": "three-teams", "title": "x"}},
        {"policy": {"preset": "budgets", "contracts": {"cap": "4h"}}},
        {"policy": POLICY},
        {"workload": "mine/workload.yml"},
        {"workload": {"preset": "reference", "demand": 1.5, "sizes_up_to": 64}},
        {"workload": []},
        {"workload": [RECORDED]},
        plan(share="1/3", allocated_limit=None),
        plan(share="0.5"),
        {"warmup": 0},
        {"warmup": "0s"},
        {"measured": "1d 12h"},
        {"start": "2026-01-05"},
        {"changesets": [{"time": "8d", "shares": [{"id": "science", "share": 0.1, "old": None}]}]},
    ],
)
def test_what_a_reader_takes_the_schema_takes(changes: dict[str, Any]) -> None:
    assert errors_of(GOOD | changes) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"sed": 1},  # a misspelt key
        {"seed": "one"},  # a wrong type
        {"seed": -1},
        {"seed": 1.5},
        {"name": ""},
        {"name": "two\nlines"},
        {"name": "x" * 201},
        {"format": 2},
        {"warmup": "8 hours"},
        {"warmup": -5},
        {"measured": 0},
        {"measured": "0d"},
        {"start": "tomorrow"},
        {"give_up_after": 0},
        {"cluster": 5},
        {"cluster": "h100-99"},
        {"cluster": "64y8"},
        {"cluster": CLUSTER | {"nodes": -4}},
        {"cluster": CLUSTER | {"nodes": 20_001}},
        {"cluster": CLUSTER | {"health": 3}},
        {"cluster": CLUSTER | {"health": CLUSTER["health"] | {"crews": 0}}},
        {"cluster": {"preset": "h100-1024", "nodes": -4}},
        {"cluster": {"preset": "h100-1024", "noodles": 4}},
        {"cluster": {"preset": "h100-1024", "health": {"repair": "soon"}}},
        {"cluster": {key: value for key, value in CLUSTER.items() if key != "nodes"}},
        {"plan": "three-team"},
        {"plan": {"name": "p", "children": []}},
        plan(share=1.5),
        plan(share=-0.1),
        plan(share="1.5"),
        plan(share="1/0"),
        plan(share="half"),
        plan(id="root"),
        plan(id="a/b"),
        plan(allocated_limit=-1),
        {"policy": "budget"},
        {"policy": {"preset": "budgets", "contracts": {"holders": 17}}},
        {"policy": POLICY | {"backfill": "whatever"}},
        {"policy": POLICY | {"partitions": []}},
        {"policy": POLICY | {"partitions": [{"match": "funded", "keys": []}]}},
        {"policy": POLICY | {"partitions": [{"match": "funded", "keys": ["height"]}]}},
        {"policy": POLICY | {"slot_limits": "yes"}},
        {"workload": "smal"},
        {"workload": {"preset": "small", "demand": -1}},
        {"workload": {"preset": "small", "seed": 1}},
        {"workload": [{"type": "opened", "name": "x"}]},
        {"workload": [RECORDED | {"limit_factor": 0.5}]},
        stream(noise=65),
        stream(jobs_per_week=-1),
        stream(spread="even"),
        stream(cycle={"hours": [1, 2, 3]}),
        stream(kinds=[]),
        kind(sizes=[{"gpus": 0}]),
        kind(sizes=[]),
        kind(resumable=1.1),
        kind(run_time={"sigma": 1}),
        kind(run_time={"median": "5m", "sigma": 6}),
        {"changesets": [{"time": 0}]},
        {"changesets": [{"time": 0, "shares": []}]},
    ],
)
def test_each_kind_of_mistake_is_found_by_the_schema(changes: dict[str, Any]) -> None:
    assert errors_of(GOOD | changes)


@pytest.mark.parametrize("name", ["format", "name", "cluster", "plan", "policy", "workload"])
def test_what_is_missing_is_found_by_the_schema(name: str) -> None:
    assert errors_of({key: value for key, value in GOOD.items() if key != name})


def fields_in(schema: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every field of every object in a schema."""
    for thing in (schema, *schema["$defs"].values()):
        yield from thing["properties"].items()


def test_every_field_is_described_and_has_its_default() -> None:
    fields = list(fields_in(SCHEMA))
    assert len(fields) > 150
    assert [name for name, field in fields if not field.get("description") and name != "preset"] == []
    described = dict(fields)
    assert described["seed"]["default"] == 0
    assert described["warmup"]["default"] == "7d"
    assert described["urgent_share"]["default"] == 0.1
    assert described["spread"]["default"] == "share"
    assert described["nodes"]["minimum"] == 1


def test_without_presets_any_name_will_do() -> None:
    assert errors_of(GOOD | {"plan": "of-my-own"}, json_schema()) == []
