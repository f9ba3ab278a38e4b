"""What people do besides submitting a stream of jobs. Settings of a scenario; a scenario without them has none of it.

`Impatience` and `Sessions` react to waits; `Squatting`, `Inflation` and `OverAsking` are what people do to the regime
that they live under: keep what they hold, mark their work higher, ask for more than they need.

Each value describes one behaviour; all that is left to chance in it is drawn before the run, from generators keyed by
the scenario's seed, the behaviour's name and the leaf or the user, so that every policy meets the same people.
`allotment.world` plays them. One more behaviour is one more value here and in `Person`, and its play there.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any, Literal

import attrs

from allotment.model.checks import at_least, between, one_line
from allotment.model.codes import Priority
from allotment.model.shares import exact_share
from allotment.model.typed import typed
from allotment.units import DAY, HOUR, MINUTE, Seconds

DAY_HOURS = 24


def _names(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(names)


def _unique(_instance: Any, attribute: attrs.Attribute[Any], value: tuple[str, ...]) -> None:
    twice = sorted({name for name in value if value.count(name) > 1})
    if twice:
        raise ValueError(f"{attribute.name} must hold each name once; {twice[0]!r} is there twice")


@attrs.frozen(kw_only=True, field_transformer=typed)
class Pause:
    """A duration that differs from time to time: log-normal around `median` (seconds).

    `sigma` is the standard deviation of the natural logarithm: 0 is always the median, 1.0 puts nine in ten below 3.6
    medians.
    """

    median: Seconds = attrs.field(validator=at_least(1))
    """Half of the times it lasts longer."""
    sigma: float = attrs.field(default=1.0, converter=float, validator=between(0, 5))
    """The standard deviation of the natural logarithm: 0 is always the median, 1.0 puts nine in ten below 3.6 medians."""


@attrs.frozen(kw_only=True, field_transformer=typed)
class Hours:
    """When people are at work: from `begin` to `end` o'clock in the scenario's time zone, on weekends only if so said."""

    begin: int = attrs.field(default=9, validator=between(0, DAY_HOURS - 1))
    """The hour from which on they work."""
    end: int = attrs.field(default=18, validator=between(1, DAY_HOURS))
    """The hour until which they work."""
    weekends: bool = False
    """Whether they work on Saturdays and Sundays too."""

    def __attrs_post_init__(self) -> None:
        if self.begin >= self.end:
            raise ValueError(f"begin must be before end ({self.end}), not {self.begin!r}")


@attrs.frozen(kw_only=True, field_transformer=typed)
class Impatience:
    """Users who cancel a job that has waited too long for its first start, and may ask for less.

    It is about jobs of open and recorded streams: those of `leaves` and of `kinds`, where empty means all. A part
    `share` of the users is impatient, always the same ones. After a `patience` of its own a job of theirs that has not
    started is cancelled; a part `resubmit` of these comes back at once, once, with `keep` of its GPUs (rounded down, at
    least one) and as much more run time as it then needs, if that is fewer GPUs than before.
    """

    type: Literal["impatience"] = "impatience"
    """Tells which behaviour it is."""
    name: str = attrs.field(default="impatience", validator=one_line())
    """What the behaviour is called; its chances are drawn from generators keyed by it."""
    leaves: tuple[str, ...] = attrs.field(default=(), converter=_names, validator=_unique)
    """The ids of the plan nodes that it is about; empty means all."""
    kinds: tuple[str, ...] = attrs.field(default=(), converter=_names, validator=_unique)
    """The kinds of work that it is about; empty means all."""
    share: float = attrs.field(converter=float, validator=between(0, 1))
    """The part of the users that is impatient, always the same ones."""
    patience: Pause = attrs.field(factory=lambda: Pause(median=4 * HOUR))
    """How long a job of theirs may wait for its first start before it is cancelled."""
    resubmit: float = attrs.field(default=0.0, converter=float, validator=between(0, 1))
    """The part of the cancelled jobs that comes back at once, once."""
    keep: float = attrs.field(default=0.5, converter=float, validator=between(0, 1))
    """The part of its GPUs that such a job asks for then, rounded down."""
    source: str = ""
    """Where its figures come from."""


@attrs.frozen(kw_only=True, field_transformer=typed)
class Sessions:
    """People who work in rounds: submit a short job, wait until it is over, think, submit the next one.

    `people` of them in each of `leaves` (empty means every leaf) submit jobs of `kind` that ask for `gpus` and a
    contract of `min_runtime`, are not resumable, and run for a `run_time` that, with the start-up, `limit` cuts short.
    So a cluster that answers slowly is asked less often. With `hours` nobody submits outside them.
    """

    type: Literal["sessions"] = "sessions"
    """Tells which behaviour it is."""
    name: str = attrs.field(default="sessions", validator=one_line())
    """What the behaviour is called; its chances are drawn from generators keyed by it."""
    leaves: tuple[str, ...] = attrs.field(default=(), converter=_names, validator=_unique)
    """The ids of the plan nodes that it is about; empty means all."""
    people: int = attrs.field(validator=between(1, 10_000))
    """How many people work so in each leaf."""
    kind: str = attrs.field(default="debug", validator=one_line())
    """The kind that their jobs are of."""
    gpus: int = attrs.field(default=1, validator=at_least(1))
    """The GPUs that each job asks for."""
    run_time: Pause = attrs.field(factory=lambda: Pause(median=5 * MINUTE))
    """How long a job runs."""
    think: Pause = attrs.field(factory=lambda: Pause(median=15 * MINUTE))
    """How long they think before they submit the next one."""
    min_runtime: Seconds = attrs.field(default=15 * MINUTE, validator=at_least(0))
    """The contract that each job asks for; 0 asks none."""
    startup: Seconds = attrs.field(default=0, validator=at_least(0))
    """How long a job holds its GPUs before its work begins."""
    limit: Seconds = attrs.field(default=HOUR, validator=at_least(1))
    """The time limit of each job, which cuts its run time short."""
    priority: Priority = attrs.field(default=Priority.NORMAL, converter=Priority)
    """The priority of their jobs."""
    preemptible: bool = True
    """Whether their jobs may be displaced under policies without contracts."""
    hours: Hours | None = None
    """When they are at work; null is always."""
    source: str = ""
    """Where its figures come from."""

    def __attrs_post_init__(self) -> None:
        if self.limit <= self.startup:
            raise ValueError(f"limit must be longer than the start-up of {self.startup} s, not {self.limit!r}")


@attrs.frozen(kw_only=True, field_transformer=typed)
class Squatting:
    """Users who keep an interactive session when its work is done, its GPUs idle, so as not to queue again.

    It is about jobs of `leaves` and of `kinds`, where empty means all. A part `users` of the users does so, always the
    same ones, with a part `share` of their sessions. Such a session holds its GPUs for a `hold` of its own, at most
    `longest`, after its work; its user asks a time limit that allows it, and (unless `preemptible`) marks it "do not
    preempt", which policies without contracts heed.

    Under contracts it is protected for the contract that it asked, and may be displaced after it like any other work.
    Whatever stops a session whose work is done ends it: nothing is lost, and it does not come back.
    """

    type: Literal["squatting"] = "squatting"
    """Tells which behaviour it is."""
    name: str = attrs.field(default="squatting", validator=one_line())
    """What the behaviour is called; its chances are drawn from generators keyed by it."""
    leaves: tuple[str, ...] = attrs.field(default=(), converter=_names, validator=_unique)
    """The ids of the plan nodes that it is about; empty means all."""
    kinds: tuple[str, ...] = attrs.field(default=("debug",), converter=_names, validator=_unique)
    """The kinds of work that it is about; empty means all."""
    users: float = attrs.field(default=1.0, converter=float, validator=between(0, 1))
    """The part of the users that does so, always the same ones."""
    share: float = attrs.field(converter=float, validator=between(0, 1))
    """The part of their sessions that they keep."""
    hold: Pause = attrs.field(factory=lambda: Pause(median=8 * HOUR, sigma=1.5))
    """How long such a session holds its GPUs after its work."""
    longest: Seconds = attrs.field(default=7 * DAY, validator=at_least(1))
    """The longest that it does."""
    preemptible: bool = False
    """Whether such a session may be displaced under policies without contracts."""
    source: str = ""
    """Where its figures come from."""


@attrs.frozen(kw_only=True, field_transformer=typed)
class Tolerance:
    """How long a wait may be for jobs of one kind (seconds)."""

    kind: str = attrs.field(validator=one_line())
    """The kind of work."""
    wait: Seconds = attrs.field(validator=at_least(0))
    """How long its jobs may wait for their first start."""


def _tolerances(values: Iterable[Tolerance]) -> tuple[Tolerance, ...]:
    return tuple(values)


@attrs.frozen(kw_only=True, field_transformer=typed)
class Inflation:
    """Teams that wait too long and therefore mark their next jobs higher, step by step.

    It is about jobs of `leaves` and of `kinds`, where empty means all. Each team looks at its jobs `every` so often,
    for the first time at a moment of its own: at those that started since its last look, and at those that still wait
    for their first start and have done so for too long. If not `quantile` of them started within their kind's
    tolerance (`tolerance`, but for what `tolerances` say), it marks a part `step` more of its next jobs one level
    higher than they were meant, up to `highest`; and, with `pin`, that part more of them "do not preempt", which
    policies without contracts heed. Where waits are fine it takes back `relax` and `unpin`, which are 0 by default: a
    ratchet. Of a team that saw nothing, everything stays. Jobs that were submitted keep their marks.

    With a step of 0.1 a team has marked a half of its jobs one level higher after five looks, and all of them two
    levels higher after twenty.
    """

    type: Literal["inflation"] = "inflation"
    """Tells which behaviour it is."""
    name: str = attrs.field(default="inflation", validator=one_line())
    """What the behaviour is called; its chances are drawn from generators keyed by it."""
    leaves: tuple[str, ...] = attrs.field(default=(), converter=_names, validator=_unique)
    """The ids of the plan nodes that it is about; empty means all."""
    kinds: tuple[str, ...] = attrs.field(default=(), converter=_names, validator=_unique)
    """The kinds of work that it is about; empty means all."""
    tolerance: Seconds = attrs.field(default=HOUR, validator=at_least(0))
    """How long jobs of any kind may wait for their first start."""
    tolerances: tuple[Tolerance, ...] = attrs.field(default=(), converter=_tolerances)
    """The same for single kinds."""
    quantile: Fraction = attrs.field(default=Fraction(9, 10), converter=exact_share, validator=between(0, 1))
    """The part of the jobs that must start within that for a team to be content."""
    every: Seconds = attrs.field(default=DAY, validator=at_least(MINUTE))
    """How often a team looks."""
    step: float = attrs.field(default=0.1, converter=float, validator=between(0, 3))
    """How much more of its next jobs a team marks one level higher; 1 is all of them."""
    relax: float = attrs.field(default=0.0, converter=float, validator=between(0, 3))
    """How much of that it takes back where waits are fine; 0 is a ratchet."""
    highest: Priority = attrs.field(default=Priority.HIGH, converter=Priority)
    """The highest priority that it marks."""
    pin: float = attrs.field(default=0.0, converter=float, validator=between(0, 1))
    """How much more of its next jobs it marks "do not preempt"."""
    unpin: float = attrs.field(default=0.0, converter=float, validator=between(0, 1))
    """How much of that it takes back where waits are fine."""
    source: str = ""
    """Where its figures come from."""

    @tolerances.validator
    def _once_each(self, _attribute: attrs.Attribute[Any], value: tuple[Tolerance, ...]) -> None:
        kinds = [tolerance.kind for tolerance in value]
        twice = sorted({kind for kind in kinds if kinds.count(kind) > 1})
        if twice:
            raise ValueError(f"tolerances must name each kind once; {twice[0]!r} is there twice")


@attrs.frozen(kw_only=True, field_transformer=typed)
class OverAsking:
    """Users who ask a longer contract than their work needs, whatever the kind of work.

    It is about jobs of `leaves` and of `kinds` that ask a contract, where empty means all. A part `share` of the users
    over-asks, always the same ones: each job asks `times` the contract that its kind would, at most `min_runtime`, or
    `min_runtime` outright where `times` is not given; and as ever no more than its time limit. Policies without
    contracts do not look at it.
    """

    type: Literal["over_asking"] = "over_asking"
    """Tells which behaviour it is."""
    name: str = attrs.field(default="over-asking", validator=one_line())
    """What the behaviour is called; its chances are drawn from generators keyed by it."""
    leaves: tuple[str, ...] = attrs.field(default=(), converter=_names, validator=_unique)
    """The ids of the plan nodes that it is about; empty means all."""
    kinds: tuple[str, ...] = attrs.field(default=(), converter=_names, validator=_unique)
    """The kinds of work that it is about; empty means all."""
    share: float = attrs.field(converter=float, validator=between(0, 1))
    """The part of the users that over-asks, always the same ones."""
    min_runtime: Seconds = attrs.field(default=8 * HOUR, validator=at_least(1))
    """The longest contract that they ask for; without `times` each of their jobs asks it."""
    times: float | None = attrs.field(
        default=None, converter=attrs.converters.optional(float), validator=between(1, 1000)
    )
    """How many times the contract of its kind each job asks for; null asks the longest outright."""
    source: str = ""
    """Where its figures come from."""


Person = Impatience | Sessions | Squatting | Inflation | OverAsking
