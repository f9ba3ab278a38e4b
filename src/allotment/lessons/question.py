"""A question with a few answers, of which one is right, and for each of them why."""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from allotment.errors import ValueProblems
from allotment.lessons.card import SENTENCE
from allotment.model.checks import NOT_EMPTY, one_line
from allotment.model.typed import typed

FEWEST, MOST = 2, 6  # answers


@attrs.frozen(kw_only=True, field_transformer=typed)
class Answer:
    """One of the answers that can be chosen."""

    text: str = attrs.field(validator=one_line(300))
    """What is answered."""
    because: str = attrs.field(validator=SENTENCE)
    """What is said to whoever chose it: why it is right, or what it overlooks."""
    right: bool = False
    """Whether it is the right one."""


def _answers(answers: Iterable[Answer]) -> tuple[Answer, ...]:
    return tuple(answers)


@attrs.frozen(kw_only=True, field_transformer=typed)
class Question:
    """A question of a quiz."""

    ask: str = attrs.field(validator=SENTENCE)
    """What is asked."""
    answers: tuple[Answer, ...] = attrs.field(converter=_answers, metadata=NOT_EMPTY)
    """Two to six, of which one is right, in the order in which they are shown."""

    def __attrs_post_init__(self) -> None:
        texts = [answer.text for answer in self.answers]
        right = sum(answer.right for answer in self.answers)
        problems = []
        if not FEWEST <= len(texts) <= MOST:
            problems.append(f"answers must be {FEWEST} to {MOST}, not {len(texts)}")
        if right != 1:
            problems.append(f"one answer must be right, not {right}")
        if len(set(texts)) != len(texts):
            problems.append("answers must differ")
        if problems:
            raise ValueProblems(problems)
