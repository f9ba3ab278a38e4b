"""Put beliefs to the test: every arm of every condition over some seeds, and what comes of it.

Both arms of a pair have the same seed, and so the same jobs, people and failures as far as they are not what is changed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import attrs

from allotment.experiment.parallel import Tell, each_in_a_process
from allotment.experiment.simulate import Interrupted, simulate
from allotment.experiment.spread import Spread
from allotment.lessons.card import Arm, Card, Condition
from allotment.lessons.metrics import FOUR, METRICS, Group
from allotment.lessons.verdict import Finding, Verdict, finding, interval, verdict
from allotment.scenario import Scenario
from allotment.units import HOUR, MINUTE

IN_UNIT = {"hours": 1 / HOUR, "minutes": 1 / MINUTE, "%": 100.0}  # what figures are multiplied by
Asked = tuple[str, Group]  # a figure, and the jobs that are looked at
Figures = Mapping[Asked, float | None]


@attrs.frozen(kw_only=True)
class Shown:
    """One figure of one arm: its value for each seed, in their order, and how they lie; None where a seed has none."""

    metric: str
    values: tuple[float | None, ...]
    lies: Spread | None


@attrs.frozen(kw_only=True)
class Side:
    """What an arm gave: the figure that decides, the four that are told of all, and what else the card looks at."""

    name: str
    decides: Shown
    figures: tuple[Shown, ...]


@attrs.frozen(kw_only=True)
class Outcome:
    """What one condition gave: its arms, the differences seed by seed, how they lie, and what they say of the belief."""

    condition: str
    sides: tuple[Side, ...]
    differences: tuple[float | None, ...]
    lies: Spread | None
    finding: Finding


@attrs.frozen(kw_only=True)
class Tried:
    """A belief that was put to the test."""

    card: Card
    seeds: tuple[int, ...]
    outcomes: tuple[Outcome, ...]
    verdict: Verdict

    @property
    def answer(self) -> Spread | None:
        """What the card's guess was about, in the unit of the guess; None where some seed has no such figure."""
        guess = self.card.guess
        of = next(outcome for outcome in self.outcomes if outcome.condition == guess.condition)
        lies = of.lies if not guess.arm else next(side for side in of.sides if side.name == guess.arm).decides.lies
        return None if lies is None else _times(lies, IN_UNIT[guess.unit])


@attrs.frozen(kw_only=True)
class Run:
    """A scenario to simulate, and the figures that are wanted of it."""

    scenario: Scenario
    asked: tuple[Asked, ...]


def try_out(
    cards: Sequence[Card], *, seeds: Sequence[int], processes: int | None = None, tell: Tell | None = None
) -> tuple[Tried, ...]:
    """Return what comes of each card over the same seeds.

    A scenario that several arms have in common runs once a seed. `processes` and `tell` are those of
    :func:`~allotment.experiment.parallel.run_all`.
    """
    wanted: dict[Scenario, dict[Asked, None]] = {}
    for arm, asked in (pair for card in cards for pair in _asked(card)):
        wanted.setdefault(arm.scenario, {}).update(dict.fromkeys(asked))
    runs = [
        Run(scenario=attrs.evolve(scenario, seed=seed), asked=tuple(asked))
        for scenario, asked in wanted.items()
        for seed in seeds
    ]
    done = each_in_a_process(runs, figures_of, processes=processes, tell=tell)
    many = len(seeds)
    by_scenario = {scenario: done[at * many : (at + 1) * many] for at, scenario in enumerate(wanted)}
    return tuple(_tried(card, tuple(seeds), by_scenario) for card in cards)


def figures_of(run: Run) -> Figures:
    """Simulate a scenario, and return the figures that are wanted of it."""
    try:
        result = simulate(run.scenario)
    except Interrupted:
        raise KeyboardInterrupt from None
    return {asked: METRICS[asked[0]].of(result, asked[1]) for asked in run.asked}


def _times(of: Spread, factor: float) -> Spread:
    return Spread(
        values=tuple(value * factor for value in of.values),
        median=of.median * factor,
        mean=of.mean * factor,
        low=of.low * factor,
        high=of.high * factor,
    )


def _asked(card: Card) -> Iterator[tuple[Arm, list[Asked]]]:
    for condition in card.conditions:
        for arm in condition.arms:
            yield arm, [(name, arm.of) for name in (_deciding(card, arm), *FOUR, *card.also)]


def _deciding(card: Card, arm: Arm) -> str:
    return arm.metric or card.metric


def _tried(card: Card, seeds: tuple[int, ...], done: Mapping[Scenario, Sequence[Figures]]) -> Tried:
    outcomes = tuple(_outcome(card, condition, done) for condition in card.conditions)
    return Tried(card=card, seeds=seeds, outcomes=outcomes, verdict=verdict([each.finding for each in outcomes]))


def _outcome(card: Card, condition: Condition, done: Mapping[Scenario, Sequence[Figures]]) -> Outcome:
    sides = tuple(_side(card, arm, done[arm.scenario]) for arm in condition.arms)
    second = sides[-1].decides.values
    first = sides[0].decides.values if len(sides) > 1 else (card.against,) * len(second)
    differences = tuple(difference(a, b, relative=card.relative) for a, b in zip(first, second, strict=True))
    lies = _lies(differences)
    found = Finding.OPEN if lies is None else finding(lies, card.predicts, card.threshold, len(differences))
    return Outcome(condition=condition.name, sides=sides, differences=differences, lies=lies, finding=found)


def _side(card: Card, arm: Arm, runs: Sequence[Figures]) -> Side:
    def of(name: str) -> Shown:
        values = tuple(run[name, arm.of] for run in runs)
        return Shown(metric=name, values=values, lies=_lies(values))

    return Side(
        name=arm.name, decides=of(_deciding(card, arm)), figures=tuple(of(name) for name in (*FOUR, *card.also))
    )


def difference(first: float | None, second: float | None, *, relative: bool) -> float | None:
    """Return second - first, or that as a part of the first; None where one is missing, or is to be a part of nothing.

    >>> difference(10, 12, relative=False), difference(10, 12, relative=True), difference(0, 1, relative=True)
    (2, 0.2, None)
    """
    if first is None or second is None:
        return None
    if not relative:
        return second - first
    return (second - first) / first if first else 0.0 if second == first else None


def _lies(values: Sequence[float | None]) -> Spread | None:
    given = [value for value in values if value is not None]
    return interval(given) if given and len(given) == len(values) else None
