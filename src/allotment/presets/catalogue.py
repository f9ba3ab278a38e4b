"""What is in `datasets/`: one YAML file a preset, in a folder for each kind, found in a wheel and in a checkout."""

from __future__ import annotations

import difflib
import re
import reprlib
from collections.abc import Callable
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, TypeVar

import attrs

from allotment.errors import NotFoundError
from allotment.fleet import Fleet
from allotment.interop import fleet_file, scenario_file
from allotment.interop.scenario_file import FOLDERS, PATH
from allotment.model.cluster import Cluster
from allotment.model.plan import Plan
from allotment.model.policy import Policy
from allotment.scenario import Scenario
from allotment.workload.classes import Workload

SUFFIX = ".yaml"
SINGULAR = {
    "scenarios": "scenario",
    "clusters": "cluster",
    "plans": "plan",
    "policies": "policy",
    "workloads": "workload",
    "fleets": "fleet",
}

Part = TypeVar("Part", Cluster, Plan, Policy, Workload)


@attrs.frozen(kw_only=True)
class Preset:
    """One entry of the catalogue; `kind` is the singular of the folder it lies in."""

    kind: str
    name: str
    title: str
    description: str


def datasets() -> Traversable:
    """Return the folder of all presets: inside an installed package, else that of the checkout."""
    inside = files("allotment") / "datasets"
    return inside if inside.is_dir() else Path(__file__).resolve().parents[3] / "datasets"


def names(folder: str) -> tuple[str, ...]:
    """Return the names of the presets in a folder such as ``clusters``, in the order of their letters."""
    place = datasets() / folder
    found = [entry.name for entry in place.iterdir()] if place.is_dir() else []
    return tuple(sorted(name.removesuffix(SUFFIX) for name in found if name.endswith(SUFFIX)))


def list_presets(kind: str | None = None) -> tuple[Preset, ...]:
    """Return all presets, or those of one kind: scenario, cluster, plan, policy, workload or fleet.

    A cluster of bare nodes, such as ``64x8``, needs none.
    """
    folders = [folder for folder, singular in SINGULAR.items() if kind in (None, singular)]
    if not folders:
        raise NotFoundError(f"there is no kind of preset {kind!r}; there are {', '.join(SINGULAR.values())}")
    return tuple(_entry(folder, name) for folder in folders for name in names(folder))


def load_cluster(name: str | Path) -> Cluster:
    """Return a cluster: a preset, a size such as ``64x8``, or a YAML file.

    Raises NotFoundError for a name that is none of these, InputError for a file that cannot be read.
    """
    if isinstance(name, str) and name[:1].isdigit() and not _is_path(name):
        try:
            return Cluster.parse(name)
        except ValueError as error:
            raise NotFoundError(str(error)) from None
    return _load(Cluster, "clusters", name)


def load_plan(name: str | Path) -> Plan:
    """Return a plan: a preset or a YAML file. Raises NotFoundError or InputError."""
    return _load(Plan, "plans", name)


def load_policy(name: str | Path) -> Policy:
    """Return a policy: a preset or a YAML file. Raises NotFoundError or InputError."""
    return _load(Policy, "policies", name) if _is_path(name) else _preset_policy(str(name))


@cache
def _preset_policy(name: str) -> Policy:
    """Return a preset, which does not change while the program runs, and is asked for at every turn of a slider."""
    return _load(Policy, "policies", name)


def load_workload(name: str | Path) -> Workload:
    """Return a workload: a preset or a YAML file. Raises NotFoundError or InputError."""
    return scenario_file.load_workload(name) if _is_path(name) else _load(Workload, "workloads", name)


def load_scenario(name: str | Path) -> Scenario:
    """Return a scenario: a preset or a YAML file, in which parts may be presets. Raises NotFoundError or InputError."""
    if _is_path(name):
        return scenario_file.load(name, presets=preset)
    text = _text("scenarios", str(name))
    return scenario_file.loads(text, source=f"scenarios/{name}", presets=preset)


def load_fleet(name: str | Path) -> Fleet:
    """Return a fleet: a preset or a YAML file, in which parts may be presets. Raises NotFoundError or InputError."""
    if _is_path(name):
        return fleet_file.load(name, presets=preset)
    fleet: Fleet = preset("fleets", str(name))
    return fleet


def preset(folder: str, name: str) -> Any:
    """Return the value of a preset in a folder such as ``clusters``. Raises NotFoundError."""
    loaders: dict[str, Callable[[str], Any]] = {
        "clusters": lambda text: scenario_file.loads_part(Cluster, text, source=f"clusters/{name}"),
        "plans": lambda text: scenario_file.loads_part(Plan, text, source=f"plans/{name}"),
        "policies": lambda text: scenario_file.loads_part(Policy, text, source=f"policies/{name}"),
        "workloads": lambda text: scenario_file.loads_part(Workload, text, source=f"workloads/{name}"),
        "fleets": lambda text: fleet_file.loads(text, source=f"fleets/{name}", presets=preset),
    }
    return loaders[folder](_text(folder, name))


def scenario_schema() -> str:
    """Return the JSON Schema of scenario files, with the names of the presets, as `datasets/scenario.schema.json` has it."""
    from allotment.interop.schema import json_schema, text_of

    return text_of(json_schema(_named()))


def fleet_schema() -> str:
    """Return that of fleet files, as `datasets/fleet.schema.json` has it."""
    from allotment.interop.schema import fleet_schema, text_of

    return text_of(fleet_schema(_named()))


def _named() -> dict[str, tuple[str, ...]]:
    return {folder: names(folder) for folder in FOLDERS.values()}


def _load(cls: type[Part], folder: str, name: str | Path) -> Part:
    if _is_path(name):
        return scenario_file.load_part(cls, name)
    return scenario_file.loads_part(cls, _text(folder, str(name)), source=f"{folder}/{name}")


def _is_path(name: str | Path) -> bool:
    """Return whether a name is meant as a file: it has a folder or the suffix of one in it.

    Raises NotFoundError for what is neither a text nor a path.
    """
    if not isinstance(name, str | Path):
        raise NotFoundError(f"a preset is loaded by its name and a file by its path, not by {reprlib.repr(name)}")
    return not isinstance(name, str) or re.search(PATH, name) is not None


def _entry(folder: str, name: str) -> Preset:
    plain = scenario_file.loads_plain(_text(folder, name), source=f"{folder}/{name}")
    title, description = str(plain.get("title", "")), str(plain.get("description", ""))
    return Preset(kind=SINGULAR[folder], name=name, title=title, description=description)


def _text(folder: str, name: str) -> str:
    known = names(folder)
    if name not in known:
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise NotFoundError(
            f"there is no {SINGULAR[folder]} {name!r}; {hint}there are {', '.join(known) or 'none'}; "
            f"a file is named by its path, such as './{name}{SUFFIX}'"
        )
    return (datasets() / folder / f"{name}{SUFFIX}").read_text(encoding="utf-8")
