"""The same few scenarios over some seeds, as results to look at."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import attrs

from allotment.experiment.simulate import simulate
from allotment.results.result import Result
from allotment.scenario import Scenario

SEEDS = 5


def over_seeds(scenarios: Mapping[str, Scenario], seeds: int | Iterable[int] = SEEDS) -> dict[str, tuple[Result, ...]]:
    """Return the results of each scenario, by its name, in the order of the seeds; so many from 0 on, or those named.

    With the same seed all scenarios meet the same jobs, as far as their workloads are the same.
    """
    numbers = range(seeds) if isinstance(seeds, int) else tuple(seeds)
    return {
        name: tuple(simulate(attrs.evolve(scenario, seed=number)) for number in numbers)
        for name, scenario in scenarios.items()
    }
