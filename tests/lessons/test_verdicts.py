"""What comes of the twelve cards over five seeds, as it came when it was last looked at.

``python -m tests.lessons.test_verdicts`` (in the root of the checkout) rewrites the table after a change that was meant
to change it; read the difference before keeping it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from allotment.lessons.theories import theories
from allotment.lessons.trial import Tried
from allotment.lessons.verdict import Verdict

GOLDEN = Path(__file__).with_name("verdicts.txt")
SEEDS = 5
WITH_MANY_SEEDS = {  # what twenty seeds say, 0 to 19 and 20 to 39 alike
    **dict.fromkeys(("F01", "F02", "F03", "F04", "F05", "F06", "F09", "F10"), Verdict.CONDITIONAL),
    **dict.fromkeys(("F07", "F08", "F11", "F12"), Verdict.FALSE),
}


def told(found: Sequence[Tried]) -> str:
    """Return a line for each card and each condition: the word, what it says, and how far apart the arms are."""
    lines = []
    for tried in found:
        lines.append(f"{tried.card.id} {tried.verdict.value}")
        for outcome in tried.outcomes:
            lies = (
                "-"
                if outcome.lies is None
                else " ".join(f"{value:.6g}" for value in (outcome.lies.median, outcome.lies.low, outcome.lies.high))
            )
            lines.append(f"  {outcome.condition}: {outcome.finding.value} {lies}")
    return "\n".join([*lines, ""])


@pytest.fixture(scope="module")
def found() -> tuple[Tried, ...]:
    return theories(seeds=SEEDS, processes=1)


@pytest.mark.slow
def test_the_cards_give_what_they_gave(found):
    assert told(found) == GOLDEN.read_text(encoding="utf-8")


@pytest.mark.slow
def test_five_seeds_say_what_twenty_say_or_leave_it_open(found):
    words = {tried.card.id: tried.verdict for tried in found}
    assert set(words) == set(WITH_MANY_SEEDS)
    assert {card for card, word in words.items() if word not in (WITH_MANY_SEEDS[card], Verdict.NOT_SHOWN)} == set()
    assert sum(word is Verdict.NOT_SHOWN for word in words.values()) <= 2


@pytest.mark.slow
def test_the_answer_to_every_guess_can_be_given(found):
    for tried in found:
        guess = tried.card.guess
        answer = tried.answer
        assert answer is not None
        assert guess.low <= answer.median <= guess.high, (tried.card.id, answer.median)


if __name__ == "__main__":
    GOLDEN.write_text(told(theories(seeds=SEEDS)), encoding="utf-8")
