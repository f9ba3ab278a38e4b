"""Draw the jobs of a scenario, with those that its recorded streams hold."""

from __future__ import annotations

from allotment.experiment.simulate import draw
from allotment.interop.replay import read_recordings
from allotment.scenario import Scenario
from allotment.workload.table import JobTable


def draw_all(scenario: Scenario) -> JobTable:
    """Return all jobs of a scenario; its recordings are read. Raises InputError with everything that does not fit together."""
    return draw(scenario, {name: recording.table for name, recording in read_recordings(scenario).items()})
