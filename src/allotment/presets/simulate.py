"""Simulate what has a name: a preset or a file, with the recordings that it names."""

from __future__ import annotations

import warnings
from pathlib import Path

from allotment.errors import SkippedRowsWarning
from allotment.experiment.shares import Shares
from allotment.experiment.simulate import simulate as simulate_scenario
from allotment.experiment.simulate import variant
from allotment.interop.replay import pinned, read_recordings
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
    shares: Shares | None = None,
    progress: Progress | None = None,
) -> Result:
    """Return what happens in a scenario: one at hand, the name of a preset, or a file.

    Another `policy` (one at hand, a preset, or a file), `seed`, number of measured `days` or `demand` of the closed
    stream can be asked for, and other `shares` of plan nodes, such as ``{"nlp": "0.3", "vision": "0.7"}``, with the same
    jobs. `progress` is told how far the run is (now and horizon, in seconds from the start) a few times a second. The
    first call after an installation compiles the scheduler, which takes about a minute, and says so through the logger
    `allotment`. Warns with SkippedRowsWarning where not every row of a recording is a job of the run.

    Raises AllotmentError with everything that is wrong with what was given, and Interrupted on Ctrl-C, with the result
    up to then.
    """
    given = scenario if isinstance(scenario, Scenario) else load_scenario(scenario)
    rules = policy if policy is None or isinstance(policy, Policy) else load_policy(policy)
    chosen = variant(given, policy=rules, seed=seed, days=days, demand=demand, shares=shares)
    recordings = read_recordings(chosen)
    for recording in recordings.values():
        if recording.report.skipped:
            warnings.warn("; ".join(recording.report.lines()), SkippedRowsWarning, stacklevel=2)
    return simulate_scenario(
        pinned(chosen, recordings),
        progress=progress,
        recordings={name: recording.table for name, recording in recordings.items()},
        imports={name: recording.report for name, recording in recordings.items()},
    )
