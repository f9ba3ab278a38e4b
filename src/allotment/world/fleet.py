"""The runs of a fleet in step, and where each portable job is submitted: chosen once, when its time has come.

What is asked of each cluster is how it stands at that moment, before anything else of that second; so the members' order
decides nothing, and jobs of one second see those before them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction

import attrs
import numpy as np
import numpy.typing as npt

from allotment.fleet import Arbitration, Fleet
from allotment.kernel.engine import Engine
from allotment.world.clock import Answer
from allotment.world.portable import FleetJobs
from allotment.world.run import SPARSE, STRIDE, Make, Outcome, Progress, Run

NOWHERE = -1
Choose = Callable[[Sequence[int], Callable[[int], Answer]], int]  # one of some members, each of which may be asked


@attrs.frozen(kw_only=True, eq=False)
class FleetOutcome:
    """What the runs of all members left behind, by name, and for each portable job the member that it was submitted on."""

    outcomes: Mapping[str, Outcome]
    chosen: npt.NDArray[np.int64]  # places among `FleetJobs.names`; NOWHERE for what was not submitted


def run_fleet(
    fleet: Fleet,
    jobs: FleetJobs,
    *,
    progress: Progress | None = None,
    stop: Callable[[], bool] | None = None,
    make: Make = Engine,
    wall: Callable[[], float] = time.monotonic,
) -> FleetOutcome:
    """Run all members of a fleet over the jobs that `jobs_of` has drawn; the arguments are those of `world.run.run`."""
    runs = [Run(scenario, table, make) for scenario, table in zip(jobs.scenarios, jobs.tables, strict=True)]
    chosen = np.full(len(jobs), NOWHERE)
    choose = chooser(fleet.arbitration)
    told, look = wall(), STRIDE
    times = [*jobs.submit.tolist(), fleet.horizon]
    for job, moment in enumerate(times):
        while runs[0].now < moment:
            for run in runs:
                run.advance(min(moment, look))
            if runs[0].now == look:
                look += STRIDE
                if stop is not None and stop():
                    return _closed(jobs, runs, chosen)
            if progress is not None and (wall() - told >= SPARSE or runs[0].now == fleet.horizon):
                told = wall()
                progress(runs[0].now, fleet.horizon)
        if job < len(jobs):
            chosen[job] = _submit(jobs, runs, job, choose)
    return _closed(jobs, runs, chosen)


def _submit(jobs: FleetJobs, runs: Sequence[Run], job: int, choose: Choose | None) -> int:
    rows = jobs.rows[:, job].tolist()
    member = int(jobs.home[job])
    if choose is not None:
        candidates = [place for place, row in enumerate(rows) if row >= 0]
        member = choose(candidates, lambda place: runs[place].scheduler.standing(rows[place]))
    runs[member].scheduler.submit(rows[member])
    return member


def _closed(jobs: FleetJobs, runs: Sequence[Run], chosen: npt.NDArray[np.int64]) -> FleetOutcome:
    outcomes = {name: run.close() for name, run in zip(jobs.names, runs, strict=True)}
    return FleetOutcome(outcomes=outcomes, chosen=chosen)


def chooser(arbitration: Arbitration) -> Choose | None:
    """Return what chooses among members, given in the order of their names, for one job after the other; None: nobody."""
    match arbitration:
        case Arbitration.HOME:
            return None
        case Arbitration.ROUND_ROBIN:
            return _by_turns()
        case Arbitration.RANKED_HEAD:
            return lambda candidates, ask: _least(candidates, ask, lambda answer: answer.ahead)
        case Arbitration.ALLOCATION_BALANCE:
            return lambda candidates, ask: _least(candidates, ask, balance)


def _by_turns() -> Choose:
    last = NOWHERE

    def choose(candidates: Sequence[int], _ask: Callable[[int], Answer]) -> int:
        nonlocal last
        last = next((place for place in candidates if place > last), candidates[0])
        return last

    return choose


def _least(
    candidates: Sequence[int], ask: Callable[[int], Answer], measure: Callable[[Answer], int | tuple[bool, Fraction]]
) -> int:
    """Return where a measure is the least; of those that are equal where most is free, and then the first by name."""
    answers = {place: ask(place) for place in candidates}
    return min(candidates, key=lambda place: (measure(answers[place]), -answers[place].free, place))


def balance(answer: Answer) -> tuple[bool, Fraction]:
    """Return (usage + committed) / entitlement of the budget as something to compare; without entitlement it is infinite.

    >>> from allotment.kernel.questions import Standing
    >>> one, none = Standing(ahead=0, used=1, entitled=3, free=0), Standing(ahead=0, used=0, entitled=0, free=0)
    >>> balance(one) < balance(none)
    True
    """
    return answer.entitled == 0, Fraction(answer.used, answer.entitled or 1)
