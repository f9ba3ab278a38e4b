"""What people make of the regime that they live under: GPUs held idle after the work, marks that rise, protected sessions."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from allotment.kernel.log import Log
from allotment.model.codes import Priority
from allotment.model.people import Sessions
from allotment.results import metrics
from allotment.results.columns import words
from allotment.results.usage import hourly
from allotment.scenario import Scenario
from allotment.units import DAY, HOUR
from allotment.workload.classes import ClosedStream, OpenStream
from allotment.workload.table import JobTable

Integers = npt.NDArray[np.int64]
HIGHEST = (Priority.HIGH, Priority.URGENT)  # what counts as marked HIGH


def squatted(table: JobTable, log: Log) -> Integers:
    """Return for each slice how many of its last seconds it only held its GPUs, the work of its job being done."""
    found = np.zeros(len(log.slices), np.int64)
    rows = np.flatnonzero(table.hold[log.slices["job"]])
    if not len(rows):  # nobody keeps anything, or nobody who would was ever started
        return found
    rows = rows[np.lexsort((log.slices["start"][rows], log.slices["job"][rows]))]
    job, kept = log.slices["job"][rows], log.slices["kept"][rows]
    first = np.append(True, job[1:] != job[:-1])
    after = np.cumsum(kept)
    of_others = (after - kept)[np.flatnonzero(first)][np.cumsum(first) - 1]
    after -= of_others  # what the job had done in all at the end of each slice
    work = (table.work - table.hold)[job]
    found[rows] = np.maximum(after - np.maximum(work, after - kept), 0)
    return found


def squatted_hourly(log: Log, seconds: Integers) -> Integers:
    """Return the GPU-seconds of each hour that were held idle, from the last seconds of slices that `squatted` gives."""
    rows = np.flatnonzero(seconds)
    of = log.slices[rows]
    # work that was kept may end before the slice does, and what is held idle ends with it: nothing of that is lost
    sums = hourly(of["take"], of["end"] - seconds[rows], of["end"], np.zeros(len(rows), np.int64), 1, log.horizon)
    return np.asarray(sums[0])


def high_by_day(table: JobTable, log: Log) -> dict[str, Any]:
    """Return the columns of the table `priorities`: day by day the part of jobs and of GPU-time that is marked HIGH."""
    days = -(-log.horizon // DAY)
    high = np.isin(table.priority, HIGHEST)
    submitted = log.jobs["submit"] >= 0
    day = log.jobs["submit"][submitted] // DAY
    jobs = np.bincount(day, minlength=days)[:days]
    high_jobs = np.bincount(day[high[submitted]], minlength=days)[:days]
    of = log.slices
    group = high[of["job"]].astype(np.int64)
    by_hour = hourly(of["take"], of["start"], of["end"], group, 2, log.horizon)
    by_day = np.add.reduceat(by_hour, np.arange(0, by_hour.shape[1], DAY // HOUR), axis=1) if days else by_hour
    held = by_day.sum(axis=0)
    return {
        "day": np.arange(days, dtype=np.int32),
        "time": np.arange(days, dtype=np.int64) * DAY,
        "jobs": jobs.astype(np.int64),
        "high_jobs": _parts(high_jobs, jobs),
        "gpu_hours": held / HOUR,
        "high_gpu_hours": _parts(by_day[1], held),
    }


def _parts(part: Integers, whole: Integers) -> npt.NDArray[np.float64]:
    return np.asarray(np.divide(part, whole, out=np.full(len(whole), np.nan), where=whole > 0))


def share_of_high(jobs: pd.DataFrame, slices: pd.DataFrame, since: int, until: int) -> dict[str, float | None]:
    """Return the part of the jobs submitted, and of the GPU-time held, from `since` until `until` that is marked HIGH.

    URGENT counts as HIGH.
    """
    names = [name for name, code in zip(words(Priority), Priority, strict=True) if code in HIGHEST]
    high = jobs["priority"].isin(names).to_numpy()
    submit = jobs["submit"].to_numpy()
    recent = (submit >= since) & (submit < until)
    begin, end = np.maximum(slices["start"].to_numpy(), since), np.minimum(slices["end"].to_numpy(), until)
    held = slices["take"].to_numpy().astype(np.int64) * np.maximum(end - begin, 0)
    of = high[np.searchsorted(jobs["job"].to_numpy(), slices["job"].to_numpy())]
    return {
        "jobs": metrics.ratio(int(np.count_nonzero(high & recent)), int(np.count_nonzero(recent))),
        "gpu_hours": metrics.ratio(int(held[of].sum()), int(held.sum())),
    }


def priorities(scenario: Scenario, jobs: pd.DataFrame, slices: pd.DataFrame, horizon: int) -> dict[str, Any]:
    """Return what the summary says of marks: over the measured time, and over its last day."""
    since = min(scenario.warmup, horizon)
    return {
        "high": share_of_high(jobs, slices, since, horizon),
        "high_at_end": share_of_high(jobs, slices, max(since, horizon - DAY), horizon),
    }


def interactive_kinds(scenario: Scenario) -> set[str]:
    """Return the names of the kinds of work that are interactive sessions."""
    made = [stream for stream in scenario.workload if isinstance(stream, OpenStream | ClosedStream)]
    found = {kind.name for stream in made for kind in stream.kinds if kind.interactive}
    return found | {person.kind for person in scenario.people if isinstance(person, Sessions)}


def longest_protected(
    jobs: pd.DataFrame, slices: pd.DataFrame, segments: pd.DataFrame, kinds: set[str], since: int
) -> int | None:
    """Return how long (s) a session was protected at most: on its GPUs, and nothing but its own end could end it.

    It counts the jobs of these kinds that held GPUs from `since` on, for the whole of each time; None without any.

    >>> jobs = pd.DataFrame({"job": [4], "kind": ["debug"]}).astype({"kind": "category"})
    >>> columns = {"slice": [0, 0], "state": ["protected", "interruptible"], "begin": [0, 900], "end": [900, 5000]}
    >>> segments = pd.DataFrame(columns).astype({"state": "category"})
    >>> longest_protected(jobs, pd.DataFrame({"job": [4], "end": [5000]}), segments, {"debug"}, since=1000)
    900
    """
    wanted = jobs["kind"].isin(list(kinds)).to_numpy()
    of = np.searchsorted(jobs["job"].to_numpy(), slices["job"].to_numpy())
    counts = wanted[of] & (slices["end"].to_numpy() > since)
    if not counts.any():
        return None
    rows = counts[segments["slice"].to_numpy()] & (segments["state"] == "protected").to_numpy()
    lasted = (segments["end"] - segments["begin"]).to_numpy()[rows]
    return int(lasted.max(initial=0))
