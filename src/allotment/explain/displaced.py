"""Why a job was stopped: by whom, under which rule, with which numbers, what that cost, and when it went on."""

from __future__ import annotations

from typing import Any

import attrs

from allotment.explain.life import ENDS_WAITING
from allotment.explain.reasons import Reason, reason
from allotment.explain.rerun import Rerun, Subject
from allotment.model.codes import Priority
from allotment.results.result import Result

HOUR = 3_600


@attrs.frozen(kw_only=True)
class Displaced:
    """One stop of a job, at `time` (s from the start)."""

    time: int
    slice: int
    """The number of the slice that was stopped."""
    why: Reason
    """By whom, under which rule, with which numbers."""
    cost: Reason
    """The work that was lost."""
    then: Reason
    """When it went on."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """The three in English."""
        return tuple(each.sentence for each in (self.why, self.cost, self.then))


def displaced(result: Result, of: Subject, rerun: Rerun) -> tuple[Displaced, ...]:
    """Return every stop of a job that somebody else or a machine made, in their order."""
    slices = result.slices[(result.slices["job"] == of.job).to_numpy()].sort_values("start")
    decisions = result.decisions
    mine = decisions[
        ((decisions["decision"] == "preempt") & (decisions["job"] == of.job)).fillna(value=False).to_numpy(bool)
    ]
    starts = slices["start"].tolist()
    found = []
    for place, (number, row) in enumerate(zip(slices["slice"].tolist(), slices.to_dict("records"), strict=True)):
        if row["ended"] not in ENDS_WAITING:
            continue
        time, lost = int(row["end"]), round(row["lost"] * HOUR)
        decided = mine[(mine["slice"] == number).to_numpy(bool)]
        if len(decided):
            why = _preempted(decided.iloc[0], result, of, rerun, time, int(number))
        else:
            why = reason(f"stopped_{row['ended']}")
        cost = (
            reason("stopped_lost_none")
            if not lost
            else reason("stopped_lost" if row["kept"] else "stopped_lost_all", lost=lost)
        )
        later = starts[place + 1] if place + 1 < len(starts) else None
        if later is not None:
            then = reason("went_on", time=later, wait=later - time)
        else:
            then = reason("given_up" if of.state == "given_up" else "not_again")
        found.append(Displaced(time=time, slice=int(number), why=why, cost=cost, then=then))
    return tuple(found)


def _preempted(row: Any, result: Result, of: Subject, rerun: Rerun, time: int, number: int) -> Reason:
    """Return why a slice was stopped for another job, from the row of the decision."""
    policy, other, rule = rerun.policy(time), int(row["other_job"]), str(row["reason"])
    claimant = result.jobs[(result.jobs["job"] == other).to_numpy()].iloc[0]
    given: dict[str, Any] = {"other": other, "team": str(claimant["leaf"])}
    if rule in ("balance", "over_fair_share", "over_quota"):
        x = str(row["level"])
        given |= {"x": x, **sides(rerun, x, of.team)}
    if rule == "balance":
        given["a"] = (row["used"] + row["claim"]) / row["entitled"]
        given["b"] = row["other_used"] / row["other_entitled"] if row["other_entitled"] > 0 else None
        given["margin"] = float(policy.margin)
    if rule in ("balance", "short_claim", "hold_due"):
        given["past"] = time - _contract_end(result, number, time)
    if rule == "short_claim" and policy.contracts is not None:
        given["short"] = policy.contracts.short
    if rule == "priority":
        mine = result.jobs[(result.jobs["job"] == of.job).to_numpy()].iloc[0]
        given |= {"a": _level(claimant), "b": _level(mine)}
    return reason(f"stopped_{rule}", **given)


def _level(job: Any) -> int:
    return int(Priority[str(job["priority"]).upper()])


def _contract_end(result: Result, number: int, time: int) -> int:
    """Return when the contract of a slice ended: its last protected second before a moment, else its start."""
    mine = result.segments[(result.segments["slice"] == number).to_numpy()]
    ends = mine["end"].to_numpy()[(mine["state"] == "protected").to_numpy() & (mine["end"].to_numpy() <= time)]
    return int(ends.max()) if len(ends) else int(mine["begin"].min())


def sides(rerun: Rerun, x: str, team: str) -> dict[str, str]:
    """Return where the branches part: the plan node above `x`, and the one beside it that a team belongs to."""
    parents = rerun.parents
    above = parents[rerun.paths.index(x)]
    y = rerun.paths.index(team)
    while parents[y] != above and parents[y] >= 0:
        y = parents[y]
    return {"above": rerun.paths[above], "y": rerun.paths[y]}
