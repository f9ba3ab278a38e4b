"""Runs to make pictures of."""

from __future__ import annotations

import pytest

from allotment.presets.simulate import simulate
from allotment.results.result import Result
from tests.results.made import a_run


@pytest.fixture(scope="session")
def made() -> Result:
    """Three hours of two nodes, written by hand: a preemption, a promotion, a failure, jobs that never start."""
    return a_run().result()


@pytest.fixture(scope="session")
def pair() -> tuple[Result, Result]:
    """Return the small week for two days under the priorities and under budgets, with the same jobs."""
    return simulate("small-week", policy="priority", days=2), simulate("small-week", policy="budgets", days=2)
