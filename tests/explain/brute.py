"""The causes of waiting once more, from the tables of a result alone: slow, plain, and without any code of the scheduler's.

`disagreements` names what the tables say against a reason at a moment, which must be one of a pass.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from allotment.explain.life import Interval
from allotment.model.policy import Backfill, Candidates, Key, Licence, Match
from allotment.results.moment import IN_SERVICE, moment
from allotment.results.result import Result
from allotment.units import DAY

UNIT = 10**8
INSIDE = {Key.PRIORITY, Key.AGE, Key.RETRY, Key.MIN_RUNTIME, Key.SIZE}
MARKS = ("low", "normal", "high", "urgent")


class Tables:
    """The tables of a result as plain lists."""

    def __init__(self, result: Result) -> None:
        self.result = result
        self.per_node = result.scenario.cluster.gpus_per_node
        self.jobs = {
            int(row["job"]): row for row in result.jobs.astype({"leaf": str, "priority": str}).to_dict("records")
        }
        slices = result.slices.astype({"leaf": str})
        self.slice = {name: slices[name].to_numpy() for name in ("job", "start", "end", "leaf", "take")}
        segments = result.segments.astype({"state": str})
        self.segment = {name: segments[name].to_numpy() for name in ("slice", "state", "begin", "end")}
        nodes = result.shares.astype({"node": str, "parent": str})
        self.shares = {time: dict(zip(of["node"], of["share"], strict=True)) for time, of in nodes.groupby("time")}
        first = nodes[nodes["time"] == nodes["time"].min()]
        self.parent = {row["node"]: row["parent"] for row in first.to_dict("records")}
        self.limits = {result.scenario.plan.path(node.id): node.allocated_limit for node in result.scenario.plan.walk()}

    def at(self, time: int) -> Moment:
        """Return everything at a moment."""
        return Moment(self, time)

    def line(self, leaf: str) -> list[str]:
        """Return the paths of the plan nodes from a leaf to its budget."""
        found = [leaf]
        while self.parent[found[-1]] != "root":
            found.append(self.parent[found[-1]])
        return found


class Moment:
    """What the tables say of one moment, after the decisions of that second."""

    def __init__(self, of: Tables, time: int) -> None:
        self.of, self.time = of, time
        phases = of.result.scenario.phases(of.result.horizon)
        self.phase = next(phase for phase in reversed(phases) if phase.begin <= time)
        self.policy = self.phase.policy

    @cached_property
    def nodes(self) -> Any:
        return moment(self.of.result, self.time)

    @cached_property
    def start(self) -> int:
        return max(self.time - self.policy.window.lookback, self.phase.counts_from)

    def usage(self, node: str, *, charged: bool = True) -> int:
        """Return the GPU-seconds in the window of what lies below a plan node."""
        of, total = self.of, 0
        below = np.array([node in of.line(leaf) for leaf in of.slice["leaf"]])
        for row in np.flatnonzero(below[of.segment["slice"]]):
            if charged and of.segment["state"][row] == "unallocated":
                continue
            begin, end = max(int(of.segment["begin"][row]), self.start), min(int(of.segment["end"][row]), self.time)
            total += max(end - begin, 0) * int(of.slice["take"][of.segment["slice"][row]])
        return total

    def committed(self, node: str) -> int:
        """Return what the contracts of slices that are protected now have before them, and the claims of holders."""
        of, total = self.of, 0
        now = np.flatnonzero((of.segment["begin"] <= self.time) & (of.segment["end"] > self.time))
        for row in now[of.segment["state"][now] == "protected"]:
            which = of.segment["slice"][row]
            job = of.jobs[int(of.slice["job"][which])]
            if node in of.line(str(of.slice["leaf"][which])):
                total += int(of.slice["take"][which]) * (int(of.segment["begin"][row]) + job["min_runtime"] - self.time)
        for job in self.holders:
            if node in of.line(of.jobs[job]["leaf"]):
                total += of.jobs[job]["take"] * of.jobs[job]["min_runtime"]
        return total

    @cached_property
    def holders(self) -> set[int]:
        said = self.of.result.decisions
        said = said[(said["time"] <= self.time).to_numpy()]
        found: set[int] = set()
        for what, reason, job in zip(
            said["decision"].astype(str), said["reason"].astype(str), said["job"], strict=True
        ):
            if what == "hold":
                found.add(int(job))
            elif what == "release" or (what == "start" and reason == "holding"):
                found.discard(int(job))
        return {job for job in found if self.waits(job)}

    def entitled(self, node: str) -> int:
        """Return share x healthy capacity over the window, in whole GPU-seconds, rounded down."""
        of, total = self.of, 0
        table = of.result.capacity
        steps = [*zip(table["time"].tolist(), table["healthy"].tolist(), strict=True)]
        cuts = sorted({self.start, self.time, *(t for t, _ in steps), *of.shares})
        cuts = [cut for cut in cuts if self.start <= cut <= self.time]
        for begin, end in pairwise(cuts):
            healthy = [gpus for t, gpus in steps if t <= begin][-1]
            total += self.share(node, begin) * healthy * (end - begin)
        healthy = [gpus for t, gpus in steps if t <= self.time][-1]
        total += (
            self.share(node, self.time)
            * healthy
            * max(min(DAY, self.policy.window.lookback) - (self.time - self.phase.counts_from), 0)
        )
        return total // UNIT

    def share(self, node: str, time: int) -> int:
        return round(self.of.shares[max(t for t in self.of.shares if t <= time)][node] * UNIT)

    def fits_budget(self, job: int, node: str) -> bool:
        """Tell whether a claim fits in what is left at a plan node, less the reserve."""
        j, contracts = self.of.jobs[job], self.policy.contracts
        entitled = self.entitled(node)
        kept = 0 if j["min_runtime"] <= contracts.short else int(entitled * contracts.reserve)
        return bool(j["take"] * j["min_runtime"] <= entitled - self.usage(node) - self.committed(node) - kept)

    def waits(self, job: int) -> bool:
        if job not in self.of.jobs:
            return False
        j, of = self.of.jobs[job], self.of
        over = (
            of.result.horizon if j["end"] is None or j["end"] != j["end"] or str(j["end"]) == "<NA>" else int(j["end"])
        )
        mine = of.slice["job"] == job
        running = mine & (of.slice["start"] <= self.time) & (of.slice["end"] > self.time)
        return bool(j["submit"] <= self.time < over and not running.any())

    def rooms(self, *, displacing: bool) -> list[int]:
        """Return, of the nodes in service, the GPUs that are free, or run older work that is charged to nobody."""
        held = self.nodes.held
        young = {int(self.of.slice["job"][row]) for row in np.flatnonzero(self.of.slice["start"] == self.time)}
        counts = dict.fromkeys(np.flatnonzero(self.nodes.state == IN_SERVICE).tolist(), self.of.per_node)
        for row in held.to_dict("records"):
            yields = displacing and row["state"] == "unallocated" and row["job"] not in young
            if row["node"] in counts and not yields:
                counts[row["node"]] -= row["gpus"]
        return list(counts.values())

    def fits(self, job: int, *, displacing: bool = False) -> bool:
        """Tell whether there is room for a job on some node, or enough whole ones."""
        j, rooms = self.of.jobs[job], self.rooms(displacing=displacing)
        if j["gpus"] > self.of.per_node:
            return rooms.count(self.of.per_node) >= j["take"] // self.of.per_node
        return any(room >= j["take"] for room in rooms)

    def held(self, node: str) -> int:
        """Return the GPUs that are charged now below a plan node."""
        held = self.nodes.held
        return sum(
            row["gpus"]
            for row in held.to_dict("records")
            if node in self.of.line(row["leaf"]) and row["state"] != "unallocated"
        )

    def rank(self, job: int, keys: Any) -> tuple[int, ...]:
        j = self.of.jobs[job]
        stops = int(((self.of.slice["job"] == job) & (self.of.slice["end"] <= self.time)).sum())
        terms = {
            Key.PRIORITY: -MARKS.index(j["priority"]),
            Key.AGE: j["submit"],
            Key.MIN_RUNTIME: j["min_runtime"],
            Key.SIZE: j["take"],
            Key.RETRY: -stops,
        }
        return (*(terms[key] for key in keys if key in terms), job)


def disagreements(of: Moment, job: int, interval: Interval) -> Iterator[str]:
    """Yield what the tables say against the reason of an interval, at a moment of a pass in it."""
    policy, code, given = of.policy, interval.reason.code.removesuffix("_funded"), interval.reason.parameters
    j = of.of.jobs[job]
    if not of.waits(job):
        yield "it does not wait"
    filled = policy.contracts is None or any(part.match is Match.ALL for part in policy.partitions)
    limited = code in ("slot_limit", "beyond_quota", "reserved", "behind_rank") or any(of.of.limits.values())
    if filled and not limited and code != "next_pass" and of.fits(job):
        yield "there is room for it on free GPUs"
    claims = policy.contracts is not None and policy.partitions[0].licence is not Licence.NOBODY
    funded = (
        code in ("no_room", "fragment", "held", "holding", "behind_rank", "slot_limit") and policy.contracts is not None
    )
    if funded and not j["min_runtime"]:
        yield "it asks no contract, so it is not funded"
    if funded and code != "holding" and not of.fits_budget(job, of.of.line(j["leaf"])[-1]):
        yield "its budget has too little left"
    if code in ("headroom", "overdrawn", "nothing_entitled") and of.fits_budget(job, str(given["level"])):
        yield f"its claim fits in what {given['level']} has left"
    if code in ("too_large", "too_large_now") and j["take"] * j["min_runtime"] <= of.entitled(str(given["level"])):
        yield "its claim is not too large"
    if code in ("no_room", "fragment") and not of.holders and of.fits(job, displacing=claims):
        yield "there is room for it"
    if code in ("fragment", "no_room") and not of.holders:
        enough = sum(of.rooms(displacing=claims)) >= j["take"]
        if enough != (code == "fragment"):
            yield f"{sum(of.rooms(displacing=claims))} GPUs can be had"
    any_may = policy.backfill is Backfill.ANY and policy.quotas is None
    stopped = bool((of.of.slice["end"] == of.time).any())  # what a displacement leaves is for the next pass
    if code in ("no_room", "fragment") and any_may and not of.holders and not stopped and _displaces(of, job):
        yield "what runs is for it to stop"
    if code == "no_contract" and j["min_runtime"]:
        yield "it asks a contract"
    if code == "holding" and job not in of.holders:
        yield "nothing is held for it"
    if code == "held" and given["other"] not in of.holders:
        yield "nothing is held for the other"
    if code == "slot_limit" and of.held(str(given["level"])) + j["take"] <= (
        of.of.limits[str(given["level"])] or 10**9
    ):
        yield "the limit is not reached"
    if code == "beyond_fair_share" and of.held(j["leaf"]) != given["held"] and interval.begin == of.time:
        yield f"its team holds {of.held(j['leaf'])}"
    if code == "saving" and not _older(of, job, int(given["other"])):
        yield "the other has not waited longer"
    if code in ("behind", "behind_first", "behind_rank", "reserved"):
        yield from _behind(of, job, int(given["other"]), code)


def _displaces(of: Moment, job: int) -> bool:
    """Tell whether a job could have room if it stopped all older work that the policy lets it stop, besides what is free."""
    policy, tables, j = of.policy, of.of, of.of.jobs[job]
    young = {int(tables.slice["job"][row]) for row in np.flatnonzero(tables.slice["start"] == of.time)}
    teams: dict[str, bool] = {}
    counts = dict.fromkeys(np.flatnonzero(of.nodes.state == IN_SERVICE).tolist(), tables.per_node)
    for row in of.nodes.held.to_dict("records"):
        if row["node"] not in counts:
            continue
        yields = False
        if row["job"] not in young and policy.contracts is not None:
            yields = row["state"] == "unallocated"
            if row["state"] == "interruptible":
                leaf = row["leaf"]
                yields = teams[leaf] if leaf in teams else teams.setdefault(leaf, _is_over(of, job, leaf))
        elif row["job"] not in young and policy.partitions[0].licence is Licence.LOWER:
            lower = MARKS.index(tables.jobs[row["job"]]["priority"]) < MARKS.index(j["priority"])
            yields = row["state"] == "interruptible" and lower
        if not yields:
            counts[row["node"]] -= row["gpus"]
    if j["gpus"] > tables.per_node:
        return list(counts.values()).count(tables.per_node) >= j["take"] // tables.per_node
    return any(room >= j["take"] for room in counts.values())


def _is_over(of: Moment, job: int, leaf: str) -> bool:
    """Tell whether a claim may displace work past its contract of a leaf: short, or far enough below where the branches part."""
    policy, j = of.policy, of.of.jobs[job]
    if leaf == j["leaf"]:
        return False
    if j["min_runtime"] <= policy.contracts.short:
        return True
    mine, theirs = of.of.line(j["leaf"])[::-1], of.of.line(leaf)[::-1]
    x, y = next((a, b) for a, b in zip(mine, theirs, strict=False) if a != b)
    entitled = of.entitled(x)
    ratio = ratio_of(of, y)
    if not entitled:
        return False
    after = Fraction(of.usage(x) + of.committed(x) + j["take"] * j["min_runtime"], entitled)
    return ratio is None or after + policy.margin < ratio


def _older(of: Moment, job: int, other: int) -> bool:
    contracts = of.policy.contracts
    starts = of.of.slice["start"][of.of.slice["job"] == other].tolist()  # it may have started in this very pass
    there = of.waits(other) or of.time in starts
    return there and of.time - of.of.jobs[other]["submit"] >= (contracts.save_after or 0)


def _behind(of: Moment, job: int, other: int, code: str) -> Iterator[str]:
    if not of.waits(other):
        yield "the other does not wait"
        return
    j, k, keys = of.of.jobs[job], of.of.jobs[other], of.policy.partitions[0].keys
    if code in ("behind", "behind_first"):
        if j["leaf"] != k["leaf"]:
            yield "the other is of another team"
        if code == "behind" and (
            j["take"] != k["take"] or (of.policy.contracts and j["min_runtime"] != k["min_runtime"])
        ):
            yield "the other asks something else"
        keys = tuple(key for key in keys if key in (Key.PRIORITY, Key.AGE, Key.RETRY))
    if set(keys) <= INSIDE and of.rank(other, keys) > of.rank(job, keys):
        yield "the other comes after it"
    if code == "behind_rank" and of.policy.backfill in (Backfill.ANY, Backfill.EASY):
        yield "whatever fits may start"
    if code == "behind_first" and of.policy.candidates is not Candidates.HEAD:
        yield "every class is looked at"


def ratio_of(of: Moment, node: str) -> Fraction | None:
    """Return (used + committed) / entitled of a plan node."""
    entitled = of.entitled(node)
    return Fraction(of.usage(node) + of.committed(node), entitled) if entitled else None
