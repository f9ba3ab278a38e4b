"""Polls of a room that need no server: each guess becomes a short code, which somebody reads out or writes on a note.

A code is one character for the answer and three that check it. They are worked out from the question, too, so that the code
of another question, or one with a slip of the pen, is told as such and not counted.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator

import attrs

from allotment.errors import AllotmentError
from allotment.lessons.card import Guess

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"  # without I, L, O and U, which are read as something else
LOOKS_LIKE = str.maketrans({"I": "1", "L": "1", "O": "0"})
CHECKS = 3  # characters
STEPS = 20  # parts of a slider that a code tells apart
MOST = 10_000  # characters that are read at a time: some 2,000 guesses


@attrs.frozen(kw_only=True)
class Refused:
    """What was given in and not counted, and why."""

    text: str
    reason: str


@attrs.frozen(kw_only=True)
class Votes:
    """What a room guessed: the answer of each code, in the order given in, and what was not counted."""

    answers: tuple[int, ...]
    refused: tuple[Refused, ...]

    def counts(self, of: int) -> tuple[int, ...]:
        """Return how often each of the answers 0, 1, ... `of` - 1 was given."""
        return tuple(self.answers.count(answer) for answer in range(of))


def code(question: str, answer: int) -> str:
    """Return the code of an answer to a question, an answer being a number from 0 to 31. Raises AllotmentError.

    >>> code("F04", 7)
    '70KC'
    """
    if not 0 <= answer < len(ALPHABET):
        raise AllotmentError(f"an answer must be from 0 to {len(ALPHABET) - 1} to become a code, not {answer!r}")
    return ALPHABET[answer] + _check(question, answer)


def _check(question: str, answer: int) -> str:
    digest = hashlib.sha256(f"{question}\n{answer}".encode()).digest()
    number = int.from_bytes(digest[:8], "big")
    letters = []
    for _ in range(CHECKS):
        number, at = divmod(number, len(ALPHABET))
        letters.append(ALPHABET[at])
    return "".join(letters)


def count(question: str, text: str) -> Votes:
    """Return the votes in a text of codes, parted by anything that is neither letter nor digit, in capitals or not.

    Two people who guess the same have the same code, so that a code counts as often as it is there. Raises AllotmentError
    for a text of more than 10,000 characters.

    >>> count("F04", "70kc, 7OKC 70KD")
    Votes(answers=(7, 7), refused=(Refused(text='70KD', reason='is a slip, or the code of another question'),))
    """
    if len(text) > MOST:
        raise AllotmentError(f"at most {MOST:,} characters of codes are read at a time, not {len(text):,}")
    read = list(_read(question, text))
    return Votes(
        answers=tuple(each for each in read if isinstance(each, int)),
        refused=tuple(each for each in read if isinstance(each, Refused)),
    )


def _read(question: str, text: str) -> Iterator[int | Refused]:
    for given in re.findall(r"\w+", text):
        letters = given.upper().translate(LOOKS_LIKE)
        if len(letters) != 1 + CHECKS:
            yield Refused(text=given, reason=f"has {len(letters)} characters; a code has {1 + CHECKS}")
        elif letters[0] not in ALPHABET or letters[1:] != _check(question, ALPHABET.index(letters[0])):
            yield Refused(text=given, reason="is a slip, or the code of another question")
        else:
            yield ALPHABET.index(letters[0])


def step(guess: Guess, value: float) -> int:
    """Return which of the 21 places of a slider from its low to its high end is nearest to a value, as what a code holds."""
    at = (value - guess.low) / (guess.high - guess.low)
    return round(STEPS * min(max(at, 0.0), 1.0))


def value(guess: Guess, answer: int) -> float:
    """Return what stands at one of the 21 places of a slider, in the unit of the guess."""
    return guess.low + (guess.high - guess.low) * answer / STEPS
