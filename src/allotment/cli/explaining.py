"""`allotment explain`: from what was typed to a job's answer, and that answer as a page of text."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs
from rich.console import RenderableType
from rich.padding import Padding
from rich.text import Text

from allotment.cli.console import Display
from allotment.cli.layout import apart, grid, titled
from allotment.cli.running import on_compiling
from allotment.errors import InputError, NotFoundError
from allotment.experiment.prepare import prepare
from allotment.explain.answer import Why
from allotment.explain.reasons import Reason
from allotment.explain.what_if import WhatIf
from allotment.formats import count, gpu_hours, moment, part, plain, points, signed, wait
from allotment.interop import result_files
from allotment.presets import load_scenario
from allotment.presets.catalogue import names
from allotment.presets.simulate import simulate
from allotment.presets.why import before, why
from allotment.results.result import Result
from allotment.units import DAY, HOUR, parse_duration

CLOCK = re.compile(r"\s*day\s+(\d+)\s+(\d{1,2}):(\d{2})\s*", re.ASCII)
MOST_STOPS = 3
PRICE = (
    "done: how much sooner it is, or for a job that was not done how much more of its work was, in points. others: how much longer all other jobs have waited by the time that this one is done, and how many have by a minute. A busy "
    "cluster answers to every small change, so a small price may be chance."
)


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
    job = number_of(result, asked.job)
    other = None if asked.versus is None else number_of(result, asked.versus)
    display.phase(f"asking why of job {job}")
    found = why(result, job, time, what_if=asked.what_if)
    if other is None:
        return found, None
    if found.at is None:
        raise InputError("these options", [f"--versus goes with a job that waited; {job} waited for a pass at most"])
    return found, before(result, job, other, found.at)


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


def result_of(source: str, policy: str | None, display: Display) -> Result:
    """Return a saved result, or that of a scenario, by its name or file. Raises AllotmentError."""
    folder = Path(source)
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
    parts = [titled(_title(found), *_lines(_job(found)))]
    if found.at is not None and found.why is not None:
        parts.append(titled(f"Why it waited, at {moment(found.at)}", *_now(found)))
    if first is not None:
        parts.append(Text(first.sentence))
    if found.life:
        parts.append(_life(found))
    if found.displaced:
        parts.append(titled(f"Stopped {_times(len(found.displaced))}", *_lines(_stops(found))))
    if found.what_if:
        parts.append(_what_if(found))
    return apart(parts)


def _title(found: Why) -> str:
    of = found.job
    return plain(f"Job {of.job}" + (f" ({of.name})" if of.name else "") + f" of {of.team}")


def _job(found: Why) -> Iterator[str]:
    of = found.job
    asked = f"a minimum runtime of {wait(of.min_runtime)}" if of.min_runtime else "no minimum runtime"
    yield f"{count(of.gpus)} GPU{'s' if of.gpus != 1 else ''}, {asked}, submitted at {moment(of.submit)}."
    started = "It never started."
    if of.first_start is not None:
        took = of.first_start - of.submit
        started = f"It first started after {wait(took)}." if took else "It first started at once."
    more = f" In all it waited {wait(of.queued)}" if of.slices > 1 or of.first_start is None else ""
    lost = f" and lost {gpu_hours(of.lost / HOUR)} of work" if of.lost and more else ""
    yield started + (f"{more}{lost}." if more else "")


def _now(found: Why) -> Iterator[RenderableType]:
    assert found.why is not None  # noqa: S101 - the caller looked
    yield from _lines([found.why.sentence])
    if found.behind is not None:
        yield from _lines([f"Job {found.behind[0]} in turn: {found.behind[1].sentence}"])
    lines = {
        "Turn": [each.sentence for each in found.turn],
        "Room": [each.sentence for each in found.room],
        "Next chance": [] if found.next is None else [found.next.sentence],
    }
    for number, (name, sentences) in enumerate(lines.items(), start=1):
        yield Text(f"{number} {name}", style="dim")
        yield Padding(Text(" ".join(sentences)), (0, 0, 0, 2))


def _lines(sentences: Any) -> Iterator[RenderableType]:
    for sentence in sentences:
        yield Text(sentence)


def _life(found: Why) -> RenderableType:
    table = grid("time", "of it", "times")
    for cause in found.causes:
        ratio = cause.seconds / found.waited if found.waited else None
        table.add_row(_named(cause.reason), wait(cause.seconds), part(ratio), count(cause.intervals))
    return titled(f"All its waiting, {wait(found.waited)}, by cause", table)


SHORT = {
    "next_pass": "for the next pass",
    "no_contract": "not funded: asks no contract",
    "too_large": "never funded: claim above all of {level}",
    "headroom": "not funded: too little left of {level}",
    "overdrawn": "not funded: nothing left of {level}",
    "nothing_entitled": "not funded: {level} has no share",
    "saving": "its team saves for an older claim",
    "slot_limit": "limit of GPUs of {level}",
    "behind": "behind others of its team",
    "behind_first": "behind the first of its team",
    "behind_rank": "behind a better rank without room",
    "reserved": "what is free is reserved",
    "holding": "its nodes are held, not clear yet",
    "held": "its room is held for another",
    "no_room": "no room",
    "no_room_funded": "funded, but no room",
    "fragment": "no room side by side",
    "fragment_funded": "funded, but no room side by side",
    "too_few_nodes": "too few nodes in service",
    "beyond_quota": "may not be stopped, above the quota of {level}",
    "beyond_fair_share": "above the fair GPUs of {level}",
    "unexplained": "UNEXPLAINED: a fault of the scheduler",
}


def _named(reason: Reason) -> str:
    level = plain(reason.parameters.get("level") or "")
    return SHORT[reason.code].format(level=level)


def _times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number} times")


def _stops(found: Why) -> Iterator[str]:
    for each in found.displaced[:MOST_STOPS]:
        yield f"{moment(each.time)}: " + " ".join(each.sentences)
    if len(found.displaced) > MOST_STOPS:
        yield f"... and {count(len(found.displaced) - MOST_STOPS)} times more; --json lists all."


def _what_if(found: Why) -> RenderableType:
    helps = [each for each in found.what_if if each.helps]
    rest = [each for each in found.what_if if not each.helps]
    parts: list[RenderableType] = []
    for name, group in (("What would have helped", helps), ("What would not", rest)):
        if not group:
            continue
        table = grid("first wait", "all waiting", "done", "others, together", "of them, later")
        for each in group:
            table.add_row(*_row(each))
        parts.append(titled(name, table))
    if (best := found.remedy) is not None:
        parts.append(Text(f"Of what its user could have done, the cheapest for others: {best.change.sentence}."))
    elif not helps:
        parts.append(Text("Nothing of this would have helped."))
    parts.append(Text(PRICE, style="dim"))
    return apart(parts)


def _row(each: WhatIf) -> list[str]:
    first = wait(each.wait) if each.started else f"> {wait(each.wait)}"
    done = "same" if abs(each.done_more) < 0.001 else signed(each.done_more, points)
    if (sooner := each.done_sooner) is not None:
        done = "same" if abs(sooner) < 60 else f"{wait(abs(sooner))} {'sooner' if sooner > 0 else 'later'}"
    others = (
        "-" if each.others_wait is None else signed(each.others_wait, wait) if abs(each.others_wait) >= 60 else "same"
    )
    return [each.change.sentence, first, wait(each.queued), done, others, count(each.others_later)]
