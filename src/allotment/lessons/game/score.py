"""What a round came to, team by team: how its people waited, what work was done and what was held idle.

A figure is of the round alone and stands once the round is over. Work that was done in an earlier round and is lost in
this one is taken from this one, so that the rounds of a team add up to the work that it has kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from allotment.kernel.log import Log
from allotment.lessons.game.choice import Choice
from allotment.lessons.game.course import Course, Inside
from allotment.lessons.game.setting import ROUND, Drawn, Setting
from allotment.model.codes import EndCode
from allotment.units import HOUR, MINUTE

Array = npt.NDArray[Any]
IN_TIME = 15 * MINUTE  # somebody who asks for GPUs to try something will wait so long
WORTH = 10  # GPU-hours of work that count as much as one debug session in time


@attrs.frozen(kw_only=True)
class Score:
    """What one team had of a round, or of several."""

    waits: tuple[int, ...]
    """How long each debug session waited (s), in the order in which they were asked for; one that has not started by the
    end of the round counts until then."""
    work: int
    """GPU-seconds of work that were done and kept, of trainings and debug sessions."""
    idle: int
    """GPU-seconds in which a kept node had nothing to do."""
    lost: int
    """GPU-seconds of work that were lost, as a job was stopped."""
    stopped: int
    """How often one of its jobs was stopped for another."""
    jobs: int
    """Jobs that it submitted, those on a node that it keeps among them."""
    high: int
    """Those of them that it marked HIGH."""

    @property
    def in_time(self) -> int:
        """Debug sessions that started within 15 minutes."""
        return sum(wait <= IN_TIME for wait in self.waits)

    @property
    def points(self) -> float:
        """A point for each debug session in time, and one for each 10 GPU-hours of work."""
        return self.in_time + self.work / (WORTH * HOUR)

    def wait(self, part: float) -> int | None:
        """Return how long (s) that part of its debug sessions waited at most; None where there were none."""
        return sorted(self.waits)[max(0, ceil(part * len(self.waits)) - 1)] if self.waits else None


def total(scores: Sequence[Score]) -> Score:
    """Return what several teams, or several rounds, come to."""
    return Score(
        waits=tuple(wait for score in scores for wait in score.waits),
        **{
            name: sum(getattr(score, name) for score in scores)
            for name in ("work", "idle", "lost", "stopped", "jobs", "high")
        },
    )


@attrs.frozen(kw_only=True)
class Played:
    """A round that is over: what each seat chose and had; GPU-seconds that were held, and that there were."""

    choices: tuple[Choice, ...]
    scores: tuple[Score, ...]
    held: int
    capacity: int

    @property
    def occupancy(self) -> float:
        """The part of the GPU time that was held by anybody, for work or for nothing."""
        return self.held / self.capacity


def play_round(course: Course, choices: Sequence[Choice]) -> Played:
    """Play the next round of a half, and return what it came to."""
    log = course.play(choices)
    books = _books(course, log, course.now - ROUND, course.now)
    held = _gpu_seconds(log.slices, course.now - ROUND, course.now)
    return Played(
        choices=tuple(choices),
        scores=tuple(_score(course, log, books, seat) for seat in range(course.setting.seats)),
        held=int(held.sum()),
        capacity=course.setting.gpus * ROUND,
    )


def play_half(setting: Setting, drawn: Drawn, policy: str, choices: Sequence[Sequence[Choice]]) -> tuple[Played, ...]:
    """Return what the rounds of a half come to; `choices` has one for each round and seat."""
    course = Course(setting, drawn, policy)
    return tuple(play_round(course, of_round) for of_round in choices)


@attrs.frozen(kw_only=True, eq=False)
class _Books:
    """The figures of a round seat by seat (GPU-seconds, but for the counts in `stopped`)."""

    work: Array
    idle: Array
    lost: Array
    stopped: Array
    since: int


def _books(course: Course, log: Log, begin: int, end: int) -> _Books:
    of, drawn, seats = log.slices, course.drawn, course.setting.seats
    seat, own = drawn.seat_of_rows(), of["job"] < 2 * drawn.count
    take = of["take"].astype(np.int64)
    at = np.minimum(of["start"] + of["overhead"], of["end"])
    kept = np.minimum(at + of["kept"], of["end"])
    ended = (of["end_code"] == EndCode.PREEMPTED) & (of["end"] >= begin) & (of["end"] < end)
    earlier = np.where(ended, np.maximum(np.minimum(of["end"], begin) - np.minimum(kept, begin), 0), 0)
    earlier -= np.where(ended, np.maximum(np.minimum(at, begin) - np.minimum(kept, begin), 0), 0)
    work = take * (_within(at, kept, begin, end) - earlier)

    def by_seat(values: Array, rows: Array) -> Array:
        found = np.zeros(seats, np.int64)
        np.add.at(found, seat[of["job"][rows]], values[rows])
        return found

    idle = by_seat(_gpu_seconds(of, begin, end), ~own)
    books = _Books(
        work=by_seat(work, own),
        idle=idle,
        lost=by_seat(np.where(ended, of["lost"], 0), own),
        stopped=by_seat(ended.astype(np.int64), own),
        since=begin,
    )
    for each in course.inside:
        if begin <= each.start < end:
            _note_inside(books, each, of, drawn)
    return books


def _note_inside(books: _Books, each: Inside, slices: Array, drawn: Drawn) -> None:
    """Count a debug session on a kept node: as work if the node was there to its end, as lost if it was taken away."""
    seat, gpus = drawn.seat[each.job], int(drawn.table.gpus[each.job])
    of_node = slices[(slices["job"] == each.session) & (slices["start"] <= each.start) & (slices["end"] >= each.start)]
    until = min(each.end, int(of_node["end"].max()))
    books.idle[seat] -= gpus * (until - each.start)
    if until == each.end:
        books.work[seat] += gpus * (until - each.start)
    else:
        books.lost[seat] += gpus * (until - each.start)
        books.stopped[seat] += 1


def _score(course: Course, log: Log, books: _Books, seat: int) -> Score:
    drawn = course.drawn
    mine = drawn.order[(drawn.seat == seat)[drawn.order]]
    mine = mine[(drawn.asked[mine] >= books.since) & (drawn.asked[mine] < course.now)]
    start = np.where(course.row[mine] < 0, drawn.asked[mine], log.jobs["first_start"][course.row[mine]])
    waits = np.where(start < 0, course.now, start) - drawn.asked[mine]
    return Score(
        waits=tuple(waits[drawn.debug[mine]].tolist()),
        work=int(books.work[seat]),
        idle=int(books.idle[seat]),
        lost=int(books.lost[seat]),
        stopped=int(books.stopped[seat]),
        jobs=len(mine),
        high=int((course.high | drawn.debug)[mine].sum()),
    )


def _gpu_seconds(slices: Array, begin: int, end: int) -> Array:
    """Return how many GPU-seconds of each slice lie between two moments."""
    held: Array = slices["take"].astype(np.int64) * _within(slices["start"], slices["end"], begin, end)
    return held


def _within(start: Array, stop: Array, begin: int, end: int) -> Array:
    """Return how long each stretch from start to stop lies between two moments."""
    lengths: Array = np.maximum(np.minimum(stop, end) - np.maximum(start, begin), 0)
    return lengths
