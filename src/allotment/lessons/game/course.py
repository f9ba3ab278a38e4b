"""One half of the commons game as a run of the scheduler, round by round, with what the teams choose.

In a round a team's jobs are submitted as they are asked for, marked and sized as it has chosen. A team that keeps a node
asks for it as the round begins, HIGH and "do not stop", and has its debug sessions there while the node is at hand and
has room; where it is not, they queue like any other. It keeps the node for as long as it chooses so, and gives it back,
running or not, as soon as it does not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from allotment.kernel.engine import Engine
from allotment.kernel.log import Log
from allotment.lessons.game.choice import CAREFUL, Choice, High
from allotment.lessons.game.setting import NODE, ROUND, WARMUP, Drawn, Setting
from allotment.model.codes import Priority

Array = npt.NDArray[Any]
MARKED = {High.NONE: 0.0, High.HALF: 0.5, High.ALL: 1.0}  # part of the trainings


@attrs.frozen
class Inside:
    """A debug session on the node which its team keeps: the rows of the job and of the node's session, and when it was."""

    job: int
    session: int
    start: int
    end: int


class Course:
    """A half under way, at the end of the last round played; :meth:`copy` gives one that can go on differently."""

    def __init__(self, setting: Setting, drawn: Drawn, policy: str) -> None:
        self.setting = setting
        self.drawn = drawn
        self.played = 0
        self.inside: list[Inside] = []
        self.row = np.full(drawn.count, -1)  # as which row each job was submitted; -1: it was not
        self.high = np.zeros(drawn.count, np.bool_)
        self._engine = Engine(setting.scenario(policy), drawn.table)
        self._session: dict[int, int] = {}
        self._asked = 0
        self._until(WARMUP, [CAREFUL] * setting.seats)

    @property
    def now(self) -> int:
        """Seconds from the start, at the end of the last round."""
        return WARMUP + self.played * ROUND

    def copy(self) -> Course:
        """Return another course at the same moment."""
        other: Course = object.__new__(Course)
        vars(other).update(vars(self))
        own = {"inside": list(self.inside), "row": self.row.copy(), "high": self.high.copy()}
        vars(other).update(own, _engine=self._engine.copy(), _session=dict(self._session))
        return other

    def play(self, choices: Sequence[Choice]) -> Log:
        """Play one round with the choice of each seat, and return what has happened since the start."""
        for seat, choice in enumerate(choices):
            self._keep(seat, keep=choice.keep)
        self._until(self.now + ROUND, choices)
        self.played += 1
        return self._engine.so_far()

    def _keep(self, seat: int, *, keep: bool) -> None:
        if keep and seat not in self._session:
            self._session[seat] = self.drawn.session(seat, self.played, self.setting.rounds)
            self._engine.submit(self._session[seat])
        elif not keep and seat in self._session:
            self._engine.cancel(self._session.pop(seat))

    def _until(self, end: int, choices: Sequence[Choice]) -> None:
        drawn = self.drawn
        while self._asked < drawn.count and drawn.asked[job := int(drawn.order[self._asked])] < end:
            self._asked += 1
            self._engine.advance(int(drawn.asked[job]))
            choice = choices[drawn.seat[job]]
            if not (drawn.debug[job] and self._at_hand(job)):
                self._submit(job, choice)
        self._engine.advance(end)

    def _submit(self, job: int, choice: Choice) -> None:
        debug = bool(self.drawn.debug[job])
        most = choice.most and not debug
        row = job + self.drawn.count * most
        self.row[job] = row
        self.high[job] = debug or self.drawn.u[job] < MARKED[choice.high]
        level = Priority.HIGH if self.high[job] else Priority.NORMAL
        self._engine.mark(np.array([row]), np.int8(level), not most)
        self._engine.submit(row)

    def _at_hand(self, job: int) -> bool:
        """Have a debug session on the node that its team keeps, if it is there now and has room."""
        session = self._session.get(int(self.drawn.seat[job]))
        if session is None or self._engine.works_until(session) < 0:
            return False
        now, table = self._engine.now, self.drawn.table
        there = [each.job for each in self.inside if each.session == session and each.end > now]
        if table.gpus[there].sum() + table.gpus[job] > NODE:
            return False
        self.inside.append(Inside(job, session, now, now + int(table.work[job])))
        return True
