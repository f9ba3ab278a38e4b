"""What happened between two moments: which slices ran, in which state, and who was displaced by whom."""

from __future__ import annotations

from collections.abc import Collection

import attrs
import numpy as np
import numpy.typing as npt
import pandas as pd

from allotment.results.result import Result
from allotment.units import HOUR

Rows = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
PREEMPTED = "preempted"
FAULTS = ("failed", "drained", "urgent_repair")


def busiest(result: Result, length: int) -> tuple[int, int]:
    """Return the window of so many seconds, from a whole hour on, in which most slices were displaced after the warm-up.

    Of several the first; where nothing was displaced, the first after the warm-up; never longer than the run, but for one
    that has not begun, of which it is the first second.
    """
    length = max(min(length, result.horizon), 1)
    latest = max(result.horizon - length, 0)
    slices, warmup = result.slices, min(result.scenario.warmup, latest)
    ends = slices["end"].to_numpy()[(slices["ended"] == PREEMPTED).to_numpy()]
    first, last = -(-warmup // HOUR), max(latest // HOUR, -(-warmup // HOUR))
    begins = np.arange(first, last + 1) * HOUR
    ends = np.sort(ends)
    count = np.searchsorted(ends, begins + length) - np.searchsorted(ends, begins)
    begin = min(int(begins[int(np.argmax(count))]), latest)
    return begin, begin + length


@attrs.frozen(kw_only=True, eq=False)
class Shown:
    """Some jobs in a window of time, and what became of their slices there."""

    begin: int
    end: int
    jobs: pd.DataFrame
    """The rows of `Result.jobs` that were chosen, most telling first."""
    slices: pd.DataFrame
    """Their slices that overlap the window."""
    segments: pd.DataFrame
    """The states of these slices, with `job`; longest first, at most as many as were asked for, clipped to the window."""
    held: int
    """How many jobs held GPUs in the window, among those that were asked for."""
    displaced: int
    """How many of their slices were displaced in it."""
    lost: float
    """The work that this threw away, in GPU-hours."""


def chosen(
    result: Result,
    begin: int,
    end: int,
    *,
    teams: Collection[str] | None = None,
    nodes: Collection[int] | None = None,
    first: int | None = None,
    jobs: int = 16,
    bars: int = 500,
) -> Shown:
    """Return the jobs that tell most of a window: `first`, then those displaced, for whom they were, and who held most.

    `teams` are paths of leaves, `nodes` numbers of nodes: only slices charged to one of them, or on one of them, are
    looked at. At most so many `jobs`, and of their states the longest `bars`.
    """
    slices = result.slices
    there = _in_window(result, begin, end, teams, nodes)
    of = slices[there]
    job, stop = of["job"].to_numpy().astype(np.int64), of["end"].to_numpy()
    displaced = (of["ended"] == PREEMPTED).to_numpy() & (stop < end)
    for_job = of["for_job"].fillna(-1).to_numpy(np.int64)
    time = np.minimum(stop, end) - np.maximum(of["start"].to_numpy(), begin)
    numbers, which = np.unique(job, return_inverse=True)
    held = np.bincount(which, weights=(time * of["take"].to_numpy()).astype(np.float64), minlength=len(numbers))
    hit = np.bincount(which, weights=displaced.astype(np.float64), minlength=len(numbers)) > 0
    winners = np.isin(numbers, for_job[displaced])
    # A victim and the one it made room for belong together: whoever is in more of such pairs comes first.
    order = np.lexsort((numbers, -held, ~(hit | winners), numbers != (-1 if first is None else first)))[:jobs]
    picked = numbers[order]
    table = result.jobs
    rows = np.searchsorted(table["job"].to_numpy(), picked)
    mine = of[np.isin(job, picked)]
    return Shown(
        begin=begin,
        end=end,
        jobs=table.iloc[rows],
        slices=mine,
        segments=_segments(result.segments, mine, begin, end, bars),
        held=len(numbers),
        displaced=int(displaced.sum()),
        lost=float(np.rint(of["lost"].to_numpy()[displaced] * HOUR).sum()) / HOUR,
    )


def _in_window(
    result: Result, begin: int, end: int, teams: Collection[str] | None, nodes: Collection[int] | None
) -> Flags:
    slices = result.slices
    there = (slices["start"].to_numpy() < end) & (slices["end"].to_numpy() > begin)
    if teams is not None:
        named = slices["leaf"].cat.categories.isin(list(teams))
        there &= np.append(named, False)[slices["leaf"].cat.codes.to_numpy()]
    if nodes is not None:
        placed = result.placements
        on = placed["slice"].to_numpy()[np.isin(placed["node"].to_numpy(), list(nodes))]
        there &= np.isin(slices["slice"].to_numpy(), on)
    return np.asarray(there)


def _segments(segments: pd.DataFrame, slices: pd.DataFrame, begin: int, end: int, most: int) -> pd.DataFrame:
    number = slices["slice"].to_numpy()
    inside = np.isin(segments["slice"].to_numpy(), number)
    inside &= (segments["begin"].to_numpy() < end) & (segments["end"].to_numpy() > begin)
    found = segments[inside]
    at = np.searchsorted(number, found["slice"].to_numpy())
    found = found.assign(
        job=slices["job"].to_numpy()[at],
        begin=np.maximum(found["begin"].to_numpy(), begin),
        end=np.minimum(found["end"].to_numpy(), end),
    )
    longest = np.argsort((found["begin"] - found["end"]).to_numpy(), kind="stable")[:most]
    return found.iloc[longest]
