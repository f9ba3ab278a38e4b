"""A run that somebody watches: stepped, paused, sped up, and with a plan that can be edited while it goes on.

Nothing here runs by itself: whoever shows the run calls `tick` whenever there is time for it. How the run is cut into
steps changes nothing about it, so a watched run ends like any other.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from enum import IntEnum
from typing import TypeVar

import attrs

from allotment.errors import SimulationError
from allotment.kernel.engine import Engine
from allotment.model.changeset import Changeset, ShareChange, apply
from allotment.model.plan import Plan
from allotment.model.policy import Policy
from allotment.model.switch import Switch
from allotment.scenario import Scenario
from allotment.units import HOUR, MINUTE
from allotment.workload.table import JobTable
from allotment.world.run import Make, Outcome, Progress, Run, drive

BUDGET = 0.015  # wall-clock seconds that one tick may take: a screen shows 60 pictures a second
LONGEST_SLICE = 24 * HOUR
SHORTEST_SLICE = MINUTE


class Pace(IntEnum):
    """Whether a live run goes on by itself."""

    PAUSED = 0
    RUNNING = 1
    FINISHED = 2  # at its horizon
    CANCELLED = 3


def due(*, since: int, speed: float, elapsed: float, horizon: int) -> int:
    """Return how far a run should be that went on from `since` at `speed`, so many wall-clock seconds ago.

    Times are seconds from the start, `speed` is simulated seconds per wall-clock second.

    >>> due(since=3600, speed=60.0, elapsed=1.5, horizon=7200), due(since=3600, speed=60.0, elapsed=90.0, horizon=7200)
    (3690, 7200)
    """
    return int(min(float(horizon), since + speed * max(0.0, elapsed)))


def next_slice(length: int, took: float, budget: float) -> int:
    """Return how many simulated seconds to do before the next look at the wall clock, when the last `length` took so long.

    A slice should take about a quarter of the budget; it at most doubles or halves from one to the next.

    >>> next_slice(600, took=0.001, budget=0.016), next_slice(600, took=0.1, budget=0.016)
    (1200, 300)
    """
    fits = 2.0 if took <= 0 else min(2.0, max(0.5, budget / 4 / took))
    return int(min(LONGEST_SLICE, max(SHORTEST_SLICE, length * fits)))


class Live:
    """A run that is paused at the start. Times are whole seconds from the scenario's start.

    `speed` is simulated seconds per wall-clock second, `wall` a clock in seconds.
    """

    def __init__(
        self,
        scenario: Scenario,
        table: JobTable,
        *,
        speed: float = float(HOUR),
        make: Make = Engine,
        wall: Callable[[], float] = time.monotonic,
    ) -> None:
        self._given = scenario
        self._run = Run(scenario, table, make)
        self._wall = wall
        self._pace = Pace.PAUSED
        self._speed = _checked(speed)
        self._edits: list[Changeset] = []
        self._switches: list[Switch] = []
        self._slice = HOUR
        self._since, self._anchor = 0, wall()

    @property
    def now(self) -> int:
        """The simulated moment; everything before it is done."""
        return self._run.now

    @property
    def horizon(self) -> int:
        """The simulated moment at which the run is over."""
        return self._run.horizon

    @property
    def pace(self) -> Pace:
        """Whether it is paused, runs, has finished or was cancelled."""
        return self._pace

    @property
    def speed(self) -> float:
        """Simulated seconds per wall-clock second."""
        return self._speed

    @property
    def plan(self) -> Plan:
        """The plan as it counts now."""
        return self._run.plan

    @property
    def edits(self) -> tuple[Changeset, ...]:
        """What was changed by hand so far, in order."""
        return tuple(self._edits)

    @property
    def switches(self) -> tuple[Switch, ...]:
        """The policies that took over by hand so far, in order."""
        return tuple(self._switches)

    @property
    def scenario(self) -> Scenario:
        """The scenario with the edits and switches among its own: run from the start, it gives the same result."""
        changesets = _in_order([*self._edits, *self._given.changesets])
        switches = _in_order([*self._switches, *self._given.switches])
        return attrs.evolve(self._given, changesets=changesets, switches=switches)

    def snapshot(self) -> dict[str, int]:
        """Return what there is now, as counts."""
        return self._run.scheduler.snapshot()

    def resume(self) -> None:
        """Go on by itself from here, at `speed`."""
        if self._pace is Pace.PAUSED:
            self._pace = Pace.RUNNING
            self._start_here()

    def pause(self) -> None:
        """Stand still."""
        if self._pace is Pace.RUNNING:
            self._pace = Pace.PAUSED

    def set_speed(self, speed: float) -> None:
        """Go on at another speed from here (simulated seconds per wall-clock second, above 0)."""
        self._speed = _checked(speed)
        self._start_here()

    def cancel(self) -> None:
        """Go no further. What has happened can still be had from `close`."""
        if self._pace is not Pace.FINISHED:
            self._pace = Pace.CANCELLED

    def tick(self, budget: float = BUDGET) -> int:
        """Do what is due by the wall clock, for at most about `budget` seconds of it, and return the simulated moment.

        A run that cannot keep up with its speed goes as fast as it can and does not try to catch up.
        """
        begin = self._wall()
        if self._pace is not Pace.RUNNING:
            return self.now
        goal = due(since=self._since, speed=self._speed, elapsed=begin - self._anchor, horizon=self.horizon)
        before = begin
        while self.now < goal:
            length = min(self._slice, goal - self.now)
            self._go(self.now + length)
            after = self._wall()
            if length == self._slice:
                self._slice = next_slice(length, after - before, budget)
            before = after
            if after - begin >= budget:
                break
        if self.now < goal:
            self._start_here()
        return self.now

    def step(self, seconds: int) -> int:
        """Go on by so many simulated seconds and stand still; return the simulated moment."""
        self.pause()
        if seconds < 1:
            raise SimulationError(f"a step must be at least one second, not {seconds!r}")
        self._go(self.now + seconds)
        return self.now

    def step_pass(self) -> int:
        """Go on until the scheduler's next pass on the grid of its cycle is done; return the simulated moment."""
        self.pause()
        cycle = self._given.cluster.cycle
        self._go(-(-self.now // cycle) * cycle + 1)
        return self.now

    def step_decision(self) -> int:
        """Go on, pass by pass, until something was decided or the run is over; return the simulated moment."""
        before = self.snapshot()["decisions"]
        while self.step_pass() < self.horizon and self.snapshot()["decisions"] == before:
            pass
        return self.now

    def edit(self, shares: Iterable[ShareChange], *, author: str, reason: str) -> Changeset:
        """Change the plan as from now, and return the changeset that is kept of it.

        Raises InputError, and changes nothing, where the shares do not fit the plan as it is, or where with them a
        changeset of the scenario that is still to come would not fit any more.
        """
        if self._pace in (Pace.FINISHED, Pace.CANCELLED):
            raise SimulationError(f"the plan of a run that is {self._pace.name.lower()} cannot be edited")
        changeset = Changeset(time=self.now, author=author, reason=reason, shares=tuple(shares))
        plan = apply(self.plan, changeset)
        for later in self._given.changesets:
            if later.time >= self.now:
                plan = apply(plan, later)
        self._run.change(changeset)
        self._edits.append(changeset)
        return changeset

    def follow(self, policy: Policy) -> Switch:
        """Let another policy decide as from now, and return the switch that is kept of it.

        Raises InputError or SimulationError, and changes nothing, where it does not allow what jobs ask.
        """
        if self._pace in (Pace.FINISHED, Pace.CANCELLED):
            raise SimulationError(f"the policy of a run that is {self._pace.name.lower()} cannot be changed")
        switch = Switch(time=self.now, policy=policy)
        kept = [each for each in self._switches if each.time != self.now]
        attrs.evolve(self.scenario, switches=_in_order([*kept, switch, *self._given.switches]))
        self._run.follow(policy)
        self._switches = [*kept, switch]
        return switch

    def finish(self, progress: Progress | None = None) -> Outcome:
        """Go on to the end as fast as possible and return what a run that nobody watched would have returned."""
        if self._pace is Pace.CANCELLED:
            return self.close()
        drive(self._run, progress=progress, wall=self._wall)
        self._pace = Pace.FINISHED
        return self._run.close()

    def so_far(self) -> Outcome:
        """Return what happened up to now, and let the run go on."""
        return self._run.so_far()

    def close(self) -> Outcome:
        """End the run here and return what happened up to now."""
        self.cancel()
        return self._run.close()

    def _go(self, until: int) -> None:
        if self._pace is Pace.CANCELLED:
            raise SimulationError(f"the run was cancelled at {self.now} s and goes no further")
        self._run.advance(until)
        if self.now >= self.horizon:
            self._pace = Pace.FINISHED

    def _start_here(self) -> None:
        self._since, self._anchor = self.now, self._wall()


Timed = TypeVar("Timed", Changeset, Switch)


def _in_order(things: list[Timed]) -> tuple[Timed, ...]:
    return tuple(sorted(things, key=lambda thing: thing.time))


def _checked(speed: float) -> float:
    if not 0 < speed < float("inf"):
        raise SimulationError(f"speed must be above 0 and finite, not {speed!r}")
    return float(speed)
