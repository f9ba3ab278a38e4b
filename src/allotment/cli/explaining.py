"""`allotment explain`: from what was typed to a job's answer, and that answer as a page of text."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from itertools import count as count_from
from pathlib import Path

import attrs
import pandas as pd
from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from allotment.cli.console import Display
from allotment.cli.layout import apart, grid, titled
from allotment.cli.running import on_compiling
from allotment.errors import InputError, NotFoundError
from allotment.experiment.fleet import simulate_fleet
from allotment.experiment.prepare import prepare
from allotment.explain.answer import Why
from allotment.explain.fleet import members_of
from allotment.explain.reasons import Reason
from allotment.formats import count, moment, wait
from allotment.interop import result_files
from allotment.presets import load_fleet, load_scenario
from allotment.presets.catalogue import names
from allotment.presets.simulate import simulate
from allotment.presets.why import before, why
from allotment.results.fleet_result import FleetResult
from allotment.results.result import Result
from allotment.units import DAY, HOUR, parse_duration
from allotment.views import answers

MEMBERS = re.compile(r"^[\"']?members[\"']?\s*:", re.MULTILINE)
CLOCK = re.compile(r"\s*day\s+(\d+)\s+(\d{1,2}):(\d{2})\s*", re.ASCII)


@attrs.frozen(kw_only=True)
class Asked:
    """What was typed after `allotment explain`."""

    source: str
    job: str
    at: str | None = None
    versus: str | None = None
    policy: str | None = None
    what_if: bool = True


def carry_out(asked: Asked, display: Display) -> tuple[Why, Reason | None]:
    """Return the answer for a job of a saved result, or of a scenario that is simulated first, and who comes first of two.

    Raises AllotmentError where there is no such result, job or moment.
    """
    time = None if asked.at is None else moment_of(asked.at)
    result = result_of(asked.source, asked.policy, display)
    member, job = place_of(result, asked.job)
    other = None if asked.versus is None else place_of(result, asked.versus)
    if other is not None and other[0] != member:
        raise InputError(
            "these options", [f"--versus compares two jobs of one cluster, {asked.job} and {asked.versus} are of two"]
        )
    display.phase(f"asking why of job {job}")
    tried = count_from(1)

    def told(change: Reason) -> None:
        display.phase(f"what if ({next(tried)}): {change.sentence}")
        display.nudge()

    found = why(result, job, time, member=member, what_if=asked.what_if, told=told)
    if other is None:
        return found, None
    if found.at is None:
        raise InputError("these options", [f"--versus goes with a job that waited; {job} waited for a pass at most"])
    return found, before(result, job, other[1], found.at, member=member)


def place_of(result: Result | FleetResult, text: str) -> tuple[str | None, int]:
    """Return the member of a fleet, None of a single cluster, and the number of a job there. Raises NotFoundError.

    A job of a fleet is named by its member and its number, such as small/603; a member may be left out where only one has
    a job of that number.
    """
    if isinstance(result, Result):
        return None, number_of(result, text)
    member, _, number = text.rpartition("/")
    if member and member not in result.members:
        raise NotFoundError(
            f"the fleet {result.fleet.name!r} has no member {member!r}; there are {', '.join(result.members)}"
        )
    if not (number.isascii() and number.isdigit()):
        raise NotFoundError(
            f"there is no job {text!r} in this fleet; write a member and a number, such as {next(iter(result.members))}/12"
        )
    there = [member] if member else members_of(result, int(number))
    if len(there) != 1:
        told = f"on {', '.join(there)}" if there else f"on no member: {', '.join(result.members)}"
        raise NotFoundError(
            f"job {number} is {told}; each member numbers its own jobs, so write which, such as {(there or list(result.members))[0]}/{number}"
        )
    return there[0], int(number)


def number_of(result: Result, text: str) -> int:
    """Return the number of a job that is named by its id in a recording, or else by its number. Raises NotFoundError."""
    names = result.jobs["name"]
    found = result.jobs["job"].to_numpy()[(names == text).to_numpy() & (names != "").to_numpy()]
    if len(found):
        return int(found[0])
    if text.isascii() and text.isdigit():
        return int(text)
    near = difflib.get_close_matches(text, [name for name in names.tolist() if name], n=1)
    hint = f"did you mean {near[0]!r}?" if near else "jobs are named by their number, recorded ones by their id too"
    raise NotFoundError(f"there is no job {text!r} in this result; {hint}")


def result_of(source: str, policy: str | None, display: Display) -> Result | FleetResult:
    """Return a saved result, or that of a scenario or a fleet, by its name or file. Raises AllotmentError."""
    folder = Path(source)
    if source in names("fleets") or (folder.is_file() and is_fleet(folder)):
        if policy is not None:
            raise InputError(
                "these options", [f"--policy goes with a scenario; in the fleet {source!r} each member has its own"]
            )
        fleet = load_fleet(source)
        prepare(on_compiling(display), questions=True)
        display.phase("simulating the fleet")
        return simulate_fleet(fleet, progress=display.tell)
    if folder.is_dir() or (source not in names("scenarios") and not folder.suffix):
        if policy is not None:
            raise InputError(
                "these options", [f"--policy goes with a scenario; {source!r} is a result, which has its own"]
            )
        display.phase("reading")
        return result_files.read(folder)
    scenario = load_scenario(source)
    prepare(on_compiling(display))
    display.phase("simulating")
    return simulate(scenario, policy=policy, progress=display.tell)


def is_fleet(file: Path) -> bool:
    """Tell whether a file describes a fleet, which has members, and not a scenario."""
    return MEMBERS.search(file.read_text(encoding="utf-8", errors="replace")) is not None


def moment_of(text: str) -> int:
    """Return a moment as people type it: "day 3 14:09" as in the texts, or a time from the start, "3d14h9m" or seconds.

    >>> moment_of("day 3 14:09"), moment_of("3d 14h 9m"), moment_of("310140")
    (310140, 310140, 310140)
    """
    if found := CLOCK.fullmatch(text):
        days, hours, minutes = (int(number) for number in found.groups())
        return days * DAY + hours * HOUR + minutes * 60
    try:
        return parse_duration(text)
    except ValueError:
        raise InputError(
            "these options",
            [f"--at {text!r} is no moment; write 'day 3 14:09', '3d 14h 9m' or seconds from the start"],
        ) from None


def page(found: Why, first: Reason | None = None) -> RenderableType:
    """Return an answer as a page; `first` tells which of two jobs comes first."""
    parts = [titled(answers.title(found), *map(Text, answers.about(found)))]
    if found.at is not None and found.why is not None:
        parts.append(titled(f"{answers.asked(found)}, at {moment(found.at)}", Text(answers.cause(found))))
    if found.life and answers.in_turn(found) is not None:
        parts.append(_causes(found))
    if said := answers.remedy(found):
        parts.append(titled("Cheapest remedy", Text(said)))
    if lines := list(_now(found)):
        parts.append(titled("Where it stood then", *lines))
    if first is not None:
        parts.append(Text(first.sentence))
    if found.life and answers.in_turn(found) is None:
        parts.append(_causes(found))
    if found.displaced:
        parts.append(titled(f"Stopped {_times(len(found.displaced))}", *map(Text, _stops(found))))
    if found.what_if:
        parts.append(_what_if(found))
    return apart(parts)


def _now(found: Why) -> Iterator[RenderableType]:
    lines = [(name, text) for name, text in answers.now(found).items() if name != "why"]
    for number, (name, text) in enumerate(lines, start=1):
        yield Text(f"{number} {name.capitalize()}", style="dim")
        yield Padding(Text(text), (0, 0, 0, 2))


def _causes(found: Why) -> RenderableType:
    return _grid(f"All its waiting, {wait(found.waited)}, by cause", answers.causes(found))


def _grid(name: str, of: pd.DataFrame) -> RenderableType:
    table = grid(*of.columns)
    for row in of.itertuples():
        table.add_row(*row)
    return titled(name, table)


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


def _stops(found: Why) -> Iterator[str]:
    told = answers.stops(found)
    yield from told
    if len(found.displaced) > len(told):
        yield f"... and {count(len(found.displaced) - len(told))} times more; --json lists all."


def _what_if(found: Why) -> RenderableType:
    parts = [_grid(name, table) for name, table in answers.what_would(found).items()]
    parts += [Text(each) for each in answers.remarks(found)]
    parts += [Text(text, style="dim") for text in (answers.RULE, answers.PRICE)]
    return apart(parts)
