"""The policies that ship, for examples that are checked on paper: their constants are what the examples are about."""

from __future__ import annotations

from typing import Any

import attrs

from allotment.model.plan import Plan
from allotment.model.policy import Policy
from allotment.presets import load_policy
from allotment.scenario import Scenario
from tests.laws.made import scenario

CONTRACTS = ("cap", "short", "reserve", "lending", "save_after", "holders")
LONG = 100_000  # s of work: more than any of these runs lasts, unless an example says so


def shipped(name: str = "budgets", **changes: Any) -> Policy:
    """Return a policy that ships, with other settings of its contracts or its own."""
    policy = load_policy(name)
    inner = {key: changes.pop(key) for key in CONTRACTS if key in changes}
    if inner:
        changes["contracts"] = attrs.evolve(policy.contracts, **inner)
    return attrs.evolve(policy, **changes)


def paper(of: Plan, *, policy: Policy | str = "budgets", cluster: str = "1x8", horizon: int, **more: Any) -> Scenario:
    """Return a scenario on a cycle of 30 s.

    A day of one node of eight GPUs is 8 x 86,400 = 691,200 GPU-seconds, which is what a share of 1 is entitled to
    during the first day.
    """
    rules = shipped(policy) if isinstance(policy, str) else policy
    return scenario(rules, of, cluster=cluster, cycle=30, horizon=horizon, **more)
