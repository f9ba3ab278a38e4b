"""Teams of a recording and nodes of a plan: which is which, and a plan for teams that have none."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from enum import IntEnum
from fractions import Fraction

import numpy as np

from allotment.errors import InputError, ValueProblems
from allotment.model.cluster import Cluster
from allotment.model.plan import ROOT, Plan, PlanNode
from allotment.model.shares import exact_share
from allotment.workload.classes import RecordedStream
from allotment.workload.screening import RecordedColumns, screen


class TeamShares(IntEnum):
    """How a plan that is made from a recording divides the cluster between its teams."""

    EQUAL = 0  # nothing of what the teams did has a say in what they are entitled to
    GPU_TIME = 1  # in proportion to the GPU-time that they used


def team_id(team: str) -> str:
    """Return the id of a plan node for a team: its name, made fit to be an id where it is not.

    >>> team_id("vision"), team_id("lab/vision")
    ('vision', 'lab-vision~fbcc')
    """
    name = team.strip()
    plain = "".join(letter if letter.isprintable() and letter != "/" else "-" for letter in name)[:90].strip()
    if plain == name and name not in ("", ROOT):
        return name
    return f"{plain}~{hashlib.blake2b(name.encode(), digest_size=2).hexdigest()}"


def leaf_of_team(plan: Plan, teams: Iterable[str]) -> dict[str, str | None]:
    """Return where the jobs of each team are charged, None for a team that the plan does not know.

    A team is the node whose id it is; else whose path; else whose name, if only one node has it.
    """
    nodes = list(plan.walk())
    names = [node.name for node in nodes]
    known = {node.name: node.id for node in nodes if names.count(node.name) == 1}
    known |= {plan.path(node.id): node.id for node in nodes}
    known |= {node.id: node.id for node in nodes}
    found = {}
    for team in teams:
        node = known.get(team.strip()) or known.get(team_id(team))
        found[team] = plan.work_leaf(node) if node is not None else None
    return found


def plan_of_teams(
    columns: RecordedColumns,
    stream: RecordedStream,
    cluster: Cluster,
    horizon: int | None = None,
    *,
    shares: TeamShares = TeamShares.EQUAL,
    weights: Mapping[str, float | str | Fraction] | None = None,
) -> Plan:
    """Return a plan of one level, with a budget for each team that has a job to run; its shares sum to 1.

    By default all are equal. `weights` give the proportions for each team by name instead, whatever `shares` says.
    Raises InputError for a recording without a usable job, ValueProblems for a team without a weight.
    """
    screened = screen(columns, stream, cluster, horizon)
    texts = columns.texts["team"]
    codes = texts.codes[screened.rows]
    if not codes.size:
        raise InputError(columns.source, ["no row holds a job that can run, so there are no teams to make a plan for"])
    used = np.zeros(len(texts.values), dtype=np.int64)
    np.add.at(used, codes, screened.gpus[screened.rows] * screened.work[screened.rows])
    worth: dict[str, Fraction] = {}
    missing = []
    for code in np.unique(codes).tolist():
        team = texts.values[code].strip()
        if weights is not None and team not in weights:
            missing.append(f"team {team!r} of the recording has no weight")
        given = exact_share(weights[team]) if weights is not None and team in weights else Fraction(1)
        amount = Fraction(int(used[code])) if weights is None and shares is TeamShares.GPU_TIME else given
        worth[team_id(team)] = worth.get(team_id(team), Fraction(0)) + amount
    whole = sum(worth.values(), start=Fraction(0))
    if missing or not whole:
        raise ValueProblems(missing or ["weights must not all be 0"])
    how = "given weights" if weights is not None else ("equal shares", "shares by GPU-time used")[shares]
    return Plan(
        name="teams",
        title=f"{len(worth)} teams, {how}",
        description=f"Made from the teams of {columns.source}: {how}.",
        children=tuple(PlanNode(id=name, share=amount / whole) for name, amount in sorted(worth.items())),
    )
