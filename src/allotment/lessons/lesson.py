"""The lessons in `datasets/lessons/`: what a notebook simulates, and what it asks at its end; one YAML file each.

format: 1
name: contracts
title: Contracts
minutes: 8
base: our-team            # the scenario that it starts from
change: {measured: 14d}   # what is different in it; see `allotment.interop.changed_scenario`
questions:
  - ask: What does a minimum runtime promise?
    answers:
      - {text: ..., because: ..., right: true}
      - {text: ..., because: ...}
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import Any

import attrs

from allotment.errors import AllotmentError, InputError, NotFoundError
from allotment.interop.changed_scenario import changed
from allotment.interop.problems import Problems, shown
from allotment.interop.reading import UNREAD, Ready, read
from allotment.interop.scenario_file import mapping
from allotment.lessons.question import Question
from allotment.model.checks import NOT_EMPTY, between, one_line
from allotment.model.typed import typed
from allotment.presets.catalogue import datasets, load_scenario, names, preset
from allotment.scenario import Scenario

FOLDER = "lessons"


def _questions(questions: Iterable[Question]) -> tuple[Question, ...]:
    return tuple(questions)


@attrs.frozen(kw_only=True, field_transformer=typed)
class Lesson:
    """What belongs to a notebook and is not text."""

    name: str = attrs.field(validator=one_line(40))
    """By which it is asked for."""
    title: str = attrs.field(validator=one_line())
    """What it is called."""
    minutes: int = attrs.field(validator=between(1, 240))
    """How long it takes."""
    scenario: Scenario
    """What it simulates."""
    questions: tuple[Question, ...] = attrs.field(converter=_questions, metadata=NOT_EMPTY)
    """What is asked at its end."""

    def varied(self, change: Mapping[str, Any]) -> Scenario:
        """Return the scenario with a change put in, written as in a file: {"measured": "14d"}. Raises InputError."""
        problems = Problems()
        found = changed(self.scenario, change, preset, problems)
        problems.raise_if_any(f"a change of the lesson {self.name!r}")
        if not isinstance(found, Ready):
            raise InputError(f"a change of the lesson {self.name!r}", ["it cannot be read"])
        scenario: Scenario = found.value
        return scenario


def known() -> tuple[str, ...]:
    """Return the names of all lessons."""
    return names(FOLDER)


def load_lesson(name: str) -> Lesson:
    """Return a lesson by its name. Raises NotFoundError that names those there are."""
    if name not in known():
        near = difflib.get_close_matches(name, known(), n=1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise NotFoundError(f"there is no lesson {name!r}; {hint}there are {', '.join(known()) or 'none'}")
    lesson = loads((datasets() / FOLDER / f"{name}.yaml").read_text(encoding="utf-8"), source=f"{FOLDER}/{name}")
    if lesson.name != name:
        raise InputError(f"{FOLDER}/{name}", [f"name must be {name!r}, as the file is called, not {lesson.name!r}"])
    return lesson


def loads(text: str | bytes, *, source: str = "lesson") -> Lesson:
    """Return the lesson that a file's text says. Raises InputError that lists every problem."""
    problems = Problems()
    plain = mapping(text, source, problems)
    base, change = plain.pop("base", None), plain.pop("change", {})
    plain["scenario"] = UNREAD
    if isinstance(base, str):
        try:
            plain["scenario"] = changed(load_scenario(base), change, preset, problems, ("change",))
        except AllotmentError as error:
            problems.add(("base",), " ".join(str(error).split()))
    else:
        problems.add(("base",), f"base must be the name of a scenario, such as 'small-week', not {shown(base)}")
    lesson = read(Lesson, plain, problems)
    problems.raise_if_any(source)
    if lesson is None:
        raise InputError(source, ["the lesson cannot be read"])
    return lesson
