"""Which pictures the workbench shows, in their order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from allotment.results.result import Result
from allotment.views import charts
from allotment.views.charts.groups import Highlight
from allotment.views.charts.picture import Picture
from allotment.views.workbench.board import Make


def _waits(results: Sequence[Result], picked: Highlight) -> Picture:
    return charts.waits(*results, highlight=picked)


def _occupancy(results: Sequence[Result], picked: Highlight) -> Picture:
    return charts.occupancy(*results, highlight=picked)


def _delivery(results: Sequence[Result], picked: Highlight) -> Picture:
    return charts.delivery(*results, highlight=picked)


def _timeline(results: Sequence[Result], picked: Highlight) -> Picture:
    return charts.timeline(results[-1], highlight=picked)


def _standing(results: Sequence[Result], picked: Highlight) -> Picture:
    return charts.standing(results[-1], highlight=picked)


def _nodes(results: Sequence[Result], picked: Highlight) -> Picture:
    return charts.node_map(results[-1], highlight=picked)


PICTURES: Mapping[str, Make] = MappingProxyType(
    {
        "Queue wait": _waits,
        "Delivery": _delivery,
        "Occupancy": _occupancy,
        "Preemption": _timeline,
        "Standing": _standing,
        "Nodes": _nodes,
    }
)
