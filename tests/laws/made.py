"""Scenarios and jobs written by hand, a line a job, for runs that can be checked on paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

from allotment.kernel.engine import Engine
from allotment.kernel.log import Log
from allotment.model.cluster import Cluster
from allotment.model.codes import DecisionCode, EndCode, JobState, Reason, SliceState
from allotment.model.plan import Plan, PlanNode
from allotment.model.policy import Backfill, Contracts, Key, Lending, Licence, Match, Partition, Policy, Window
from allotment.scenario import Scenario
from allotment.units import HOUR
from allotment.workload.table import COLUMNS, JobTable, StreamTable
from tests.laws.happenings import Happening, drive

OWN_SETTINGS = ("margin", "reclaim_within_leaf", "cooldown", "slot_limits", "backfill", "candidates", "partitions")


def plan(**shares: Any) -> Plan:
    """Return a plan of budgets: ``a="1/2"`` is a leaf, ``a=("1/2", {"b": "1/4"})`` has a child; a node may be given."""
    return Plan(name="plan", children=tuple(_node(name, given) for name, given in shares.items()))


def _node(name: str, given: Any) -> PlanNode:
    if isinstance(given, PlanNode):
        return given
    share, below = given if isinstance(given, tuple) else (given, {})
    return PlanNode(id=name, share=share, children=tuple(_node(*child) for child in below.items()))


def budgets(*, lookback: int = HOUR, half_life: int | None = None, **settings: Any) -> Policy:
    """Return budgets with contracts and none of their comforts: no lending, no reserve, no saving, no holders.

    `settings` are those of the contracts and of the policy alike.
    """
    own = {name: settings.pop(name) for name in OWN_SETTINGS if name in settings}
    usual: dict[str, Any] = {"lending": Lending.NONE, "holders": 0, "save_after": None, "reserve": 0}
    funded = Partition(match=Match.FUNDED, keys=(Key.BALANCE, Key.PRIORITY, Key.AGE), licence=Licence.INTERRUPTIBLE)
    rest = Partition(match=Match.ALL, keys=(Key.USE, Key.PRIORITY, Key.AGE))
    return Policy(
        name="budgets",
        window=Window(lookback=lookback, half_life=half_life),
        contracts=Contracts(**usual | settings),
        **{"partitions": (funded, rest)} | own,
    )


def ranked(*keys: Key, licence: Licence = Licence.NOBODY, backfill: Backfill = Backfill.ANY) -> Policy:
    """Return a policy without contracts."""
    return Policy(
        name="ranked",
        window=Window(lookback=HOUR),
        partitions=(Partition(match=Match.ALL, keys=keys or (Key.AGE,), licence=licence),),
        backfill=backfill,
    )


def job(leaf: str, gpus: int, work: int, *, submit: int = 0, asks: int = 0, **more: Any) -> dict[str, Any]:
    """Return one row: GPUs, seconds of work, and the minimum runtime that it asks for."""
    usual = {"checkpoint": 0, "startup": 0, "restart": 0, "priority": 2, "preemptible": True, "stream": 0}
    given = usual | {"leaf": leaf, "gpus": gpus, "work": work, "submit": submit, "min_runtime": asks} | more
    return {"limit": given["work"] + given["startup"], "resumable": given["checkpoint"] > 0} | given


def table(leaves: Sequence[str], jobs: Sequence[dict[str, Any]], targets: Sequence[tuple[int, int]] = ()) -> JobTable:
    """Return a table of jobs of three streams: open, closed (with its targets: from when on how many GPUs), manual."""
    columns: dict[str, Any] = {name: np.zeros(len(jobs), np.int64) for name in COLUMNS}
    for row, given in enumerate(jobs):
        for name, value in given.items():
            columns[name][row] = leaves.index(value) if name == "leaf" else value
        if given["stream"]:
            columns["submit"][row] = -1
    closed = [given["leaf"] for given in jobs if given["stream"] == 1]
    return JobTable(
        leaves=tuple(leaves),
        kinds=("work",),
        users=("somebody",),
        streams=StreamTable(
            names=("open", "closed", "manual"),
            kinds=("work",) * 3,
            leaf=[0, leaves.index(closed[0]) if closed else 0, 0],
            closed=[False, True, False],
            manual=[False, False, True],
            target_at=[0, 0, len(targets), len(targets)],
            times=[time for time, _ in targets],
            gpus=[gpus for _, gpus in targets],
        ),
        **columns,
    )


def scenario(
    policy: Policy, of: Plan, *, cluster: str = "1x8", cycle: int = 10, horizon: int = HOUR, **more: Any
) -> Scenario:
    """Return a scenario without a workload of its own; the cluster is ``nodes x GPUs``."""
    nodes, per_node = (int(part) for part in cluster.split("x"))
    machines = Cluster(name="cluster", nodes=nodes, gpus_per_node=per_node, cycle=cycle)
    return Scenario(
        name="made", cluster=machines, plan=of, policy=policy, workload=(), warmup=0, measured=horizon, **more
    )


@attrs.frozen(kw_only=True, eq=False)
class Told:
    """A finished run in words."""

    log: Log

    def decisions(self, *codes: str, without: str = "refuse") -> list[tuple[Any, ...]]:
        """Return (time, decision, job) in order, of some kinds or of all but refusals."""
        said = [
            (int(row["time"]), DecisionCode(row["code"]).name.lower(), int(row["job"])) for row in self.log.decisions
        ]
        return [row for row in said if (row[1] in codes if codes else row[1] != without)]

    def rows(self, code: str, job: int | None = None) -> list[dict[str, Any]]:
        """Return the decisions of one kind, all columns, with the reason as a word and the level by its id."""
        found = []
        for row in self.log.decisions[self.log.decisions["code"] == DecisionCode[code.upper()]]:
            said = dict(zip(row.dtype.names, row.tolist(), strict=True))
            said["reason"] = Reason(said["reason"]).name.lower()
            said["level"] = self.log.tree_ids[said["level"]] if said["level"] >= 0 else None
            if job is None or said["job"] == job:
                found.append(said)
        return found

    def segments(self, job: int) -> list[tuple[str, int, int]]:
        """Return (state, begin, end) of all slices of a job."""
        mine = np.flatnonzero(self.log.slices["job"] == job)
        rows = self.log.segments[np.isin(self.log.segments["slice"], mine)]
        rows = rows[np.argsort(rows["begin"], kind="stable")]
        return [(SliceState(row["state"]).name.lower(), int(row["begin"]), int(row["end"])) for row in rows]

    def ends(self, job: int) -> list[str]:
        """Return why each slice of a job ended."""
        return [EndCode(code).name.lower() for code in self.log.slices["end_code"][self.log.slices["job"] == job]]

    def nodes(self, job: int, which: int = 0) -> list[int]:
        """Return the nodes of a job's first slice, or a later one."""
        mine = np.flatnonzero(self.log.slices["job"] == job)[which]
        return self.log.placements["node"][self.log.placements["slice"] == mine].tolist()

    def state(self, job: int) -> str:
        return JobState(self.log.jobs["state"][job]).name.lower()


def tell(
    of: Scenario,
    jobs: Sequence[dict[str, Any]],
    *happenings: Happening,
    targets: Sequence[tuple[int, int]] = (),
    leaves: Sequence[str] | None = None,
) -> Told:
    """Run jobs through a scenario and return what happened."""
    names = sorted(leaves or {*of.plan.work_leaves(), *(given["leaf"] for given in jobs)})
    return Told(log=drive(Engine(of, table(names, jobs, targets)), of.horizon, happenings))
