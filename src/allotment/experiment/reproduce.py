"""Run scenarios under the regime before and the one after, over several seeds, and set them against what was published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs

from allotment.experiment.differences import REASONS, Reasons
from allotment.experiment.measures import Measures, Unit
from allotment.experiment.parallel import Tell, run_all
from allotment.experiment.published import FIGURES, Published
from allotment.experiment.simulate import variant
from allotment.experiment.spread import Spread, coverage, interval_rank, spread
from allotment.model.policy import Policy
from allotment.scenario import Scenario

ROUNDED: Mapping[Unit, float] = {"ratio": 0.005, "count": 0.5}  # what was published is whole percents and teams,
ROUNDED_PART = 0.1  # and "about" elsewhere
FAR = 2.0  # times: a median further off than this is explained wherever the interval lies
BASE = 100.0  # repairs that need a person are told as parts of those before


@attrs.frozen(kw_only=True)
class Row:
    """One figure: what was published of it, and what the simulation gives; None where there is no such figure.

    `before_differs` and `after_differs` say whether what was published lies outside the interval over seeds by more
    than it was rounded by, and `before_far` and `after_far` whether the median is off by more than `FAR` times; they are
    None where there is nothing to compare.
    """

    name: str
    published: Published
    before: Spread | None
    after: Spread | None

    @property
    def before_differs(self) -> bool | None:
        """Whether what was published of the regime before lies outside the interval."""
        return _differs(self.published.before, self.before, self.published.unit)

    @property
    def after_differs(self) -> bool | None:
        """Whether what was published of the regime after lies outside the interval."""
        return _differs(self.published.after, self.after, self.published.unit)

    @property
    def before_far(self) -> bool | None:
        """Whether the median is off by more than `FAR` times from what was published of the regime before."""
        return _far(self.published.before, self.before)

    @property
    def after_far(self) -> bool | None:
        """Whether the median is off by more than `FAR` times from what was published of the regime after."""
        return _far(self.published.after, self.after)


@attrs.frozen(kw_only=True)
class Reproduction:
    """All rows of a scenario over some seeds, and why they may differ.

    `rank` and `coverage` say what the intervals are: see :func:`~allotment.experiment.spread.interval_rank`.
    """

    scenario: str
    before: str
    after: str
    seeds: tuple[int, ...]
    rank: int
    coverage: float
    teams: int
    rows: tuple[Row, ...]
    reasons: Reasons


@attrs.frozen(kw_only=True)
class Setting:
    """A scenario, what was published of something like it, and why what it gives may differ from that."""

    scenario: Scenario
    figures: Mapping[str, Published] = FIGURES
    reasons: Reasons = REASONS


def reproduce(
    settings: Sequence[Setting],
    *,
    before: Policy,
    after: Policy,
    seeds: Sequence[int],
    processes: int | None = None,
    tell: Tell | None = None,
) -> tuple[Reproduction, ...]:
    """Return what each setting gives under two policies, over seeds, beside what was published.

    Both policies meet the same jobs, people and failures of a seed. `processes` and `tell` are those of
    :func:`~allotment.experiment.parallel.run_all`.
    """
    arms = [
        variant(setting.scenario, policy=policy, seed=seed)
        for setting in settings
        for seed in seeds
        for policy in (before, after)
    ]
    done = run_all(arms, processes=processes, tell=tell)
    each = 2 * len(seeds)
    return tuple(
        _set_against(setting, before.name, after.name, tuple(seeds), done[at * each : (at + 1) * each])
        for at, setting in enumerate(settings)
    )


def _set_against(
    setting: Setting, before: str, after: str, seeds: tuple[int, ...], done: Sequence[Measures]
) -> Reproduction:
    rank = interval_rank(len(seeds))
    indexed = [_with_index(first, second) for first, second in zip(done[0::2], done[1::2], strict=True)]
    return Reproduction(
        scenario=setting.scenario.name,
        before=before,
        after=after,
        seeds=seeds,
        rank=rank,
        coverage=coverage(len(seeds), rank),
        teams=int(max(each["teams"] or 0 for each in done)),
        rows=tuple(
            Row(
                name=name,
                published=published,
                before=spread([first[name] for first, _ in indexed], rank),
                after=spread([second[name] for _, second in indexed], rank),
            )
            for name, published in setting.figures.items()
        ),
        reasons=setting.reasons,
    )


def _differs(published: float | None, found: Spread | None, unit: Unit) -> bool | None:
    if published is None or found is None:
        return None
    rounded = ROUNDED.get(unit, ROUNDED_PART * published)
    return not found.low - rounded <= published <= found.high + rounded


def _far(published: float | None, found: Spread | None) -> bool | None:
    if published is None or found is None:
        return None
    return not published / FAR <= found.median <= published * FAR


def _with_index(before: Measures, after: Measures) -> tuple[Measures, Measures]:
    """Return both with repairs that needed a person as parts of those before, which are 100.

    >>> [each["repairs"] for each in _with_index({"repairs": 50}, {"repairs": 10})]
    [100.0, 20.0]
    """
    base = before["repairs"]
    first, second = (
        None if not base or each["repairs"] is None else BASE * each["repairs"] / base for each in (before, after)
    )
    return {**before, "repairs": first}, {**after, "repairs": second}
