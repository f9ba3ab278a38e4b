"""Small scenarios and job tables for the tests of the world."""

from __future__ import annotations

import attrs
import numpy as np

from allotment.model.cluster import Cluster, Health
from allotment.model.plan import Plan, PlanNode
from allotment.model.policy import Backfill, Contracts, Key, Licence, Match, Partition, Policy
from allotment.scenario import Scenario
from allotment.units import DAY, HOUR, MINUTE
from allotment.workload.table import COLUMNS, JobTable, StreamTable

PLAN = Plan(
    name="two",
    children=(
        PlanNode(id="left", share="0.5"),
        PlanNode(id="right", share="0.4"),
    ),
)
PRIORITY = Policy(
    name="by priority",
    partitions=(Partition(match=Match.ALL, keys=(Key.PRIORITY, Key.AGE), licence=Licence.LOWER),),
    backfill=Backfill.ANY,
)
BUDGETS = Policy(
    name="by budget",
    contracts=Contracts(),
    partitions=(
        Partition(match=Match.FUNDED, keys=(Key.BALANCE, Key.PRIORITY, Key.AGE), licence=Licence.INTERRUPTIBLE),
        Partition(match=Match.ALL, keys=(Key.USE, Key.PRIORITY, Key.AGE)),
    ),
    backfill=Backfill.ANY,
)
HEALTH = Health(
    hard_mtbf=20 * DAY,
    unhealthy_mtbf=10 * DAY,
    urgent_share="0.2",
    repair=6 * HOUR,
    person_time=30 * MINUTE,
    drain_patience=HOUR,
    engineers=1,
    crews=1,
)


def scenario(*, nodes=4, per_node=8, horizon=10 * DAY, health=None, policy=BUDGETS, cycle=30, **more):
    return Scenario(
        name="small",
        cluster=Cluster(name="small", nodes=nodes, gpus_per_node=per_node, cycle=cycle, health=health),
        plan=PLAN,
        policy=policy,
        workload=(),
        warmup=0,
        measured=horizon,
        **more,
    )


def jobs(*given, **columns):
    """A table of jobs of one open stream: (submit, gpus, work) each, and columns that differ from the usual."""
    count = len(given)
    submit, gpus, work = (np.array([row[place] for row in given], np.int64) for place in range(3))
    usual = {
        "leaf": 0,
        "stream": 0,
        "kind": 0,
        "user": 0,
        "submit": submit,
        "gpus": gpus,
        "work": work,
        "min_runtime": 0,
        "resumable": False,
        "checkpoint": 0,
        "startup": 0,
        "restart": 0,
        "priority": 2,
        "preemptible": True,
        "limit": work * 2,
        "hold": 0,
    } | columns
    none = np.zeros(0, np.int64)
    streams = StreamTable(
        names=("open",), kinds=("train",), leaf=[0], closed=[False], target_at=[0, 0], times=none, gpus=none
    )
    arrays = {name: np.broadcast_to(np.asarray(usual[name]), (count,)) for name in COLUMNS}
    users = tuple(f"user{row}" for row in range(1 + int(np.max(arrays["user"], initial=0))))
    return JobTable(leaves=("left", "right"), kinds=("train",), users=users, streams=streams, **arrays)


def busy_jobs(count=400, *, seed=1, horizon=10 * DAY):
    """Enough work for a small cluster to be full, with and without contracts, movable and not."""
    rng = np.random.default_rng(seed)
    submit = np.sort(rng.integers(0, horizon, count))
    gpus = rng.choice([1, 2, 4, 8, 16], count)
    work = rng.integers(5 * MINUTE, 12 * HOUR, count)
    made = jobs(*zip(submit.tolist(), gpus.tolist(), work.tolist(), strict=True))
    return attrs.evolve(
        made,
        users=tuple(f"user{row}" for row in range(12)),
        leaf=rng.integers(0, 2, count),
        user=rng.integers(0, 12, count),
        min_runtime=rng.choice([0, 15 * MINUTE, 2 * HOUR, 8 * HOUR], count),
        resumable=np.ones(count),
        checkpoint=np.full(count, 30 * MINUTE),
        preemptible=rng.random(count) < 0.7,
    )
