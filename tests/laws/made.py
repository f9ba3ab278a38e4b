"""Scenarios and jobs written by hand, a line a job, for runs that can be checked on paper."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from allotment.kernel.engine import Engine
from allotment.kernel.log import Log
from allotment.model.cluster import Cluster
from allotment.model.codes import DecisionCode, EndCode, Reason, SliceState
from allotment.model.plan import Plan, PlanNode
from allotment.model.policy import Contracts, Key, Licence, Match, Partition, Policy, Window
from allotment.scenario import Scenario
from allotment.units import DAY, HOUR
from allotment.workload.table import COLUMNS, JobTable, StreamTable
from tests.laws.happenings import Happening, drive


def plan(**shares: Any) -> Plan:
    """Return a plan of budgets: ``a="1/2"`` is a leaf, ``a=("1/2", {"b": "1/4"})`` has children; a node may be given."""
    return Plan(name="plan", children=tuple(_node(name, given) for name, given in shares.items()))


def _node(name: str, given: Any) -> PlanNode:
    if isinstance(given, PlanNode):
        return given
    share, below = given if isinstance(given, tuple) else (given, {})
    return PlanNode(id=name, share=share, children=tuple(_node(*child) for child in below.items()))


def budgets(*, lookback: int = DAY, **settings: Any) -> Policy:
    """Return budgets with contracts, as shipped but for the settings; those of contracts and of the policy alike."""
    own = {name: settings.pop(name) for name in ("margin", "reclaim_within_leaf", "cooldown", "slot_limits", "backfill", "candidates") if name in settings}
    return Policy(
        name="budgets",
        window=Window(lookback=lookback, half_life=settings.pop("half_life", None)),
        contracts=Contracts(**{"lending": "none", "holders": 0, "save_after": None, "reserve": 0} | settings),
        partitions=(
            Partition(match=Match.FUNDED, keys=(Key.BALANCE, Key.PRIORITY, Key.AGE), licence=Licence.INTERRUPTIBLE),
            Partition(match=Match.ALL, keys=(Key.USE, Key.PRIORITY, Key.AGE)),
        ),
        **own,
    )
