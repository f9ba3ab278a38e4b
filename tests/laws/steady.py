"""Teams that always want more than their share, and what each was charged at a moment, counted from the log alone."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import attrs
import numpy as np
from hypothesis import strategies as st

from allotment.kernel.log import Log
from allotment.model.codes import EndCode, SliceState
from allotment.model.plan import Plan, PlanNode
from allotment.scenario import Scenario
from allotment.units import HOUR
from allotment.workload.table import COLUMNS, JobTable, StreamTable
from tests.laws.made import budgets, scenario

WINDOW = HOUR  # so that the window is the same from the first second on


@attrs.frozen(eq=False, repr=False)  # hundreds of jobs
class Steady:
    """A scenario of budgets without loans, saving and holds, and its jobs: a closed stream for each leaf."""

    scenario: Scenario
    table: JobTable


@st.composite
def steady(draw: st.DrawFn, *, horizon: int = 3 * WINDOW) -> Steady:
    """Return teams of one or two levels whose streams hold one and a half times their share, or up to twice the cluster."""
    nodes, per_node = draw(st.integers(1, 4)), draw(st.sampled_from([1, 4, 8]))
    gpus = nodes * per_node
    plan = draw(_plans())
    leaves = plan.work_leaves(frozenset())
    targets = [
        draw(st.sampled_from([int(plan.absolute_share(leaf) * gpus * Fraction(3, 2)) + 1, gpus, 2 * gpus]))
        for leaf in leaves
    ]
    sizes = [size for size in (1, 2, 3, 8) if size <= per_node] + ([2 * per_node] if nodes > 1 else [])
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    rows = []
    for stream, target in enumerate(targets):
        mine = draw(st.lists(st.sampled_from(sizes), min_size=1, max_size=2))
        asked = draw(st.lists(st.sampled_from([60, 95, 300, 900]), min_size=1, max_size=2))
        left = (target + max(sizes)) * horizon
        while left > 0:
            taken, work = int(rng.choice(mine)), int(rng.lognormal(6.5, 1)) + 30
            rows.append((stream, taken, work, int(rng.choice(asked))))
            left -= taken * work
    policy = budgets(
        lookback=WINDOW,
        cap=HOUR,
        short=0,
        reserve=draw(st.sampled_from([Fraction(0), Fraction(1, 200), Fraction(1, 20)])),
        margin=draw(st.sampled_from([Fraction(0), Fraction(1, 20)])),
        cooldown=draw(st.sampled_from([0, 600])),
    )
    of = scenario(policy, plan, cluster=f"{nodes}x{per_node}", cycle=draw(st.sampled_from([10, 30])), horizon=horizon)
    return Steady(of, _table(leaves, targets, rows))


@st.composite
def _plans(draw: st.DrawFn) -> Plan:
    def family(names: str, depth: int) -> tuple[PlanNode, ...]:
        count = draw(st.integers(1, len(names)))
        parts = draw(st.lists(st.integers(1, 6), min_size=count, max_size=count))
        whole = sum(parts) + draw(st.integers(0, 6))
        return tuple(
            PlanNode(
                id=name,
                share=Fraction(part, whole),
                children=family("xyz", depth - 1) if depth and draw(st.booleans()) else (),
            )
            for name, part in zip(names, parts, strict=False)
        )

    tops = family("abc", 1)
    # ids are unique in a plan
    named = tuple(
        attrs.evolve(top, children=tuple(attrs.evolve(node, id=top.id + node.id) for node in top.children))
        for top in tops
    )
    return Plan(name="plan", children=named)


def _table(leaves: tuple[str, ...], targets: list[int], rows: list[tuple[int, ...]]) -> JobTable:
    columns: dict[str, Any] = {name: np.zeros(len(rows), np.int64) for name in COLUMNS}
    columns["stream"], columns["gpus"], columns["work"], columns["min_runtime"] = np.array(rows).T
    columns |= {"leaf": columns["stream"], "submit": columns["submit"] - 1, "limit": columns["work"]}
    columns |= {"checkpoint": columns["checkpoint"] + 60, "resumable": columns["resumable"] + 1}
    columns["priority"] = columns["priority"] + 2
    many = len(leaves)
    streams = StreamTable(
        names=leaves,
        kinds=("work",) * many,
        leaf=list(range(many)),
        closed=[True] * many,
        target_at=list(range(many + 1)),
        times=[0] * many,
        gpus=targets,
    )
    return JobTable(leaves=leaves, kinds=("work",), users=("somebody",), streams=streams, **columns)


class Account:
    """What the log says of moments on the grid of passes."""

    def __init__(self, case: Steady, log: Log) -> None:
        self.plan, self.table, self.log = case.scenario.plan, case.table, log
        self.per_node, self.gpus = case.scenario.cluster.gpus_per_node, case.scenario.cluster.gpus
        self.reserve = case.scenario.policy.contracts.reserve  # type: ignore[union-attr]
        segment = log.segments
        self.job = log.slices["job"][segment["slice"]]
        self.take = log.slices["take"][segment["slice"]]
        self.state, self.begin, self.end = segment["state"], segment["begin"], segment["end"]
        self.until = self.begin + self.table.min_runtime[self.job]
        self.leaf = self.table.leaf[self.job]

    def inside(self, node: str) -> np.ndarray[Any, Any]:
        leaves = [at for at, leaf in enumerate(self.table.leaves) if node in self.plan.lineage(leaf)]
        return np.isin(self.leaf, leaves)

    def entitled(self, node: str) -> int:
        return int(self.plan.absolute_share(node) * 10**8) * self.gpus * WINDOW // 10**8

    def delivered(self, node: str, time: int) -> int:
        """Return the GPU-seconds that were allocated in the window up to a moment."""
        held = np.minimum(self.end, time) - np.maximum(self.begin, time - WINDOW)
        mine = self.inside(node) & (self.state != SliceState.UNALLOCATED)
        return int((self.take * np.maximum(held, 0))[mine].sum())

    def coming(self, node: str, time: int) -> int:
        """Return the GPU-seconds that running contracts still have coming."""
        mine = self.inside(node) & (self.state == SliceState.PROTECTED) & self.runs(time)
        return int((self.take * (self.until - time))[mine].sum())

    def room(self, leaf: str, time: int) -> int:
        """Return the largest claim of a leaf that is funded, after the pass of a moment."""
        return min(
            self.entitled(node)
            - int(self.entitled(node) * self.reserve)
            - self.delivered(node, time)
            - self.coming(node, time)
            for node in self.plan.lineage(leaf)
        )

    def runs(self, time: int) -> np.ndarray[Any, Any]:
        return (self.begin <= time) & (time < self.end)

    def in_vain(self, leaf: str, time: int) -> list[str]:
        """Return the funded claims of a leaf that run unallocated, or wait although there is room that nobody is charged for."""
        room, row = self.room(leaf, time), self.table.leaves.index(leaf)
        claims = self.table.gpus * self.table.min_runtime
        slices, jobs = self.log.slices, self.log.jobs
        loose = self.runs(time) & (self.state == SliceState.UNALLOCATED) & (self.leaf == row)
        before = slices["start"][self.log.segments["slice"]] < time
        found = [
            f"job {job} runs unallocated at {time} s, and {room} GPU-seconds are left"
            for job in self.job[loose & before]
            if self._claim(job) <= room
        ]
        here = (self.table.leaf == row) & (jobs["submit"] >= 0) & (jobs["submit"] <= time)
        here &= (jobs["end"] < 0) | (jobs["end"] > time)
        here[slices["job"][(slices["start"] <= time) & (time < slices["end"])]] = False
        here[slices["job"][(slices["end"] == time) & (slices["end_code"] == EndCode.PREEMPTED)]] = False
        free = self._not_allocated(time)
        return found + [
            f"job {job} waits at {time} s, and {room} GPU-seconds are left"
            for job in np.flatnonzero(here & (claims <= room))
            if self._claim(job) <= room and self._fits(int(self.table.gpus[job]), free)
        ]

    def _claim(self, job: int) -> int:
        gpus = int(self.table.gpus[job])
        nodes = -(-gpus // self.per_node)
        return (gpus if nodes == 1 else nodes * self.per_node) * int(self.table.min_runtime[job])

    def _fits(self, gpus: int, free: np.ndarray[Any, Any]) -> bool:
        if gpus <= self.per_node:
            return bool((free >= gpus).any())
        return bool((free == self.per_node).sum() >= -(-gpus // self.per_node))

    def _not_allocated(self, time: int) -> np.ndarray[Any, Any]:
        free = np.full(self.gpus // self.per_node, self.per_node)
        rows = self.log.segments["slice"][self.runs(time) & (self.state != SliceState.UNALLOCATED)]
        for row in rows:
            nodes = self.log.placements["node"][self.log.placements["slice"] == row]
            free[nodes] -= self.log.slices["take"][row] // len(nodes)
        return free
