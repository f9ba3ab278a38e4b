"""Which settings move which figure: each is turned alone, against the same scenario as it is, seed by seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs
import pandas as pd

from allotment.experiment.measures import UNITS, Measures
from allotment.experiment.parallel import Tell, run_all
from allotment.experiment.simulate import variant
from allotment.experiment.spread import Spread, coverage, interval_rank, spread
from allotment.experiment.variations import VARIATIONS, Variation
from allotment.scenario import Scenario
from allotment.units import DAY

SIDES = ("low", "high")
COLUMNS: Mapping[str, str] = {
    "setting": "the setting that is turned",
    "side": "'low' or 'high'",
    "label": "what it is turned to",
    "figure": "the figure, one of those of `measure`",
    "unit": "what it is counted in: 'ratio' (0 to 1), 's' or 'count'",
    "base": "its median over seeds with nothing turned",
    "difference": "the median over seeds of its difference from that, seed by seed",
    "lowest": "the lower end of the interval of that median",
    "highest": "the upper end of that interval",
    "moves": "whether the interval excludes 0",
}
"""The columns of :func:`table`."""


@attrs.frozen(kw_only=True)
class Effect:
    """What one side of a setting does: for each figure its differences, None where a run has no such figure."""

    setting: str
    about: str
    side: str
    label: str
    differences: Mapping[str, Spread | None]


@attrs.frozen(kw_only=True)
class Sensitivity:
    """All effects on a scenario over some seeds, with its own figures as `base`.

    `rank` and `coverage` say what the intervals are: see :func:`~allotment.experiment.spread.interval_rank`. `left_out`
    are the settings, with their sides, that change nothing of the scenario or do not fit it.
    """

    scenario: str
    policy: str
    days: float
    seeds: tuple[int, ...]
    rank: int
    coverage: float
    base: Mapping[str, Spread | None]
    effects: tuple[Effect, ...]
    left_out: tuple[tuple[str, str], ...]


def sensitivity(
    scenario: Scenario,
    *,
    seeds: Sequence[int],
    variations: Sequence[Variation] = VARIATIONS,
    processes: int | None = None,
    tell: Tell | None = None,
) -> Sensitivity:
    """Return what each setting moves when it is turned alone.

    Every run of a seed has the same chances, so that it meets the same jobs as far as they are not what is turned, and
    differences are taken seed by seed. `processes` and `tell` are those of
    :func:`~allotment.experiment.parallel.run_all`.
    """
    sides = [
        (variation, at, side.label, side.change(scenario))
        for variation in variations
        for at, side in zip(SIDES, (variation.low, variation.high), strict=True)
        if side is not None
    ]
    turned = [(of, at, label, changed) for of, at, label, changed in sides if changed is not None]
    arms = [scenario, *(changed for *_, changed in turned)]
    done = run_all([variant(arm, seed=seed) for arm in arms for seed in seeds], processes=processes, tell=tell)
    many, rank = len(seeds), interval_rank(len(seeds))
    base, *others = (done[at : at + many] for at in range(0, len(done), many))
    return Sensitivity(
        scenario=scenario.name,
        policy=scenario.policy.name,
        days=scenario.measured / DAY,
        seeds=tuple(seeds),
        rank=rank,
        coverage=coverage(many, rank),
        base={figure: spread([run[figure] for run in base], rank) for figure in base[0]},
        effects=tuple(
            Effect(setting=of.name, about=of.about, side=at, label=label, differences=_differences(base, runs, rank))
            for (of, at, label, _), runs in zip(turned, others, strict=True)
        ),
        left_out=tuple((of.name, label) for of, _, label, changed in sides if changed is None),
    )


def _differences(base: Sequence[Measures], runs: Sequence[Measures], rank: int) -> dict[str, Spread | None]:
    """Return for each figure how the runs differ from the base with the same seed.

    >>> _differences([{"a": 1, "b": 2}, {"a": 2, "b": 2}], [{"a": 2, "b": None}, {"a": 5, "b": 3}], 1)["a"].values
    (1.0, 3.0)
    """
    pairs = list(zip(base, runs, strict=True))
    return {figure: spread([_less(run[figure], was[figure]) for was, run in pairs], rank) for figure in base[0]}


def _less(value: float | None, base: float | None) -> float | None:
    return None if value is None or base is None else value - base


def moves(difference: Spread) -> bool:
    """Return whether the interval of a difference excludes 0; one seed is no interval.

    >>> (
    ...     moves(Spread(values=(1, 2), median=1.5, mean=1.5, low=1, high=2)),
    ...     moves(Spread(values=(1,), median=1, mean=1, low=1, high=1)),
    ... )
    (True, False)
    """
    return len(difference.values) > 1 and not difference.low <= 0 <= difference.high


def table(found: Sensitivity) -> pd.DataFrame:
    """Return one row for each side of a setting and each figure that there is; `COLUMNS` says what the columns are."""
    rows = [
        {
            "setting": effect.setting,
            "side": effect.side,
            "label": effect.label,
            "figure": figure,
            "unit": UNITS[figure],
            "base": base.median,
            "difference": difference.median,
            "lowest": difference.low,
            "highest": difference.high,
            "moves": moves(difference),
        }
        for effect in found.effects
        for figure, difference in effect.differences.items()
        if difference is not None and (base := found.base[figure]) is not None
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))
