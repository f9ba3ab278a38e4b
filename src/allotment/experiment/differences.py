"""Why a simulated figure is not the published one: our best explanation, in one sentence for each row and regime."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

EASE = (
    "every rule is known at once, and much of the work is batch work, which claims nothing, so that few claims have to save "
    "up; with more demand, as in `published-saturated`, less is delivered"
)
Reasons = Mapping[tuple[str, str], str]  # by the name of a row, and "before" or "after"
REASONS: Reasons = MappingProxyType(
    {
        ("delivered", "after"): EASE,
        ("teams_at_95", "after"): EASE,
        ("worst_team", "after"): EASE,
        ("occupancy", "before"): (
            "EASY keeps nodes for the gang at the head of the queue, which only work with a short time limit may use; a "
            "regime that starts whatever fits leaves less idle"
        ),
        ("occupancy", "after"): (
            "any gap is filled within a pass by work that asks no contract; nothing here waits for images, checks of nodes "
            "or people"
        ),
        ("unallocated", "after"): (
            "batch work asks no contract, and the mix that meets the figures before has more of it than the real one may "
            "have: `allotment sensitivity` shows that nothing moves this figure as much; a tenth of the plan is left open as "
            "well"
        ),
        ("debug_p90", "before"): (
            "with all marked HIGH debug work queues behind whatever came before it, and how long that takes hangs on the "
            "few weeks in which nearly all teams want much at once"
        ),
        (
            "debug_p90",
            "after",
        ): "a short claim starts in the next pass, every 30 s here, unless nothing may be displaced",
        (
            "all_p50",
            "before",
        ): "weeks without a queue and weeks with one alternate, so the median jumps between the two",
        ("all_p50", "after"): (
            "half of all jobs are funded as they come and start in the next pass, and nothing but the pass takes time here"
        ),
        ("all_p90", "before"): "most jobs are evaluations, which wait as debug work does",
        ("all_p90", "after"): (
            "more than nine jobs in ten are debug work or evaluations, and that evaluations ask short contracts, as debug "
            "work does, is our assumption; where they ask none this is days, as `allotment sensitivity` shows"
        ),
        ("repairs", "after"): (
            "only urgent cases need a person when drains end by themselves, and how many are urgent is an assumption of "
            "the cluster's file"
        ),
        ("high", "before"): "marks rise as long as waits are long, and a team that is served well has no reason to",
        ("longest_session", "before"): "a kept session is held for its longest in every month, if enough are kept",
        ("longest_session", "after"): (
            "sessions ask debug contracts and no more; what was published is the longest contract that anybody may ask, which "
            "it would be here, too, if some users asked that much"
        ),
    }
)
MADE_REASONS: Reasons = MappingProxyType(
    {
        (
            "debug_p90",
            "before",
        ): "what the scenario was made of is not known; this one has one free parameter, its demand",
        ("debug_p90", "after"): (
            "what the scenario was made of is not known; here a short claim may displace all that is unallocated or past "
            "its contract, and of that there is enough in every pass, however much is wanted"
        ),
    }
)
"""The same for the scenario that the operator made up."""
