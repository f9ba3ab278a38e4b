"""Small plans and workloads for the tests of this folder."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import numpy as np

from allotment.model.cluster import Cluster
from allotment.model.plan import Plan, PlanNode
from allotment.units import DAY, HOUR, MINUTE
from allotment.workload.classes import ClosedStream, Contract, Kind, OpenStream, RunTime, Size, Stream, Swing
from allotment.workload.generate import generate
from allotment.workload.table import COLUMNS, JobTable

CLUSTER = Cluster.parse("16x8")
START = datetime(2026, 1, 5, tzinfo=ZoneInfo("America/Los_Angeles"))


def plan(**shares: float) -> Plan:
    """One level of budgets with these shares; by default a half, a quarter and an eighth."""
    given = shares or {"a": 0.5, "b": 0.25, "c": 0.125}
    return Plan(name="plan", children=tuple(PlanNode(id=name, share=share) for name, share in given.items()))


def kind(name: str = "debug", **changes: Any) -> Kind:
    given: dict[str, Any] = {
        "sizes": (Size(gpus=1, weight=3), Size(gpus=8, weight=1)),
        "run_time": RunTime(median=10 * MINUTE, sigma=1.0, longest=DAY),
        "contracts": (Contract(min_runtime=15 * MINUTE),),
    }
    return Kind(name=name, **(given | changes))


def open_stream(**changes: Any) -> OpenStream:
    given: dict[str, Any] = {"name": "open", "kinds": (kind(),), "jobs_per_week": 2000}
    return OpenStream(**(given | changes))


def closed_stream(**changes: Any) -> ClosedStream:
    long = RunTime(median=2 * HOUR, sigma=1.5)
    given: dict[str, Any] = {
        "name": "closed",
        "kinds": (kind("training", run_time=long, sizes=(Size(gpus=4), Size(gpus=12), Size(gpus=128))),),
        "demand": 2.0,
        "swing": Swing(every=DAY, low=0.2, high=1.8),
    }
    return ClosedStream(**(given | changes))


def jobs(
    *streams: Stream,
    plan: Plan = plan(),  # noqa: B008 - frozen
    days: int = 14,
    seed: int = 0,
    cluster: Cluster = CLUSTER,
    start: datetime = START,
) -> JobTable:
    return generate(streams, plan, cluster, start, days * DAY, seed)


def of(table: JobTable, leaf: str, stream: str | None = None) -> dict[str, Any]:
    """The columns of a leaf's jobs that do not depend on what else is in the table; users by name."""
    mask = table.leaf == table.leaves.index(leaf)
    if stream is not None:
        rows = [row for row, name in enumerate(table.streams.names) if name == stream]
        mask &= np.isin(table.stream, rows)
    columns = {name: getattr(table, name)[mask].tolist() for name in COLUMNS}
    del columns["leaf"], columns["stream"], columns["kind"], columns["user"]
    users, kinds = np.array(table.users, dtype=object), np.array(table.kinds, dtype=object)
    return columns | {"user": users[table.user[mask]].tolist(), "kind": kinds[table.kind[mask]].tolist()}
