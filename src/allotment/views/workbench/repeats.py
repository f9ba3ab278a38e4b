"""The same scenarios over several seeds, in the background, to see which difference is more than chance."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Literal

import attrs

from allotment.errors import AllotmentError
from allotment.presets.drawing import draw_all
from allotment.results.result import Result, build
from allotment.scenario import Scenario
from allotment.units import HOUR
from allotment.views.charts.comparison import Measured
from allotment.workload.table import JobTable
from allotment.world.live import Live

LEAP = 12 * HOUR  # simulated seconds between two looks at whether it was cancelled


@attrs.frozen(kw_only=True)
class Repeated:
    """How far it is: `runs` has for each of the scenarios what was measured, seed by seed, of `of` seeds."""

    state: Literal["running", "finished", "cancelled", "failed"]
    of: int
    runs: tuple[tuple[Measured, ...], ...] = ()
    problem: str = ""

    @property
    def done(self) -> int:
        """How many seeds are done."""
        return min(map(len, self.runs), default=0)


class Repeats:
    """The repeats of one page. `show` is called with each :class:`Repeated`, from the thread that works."""

    def __init__(self, show: Callable[[Repeated], None]) -> None:
        self._show = show
        self._stop = threading.Event()

    def begin(self, scenarios: Sequence[Scenario], seeds: Sequence[int]) -> None:
        """Run the scenarios with each of the seeds, instead of what went on before."""
        self.end()
        threading.Thread(target=self._work, args=(scenarios, seeds, self._stop), name="repeats", daemon=True).start()

    def cancel(self) -> None:
        """Go no further; seeds that are done stay."""
        self._stop.set()

    def end(self) -> None:
        """Go no further, and tell nothing more of it."""
        self._stop.set()
        self._stop = threading.Event()

    def _work(self, scenarios: Sequence[Scenario], seeds: Sequence[int], stop: threading.Event) -> None:
        found = Repeated(state="running", of=len(seeds), runs=((),) * len(scenarios))
        self._tell(found, stop)
        with ThreadPoolExecutor(len(scenarios), thread_name_prefix="seed") as pool:
            for seed in seeds:
                try:
                    arms = [attrs.evolve(scenario, seed=seed) for scenario in scenarios]
                    table = draw_all(arms[0])  # all have the same jobs
                    done = list(pool.map(lambda arm, table=table: _measure(arm, table, stop), arms))
                except (AllotmentError, ValueError) as error:
                    self._tell(attrs.evolve(found, state="failed", problem=str(error)), stop)
                    return
                runs = [one for one in done if one is not None]
                if len(runs) < len(scenarios):
                    break
                found = attrs.evolve(found, runs=tuple((*of, one) for of, one in zip(found.runs, runs, strict=True)))
                self._tell(found, stop)
        self._tell(attrs.evolve(found, state="finished" if found.done == len(seeds) else "cancelled"), stop)

    def _tell(self, found: Repeated, stop: threading.Event) -> None:
        if stop is self._stop:
            self._show(found)


def _measure(scenario: Scenario, table: JobTable, stop: threading.Event) -> Measured | None:
    found = _go(scenario, table, scenario.horizon, stop)
    return None if found is None else Measured.of(found)


def run_to(scenario: Scenario, until: int | None, stop: threading.Event) -> Result | None:
    """Return what happens in a scenario until a moment (s), or its end; None where it was stopped.

    Raises InputError with everything that does not fit together.
    """
    end = scenario.horizon if until is None else min(until, scenario.horizon)
    return _go(scenario, draw_all(scenario), end, stop)


def _go(scenario: Scenario, table: JobTable, end: int, stop: threading.Event) -> Result | None:
    live = Live(scenario, table)
    while live.now < end:
        if stop.is_set():
            return None
        live.step(min(LEAP, end - live.now))
    outcome = live.close() if end >= live.horizon else live.so_far()
    return build(scenario, outcome.table, outcome.log, incidents=outcome.incidents)
