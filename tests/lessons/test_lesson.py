"""Lessons as data, and how mistakes in one are told."""

from __future__ import annotations

import pytest

from allotment.errors import AllotmentError, InputError, NotFoundError
from allotment.lessons.exercise import check
from allotment.lessons.lesson import FOLDER, known, load_lesson, loads
from allotment.lessons.over_seeds import over_seeds
from allotment.presets.catalogue import datasets
from allotment.units import DAY

SHORT = """
format: 1
name: short
title: Short
minutes: 5
base: small-week
change: {measured: 1d}
questions:
  - ask: Is it so?
    answers:
      - {text: "Yes.", because: It is., right: true}
      - {text: "No.", because: It is.}
"""


@pytest.mark.parametrize("name", known())
def test_every_lesson_reads_and_its_scenario_fills_the_window_before_it_counts(name):
    lesson = load_lesson(name)
    assert lesson.name == name
    assert lesson.scenario.warmup >= 7 * DAY
    assert (datasets() / FOLDER / f"{name}.yaml").is_file()


def test_an_unknown_one_names_those_there_are():
    with pytest.raises(NotFoundError, match=r"did you mean 'contracts'\? there are .*contracts"):
        load_lesson("contract")


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("base: small-week", "base: small-weak", "did you mean"),
        ("base: small-week\n", "", "base must be the name of a scenario"),
        ("measured: 1d", "measured: -1d", "measured"),
        ("right: true", "right: false", "one answer must be right, not 0"),
        ("It is.}\n", "It is., right: true}\n", "one answer must be right, not 2"),
        ('text: "No."', 'text: "Yes."', "answers must differ"),
        ("minutes: 5", "minutes: 0", "minutes must be"),
        ("title: Short\n", "", "title"),
    ],
)
def test_a_mistake_is_told_with_its_place(old, new, told):
    assert old in SHORT
    with pytest.raises(InputError, match=told):
        loads(SHORT.replace(old, new))


def test_a_change_comes_on_top_and_a_wrong_one_is_told():
    lesson = loads(SHORT)
    assert lesson.varied({"measured": "2d"}).measured == 2 * DAY
    assert lesson.scenario.measured == DAY
    with pytest.raises(InputError, match="a change of the lesson 'short'"):
        lesson.varied({"measured": "soon"})
    with pytest.raises(InputError, match="mapping"):
        lesson.varied([])  # type: ignore[arg-type]


def test_the_same_seed_meets_the_same_jobs():
    lesson = loads(SHORT)
    runs = over_seeds({"budgets": lesson.scenario, "fifo": lesson.varied({"policy": "fifo"})}, seeds=2)
    for one, other in zip(runs["budgets"], runs["fifo"], strict=True):
        same = [
            run.jobs[run.jobs["kind"] == "debug"][["submit", "gpus"]].reset_index(drop=True) for run in (one, other)
        ]
        assert same[0].equals(same[1])
    assert [run.scenario.seed for run in runs["fifo"]] == [0, 1]
    assert not runs["fifo"][0].equals(runs["fifo"][1])


def test_an_answer_is_told_right_or_to_which_side_it_is_wrong_but_never_the_right_one():
    assert check(None, 3.0).right is None
    assert check(2.9, 3.0).right is True
    low, high = check(1, 3.14159, hint="count again"), check(9, 3.14159)
    assert low.right is False
    assert repr(low) == "Not yet: 1 is too low; count again."
    assert repr(high) == "Not yet: 9 is too high."
    assert "3.1" not in low.says + high.says
    assert check(0, 0).right is True
    for wrong in ("3", True, float("nan"), [3]):
        with pytest.raises(AllotmentError, match="an answer must be a number"):
            check(wrong, 3.0)
