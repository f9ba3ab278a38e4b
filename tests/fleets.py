"""Small fleets for tests: two or three clusters of a few nodes, with the work of `small-week`, which run in a moment."""

from __future__ import annotations

from typing import Any

from allotment.fleet import Fleet, Member, Portable
from allotment.model.switch import Switch
from allotment.presets import load_cluster, load_policy, load_scenario
from allotment.units import DAY

HALF = (Portable(kind="debug", part=0.5),)


def member(name: str, size: str = "4x8", *, policy: str = "priority", **switches: int) -> Member:
    """Return a member with the plan of `small-week`; ``budgets=3`` lets budgets take over on day 3."""
    later = [Switch(time=day * DAY, policy=load_policy(other)) for other, day in switches.items()]
    plan = load_scenario("small-week").plan
    return Member(name=name, cluster=load_cluster(size), plan=plan, policy=load_policy(policy), switches=later)


def fleet(*members: Member, **more: Any) -> Fleet:
    """Return a fleet of two days of warm-up and three that are measured, in which half of the debug jobs are portable."""
    usual = {"workload": load_scenario("small-week").workload, "portable": HALF, "warmup": 2 * DAY, "measured": 3 * DAY}
    return Fleet(**{"name": "fleet", "members": members, **usual} | more)
