"""Changes of a scenario, as data: what differs is written as it would be in a file, and put into what is there.

Mappings are merged. A list of things that have a name or an id, such as streams, kinds of work, people and nodes of a
plan, is merged thing by thing: one that is there is changed, another is added at the end. Any other list is replaced.
A policy or a cluster can be the name of a preset. All else is read and checked as in a scenario file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from allotment.interop.problems import Problems, shown
from allotment.interop.reading import UNREAD, Ready, Unread, read
from allotment.interop.scenario_file import Presets, plain_of, resolved
from allotment.model.checks import Where
from allotment.scenario import Scenario

NAMES = ("id", "name")  # by which things in a list are told apart, the first that they have
BY_NAME = ("cluster", "policy")  # parts that a change can put in whole, as presets


def changed(scenario: Scenario, change: Any, presets: Presets, problems: Problems, where: Where = ()) -> Ready | Unread:
    """Return the scenario with a change put in, ready to be a part of something that is read; else `problems` say why."""
    if not isinstance(change, Mapping):
        problems.add(where, f"{where[-1] if where else 'a change'} must be a mapping, not {shown(change)}")
        return UNREAD
    if not change:
        return Ready(scenario)
    whole = dict(change)
    for part in BY_NAME:
        given = whole.get(part)
        if isinstance(given, str) or (isinstance(given, Mapping) and "preset" in given):
            whole[part] = resolved(part, given, presets, problems, where)
    read_back = read(Scenario, merged(plain_of(scenario), whole), problems, where)
    return UNREAD if read_back is None else Ready(read_back)


def merged(plain: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    """Return plain mappings with a change put in.

    >>> merged({"a": 1, "of": [{"name": "x", "n": 1}]}, {"of": [{"name": "x", "m": 2}, {"name": "y"}]})
    {'a': 1, 'of': [{'name': 'x', 'n': 1, 'm': 2}, {'name': 'y'}]}
    """
    whole = dict(plain)
    for key, value in change.items():
        whole[key] = _put(whole.get(key), value)
    return whole


def _put(there: Any, value: Any) -> Any:
    if isinstance(there, Mapping) and isinstance(value, Mapping):
        return merged(there, value)
    if isinstance(there, list | tuple) and isinstance(value, list | tuple):
        names = [_name(item) for item in (*there, *value)]
        if value and all(name is not None for name in names):
            return _by_name(there, value)
    return value


def _by_name(there: list[Any] | tuple[Any, ...], value: list[Any] | tuple[Any, ...]) -> list[Any]:
    items = {_name(item): item for item in there}
    for item in value:
        name = _name(item)
        items[name] = merged(items[name], item) if name in items else item
    return list(items.values())


def _name(item: Any) -> str | None:
    if not isinstance(item, Mapping):
        return None
    return next((str(item[key]) for key in NAMES if isinstance(item.get(key), str)), None)
