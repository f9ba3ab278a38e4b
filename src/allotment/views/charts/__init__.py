"""Charts: each answers one question about a run, or about two side by side, and is a :class:`Picture`: data, not marks.

`draw` shows one in a notebook; `Drawn` keeps one on a page and brings it up to date. These two need the extra `lab`, and
are fetched when they are first asked for; making pictures does not.
"""

from __future__ import annotations

from typing import Any

from allotment.views.charts.comparison import comparison
from allotment.views.charts.delivery import delivery
from allotment.views.charts.dots import dots
from allotment.views.charts.groups import Highlight
from allotment.views.charts.moves import moves
from allotment.views.charts.node_map import node_map
from allotment.views.charts.occupancy import occupancy
from allotment.views.charts.picture import Picture
from allotment.views.charts.room import room
from allotment.views.charts.standing import standing
from allotment.views.charts.theory import theory
from allotment.views.charts.timeline import timeline
from allotment.views.charts.tornado import tornado
from allotment.views.charts.waits import waits

__all__ = [
    "Highlight",
    "Picture",
    "comparison",
    "delivery",
    "dots",
    "moves",
    "node_map",
    "occupancy",
    "room",
    "standing",
    "theory",
    "timeline",
    "tornado",
    "waits",
]


def __getattr__(name: str) -> Any:
    if name in ("Drawn", "draw"):
        from allotment.views.charts import drawing

        return getattr(drawing, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
