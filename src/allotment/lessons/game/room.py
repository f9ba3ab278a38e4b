"""The rules of the commons game: who sits where, what they choose, when a round is over. No page, no clock, no chance.

A room is a value; each function returns the next one, or raises AllotmentError with what somebody may read. What the
rounds come to is computed from it elsewhere (:mod:`allotment.lessons.game.outcome`) and decides nothing here but what
bots do.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import Any

import attrs

from allotment.errors import AllotmentError
from allotment.lessons.game.bots import HABITS, decide, habits
from allotment.lessons.game.choice import CAREFUL, Choice
from allotment.lessons.game.score import Played
from allotment.lessons.game.setting import POLICIES, Setting
from allotment.model.checks import one_line

LONGEST_NAME = 24
HALVES = len(POLICIES)
Rounds = tuple[tuple[Choice, ...], ...]  # the choices of a half, by round and seat
_NAME = one_line(LONGEST_NAME)


class Phase(Enum):
    """Where a game stands."""

    LOBBY = "lobby"  # people take their seats
    ROUND = "round"  # a round is open: teams choose
    BREAK = "break"  # the first half is over
    OVER = "over"


@attrs.frozen(kw_only=True)
class Seat:
    """A seat at the table: a team."""

    habit: str = attrs.field(validator=attrs.validators.in_(HABITS))
    """How its bot plays, where nobody is here."""
    key: str = ""
    """By which whoever sits here is known; empty is nobody: a bot's seat."""
    name: str = ""
    """What they call themselves: text, never markup."""
    here: bool = False
    """Whether they are here; while they are not, the bot plays on for them."""


@attrs.frozen(kw_only=True)
class Room:
    """A game at one moment."""

    setting: Setting
    seats: tuple[Seat, ...]
    half: int = -1
    """Which half is played, from 0; -1 before the first."""
    picks: tuple[Choice | None, ...]
    """What each seat has chosen for the round that is open."""
    history: tuple[Rounds, ...] = ((),) * HALVES
    """What each seat chose in the rounds that are over, for each half."""

    @property
    def phase(self) -> Phase:
        """Where the game stands."""
        if self.half < 0:
            return Phase.LOBBY
        if len(self.history[self.half]) < self.setting.rounds:
            return Phase.ROUND
        return Phase.BREAK if self.half + 1 < HALVES else Phase.OVER

    @property
    def round(self) -> int:
        """The number of the round that is open, or was the last, from 1; 0 before the first."""
        return 0 if self.half < 0 else min(len(self.history[self.half]) + 1, self.setting.rounds)

    @property
    def people(self) -> tuple[int, ...]:
        """The seats that somebody has taken and is at."""
        return tuple(number for number, seat in enumerate(self.seats) if seat.here)

    @property
    def waiting_for(self) -> tuple[int, ...]:
        """The seats of those who are here and have not chosen yet."""
        if self.phase is not Phase.ROUND:
            return ()
        return tuple(seat for seat in self.people if self.picks[seat] is None)

    def seat_of(self, key: str) -> int | None:
        """Return the seat of whoever is known by a key; None where there is none."""
        found = [number for number, seat in enumerate(self.seats) if key and seat.key == key]
        return found[0] if found else None

    def last(self, seat: int) -> Choice:
        """Return what a seat chose in the last round of this half; the careful choice before there was one."""
        rounds = self.history[max(self.half, 0)]
        return rounds[-1][seat] if rounds else CAREFUL


def open_room(setting: Setting) -> Room:
    """Return a room in which nobody sits yet."""
    seats = tuple(Seat(habit=habit) for habit in habits(setting))
    return Room(setting=setting, seats=seats, picks=(None,) * setting.seats)


def team_name(room: Room, seat: int) -> str:
    """Return what a team is called: its number, and the name of whoever sits there.

    >>> team_name(join(open_room(Setting(seats=2)), name="Ana", key="k"), 0)
    'Team 1, Ana'
    """
    name = room.seats[seat].name
    return f"Team {seat + 1}, {name}" if name else f"Team {seat + 1}, bot"


def join(room: Room, *, name: str, key: str) -> Room:
    """Return the room with somebody on the first seat that is a bot's, at any moment of the game."""
    name = " ".join(name.split())
    try:
        _NAME(None, attrs.fields_dict(Seat)["name"], name)
    except ValueError as error:
        raise AllotmentError(f"{error}; choose a short name" if name else "type a name first") from None
    if not key or room.seat_of(key) is not None:
        raise AllotmentError("you sit at this table already")
    if any(seat.name == name for seat in room.seats):
        raise AllotmentError(f"there is a {name!r} already; choose another name")
    free = [number for number, seat in enumerate(room.seats) if not seat.key]
    if not free:
        raise AllotmentError(f"all {len(room.seats)} seats are taken; watch, or ask the facilitator to free a seat")
    return _with_seat(room, free[0], key=key, name=name, here=True)


def leave(room: Room, seat: int) -> Room:
    """Return the room with nobody at a seat for now; it stays theirs, and their choice for the round stands."""
    return _with_seat(room, _taken(room, seat), here=False)


def come_back(room: Room, seat: int) -> Room:
    """Return the room with those back whose seat it is."""
    return _with_seat(room, _taken(room, seat), here=True)


def free(room: Room, seat: int) -> Room:
    """Return the room with a seat given back to its bot, for somebody else; only where those who had it are not here."""
    if room.seats[_taken(room, seat)].here:
        raise AllotmentError(f"{team_name(room, seat)} is here; only the seat of somebody who has left can be freed")
    return _with_seat(room, seat, key="", name="", here=False)


def begin_half(room: Room) -> Room:
    """Return the room with the next half begun: its first round is open."""
    if room.phase is Phase.ROUND:
        raise AllotmentError("a half is being played; close its rounds first")
    if room.phase is Phase.OVER:
        raise AllotmentError("the game is over; start the command again for another one")
    return attrs.evolve(room, half=room.half + 1, picks=(None,) * len(room.seats))


def choose(room: Room, seat: int, choice: Choice) -> Room:
    """Return the room with the choice of a seat for the round that is open; it can be changed until that is closed."""
    if room.phase is not Phase.ROUND:
        raise AllotmentError("no round is open; wait until the facilitator begins one")
    picks = list(room.picks)
    picks[_taken(room, seat)] = choice
    return attrs.evolve(room, picks=tuple(picks))


def closing(room: Room, played: Sequence[Played]) -> tuple[Choice, ...]:
    """Return what each seat plays if the round is closed now; `played` are the rounds of this half that are over.

    Who is here and has not chosen plays as in the last round; for who is not here, and where nobody sits, the bot does.
    """
    if room.phase is not Phase.ROUND:
        raise AllotmentError("no round is open, so none can be closed")
    if len(played) != len(room.history[room.half]):
        raise AllotmentError("the last round is still being computed; close this one when it is there")
    return tuple(_plays(room, number, played) for number in range(len(room.seats)))


def close_round(room: Room, choices: tuple[Choice, ...]) -> Room:
    """Return the room with the round closed, in which each seat has played one of the choices."""
    if room.phase is not Phase.ROUND or len(choices) != len(room.seats):
        raise AllotmentError("a round is closed while it is open, with a choice for each seat")
    history = list(room.history)
    history[room.half] = (*history[room.half], choices)
    return attrs.evolve(room, history=tuple(history), picks=(None,) * len(room.seats))


def _plays(room: Room, number: int, played: Sequence[Played]) -> Choice:
    pick, seat = room.picks[number], room.seats[number]
    if pick is not None:
        return pick
    return room.last(number) if seat.here else decide(HABITS[seat.habit], number, played)


def _taken(room: Room, seat: int) -> int:
    if not (0 <= seat < len(room.seats) and room.seats[seat].key):
        raise AllotmentError(f"nobody sits at seat {seat + 1}")
    return seat


def _with_seat(room: Room, number: int, **changes: Any) -> Room:
    seats = list(room.seats)
    seats[number] = attrs.evolve(seats[number], **changes)
    return attrs.evolve(room, seats=tuple(seats))
