"""How each budget stood over time: what it had used and committed in the window, over what it was entitled to there."""

from __future__ import annotations

from functools import cached_property
from typing import Literal

import attrs
import numpy as np
import numpy.typing as npt
import pandas as pd

from allotment.model.switch import Phase
from allotment.results.result import Result
from allotment.units import DAY, HOUR

Numbers = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
LN2 = float(np.log(2.0))


@attrs.frozen(kw_only=True, eq=False)
class Standing:
    """GPU-hours by [node, moment], at the beginning of every hour, before anything is decided there."""

    time: Integers
    """Seconds from the start."""
    nodes: tuple[str, ...]
    """Paths, in the order of the usage table."""
    used: Numbers
    """Allocated in the window, decayed where the policy has a half-life."""
    committed: Numbers
    """What the contracts of slices that are protected then have still before them; not what is kept for a gang that waits."""
    entitled: Numbers
    """Share x healthy capacity over the window; at the start, over a day at least."""
    begin: Integers
    """When the window began, of each moment (s)."""

    @cached_property
    def ratio(self) -> Numbers:
        """(used + committed) / entitled; above 1 a budget is overdrawn. NA where nothing is entitled."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.entitled > 0, (self.used + self.committed) / self.entitled, np.nan)


def standing(result: Result, level: Literal["teams", "budgets"] = "budgets") -> Standing:
    """Return how each budget, or each team, stood at every hour, from the hourly usage and the ledger.

    It is what the scheduler reckons with (`kernel/RULES.md`), read on the hour; a window of a part of an hour takes that
    part of the hour's use.
    """
    usage = result.usage
    of_level = usage["is_leaf"] if level == "teams" else usage["depth"] == 1
    rows = usage[of_level.to_numpy()]
    nodes = tuple(str(node) for node in pd.unique(rows["node"]))
    hours = len(rows) // max(len(nodes), 1)
    time = np.arange(hours, dtype=np.int64) * HOUR

    def table(name: str) -> Numbers:
        return np.asarray(rows[name].to_numpy().reshape(hours, len(nodes)).T)

    spent, due = table("allocated"), table("entitlement")
    used, entitled = np.zeros_like(spent), np.zeros_like(due)
    begin = np.zeros(hours, np.int64)
    length = np.diff(np.append(time, result.horizon)) / HOUR
    for phase in result.scenario.phases(result.horizon):
        at = np.flatnonzero((time >= phase.begin) & (time < phase.end))
        begin[at] = np.maximum(time[at] - phase.policy.window.lookback, phase.counts_from)
        used[:, at] = _in_window(spent, time, at, begin, phase)
        least = min(DAY, phase.policy.window.lookback)
        ahead = np.maximum(least - (time[at] - phase.counts_from), 0) / HOUR
        entitled[:, at] = _in_window(due, time, at, begin, phase) + due[:, at] / length[at] * ahead
    committed = _committed(result, "leaf" if level == "teams" else "budget", nodes, time)
    return Standing(time=time, nodes=nodes, used=used, committed=committed, entitled=entitled, begin=begin)


def _in_window(amounts: Numbers, time: Integers, at: Integers, begin: Integers, phase: Phase) -> Numbers:
    """Return the sums of hourly amounts from `begin` to some moments, decayed by the age that each has then."""
    half_life = phase.policy.window.half_life
    keep = 1.0 if half_life is None else 0.5 ** (HOUR / half_life)
    gain = 1.0 if half_life is None else (1 - keep) * half_life / HOUR / LN2  # of an hour spread evenly, at its end
    total = np.zeros((len(amounts), amounts.shape[1] + 1))
    for hour in range(amounts.shape[1]):
        total[:, hour + 1] = total[:, hour] * keep + amounts[:, hour] * gain
    start = begin[at] / HOUR
    whole = np.minimum(start.astype(np.int64), amounts.shape[1] - 1)
    rest = start - whole
    before = total[:, whole] * keep**rest + amounts[:, whole] * rest
    return np.asarray(total[:, time[at] // HOUR] - before * keep ** (time[at] / HOUR - start))


def _committed(result: Result, column: str, nodes: tuple[str, ...], time: Integers) -> Numbers:
    segments, slices, jobs = result.segments, result.slices, result.jobs
    promised = np.zeros(len(segments), bool)  # elsewhere `protected` says that nobody may displace it, for ever
    for phase in result.scenario.phases(result.horizon):
        if phase.policy.contracts is not None:
            promised |= (segments["begin"].to_numpy() >= phase.begin) & (segments["begin"].to_numpy() < phase.end)
    protected = segments[promised & (segments["state"] == "protected").to_numpy()]
    which = protected["slice"].to_numpy()
    job = np.searchsorted(jobs["job"].to_numpy(), slices["job"].to_numpy()[which])
    take = slices["take"].to_numpy()[which].astype(np.int64)
    begin, end = protected["begin"].to_numpy(), protected["end"].to_numpy()
    until = begin + jobs["min_runtime"].to_numpy()[job]
    group = jobs[column].cat
    of = group.codes.to_numpy()[job]
    names = [str(name) for name in group.categories]
    found = np.zeros((len(nodes), len(time)))
    for row, node in enumerate(nodes):
        mine = of == names.index(node) if node in names else np.zeros(len(of), bool)
        begun = _left(begin[mine], take[mine], until[mine], time, "left")
        found[row] = (begun - _left(end[mine], take[mine], until[mine], time, "right")) / HOUR
    return found


def _left(
    moments: Integers, take: Integers, until: Integers, time: Integers, side: Literal["left", "right"]
) -> Integers:
    """Return at each time the sum of take x (until - time) over what has its moment before it; or by then, with "right"."""
    order = np.argsort(moments, kind="stable")
    nothing = np.zeros(1, np.int64)
    gpus = np.concatenate([nothing, np.cumsum(take[order])])
    ahead = np.concatenate([nothing, np.cumsum((take * until)[order])])
    at = np.searchsorted(moments[order], time, side=side)
    return np.asarray(ahead[at] - gpus[at] * time)
