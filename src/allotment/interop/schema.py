"""The JSON Schemas of scenario and fleet files, for editors that complete, explain and check while one types.

It is made of the classes themselves: names, types, choices and defaults of their fields, the bounds of their validators,
and the sentence under each field. What must fit together is checked when a file is read.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from enum import IntEnum
from fractions import Fraction
from types import NoneType
from typing import Any, Literal, get_args, get_origin

import attrs

from allotment.fleet import Fleet
from allotment.interop.field_words import words_of
from allotment.interop.fleet_file import OF_MEMBERS
from allotment.interop.leaves import writer
from allotment.interop.reading import TAG
from allotment.interop.scenario_file import FOLDERS, FORMAT, PATH
from allotment.model.checks import FEWEST, Bounds, Line
from allotment.model.plan import not_root
from allotment.model.typed import bare, classes_of, hints_of
from allotment.scenario import Scenario
from allotment.units import Seconds, format_duration
from allotment.workload.kinds import some_weight
from allotment.workload.rhythm import Factors

Schema = dict[str, Any]
Presets = Mapping[str, Sequence[str]]  # the names in each folder of presets

_DURATION = r"\s*(\d+|(\d+\s*[wdhms]\s*)+)\s*$"
_FRACTION = r"^\s*(\d+\s*/\s*0*[1-9]\d*|(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?)\s*$"
_SHARE = r"^\s*(\d+\s*/\s*0*[1-9]\d*|0*1(\.0*)?|0*(\.\d*)?([eE]-?\d+)?|[1-9](\.\d*)?[eE]-\d+)\s*$"
_MOMENT = r"^\d{4}-\d{2}-\d{2}([T ]\d{2}(:\d{2}(:\d{2})?)?\s*(Z|[+-]\d{2}(:?\d{2})?)?)?$"
_SIZE = r"^\s*\d{1,6}\s*[xX]\s*\d{1,4}\s*$"
_SIMPLE: Mapping[Any, Schema] = {
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    str: {"type": "string"},
    datetime: {"type": "string", "pattern": _MOMENT},
}
_HINTS: Mapping[Any, str] = {
    Seconds: "Whole seconds, or a text such as '8h', '15m', '7d' or '1d12h'.",
    Fraction: "A number such as 0.25, or a fraction such as '1/3'.",
    datetime: "A date and time such as '2026-01-05T00:00:00'.",
}


def json_schema(presets: Presets | None = None) -> Schema:
    """Return the schema of a scenario file (draft 2020-12); with `presets` it knows their names, else it takes any."""
    definitions: Schema = {}
    root = _root(Scenario, definitions)
    _put_parts(root["properties"], FOLDERS, presets, definitions)
    _put_parts(definitions["Switch"]["properties"], ("policy",), presets, definitions)
    return _whole("allotment scenario", root, definitions)


def fleet_schema(presets: Presets | None = None) -> Schema:
    """Return the schema of a fleet file, in the same way."""
    definitions: Schema = {}
    root = _root(Fleet, definitions)
    _put_parts(root["properties"], ("workload",), presets, definitions)
    _put_parts(definitions["Member"]["properties"], OF_MEMBERS, presets, definitions)
    _put_parts(definitions["Switch"]["properties"], ("policy",), presets, definitions)
    return _whole("allotment fleet", root, definitions)


def text_of(schema: Schema) -> str:
    """Return a schema as text; those of `allotment.presets.catalogue` ship."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def _root(cls: Any, definitions: Schema) -> Schema:
    """Return the schema of a file's class, whose parts are put among the definitions."""
    root: Schema = definitions.pop(_define(cls, definitions))
    return root | {
        "properties": {"format": {"const": FORMAT, "description": "The format of the file."}, **root["properties"]}
    }


def _put_parts(properties: Schema, parts: Iterable[str], presets: Presets | None, definitions: Schema) -> None:
    for part in parts:
        properties[part] = _part(part, properties[part], presets, definitions)


def _whole(title: str, root: Schema, definitions: Schema) -> Schema:
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        **root,
        "required": ["format", *root["required"]],
        "$defs": definitions,
    }


def _part(part: str, written: Mapping[str, Any], presets: Presets | None, definitions: Schema) -> Schema:
    """Return what may stand for a part: a preset's name, a path, a size, a preset with changes, or all of it."""
    folder = FOLDERS[part]
    name: Schema = {"description": f"The name of a preset in datasets/{folder}.", "type": "string"}
    if presets is not None:
        name |= {"enum": list(presets[folder])}
    options = [name] if presets is None else [name, {"description": "The path of a YAML file.", **_path()}]
    if part == "cluster":
        options.append({"description": "Nodes x GPUs, such as '64x8'.", "type": "string", "pattern": _SIZE})
    preset = {"preset": {"anyOf": list(options)}}
    if part == "workload":
        hints = {"demand": "The demand of its closed stream.", "sizes_up_to": "Sizes of more GPUs are left out."}
        bounds = {"demand": {"type": "number", "minimum": 0}, "sizes_up_to": {"type": "integer", "minimum": 1}}
        more = {key: {"description": hints[key], **bounds[key]} for key in hints}
        options.append(_object({**preset, **more}, ["preset"], "A preset with some things changed."))
    else:
        cls = hints_of(Scenario)[part]
        changed = _define(cls, definitions, partial=True)
        properties = {**preset, **definitions[changed]["properties"]}
        definitions[changed] = _object(properties, ["preset"], "A preset with some keys changed.")
        options.append({"$ref": f"#/$defs/{changed}"})
    description = written["description"]
    return {"description": description, "anyOf": [*options, {k: v for k, v in written.items() if k != "description"}]}


def _path() -> Schema:
    return {"type": "string", "pattern": PATH}


def _object(properties: Schema, required: list[str], description: str) -> Schema:
    return {
        "type": "object",
        "description": description,
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _define(cls: Any, definitions: Schema, *, partial: bool = False) -> str:
    """Put the schema of a class among the definitions, and return its name there.

    A partial one is of changes: nothing is required, nor in the objects within it.
    """
    name = f"{cls.__name__}Changes" if partial else cls.__name__
    if name in definitions:
        return name
    definitions[name] = {}  # a place for what a class that holds itself refers to
    fields, words = attrs.fields(cls), words_of(cls)
    properties = {
        field.name: _field(cls, field, words.get(field.name, ""), definitions, partial=partial) for field in fields
    }
    required = [field.name for field in fields if field.default is attrs.NOTHING or field.name == TAG]
    definitions[name] = _object(properties, [] if partial else required, inspect.getdoc(cls) or "")
    return name


def _field(cls: Any, field: attrs.Attribute[Any], words: str, definitions: Schema, *, partial: bool) -> Schema:
    type_ = hints_of(cls)[field.name]
    hints = [_HINTS[bare(option)] for option in classes_of(type_) if bare(option) in _HINTS]
    described = {"description": " ".join([words, *hints])} if words or hints else {}
    return described | _type(type_, _rules(field), definitions, partial=partial) | _default(field, type_)


def _default(field: attrs.Attribute[Any], type_: Any) -> Schema:
    default: Any = field.default
    if default is attrs.NOTHING or field.name == TAG or getattr(default, "takes_self", False):
        return {}
    value = default.factory() if hasattr(default, "factory") else default
    if value is not None and Seconds in classes_of(type_):
        return {"default": format_duration(value)}
    return {"default": writer().unstructure(value)}


def _rules(field: attrs.Attribute[Any]) -> list[Any]:
    """Return the validators of a field, one by one, and what its metadata say."""
    validator: Any = field.validator
    validators = [] if validator is None else getattr(validator, "_validators", [validator])
    nested = [part for each in validators for part in getattr(each, "_validators", [each])]
    return [*nested, field.metadata]


def _type(type_: Any, rules: list[Any], definitions: Schema, *, partial: bool) -> Schema:
    options, type_ = classes_of(type_), bare(type_)
    if len(options) > 1:
        return {"anyOf": [_type(option, rules, definitions, partial=partial) for option in options]}
    if type_ is NoneType:
        return {"type": "null"}
    if attrs.has(type_):
        return {"$ref": f"#/$defs/{_define(type_, definitions, partial=partial)}"}
    if get_origin(type_) is tuple:
        items = _type(get_args(type_)[0], [], definitions, partial=False)
        return {"type": "array", "items": items} | _bounds(rules, ("minItems", "maxItems"))
    if get_origin(type_) == Literal:
        return {"enum": list(get_args(type_))}
    if isinstance(type_, type) and issubclass(type_, IntEnum):
        return {"enum": [member.name.lower() for member in type_]}
    bounds = _bounds(rules, ("minimum", "maximum"))
    if type_ == Seconds:
        nonzero = "(?=.*[1-9])" if bounds.get("minimum", 0) > 0 else ""
        text = {"type": "string", "pattern": f"^{nonzero}{_DURATION}"}
        return {"anyOf": [{"type": "integer", "minimum": 0} | bounds, text]}
    if type_ is Fraction:
        text = {"type": "string", "pattern": _SHARE if bounds.get("maximum") == 1 else _FRACTION}
        return {"anyOf": [{"type": "number"} | bounds, text]}
    return dict(_SIMPLE[type_]) | bounds | _line(rules)


def _bounds(rules: list[Any], names: tuple[str, str]) -> Schema:
    """Return the bounds of a number, or of the number of items."""
    found: Schema = {}
    for rule in rules:
        if isinstance(rule, Bounds) and names[0] == "minimum":
            found |= {names[0]: rule.low} | ({} if rule.high is None else {names[1]: rule.high})
        elif isinstance(rule, Factors) and names[0] == "minItems":
            found |= {names[0]: rule.length, names[1]: rule.length}
        elif (rule is some_weight or (isinstance(rule, Mapping) and FEWEST in rule)) and names[0] == "minItems":
            found |= {names[0]: 1}
    return found


def _line(rules: list[Any]) -> Schema:
    found: Schema = {}
    for rule in rules:
        if isinstance(rule, Line):
            ends, within = (r"\S", ".") if not rule.without else (rf"[^\s{rule.without}]", f"[^{rule.without}]")
            found |= {"minLength": 1, "maxLength": rule.longest, "pattern": f"^{ends}({within}*{ends})?$"}
        elif rule is not_root:
            found |= {"not": {"const": "root"}}
    return found
