"""Fleet files: YAML with ``format: 1``, in which parts are what they are in scenario files: written out, presets, or paths.

The workload is that of the fleet. A member has a cluster, a plan and a policy of its own, and so have its switches:

    members:
      - {name: small, cluster: h100-88, plan: fifteen-teams, policy: priority, switches: [{time: 14d, policy: budgets}]}
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from allotment.errors import InputError
from allotment.fleet import Fleet
from allotment.interop import yaml_reader, yaml_writer
from allotment.interop.problems import Problems
from allotment.interop.reading import read
from allotment.interop.scenario_file import (
    FORMAT,
    Presets,
    mapping,
    no_presets,
    or_files,
    plain_of,
    resolve_switches,
    resolved,
)
from allotment.model.checks import Where

OF_MEMBERS = ("cluster", "plan", "policy")


def loads(
    text: str | bytes, *, source: str = "fleet", presets: Presets = no_presets, folder: Path | None = None
) -> Fleet:
    """Return the fleet that a file's text says. Raises InputError that lists every problem.

    The paths in it are relative to `folder`, where one is given.
    """
    problems = Problems()
    plain = mapping(text, source, problems)
    known = or_files(presets, folder)
    if "workload" in plain:
        plain["workload"] = resolved("workload", plain["workload"], known, problems)
    members = plain.get("members")
    for number, member in enumerate(members if isinstance(members, list) else ()):
        if isinstance(member, dict):
            _resolve(member, known, problems, ("members", number))
    fleet = read(Fleet, plain, problems)
    problems.raise_if_any(source)
    if fleet is None:
        raise InputError(source, ["the fleet cannot be read"])
    return fleet


def _resolve(member: dict[str, Any], presets: Presets, problems: Problems, inside: Where) -> None:
    for part in OF_MEMBERS:
        if part in member:
            member[part] = resolved(part, member[part], presets, problems, inside)
    resolve_switches(member.get("switches"), presets, problems, inside)


def load(path: Path | str, *, presets: Presets = no_presets) -> Fleet:
    """Return the fleet in a file. Raises InputError that lists every problem."""
    path = Path(path)
    return loads(yaml_reader.read_file(path), source=str(path), presets=presets, folder=path.resolve().parent)


def dumps(fleet: Fleet) -> str:
    """Return a fleet as text, which holds everything; reading it gives an equal value, and writing that the same text."""
    return yaml_writer.render({"format": FORMAT, **plain_of(fleet)})


def save(fleet: Fleet, path: Path | str) -> None:
    """Write a fleet to a file."""
    Path(path).write_text(dumps(fleet), encoding="utf-8", newline="\n")
