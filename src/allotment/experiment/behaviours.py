"""What is in a scenario for the sake of realism, each to be left out by name, so that one can see what it does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

import attrs

from allotment.errors import InputError
from allotment.model.people import Inflation, OverAsking, Squatting
from allotment.scenario import Scenario
from allotment.workload.classes import RecordedStream


def without(scenario: Scenario, names: Iterable[str]) -> Scenario:
    """Return a scenario without these of `BEHAVIOURS`, and all else, jobs and chances included, as it was.

    Raises InputError for a name that is not among them.

    >>> from allotment.presets import load_scenario
    >>> [person.type for person in without(load_scenario("published-month"), ["squatting"]).people]
    ['inflation']
    """
    unknown = [name for name in names if name not in BEHAVIOURS]
    if unknown:
        known = ", ".join(BEHAVIOURS)
        raise InputError(
            "what to leave out", [f"there is no behaviour {name!r}; there are {known}" for name in unknown]
        )
    for name in names:
        scenario = BEHAVIOURS[name](scenario)
    return scenario


def _no_squatting(scenario: Scenario) -> Scenario:
    return attrs.evolve(scenario, people=tuple(who for who in scenario.people if not isinstance(who, Squatting)))


def _no_inflation(scenario: Scenario) -> Scenario:
    return attrs.evolve(scenario, people=tuple(who for who in scenario.people if not isinstance(who, Inflation)))


def _no_over_asking(scenario: Scenario) -> Scenario:
    return attrs.evolve(scenario, people=tuple(who for who in scenario.people if not isinstance(who, OverAsking)))


def _no_marks(scenario: Scenario) -> Scenario:
    """Let every job be displaced, where a policy asks; squatters' sessions included."""
    streams = tuple(
        attrs.evolve(stream, preemptible=True)
        if isinstance(stream, RecordedStream)
        else attrs.evolve(stream, kinds=tuple(attrs.evolve(kind, preemptible=1) for kind in stream.kinds))
        for stream in scenario.workload
    )
    people = tuple(
        attrs.evolve(who, preemptible=True)
        if isinstance(who, Squatting)
        else attrs.evolve(who, pin=0)
        if isinstance(who, Inflation)
        else who
        for who in scenario.people
    )
    return attrs.evolve(scenario, workload=streams, people=people)


def _no_failures(scenario: Scenario) -> Scenario:
    return attrs.evolve(scenario, cluster=attrs.evolve(scenario.cluster, health=None))


def _no_urgent_repairs(scenario: Scenario) -> Scenario:
    health = scenario.cluster.health
    if health is None:
        return scenario
    calm = attrs.evolve(health, urgent_share=0)
    return attrs.evolve(scenario, cluster=attrs.evolve(scenario.cluster, health=calm))


BEHAVIOURS: Mapping[str, Callable[[Scenario], Scenario]] = MappingProxyType(
    {
        "squatting": _no_squatting,
        "inflation": _no_inflation,
        "over-asking": _no_over_asking,
        "do-not-preempt": _no_marks,
        "failures": _no_failures,
        "urgent-repairs": _no_urgent_repairs,
    }
)
"""How each is left out: people's, by their type; marks that forbid to preempt; and nodes that break or break urgently."""
