"""A policy as data: who comes first, whom it may displace, what is funded, and how gaps are filled.

The kernel knows no policy by name; everything that differs between policies is a field here.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum
from fractions import Fraction

import attrs

from allotment.errors import ValueProblems
from allotment.model.checks import NOT_EMPTY, at_least, between, one_line
from allotment.model.typed import typed
from allotment.units import DAY, HOUR, MINUTE, Seconds


class Match(IntEnum):
    """Which waiting jobs a partition holds."""

    ALL = 0
    FUNDED = 1
    UNFUNDED = 2


class Key(IntEnum):
    """One term of a rank; a partition compares its terms in order, then the job's id."""

    BALANCE = 1  # down the tree, lowest (usage + committed) / entitlement first
    USE = 2  # lowest (allocated + unallocated use) / entitlement of the leaf first
    PRIORITY = 3  # larger first
    AGE = 4  # earlier submit time first
    MIN_RUNTIME = 5  # shorter first
    SIZE = 6  # fewer GPUs first
    RETRY = 7  # displaced more often first
    LEVEL_FAIR_SHARE = 8  # down the tree, highest part of shares / part of use among siblings first; equal leaves tie
    FAIR_GPUS = 9  # down the tree, first who holds no more than its fair GPUs, then who stays in its quota, ...


class Licence(IntEnum):
    """Whom the work of a partition may displace."""

    NOBODY = 0
    INTERRUPTIBLE = 1  # unallocated slices, and interruptible ones where the balance allows
    LOWER = 2  # preemptible slices of a lower priority
    RECLAIM = 3  # of other leaves what is held above fair GPUs or quota; of its own leaf a lower priority


class Backfill(IntEnum):
    """What may start after a better-ranked candidate could not."""

    STRICT = 0  # nothing
    EASY = 1  # what does not delay the first one, by the users' time limits
    ANY = 2  # whatever fits
    UNALLOCATED_ONLY = 3  # nothing of the same partition; later partitions go on


class Lending(IntEnum):
    """When a claim above its leaf's own headroom may be funded from the budget's."""

    NONE = 0
    IDLE_KIN = 1  # while no kin with headroom has work that asks a contract above `short`
    ALWAYS = 2


class Candidates(IntEnum):
    """Which jobs of a leaf are looked at in one pass."""

    HEAD = 0  # the first one only
    CLASSES = 1  # the first of each (GPUs, minimum runtime)


MOST_HOLDERS = 16
WITHIN_CLASS = (Key.PRIORITY, Key.AGE, Key.RETRY)  # terms in which two jobs of one class can differ


def exact(value: Fraction | float | str) -> Fraction:
    """Return the fraction that the decimal as written stands for: 0.1 is one tenth, not its nearest double."""
    return value if isinstance(value, Fraction) else Fraction(str(value))


def _keys(keys: Iterable[Key]) -> tuple[Key, ...]:
    return tuple(Key(key) for key in keys)


@attrs.frozen(kw_only=True, field_transformer=typed)
class Window:
    """The lookback over which use counts, and an optional half-life inside it (seconds)."""

    lookback: Seconds = attrs.field(default=7 * DAY, validator=at_least(HOUR))
    """How far back use counts."""
    half_life: Seconds | None = attrs.field(default=None, validator=at_least(HOUR))
    """After how long use counts half within the lookback; null counts all of it whole."""


@attrs.frozen(kw_only=True, field_transformer=typed)
class Contracts:
    """The promise both ways: a minimum runtime that is protected and charged. Durations are whole seconds."""

    cap: Seconds = attrs.field(default=8 * HOUR, validator=at_least(1))
    """The longest minimum runtime that a job may ask for."""
    short: Seconds = attrs.field(default=15 * MINUTE, validator=at_least(0))
    """A claim of at most this minimum runtime is short: judged at the budget alone, it may use the reserve and displace
    any interruptible slice of another leaf."""
    reserve: Fraction = attrs.field(default=Fraction(1, 200), converter=exact, validator=between(0, 1))
    """The part of each entitlement that only short claims may use."""
    lending: Lending = attrs.field(default=Lending.IDLE_KIN, converter=Lending)
    """When a claim above its leaf's own headroom may be funded from that of the budget."""
    save_after: Seconds | None = attrs.field(default=24 * HOUR, validator=at_least(0))
    """How long a claim queues before its leaf saves up for it; null never saves."""
    holders: int = attrs.field(default=1, validator=between(0, MOST_HOLDERS))
    """How many funded gangs at once may have nodes fixed for them while they wait."""

    def __attrs_post_init__(self) -> None:
        if self.short > self.cap:
            raise ValueError(f"short must be at most the cap of {self.cap} s, not {self.short!r}")


@attrs.frozen(kw_only=True, field_transformer=typed)
class Quotas:
    """GPUs of now instead of GPU time: whole GPUs that are deserved, and more by weight while others leave them.

    The minimum runtimes are whole seconds, for plan nodes that say nothing else.
    """

    preempt_min_runtime: Seconds = attrs.field(default=0, validator=at_least(0))
    """How long a slice runs before work of its own leaf may stop it."""
    reclaim_min_runtime: Seconds = attrs.field(default=0, validator=at_least(0))
    """How long a slice runs before work of other leaves may stop it."""
    history: Fraction = attrs.field(default=Fraction(0), converter=exact, validator=between(0, 10))
    """The k by which use in the window makes the part above the quota smaller; 0 not at all."""
    multiplier: Fraction = attrs.field(default=Fraction(1), converter=exact, validator=between(1, 10))
    """How many times the claimant's held / fair GPUs must fit below the victim's, once it is above 1."""
    immune_within_quota: bool = True
    """Whether jobs marked as not preemptible run within the quota alone and are never stopped; else the mark means nothing."""


@attrs.frozen(kw_only=True, field_transformer=typed)
class Partition:
    """A part of the waiting work: what it matches, the ranked keys inside it, and its licence."""

    match: Match = attrs.field(converter=Match)
    """Which waiting work it holds."""
    keys: tuple[Key, ...] = attrs.field(converter=_keys, metadata=NOT_EMPTY)
    """The terms that rank the work in it, the first that differs deciding; then the job's number."""
    licence: Licence = attrs.field(default=Licence.NOBODY, converter=Licence)
    """Whom its work may displace."""

    @keys.validator
    def _once_each(self, _attribute: attrs.Attribute[tuple[Key, ...]], value: tuple[Key, ...]) -> None:
        if not value or len(set(value)) != len(value):
            raise ValueError(f"keys must name at least one term and none twice, not {[k.name.lower() for k in value]}")


def _partitions(partitions: Iterable[Partition]) -> tuple[Partition, ...]:
    return tuple(partitions)


@attrs.frozen(kw_only=True, field_transformer=typed)
class Policy:
    """All that the scheduler decides by. Durations are whole seconds."""

    name: str = attrs.field(validator=one_line())
    """What the policy is called."""
    title: str = ""
    """One line that says what it is."""
    description: str = ""
    """What more there is to say about it."""
    source: str = ""
    """Where its rules come from."""
    window: Window = attrs.field(factory=Window)
    """Over which time use counts."""
    contracts: Contracts | None = None
    """What is promised to work that fits its budget; null charges all work and leaves none unallocated."""
    quotas: Quotas | None = None
    """Who may hold how many GPUs now, for a policy without contracts; null asks nobody."""
    partitions: tuple[Partition, ...] = attrs.field(converter=_partitions, metadata=NOT_EMPTY)
    """The parts that waiting work is sorted into, the first served first."""
    backfill: Backfill = attrs.field(default=Backfill.ANY, converter=Backfill)
    """What may start past a job of better rank that does not fit."""
    candidates: Candidates = attrs.field(default=Candidates.CLASSES, converter=Candidates)
    """Which waiting jobs of a leaf are looked at in one pass."""
    margin: Fraction = attrs.field(default=Fraction(1, 20), converter=exact, validator=between(0, 1))
    """How much lower the claimant's ratio must be than the victim's for a reclaim by balance."""
    reclaim_within_leaf: bool = False
    """Whether work may displace work of its own leaf, by higher priority only."""
    cooldown: Seconds = attrs.field(default=10 * MINUTE, validator=at_least(0))
    """For how long a displaced job comes after all others where free GPUs are filled with unallocated work."""
    slot_limits: bool = True
    """Whether the limits of plan nodes on GPUs held at once count."""

    def __attrs_post_init__(self) -> None:
        problems = [problem for problem in self._contradictions() if problem]
        if problems:
            raise ValueProblems(problems)

    def _contradictions(self) -> list[str | None]:
        matches = [partition.match for partition in self.partitions]
        licences = [partition.licence for partition in self.partitions]
        orders = {tuple(key for key in partition.keys if key in WITHIN_CLASS) for partition in self.partitions}
        contracts = self.contracts is not None
        return [
            None if matches else "partitions must not be empty",
            None
            if not contracts or Match.FUNDED not in matches[1:]
            else "the partition of funded work must come first, as what began in a pass is not displaced in it",
            None if len(set(matches)) == len(matches) else "partitions must not match the same work twice",
            None
            if contracts or not {Match.FUNDED, Match.UNFUNDED} & set(matches)
            else "a partition can match funded or unfunded work only where the policy has contracts",
            None
            if contracts or Licence.INTERRUPTIBLE not in licences
            else "the licence 'interruptible' needs contracts; without them use 'lower' or 'nobody'",
            None
            if not contracts or Match.FUNDED in matches
            else "a policy with contracts needs a partition that matches funded work",
            None
            if not contracts or self.backfill is not Backfill.EASY
            else "backfill 'easy' is for policies without contracts; with contracts a gang is served by holders",
            *self._contradicts_quotas(),
            None
            if len(orders) <= 1
            else "partitions must name priority, age and retry in one order, as one queue serves them all",
        ]

    def _contradicts_quotas(self) -> list[str | None]:
        keys = [key for partition in self.partitions for key in partition.keys]
        licences = {partition.licence for partition in self.partitions}
        if self.quotas is None:
            return [
                "the key 'fair_gpus' needs quotas" if Key.FAIR_GPUS in keys else None,
                "the licence 'reclaim' needs quotas" if Licence.RECLAIM in licences else None,
            ]
        first = all(partition.keys[0] is Key.FAIR_GPUS for partition in self.partitions)
        return [
            None if self.contracts is None else "a policy has contracts or quotas, not both",
            None if first else "with quotas the key 'fair_gpus' must come first, as a queue is found level by level",
            None if licences <= {Licence.RECLAIM} else "with quotas the licence must be 'reclaim'",
            None if self.backfill is Backfill.ANY else "with quotas backfill must be 'any': nothing is reserved",
        ]
