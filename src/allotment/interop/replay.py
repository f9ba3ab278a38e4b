"""Replay what was recorded: a scenario around a recording, and the recordings that a scenario names."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import attrs
import numpy as np

from allotment.errors import InputError, ValueProblems
from allotment.interop.recorded_file import Recording, read_recorded
from allotment.model.cluster import Cluster
from allotment.model.job import gpus_taken
from allotment.model.plan import Plan
from allotment.model.policy import Policy
from allotment.scenario import Scenario
from allotment.units import DAY, HOUR, format_duration
from allotment.workload.classes import RecordedStream
from allotment.workload.table import JobTable

LONGEST_WARMUP = 7 * DAY  # the window of the policies that look back


@attrs.frozen(kw_only=True, eq=False)
class Replay:
    """A scenario made around a recording. `notes` say, in sentences, what was decided for it.

    `submitted_until` is the moment after which nothing is submitted any more (seconds from the start).
    """

    scenario: Scenario
    recording: Recording
    submitted_until: int
    notes: tuple[str, ...]


def read_recordings(scenario: Scenario) -> dict[str, Recording]:
    """Return what the recorded streams of a scenario hold, by the stream's name. Raises InputError."""
    return {
        stream.name: read_recorded(
            stream.path, cluster=scenario.cluster, plan=scenario.plan, stream=stream, horizon=scenario.horizon
        )
        for stream in scenario.workload
        if isinstance(stream, RecordedStream)
    }


def pinned(scenario: Scenario, recordings: Mapping[str, Recording]) -> Scenario:
    """Return the scenario with whole paths and the checksums of its recordings, by the stream's name.

    So wherever it is saved, it finds them again, and what is in them by then is told from what was.
    """
    if not recordings:
        return scenario
    streams = []
    for stream in scenario.workload:
        if isinstance(stream, RecordedStream):
            path = os.path.abspath(stream.path)  # noqa: PTH100 - a link keeps its name
            stream = attrs.evolve(stream, path=path, sha256=recordings[stream.name].sha256)
        streams.append(stream)
    return attrs.evolve(scenario, workload=tuple(streams))


def replay(
    path: str | Path, *, cluster: Cluster, policy: Policy, plan: Plan | None = None, days: int | None = None
) -> Replay:
    """Return a scenario in which the jobs of a file run on a cluster under a policy.

    Without a plan one is made from the teams, with equal shares. A fifth of the recording, at most 7 days, is warm-up.
    The run goes on after the last job was submitted, for twice as long as the cluster needs for what is then left, so
    that what waits at the end gets its turn; or `days` are measured, and jobs that are submitted later are left out.
    Raises InputError where the file cannot be read, or has no job to run.
    """
    path = Path(os.path.abspath(path))  # noqa: PTH100 - a link keeps its name
    try:
        stream = RecordedStream(path=str(path))
    except ValueError as error:
        raise InputError(str(path), [str(error)]) from None
    if policy.contracts is not None:
        cap = min(stream.cap, policy.contracts.cap)
        stream = attrs.evolve(stream, cap=cap, short=min(stream.short, cap))
    recording = read_recorded(path, cluster=cluster, plan=plan, stream=stream)
    until = _next_hour(int(recording.table.submit.max()) + 1)
    warmup = min(LONGEST_WARMUP, until // 5 // HOUR * HOUR)
    drain = -(-2 * backlog(recording.table, cluster, until) // HOUR) * HOUR
    measured = until + drain - warmup if days is None else days * DAY
    try:
        scenario = Scenario(
            name=path.name.split(".")[0] or path.name,
            title=f"{recording.report.source} on {cluster.nodes} nodes of {cluster.gpus_per_node} GPUs",
            cluster=cluster,
            plan=recording.plan,
            policy=policy,
            workload=(attrs.evolve(stream, sha256=recording.sha256),),
            warmup=warmup,
            measured=measured,
        )
    except ValueError as error:
        raise InputError(str(path), error.problems if isinstance(error, ValueProblems) else [str(error)]) from None
    notes = [_on_warmup(warmup, until)]
    if days is None:
        left = f"twice what the cluster needs for what is left then ({drain / DAY:.1f} days)"
        notes.append(
            f"the run goes on after the last submission for {left}"
            if drain
            else "the run ends with the last submission"
        )
    else:
        recording = read_recordings(scenario)[stream.name]
        notes.append(
            f"{days} {'day is' if days == 1 else 'days are'} measured after that, as asked; what is submitted later is left out"
        )
        notes += [f"assumed: no plan given: {scenario.plan.title}"] if plan is None else []
    return Replay(
        scenario=scenario,
        recording=recording,
        submitted_until=min(until, scenario.horizon),
        notes=tuple(notes),
    )


def _on_warmup(warmup: int, until: int) -> str:
    if not warmup:
        return "there is no warm-up: the recording is too short for a whole hour of it"
    why = "as long as policies look back" if warmup == LONGEST_WARMUP else "a fifth of the recording"
    return f"the first {format_duration(warmup)} are warm-up, {why}: nothing of them is counted"


def backlog(table: JobTable, cluster: Cluster, until: int) -> int:
    """Return how long a cluster needs (seconds) for what is left at a moment if it never idled while there was work.

    All jobs must have been submitted by then. Work is taken to be a fluid that fills every GPU, so this is a lower bound.
    """
    order = np.argsort(table.submit, kind="stable")
    work = (gpus_taken(table.gpus, cluster.gpus_per_node).astype(np.int64) * table.work)[order]
    since = np.cumsum(work[::-1])[::-1]  # from each submission on
    left = since - (until - table.submit[order]) * cluster.gpus
    return -(-max(0, int(left.max(initial=0))) // cluster.gpus)


def _next_hour(time: int) -> int:
    return -(-time // HOUR) * HOUR
