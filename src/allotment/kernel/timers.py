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
def _set(timers: Any, at: int, time: int, kind: int, row: int) -> None:
    t = timers[at]
    t.time = time
    t.kind = kind
    t.row = row


@rule
def push(s: State, time: int, kind: int, row: int) -> None:
    """Set a timer."""
    timers = s.timers
    new = s.clock[0].timers
    s.clock[0].timers = new + 1
    _set(timers, new, time, kind, row)
    at = new
    while at > 0:
        above = (at - 1) >> 1
        t = timers[above]
        if not (time < t.time or (time == t.time and (kind < t.kind or (kind == t.kind and row < t.row)))):
            break
        _set(timers, at, t.time, t.kind, t.row)
        at = above
    _set(timers, at, time, kind, row)


@rule
def pop(s: State) -> None:
    """Take the earliest timer (row 0) off the heap."""
    timers = s.timers
    last = s.clock[0].timers - 1
    s.clock[0].timers = last
    at = 0
    while True:  # the last one sinks from the top, past those that come before it
        child = 2 * at + 1
        if child >= last:
            break
        if child + 1 < last and _before(timers, child + 1, child):
            child += 1
        if not _before(timers, child, last):
            break
        _set(timers, at, timers[child].time, timers[child].kind, timers[child].row)
        at = child
    _set(timers, at, timers[last].time, timers[last].kind, timers[last].row)
