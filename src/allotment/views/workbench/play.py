"""Two runs of the same jobs under two policies, side by side: played, paused, stepped, edited, seen while they go on.

A play does its work in a thread of its own, so that whoever shows it goes on answering; the rules let other threads run
meanwhile. Whoever shows it says what is wanted (`begin`, `pause`, `edit`, ...) and is called back, from that thread, with each
`Frame`: what has happened so far. What is wanted is done in order; a new `begin` ends what went on before. A frame that nobody
has looked at yet is replaced by the next one and never queued, so drawing slowly holds nothing up.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor

from allotment.errors import AllotmentError
from allotment.model.changeset import ShareChange
from allotment.model.policy import Policy
from allotment.presets.drawing import draw_all
from allotment.results.result import Result, build
from allotment.scenario import Scenario
from allotment.units import HOUR
from allotment.views.workbench.frame import Frame, Over, State
from allotment.workload.mix import Asked, asked
from allotment.workload.table import JobTable
from allotment.world.live import Live, Pace

_log = logging.getLogger(__name__)
PICTURES, FEWER = (
    0.25,
    1.0,
)  # wall-clock seconds between two frames of a run that goes on, at least; and with less motion
BUDGET = 0.04  # wall-clock seconds of work between two looks at what is wanted
ALL_OF_IT = float("inf")  # a speed: as fast as it goes


class Play:
    """The runs of one page. `show` is called with every frame, from the thread that works."""

    def __init__(self, show: Callable[[Frame], None]) -> None:
        self._show = show
        self._wishes: deque[Callable[[], None]] = deque()
        self._wished = threading.Condition()
        self._closed = False
        self._urgent = False  # something was wished that ends what goes on
        self._lives: list[Live] = []
        self._over: list[Over] = []
        self._drawn: tuple[tuple[object, ...], JobTable] | None = None
        self._state: State = "empty"
        self._speed = ALL_OF_IT
        self._frames = 0
        self._begun = self._beginning = 0
        self._results: tuple[Result, ...] = ()
        self._asked: tuple[Asked, ...] = ()
        self._shown_at = 0.0
        self._pause_between = PICTURES
        self._pool = ThreadPoolExecutor(2, thread_name_prefix="policy")
        self._thread = threading.Thread(target=self._work, name="play", daemon=True)
        self._thread.start()

    # what may be wished, from any thread

    def begin(self, scenarios: Sequence[Scenario], *, speed: float = ALL_OF_IT, paused: bool = False) -> int:
        """Start anew with these scenarios, which have the same jobs; what went on before ends.

        Return the number that the frames of this beginning have.
        """
        self._begun += 1
        number = self._begun
        state: State = "paused" if paused else "running"
        self._wish(lambda: self._begin(number, scenarios, speed, state), urgent=True)
        return number

    def resume(self) -> None:
        """Go on by itself."""
        self._wish(self._resume)

    def pause(self) -> None:
        """Stand still."""
        self._wish(self._pause)

    def step(self, seconds: int) -> None:
        """Go on by so many simulated seconds and stand still."""
        self._wish(lambda: self._step(seconds))

    def set_speed(self, speed: float) -> None:
        """Go on at another speed: simulated seconds for each second of the wall clock, or ALL_OF_IT."""
        self._wish(lambda: self._set_speed(speed))

    def edit(self, shares: Iterable[ShareChange], *, author: str, reason: str) -> None:
        """Change the plan in both runs as from their present moment."""
        changes = tuple(shares)
        self._wish(lambda: self._edit(changes, author, reason))

    def follow(self, number: int, policy: Policy) -> None:
        """Let another policy decide in one of the runs, the first being 0, as from their present moment."""
        self._wish(lambda: self._follow(number, policy))

    def set_calm(self, *, calm: bool) -> None:
        """Show at most a frame a second while the runs go on, or four."""
        self._pause_between = FEWER if calm else PICTURES

    def cancel(self) -> None:
        """Go no further, and keep what has happened."""
        self._wish(self._cancel, urgent=True)

    def close(self) -> None:
        """End the thread; nothing is shown any more."""
        with self._wished:
            self._closed = self._urgent = True
            self._wished.notify()

    # what the thread does

    def _wish(self, act: Callable[[], None], *, urgent: bool = False) -> None:
        with self._wished:
            if urgent:
                self._wishes.clear()
                self._urgent = True
            self._wishes.append(act)
            self._wished.notify()

    def _work(self) -> None:
        while True:
            with self._wished:
                while not self._closed and not self._wishes and self._state != "running":
                    self._wished.wait()
                if self._closed:
                    self._pool.shutdown(wait=False)
                    return
                act = self._wishes.popleft() if self._wishes else self._go_on
                self._urgent = False
            try:
                act()
            except (AllotmentError, ValueError) as error:
                self._tell(problem=str(error), state="failed" if act == self._go_on else self._state)
            except Exception as error:  # noqa: BLE001 - whatever it is, the page has to say so
                _log.exception("a page could not go on")
                said = f"{type(error).__name__}: {error}"
                self._tell(problem=f"a fault of the program, which its log tells more of: {said}", state="failed")

    def _begin(self, number: int, scenarios: Sequence[Scenario], speed: float, state: State) -> None:
        self._beginning, self._speed = number, speed
        self._state, self._lives, self._over, self._results = "empty", [], [], ()
        try:
            table = self._jobs(scenarios[0])
            self._lives = [Live(scenario, table, speed=_finite(speed)) for scenario in scenarios]
        except (AllotmentError, ValueError) as error:
            self._tell(problem=str(error), state="failed")
            return
        self._state = state
        self._shown_at = time.monotonic()
        if state == "paused":
            self._picture()
        elif speed != ALL_OF_IT:
            self._resume()

    def _jobs(self, scenario: Scenario) -> JobTable:
        """Return the jobs of a scenario: those drawn last where nothing that they hang on has changed."""
        of = scenario
        key = (of.plan, of.cluster, of.workload, of.people, of.start, of.time_zone, of.horizon, of.seed)
        if self._drawn is None or self._drawn[0] != key:
            self._drawn = (key, draw_all(scenario))
            self._asked = asked(self._drawn[1], scenario.horizon)
        return self._drawn[1]

    def _go_on(self) -> None:
        if self._speed == ALL_OF_IT:
            self._each(self._rush)
        else:
            for live in self._lives:
                live.tick(BUDGET / len(self._lives))
            self._meet()
            time.sleep(0.005)
        if all(live.now >= live.horizon for live in self._lives):
            self._state = "finished"
            self._picture()
        elif time.monotonic() - self._shown_at >= self._pause_between:
            self._meet()
            self._picture()

    def _rush(self, live: Live) -> None:
        """Go on as fast as it goes, until there is something to show or something else is wanted."""
        until = self._shown_at + 2 * self._pause_between
        while live.now < live.horizon and not self._urgent and not self._wishes and time.monotonic() < until:
            live.step(min(12 * HOUR, live.horizon - live.now))

    def _meet(self) -> None:
        """Bring the runs to one moment: that of the slowest, so that what is seen side by side is of one time."""
        last = max(live.now for live in self._lives)
        for live in self._lives:
            if live.now < last:
                live.step(last - live.now)
                if self._state == "running" and live.pace is Pace.PAUSED:
                    live.resume()

    def _each(self, act: Callable[[Live], None]) -> None:
        list(self._pool.map(act, self._lives))

    def _resume(self) -> None:
        if self._state == "paused" or (self._state == "running" and self._lives):
            self._state = "running"
            if self._speed != ALL_OF_IT:
                for live in self._lives:
                    live.resume()

    def _pause(self) -> None:
        if self._state == "running":
            self._state = "paused"
            for live in self._lives:
                live.pause()
            self._meet()
            self._picture()

    def _step(self, seconds: int) -> None:
        if self._state not in ("running", "paused"):
            return
        self._state = "paused"
        for live in self._lives:
            live.pause()
        self._meet()
        for live in self._lives:
            if live.now < live.horizon:
                live.step(min(seconds, live.horizon - live.now))
        if all(live.now >= live.horizon for live in self._lives):
            self._state = "finished"
        self._picture()

    def _set_speed(self, speed: float) -> None:
        self._speed = speed
        for live in self._lives:
            if speed == ALL_OF_IT:
                live.pause()
            else:
                live.set_speed(speed)
                if self._state == "running":
                    live.resume()

    def _edit(self, shares: tuple[ShareChange, ...], author: str, reason: str) -> None:
        if self._goes_on("their plan"):
            self._meet()
            for live in self._lives:
                live.edit(shares, author=author, reason=reason)
            self._picture()

    def _follow(self, number: int, policy: Policy) -> None:
        if self._goes_on("a policy"):
            self._meet()
            self._lives[number].follow(policy)
            self._picture()

    def _goes_on(self, what: str) -> bool:
        """Tell whether the runs go on, so that something of them can be changed, and say so where they do not."""
        on = self._state in ("running", "paused")
        if not on:
            self._tell(problem=f"the runs are over; begin anew to change {what}", state=self._state)
        return on

    def _cancel(self) -> None:
        if self._state in ("running", "paused"):
            self._meet()
            self._state = "cancelled"
            self._picture()

    def _picture(self) -> None:
        """Make the results of this moment and show them."""
        self._results = tuple(self._pool.map(_result, self._lives))
        if self._state in ("finished", "cancelled"):
            self._over = [
                Over(now=live.now, horizon=live.horizon, edits=live.edits, switches=live.switches)
                for live in self._lives
            ]
            self._lives = []
        self._tell(state=self._state)
        self._shown_at = time.monotonic()

    def _tell(self, *, state: State, problem: str = "") -> None:
        self._state = state
        self._frames += 1
        runs: Sequence[Live | Over] = self._lives or self._over
        first = runs[0] if runs else None
        frame = Frame(
            number=self._frames,
            beginning=self._beginning,
            state=state,
            now=min((each.now for each in runs), default=0),
            horizon=0 if first is None else first.horizon,
            results=self._results,
            problem=problem,
            asked=self._asked,
            edits=() if first is None else first.edits,
            switches=tuple(each.switches for each in runs),
        )
        if not self._closed:
            self._show(frame)


def _result(live: Live) -> Result:
    outcome = live.close() if live.pace is Pace.FINISHED else live.so_far()
    return build(live.scenario, outcome.table, outcome.log, incidents=outcome.incidents)


def _finite(speed: float) -> float:
    return float(HOUR) if speed == ALL_OF_IT else speed
