"""What lessons are made of on a page: quizzes, rooms, and one control with its picture."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from allotment.errors import AllotmentError
from allotment.experiment.spread import Spread
from allotment.lessons import poll
from allotment.lessons.lesson import load_lesson
from allotment.views import charts
from allotment.views.classroom.dial import Dial
from allotment.views.classroom.quiz import Quiz, poll_of
from allotment.views.classroom.room import Room, quiz_room


def opened(made, *given, **more):
    """Return a page that belongs to no event loop, whatever loop another test has left in this thread."""
    with ThreadPoolExecutor(1) as alone:
        return alone.submit(made, *given, **more).result()


@pytest.fixture
def lesson():
    return load_lesson("contracts")


def right_of(lesson) -> list[int]:
    return [next(at for at, answer in enumerate(of.answers) if answer.right) for of in lesson.questions]


def test_nothing_is_chosen_at_first_and_each_answer_hears_why(lesson):
    quiz = opened(Quiz, lesson)
    assert [choice.value for choice in quiz._choices] == [None, None]
    assert quiz.right is None
    assert quiz.code is None
    assert quiz._result.text == "0 of 2 answered."
    wrong = 1 - right_of(lesson)[0]
    quiz._choices[0].value = wrong
    assert quiz._replies[0].text == f"Not quite: {lesson.questions[0].answers[wrong].because}"
    quiz._choices[0].value = right_of(lesson)[0]
    assert quiz._replies[0].text.startswith("Right: ")
    quiz._choices[1].value = right_of(lesson)[1]
    assert quiz.right == 1  # the first answers count
    assert quiz._result.text == "At the first go 1 of 2 were right."


def test_before_a_workshop_nothing_is_told_but_a_code(lesson):
    quiz = opened(Quiz, lesson, "before")
    for choice, right in zip(quiz._choices, right_of(lesson), strict=True):
        choice.value = right
    assert [reply.text for reply in quiz._replies] == ["", ""]
    assert quiz._result.text == f"All answered. Your code for the room: {quiz.code}."
    assert poll.count(poll_of(lesson, "before"), quiz.code).answers == (2,)
    assert poll.count(poll_of(lesson, "after"), quiz.code).answers == ()


def test_a_room_counts_codes_before_and_after_and_names_what_it_does_not_count(lesson):
    room = opened(quiz_room, lesson)
    before = [poll.code(poll_of(lesson, "before"), right) for right in (0, 1, 1)]
    room.count(before=" ".join([*before, "<img", "XXXX"]), after=poll.code(poll_of(lesson, "after"), 2))
    assert room.votes["before"].answers == (0, 1, 1)
    assert room.votes["after"].answers == (2,)
    assert room._words.text.splitlines() == [
        "before: 3 counted, 2 not.",
        "img has 3 characters; a code has 4.",
        "XXXX is a slip, or the code of another question.",
        "after: 1 counted, 0 not.",
    ]
    table = room._picture().table
    assert table["before"].to_list() == ["1", "2", "0"]
    assert table["after"].to_list() == ["0", "0", "1"]


def test_too_many_codes_are_told_and_what_was_counted_stays(lesson):
    room = opened(quiz_room, lesson)
    room.count(before=poll.code(poll_of(lesson, "before"), 1))
    room.count(before="A" * 20_000)
    assert "at most 10,000 characters" in room._words.text
    assert room.votes["before"].answers == (1,)


def test_the_guess_of_a_theory_has_a_code_that_its_room_counts():
    room = opened(Room, "F12")
    guess = room.card.guess
    room.theory._slider.value = guess.low
    assert room.theory.code in room.theory._code.text
    room.codes.count(guesses=f"{room.theory.code} {room.theory.code}")
    assert room.codes.votes["guesses"].answers == (0, 0)
    assert "half of them at most 0" in room.codes._picture().summary


def test_what_came_out_is_drawn_only_once_it_is_known():
    answers = [(float(at), str(at)) for at in range(5)]
    before = charts.room("what", answers, {"guesses": [0, 2, 1, 0, 0]}, unit="hours")
    assert len(before.layer("truth")) == 0
    after = charts.room(
        "what",
        answers,
        {"guesses": [0, 2, 1, 0, 0]},
        unit="hours",
        truth=Spread(values=(3.0, 9.0), median=3.0, mean=6.0, low=2.0, high=9.0),
    )
    assert after.layer("truth").columns["x0"].tolist() == [3.0]
    assert after.layer("interval").columns["right"].tolist() == [5.0]  # no further than the axis
    assert "what came out is 3 hours, with an interval from 2 to 9" in after.summary


def test_dots_tell_every_seed_and_their_median_and_waits_that_differ_much_are_on_a_logarithmic_axis():
    picture = charts.dots(
        "Waits", {"short": [0, 20, 40], "long": [7200, None, 3600], "none": [None]}, "s", label="wait"
    )
    assert picture.x.scale == "log"
    assert len(picture.layer("seeds")) == 5
    assert picture.layer("seeds").columns["x"].min() == 1.0
    assert picture.table["median"].to_list() == ["20 s", "1.5 h", "-"]
    assert picture.table["seeds"].to_list() == ["3", "2", "0"]
    assert picture.summary == "Wait, the median over seeds; short: 20 s; long: 1.5 h; none: -."
    assert charts.dots("Parts", {"one": [0.5]}, "ratio").x.scale == "linear"
    assert charts.dots("Nothing", {"one": []}, "GPU-hours").table["seeds"].to_list() == ["0"]


def picture_of(value: int) -> charts.Picture:
    if value == 3:
        raise AllotmentError("3 cannot be run")
    return charts.dots(f"of {value}", {"value": [float(value)]}, "count")


def test_a_dial_shows_what_it_is_turned_to_and_says_so():
    dial = opened(Dial, "How many", {"one": 1, "two": 2, "three": 3}, picture_of)
    assert dial.value == 1
    assert dial.picture.title == "of 1"
    dial.turn("two")
    late = time.monotonic() + 20
    while dial.value != 2:
        assert time.monotonic() < late
        time.sleep(0.01)
    assert dial.picture.title == "of 2"
    assert dial._words.text == "This is two."
    dial.turn("three")
    while "3 cannot be run" not in dial._words.text:
        assert time.monotonic() < late
        time.sleep(0.01)
    assert dial.value == 2
    with pytest.raises(AllotmentError, match="cannot start at 'four'; there are 'one', 'two', 'three'"):
        Dial("How many", {"one": 1, "two": 2, "three": 3}, picture_of, start="four")
