"""Scenario files, and the files of their parts: YAML with ``format: 1``.

In a scenario the cluster, the plan, the policy (those of its switches, too) and the workload are written out, or are the name of a preset or the path
of a file of one's own, or one of these with some keys changed (``{preset: h100-1024, nodes: 64}``; mappings are merged,
lists replaced). A cluster can also be a size such as ``64x8``. A workload is the name of a preset, a path, a list of
streams, or ``{preset: name, demand: 1.5, sizes_up_to: 64}``, which leaves out sizes of more GPUs.
What is written always holds everything, so that it stands by itself.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import attrs

from allotment.errors import InputError, NotFoundError
from allotment.interop import yaml_reader, yaml_writer
from allotment.interop.leaves import UnfitError, reader, writer
from allotment.interop.problems import Problems, nearest, shown
from allotment.interop.reading import UNREAD, Ready, read
from allotment.model.checks import Where
from allotment.model.cluster import Cluster
from allotment.model.plan import Plan
from allotment.model.policy import Policy
from allotment.scenario import Scenario
from allotment.workload.classes import RecordedStream, Stream, Workload, with_demand, with_sizes_up_to

FORMAT = 1
PATH = r"[/\\]|\.ya?ml$"  # a name in which this is found is meant as a file

Part = TypeVar("Part", Cluster, Plan, Policy, Workload)
Presets = Callable[[str, str], Any]  # the value of a preset, by folder and name; raises NotFoundError

FOLDERS: Mapping[str, str] = {"cluster": "clusters", "plan": "plans", "policy": "policies", "workload": "workloads"}
_CLASSES: Mapping[str, Any] = {"clusters": Cluster, "plans": Plan, "policies": Policy}


def no_presets(folder: str, name: str) -> Any:
    """Know no preset; for files that stand by themselves."""
    raise NotFoundError(f"there is no preset {name!r} in {folder}; write it out")


def loads(
    text: str | bytes, *, source: str = "scenario", presets: Presets = no_presets, folder: Path | None = None
) -> Scenario:
    """Return the scenario that a file's text says. Raises InputError that lists every problem.

    The paths in it are relative to `folder`, where one is given.
    """
    problems = Problems()
    plain = mapping(text, source, problems)
    for name in FOLDERS:
        if name in plain:
            plain[name] = resolved(name, plain[name], or_files(presets, folder), problems)
    resolve_switches(plain.get("switches"), or_files(presets, folder), problems)
    scenario = read(Scenario, plain, problems)
    problems.raise_if_any(source)
    if scenario is None:
        raise InputError(source, ["the scenario cannot be read"])
    if folder is None or not any(isinstance(stream, RecordedStream) for stream in scenario.workload):
        return scenario
    return attrs.evolve(scenario, workload=_placed(scenario.workload, folder))


def load(path: Path | str, *, presets: Presets = no_presets) -> Scenario:
    """Return the scenario in a file. Raises InputError that lists every problem."""
    path = Path(path)
    return loads(yaml_reader.read_file(path), source=str(path), presets=presets, folder=path.resolve().parent)


def loads_part(cls: type[Part], text: str | bytes, *, source: str = "file") -> Part:
    """Return the cluster, plan, policy or workload that a file's text says. Raises InputError with every problem."""
    problems = Problems()
    part = read(cls, mapping(text, source, problems), problems)
    problems.raise_if_any(source)
    if part is None:
        raise InputError(source, ["the file cannot be read"])
    return part


def load_part(cls: type[Part], path: Path | str) -> Part:
    """Return the cluster, plan, policy or workload in a file. Raises InputError with every problem."""
    return loads_part(cls, yaml_reader.read_file(Path(path)), source=str(path))


def load_workload(path: Path | str) -> Workload:
    """Return the workload in a file, with the paths of its recordings made whole. Raises InputError."""
    workload = load_part(Workload, path)
    return attrs.evolve(workload, streams=_placed(workload.streams, Path(path).resolve().parent))


def loads_plain(text: str | bytes, *, source: str = "file") -> dict[str, Any]:
    """Return the plain mapping that a file's text holds, unchecked but for its format. Raises InputError."""
    problems = Problems()
    plain = mapping(text, source, problems)
    problems.raise_if_any(source)
    return plain


def dumps(value: Scenario | Cluster | Plan | Policy | Workload) -> str:
    """Return a scenario or a part of one as text; reading it gives an equal value, and writing that the same text."""
    return yaml_writer.render({"format": FORMAT, **plain_of(value)})


def save(value: Scenario | Cluster | Plan | Policy | Workload, path: Path | str) -> None:
    """Write a scenario or a part of one to a file."""
    Path(path).write_text(dumps(value), encoding="utf-8", newline="\n")


def plain_of(value: Any) -> dict[str, Any]:
    """Return a value of attrs as plain mappings, lists and scalars."""
    plain: dict[str, Any] = writer().unstructure(value)
    return plain


def mapping(text: str | bytes, source: str, problems: Problems) -> dict[str, Any]:
    """Return the mapping that a file's text holds, without its format, which is checked. Raises InputError."""
    plain = yaml_reader.parse(text, source, problems)
    if not isinstance(plain, dict):
        raise InputError(source, [f"the file must hold a mapping such as 'format: {FORMAT}', not {shown(plain)}"])
    if "format" not in plain:
        problems.add((), f"missing key 'format'; begin the file with 'format: {FORMAT}'")
    elif plain["format"] != FORMAT or isinstance(plain["format"], bool):
        problems.add(("format",), f"format must be {FORMAT}, not {shown(plain['format'])}; no other is known here")
        problems.raise_if_any(source)  # another format may mean other things by the same keys
    return {key: value for key, value in plain.items() if key != "format"}


def or_files(presets: Presets, folder: Path | None) -> Presets:
    """Return what also knows files, by paths that are relative to a folder; their recordings get whole paths."""

    def find(kind: str, name: str) -> Any:
        if folder is None or not re.search(PATH, name):
            return presets(kind, name)
        path = folder / name
        return load_workload(path) if kind == FOLDERS["workload"] else load_part(_CLASSES[kind], path)

    return find


def resolve_switches(switches: Any, presets: Presets, problems: Problems, inside: Where = ()) -> None:
    """Put the presets that switches name into them; whatever else they are is checked when they are read."""
    for number, switch in enumerate(switches if isinstance(switches, list) else ()):
        if isinstance(switch, dict) and "policy" in switch:
            switch["policy"] = resolved("policy", switch["policy"], presets, problems, (*inside, "switches", number))


def resolved(part: str, raw: Any, presets: Presets, problems: Problems, inside: Where = ()) -> Any:
    """Return a part with the preset that it names put in; what it is otherwise is checked when it is read."""
    where: Where = (*inside, part)
    changes: dict[str, Any] = {}
    name = raw
    if isinstance(raw, dict) and "preset" in raw:
        where, name = (*inside, part, "preset"), raw["preset"]
        changes = {key: value for key, value in raw.items() if key != "preset"}
        if not isinstance(name, str):
            problems.add(where, f"preset must be a name, not {shown(name)}")
            return UNREAD
    if not isinstance(name, str):
        return raw
    try:
        value = Cluster.parse(name) if part == "cluster" and name[:1].isdigit() else presets(FOLDERS[part], name)
    except (NotFoundError, InputError, ValueError) as error:
        problems.add(where, " ".join(str(error).split()))
        return UNREAD
    if isinstance(value, Workload):
        return _changed_workload(value, changes, problems)
    return _merged(_renamed(plain_of(value), changes), changes) if changes else Ready(value)


def _changed_workload(workload: Workload, changes: Mapping[str, Any], problems: Problems) -> Any:
    known: dict[str, tuple[type, Callable[[Any, Any], tuple[Stream, ...]]]] = {
        "demand": (float, with_demand),
        "sizes_up_to": (int, with_sizes_up_to),
    }
    streams, whole = workload.streams, True
    for key in changes:
        if key not in known:
            problems.add(("workload",), f"unknown key {key!r}{nearest(key, known)}")
    for key, (type_, change) in known.items():
        if key not in changes:
            continue
        where: Where = ("workload", key)
        try:
            streams = change(streams, reader().structure(changes[key], type_))
        except UnfitError as error:
            problems.add(where, f"{key} {error}")
            whole = False
        except ValueError as error:
            problems.add(where, str(error.args[0]))
            whole = False
    return Ready(streams) if whole else UNREAD


def _renamed(plain: dict[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return a preset under a name that tells of the change, and without claims about the figures that were changed."""
    changed = {key for key in changes if not isinstance(changes[key], dict)}
    changed |= {f"{key}.{inner}" for key, value in changes.items() if isinstance(value, dict) for inner in value}
    kept = {
        key: [name for name in plain[key] if name not in changed] for key in ("public", "illustrative") if key in plain
    }
    return plain | kept | {"name": f"{plain['name']} (changed)"}


def _merged(plain: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(plain)
    for key, value in changes.items():
        both = isinstance(value, dict) and isinstance(merged.get(key), dict)
        merged[key] = _merged(merged[key], value) if both else value
    return merged


def as_seen_from(scenario: Scenario, folder: Path) -> Scenario:
    """Return the scenario with the paths of its recordings relative to a folder, so that both can be moved together.

    A path that cannot be, on another drive, stays whole.
    """
    streams = []
    for stream in scenario.workload:
        if isinstance(stream, RecordedStream):
            path = os.path.abspath(stream.path)  # noqa: PTH100 - a link keeps its name
            with contextlib.suppress(ValueError):  # on another drive
                path = Path(os.path.relpath(path, folder)).as_posix()
            stream = attrs.evolve(stream, path=path)
        streams.append(stream)
    return attrs.evolve(scenario, workload=tuple(streams))


def _placed(streams: tuple[Stream, ...], folder: Path) -> tuple[Stream, ...]:
    """Return the streams with the paths of recordings, which a file gives as seen from itself, made whole."""
    return tuple(
        attrs.evolve(stream, path=os.path.normpath(folder / stream.path))
        if isinstance(stream, RecordedStream)
        else stream
        for stream in streams
    )
