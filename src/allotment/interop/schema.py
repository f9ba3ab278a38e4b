"""The JSON Schema of scenario files, for editors that complete and check while one types.

It is made of the classes themselves. It knows names, types and choices; bounds, and what must fit together, are
checked when a file is read.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from datetime import datetime
from enum import IntEnum
from fractions import Fraction
from types import NoneType
from typing import Any, Literal, get_args, get_origin

import attrs

from allotment.interop.reading import TAG, classes_of, hints_of
from allotment.interop.scenario_file import FOLDERS, FORMAT
from allotment.model.shares import Weight
from allotment.scenario import Scenario
from allotment.units import Seconds

DURATION: Mapping[str, Any] = {
    "description": "whole seconds, or a text such as '8h', '15m', '7d' or '1d12h'",
    "anyOf": [{"type": "integer", "minimum": 0}, {"type": "string", "pattern": r"^\s*(\d+\s*[wdhms]?\s*)+$"}],
}
SHARE: Mapping[str, Any] = {
    "description": "a number from 0 to 1, or a fraction such as '1/3'",
    "anyOf": [
        {"type": "number", "minimum": 0, "maximum": 1},
        {"type": "string", "pattern": r"^\s*\d+(\.\d+)?(\s*/\s*\d+)?\s*$"},
    ],
}
WEIGHT: Mapping[str, Any] = {
    "description": "a number, or a fraction such as '1/3'",
    "anyOf": [{"type": "number", "minimum": 0}, SHARE["anyOf"][1]],
}
_SIMPLE: Mapping[Any, Mapping[str, Any]] = {
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    str: {"type": "string"},
    datetime: {"type": "string", "description": "a date and time such as '2026-01-05T00:00:00'"},
    Fraction: {"$ref": "#/$defs/share"},
    Seconds: {"$ref": "#/$defs/duration"},
    Weight: {"$ref": "#/$defs/weight"},
}


def json_schema() -> dict[str, Any]:
    """Return the schema of a scenario file (draft 2020-12)."""
    definitions: dict[str, Any] = {"duration": dict(DURATION), "share": dict(SHARE), "weight": dict(WEIGHT)}
    _class(Scenario, definitions)
    root = definitions.pop("Scenario")
    properties = {"format": {"const": FORMAT}, **root["properties"]}
    for part in FOLDERS:
        properties[part] = _or_preset(part, properties[part])
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "allotment scenario",
        **root,
        "properties": properties,
        "required": ["format", *root["required"]],
        "$defs": definitions,
    }


def schema_text() -> str:
    """Return the schema as it stands in `datasets/scenario.schema.json`."""
    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"


def _or_preset(part: str, written: Mapping[str, Any]) -> dict[str, Any]:
    named = {"type": "string", "description": f"the name of a preset in datasets/{FOLDERS[part]}"}
    changed: dict[str, Any] = {"type": "object", "properties": {"preset": named}, "required": ["preset"]}
    if part == "workload":
        changed |= {"properties": {"preset": named, "demand": {"type": "number"}}, "additionalProperties": False}
    return {"anyOf": [named, changed, dict(written)]}


def _schema(type_: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    options = classes_of(type_)
    if len(options) > 1:
        return {"anyOf": [_schema(option, definitions) for option in options]}
    if type_ is NoneType:
        return {"type": "null"}
    if attrs.has(type_):
        if type_.__name__ not in definitions:
            _class(type_, definitions)
        return {"$ref": f"#/$defs/{type_.__name__}"}
    if get_origin(type_) is tuple:
        return {"type": "array", "items": _schema(get_args(type_)[0], definitions)}
    if get_origin(type_) == Literal:
        return {"enum": list(get_args(type_))}
    if isinstance(type_, type) and issubclass(type_, IntEnum):
        return {"enum": [member.name.lower() for member in type_]}
    return dict(_SIMPLE[type_])


def _class(cls: Any, definitions: dict[str, Any]) -> None:
    definitions[cls.__name__] = {}  # a place for what a class that holds itself refers to
    hints = hints_of(cls)
    fields = attrs.fields(cls)
    definitions[cls.__name__] = {
        "type": "object",
        "description": inspect.getdoc(cls) or "",
        "properties": {field.name: _schema(hints[field.name], definitions) for field in fields},
        "required": [field.name for field in fields if field.default is attrs.NOTHING or field.name == TAG],
        "additionalProperties": False,
    }
