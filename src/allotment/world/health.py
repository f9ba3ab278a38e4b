"""Nodes break and are repaired. When they would break is drawn before the run, so every policy meets the same failures."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from simpy import Event

from allotment.model.cluster import Health
from allotment.model.policy import Policy
from allotment.scenario import Scenario
from allotment.workload.chance import generator
from allotment.world.clock import Play, World
from allotment.world.crews import Crews
from allotment.world.draws import log_normal, memoryless
from allotment.world.incidents import Case, Emptied, IncidentKind

# A moment at which a node breaks if it is in service, and how long its repair then takes (seconds).
FAULT = np.dtype([("node", "i4"), ("time", "i8"), ("kind", "i1"), ("urgent", "?"), ("repair", "i8")])

CHUNK = 8  # faults of a node drawn at a time; the number decides nothing

Records = npt.NDArray[Any]


def faults(health: Health, nodes: int, horizon: int, seed: int) -> Records:
    """Return all faults before `horizon` as rows of `FAULT`, by node and then by time.

    Each kind is a Poisson process on the calendar, drawn for each node from a generator of its own. A fault that falls
    into an earlier one's repair does not happen; since the process has no memory, that is the same as a clock that stands
    still meanwhile, and it leaves all others where they are, however long a policy takes to empty a node.
    """
    hard = _drawn(health, IncidentKind.HARD, health.hard_mtbf, nodes, horizon, seed)
    unhealthy = _drawn(health, IncidentKind.UNHEALTHY, health.unhealthy_mtbf, nodes, horizon, seed)
    both = np.concatenate([hard, unhealthy])
    return both[np.lexsort((both["kind"], both["time"], both["node"]))]


def _drawn(health: Health, kind: IncidentKind, mean: int, nodes: int, horizon: int, seed: int) -> Records:
    generators = [generator(seed, "health", str(node), kind.name) for node in range(nodes)]
    last = np.zeros(nodes, np.int64)
    left = np.arange(nodes)
    parts = [np.zeros(0, FAULT)]
    while left.size:
        u = np.stack([generators[node].random((CHUNK, 3)) for node in left])
        times = last[left, np.newaxis] + np.cumsum(memoryless(u[..., 0], mean), axis=1)
        row, column = np.nonzero(times < horizon)
        part = np.zeros(row.size, FAULT)
        part["node"], part["time"], part["kind"] = left[row], times[row, column], kind
        part["urgent"] = (kind is IncidentKind.UNHEALTHY) & (u[row, column, 1] < float(health.urgent_share))
        part["repair"] = log_normal(u[row, column, 2], health.repair, health.repair_spread)
        parts.append(part)
        last[left] = times[:, -1]
        left = left[times[:, -1] < horizon]
    return np.concatenate(parts)


class Repairs:
    """The incidents of one run, and what is done about each.

    A hard failure takes its node down at once. An unhealthy node is cordoned; when it is empty it is taken down. An
    engineer empties it where the case is urgent or where, under a policy without contracts, it has not drained in time:
    there a job that may not be preempted can hold it for as long as it runs. A node that fails hard while it drains is
    the same case, and is down at once. Every node that is down waits for a crew, and for its repair.
    """

    def __init__(self, world: World, scenario: Scenario, health: Health) -> None:
        self.cases: list[Case] = []
        self._world = world
        self._crews = Crews(world, health)
        self._horizon = scenario.horizon
        self._health = health
        self.follow(scenario.policy)
        ahead = faults(health, scenario.cluster.nodes, scenario.horizon, scenario.seed)
        for node in np.unique(ahead["node"]).tolist():
            world.env.process(self._life(node, ahead[ahead["node"] == node]))

    def follow(self, policy: Policy) -> None:
        """Have nodes that are cordoned from now on emptied as under this policy."""
        self._patience = None if policy.contracts is not None else self._health.drain_patience

    def _life(self, node: int, ahead: Records) -> Play:
        world = self._world
        for fault in ahead:
            time, kind = int(fault["time"]), IncidentKind(int(fault["kind"]))
            if time <= world.now:
                continue  # it fell into the case before
            yield world.at(time)
            case = Case(node=node, kind=kind, urgent=bool(fault["urgent"]), begin=time)
            self.cases.append(case)
            if kind is IncidentKind.HARD:
                world.scheduler.fail(node)
                case.emptied = Emptied.FAILED
            else:
                hard = ahead["time"][(ahead["kind"] == IncidentKind.HARD) & (ahead["time"] > time)]
                yield from self._empty(case, world.at(hard[0] if hard.size else self._horizon))
            case.down = world.now
            yield from self._crews.repair(case, int(fault["repair"]))
            world.scheduler.clear(node)
            case.repaired = world.now

    def _empty(self, case: Case, broken: Event) -> Play:
        """Empty an unhealthy node and take it down; `broken` is its next hard failure."""
        world, scheduler = self._world, self._world.scheduler
        case.cordoned = world.now
        drained = world.cordon(case.node)
        drained.callbacks.append(lambda _: setattr(case, "drained", world.now))
        settled = broken if case.urgent else world.either(drained, broken)
        if not case.urgent:
            yield settled if self._patience is None else settled | world.env.timeout(self._patience)
        if not settled.processed:
            yield settled | world.env.process(self._crews.visit(case, settled))
        world.forget(case.node)
        if broken.processed:
            scheduler.fail(case.node)
            case.emptied = Emptied.FAILED
        elif drained.triggered:
            scheduler.take_down(case.node)
            case.emptied = Emptied.DRAINED
        else:
            scheduler.evict(case.node)
            case.emptied = Emptied.ENGINEER
