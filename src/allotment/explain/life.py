"""All the waiting of a job, cut into intervals of one reason each, which add up to it to the second."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import attrs
import numpy as np

from allotment.explain.reasons import Reason, reason
from allotment.explain.rerun import Rerun, Subject
from allotment.model.codes import JobState, WaitCode
from allotment.results.result import Result

ENDS_WAITING = ("preempted", "failed", "drained", "urgent_repair")


@attrs.frozen(kw_only=True)
class Interval:
    """From `begin` to `end` (s from the start) the job waited, for one reason."""

    begin: int
    end: int
    reason: Reason

    @property
    def seconds(self) -> int:
        """How long it is."""
        return self.end - self.begin


@attrs.frozen(kw_only=True)
class Cause:
    """What all intervals of one code and one plan node come to; `reason` is that of the longest of them."""

    seconds: int
    intervals: int
    reason: Reason


def periods(result: Result, of: Subject) -> list[tuple[int, int]]:
    """Return from when to when a job waited: to its first start, and from each time it was stopped to the next."""
    slices = result.slices[(result.slices["job"] == of.job).to_numpy()]
    rows = zip(slices["start"].tolist(), slices["end"].tolist(), slices["ended"].astype(str).tolist(), strict=True)
    over = result.horizon if of.end is None else of.end
    begin: int | None = of.submit
    found = []
    for start, end, ended in sorted(rows):
        if begin is not None and start > begin:
            found.append((begin, start))
        begin = end if ended in ENDS_WAITING else None
    if begin is not None and over > begin and of.state != JobState.RUNNING.name.lower():
        found.append((begin, over))
    return found


def intervals(result: Result, of: Subject, waits: Any, rerun: Rerun) -> tuple[Interval, ...]:
    """Return the waiting of a job by reason, from what was noted after each pass (records of `kernel.log.WAIT`).

    What comes before the first pass that could see it is waiting for that pass.
    """
    mine = waits[waits["job"] == of.job]
    found = []
    for begin, end in periods(result, of):
        inside = mine[(mine["time"] >= begin) & (mine["time"] < end)]
        cuts = [begin, *inside["time"].tolist(), end]
        first = "next_pass" if cuts[1] - begin <= rerun.scenario.cluster.cycle else "unexplained"
        reasons = [reason(first, cycle=rerun.scenario.cluster.cycle), *(told(row, of, rerun) for row in inside)]
        pieces = zip(cuts[:-1], cuts[1:], reasons, strict=True)
        found += [Interval(begin=a, end=b, reason=why) for a, b, why in pieces if b > a]
    return tuple(found)


def causes(life: Iterable[Interval]) -> tuple[Cause, ...]:
    """Return what the intervals come to, by code and plan node; the longest first."""
    groups: dict[tuple[str, Any], list[Interval]] = {}
    for each in life:
        groups.setdefault((each.reason.code, each.reason.parameters.get("level")), []).append(each)
    found = [
        Cause(
            seconds=sum(each.seconds for each in group),
            intervals=len(group),
            reason=max(group, key=lambda each: (each.seconds, -each.begin)).reason,
        )
        for group in groups.values()
    ]
    return tuple(sorted(found, key=lambda cause: (-cause.seconds, cause.reason.code)))


def told(row: Any, of: Subject, rerun: Rerun) -> Reason:
    """Return the reason that a record of `kernel.log.WAIT` stands for."""
    code = WaitCode(int(row["code"])).name.lower()
    policy = rerun.policy(int(row["time"]))
    level = rerun.paths[row["level"]] if row["level"] >= 0 else None
    if code == "headroom":
        return _unfunded(row, of, level, policy)
    if code == "too_large" and not row["entitled"]:
        return reason("nothing_entitled", level=level)
    if code == "too_large" and not rerun.log.jobs["too_large"][of.job]:
        code = "too_large_now"  # while the window fills, or after a change of the plan
    if code == "behind" and policy.candidates.name == "HEAD":
        code = "behind_first"
    if code in ("no_room", "fragment") and policy.contracts is not None:
        code = f"{code}_funded"
    given: dict[str, Any] = {
        "cycle": rerun.scenario.cluster.cycle,
        "level": level,
        "team": of.team,
        "other": int(row["other"]),
        "gpus": of.gpus,
        "shape": of.shape,
        "min_runtime": of.min_runtime,
        "claim": int(row["claim"]),
        "entitled": int(row["entitled"]),
        "held": int(row["held"]),
        "limit": int(row["limit"]),
        "room": int(row["room"]),
        "due": int(row["due"]),
        "overdue": int(row["due"] <= row["time"]),
    }
    if code == "reserved":
        given["limit"] = int(rerun.table.limit[of.job])
    return reason(code, **{name: given[name] for name in NEEDED[code]})


def _unfunded(row: Any, of: Subject, level: str | None, policy: Any) -> Reason:
    entitled, used = int(row["entitled"]), int(row["used"])
    if entitled == 0:
        return reason("nothing_entitled", level=level)
    short = policy.contracts is not None and of.min_runtime <= policy.contracts.short
    kept = 0 if short or policy.contracts is None else int(entitled * policy.contracts.reserve)
    left = entitled - used - kept
    given = {
        "level": level,
        "claim": int(row["claim"]),
        "gpus": of.gpus,
        "min_runtime": of.min_runtime,
        "entitled": entitled,
        "used": used,
        "ratio": used / entitled,
    }
    if kept and entitled > used and policy.contracts is not None:
        given |= {"kept": kept, "short": policy.contracts.short}
    return reason("headroom", **given, left=left) if left > 0 else reason("overdrawn", **given)


NEEDED: dict[str, tuple[str, ...]] = {
    "next_pass": ("cycle",),
    "no_contract": (),
    "too_large": ("level", "claim", "gpus", "min_runtime", "entitled"),
    "too_large_now": ("level", "claim", "gpus", "min_runtime", "entitled"),
    "saving": ("team", "other"),
    "slot_limit": ("level", "held", "limit", "gpus"),
    "behind": ("team", "other"),
    "behind_first": ("team", "other"),
    "behind_rank": ("other",),
    "reserved": ("other", "due", "limit", "room"),
    "holding": ("due", "overdue"),
    "held": ("other", "due", "overdue"),
    "no_room": ("gpus", "room"),
    "no_room_funded": ("gpus", "room"),
    "fragment": ("room", "shape"),
    "fragment_funded": ("room", "shape"),
    "too_few_nodes": ("shape",),
    "beyond_quota": ("level", "held", "limit"),
    "beyond_fair_share": ("level", "held", "limit", "gpus"),
    "unexplained": (),
}


def at(life: Iterable[Interval], time: int) -> Interval | None:
    """Return the interval that holds a moment."""
    return next((each for each in life if each.begin <= time < each.end), None)


def as_of(of: Reason, time: int) -> Reason:
    """Return a reason as it is at a moment: what was due by then is overdue."""
    due = of.parameters.get("due")
    if "overdue" not in of.parameters or not isinstance(due, int):
        return of
    return Reason(of.code, {**of.parameters, "overdue": int(due <= time)})


def within(life: Iterable[Interval], others: Iterable[Interval]) -> Iterator[Interval]:
    """Yield what of some intervals lies within others, which do not overlap."""
    spans = [(each.begin, each.end) for each in others]
    for each in life:
        for begin, end in spans:
            if max(begin, each.begin) < min(end, each.end):
                yield attrs.evolve(each, begin=max(begin, each.begin), end=min(end, each.end))


def unexplained(life: Iterable[Interval]) -> int:
    """Return for how many seconds a job could have started and did not; anything but 0 is a fault of the scheduler."""
    return sum(each.seconds for each in life if each.reason.code == "unexplained")


def main(life: Iterable[Interval]) -> Interval | None:
    """Return the longest stretch of what a job waited for most; None where it waited for passes alone."""
    found = tuple(life)
    most = next((cause.reason for cause in causes(found) if cause.reason.code != "next_pass"), None)
    return None if most is None else next(each for each in found if each.reason is most)


def of_jobs(result: Result, jobs: Iterable[int], rerun: Rerun) -> dict[int, tuple[Interval, ...]]:
    """Return the waiting of several jobs, from one run."""
    from allotment.explain.rerun import subject

    asked = np.array(sorted(set(jobs)), np.int64)
    waits, _log = rerun.waits(asked.tolist())
    order = np.argsort(waits["job"], kind="stable")
    waits = waits[order]
    bounds = np.searchsorted(waits["job"], np.append(asked, np.iinfo(np.int32).max)).tolist()
    found = {}
    for place, job in enumerate(asked.tolist()):
        found[job] = intervals(result, subject(result, job), waits[bounds[place] : bounds[place + 1]], rerun)
    return found
