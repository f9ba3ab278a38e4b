"""What could have been otherwise about a job: its size, contract, priority and checkpoints, its team's share, its cluster.

Each is a run to be simulated, on the same arrivals, in which the job is another from its submission on.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import attrs
import numpy as np

from allotment.errors import AllotmentError, InputError
from allotment.experiment.simulate import draw
from allotment.explain.reasons import Reason, reason
from allotment.explain.rerun import Rerun, Subject
from allotment.model.changeset import Changeset, ShareChange, apply
from allotment.model.codes import Priority
from allotment.model.plan import OWN, ROOT, Plan
from allotment.scenario import Scenario
from allotment.units import MINUTE
from allotment.workload.table import COLUMNS, JobTable, StreamTable

FREQUENT = 30 * MINUTE  # a checkpoint of work that had none
MORE = Fraction(3, 2)  # times the share
QUARTER = 4


@attrs.frozen(kw_only=True)
class Change:
    """One thing that could have been otherwise: what to call it, and what it makes of the run."""

    change: Reason
    scenario: Scenario
    table: JobTable
    job: int
    """The job's number there."""
    others: bool = True
    """Whether the other jobs are the same, so that what they pay can be told."""


def changes(rerun: Rerun, of: Subject, level: str | None = None) -> Iterator[Change]:
    """Yield what could have been otherwise about a job."""
    yield from _sizes(rerun, of)
    yield from _contracts(rerun, of)
    yield from _priorities(rerun, of)
    yield from _shares(rerun, of, level)
    yield from _checkpoints(rerun, of)
    yield from _elsewhere(rerun, of)


def _with(rerun: Rerun, of: Subject, told: Reason, **values: Any) -> Change:
    """Return the run in which one job has other values in its row."""
    columns: dict[str, Any] = {}
    for name, value in values.items():
        columns[name] = np.array(getattr(rerun.table, name))
        columns[name][of.job] = value
    table = attrs.evolve(rerun.table, **columns)
    return Change(change=told, scenario=rerun.scenario, table=table, job=of.job)


def _sizes(rerun: Rerun, of: Subject) -> Iterator[Change]:
    """Half the GPUs, and twice the time: the same work."""
    table, job, per_node = rerun.table, of.job, rerun.scenario.cluster.gpus_per_node
    asked, work, limit = (int(getattr(table, name)[job]) for name in ("gpus", "work", "limit"))
    startup, hold = int(table.startup[job]), int(table.hold[job])
    half = -(-of.gpus // per_node // 2) * per_node if of.gpus > per_node else of.gpus // 2
    if not 0 < half < of.gpus:
        return
    longer = -(-(work - hold) * of.gpus // half) + hold
    told = reason("if_gpus", gpus=half, work=longer, old=asked, old_work=work)
    yield _with(
        rerun, of, told, gpus=half, work=longer, limit=limit + longer - work if limit < longer + startup else limit
    )


def _contracts(rerun: Rerun, of: Subject) -> Iterator[Change]:
    """Another minimum runtime: a short one, none, or the longest."""
    contracts = rerun.policy(of.submit).contracts
    asked = of.min_runtime
    if contracts is None:
        yield _with(rerun, of, reason("if_min_runtime", min_runtime=15 * MINUTE, old=asked), min_runtime=15 * MINUTE)
        return
    offered = [contracts.short, contracts.cap // 8, contracts.cap]
    for offer in sorted(set(offered) - {asked, 0}):
        yield _with(rerun, of, reason("if_min_runtime", min_runtime=offer, old=asked), min_runtime=offer)
    if asked:
        yield _with(rerun, of, reason("if_no_contract", old=asked), min_runtime=0)


def _priorities(rerun: Rerun, of: Subject) -> Iterator[Change]:
    """The highest priority, or one lower for a job that has it."""
    now = int(rerun.table.priority[of.job])
    other = int(Priority.URGENT) if now < Priority.URGENT else int(Priority.NORMAL)
    yield _with(rerun, of, reason("if_priority", priority=other, old=now), priority=other)


def _shares(rerun: Rerun, of: Subject, level: str | None) -> Iterator[Change]:
    """Half as much again for its team, or for the budget that was short, taken from what is open and then from its siblings."""
    node = rerun.ids[rerun.paths.index(level or of.team)].removesuffix(OWN)
    if node == ROOT:
        return
    plan = rerun.scenario.plan
    earlier = [each for each in rerun.scenario.changesets if each.time <= of.submit]
    later = [each for each in rerun.scenario.changesets if each.time > of.submit]
    for each in earlier:
        plan = apply(plan, each)
    shares = raised(plan, node)
    if not shares:
        return
    change = Changeset(time=of.submit, author="what if", reason="more share for one", shares=shares)
    try:
        scenario = attrs.evolve(rerun.scenario, changesets=(*earlier, change, *later))
    except (ValueError, InputError):  # a later change does not fit any more
        return
    new = next(each.share for each in shares if each.id == node)
    above = plan.parent(node)
    told = reason(
        "if_share",
        share=float(new),
        old=float(plan.node(node).share),
        level=plan.path(node),
        above="the cluster" if above == ROOT else plan.path(above),
    )
    yield Change(change=told, scenario=scenario, table=rerun.table, job=of.job)


def raised(plan: Plan, node: str) -> tuple[ShareChange, ...]:
    """Return half as much share again for a node, at most all that is not its siblings' tenth; its siblings give what is missing.

    Empty where it has no share, or has everything.
    """
    family = plan.children_of(plan.parent(node))
    mine = plan.node(node).share
    others = sum((each.share for each in family if each.id != node), start=Fraction(0))
    wanted = min(mine * MORE, 1 - others / 10)
    if not 0 < mine < wanted:
        return ()
    left = min(Fraction(1), (1 - wanted) / others) if others else Fraction(1)
    changed = [ShareChange(id=node, share=wanted)]
    changed += [ShareChange(id=each.id, share=each.share * left) for each in family if each.id != node and left < 1]
    return tuple(changed)


def _checkpoints(rerun: Rerun, of: Subject) -> Iterator[Change]:
    """Checkpoints four times as often, or any at all."""
    table, job = rerun.table, of.job
    if not table.resumable[job]:
        told = reason("if_resumable", checkpoint=FREQUENT)
        yield _with(rerun, of, told, resumable=True, checkpoint=FREQUENT)
        return
    now = int(table.checkpoint[job])
    if now // QUARTER >= 1:
        told = reason("if_checkpoint", checkpoint=now // QUARTER, old=now)
        yield _with(rerun, of, told, checkpoint=now // QUARTER)


def _elsewhere(rerun: Rerun, of: Subject) -> Iterator[Change]:
    """The same job on a cluster like this one, with jobs of its own: the same scenario with another seed."""
    scenario = attrs.evolve(rerun.scenario, seed=(rerun.scenario.seed + 1) % 2**63)
    try:
        there = draw(scenario)
    except AllotmentError:  # of a recording there is no other
        return
    table = with_job(there, rerun.table, of.job, of.submit)
    yield Change(change=reason("if_cluster"), scenario=scenario, table=table, job=len(table) - 1, others=False)


def with_job(there: JobTable, table: JobTable, job: int, submit: int) -> JobTable:
    """Return a table with one job of another more, the last, submitted at a moment by nobody else's doing."""
    streams = there.streams
    names = {"leaf": "leaves", "kind": "kinds", "user": "users"}
    lists = {plural: getattr(there, plural) for plural in names.values()}
    row = {name: getattr(table, name)[job] for name in COLUMNS}
    for name, plural in names.items():
        value = getattr(table, plural)[row[name]]
        if value not in lists[plural]:
            lists[plural] = (*lists[plural], value)
        row[name] = lists[plural].index(value)
    row |= {"submit": submit, "stream": len(streams)}
    columns: dict[str, Any] = {
        name: np.append(getattr(there, name), np.asarray(row[name], dtype)) for name, dtype in COLUMNS.items()
    }
    return JobTable(
        **lists,
        streams=StreamTable(
            names=(*streams.names, "what if"),
            kinds=(*streams.kinds, table.kinds[table.kind[job]]),
            leaf=np.append(streams.leaf, row["leaf"]),
            closed=np.append(streams.closed, False),
            manual=np.append(streams.manual, False),
            target_at=np.append(streams.target_at, streams.target_at[-1]),
            times=streams.times,
            gpus=streams.gpus,
        ),
        names=None if there.names is None else (*there.names, ""),
        **columns,
    )
