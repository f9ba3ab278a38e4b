"""The figures that beliefs are put to the test by: each a function of one run and of the jobs that are looked at.

The four in `FOUR` are told together, since what wins on one of them often loses on another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt
import pandas as pd

from allotment.experiment.measures import Unit
from allotment.model.checks import at_least
from allotment.model.typed import typed
from allotment.results import metrics
from allotment.results.result import Result
from allotment.units import DAY, HOUR, MINUTE, Seconds

Flags = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int64]
AT_THE_MARK = 10 * MINUTE  # so soon after a contract's end a stop is seen as due to that


def _names(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(names)


@attrs.frozen(kw_only=True, field_transformer=typed)
class Group:
    """Which jobs of a run are looked at: of some teams and kinds of work, over some of the measured time."""

    leaves: tuple[str, ...] = attrs.field(default=(), converter=_names)
    """The ids of the teams; empty is all."""
    kinds: tuple[str, ...] = attrs.field(default=(), converter=_names)
    """The kinds of work; empty is all."""
    since: Seconds | None = attrs.field(default=None, validator=at_least(0))
    """From when on, from the scenario's start; null is the end of the warm-up."""
    until: Seconds | None = attrs.field(default=None, validator=at_least(1))
    """Until when; null is the end."""
    at_most: Seconds = attrs.field(default=2 * DAY, validator=at_least(1))
    """What one wait counts at most. Jobs submitted so shortly before the end that theirs could not be seen do not count."""

    def span(self, result: Result) -> tuple[int, int]:
        """Return from when until when a run is looked at, in seconds from its start."""
        since = result.scenario.warmup if self.since is None else self.since
        return since, result.horizon if self.until is None else min(self.until, result.horizon)

    def jobs(self, result: Result) -> pd.DataFrame:
        """Return the jobs of the teams and kinds, whenever they were submitted."""
        jobs = result.jobs
        chosen = np.ones(len(jobs), dtype=np.bool_)
        if self.leaves:
            chosen &= jobs["leaf"].isin([result.scenario.plan.path(leaf) for leaf in self.leaves]).to_numpy()
        if self.kinds:
            chosen &= jobs["kind"].isin(list(self.kinds)).to_numpy()
        return jobs[chosen]

    def slices(self, result: Result) -> pd.DataFrame:
        """Return each time that one of these jobs held GPUs."""
        return result.slices[result.slices["job"].isin(self.jobs(result)["job"]).to_numpy()]


@attrs.frozen(kw_only=True)
class Metric:
    """A figure: what it is called in a sentence and in a column, what it is counted in, and how it is computed."""

    title: str
    short: str
    unit: Unit
    of: Callable[[Result, Group], float | None]


def wait(result: Result, group: Group) -> float | None:
    """Return the mean wait for the first start (s), each at most `at_most`; None without jobs."""
    jobs = _seen_whole(result, group)
    return _mean(np.minimum(jobs["waited"].to_numpy(), group.at_most))


def time_to_result(result: Result, group: Group) -> float | None:
    """Return the mean time from submission to the finished result (s), each at most `at_most`; None without jobs."""
    jobs = _seen_whole(result, group)
    finished = (jobs["state"] == "finished").to_numpy()
    took = (jobs["end"] - jobs["submit"]).fillna(group.at_most).to_numpy(dtype=np.int64)
    return _mean(np.where(finished, np.minimum(took, group.at_most), group.at_most))


def finished(result: Result, group: Group) -> float | None:
    """Return the part of the jobs that have their result within `at_most`."""
    jobs = _seen_whole(result, group)
    took = (jobs["end"] - jobs["submit"]).fillna(group.at_most + 1).to_numpy(dtype=np.int64)
    done = (jobs["state"] == "finished").to_numpy() & (took <= group.at_most)
    return metrics.ratio(int(np.count_nonzero(done)), len(jobs))


def durable(result: Result, group: Group) -> float:
    """Return the GPU-hours of work that were kept, over the slices that started in the time looked at."""
    since, until = group.span(result)
    slices = group.slices(result)
    start = slices["start"].to_numpy()
    within = (start >= since) & (start < until)
    useful = (slices["kept"] - slices["squatted"]).to_numpy() * slices["take"].to_numpy().astype(np.int64)
    return int(useful[within].sum()) / HOUR


def charged(result: Result, group: Group) -> float:
    """Return the GPU-hours that were charged to a budget: those that were protected, or interruptible."""
    return _held(result, group, ("protected", "interruptible")) / HOUR


def held(result: Result, group: Group) -> float:
    """Return the GPU-hours that were held, charged to a budget or to nobody."""
    return _held(result, group, ("protected", "interruptible", "unallocated")) / HOUR


def had(result: Result, group: Group) -> float | None:
    """Return the GPU-hours held, as a part of the work that was submitted in the time looked at: GPUs taken x run time."""
    since, until = group.span(result)
    jobs = group.jobs(result)
    submit = jobs["submit"].to_numpy()
    work = jobs["take"].to_numpy().astype(np.int64) * jobs["work"].to_numpy()
    asked = int(work[(submit >= since) & (submit < until)].sum())
    return metrics.ratio(_held(result, group, ("protected", "interruptible", "unallocated")), asked)


def beyond_share(result: Result, group: Group) -> float | None:
    """Return the GPU-hours held beyond what the teams were entitled to, as a part of that; nothing where it is less."""
    entitled = metrics.total(_usage(result, group)["entitlement"])
    return metrics.ratio(
        max(0, _held(result, group, ("protected", "interruptible", "unallocated")) - entitled), entitled
    )


def wanted(result: Result, group: Group) -> float | None:
    """Return what the teams wanted under contract, as a part of what they were entitled to: above 1 the budget is the limit.

    A job is wanted while it runs and while it waits.
    """
    rows = _usage(result, group)
    return metrics.ratio(metrics.total(rows["demand"]), metrics.total(rows["entitlement"]))


def delivered(result: Result, group: Group) -> float | None:
    """Return what the teams were given of what they were owed: min(given, owed) / owed, added up over the teams."""
    since, until = group.span(result)
    of = metrics.deliver(result.usage, metrics.first_hour(since), until // HOUR)
    plan = result.scenario.plan
    paths = {plan.path(leaf) for leaf in group.leaves or plan.work_leaves()}
    nodes = result.usage["node"].cat.categories
    return of.only(np.array([node in paths for node in nodes])).cumulative


def lost_when_stopped(result: Result, group: Group) -> float | None:
    """Return the part of the GPU time held by jobs that were displaced at least once that had to be done again."""
    since, _ = group.span(result)
    slices = group.slices(result)
    slices = slices[(slices["start"] >= since).to_numpy()]
    displaced = slices["job"][(slices["ended"] == "preempted").to_numpy()]
    theirs = slices[slices["job"].isin(displaced).to_numpy()]
    whole = int(((theirs["end"] - theirs["start"]).to_numpy() * theirs["take"].to_numpy().astype(np.int64)).sum())
    return metrics.ratio(metrics.total(theirs["lost"]), whole)


def stopped_at_the_mark(result: Result, group: Group) -> float | None:
    """Return the part of the slices with work left when their minimum runtime ended that were displaced just then."""
    since, until = group.span(result)
    slices = group.slices(result).set_index("slice")
    segments = result.segments
    promised = segments[(segments["state"] == "protected").to_numpy() & segments["slice"].isin(slices.index).to_numpy()]
    mark = promised.groupby("slice")["end"].max()
    slices = slices.loc[mark.index]
    end, ended = slices["end"].to_numpy(), slices["ended"].to_numpy().astype(str)
    stopped = ended == "preempted"
    reached = (mark.to_numpy() >= since) & (mark.to_numpy() < until) & ((end > mark.to_numpy()) | stopped)
    just_then = stopped & (end - mark.to_numpy() <= AT_THE_MARK)
    return metrics.ratio(int(np.count_nonzero(reached & just_then)), int(np.count_nonzero(reached)))


def occupancy(result: Result, _group: Group) -> float | None:
    """Return the part of the healthy GPU time of the whole cluster that was held."""
    value: float | None = result.summary["occupancy"]
    return value


def idle_without_cause(result: Result, _group: Group) -> float | None:
    """Return the part of the idle GPU time of the whole cluster for which there was no reason."""
    idle: Mapping[str, float | None] = result.summary["idle"]
    parts = {cause: part or 0.0 for cause, part in idle.items()}
    whole = sum(parts.values())
    return parts["unexplained"] / whole if whole else None


def idle(result: Result, _group: Group) -> float | None:
    """Return the part of the healthy GPU time that idled while something waited."""
    parts: Mapping[str, float | None] = result.summary["idle"]
    return sum(part or 0.0 for cause, part in parts.items() if cause != "no_demand")


def time_to_hold(result: Result, group: Group) -> float | None:
    """Return how long it takes, on average over every hour of the time looked at, until one of the jobs holds GPUs (s).

    It is nothing while one does. So it tells how long somebody waits who keeps GPUs in order to work on them at any time.
    """
    since, until = group.span(result)
    moments = np.arange(since, until - group.at_most, HOUR)
    slices = group.slices(result).sort_values(["start", "slice"])
    return _mean(np.minimum(_until_held(moments, slices["start"].to_numpy(), slices["end"].to_numpy()), group.at_most))


def _until_held(moments: Integers, start: Integers, end: Integers) -> Integers:
    """Return how long after each moment something is held; slices are in the order of their starts.

    >>> _until_held(np.array([0, 5, 12, 30]), np.array([4, 14]), np.array([10, 20])).tolist()
    [4, 0, 2, 4611686018427387904]
    """
    far = 1 << 62
    after = np.searchsorted(start, moments, side="right")
    ends = np.maximum.accumulate(np.append(0, end))[after]
    until = np.append(start, far)[after]
    waits = np.where(ends > moments, 0, np.where(until == far, far, until - moments))
    return np.asarray(waits, dtype=np.int64)


def _usage(result: Result, group: Group) -> pd.DataFrame:
    """Return the hours of the teams in the time looked at."""
    since, until = group.span(result)
    usage, time = result.usage, result.usage["time"].to_numpy()
    plan = result.scenario.plan
    paths = [plan.path(leaf) for leaf in group.leaves or plan.work_leaves()]
    return usage[usage["node"].isin(paths).to_numpy() & (time >= since) & (time < until)]


def _seen_whole(result: Result, group: Group) -> pd.DataFrame:
    """Return the jobs submitted in the time looked at, and so early that a wait of `at_most` could be seen."""
    since, until = group.span(result)
    jobs = group.jobs(result)
    submit = jobs["submit"].to_numpy()
    return jobs[(submit >= since) & (submit < min(until, result.horizon - group.at_most))]


def _held(result: Result, group: Group, states: tuple[str, ...]) -> int:
    """Return the GPU-seconds that were held in some states, in the time looked at."""
    since, until = group.span(result)
    slices, segments = group.slices(result), result.segments
    chosen = segments[segments["state"].isin(states).to_numpy() & segments["slice"].isin(slices["slice"]).to_numpy()]
    take = result.slices["take"].to_numpy().astype(np.int64)[chosen["slice"].to_numpy()]
    long = np.minimum(chosen["end"].to_numpy(), until) - np.maximum(chosen["begin"].to_numpy(), since)
    return int((take * np.maximum(long, 0)).sum())


def _mean(seconds: npt.NDArray[Any]) -> float | None:
    return int(seconds.sum()) / len(seconds) if len(seconds) else None


METRICS: Mapping[str, Metric] = MappingProxyType(
    {
        "wait": Metric(title="wait to first start", short="wait", unit="s", of=wait),
        "time_to_result": Metric(title="time to result", short="result", unit="s", of=time_to_result),
        "durable": Metric(title="work that lasts", short="durable", unit="GPU-hours", of=durable),
        "charged": Metric(title="GPU-hours charged", short="charged", unit="GPU-hours", of=charged),
        "held": Metric(title="GPU-hours held", short="held", unit="GPU-hours", of=held),
        "had": Metric(title="share of the asked GPU time", short="had", unit="ratio", of=had),
        "finished": Metric(title="part that finishes in time", short="finished", unit="ratio", of=finished),
        "beyond_share": Metric(title="use beyond the share", short="beyond", unit="ratio", of=beyond_share),
        "wanted": Metric(title="wanted part of the entitlement", short="wanted", unit="ratio", of=wanted),
        "delivered": Metric(title="delivered part of what was owed", short="delivered", unit="ratio", of=delivered),
        "lost_when_stopped": Metric(
            title="lost part of the GPU time", short="lost", unit="ratio", of=lost_when_stopped
        ),
        "stopped_at_the_mark": Metric(
            title="part displaced at its contract's end", short="stopped", unit="ratio", of=stopped_at_the_mark
        ),
        "occupancy": Metric(title="occupancy", short="occupied", unit="ratio", of=occupancy),
        "idle": Metric(title="idle part while work waits", short="idle", unit="ratio", of=idle),
        "idle_without_cause": Metric(
            title="idle part without a cause", short="no cause", unit="ratio", of=idle_without_cause
        ),
        "time_to_hold": Metric(title="wait until GPUs are at hand", short="wait", unit="s", of=time_to_hold),
    }
)
"""Every figure by its name."""
FOUR = ("wait", "time_to_result", "durable", "charged")


def metric_name(_instance: Any, attribute: attrs.Attribute[str], value: str) -> None:
    """Want the name of a figure; an empty text passes where it is the default."""
    if value not in METRICS and not (value == "" and attribute.default == ""):
        raise ValueError(f"{attribute.name} must be one of {', '.join(METRICS)}, not {value!r}")
