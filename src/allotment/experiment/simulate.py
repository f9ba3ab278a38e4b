"""Simulate one scenario, from its description to its result."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np

from allotment.errors import InputError, SimulationError, ValueProblems
from allotment.experiment.prepare import COMPILING, Tell, prepare
from allotment.experiment.shares import Shares, with_shares
from allotment.kernel.log import Log
from allotment.model.policy import Policy
from allotment.results.result import Result, build
from allotment.scenario import Scenario
from allotment.units import DAY
from allotment.workload.classes import with_demand
from allotment.workload.generate import generate
from allotment.workload.import_report import ImportReport
from allotment.workload.table import JobTable
from allotment.world.people import with_people
from allotment.world.run import Progress, run, stop_on_interrupt


class Interrupted(KeyboardInterrupt):
    """Ctrl-C during a simulation. `result` holds what had happened until then, and is whole up to its horizon."""

    def __init__(self, result: Result) -> None:
        self.result = result
        whole = result.scenario.horizon / DAY
        super().__init__(
            f"stopped after {result.horizon / DAY:.3g} of {whole:.3g} days; the result until then is in `result` here"
        )


def variant(
    scenario: Scenario,
    *,
    policy: Policy | None = None,
    seed: int | None = None,
    days: int | None = None,
    demand: float | None = None,
    shares: Shares | None = None,
) -> Scenario:
    """Return a scenario with some things changed; None leaves them as they are.

    `shares` are those that some nodes of the plan have from the start, by id or path; the jobs stay those of the plan
    as it was (:func:`~allotment.experiment.shares.with_shares`).
    With another `policy` none takes over from it. `days` is how many are measured, after the warm-up; changes of the plan
    and of policy that would come later are left out. `demand`
    is what the closed stream keeps outstanding, as a multiple of its leaves' part of the cluster.
    Raises InputError with everything that does not fit.
    """
    every: list[dict[str, Any]] = []
    if policy is not None:
        every.append({"policy": policy, "switches": ()})
    if seed is not None:
        every.append({"seed": seed})
    if days is not None:
        end = scenario.warmup + days * DAY
        every.append(
            {
                "measured": days * DAY,
                "changesets": tuple(changeset for changeset in scenario.changesets if changeset.time < end),
                "switches": tuple(switch for switch in scenario.switches if switch.time < end),
            }
        )
    problems: list[str] = []
    if demand is not None:
        try:
            every.append({"workload": with_demand(scenario.workload, demand)})
        except ValueError as error:
            problems += _problems(error)
    changed = scenario
    for changes in every:  # one by one, so that each tells what is wrong with it
        try:
            changed = attrs.evolve(changed, **changes)
        except ValueError as error:
            problems += _problems(error)
    try:
        changed = with_shares(changed, shares or {})
    except InputError as error:
        problems += error.problems
    if problems:
        raise InputError(f"scenario {scenario.name!r}", list(dict.fromkeys(problems)))
    return changed


def simulate(
    scenario: Scenario,
    *,
    policy: Policy | None = None,
    seed: int | None = None,
    days: int | None = None,
    shares: Shares | None = None,
    progress: Progress | None = None,
    recordings: Mapping[str, JobTable] | None = None,
    imports: Mapping[str, ImportReport] | None = None,
) -> Result:
    """Return what happens in a scenario, or in the :func:`variant` of it with another policy, seed, shares or days.

    `progress` is told how far the run is (now and horizon, in seconds from the start) a few times a second.
    `recordings` hold the jobs of recorded streams, by the stream's name, and `imports` the reports on how they were read,
    which the result keeps. The first call after an installation compiles the scheduler, which takes about a minute, and
    says so through the logger `allotment`; :func:`prepare` does that beforehand.

    Raises InputError where the parts of the scenario do not fit together, and :class:`Interrupted` on Ctrl-C, with the
    result up to then; a second Ctrl-C gives that up.
    """
    chosen = variant(scenario, policy=policy, seed=seed, days=days, shares=shares)
    table = draw(chosen, recordings)
    prepare(announce())
    with stop_on_interrupt() as stop:
        outcome = run(chosen, table, progress=progress, stop=stop)
        check_supply(table, outcome.log)
        result = build(
            chosen,
            outcome.table,
            outcome.log,
            incidents=outcome.incidents,
            imports=imports,
            jobs_drawn=table.digest,
        )
        if stop():
            raise Interrupted(result)
    return result


def announce() -> Tell:
    """Return what says once that the scheduler is being compiled, so that nobody wonders why nothing happens."""
    said = False

    def tell(_done: int, _of: int) -> None:
        nonlocal said
        if not said:
            said = True
            logging.getLogger("allotment").warning(COMPILING)

    return tell


def draw(scenario: Scenario, recordings: Mapping[str, JobTable] | None = None) -> JobTable:
    """Return all jobs of a scenario, those that its people may submit included.

    Raises InputError with everything that does not fit together.
    """
    try:
        table = generate(
            scenario.workload,
            scenario.plan,
            scenario.cluster,
            scenario.start,
            scenario.horizon,
            scenario.seed,
            recordings=recordings,
        )
        return with_people(table, scenario)
    except ValueProblems as error:
        raise InputError(f"scenario {scenario.name!r}", error.problems) from None


def check_supply(table: JobTable, log: Log) -> None:
    """Refuse a run in which a closed stream submitted its last job: it may not have held its target.

    There are enough jobs for any speed of service; but some may have left early, given up or cancelled.
    """
    streams = table.streams
    last = np.full(len(streams), -1)
    last[table.stream] = np.arange(len(table))
    dry = [row for row in np.flatnonzero(streams.closed & (last >= 0)) if log.jobs["submit"][last[row]] >= 0]
    if dry:
        names = ", ".join(f"{streams.names[row]!r} in {table.leaves[streams.leaf[row]]!r}" for row in dry)
        raise SimulationError(
            f"the jobs drawn for closed streams ran out before the end, as too many were given up: {names}; "
            "raise 'give_up_after', or make more of the work resumable"
        )


def _problems(error: ValueError) -> tuple[str, ...]:
    return error.problems if isinstance(error, ValueProblems) else (str(error),)
