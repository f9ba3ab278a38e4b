"""The figures that the operator published of its change of regime: the only place in the project that knows them.

They are self-reported by their operator (Ai2, the Allen Institute for AI, October 2026), of its largest cluster where
they are of one cluster, and known here through a secondary summary. Nothing that decides a simulation reads them; they
are printed beside what one gives.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import attrs

from allotment.experiment.measures import Unit
from allotment.units import DAY, HOUR, MINUTE

SOURCE = "self-reported by its operator"


@attrs.frozen(kw_only=True)
class Published:
    """What was published of one row, before and after; None where nothing was. Times in seconds, ratios 0 to 1."""

    title: str
    unit: Unit
    before: float | None = None
    after: float | None = None
    source: str = SOURCE


FIGURES: Mapping[str, Published] = MappingProxyType(
    {
        "delivered": Published(title="owed hours delivered", unit="ratio", after=0.98),
        "teams_at_95": Published(title="teams at 95 %", unit="count", after=13),
        "worst_team": Published(title="worst team", unit="ratio", after=0.90),
        "occupancy": Published(title="occupancy", unit="ratio", before=0.98, after=0.98),
        "unallocated": Published(title="unallocated", unit="ratio", after=0.18),
        "debug_p90": Published(title="debug wait, 9 in 10", unit="s", before=2 * HOUR, after=30),
        "all_p50": Published(title="all waits, median", unit="s", before=5 * MINUTE, after=24),
        "all_p90": Published(title="all waits, 9 in 10", unit="s", before=2.8 * HOUR, after=1.8 * HOUR),
        "repairs": Published(title="repairs by a person", unit="base 100", before=100, after=26),
        "high": Published(title="jobs marked HIGH", unit="ratio", before=1),
        "longest_session": Published(title="longest session", unit="s", before=7 * DAY, after=8 * HOUR),
        "preemptions": Published(title="preemptions", unit="count"),
        "work_lost": Published(title="work lost", unit="ratio"),
    }
)
"""The rows, in the order in which they are told; the last two are the price, of which nothing was published."""

MADE_SCENARIO: Mapping[str, Published] = MappingProxyType(
    {
        "debug_p90": Published(
            title="debug wait, 9 in 10",
            unit="s",
            before=6 * HOUR,
            after=5 * MINUTE,
            source="its operator's own simulator, on a scenario that it made",
        ),
        "occupancy": Published(title="occupancy", unit="ratio"),
        "delivered": Published(title="owed hours delivered", unit="ratio"),
        "worst_team": Published(title="worst team", unit="ratio"),
        "preemptions": Published(title="preemptions", unit="count"),
        "work_lost": Published(title="work lost", unit="ratio"),
    }
)
"""The same for a scenario that the operator made up for its own simulator: one figure, and ours of what it costs."""
