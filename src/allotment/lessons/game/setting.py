"""What the commons game is played on: teams that are all alike, two nodes each, and the jobs that a seed gives them.

Every job is drawn before the game, as its team would ask for it with care, and once more as it would ask the most; which
of the two is submitted, and how it is marked, is what the teams choose. So both regimes, and every what-if, meet the
same jobs.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from allotment.model.checks import between
from allotment.model.cluster import Cluster
from allotment.model.codes import Priority
from allotment.model.plan import Plan, PlanNode
from allotment.model.policy import Policy
from allotment.presets import load_policy, load_workload
from allotment.scenario import Scenario
from allotment.units import DAY, HOUR
from allotment.workload.chance import generator
from allotment.workload.generate import generate
from allotment.workload.table import COLUMNS, JobTable, StreamTable, merge

Array = npt.NDArray[Any]

ROUNDS, MOST_ROUNDS = 8, 8
FEWEST_SEATS, SEATS, MOST_SEATS = 2, 12, 30
ROUND = DAY  # what a round plays
WARMUP = DAY  # before the first round everybody is careful, so that there is a queue to begin with
NODES, NODE = 2, 8  # nodes a team, and GPUs a node; a team that keeps one has half of what it is owed
CONTRACT = 8 * HOUR  # the longest that can be asked
LIMIT = 7 * DAY  # the longest time limit
POLICIES = ("priority", "budgets")
"""The regimes, in the order in which they are played: the old one first."""


@attrs.frozen(kw_only=True)
class Setting:
    """What decides a game, but for the choices: how many teams, how many rounds in each half, and the seed."""

    seats: int = attrs.field(default=SEATS, validator=between(FEWEST_SEATS, MOST_SEATS))
    rounds: int = attrs.field(default=ROUNDS, validator=between(1, MOST_ROUNDS))
    seed: int = attrs.field(default=0, validator=between(0, 2**63 - 1))

    @property
    def gpus(self) -> int:
        """The GPUs of the cluster."""
        return self.seats * NODES * NODE

    def scenario(self, policy: str) -> Scenario:
        """Return what is simulated under a policy, one of `POLICIES`."""
        return scenario(self, load_policy(policy))


def leaf(seat: int) -> str:
    """Return the id of the plan node of a seat, from 0.

    >>> leaf(0)
    'team-01'
    """
    return f"team-{seat + 1:02d}"


def scenario(setting: Setting, policy: Policy) -> Scenario:
    """Return the scenario of a half: every team is owed the same part of the cluster."""
    share = Fraction(1, setting.seats)
    return Scenario(
        name="commons",
        title=f"The commons game for {setting.seats} teams",
        cluster=Cluster.parse(f"{NODES * setting.seats}x{NODE}"),
        plan=Plan(name="alike", children=tuple(PlanNode(id=leaf(seat), share=share) for seat in range(setting.seats))),
        policy=policy,
        workload=load_workload("commons").streams,
        warmup=WARMUP,
        measured=setting.rounds * ROUND,
        seed=setting.seed,
    )


@attrs.frozen(kw_only=True, eq=False)
class Drawn:
    """The jobs of a game, all of which wait to be submitted.

    `table` holds first every job as asked for with care, then the same as its team asks the most, then a session for each
    seat and round in which a node may be kept. The arrays have one entry for each of the first `count` rows: whose it
    is, when it is asked for (s from the start; `order` sorts by that), whether it is a debug session, and the number
    by which half of the trainings are chosen.
    """

    table: JobTable
    count: int
    seat: Array
    asked: Array
    debug: Array
    u: Array
    order: Array

    def seat_of_rows(self) -> Array:
        """Return whose each row of the table is."""
        return np.concatenate([self.seat, self.seat, self.table.leaf[2 * self.count :]]).astype(np.int64)

    def session(self, seat: int, number: int, rounds: int) -> int:
        """Return the row of the session that a seat would begin in a round."""
        return 2 * self.count + seat * rounds + number


def draw(setting: Setting) -> Drawn:
    """Return the jobs of a game; they depend on its setting alone."""
    of = setting.scenario(POLICIES[0])
    careful = generate(of.workload, of.plan, of.cluster, of.start, of.horizon, of.seed)
    training = np.array([kind == "training" for kind in careful.kinds])[careful.kind]
    most = attrs.evolve(
        careful,
        min_runtime=np.where(training, CONTRACT, careful.min_runtime),
        limit=np.where(training, LIMIT, careful.limit),
        preemptible=careful.preemptible & ~training,
    )
    parts = [_by_hand(careful), _by_hand(most), _sessions(setting)]
    seat_of = {leaf(seat): seat for seat in range(setting.seats)}
    names = [f"{careful.leaves[row]}" for row in careful.leaf]
    asked = np.array(careful.submit)
    return Drawn(
        table=merge(careful.leaves, parts),
        count=len(careful),
        seat=np.array([seat_of[name] for name in names], np.int64),
        asked=asked,
        debug=~training,
        u=generator(setting.seed, "game", "marks").random(len(careful)),
        order=np.argsort(asked, kind="stable"),
    )


def _by_hand(table: JobTable) -> JobTable:
    """Return the table with all of its jobs to be submitted one by one."""
    streams = attrs.evolve(table.streams, manual=np.ones(len(table.streams), np.bool_))
    return attrs.evolve(table, streams=streams, submit=np.full(len(table), -1))


def _sessions(setting: Setting) -> JobTable:
    """Return a session for each seat and round: a node, to be kept for as long as its team will."""
    leaves = tuple(leaf(seat) for seat in range(setting.seats))
    total = setting.seats * setting.rounds
    seat = np.repeat(np.arange(setting.seats), setting.rounds)
    none = np.zeros(0, np.int64)
    columns: dict[str, Any] = {name: np.zeros(total) for name in COLUMNS}
    columns |= {
        "leaf": seat,
        "stream": seat,
        "user": seat,
        "submit": np.full(total, -1),
        "gpus": np.full(total, NODE),
        "work": np.full(total, (MOST_ROUNDS + 1) * ROUND),
        "min_runtime": np.full(total, CONTRACT),
        "resumable": np.ones(total),
        "checkpoint": np.ones(total),
        "priority": np.full(total, int(Priority.HIGH)),
        "limit": np.full(total, (MOST_ROUNDS + 1) * ROUND),
    }
    streams = StreamTable(
        names=("kept",) * len(leaves),
        kinds=("kept",) * len(leaves),
        leaf=np.arange(len(leaves)),
        closed=np.zeros(len(leaves), np.bool_),
        manual=np.ones(len(leaves), np.bool_),
        target_at=np.zeros(len(leaves) + 1, np.int64),
        times=none,
        gpus=none,
    )
    return JobTable(leaves=leaves, kinds=("kept",), users=leaves, streams=streams, **columns)
