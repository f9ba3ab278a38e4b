"""Another policy that takes over during a run, and the phases of a run that follow from it."""

from __future__ import annotations

from collections.abc import Iterable

import attrs

from allotment.model.checks import at_least
from allotment.model.policy import Policy
from allotment.model.typed import typed
from allotment.units import Seconds


@attrs.frozen(kw_only=True, field_transformer=typed)
class Switch:
    """From some moment on another policy decides. Nothing is stopped for it: what runs and what waits is carried over."""

    time: Seconds = attrs.field(validator=at_least(0))
    """When, from the scenario's start."""
    policy: Policy
    """By which rules the scheduler decides from then on."""


@attrs.frozen(kw_only=True)
class Phase:
    """A part of a run under one policy, in seconds from the start; what happens at `end` belongs to the next one.

    `counts_from` is the moment from which on use counts: where what is charged means the same under the policy before,
    it reaches back into its phase, as far as that policy's own window did.
    """

    begin: int
    end: int
    policy: Policy
    counts_from: int


def counts_from(known_from: int, now: int, old: Policy, new: Policy) -> int:
    """Return from when on use counts where a new policy takes over `now` from one that knew it from `known_from` on.

    Where both have contracts or neither has, and use decays alike, all that is in the old window is known; else what was
    charged means something else, and use counts from now on.
    """
    alike = (old.contracts is None) == (new.contracts is None) and old.window.half_life == new.window.half_life
    return max(known_from, now - old.window.lookback) if alike else now


def phases(policy: Policy, switches: Iterable[Switch], horizon: int) -> tuple[Phase, ...]:
    """Return the phases of a run, in their order; one that another policy ends before it began is left out."""
    found: list[Phase] = []
    begin, since = 0, 0
    for switch in switches:
        if switch.time >= horizon:
            break
        if switch.time > begin:
            found.append(Phase(begin=begin, end=switch.time, policy=policy, counts_from=since))
        since = counts_from(since, switch.time, policy, switch.policy)
        begin, policy = switch.time, switch.policy
    return (*found, Phase(begin=begin, end=horizon, policy=policy, counts_from=since))
