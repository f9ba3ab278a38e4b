"""Time: everything that happens by itself up to a moment, in one total order.

At one second come first what the world does, then timers (finishes, ends of contracts), changes of targets, arrivals,
the next jobs of closed streams, and last, on the grid of the cycle, the pass.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from allotment.kernel.idle import accrue
from allotment.kernel.jit import entry, large_rule, received, rule
from allotment.kernel.layout import State
from allotment.kernel.queues import COOLING, FRESH, put, take_out
from allotment.kernel.round import run_pass
from allotment.kernel.slices import end_contract, stop
from allotment.kernel.timers import FINISH, NEW_TARGET, WARM, pop, push
from allotment.kernel.verbs import ADVANCE, act, submit
from allotment.model.codes import EndCode

ENDED_FINISHED = int(EndCode.FINISHED)

DRAINED = int(EndCode.DRAINED)
FOREVER = 1 << 62

REACHED = 0
NOTICED = 1
FULL = 2


@rule
def next_event(s: State) -> int:
    """Return the time of the next thing that happens by itself, or FOREVER."""
    clock = s.clock[0]
    time = FOREVER
    if clock.timers > 0:
        time = min(time, s.timers[0].time)
    if clock.arrival < len(s.arrivals):
        time = min(time, s.jobs[s.arrivals[clock.arrival]].submit)
    if clock.stirred_streams != 0:
        time = min(time, clock.now)
    if clock.dirty != 0 and clock.next_pass < 0:
        clock.next_pass = _on_grid(s)
    if clock.next_pass >= 0:
        time = min(time, clock.next_pass)
    return int(time)


@rule
def _on_grid(s: State) -> int:
    """Return the first moment on the cycle's grid from now on that has had no pass yet."""
    clock, cycle = s.clock[0], s.rules[0].cycle
    time = -(-clock.now // cycle) * cycle
    return int(time + cycle if time == clock.last_pass else time)


@rule
def happen(s: State, time: int) -> None:
    """Let everything but the pass happen that is due at `time`."""
    clock = s.clock[0]
    accrue(s, time)
    clock.now = time
    while clock.timers > 0 and s.timers[0].time <= time:
        kind, row = s.timers[0].kind, s.timers[0].row
        pop(s)
        if kind == NEW_TARGET:
            _next_target(s, row)
        elif kind == WARM:
            if s.jobs[row].place == COOLING and s.jobs[row].displaced_at + s.rules[0].cooldown <= time:
                take_out(s, row)
                put(s, row, FRESH)
        elif s.slices[row].timer == time:
            if kind == FINISH:
                stop(s, row, ENDED_FINISHED, -1)
            else:
                end_contract(s, row)
                if _on_draining(s, row):
                    stop(s, row, DRAINED, -1)
    while clock.arrival < len(s.arrivals) and s.jobs[s.arrivals[clock.arrival]].submit <= time:
        submit(s, s.arrivals[clock.arrival])
        clock.arrival += 1
    if clock.stirred_streams != 0:
        clock.stirred_streams = 0
        for stream in range(len(s.streams)):
            if s.streams[stream].dirty != 0:
                _top_up(s, stream)


@large_rule
def _next_target(s: State, stream: int) -> None:
    r, now = s.streams[stream], s.clock[0].now
    while r.target_at < r.target_end and s.targets[r.target_at].time <= now:
        r.target = s.targets[r.target_at].gpus
        r.target_at += 1
    if r.target_at < r.target_end:
        push(s, s.targets[r.target_at].time, NEW_TARGET, stream)
    r.dirty = 1
    s.clock[0].stirred_streams = 1


@large_rule
def _top_up(s: State, stream: int) -> None:
    """Submit the next jobs of a closed stream: while outstanding + half of it <= target, or if nothing is outstanding."""
    r = s.streams[stream]
    r.dirty = 0
    while r.next < r.end:
        take = s.jobs[r.next].gpus + s.jobs[r.next].beyond
        if (r.outstanding > 0 and 2 * r.outstanding + take > 2 * r.target) or r.target <= 0:
            return
        submit(s, r.next)
        r.next += 1


@large_rule
def _on_draining(s: State, row: int) -> bool:
    node = s.slices[row].node
    while node >= 0:
        if s.nodes[node].draining != 0:
            return True
        node = s.nodes[node].gang_next if s.slices[row].need > 0 else -1
    return False


@rule
def _tick(s: State) -> None:
    """Set the next pass: where something changed, or where the sliding window alone may change who is owed what."""
    clock = s.clock[0]
    sliding = s.rules[0].contracts != 0 and (
        clock.contract_waiting > 0 or clock.interruptible > 0 or clock.unallocated > 0
    )
    if s.rules[0].history_part != 0 and clock.waiting > 0:
        sliding = True
    if clock.dirty != 0 or sliding:
        clock.next_pass = clock.now + s.rules[0].cycle


@rule
def _is_full(s: State) -> bool:
    """Tell whether the next second could overflow an array that grows."""
    clock = s.clock[0]
    room = 16 * s.rules[0].per_node * s.rules[0].nodes + 8 * len(s.classes) + 1_024
    return bool(
        clock.slices + room > len(s.slices)
        or clock.segments + room > len(s.segments)
        or clock.placements + room > len(s.placements)
        or clock.decisions + room > len(s.decisions)
        or clock.points + room > len(s.points)
        or clock.timers + room > len(s.timers)
        or clock.waits + clock.asked > len(s.waits)
    )


def _build(sources: str) -> Callable[[Any, int, int, int], int]:
    def step(state: Any, verb: int, row: int, until: int) -> int:
        """Act on the world's verb at this moment, or (ADVANCE) let everything happen that is due before `until`.

        Returns REACHED, NOTICED (look, and call again) or FULL (make room, and call again).
        """
        s = received(state)
        clock = s.clock[0]
        if len(sources) == 0:  # never so; it makes the digest part of the key under which the compiled code is kept
            return FULL
        if verb != ADVANCE:
            happen(s, clock.now)
            act(s, verb, row)
            return NOTICED if clock.notices > 0 else REACHED
        while True:
            if _is_full(s):
                return FULL
            time = next_event(s)
            if time >= until:
                accrue(s, until)
                clock.now = until
                return REACHED
            happen(s, time)
            if clock.dirty != 0 and clock.next_pass < 0:
                clock.next_pass = _on_grid(s)
            if clock.next_pass == time:
                run_pass(s)
                _tick(s)
            if clock.notices > 0:
                accrue(s, time + 1)
                clock.now = time + 1
                return NOTICED

    return step


step: Any = entry(_build)
