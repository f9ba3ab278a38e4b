"""The same jobs with more nodes or on another cluster, and a job that goes on in another cluster of its fleet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import attrs
import numpy as np

from allotment.explain.fates import (
    SAME,
    Fate,
    Price,
    WhatIf,
    again_by,
    came_by,
    compared,
    fate,
    lost_by,
    over_by,
    over_in_both,
    paid,
    waited_by,
)
from allotment.explain.reasons import Reason, reason
from allotment.explain.rerun import Branch, Rerun, Subject
from allotment.kernel.engine import Engine
from allotment.model.cluster import Cluster
from allotment.scenario import Scenario
from allotment.workload.table import COLUMNS, JobTable, StreamTable
from allotment.world.people import rows_of_people

TENTH = 10  # one node more for so many, and at least what the job needs


@attrs.frozen(kw_only=True)
class Elsewhere:
    """Other machines for a job: what to call them, and what asks what would have become of it there."""

    change: Reason
    judge: Callable[[], WhatIf | None]
    """None where the job would not have been submitted there within the run."""


def elsewhere(rerun: Rerun, of: Subject, time: int) -> Iterator[Elsewhere]:
    """Yield on what other machines a job might have been from a moment on, or in all of the run."""
    yield _more_nodes(rerun, of, time)
    if rerun.others:
        yield from _in_the_fleet(rerun, of, time)
    elif (cluster := _nearest(rerun)) is not None:
        told = reason("if_preset", cluster=cluster.name, gpus=cluster.gpus)
        yield Elsewhere(change=told, judge=partial(_judge_preset, rerun, of, cluster, told))


# --- more nodes ---------------------------------------------------------------------------------------------------------


def _more_nodes(rerun: Rerun, of: Subject, time: int) -> Elsewhere:
    per_node = rerun.scenario.cluster.gpus_per_node
    more = max(-(-of.gpus // per_node), -(-rerun.scenario.cluster.nodes // TENTH))
    told = reason("if_nodes", nodes=more, gpus=more * per_node)
    return Elsewhere(change=told, judge=partial(_judge_nodes, rerun, of, time, more, told))


def with_more_nodes(rerun: Rerun, more: int, time: int) -> Branch:
    """Return a run at a moment from which on there are so many nodes more; until then they are out of service."""
    nodes = rerun.scenario.cluster.nodes

    def engine_of(scenario: Scenario, table: JobTable) -> Engine:
        larger = attrs.evolve(scenario.cluster, nodes=nodes + more)
        engine = Engine(attrs.evolve(scenario, cluster=larger), table)
        for node in range(nodes, nodes + more):
            engine.take_down(node)
        return engine

    branch = rerun.begin(engine_of=engine_of)
    branch.advance(time)
    for node in range(nodes, nodes + more):
        branch.engine.clear(node)
    return branch


def _judge_nodes(rerun: Rerun, of: Subject, time: int, more: int, told: Reason) -> WhatIf:
    log = with_more_nodes(rerun, more, time).until_over(of.job, over_by(rerun, of), rerun.result.horizon)
    pays = paid(rerun.log, log, of.job, over_in_both(rerun.log, log, of.job))
    after = fate(log, of.job, int(rerun.table.work[of.job]))
    return compared(rerun, of, after, pays, change=told, since=time, instead=None)


# --- another cluster, in all of the run ---------------------------------------------------------------------------------


def _nearest(rerun: Rerun) -> Cluster | None:
    """Return the other cluster that is nearest in size, on which every job of this run would fit."""
    here = rerun.scenario.cluster
    largest = int(rerun.table.gpus.max(initial=0))
    fit = [each for each in rerun.clusters if each.gpus_per_node == here.gpus_per_node and each.gpus >= largest]
    others = [each for each in fit if each.name != here.name and each.gpus != here.gpus]
    return min(others, key=lambda each: (abs(each.gpus - here.gpus), each.name), default=None)


def _judge_preset(rerun: Rerun, of: Subject, cluster: Cluster, told: Reason) -> WhatIf | None:
    branch = rerun.begin(scenario=attrs.evolve(rerun.scenario, cluster=cluster))
    log = branch.until_over(of.job, over_by(rerun, of), rerun.result.horizon)
    if log.jobs["submit"][of.job] < 0:
        return None
    after = fate(log, of.job, int(rerun.table.work[of.job]))
    instead = reason("whole_run")
    return compared(rerun, of, after, (None, None, None, None), change=told, since=0, instead=instead)


# --- another cluster of the fleet ---------------------------------------------------------------------------------------


def _in_the_fleet(rerun: Rerun, of: Subject, time: int) -> Iterator[Elsewhere]:
    asked, streams = int(rerun.table.gpus[of.job]), rerun.table.streams
    if of.submit == time and streams.manual[rerun.table.stream[of.job]] and (time, of.job) not in rerun.brought:
        return  # its user submits it here, at this very moment
    leaf = rerun.table.leaves[rerun.table.leaf[of.job]]
    ran = rerun.moment(time).engine.job(of.job)["slices"] > 0
    for name, get in rerun.others.items():
        other = get()
        if asked <= other.scenario.cluster.gpus and leaf in other.ids:
            told = reason("if_member_again" if ran else "if_member", member=name, gpus=other.scenario.cluster.gpus)
            yield Elsewhere(change=told, judge=partial(_judge_member, rerun, of, time, other, told))


def _judge_member(rerun: Rerun, of: Subject, time: int, other: Rerun, told: Reason) -> WhatIf:
    """Return what becomes of a job that is withdrawn here and goes on there, with the work that it had saved."""
    here = rerun.branch(time)
    if (time, of.job) in here.brought:  # it comes there instead
        here = attrs.evolve(here, brought=tuple(each for each in here.brought if each != (time, of.job)))
    else:
        here.engine.withdraw(of.job)
    row = here.engine.job(of.job)
    there, number = _with_guest(other, rerun, of, row, time)
    least = over_by(rerun, of)
    log = there.until_over(number, least, other.result.horizon)
    until = max(least, int(log.jobs["end"][number])) if log.jobs["end"][number] >= 0 else log.horizon
    here.advance(until)
    left = here.run.close().log
    now = fate(log, number, int(row["work"]))
    then = left.jobs[of.job]
    began = row["first_start"] >= 0
    after = Fate(
        submit=of.submit,
        wait=row["first_start"] - of.submit if began else time - of.submit + now.wait,
        started=began or now.started,
        queued=int(then["queued"]) + now.queued,
        end=now.end,
        part_done=float(row["done"] / row["work"]) + now.part_done,
    )
    pays = _paid_in_both(paid(rerun.log, left, of.job, until), other.log, log, number, until)
    return compared(rerun, of, after, pays, change=told, since=time, instead=None)


def _with_guest(other: Rerun, rerun: Rerun, of: Subject, row: dict[str, int], time: int) -> tuple[Branch, int]:
    """Return the other cluster at a moment at which it is given a job, and the job's number there."""
    table, number = with_job(
        other.table, other.scenario, rerun.table, of.job, saved=row["done"], began=row["slices"] > 0
    )
    there = other.begin(table=table)
    there.advance(time)
    there.engine.submit(number)
    return there, number


def _paid_in_both(here: tuple[int, int, int, int], before: Any, after: Any, guest: int, until: int) -> Price:
    """Add what those pay on the other cluster to what those pay here."""
    jobs = np.delete(after.jobs, guest)
    both = came_by(before, until) & (jobs["submit"] >= 0) & (jobs["submit"] <= until)
    longer, again = ((np.delete(by(after, until), guest) - by(before, until))[both] for by in (waited_by, again_by))
    later = int((longer + again >= SAME).sum())
    lost = lost_by(after, until) - lost_by(before, until)
    return here[0] + int(longer.sum()), here[1] + later, here[2] + int(again.sum()), here[3] + lost


def with_job(
    there: JobTable, scenario: Scenario, table: JobTable, job: int, *, saved: int = 0, began: bool = False
) -> tuple[JobTable, int]:
    """Return a table with one job of another more, to be submitted by hand, and its number: the last but for people's.

    It asks what it asks where it comes from, for the work that it has not `saved`; one that `began` there starts again.
    """
    place = len(there) - rows_of_people(there, scenario)
    streams = there.streams
    names = {"leaf": "leaves", "kind": "kinds", "user": "users"}
    lists = {plural: getattr(there, plural) for plural in names.values()}
    row = {name: getattr(table, name)[job] for name in COLUMNS}
    for name, plural in names.items():
        value = getattr(table, plural)[row[name]]
        if value not in lists[plural]:
            lists[plural] = (*lists[plural], value)
        row[name] = lists[plural].index(value)
    row |= {"submit": -1, "stream": len(streams), "work": row["work"] - saved, "limit": row["limit"] - saved}
    if began:
        row |= {"startup": row["restart"], "limit": row["limit"] - row["startup"] + row["restart"]}
    columns: dict[str, Any] = {
        name: np.insert(getattr(there, name), place, np.asarray(row[name], dtype)) for name, dtype in COLUMNS.items()
    }
    told = there.names
    return (
        JobTable(
            **lists,
            streams=StreamTable(
                names=(*streams.names, "what if"),
                kinds=(*streams.kinds, table.kinds[table.kind[job]]),
                leaf=np.append(streams.leaf, row["leaf"]),
                closed=np.append(streams.closed, False),
                manual=np.append(streams.manual, True),
                target_at=np.append(streams.target_at, streams.target_at[-1]),
                times=streams.times,
                gpus=streams.gpus,
            ),
            names=None if told is None else (*told[:place], "", *told[place:]),
            **columns,
        ),
        place,
    )
