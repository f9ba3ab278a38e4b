"""Simulate a fleet, from its description to its result."""

from __future__ import annotations

import attrs

from allotment.errors import InputError, ValueProblems
from allotment.experiment.prepare import prepare
from allotment.experiment.simulate import announce, check_supply
from allotment.fleet import Arbitration, Fleet
from allotment.results.fleet_result import FleetResult, gather
from allotment.results.result import build
from allotment.world.fleet import run_fleet
from allotment.world.portable import FleetJobs, jobs_of
from allotment.world.run import Progress, stop_on_interrupt


def simulate_fleet(
    fleet: Fleet,
    *,
    arbitration: Arbitration | None = None,
    seed: int | None = None,
    progress: Progress | None = None,
    jobs: FleetJobs | None = None,
) -> FleetResult:
    """Return what happens in a fleet, or in one with another arbitration or seed.

    The jobs do not depend on the arbitration: `jobs`, drawn once by :func:`draw_fleet`, may serve several. `progress` is told
    how far the run is (now and horizon, in seconds from the start) a few times a second.

    Raises InputError where the parts of the fleet do not fit together, and KeyboardInterrupt on Ctrl-C: a part of a
    rollout is no rollout.
    """
    chosen = fleet_variant(fleet, arbitration=arbitration, seed=seed)
    drawn = draw_fleet(chosen) if jobs is None else jobs
    prepare(announce(), questions=True)
    with stop_on_interrupt() as stop:
        outcome = run_fleet(chosen, drawn, progress=progress, stop=stop)
        if stop():
            raise KeyboardInterrupt
    results = {}
    for name, scenario, table in zip(drawn.names, drawn.scenarios, drawn.tables, strict=True):
        of = outcome.outcomes[name]
        check_supply(table, of.log)
        results[name] = build(scenario, of.table, of.log, incidents=of.incidents, jobs_drawn=table.digest)
    return gather(chosen, drawn, outcome, results)


def fleet_variant(fleet: Fleet, *, arbitration: Arbitration | None = None, seed: int | None = None) -> Fleet:
    """Return a fleet with another arbitration or seed; None leaves it. Raises InputError for a seed out of its bounds."""
    try:
        if arbitration is not None:
            fleet = attrs.evolve(fleet, arbitration=arbitration)
        return fleet if seed is None else attrs.evolve(fleet, seed=seed)
    except ValueError as error:
        raise InputError(f"fleet {fleet.name!r}", [str(error)]) from None


def draw_fleet(fleet: Fleet) -> FleetJobs:
    """Return all jobs of a fleet. Raises InputError with everything that does not fit together."""
    try:
        return jobs_of(fleet)
    except ValueProblems as error:
        raise InputError(f"fleet {fleet.name!r}", error.problems) from None
