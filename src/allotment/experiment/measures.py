"""The figures that one run is told by, where runs are set against each other."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Literal

Unit = Literal["ratio", "s", "count", "base 100", "GPU-hours"]  # what figures of runs are counted in
Measures = Mapping[str, float | None]
UNITS: Mapping[str, Unit] = MappingProxyType(
    {
        "delivered": "ratio",
        "teams_at_95": "count",
        "worst_team": "ratio",
        "teams": "count",
        "occupancy": "ratio",
        "unallocated": "ratio",
        "debug_p90": "s",
        "all_p50": "s",
        "all_p90": "s",
        "repairs": "count",
        "high": "ratio",
        "longest_session": "s",
        "preemptions": "count",
        "work_lost": "ratio",
    }
)
"""What the figures of `measure` are counted in; ratios are 0 to 1."""


def measure(summary: Mapping[str, Any]) -> Measures:
    """Return the figures of one run by their names; what a policy without contracts has none of is None.

    Times are in seconds, ratios 0 to 1; `repairs` counts those that needed a person.
    """
    delivered, waits = summary["delivered"], summary["wait"]
    contracts = delivered["comparable"]
    return {
        "delivered": delivered["cumulative"] if contracts else None,
        "teams_at_95": delivered["teams_at_95"] if contracts else None,
        "worst_team": delivered["worst"] if contracts else None,
        "teams": delivered["teams"],
        "occupancy": summary["occupancy"],
        "unallocated": summary["unallocated_share"] if contracts else None,
        "debug_p90": waits.get("debug", {}).get("p90"),
        "all_p50": waits["all"]["p50"],
        "all_p90": waits["all"]["p90"],
        "repairs": summary["repairs"]["with_a_person"],
        "high": summary["priorities"]["high"]["jobs"],
        "longest_session": summary["longest_protected_session"],
        "preemptions": summary["preemptions"],
        "work_lost": summary["work_lost_share"],
    }
