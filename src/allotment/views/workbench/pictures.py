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


TERMS: Mapping[str, str] = MappingProxyType(
    {
        "slice": "one stretch in which a job holds its GPUs; a job that is stopped and goes on later has several",
        "protected": "its minimum runtime is not over, so nobody may displace it",
        "interruptible": "charged to a budget, its minimum runtime over: work with a better rank may displace it",
        "unallocated": "charged to no budget, and displaced as soon as funded work wants its GPUs",
        "standing": "how a team's part of the shares compares with its part of what was used lately; above 1 it is owed time",
        "open": "the part of a budget that none of its teams has; whoever wants it may use it, and nobody is owed it",
        "owed, delivered": "the less of what a team is entitled to and what it wants, hour by hour; how much of that it got",
    }
)
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
