from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings

from allotment.interop.scenario_file import FOLDERS, FORMAT, loads_plain, plain_of
from allotment.interop.schema import json_schema, schema_text
from allotment.presets.catalogue import datasets, names
from allotment.scenario import Scenario
from tests.strategies import scenarios

SCHEMA = json_schema()
DEFINITIONS = {"clusters": "Cluster", "plans": "Plan", "policies": "Policy"}


def plain(folder: str, name: str) -> Any:
    """Return what a file holds, with decimals as the floats that JSON has."""
    raw = loads_plain((datasets() / folder / f"{name}.yaml").read_bytes())
    return json.loads(json.dumps(raw, default=float))


def errors_of(instance: Any, schema: dict[str, Any] = SCHEMA) -> list[str]:
    return [error.message for error in jsonschema.Draft202012Validator(schema).iter_errors(instance)]


def test_the_schema_that_ships_is_the_one_of_the_code() -> None:
    shipped = (datasets() / "scenario.schema.json").read_text(encoding="utf-8")
    assert shipped == schema_text(), (
        "write it anew: python -c 'from allotment.interop.schema import *; print(schema_text(), end=\"\")'"
    )


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


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


def test_a_misspelt_key_a_wrong_type_and_a_wrong_choice_do_not_fit() -> None:
    good = {"format": FORMAT, **plain("scenarios", names("scenarios")[0])}
    for key, value in [
        ("sed", 1),
        ("seed", "one"),
        ("warmup", "8 hours"),
        ("cluster", 5),
        ("format", 2),
        ("changesets", [{"time": 0}]),
    ]:
        assert errors_of(good | {key: value}), key
    assert errors_of({key: value for key, value in good.items() if key != "plan"})


def test_each_part_can_be_a_preset_a_changed_preset_or_written_out() -> None:
    for part in FOLDERS:
        assert len(SCHEMA["properties"][part]["anyOf"]) == 3
