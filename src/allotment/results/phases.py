"""The figures of a part of a run, or of parts of several runs taken together: phases of policies, weeks of a rollout.

Jobs count where they were submitted, with what they waited within the part: who still waited at its end is censored
there, so that a policy is not credited with, nor blamed for, what another one did. What machines did is counted in the whole hours
of a part.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Sequence
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt
import pandas as pd

from allotment.results import metrics, waiting
from allotment.results.regime import interactive_kinds
from allotment.results.result import Result
from allotment.results.summary import stops
from allotment.results.waiting import Wait
from allotment.units import HOUR

INTERACTIVE = "interactive"
WAITED = ("submit", "waited", "wait", "closed")  # all that a wait is told by
Rows = npt.NDArray[np.bool_]


@attrs.frozen(kw_only=True, eq=False)
class Part:
    """A part of a run: from `begin` until before `end` (s from its start)."""

    result: Result
    begin: int
    end: int


@attrs.frozen(kw_only=True)
class Figures:
    """What happened in some parts of runs, taken together. Ratios are None where there is nothing to divide by.

    `interactive` are the waits of debug sessions and the like, `all` those of all jobs; `occupancy` is what was held of the
    healthy GPUs, `unallocated` what was charged to nobody of that, `work_lost` what had to be done again of it.
    """

    interactive: Wait
    all: Wait
    occupancy: float | None
    unallocated: float | None
    preemptions: int
    work_lost: float | None
    work_lost_gpu_hours: float


def phases(result: Result) -> list[tuple[str, Part]]:
    """Return the measured time of a run in parts, each under one policy, whose name comes with it."""
    since, until = result.scenario.warmup, result.horizon
    found = []
    for phase in result.scenario.phases(until):
        begin, end = max(phase.begin, since), min(phase.end, until)
        if begin < end:
            found.append((phase.policy.name, Part(result=result, begin=begin, end=end)))
    return found


def figures(parts: Sequence[Part]) -> Figures:
    """Return what happened in some parts of runs, as one."""
    waits = pd.concat([_waits(part) for part in parts], ignore_index=True)
    held = healthy = free = preemptions = 0
    lost = 0.0
    for part in parts:
        first, last = metrics.first_hour(part.begin), part.end // HOUR
        hours = part.result.cluster["hour"].to_numpy()
        cluster = part.result.cluster[(hours >= first) & (hours < last)]
        unallocated = metrics.total(cluster["unallocated"])
        held += metrics.total(cluster["allocated"]) + unallocated
        free += unallocated
        healthy += metrics.total(cluster["healthy"])
        early = stops(part.result.slices, first * HOUR, last * HOUR, 0)
        preemptions += early["preemptions"]
        lost += early["work_lost_gpu_hours"]
    return Figures(
        interactive=attrs.evolve(wait_of(waits[waits[INTERACTIVE].to_numpy()]), of=INTERACTIVE),
        all=wait_of(waits),
        occupancy=metrics.ratio(held, healthy),
        unallocated=metrics.ratio(free, held),
        preemptions=preemptions,
        work_lost=metrics.ratio(round(lost * HOUR), held),
        work_lost_gpu_hours=lost,
    )


def wait_of(jobs: pd.DataFrame) -> Wait:
    """Return what some jobs waited, of those that :func:`within` returns."""
    return waiting.of_all(jobs, 0)


def within(jobs: pd.DataFrame, begin: int, end: int) -> pd.DataFrame:
    """Return the jobs that were submitted from `begin` until before `end`, with their waits as one sees them at `end`.

    One starts 5 s before the end, one still waits then:

    >>> columns = {"submit": [0, 10, 20], "waited": [1, 25, 60], "closed": [False] * 3}
    >>> jobs = pd.DataFrame(columns).assign(wait=pd.array([1, 25, 60], dtype="Int64"))
    >>> within(jobs, 10, 40)[["submit", "waited", "wait"]].values.tolist()
    [[10, 25, 25], [20, 20, <NA>]]
    """
    submit = jobs["submit"].to_numpy()
    chosen = jobs[(submit >= begin) & (submit < end)]
    left = end - chosen["submit"]
    late = (chosen["waited"] > left).to_numpy()
    return chosen.assign(waited=np.minimum(chosen["waited"], left), wait=chosen["wait"].mask(late))


def _waits(part: Part) -> pd.DataFrame:
    kinds: Collection[str] = interactive_kinds(part.result.scenario)
    jobs = part.result.jobs
    marked = jobs[list(WAITED)].assign(**{INTERACTIVE: jobs["kind"].isin(list(kinds)).to_numpy()})
    return within(marked, part.begin, part.end)


def plain(of: Figures) -> dict[str, Any]:
    """Return figures as plain values, for JSON."""
    found: dict[str, Any] = attrs.asdict(of)
    for name in ("interactive", "all"):
        del found[name]["of"]
    return found


def spans(cuts: Iterable[int], begin: int, end: int) -> list[tuple[int, int]]:
    """Return the parts of the time from `begin` to `end` that some moments cut it into.

    >>> spans([30, 5, 10, 30, 99], 10, 50)
    [(10, 30), (30, 50)]
    """
    inside = sorted({begin, end, *(cut for cut in cuts if begin < cut < end)})
    return list(itertools.pairwise(inside))
