"""What a page sees of its runs: frames, one after the other."""

from __future__ import annotations

from typing import Literal

import attrs

from allotment.model.changeset import Changeset
from allotment.model.switch import Switch
from allotment.results.result import Result
from allotment.workload.mix import Asked

State = Literal["empty", "running", "paused", "finished", "cancelled", "failed"]


@attrs.frozen(kw_only=True, eq=False)
class Frame:
    """What there is to see: the moment (s from the start), the results so far, and what the play is doing.

    `results` are whole up to `now`, one for each policy; empty before the first. `problem` says why a play failed, or why
    the last wish was refused.
    """

    number: int
    beginning: int
    """Which `begin` it belongs to; 0 is none yet."""
    state: State
    now: int
    horizon: int
    results: tuple[Result, ...] = ()
    problem: str = ""
    asked: tuple[Asked, ...] = ()
    """What each kind of work asks for."""
    edits: tuple[Changeset, ...] = ()
    """How the plan was changed by hand in these runs."""
    switches: tuple[tuple[Switch, ...], ...] = ()
    """Which policies took over by hand, for each of the runs."""


@attrs.frozen(kw_only=True)
class Over:
    """What is told of a run that is over. Its scheduler, which takes more memory than all else of a page, is let go of."""

    now: int
    horizon: int
    edits: tuple[Changeset, ...]
    switches: tuple[Switch, ...]
