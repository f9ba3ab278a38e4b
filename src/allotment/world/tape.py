"""What a scheduler was asked and answered up to a moment, so that the world can be brought there again without it.

Many runs that differ only from some moment on have one past. The scheduler's is copied; people and machines, which
cannot be, play their parts once more against the answers that they had.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from allotment.errors import SimulationError
from allotment.kernel.engine import Engine

Spoken = tuple[str, Any, int]  # what was asked, what was answered, and the moment after it
SILENT = frozenset({"now", "snapshot", "so_far", "close"})  # what changes nothing and is asked by nobody in the world


class Taped:
    """A scheduler that first gives the answers on a tape, and from its end on those of an engine at that moment.

    What is asked of the engine is put on the tape as well, in `tape`, where `records` is set.
    """

    def __init__(self, engine: Engine, tape: Sequence[Spoken] = (), *, records: bool = False) -> None:
        self.engine = engine
        self.tape = list(tape)
        self._records = records
        self._next, self._end = 0, len(self.tape)
        self._now = 0 if self._end else engine.now

    @property
    def now(self) -> int:
        """The moment before which everything has been handled (s from the start)."""
        return self._now if self._next < self._end else self.engine.now

    def __getattr__(self, name: str) -> Callable[..., Any]:
        """Return what answers a question of the scheduler's."""
        if self._next < self._end and name not in SILENT:
            return lambda *_given: self._said(name)
        of: Callable[..., Any] = getattr(self.engine, name)
        return self._noted(name, of) if self._records and name not in SILENT else of

    def check_over(self) -> None:
        """Raise SimulationError where the world has not asked for every answer on the tape."""
        if self._next < self._end:
            raise SimulationError(f"played once more, the world left {self._end - self._next} answers unasked")

    def _said(self, name: str) -> Any:
        asked, answer, self._now = self.tape[self._next]
        self._next += 1
        if asked != name:
            raise SimulationError(f"played once more, the world asked the scheduler to {name}, not to {asked}")
        return answer

    def _noted(self, name: str, of: Callable[..., Any]) -> Callable[..., Any]:
        def ask(*given: Any) -> Any:
            answer = of(*given)
            self.tape.append((name, _small(answer), self.engine.now))
            return answer

        return ask


def _small(answer: Any) -> Any:
    """Return an answer in less memory: moments in columns need 32 bits, as no run is longer."""
    if isinstance(answer, tuple) and answer and isinstance(answer[0], np.ndarray):
        return tuple(column.astype(np.int32) if column.dtype == np.int64 else column for column in answer)
    return answer
