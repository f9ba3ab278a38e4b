"""A theory on a page: nothing is shown before the guess."""

from __future__ import annotations

import time

import attrs
import pytest

from allotment.errors import NotFoundError
from allotment.lessons.cards import load_card
from allotment.lessons.trial import try_out
from allotment.lessons.turned import wanting
from allotment.units import DAY
from allotment.views.theories import Theory, terms


def short(card_id: str):
    """Return a card that is over soon."""
    card = load_card(card_id)
    conditions = tuple(
        attrs.evolve(
            condition,
            arms=tuple(
                attrs.evolve(
                    arm, scenario=attrs.evolve(arm.scenario, measured=DAY), of=attrs.evolve(arm.of, at_most=DAY // 2)
                )
                for arm in condition.arms
            ),
        )
        for condition in card.conditions
    )
    return attrs.evolve(card, conditions=conditions)


@pytest.fixture(scope="module")
def card():
    return short("F12")


def wait_for(theory: Theory) -> None:
    late = time.monotonic() + 120
    while theory.tried is None:
        assert time.monotonic() < late
        time.sleep(0.05)


def test_before_the_guess_there_is_the_claim_and_the_question_and_no_answer(card):
    theory = Theory(card)
    page = theory.__panel__()
    assert theory.tried is None
    assert not theory._after.visible
    assert theory._question.text == card.guess.question
    assert card.fact not in str([each.text for each in page.select() if hasattr(each, "text")])
    assert card.guess.low <= theory.guess <= card.guess.high


def test_after_the_run_there_is_the_picture_with_every_seed_and_the_guess_beside_the_answer(card):
    theory = Theory(card, seeds=3)
    theory._slider.value = 7.2
    theory.run()
    wait_for(theory)
    assert theory.tried == try_out([card], seeds=range(3), processes=1)[0]
    assert len(theory._card.picture.layer("seeds")) == 3 * len(card.conditions)
    assert theory._after.visible
    assert not theory._run.visible
    assert "You guessed\t7.2 hours" in theory._terms.text
    assert theory._slider.disabled


def test_what_was_turned_is_what_runs_again(card):
    theory = Theory(card, seeds=3)
    theory._times.value = 0.5
    theory.run()
    wait_for(theory)
    assert theory.tried.card == wanting(card, 0.5)
    assert theory.tried.card != card


def test_the_texts_of_the_card_are_told_and_the_switch_where_it_matters(card):
    tried = try_out([card], seeds=range(3), processes=1)[0]
    told = terms(tried, 3)
    for text in (card.fact, card.why, card.true_where, card.try_it):
        assert text in told.values()
    assert told["In the field, cBio/cbio-cluster#118"] == card.field[0].what
    assert (card.switch in told["The verdict"]) == (tried.verdict.value == "CONDITIONAL")


def test_a_theory_that_is_not_known_is_told():
    with pytest.raises(NotFoundError, match="there is no theory 'F55'"):
        Theory("F55")
