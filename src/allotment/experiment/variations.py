"""What is turned to see what it moves: settings of jobs, people and policy, each a little lower and a little higher."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import partial

import attrs

from allotment.model.people import OverAsking
from allotment.model.policy import Candidates, Contracts, Lending, Policy
from allotment.scenario import Scenario
from allotment.workload.classes import ClosedStream, Kind, RecordedStream

Change = Callable[[Scenario], Scenario | None]  # None where it has nothing to change


@attrs.frozen(kw_only=True)
class Side:
    """One way to turn a setting: what to call it, and what it makes of a scenario."""

    label: str
    change: Change


@attrs.frozen(kw_only=True)
class Variation:
    """A setting, turned lower and higher; None where there is no such side. `about` says what is turned."""

    name: str
    about: str
    low: Side | None = None
    high: Side | None = None


def _kinds(scenario: Scenario, change: Callable[[Kind], Kind]) -> Scenario | None:
    """Change the kinds of work of all streams that have any, which a recording has not."""
    streams = tuple(
        stream
        if isinstance(stream, RecordedStream)
        else attrs.evolve(stream, kinds=tuple(change(kind) for kind in stream.kinds))
        for stream in scenario.workload
    )
    return attrs.evolve(scenario, workload=streams) if streams != scenario.workload else None


def _policy(scenario: Scenario, policy: Policy) -> Scenario | None:
    """Put in another policy, where the one that is there has contracts."""
    changed = scenario.policy.contracts is not None and policy != scenario.policy
    return attrs.evolve(scenario, policy=policy) if changed else None


def _checkpoints(scenario: Scenario, times: float) -> Scenario | None:
    """Let work that can be resumed write checkpoints at other intervals."""
    return _kinds(
        scenario,
        lambda kind: attrs.evolve(kind, checkpoint=max(1, round(kind.checkpoint * times))) if kind.resumable else kind,
    )


def _contracts(scenario: Scenario, times: float) -> Scenario | None:
    """Let all contracts above the short one be longer or shorter, at most the cap and never short."""
    given = scenario.policy.contracts
    if given is None:
        return None

    def asked(min_runtime: int) -> int:
        return min_runtime if min_runtime <= given.short else _between(given.short + 1, min_runtime * times, given.cap)

    return _kinds(
        scenario,
        lambda kind: attrs.evolve(
            kind, contracts=tuple(attrs.evolve(each, min_runtime=asked(each.min_runtime)) for each in kind.contracts)
        ),
    )


def _between(least: int, value: float, most: int) -> int:
    return min(max(least, round(value)), most)


def _short_contracts(scenario: Scenario, times: float) -> Scenario | None:
    """Let work that nobody sits at, and that asks short contracts, ask others: none, or longer ones."""
    given = scenario.policy.contracts
    if given is None:
        return None

    def ask(kind: Kind) -> Kind:
        if kind.interactive or any(each.min_runtime > given.short for each in kind.contracts):
            return kind
        return attrs.evolve(
            kind,
            contracts=tuple(
                attrs.evolve(each, min_runtime=min(round(each.min_runtime * times), given.cap))
                for each in kind.contracts
            ),
        )

    return _kinds(scenario, ask)


def _batch(scenario: Scenario, times: float) -> Scenario | None:
    """Let work without contracts be more or less of what is kept outstanding."""
    streams = tuple(
        attrs.evolve(
            stream,
            kinds=tuple(
                kind
                if any(each.min_runtime for each in kind.contracts)
                else attrs.evolve(kind, weight=kind.weight * times)
                for kind in stream.kinds
            ),
        )
        if isinstance(stream, ClosedStream)
        else stream
        for stream in scenario.workload
    )
    mixed = any(isinstance(stream, ClosedStream) and len(stream.kinds) > 1 for stream in scenario.workload)
    return attrs.evolve(scenario, workload=streams) if mixed and streams != scenario.workload else None


def _demand(scenario: Scenario, times: float) -> Scenario | None:
    """Let everything that is kept outstanding be more or less."""
    streams = tuple(
        attrs.evolve(stream, demand=stream.demand * times) if isinstance(stream, ClosedStream) else stream
        for stream in scenario.workload
    )
    return attrs.evolve(scenario, workload=streams) if streams != scenario.workload else None


def _resumable(scenario: Scenario, part: float) -> Scenario | None:
    """Let such a part of the work that can be resumed at all be resumable."""
    return _kinds(scenario, lambda kind: attrs.evolve(kind, resumable=part) if kind.resumable else kind)


def _over_asking(scenario: Scenario, share: float, times: float) -> Scenario | None:
    """Let a part of the users ask longer contracts than they need."""
    given = scenario.policy.contracts
    if given is None or any(isinstance(who, OverAsking) for who in scenario.people):
        return None
    people = (*scenario.people, OverAsking(share=share, times=times, min_runtime=given.cap))
    return attrs.evolve(scenario, people=people)


def _lending(scenario: Scenario, lending: Lending) -> Scenario | None:
    given: Contracts | None = scenario.policy.contracts
    return (
        None
        if given is None
        else _policy(scenario, attrs.evolve(scenario.policy, contracts=attrs.evolve(given, lending=lending)))
    )


def _candidates(scenario: Scenario, candidates: Candidates) -> Scenario | None:
    return _policy(scenario, attrs.evolve(scenario.policy, candidates=candidates))


def _margin(scenario: Scenario, margin: Fraction) -> Scenario | None:
    return _policy(scenario, attrs.evolve(scenario.policy, margin=margin))


def _lookback(scenario: Scenario, times: float) -> Scenario | None:
    """Let use count for longer or shorter, where the warm-up fills the window."""
    window = attrs.evolve(scenario.policy.window, lookback=round(scenario.policy.window.lookback * times))
    fills = window.lookback <= scenario.warmup
    return _policy(scenario, attrs.evolve(scenario.policy, window=window)) if fills else None


def _passes(scenario: Scenario, times: float) -> Scenario | None:
    """Let the scheduler look more or less often."""
    cluster = attrs.evolve(scenario.cluster, cycle=max(1, round(scenario.cluster.cycle * times)))
    return attrs.evolve(scenario, cluster=cluster) if cluster != scenario.cluster else None


def _times(name: str, about: str, change: Callable[..., Scenario | None], low: float, high: float) -> Variation:
    """Return a setting that is multiplied."""
    sides = [
        Side(
            label=f"x {Fraction(times).limit_denominator(10)}" if times < 0.7 else f"x {times:g}",
            change=partial(change, times=times),
        )
        for times in (low, high)
    ]
    return Variation(name=name, about=about, low=sides[0], high=sides[1])


VARIATIONS: tuple[Variation, ...] = (
    _times("checkpoints", "the time between two", _checkpoints, 1 / 3, 3),
    _times("contracts", "the minimum runtimes asked that are not short, up to the cap", _contracts, 1 / 2, 2),
    Variation(
        name="short contracts",
        about="what is asked by short work that nobody sits at, such as evaluations",
        low=Side(label="0", change=partial(_short_contracts, times=0)),
        high=Side(label="x 4", change=partial(_short_contracts, times=4)),
    ),
    _times("batch to rest", "outstanding work without contracts, to that with them", _batch, 1 / 2, 2),
    _times("demand", "how much work is kept outstanding", _demand, 0.8, 1.2),
    Variation(
        name="resumable",
        about="the part of such work that keeps its last checkpoint when it is displaced",
        low=Side(label="90 %", change=partial(_resumable, part=0.9)),
        high=Side(label="100 %", change=partial(_resumable, part=1)),
    ),
    Variation(
        name="over-asking",
        about="30 % of users ask four times the contract that their work needs, up to the cap",
        high=Side(label="30 %", change=partial(_over_asking, share=0.3, times=4)),
    ),
    Variation(
        name="candidates",
        about="which jobs of a team a pass looks at: the first, or the first of each class",
        low=Side(label="head", change=partial(_candidates, candidates=Candidates.HEAD)),
        high=Side(label="classes", change=partial(_candidates, candidates=Candidates.CLASSES)),
    ),
    Variation(
        name="lending",
        about="whether a claim above a team's own headroom may use that of its budget",
        low=Side(label="none", change=partial(_lending, lending=Lending.NONE)),
        high=Side(label="always", change=partial(_lending, lending=Lending.ALWAYS)),
    ),
    _times("lookback", "over how long use counts", _lookback, 1 / 2, 2),
    Variation(
        name="margin",
        about="how much less of its due than the victim's team a claimant's must have had",
        low=Side(label="0", change=partial(_margin, margin=Fraction(0))),
        high=Side(label="0.2", change=partial(_margin, margin=Fraction(1, 5))),
    ),
    _times("pass interval", "the time between two passes of the scheduler", _passes, 1 / 3, 4),
)
"""What is turned, in the order in which it is told. A side that leaves a scenario as it is, or does not fit it, is left out."""
