"""The two clocks of a run, kept in step: the scheduler's, which leaps, and SimPy's, for all that is outside it."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Generator
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
from simpy import Environment, Event

from allotment.kernel.log import Log
from allotment.model.plan import Plan
from allotment.model.policy import Policy

Play = Generator[Event, Any, None]  # what somebody does, as a SimPy process
Flags = npt.NDArray[np.bool_]


class Notice(Protocol):
    """What the scheduler stopped for, at its `now`."""

    @property
    def kind(self) -> int:
        """One of `STARTED`, `ENDED` (`row` is a watched job) and `DRAINED` (`row` is a cordoned node)."""

    @property
    def row(self) -> int:
        """The job or the node."""


STARTED, ENDED, DRAINED = 1, 2, 3  # kinds of notices


class Answer(Protocol):
    """How a job would stand on a cluster: what those who choose between clusters look at."""

    @property
    def ahead(self) -> int:
        """How many waiting jobs would rank before it."""

    @property
    def used(self) -> int:
        """What its budget has used in the window or is committed to (GPU-seconds)."""

    @property
    def entitled(self) -> int:
        """What its budget is entitled to in the window (GPU-seconds)."""

    @property
    def free(self) -> int:
        """The GPUs that are free."""


class Scheduler(Protocol):
    """The kernel, as the world sees it: it handles all of its own events, and is told what happens outside.

    All verbs act at `now`, after everything that finishes at that second. Times are seconds from the scenario's start.
    """

    @property
    def now(self) -> int:
        """The moment up to which everything has been handled."""

    def advance(self, until: int) -> Notice | None:
        """Handle every event before `until`; return early where something happened that was to be told."""

    def submit(self, job: int) -> None:
        """Submit a job of a manual stream."""

    def watch(self, job: int) -> None:
        """Give notice when the job starts and when it is over."""

    def waiting(self, job: int) -> bool:
        """Tell whether a job has been submitted, is not over, and has never started."""

    def works_until(self, job: int) -> int:
        """Return until when a job that runs has work to do, -1 if it does not run; then it only holds its GPUs."""

    def rest(self, job: int) -> bool:
        """Let a session whose work is done hold its GPUs until it is stopped; return whether it still does."""

    def observe(self, jobs: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], Flags]:
        """Return when some jobs were submitted and first started (-1: not yet), and which of them wait to start."""

    def mark(self, jobs: npt.NDArray[np.int64], priority: npt.NDArray[np.int8], preemptible: Flags) -> None:
        """Set the marks of jobs that are still to be submitted."""

    def standing(self, job: int) -> Answer:
        """Return how a job that is not submitted yet would stand here now; changes nothing."""

    def cancel(self, job: int) -> None:
        """End a job, running or not."""

    def cordon(self, node: int) -> None:
        """Let a node take no new slices, and give notice when it is empty."""

    def fail(self, node: int) -> None:
        """Take a node down at once; what ran on it dies."""

    def evict(self, node: int) -> None:
        """Stop what is left on a node for an urgent repair and take it down."""

    def take_down(self, node: int) -> None:
        """Take a drained node down."""

    def clear(self, node: int) -> None:
        """Put a node back in service."""

    def set_plan(self, plan: Plan) -> None:
        """Let the shares of this plan count from now on."""

    def set_policy(self, policy: Policy) -> None:
        """Let another policy decide from now on; what runs and waits is carried over."""

    def snapshot(self) -> dict[str, int]:
        """Return what there is now, as counts."""

    def so_far(self) -> Log:
        """Return what `close` would return now, and end nothing."""

    def close(self) -> Log:
        """End everything now and return what happened."""


class World:
    """A scheduler and a SimPy environment at the same moment.

    The scheduler handles everything before the world's next event, then the world all of its events of that second, and
    so on: at any second the world comes first, and the scheduler's pass sees what it did. Where the scheduler stops early
    to give a notice, the world reacts at the moment at which it stopped.

    It knows the scheduler and does not own it: what waits in SimPy's queue at the end refers back to the world in circles,
    and would keep all that the scheduler holds, tens of megabytes, until the garbage collector comes round.
    """

    def __init__(self, scheduler: Scheduler) -> None:
        self.scheduler: Scheduler = weakref.proxy(scheduler)
        self.env = Environment()
        self._reached = scheduler.now
        self._drained: dict[int, Event] = {}
        self._over: dict[int, Event] = {}
        self._started: dict[int, Event] = {}

    @property
    def now(self) -> int:
        """The moment of the world's clock, to be asked from within a play (seconds)."""
        return int(self.env.now)

    def at(self, time: int) -> Event:
        """Return the event of that moment, or of this one if it has passed."""
        return self.env.timeout(max(0, int(time) - self.now))

    def call_at(self, time: int, act: Callable[[], object]) -> None:
        """Have something done at that moment."""

        def call(_event: Event) -> None:
            act()

        self.at(time).callbacks.append(call)

    def either(self, one: Event, other: Event) -> Event:
        """Return the event of the earlier of two.

        Unlike SimPy's `one | other` it may be awaited again, beside something else: a condition of SimPy takes apart those
        within it as soon as it is met.
        """
        earlier = self.env.event()

        def happen(_event: Event) -> None:
            if not earlier.triggered:
                earlier.succeed()

        one.callbacks.append(happen)
        other.callbacks.append(happen)
        return earlier

    def submit(self, job: int) -> Event:
        """Submit a job now and return the event of its being over."""
        self._over[job] = self.env.event()
        self.scheduler.watch(job)
        self.scheduler.submit(job)
        return self._over[job]

    def started(self, job: int) -> Event:
        """Return the event of a watched job's next start."""
        self._started[job] = self.env.event()
        return self._started[job]

    def cordon(self, node: int) -> Event:
        """Cordon a node now and return the event of its being empty."""
        self._drained[node] = self.env.event()
        self.scheduler.cordon(node)
        return self._drained[node]

    def forget(self, node: int) -> None:
        """Wait no longer for a node to be empty."""
        self._drained.pop(node, None)

    def advance(self, until: int) -> None:
        """Handle everything before `until`; what is due at `until` is left for the next call."""
        while True:
            due = self.env.peek()
            if due <= self._reached < until:
                self._run_second(self._reached)
            elif not self._leap(until if due >= until else int(due)) and self._reached == until:
                return

    def _leap(self, target: int) -> bool:
        """Let the scheduler go on to `target`, and tell whether it stopped to give notice.

        All notices of one second are noted before anybody reacts, so that a pause between them would change nothing.
        """
        notice = self.scheduler.advance(target)
        if notice is None:
            self._reached = target
            return False
        self._reached = self.scheduler.now
        while notice is not None:
            awaited = {STARTED: self._started, ENDED: self._over, DRAINED: self._drained}
            waited_for = awaited[notice.kind].pop(notice.row, None)
            if (
                waited_for is not None
            ):  # else nobody waits for it, or a node that failed meanwhile has lost its last slice
                self.call_at(self._reached, waited_for.succeed)
            notice = self.scheduler.advance(self._reached)
        return True

    def _run_second(self, time: int) -> None:
        while self.env.peek() <= time:
            self.env.step()
