"""Who plays where nobody sits: three habits as data, each a function of what could be seen in the room so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import attrs

from allotment.lessons.game.choice import CAREFUL, GRABBING, Choice, High
from allotment.lessons.game.score import Played
from allotment.lessons.game.setting import Setting
from allotment.workload.chance import generator

LADDER = (CAREFUL, Choice(high=High.HALF), Choice(high=High.ALL), Choice(high=High.ALL, keep=True), GRABBING)
"""What somebody does who waits too long, step by step."""


@attrs.frozen(kw_only=True)
class Habit:
    """How a bot decides. It begins with care."""

    title: str
    """What it does, in a few words."""
    content: float = 0.0
    """It goes one step up the ladder when a smaller part of its debug sessions than this was in time."""
    envy: float | None = None
    """It does what the team with the most points did, if that had so many more than itself, as a part; None never does."""


HABITS: Mapping[str, Habit] = MappingProxyType(
    {
        "careful": Habit(title="takes what it needs, whatever the others do"),
        "restless": Habit(
            title="goes one step further whenever three in ten of its debug sessions are late", content=0.7
        ),
        "copycat": Habit(title="does what the best team did, if that had a tenth more points", envy=0.1),
    }
)
"""The habits by name."""


def habits(setting: Setting) -> tuple[str, ...]:
    """Return the habit of each seat's bot: as many of each as can be, which where is drawn from the seed.

    >>> sorted(habits(Setting(seats=4)))
    ['careful', 'careful', 'copycat', 'restless']
    """
    every = [list(HABITS)[seat % len(HABITS)] for seat in range(setting.seats)]
    order = generator(setting.seed, "game", "bots").permutation(setting.seats)
    return tuple(every[place] for place in order)


def decide(habit: Habit, seat: int, played: Sequence[Played]) -> Choice:
    """Return what a bot with this habit does next on a seat, after the rounds of this half that are over."""
    if not played:
        return CAREFUL
    last = played[-1]
    mine, before = last.scores[seat], last.choices[seat]
    if habit.envy is not None:
        best = max(range(len(last.scores)), key=lambda other: (last.scores[other].points, -other))
        if last.scores[best].points > (1 + habit.envy) * mine.points:
            return last.choices[best]
    if mine.waits and mine.in_time < habit.content * len(mine.waits):
        return step_up(before)
    return before


def step_up(choice: Choice) -> Choice:
    """Return the next step of the ladder from a choice, which never gives up what it takes already.

    >>> step_up(Choice(keep=True)) == Choice(high=High.HALF, keep=True)
    True
    """
    for step in LADDER:
        more = Choice(high=max(choice.high, step.high), keep=choice.keep or step.keep, most=choice.most or step.most)
        if more != choice:
            return more
    return choice
