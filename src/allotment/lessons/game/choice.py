"""What a team decides for a round: what it marks, keeps, and asks for. None of it is against the rules."""

from __future__ import annotations

import itertools
from enum import IntEnum
from typing import Any

import attrs


class High(IntEnum):
    """How many of its trainings a team marks HIGH."""

    NONE = 0
    HALF = 1
    ALL = 2


@attrs.frozen(kw_only=True, order=True)
class Choice:
    """A team's choice for one round; by default the careful one. Raises ValueError for what cannot be chosen."""

    high: High = attrs.field(default=High.NONE, converter=High)
    """How many of its trainings it marks HIGH. Its debug sessions always are: somebody sits before them."""
    keep: bool = attrs.field(default=False, validator=attrs.validators.instance_of(bool))
    """Whether it keeps a node of 8 GPUs between its debug sessions, day and night."""
    most: bool = attrs.field(default=False, validator=attrs.validators.instance_of(bool))
    """Whether it asks the most for its trainings and not what they need: "do not stop", a time limit of a week, and
    under budgets the longest contract."""

    @property
    def careful(self) -> bool:
        """Whether it takes no more than it needs."""
        return self == CAREFUL


CAREFUL = Choice()
GRABBING = Choice(high=High.ALL, keep=True, most=True)
CHOICES: tuple[Choice, ...] = tuple(
    Choice(high=high, keep=keep, most=most)
    for high, keep, most in itertools.product(High, (False, True), (False, True))
)
"""All that can be chosen, the careful one first."""


def choice_of(answers: Any) -> Choice:
    """Return the choice that plain values say, as they come from a page.

    >>> choice_of({"high": 2, "keep": True, "most": False}) == Choice(high=High.ALL, keep=True)
    True

    Raises ValueError that says what can be chosen.
    """
    try:
        return Choice(**answers)
    except (TypeError, ValueError):
        raise ValueError(
            "a choice is high (0, 1 or 2: none, half or all trainings marked HIGH), keep and most (yes or no), "
            f"not {str(answers)[:80]!r}"
        ) from None
