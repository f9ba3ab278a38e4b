"""What the scheduler itself has to do later: a heap of (time, kind, row), in one total order."""

from __future__ import annotations

from typing import Any

from allotment.kernel.jit import rule
from allotment.kernel.layout import State

FINISH = 0
CONTRACT_END = 1
NEW_TARGET = 2  # a closed stream's target changes; row is the stream
WARM = 3  # a job was displaced long enough ago to be as good as a fresh one; row is the job


@rule
def _before(timers: Any, a: int, b: int) -> bool:
    x, y = timers[a], timers[b]
    if x.time != y.time:
        return x.time < y.time
    if x.kind != y.kind:
        return x.kind < y.kind
    return x.row < y.row


@rule
def _swap(timers: Any, a: int, b: int) -> None:
    time, kind, row = timers[a].time, timers[a].kind, timers[a].row
    timers[a].time = timers[b].time
    timers[a].kind = timers[b].kind
    timers[a].row = timers[b].row
    timers[b].time = time
    timers[b].kind = kind
    timers[b].row = row


@rule
def push(s: State, time: int, kind: int, row: int) -> None:
    """Set a timer."""
    timers = s.timers
    at = s.clock[0].timers
    s.clock[0].timers = at + 1
    timers[at].time = time
    timers[at].kind = kind
    timers[at].row = row
    while at > 0 and _before(timers, at, (at - 1) // 2):
        _swap(timers, at, (at - 1) // 2)
        at = (at - 1) // 2


@rule
def pop(s: State) -> None:
    """Take the earliest timer (row 0) off the heap."""
    timers = s.timers
    count = s.clock[0].timers - 1
    s.clock[0].timers = count
    _swap(timers, 0, count)
    at = 0
    while True:
        least = at
        for child in (2 * at + 1, 2 * at + 2):
            if child < count and _before(timers, child, least):
                least = child
        if least == at:
            return
        _swap(timers, at, least)
        at = least
