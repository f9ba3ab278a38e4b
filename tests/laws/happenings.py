"""What the world does to a run at its moments, and how it is done to an engine."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable
from typing import Any

import attrs

from allotment.errors import SimulationError
from allotment.kernel.engine import Engine
from allotment.kernel.log import Log

VERBS = ("cancel", "submit", "cordon", "fail", "evict", "take_down", "clear", "plan")


@attrs.frozen
class Happening:
    """A verb of the engine at a moment (seconds), with a job, a node or a plan; it may turn out to be impossible."""

    time: int
    verb: str
    what: Any


def drive(
    engine: Engine, horizon: int, happenings: Iterable[Happening] = (), look: Callable[[Engine], None] | None = None
) -> Log:
    """Run an engine to its horizon while the world does its part, and close it; `look` sees it after each verb."""
    for happening in sorted(happenings, key=lambda happening: happening.time):
        reach(engine, min(happening.time, horizon))
        do(engine, happening)
        if look is not None:
            look(engine)
    reach(engine, horizon)
    return engine.close()


def reach(engine: Engine, moment: int) -> None:
    """Advance to a moment, past all notices."""
    while engine.advance(moment) is not None or engine.now < moment:
        pass


def do(engine: Engine, happening: Happening) -> None:
    """Do what happens, if it is possible."""
    if happening.verb == "plan":
        engine.set_plan(happening.what)
        return
    with contextlib.suppress(SimulationError):
        getattr(engine, happening.verb)(happening.what)


def walk(
    engine: Engine, cycle: int, horizon: int, happenings: Iterable[Happening], look: Callable[[Engine], None]
) -> Log:
    """Run an engine to its horizon and close it; `look` sees it after each pass that is on the grid, and each verb."""
    todo = sorted(happenings, key=lambda happening: happening.time)
    while engine.now < horizon:
        after_pass = -(-engine.now // cycle) * cycle + 1
        reach(engine, min([after_pass, horizon, *(happening.time for happening in todo[:1])]))
        look(engine)
        while todo and todo[0].time == engine.now < horizon:
            do(engine, todo.pop(0))
            look(engine)
    return engine.close()
