"""A job that becomes another while it waits or runs, for those who ask what would have become of it.

What it has done and what it was promised stays. It is laid aside, its record is rewritten, and it is taken back; no run
that nobody asks about comes here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np

from allotment.kernel.funding import is_too_large
from allotment.kernel.jit import large_rule
from allotment.kernel.layout import CLASS, State
from allotment.kernel.plan_tree import new_records
from allotment.kernel.queues import COOLING, FRESH, NOWHERE, UNALLOCATED_RUN, order_keys, put, take_out
from allotment.kernel.slices import progress
from allotment.model.codes import JobState
from allotment.model.job import gpus_taken
from allotment.model.policy import Key, Policy

WAITING = int(JobState.WAITING)


@large_rule
def lay_aside(s: State, job: int) -> None:
    """Take a job out of its queue and out of the counts of those that wait; it remembers where it stood."""
    j = s.jobs[job]
    place = j.place
    if place in (FRESH, COOLING, UNALLOCATED_RUN):
        take_out(s, job)
        j.place = place
    if j.state == WAITING:
        _count(s, job, -1)


@large_rule
def take_back(s: State, job: int) -> None:
    """Put a job where it stood, by what it asks now."""
    j, clock = s.jobs[job], s.clock[0]
    order_keys(s, job)
    if s.rules[0].contracts != 0:
        j.too_large = 1 if is_too_large(s, job) else 0
    if j.state == WAITING:
        j.plan = j.limit - j.startup - j.done + (j.startup if j.slices == 0 else j.restart)
        _count(s, job, 1)
    place = j.place
    if place in (FRESH, COOLING, UNALLOCATED_RUN):
        j.place = NOWHERE
        put(s, job, place)
    clock.queueing += 1
    clock.version += 1
    clock.loosened += 1
    clock.changed = 1


@large_rule
def keep(s: State, job: int, all_of_it: bool) -> None:
    """Fix what a running job has saved, or save all that it has done; its checkpoints count from now on."""
    r, now = s.slices[s.jobs[job].slice], s.clock[0].now
    ran = max(now - r.start - r.overhead, 0)
    kept, _lost = progress(s, s.jobs[job].slice, now)
    r.saved = ran if all_of_it else kept
    r.saved_from = ran
    r.priced_at = -1


@large_rule
def _count(s: State, job: int, sign: int) -> None:
    j, v = s.jobs[job], s.tree[s.jobs[job].leaf]
    v.asked += sign * j.gpus
    if j.min_runtime > 0:
        s.clock[0].contract_waiting += sign
        if j.min_runtime > s.rules[0].short:
            v.long_waiting += sign


# --- between the two ----------------------------------------------------------------------------------------------------

ASKED = ("work", "limit", "min_runtime", "priority", "checkpoint")  # what may be rewritten, beside the GPUs
CLAIMED = frozenset({"gpus", "min_runtime"})  # what a place in line, or on nodes that are held, was for


def changed(row: Mapping[str, int], values: Mapping[str, int], per_node: int) -> dict[str, int]:
    """Return what of some values is not in a job's record already."""
    taken = {name: gpus_taken(value, per_node) if name == "gpus" else value for name, value in values.items()}
    return {name: values[name] for name, value in taken.items() if row[name] != value}


def rewritten_job(state: State, job: int, values: Mapping[str, int], policy: Policy) -> State:
    """Return a state in which one job asks for something else, in the class that it then has.

    Its stream counts it as it did, so that other GPUs bring nobody else's work on.
    """
    j, rules = state.jobs[job], state.rules[0]
    for name in ASKED:
        if name in values:
            j[name] = values[name]
    if "gpus" in values:
        take, per_node = gpus_taken(values["gpus"], int(rules.per_node)), int(rules.per_node)
        j.beyond += j.gpus - take
        j.gpus = take
        j.need = take // per_node if values["gpus"] > per_node else 0
    if values.keys() & CLAIMED:
        j.funded_at = -1
        state, j.cls = _with_class(state, j, policy)
    return state


def _with_class(state: State, j: Any, policy: Policy) -> tuple[State, int]:
    """Return the number of the class of a job, and a state that has it."""
    keys = {key for partition in policy.partitions for key in partition.keys}
    runtime = int(j.min_runtime) if policy.contracts is not None or Key.MIN_RUNTIME in keys else 0
    classes = state.classes
    same = (classes.leaf == j.leaf) & (classes.gpus == j.gpus) & (classes.min_runtime == runtime)
    found = np.flatnonzero(same)
    pairs = bool(state.rules[0].immune)  # one for jobs that may not be preempted, one for the others: see setup.py
    if len(found):
        return state, int(found[0]) + (int(j.preemptible) if pairs else 0)
    nobody = ("next", "previous", "fresh", "cooling", "running", "first_fresh", "first_cooling", "first_running")
    more = new_records(
        2 if pairs else 1,
        CLASS,
        **dict.fromkeys((*nobody, "tried", "blocked"), -1),
        leaf=j.leaf,
        gpus=j.gpus,
        need=j.need,
        min_runtime=runtime,
    )
    grown = np.concatenate([classes, more]).view(np.recarray)
    candidates = np.zeros(len(grown) + 1, np.int64)
    return attrs.evolve(state, classes=grown, candidates=candidates), len(classes) + (
        int(j.preemptible) if pairs else 0
    )
