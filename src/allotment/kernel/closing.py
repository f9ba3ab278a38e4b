"""From the state of a run at its end to its log: what still runs is ended, and everything is copied out."""

from __future__ import annotations

from typing import Any

import numpy as np

from allotment.kernel.layout import State
from allotment.kernel.log import CAPACITY, DECISION, JOB_LOG, PLACEMENT, SEGMENT, SLICE, Log
from allotment.kernel.plan_tree import BLOCK, Tree
from allotment.model.codes import EndCode, JobState
from allotment.scenario import Scenario
from allotment.workload.table import JobTable


def log_of(s: State, scenario: Scenario, table: JobTable, tree: Tree) -> Log:
    """End everything now, in the state, and return what happened."""
    clock = s.clock[0]
    now = int(clock.now)
    slices, jobs = s.slices[: clock.slices], s.jobs
    segments = _close_slices(slices, jobs, s.segments[: clock.segments], now)
    waiting = jobs.state == JobState.WAITING
    jobs.queued[waiting] += now - jobs.queued_at[waiting]
    capacity = s.capacity[: clock.capacities]
    return Log(
        jobs=_job_log(jobs),
        slices=_slice_log(slices),
        segments=_plain(segments, SEGMENT),
        placements=_plain(s.placements[: clock.placements], PLACEMENT),
        decisions=_plain(s.decisions[: clock.decisions], DECISION),
        capacity=_plain(capacity[capacity.time < max(now, 1)], CAPACITY),
        idle=s.idle[: -(-now // 3_600)].copy(),
        tree_ids=tree.ids,
        tree_parent=np.array(tree.parents, np.int32),
        epoch_time=np.array(s.epochs.time, np.int64),
        epoch_share=s.shares.copy(),
        leaf_node=np.array([tree.ids.index(name) for name in table.leaves], np.int32),
        horizon=now,
        capacity_gpus=scenario.cluster.gpus,
        passes=int(clock.passes),
        events=int(clock.events),
    )


def _close_slices(slices: Any, jobs: Any, segments: Any, now: int) -> Any:
    """End what still runs: finished where its last second is this one, else at the horizon with all its work kept."""
    running = np.flatnonzero(slices.end_code == EndCode.OPEN)
    finished = slices.finish[running] == now
    job = slices.job[running]
    ran = np.maximum(now - slices.start[running] - slices.overhead[running], 0)
    slices.end[running] = now
    slices.end_code[running] = np.where(finished, int(EndCode.FINISHED), int(EndCode.HORIZON))
    slices.kept[running] = np.where(finished, jobs.work[job] - jobs.done[job], ran)
    jobs.done[job] += slices.kept[running]
    jobs.state[job[finished]] = int(JobState.FINISHED)
    jobs.end[job[finished]] = now
    open_now = running[slices.begin[running] < now]
    last = np.zeros(len(open_now), segments.dtype)
    last["slice"] = open_now
    last["state"] = slices.state[open_now]
    last["begin"] = slices.begin[open_now]
    last["end"] = now
    return np.concatenate([segments, last])


def _job_log(jobs: Any) -> Any:
    log = _logged(jobs, JOB_LOG, take="gpus")
    log["submit"][jobs.state == JobState.UNSUBMITTED] = -1
    log["restarts"] = np.maximum(log["slices"] - 1, 0)
    return log


def _slice_log(slices: Any) -> Any:
    log = _logged(slices, SLICE, take="gpus", nodes="need")
    log["nodes"] = np.maximum(log["nodes"], 1)
    return log


def _logged(records: Any, dtype: Any, **other_names: str) -> Any:
    """Return the fields of a log's records, those with another name in the state from there; block by block, as in setup."""
    log, plain = np.empty(len(records), dtype), records.view(np.ndarray)
    for begin in range(0, len(records), BLOCK):
        rows = slice(begin, begin + BLOCK)
        from_block, to_block = plain[rows], log[rows]
        for name in dtype.names:
            to_block[name] = from_block[other_names.get(name, name)]
    return log


def _plain(records: Any, dtype: Any) -> Any:
    """Return an ordinary array of records that shares no memory with the state."""
    array = np.empty(len(records), dtype)
    array[:] = records
    return array
