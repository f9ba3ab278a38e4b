"""The figures of one run."""

from __future__ import annotations

import attrs

from allotment.experiment.measures import UNITS, measure
from allotment.experiment.simulate import simulate
from allotment.presets import load_scenario
from allotment.units import HOUR


def test_a_run_without_debug_work_or_sessions_has_none_of_these_figures():
    summary = simulate(attrs.evolve(load_scenario("small-week"), workload=(), measured=HOUR)).summary
    measures = measure(summary)
    assert list(measures) == list(UNITS)
    assert measures["debug_p90"] is measures["longest_session"] is measures["all_p50"] is None
