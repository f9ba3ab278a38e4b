"""Try to break it: a card whose scenarios are turned, with all that was declared left as it is."""

from __future__ import annotations

import attrs

from allotment.lessons.card import Card
from allotment.scenario import Scenario
from allotment.workload.classes import ClosedStream


def wanting(card: Card, times: float) -> Card:
    """Return the card with so many times the work that teams keep outstanding, in every arm.

    >>> from allotment.lessons.cards import load_card
    >>> card = load_card("F12")
    >>> [stream.demand for stream in wanting(card, 0.5).conditions[0].arms[0].scenario.workload[1:]]
    [1.25, 1.25]
    """
    return attrs.evolve(
        card,
        conditions=tuple(
            attrs.evolve(
                condition,
                arms=tuple(attrs.evolve(arm, scenario=_wanting(arm.scenario, times)) for arm in condition.arms),
            )
            for condition in card.conditions
        ),
    )


def _wanting(scenario: Scenario, times: float) -> Scenario:
    streams = tuple(
        attrs.evolve(stream, demand=stream.demand * times) if isinstance(stream, ClosedStream) else stream
        for stream in scenario.workload
    )
    return attrs.evolve(scenario, workload=streams)
