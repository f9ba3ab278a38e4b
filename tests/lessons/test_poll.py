"""Codes of guesses: short, checked, and counted with what was refused and why."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from allotment.errors import AllotmentError
from allotment.lessons import poll
from allotment.lessons.cards import load_cards
from allotment.lessons.poll import ALPHABET, code, count, step, value

ANSWERS = st.integers(0, len(ALPHABET) - 1)


@given(st.text(max_size=12), st.lists(ANSWERS, max_size=30), st.sampled_from([" ", ", ", "\n", ";", " / "]))
def test_a_room_of_codes_is_counted_as_it_was_guessed(question, answers, between):
    found = count(question, between.join(code(question, answer) for answer in answers))
    assert found.answers == tuple(answers)
    assert found.refused == ()
    assert sum(found.counts(len(ALPHABET))) == len(answers)


@given(ANSWERS, st.integers(0, 3), st.sampled_from(ALPHABET))
def test_one_wrong_character_is_refused_and_never_counted_as_another_answer(answer, at, letter):
    right = code("F04", answer)
    if right[at] == letter:
        return
    wrong = right[:at] + letter + right[at + 1 :]
    found = count("F04", wrong)
    assert found.answers in ((), (ALPHABET.index(letter),))
    if (
        found.answers
    ):  # a slip of the first character makes another answer only where all three checks agree: 1 in 32,768
        assert code("F04", found.answers[0]) == wrong


def test_the_code_of_another_question_is_refused():
    for answer in range(poll.STEPS + 1):
        found = count("F05", code("F04", answer))
        assert found.answers == ()
        assert found.refused[0].reason == "is a slip, or the code of another question"


def test_letters_that_look_like_digits_and_small_ones_are_read_as_meant():
    given_in = code("F04", 0)
    assert "0" in given_in
    assert count("F04", given_in.lower().replace("0", "o")).answers == (0,)


def test_what_is_no_code_is_named_with_its_reason():
    found = count("F04", "hello <b>70KC</b>")
    assert [(each.text, each.reason) for each in found.refused] == [
        ("hello", "has 5 characters; a code has 4"),
        ("b", "has 1 characters; a code has 4"),
        ("b", "has 1 characters; a code has 4"),
    ]
    assert found.answers == (7,)


def test_too_long_a_text_and_too_large_an_answer_are_told():
    with pytest.raises(AllotmentError, match="at most 10,000 characters"):
        count("F04", "A" * 10_001)
    with pytest.raises(AllotmentError, match="from 0 to 31"):
        code("F04", 32)


def test_every_place_of_every_slider_comes_back():
    for card in load_cards():
        for answer in range(poll.STEPS + 1):
            assert step(card.guess, value(card.guess, answer)) == answer
