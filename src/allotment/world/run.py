"""One run from beginning to end: the world is set up, driven to the horizon, and closed."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import Any

import attrs
import numpy.typing as npt

from allotment.kernel.engine import Engine
from allotment.kernel.log import Log
from allotment.model.changeset import Changeset, apply
from allotment.model.plan import Plan
from allotment.model.policy import Policy
from allotment.scenario import Scenario
from allotment.units import DAY
from allotment.workload.table import JobTable
from allotment.world.clock import Scheduler, World
from allotment.world.health import Repairs
from allotment.world.incidents import incident_rows
from allotment.world.inflation import Marks
from allotment.world.people import cast, play
from allotment.world.squatters import play_squatters

Progress = Callable[[int, int], None]  # told (now, horizon), in seconds from the start
Make = Callable[[Scenario, JobTable], Scheduler]

STRIDE = DAY  # how far a run goes between two looks at the world that watches it
SPARSE = 0.25  # wall-clock seconds between two calls of a progress callback, at least


@attrs.frozen(kw_only=True, eq=False)
class Outcome:
    """What a run left behind: the scheduler's log and the incidents, rows of `INCIDENT` in the order they began.

    `table` holds the jobs with the priorities with which they were submitted. `interrupted` tells that it was stopped before its time; then `log.horizon` is the moment at which that was, and
    everything before it is whole.
    """

    log: Log
    table: JobTable
    incidents: npt.NDArray[Any]
    interrupted: bool = False


class Run:
    """A run under way: scheduler and world at one moment, `now`, with everything before it done and nothing after."""

    def __init__(self, scenario: Scenario, table: JobTable, make: Make = Engine) -> None:
        roles = cast(table, scenario)
        self.horizon = scenario.horizon
        self.plan: Plan = scenario.plan
        self.scheduler = make(scenario, table)
        self._world = World(self.scheduler)
        for changeset in scenario.changesets:  # first, so that at their second they come before all else
            self._world.call_at(changeset.time, partial(self.change, changeset))
        for switch in scenario.switches:
            self._world.call_at(switch.time, partial(self.follow, switch.policy))
        health = scenario.cluster.health
        self._repairs = None if health is None else Repairs(self._world, scenario, health)
        play(self._world, roles)
        play_squatters(self._world, table)
        self._marks = Marks(self._world, table, scenario)

    @property
    def now(self) -> int:
        """Seconds from the start."""
        return self.scheduler.now

    def advance(self, until: int) -> None:
        """Go on to a moment (seconds from the start), at most to the horizon; in how many steps changes nothing."""
        self._world.advance(min(until, self.horizon))

    def change(self, changeset: Changeset) -> None:
        """Let a changeset count from now on. Raises InputError, and changes nothing, where it cannot be applied."""
        self.plan = apply(self.plan, changeset)
        self.scheduler.set_plan(self.plan)

    def follow(self, policy: Policy) -> None:
        """Let another policy decide from now on. Raises SimulationError where it does not allow what jobs ask."""
        self.scheduler.set_policy(policy)
        if self._repairs is not None:
            self._repairs.follow(policy)

    def so_far(self) -> Outcome:
        """Return what happened up to now, and let the run go on."""
        return self._outcome(self.scheduler.so_far())

    def close(self) -> Outcome:
        """End the run here, and return what happened up to now."""
        return self._outcome(self.scheduler.close())

    def _outcome(self, log: Log) -> Outcome:
        cases = () if self._repairs is None else self._repairs.cases
        interrupted = self.now < self.horizon
        return Outcome(log=log, table=self._marks.table, incidents=incident_rows(cases), interrupted=interrupted)


def run(
    scenario: Scenario,
    table: JobTable,
    *,
    progress: Progress | None = None,
    stop: Callable[[], bool] | None = None,
    make: Make = Engine,
    wall: Callable[[], float] = time.monotonic,
) -> Outcome:
    """Simulate a scenario over its job table, which `with_people` has seen, up to its horizon.

    `progress` is told how far the run is, a few times a second at most and at the end. Where `stop` is true after a day
    of the run, it ends there, and what it left behind is whole. Neither changes what happens. `wall` is a clock in
    seconds, for nothing but the pace of `progress`.
    """
    going = Run(scenario, table, make)
    drive(going, progress=progress, stop=stop, wall=wall)
    return going.close()


def drive(
    going: Run,
    *,
    progress: Progress | None = None,
    stop: Callable[[], bool] | None = None,
    wall: Callable[[], float] = time.monotonic,
) -> None:
    """Go on to the horizon, in one leap if nobody watches; the arguments are those of `run`."""
    if progress is None and stop is None:
        going.advance(going.horizon)
        return
    told = wall()
    while going.now < going.horizon:
        going.advance(going.now + STRIDE)
        if progress is not None and (wall() - told >= SPARSE or going.now == going.horizon):
            told = wall()
            progress(going.now, going.horizon)
        if stop is not None and stop():
            return


@contextmanager
def stop_on_interrupt() -> Iterator[Callable[[], bool]]:
    """Turn the first Ctrl-C into a wish to stop, to be passed to `run`; the second raises KeyboardInterrupt as ever.

    So nothing is cut off in the middle of a decision. Outside the main thread, where signals do not arrive, it never
    wishes to stop.
    """
    wished = False

    def wish(_signal: int, _frame: FrameType | None) -> None:
        nonlocal wished
        wished = True
        signal.signal(signal.SIGINT, signal.default_int_handler)

    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    before = signal.signal(signal.SIGINT, wish)
    try:
        yield lambda: wished
    finally:
        signal.signal(signal.SIGINT, before)
