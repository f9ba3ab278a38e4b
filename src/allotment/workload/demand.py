"""How many GPUs a team keeps outstanding, as a step function of time that is drawn before the run."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from allotment.workload.chance import exponential
from allotment.workload.classes import Step, Swing

Steps = tuple[tuple[int, float], ...]  # (from when on, factor), the first at 0


def swing_steps(rng: np.random.Generator, swing: Swing, horizon: int) -> Steps:
    """Return when a team's demand changes and to what: exponential holds, uniform levels."""
    steps: list[tuple[int, float]] = []
    now = 0.0
    while now < horizon:
        levels, holds = rng.random((64, 2)).T
        for level, hold in zip(levels.tolist(), exponential(holds).tolist(), strict=True):
            if now < horizon and (not steps or int(now) > steps[-1][0]):
                steps.append((int(now), swing.low + (swing.high - swing.low) * level))
            now += hold * swing.every
    return tuple(steps)


def given_steps(steps: tuple[Step, ...]) -> Steps:
    """Return the factors that a stream gives; 1 until the first of them."""
    given = tuple((step.at, step.factor) for step in steps)
    return given if given and given[0][0] == 0 else ((0, 1.0), *given)


def product(first: Steps, second: Steps) -> Steps:
    """Return the step function that is the product of two.

    >>> product(((0, 1.0), (10, 2.0)), ((0, 3.0), (20, 0.5)))
    ((0, 3.0), (10, 6.0), (20, 1.0))
    """
    values = [1.0, 1.0]
    result: list[tuple[int, float]] = []
    merged = sorted([(at, 0, factor) for at, factor in first] + [(at, 1, factor) for at, factor in second])
    for at, which, factor in merged:
        values[which] = factor
        if result and result[-1][0] == at:
            result.pop()
        result.append((at, values[0] * values[1]))
    return tuple(result)


def target(level: float, least: int, steps: Steps) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return from when on (seconds) how many GPUs are kept outstanding: `level` times the factor of each step.

    Targets are rounded to whole GPUs and are at least `least`; steps that change nothing are left out.
    """
    times: list[int] = []
    targets: list[int] = []
    for at, factor in steps:
        value = max(least, int(level * factor + 0.5))
        if not targets or value != targets[-1]:
            times.append(at)
            targets.append(value)
    return np.array(times, dtype=np.int64), np.array(targets, dtype=np.int64)
