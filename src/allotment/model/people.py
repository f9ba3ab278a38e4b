"""What people do besides submitting a stream of jobs: react to waits, and work in rounds. Settings of a scenario.

Each value describes one behaviour; all that is left to chance in it is drawn before the run, from generators keyed by
the scenario's seed, the behaviour's name and the leaf or the user, so that every policy meets the same people.
`allotment.world.people` plays them. One more behaviour is one more value here and in `Person`, and its play there.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import attrs

from allotment.model.checks import at_least, between, one_line
from allotment.model.codes import Priority
from allotment.units import HOUR, MINUTE, Seconds

DAY_HOURS = 24


def _names(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(names)


def _unique(_instance: Any, attribute: attrs.Attribute[Any], value: tuple[str, ...]) -> None:
    twice = sorted({name for name in value if value.count(name) > 1})
    if twice:
        raise ValueError(f"{attribute.name} must hold each name once; {twice[0]!r} is there twice")


@attrs.frozen(kw_only=True)
class Pause:
    """A duration that differs from time to time: log-normal around `median` (seconds).

    `sigma` is the standard deviation of the natural logarithm: 0 is always the median, 1.0 puts nine in ten below 3.6
    medians.
    """

    median: Seconds = attrs.field(validator=at_least(1))
    sigma: float = attrs.field(default=1.0, converter=float, validator=between(0, 5))


@attrs.frozen(kw_only=True)
class Hours:
    """When people are at work: from `begin` to `end` o'clock in the scenario's time zone, on weekends only if so said."""

    begin: int = attrs.field(default=9, validator=between(0, DAY_HOURS - 1))
    end: int = attrs.field(default=18, validator=between(1, DAY_HOURS))
    weekends: bool = False

    def __attrs_post_init__(self) -> None:
        if self.begin >= self.end:
            raise ValueError(f"begin must be before end ({self.end}), not {self.begin!r}")


@attrs.frozen(kw_only=True)
class Impatience:
    """Users who cancel a job that has waited too long for its first start, and may ask for less.

    It is about jobs of open and recorded streams: those of `leaves` and of `kinds`, where empty means all. A part
    `share` of the users is impatient, always the same ones. After a `patience` of its own a job of theirs that has not
    started is cancelled; a part `resubmit` of these comes back at once, once, with `keep` of its GPUs (rounded down, at
    least one) and as much more run time as it then needs, if that is fewer GPUs than before.
    """

    type: Literal["impatience"] = attrs.field(default="impatience", validator=attrs.validators.in_(("impatience",)))
    name: str = attrs.field(default="impatience", validator=one_line())
    leaves: tuple[str, ...] = attrs.field(default=(), converter=_names, validator=_unique)
    kinds: tuple[str, ...] = attrs.field(default=(), converter=_names, validator=_unique)
    share: float = attrs.field(converter=float, validator=between(0, 1))
    patience: Pause = attrs.field(factory=lambda: Pause(median=4 * HOUR))
    resubmit: float = attrs.field(default=0.0, converter=float, validator=between(0, 1))
    keep: float = attrs.field(default=0.5, converter=float, validator=between(0, 1))
    source: str = ""


@attrs.frozen(kw_only=True)
class Sessions:
    """People who work in rounds: submit a short job, wait until it is over, think, submit the next one.

    `people` of them in each of `leaves` (empty means every leaf) submit jobs of `kind` that ask for `gpus` and a
    contract of `min_runtime`, are not resumable, and run for a `run_time` that, with the start-up, `limit` cuts short.
    So a cluster that answers slowly is asked less often. With `hours` nobody submits outside them.
    """

    type: Literal["sessions"] = attrs.field(default="sessions", validator=attrs.validators.in_(("sessions",)))
    name: str = attrs.field(default="sessions", validator=one_line())
    leaves: tuple[str, ...] = attrs.field(default=(), converter=_names, validator=_unique)
    people: int = attrs.field(validator=between(1, 10_000))
    kind: str = attrs.field(default="debug", validator=one_line())
    gpus: int = attrs.field(default=1, validator=at_least(1))
    run_time: Pause = attrs.field(factory=lambda: Pause(median=5 * MINUTE))
    think: Pause = attrs.field(factory=lambda: Pause(median=15 * MINUTE))
    min_runtime: Seconds = attrs.field(default=15 * MINUTE, validator=at_least(0))
    startup: Seconds = attrs.field(default=0, validator=at_least(0))
    limit: Seconds = attrs.field(default=HOUR, validator=at_least(1))
    priority: Priority = attrs.field(default=Priority.NORMAL, converter=Priority)
    preemptible: bool = True
    hours: Hours | None = None
    source: str = ""

    def __attrs_post_init__(self) -> None:
        if self.limit <= self.startup:
            raise ValueError(f"limit must be longer than the start-up of {self.startup} s, not {self.limit!r}")


Person = Impatience | Sessions
