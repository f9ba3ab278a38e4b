"""What a game came to: the rounds as played, what each team did to the others, and what the other regime makes of it.

All of it is computed from the choices and the seed, by runs of the scheduler: a what-if is the same run with some
choices replaced.
"""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from allotment.lessons.game.choice import CAREFUL, Choice
from allotment.lessons.game.course import Course
from allotment.lessons.game.room import Rounds
from allotment.lessons.game.score import Played, Score, play_half, play_round, total
from allotment.lessons.game.setting import POLICIES, Drawn, Setting, draw

PLAYED = ("priorities, as you played", "budgets, as you played")
"""What the rounds are called that were played, half by half."""
CHANCE = 12.0
"""Points a round up to which what a team did to the others may be chance: any change lets a run go on differently.

Under budgets, where what a team marks, keeps and asks does nothing to the others on average, nine in ten effects are
smaller (tests/lessons/game/test_taught.py)."""


@attrs.frozen(kw_only=True)
class Effect:
    """What a team's choice did, set against its having been careful while all others chose the same."""

    gained: float
    """Points that it had more."""
    late: int
    """Debug sessions of the others that were not in time for it; negative where more were."""
    work: int
    """GPU-seconds of work that the others did less."""

    @property
    def points(self) -> float:
        """What both are worth in points of the others."""
        return self.late + Score(waits=(), work=self.work, idle=0, lost=0, stopped=0, jobs=0, high=0).points


NO_EFFECT = Effect(gained=0.0, late=0, work=0)


def effect(seat: int, as_played: Sequence[Score], if_careful: Sequence[Score]) -> Effect:
    """Return what a seat's choice did, from the scores of all seats with it and without."""
    (mine, others), (mine_then, others_then) = (
        (scores[seat], total([score for other, score in enumerate(scores) if other != seat]))
        for scores in (as_played, if_careful)
    )
    return Effect(
        gained=mine.points - mine_then.points,
        late=others_then.in_time - others.in_time,
        work=others_then.work - others.work,
    )


class Half:
    """A half as far as it is played. It holds the run itself, so that a round costs no more than its own time."""

    def __init__(self, setting: Setting, drawn: Drawn, policy: str) -> None:
        self._course = Course(setting, drawn, policy)
        self.played: tuple[Played, ...] = ()
        self.effects: tuple[tuple[Effect, ...], ...] = ()

    def play(self, choices: Sequence[Choice]) -> None:
        """Play a round, and once more for each seat that was not careful, as if it had been in this round alone."""
        before = self._course.copy()
        played = play_round(self._course, choices)
        effects = []
        for seat, choice in enumerate(choices):
            if choice.careful:
                effects.append(NO_EFFECT)
            else:
                other = play_round(before.copy(), _with(choices, seat, CAREFUL))
                effects.append(effect(seat, played.scores, other.scores))
        self.played = (*self.played, played)
        self.effects = (*self.effects, tuple(effects))


@attrs.frozen(kw_only=True)
class Comparison:
    """Both halves side by side, on the same jobs."""

    rows: tuple[tuple[str, tuple[Played, ...]], ...]
    """What was played, and the what-ifs, by what they are called."""
    effects: tuple[tuple[Effect, ...], ...]
    """What each seat did to the others over a whole half, for each half."""


def compare(setting: Setting, history: Sequence[Rounds]) -> Comparison:
    """Return the comparison of what was played so far: after the first half, or at the end of the game."""
    drawn = draw(setting)
    careful = ((CAREFUL,) * setting.seats,) * setting.rounds
    old, new = POLICIES
    asked = [(PLAYED[0], old, history[0]), ("priorities, had all been careful", old, careful)]
    if history[1]:
        asked += [
            (PLAYED[1], new, history[1]),
            ("budgets, with the choices made under priorities", new, history[0]),
            ("budgets, had all been careful", new, careful),
        ]
    rows = {name: play_half(setting, drawn, policy, rounds) for name, policy, rounds in asked}
    effects = [
        tuple(_over_half(setting, drawn, half, history[half], rows[name], seat) for seat in range(setting.seats))
        for half, name in enumerate(PLAYED)
        if name in rows
    ]
    return Comparison(rows=tuple(rows.items()), effects=tuple(effects))


def _over_half(
    setting: Setting, drawn: Drawn, half: int, rounds: Rounds, played: Sequence[Played], seat: int
) -> Effect:
    if all(choices[seat].careful for choices in rounds):
        return NO_EFFECT
    careful = [_with(choices, seat, CAREFUL) for choices in rounds]
    return effect(seat, by_seat(played), by_seat(play_half(setting, drawn, POLICIES[half], careful)))


def by_seat(played: Sequence[Played]) -> tuple[Score, ...]:
    """Return what each seat had of some rounds together."""
    return tuple(total(scores) for scores in zip(*(each.scores for each in played), strict=True))


def _with(choices: Sequence[Choice], seat: int, choice: Choice) -> tuple[Choice, ...]:
    return (*choices[:seat], choice, *choices[seat + 1 :])
