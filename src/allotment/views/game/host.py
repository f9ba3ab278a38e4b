"""The one room that all pages of a server share: who is there, what came of their choices, and who is told of it.

Rounds are played in a thread of their own, so that pages answer meanwhile. Whatever changes, each page is told once and
looks by itself.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from allotment.errors import AllotmentError
from allotment.lessons.game import room as rules
from allotment.lessons.game.choice import Choice, choice_of
from allotment.lessons.game.outcome import Comparison, Half, compare
from allotment.lessons.game.room import Phase, Room
from allotment.lessons.game.score import Played
from allotment.lessons.game.setting import POLICIES, Setting, draw

MOST_PAGES = 200  # pages open at once, of players and of those who watch
TIMERS = (0, 60, 90, 120, 180)  # wall-clock seconds after which a round closes by itself; 0 is never


class Host:
    """A room that is shared. Its methods may be called from any thread; a mistake is told by AllotmentError."""

    def __init__(self, setting: Setting, *, wall: Callable[[], float] = time.monotonic) -> None:
        self.room: Room = rules.open_room(setting)
        self.halves: list[Half] = []
        self.comparison: Comparison | None = None
        self.busy = ""
        self.seconds = 0
        self.closes_at: float | None = None
        self._drawn = draw(setting)
        self._wall = wall
        self._lock = threading.RLock()
        self._pages: set[Callable[[], Any]] = set()
        self._open: Counter[str] = Counter()
        self._timer: threading.Timer | None = None
        self._work = ThreadPoolExecutor(max_workers=1, thread_name_prefix="game")

    # who looks on

    def subscribe(self, page: Callable[[], Any]) -> None:
        """Call a page whenever something has changed. Raises AllotmentError where there are too many."""
        with self._lock:
            if len(self._pages) >= MOST_PAGES:
                raise AllotmentError(f"{MOST_PAGES} pages are open already; close one and load this one again")
            self._pages.add(page)

    def unsubscribe(self, page: Callable[[], Any]) -> None:
        """Call a page no longer."""
        with self._lock:
            self._pages.discard(page)

    @property
    def pages(self) -> int:
        """How many pages are open."""
        return len(self._pages)

    def _tell(self) -> None:
        with self._lock:
            pages = list(self._pages)
        for page in pages:
            page()

    # what players do

    def join(self, name: str) -> str:
        """Give a bot's seat to somebody, and return the key by which they are known."""
        with self._lock:
            key = secrets.token_urlsafe(9)
            self._set(rules.join(self.room, name=name, key=key))
        return key

    def arrive(self, key: str) -> None:
        """Note that a page is open of whoever is known by a key."""
        with self._lock:
            self._open[key] += 1
            seat = self.room.seat_of(key)
            if seat is not None and not self.room.seats[seat].here:
                self._set(rules.come_back(self.room, seat))

    def depart(self, key: str) -> None:
        """Note that a page is closed; who has no other one open has left, and the bot plays on."""
        with self._lock:
            self._open[key] -= 1
            seat = self.room.seat_of(key)
            if self._open[key] <= 0:
                del self._open[key]
                if seat is not None:
                    self._set(rules.leave(self.room, seat))

    def choose(self, key: str, answers: Any) -> Choice:
        """Choose for the seat of a key what a page has sent, and return it."""
        with self._lock:
            seat = self.room.seat_of(key)
            if seat is None:
                raise AllotmentError("your seat was given to somebody else; load the page again to take another one")
            if self.busy:
                raise AllotmentError("this round is being played; choose again in a moment")
            try:
                choice = choice_of(answers)
            except ValueError as error:
                raise AllotmentError(str(error)) from None
            self._set(rules.choose(self.room, seat, choice))
        return choice

    # what the facilitator does

    def begin(self) -> None:
        """Begin the next half."""
        with self._lock:
            if self.busy:
                raise AllotmentError("the last round is still being computed; try again in a moment")
            room = rules.begin_half(self.room)
            self.halves.append(Half(room.setting, self._drawn, POLICIES[room.half]))
            self._start_timer()
            self._set(room)

    def close(self) -> None:
        """Close the round that is open: play it, in a thread of its own."""
        with self._lock:
            if self.busy:
                raise AllotmentError("this round is being played already")
            choices = rules.closing(self.room, self.played)
            self.busy = "The round is being played ..."
            self._stop_timer()
            self._work.submit(self._play, choices).add_done_callback(_raise)
        self._tell()

    def free(self, seat: int) -> None:
        """Give the seat of somebody who has left back to its bot."""
        with self._lock:
            self._set(rules.free(self.room, seat))

    def set_timer(self, seconds: int) -> None:
        """Let rounds close by themselves after so many seconds, from now on; 0 is never."""
        if seconds not in TIMERS:
            raise AllotmentError(f"a round closes by itself after one of {TIMERS} seconds, not {str(seconds)[:20]!r}")
        with self._lock:
            self.seconds = seconds
            self._stop_timer()
            if self.room.phase is Phase.ROUND and not self.busy:
                self._start_timer()
        self._tell()

    @property
    def left(self) -> int | None:
        """Seconds until the round closes by itself; None where it does not."""
        at = self.closes_at
        return None if at is None else max(0, round(at - self._wall()))

    @property
    def played(self) -> tuple[Played, ...]:
        """The rounds of the half that is played."""
        return self.halves[-1].played if self.halves else ()

    def stop(self) -> None:
        """Let nothing go on by itself any more."""
        with self._lock:
            self._stop_timer()
        self._work.shutdown(wait=False, cancel_futures=True)

    # what goes on by itself

    def _play(self, choices: tuple[Choice, ...]) -> None:
        try:
            self.halves[-1].play(choices)
            with self._lock:
                self.room = rules.close_round(self.room, choices)
            if self.room.phase in (Phase.BREAK, Phase.OVER):
                self.busy = "The rounds are being compared: what did each team do to the others ..."
                self._tell()
                self.comparison = compare(self.room.setting, self.room.history)
        finally:
            with self._lock:
                self.busy = ""
                if self.room.phase is Phase.ROUND:
                    self._start_timer()
            self._tell()

    def _start_timer(self) -> None:
        if self.seconds:
            self.closes_at = self._wall() + self.seconds
            self._timer = threading.Timer(self.seconds, self._time_is_up)
            self._timer.daemon = True
            self._timer.start()

    def _stop_timer(self) -> None:
        self.closes_at = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _time_is_up(self) -> None:
        with suppress(AllotmentError):  # it was closed by hand in the very moment
            self.close()

    def _set(self, room: Room) -> None:
        self.room = room
        self._tell()


def _raise(done: Future[None]) -> None:
    """Let a fault of the program be heard of, which a future would keep to itself."""
    if not done.cancelled():
        done.result()
