"""Simulate what has a name: a preset or a file, with the recordings that it names."""

from __future__ import annotations

from pathlib import Path

from allotment.experiment.simulate import simulate as simulate_scenario
from allotment.experiment.simulate import variant
from allotment.interop.replay import read_recordings
from allotment.model.policy import Policy
from allotment.presets.catalogue import load_policy, load_scenario
from allotment.results.result import Result
from allotment.scenario import Scenario
from allotment.world.run import Progress


def simulate(
    scenario: Scenario | str | Path,
    *,
    policy: Policy | str | Path | None = None,
    seed: int | None = None,
    days: int | None = None,
    demand: float | None = None,
    progress: Progress | None = None,
) -> Result:
    """Return what happens in a scenario: one at hand, the name of a preset, or a file.

    Another `policy` (one at hand, a preset, or a file), `seed`, number of measured `days` or `demand` of the closed
    stream can be asked for. `progress` is told how far the run is (now and horizon, in seconds from the start) a few
    times a second. The first call after an installation compiles the scheduler, which takes about a minute.

    Raises AllotmentError with everything that is wrong with what was given, and Interrupted on Ctrl-C, with the result
    up to then.
    """
    given = scenario if isinstance(scenario, Scenario) else load_scenario(scenario)
    rules = policy if policy is None or isinstance(policy, Policy) else load_policy(policy)
    chosen = variant(given, policy=rules, seed=seed, days=days, demand=demand)
    recordings = {name: recording.table for name, recording in read_recordings(chosen).items()}
    return simulate_scenario(chosen, progress=progress, recordings=recordings)
