"""A card: what people believe of a shared cluster, and the paired experiment that shows how far it is true.

What would make the belief true is written in the card before anything runs: the figure, the direction, and the smallest
difference that matters. A card holds no figure of a run.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import IntEnum
from typing import Any, Literal

import attrs

from allotment.errors import ValueProblems
from allotment.experiment.measures import Unit
from allotment.lessons.metrics import METRICS, Group, metric_name
from allotment.model.checks import NOT_EMPTY, Validator, between, one_line
from allotment.model.people import Sessions
from allotment.model.typed import typed
from allotment.scenario import Scenario
from allotment.units import Seconds
from allotment.workload.classes import RecordedStream

LONGEST_TEXT = 1_200
FEWEST, MOST = 2, 4  # conditions of a card
_ID = re.compile(r"F\d\d")
_SOURCE = re.compile(r"[\w.-]+/[\w.-]+#\d+", re.ASCII)

SENTENCE: Validator = one_line(LONGEST_TEXT)


class Predicts(IntEnum):
    """What a belief says of the second arm's figure, set against the first's."""

    LESS = -1
    SAME = 0
    MORE = 1


def _check_id(_instance: Any, attribute: attrs.Attribute[str], value: str) -> None:
    if not _ID.fullmatch(value):
        raise ValueError(f"{attribute.name} must be F and two digits, such as 'F01', not {value!r}")


def _check_source(_instance: Any, attribute: attrs.Attribute[str], value: str) -> None:
    if not _SOURCE.fullmatch(value):
        raise ValueError(f"{attribute.name} must be a public thread such as 'owner/repository#12', not {value!r}")


@attrs.frozen(kw_only=True, field_transformer=typed)
class Guess:
    """What a learner guesses before anything is shown: a number, on a slider."""

    question: str = attrs.field(validator=SENTENCE)
    """What is asked."""
    unit: Literal["hours", "minutes", "%"]
    """What the answer is counted in."""
    low: float = attrs.field(converter=float)
    """The least that can be answered."""
    high: float = attrs.field(converter=float)
    """The most that can be answered."""
    condition: str = attrs.field(validator=one_line())
    """The condition that the question is about."""
    arm: str = ""
    """The arm of it whose figure is the answer; empty is how far the second is above the first."""

    def __attrs_post_init__(self) -> None:
        if self.low >= self.high:
            raise ValueError(f"low must be below high ({self.high:g}), not {self.low!r}")


@attrs.frozen(kw_only=True, field_transformer=typed)
class Evidence:
    """Something that happened, as somebody wrote in public."""

    what: str = attrs.field(validator=SENTENCE)
    """What happened, in our words."""
    source: str = attrs.field(validator=_check_source)
    """The public thread, as 'owner/repository#number'."""


@attrs.frozen(kw_only=True, field_transformer=typed)
class Arm:
    """One side of a pair: a scenario, and whose figures in it are looked at."""

    name: str = attrs.field(validator=one_line(60))
    """What the side is called."""
    scenario: Scenario
    """What is simulated; the seed is that of the pair."""
    of: Group = attrs.field(factory=Group)
    """The jobs that are looked at."""
    metric: str = attrs.field(default="", validator=metric_name)
    """Another figure than the card's, in the same unit; empty is the card's."""

    def __attrs_post_init__(self) -> None:
        plan, kinds = self.scenario.plan, _kinds(self.scenario)
        problems = [
            f"there is no team {leaf!r} to look at; there are {', '.join(plan.ids)}"
            for leaf in self.of.leaves
            if leaf not in plan.ids
        ]
        problems += [
            f"there is no work of kind {kind!r} to look at; there is {', '.join(kinds)}"
            for kind in self.of.kinds
            if kind not in kinds
        ]
        if problems:
            raise ValueProblems(problems)


def _kinds(scenario: Scenario) -> tuple[str, ...]:
    of_streams = [
        kind.name for stream in scenario.workload if not isinstance(stream, RecordedStream) for kind in stream.kinds
    ]
    return tuple(dict.fromkeys([*of_streams, *(who.kind for who in scenario.people if isinstance(who, Sessions))]))


def _texts(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(texts)


def _arms(arms: Iterable[Arm]) -> tuple[Arm, ...]:
    return tuple(arms)


@attrs.frozen(kw_only=True, field_transformer=typed)
class Condition:
    """Under which circumstances the pair is run; the two arms differ only in what the belief is about."""

    name: str = attrs.field(validator=one_line(60))
    """What the circumstances are, in a few words."""
    arms: tuple[Arm, ...] = attrs.field(converter=_arms, metadata=NOT_EMPTY)
    """The two arms; or one, whose figure is set against a number of the card."""
    differ_in: tuple[str, ...] = attrs.field(default=(), converter=_texts)
    """What differs between the scenarios of the two arms: streams and people by name, or a field such as 'policy'. All
    else is the same, so that both meet the same jobs and failures but for that."""

    def __attrs_post_init__(self) -> None:
        if not 1 <= len(self.arms) <= 2:
            raise ValueError(f"arms must be two, or one that is set against a number, not {len(self.arms)}")
        differ = differing(self.arms[0].scenario, self.arms[-1].scenario)
        problems = [
            f"the arms differ in {name!r}, which 'differ_in' does not name"
            for name in differ
            if name not in self.differ_in
        ]
        problems += [
            f"'differ_in' names {name!r}, in which the arms are the same"
            for name in self.differ_in
            if name not in differ
        ]
        if problems:
            raise ValueProblems(problems)


def differing(one: Scenario, other: Scenario) -> tuple[str, ...]:
    """Return what differs between two scenarios: fields, and in the workload and the people those that do, by name."""
    first, second = _parts(one), _parts(other)
    return tuple(name for name in dict.fromkeys([*first, *second]) if first.get(name) != second.get(name))


def _parts(scenario: Scenario) -> dict[str, Any]:
    split = ("workload", "people")
    fields = {field.name: getattr(scenario, field.name) for field in attrs.fields(Scenario) if field.name not in split}
    return fields | {thing.name: thing for part in split for thing in getattr(scenario, part)}


def _conditions(conditions: Iterable[Condition]) -> tuple[Condition, ...]:
    return tuple(conditions)


def _evidence(evidence: Iterable[Evidence]) -> tuple[Evidence, ...]:
    return tuple(evidence)


@attrs.frozen(kw_only=True, field_transformer=typed)
class Card:
    """One belief, put to the test."""

    id: str = attrs.field(validator=_check_id)
    """By which the card is asked for."""
    claim: str = attrs.field(validator=SENTENCE)
    """What people say."""
    fact: str = attrs.field(validator=SENTENCE)
    """What is so, in one or two sentences."""
    guess: Guess
    """What a learner is asked before the reveal."""
    metric: str = attrs.field(validator=metric_name)
    """The figure that decides, one of `METRICS`."""
    predicts: Predicts = attrs.field(converter=Predicts)
    """What the belief says of the figure in the second arm: less, the same, or more than in the first."""
    smallest: Seconds | None = None
    """The smallest difference that matters, for a figure in seconds."""
    smallest_points: float | None = attrs.field(default=None, validator=between(0, 1))
    """The same for a figure that is a ratio."""
    smallest_part: float | None = attrs.field(default=None, validator=between(0, 10))
    """The same as a part of the first arm's figure; the difference is then such a part, too."""
    against: float = attrs.field(default=0.0, converter=float)
    """What the figure is set against where a condition has one arm."""
    also: tuple[str, ...] = attrs.field(default=(), converter=_texts)
    """Other figures that are worth a look, of `METRICS`; they decide nothing."""
    switch: str = attrs.field(validator=SENTENCE)
    """What the conditions differ in: what makes the belief true or false."""
    conditions: tuple[Condition, ...] = attrs.field(converter=_conditions, metadata=NOT_EMPTY)
    """Two to four."""
    why: str = attrs.field(validator=SENTENCE)
    """Why it looks true."""
    true_where: str = attrs.field(validator=SENTENCE)
    """Where it is true, or would be."""
    try_it: str = attrs.field(validator=SENTENCE)
    """How to try to break it."""
    field: tuple[Evidence, ...] = attrs.field(converter=_evidence, metadata=NOT_EMPTY)
    """What happened in the field."""
    notes: str = ""
    """What the experiment leaves out."""

    def __attrs_post_init__(self) -> None:
        problems = list(_problems(self))
        if problems:
            raise ValueProblems(problems)

    @property
    def unit(self) -> Unit:
        """What the figure that decides is counted in."""
        return METRICS[self.metric].unit

    @property
    def threshold(self) -> float:
        """The smallest difference that matters, in the unit of the differences."""
        return float(next(given for given in _thresholds(self) if given is not None))

    @property
    def relative(self) -> bool:
        """Whether differences are parts of the first arm's figure."""
        return self.smallest_part is not None


def _thresholds(card: Card) -> tuple[float | None, ...]:
    return (card.smallest, card.smallest_points, card.smallest_part)


def _problems(card: Card) -> Iterable[str]:
    names = [condition.name for condition in card.conditions]
    if not FEWEST <= len(names) <= MOST:
        yield f"conditions must be {FEWEST} to {MOST}, not {len(names)}"
    yield from (f"the condition {name!r} is there twice" for name in sorted({n for n in names if names.count(n) > 1}))
    if sum(given is not None for given in _thresholds(card)) != 1:
        yield "give one of 'smallest', 'smallest_points' and 'smallest_part'"
    elif (card.smallest is not None and card.unit != "s") or (
        card.smallest_points is not None and card.unit != "ratio"
    ):
        yield f"{card.metric!r} is counted in {card.unit!r}, and the smallest difference that matters in something else"
    if card.smallest_part is not None and any(len(condition.arms) == 1 for condition in card.conditions):
        yield "'smallest_part' is a part of the first arm's figure, so each condition needs two arms"
    for name in card.also:
        if name not in METRICS:
            yield f"there is no figure {name!r} to look at; there are {', '.join(METRICS)}"
    for arm in (arm for condition in card.conditions for arm in condition.arms):
        if arm.metric and METRICS[arm.metric].unit != card.unit:
            yield f"arm {arm.name!r} has a figure in {METRICS[arm.metric].unit!r}, the card one in {card.unit!r}"
    counted = "ratio" if card.relative and not card.guess.arm else card.unit
    if counted != ("ratio" if card.guess.unit == "%" else "s"):
        yield f"the guess is in {card.guess.unit!r}, and its answer is counted in {counted!r}"
    asked = {condition.name: [arm.name for arm in condition.arms] for condition in card.conditions}
    if card.guess.condition not in asked:
        yield f"the guess is about condition {card.guess.condition!r}; there are {', '.join(map(repr, asked))}"
    elif card.guess.arm not in ("", *asked[card.guess.condition]):
        arms = ", ".join(map(repr, asked[card.guess.condition]))
        yield f"the guess is about arm {card.guess.arm!r} of {card.guess.condition!r}, which has {arms}"
