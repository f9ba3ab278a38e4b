"""The part of the plain reference that is for policies with quotas: fair GPUs, who is next, who may take what from whom.

Fair GPUs are divided with fractions, and everything is counted anew from the jobs whenever it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import attrs

from allotment.model.codes import DecisionCode, JobState, Reason, SliceState
from allotment.model.plan import OWN, ROOT
from allotment.model.policy import Licence, Partition, Quotas

UNIT = 10**8
FREE, RECLAIM, WITHIN = range(3)


@attrs.define(eq=False)
class Division:
    """What each plan node deserves and what it should hold, in one pass."""

    quota: dict[str, int]
    fair: dict[str, int]
    most: dict[str, int]  # what it may hold before it is fair to take from it


class Quoted:
    """One pass of a run under quotas."""

    def __init__(self, run: Any, quotas: Quotas) -> None:
        self.run, self.quotas = run, quotas
        self.below: dict[str, list[str]] = {level: [] for level in run.ids}
        for level in run.ids:
            if level != ROOT:
                self.below[run.plan.parent(level)].append(level)
        self.division = self._divide()

    # --- fair GPUs --------------------------------------------------------------------------------------------------

    def inside(self, level: str) -> list[Any]:
        """Return the jobs that are submitted and not over, at or below a plan node."""
        open_jobs = [job for job in self.run.jobs if job.state in (JobState.WAITING, JobState.RUNNING)]
        return [job for job in open_jobs if level in (*self.run.lineage[job.leaf], ROOT)]

    def held(self, level: str) -> int:
        return sum(job.take for job in self.inside(level) if job.state == JobState.RUNNING)

    def limit(self, level: str) -> int | None:
        if level == ROOT or level.endswith(OWN) or not self.run.policy.slot_limits:
            return None
        return self.run.plan.node(level).allocated_limit

    def _divide(self) -> Division:
        run = self.run
        healthy = run.capacity[-1][1]
        quota = {level: int(run.plan.absolute_share(level) * healthy) for level in run.ids}
        wants, most, fair = {}, {}, {ROOT: healthy}
        for level in run.ids:
            limit = self.limit(level)
            asked = sum(job.take for job in self.inside(level))
            wants[level] = asked if limit is None else min(asked, limit)
        for level in (ROOT, *(node for node in sorted(run.ids, key=self._depth) if node != ROOT)):
            fair |= self._share_out(fair[level], self.below[level], quota, wants)
        for level in run.ids:
            limit = self.limit(level)
            most[level] = max(quota[level], fair[level])
            most[level] = most[level] if limit is None else min(most[level], limit)
        return Division(quota=quota, fair=fair, most=most)

    def _depth(self, level: str) -> int:
        return len(self.run.plan.lineage(level))

    def _share_out(self, total: int, kin: list[str], quota: dict[str, int], wants: dict[str, int]) -> dict[str, int]:
        fair = {level: min(quota[level], wants[level]) for level in kin}
        left = total - sum(fair.values())
        rest: dict[str, Fraction] = {}
        while left > 0:
            parts = self._parts([level for level in kin if wants[level] > fair[level]])
            if not sum(parts.values()):
                break
            again, round_left = False, left
            for level, part in parts.items():
                due, missing = round_left * part / sum(parts.values()), wants[level] - fair[level]
                given = missing if missing <= due else int(due)
                again = again or missing < due
                rest[level] = due - given if missing > due else Fraction(0)
                fair[level] += given
                left -= given
            if not again:
                break
        for level in sorted(rest, key=lambda level: (-rest[level], level)):
            if left > 0 and rest[level]:
                fair[level] += 1
                left -= 1
        return fair

    def _parts(self, hungry: list[str]) -> dict[str, Fraction]:
        weights = {level: self._weight(level) for level in hungry}
        if not self.quotas.history or not sum(weights.values()):
            return {level: weight for level, weight in weights.items() if weight}
        run, k = self.run, self.quotas.history
        start = max(run.now - run.policy.window.lookback, 0)
        total = run._healthy_time(start, run.now)
        parts = {}
        for level, weight in weights.items():
            part = Fraction(int(weight / sum(weights.values()) * UNIT), UNIT)
            use = Fraction(run.used[level] * UNIT // total, UNIT) if total else Fraction(0)
            parts[level] = max(Fraction(0), part + k * (part - use))
        return {level: part for level, part in parts.items() if part}

    def _weight(self, level: str) -> Fraction:
        node = self.run.plan.node(level)
        if level.endswith(OWN):
            return node.left
        return node.share if node.over_quota_weight is None else node.over_quota_weight

    # --- who is next ------------------------------------------------------------------------------------------------

    def start_all(self, partition: Partition) -> None:
        self._start(partition, FREE)
        self._start(partition, RECLAIM)
        self.lowest = {
            leaf: min((r.job.priority for r in self.run._running() if self._past(r, leaf)), default=None)
            for leaf in self.run.leaves
        }
        self._start(partition, WITHIN)
        if self.run.displaced:
            self._start(partition, FREE)

    def _past(self, r: Any, leaf: str) -> bool:
        spared = preempt_min_runtime(self.run, leaf)
        return self._may_be_taken(r) and r.job.leaf == leaf and r.start + spared <= self.run.now

    def _start(self, partition: Partition, how: int) -> None:
        run = self.run
        kinds = [run._kind(job) for job in run._classes(run._in_queue()) if self._may_try(job, how)]
        while kinds:
            heads = run._classes([job for job in run._in_queue() if run._kind(job) in kinds])
            job = self._first(ROOT, heads, partition)
            place = self._place(job, how)
            if place is None:
                kinds.remove(run._kind(job))
                if how == RECLAIM:
                    run._refuse(job, Reason.NO_ROOM)
                continue
            victims, nodes = place
            run._displace(job, victims, Licence.RECLAIM, hold_due=False)
            run._say(DecisionCode.START, job, level=job.leaf, slice=len(run.slices))
            spared = self._immune(job) or spared_for(run, job.leaf) > 0
            run._start(job, SliceState.PROTECTED if spared else SliceState.INTERRUPTIBLE, nodes)
            heads = run._classes([job for job in run._in_queue() if run._kind(job) in kinds])
            kinds = [run._kind(job) for job in heads if self._may_try(job, how)]

    def _may_try(self, job: Any, how: int) -> bool:
        run = self.run
        full, beyond = run._over_slots(job.leaf, job.take, allocated=True), self._beyond_quota(job)
        if full is not None or beyond is not None:
            run._refuse(job, Reason.SLOT_LIMIT if full is not None else Reason.BEYOND_QUOTA, full or beyond)
            return False
        if how == FREE:
            return run._find_free(job, None) is not None
        if how == RECLAIM:
            fair = self.held(job.leaf) + job.take <= self.division.fair[job.leaf]
            if not fair:
                run._refuse(job, Reason.BEYOND_FAIR_SHARE, job.leaf)
            return fair
        lowest = self.lowest[job.leaf]
        return lowest is not None and lowest < job.priority

    def _immune(self, job: Any) -> bool:
        return self.quotas.immune_within_quota and not job.preemptible

    def _beyond_quota(self, job: Any) -> str | None:
        if not self._immune(job):
            return None
        for level in self.run.lineage[job.leaf]:
            fixed = sum(j.take for j in self.inside(level) if j.running is not None and self._immune(j))
            if fixed + job.take > self.division.quota[level]:
                return level
        return None

    def _first(self, level: str, heads: list[Any], partition: Partition) -> Any:
        """Return the best job below a plan node, level by level; None where there is none."""
        if not self.below[level]:
            mine = [job for job in heads if job.leaf == level]
            keys = partition.keys[1:]
            return min(mine, key=lambda job: (*(self.run._term(key, job) for key in keys), job.row), default=None)
        best = [(child, self._first(child, heads, partition)) for child in self.below[level]]
        ready = [(self._standing(child, job), job) for child, job in best if job is not None]
        return min(ready, key=lambda pair: pair[0])[1] if ready else None

    def _standing(self, level: str, job: Any) -> tuple[Any, ...]:
        d, held = self.division, self.held(level)
        most = d.most[level]
        return (
            held > d.fair[level],
            held + job.take > d.quota[level],
            most == 0,
            Fraction(held + job.take, most or 1),
            Fraction(held, most or 1),
            most,
            level,
        )

    # --- who makes room ---------------------------------------------------------------------------------------------

    def _place(self, job: Any, how: int) -> tuple[list[Any], list[int]] | None:
        if how == FREE:
            return [], self.run._find_free(job, None)
        found = self._clear_nodes(job, how) if job.need else self._clear_one(job, how)
        return found if found is None or how == WITHIN or self._keeps_order(job, found[0]) else None

    def _may_be_taken(self, r: Any) -> bool:
        return r.state == SliceState.INTERRUPTIBLE and r.start < self.run.now

    def _takes(self, job: Any, how: int, wanted: Iterable[Any], before: list[Any]) -> list[Any] | None:
        """Return the slices that are wanted, if all can be had one after the other, when some are chosen before."""
        chosen: list[Any] = []
        for r in wanted:
            if not self._may_take(job, how, r, [*before, *chosen]):
                return None
            chosen.append(r)
        return chosen

    def _may_take(self, job: Any, how: int, r: Any, chosen: list[Any]) -> bool:
        run = self.run
        if not self._may_be_taken(r):
            return False
        if how == WITHIN:
            return r.job.leaf == job.leaf and r.job.priority < job.priority and self._past(r, job.leaf)
        if r.job.leaf == job.leaf:
            return False
        mine, theirs = run._fork(job.leaf, r.job.leaf)
        if r.start + reclaim_min_runtime(run, theirs) > run.now:
            return False
        remaining = self.held(theirs) - sum(c.job.take for c in chosen if theirs in run.lineage[c.job.leaf])
        starved = self.held(mine) + job.take <= self.division.quota[mine]
        return remaining > self.division.most[theirs] or (starved and remaining > self.division.quota[theirs])

    def _tier(self, r: Any, how: int) -> int:
        return r.job.priority if how == WITHIN else 0

    def _clear_one(self, job: Any, how: int) -> tuple[list[Any], list[int]] | None:
        run, best = self.run, None
        for node in run.nodes:
            if not node.serves:
                continue
            room, chosen = run._free(node.number), []
            for r in sorted(run._on(node.number), key=lambda r: (self._tier(r, how), run._lost(r), r.row)):
                if room < job.take and self._may_take(job, how, r, chosen):
                    chosen.append(r)
                    room += r.each
            if room < job.take:
                continue
            for r in reversed(list(chosen)):
                if room - r.each >= job.take:
                    chosen.remove(r)
                    room -= r.each
            tier = max((self._tier(r, how) for r in chosen), default=0)
            cost = (tier, sum(map(run._lost, chosen)), room, node.number)
            if best is None or cost < best[0]:
                best = cost, chosen, [node.number]
        return None if best is None else best[1:]

    def _clear_nodes(self, job: Any, how: int) -> tuple[list[Any], list[int]] | None:
        run = self.run
        victims: list[Any] = []

        def more(node: int) -> list[Any]:
            return [r for r in run._on(node) if r not in victims]

        def clearable(nodes: Iterable[int]) -> list[int]:
            return [node for node in nodes if self._takes(job, how, more(node), victims) is not None]

        serving = clearable(node.number for node in run.nodes if node.serves)
        chosen = [node for node in serving if not run._on(node)][: job.need]
        while len(chosen) < job.need:
            left = clearable(node for node in serving if node not in chosen)
            if not left:
                return None
            tiers = {node: max((self._tier(r, how) for r in more(node)), default=0) for node in left}
            node = min(left, key=lambda node: (tiers[node], sum(map(run._lost, more(node))), node))
            chosen.append(node)
            victims += more(node)

        def cleared(without: Any = None) -> list[int]:
            return [n for n in serving if all(r in victims and r is not without for r in run._on(n))]

        for r in reversed(list(victims)):
            if len(cleared(r)) >= job.need:
                victims.remove(r)
        return victims, cleared()[: job.need]

    def _keeps_order(self, job: Any, victims: list[Any]) -> bool:
        """Tell whether no node of the claimant's ends up above its fair GPUs and as far above as one that it takes from."""
        run, fair = self.run, self.division.fair
        for level in run.lineage[job.leaf]:
            kin = self.below[run.plan.parent(level)]
            after = {
                node: self.held(node) - sum(r.job.take for r in victims if node in run.lineage[r.job.leaf])
                for node in kin
            }
            mine = after[level] + job.take
            for other in kin:
                if other == level or after[other] == self.held(other) or not fair[other] or mine <= fair[level]:
                    continue
                ratio = Fraction(mine, fair[level]) if fair[level] else float("inf")
                if ratio * self.quotas.multiplier >= Fraction(after[other], fair[other]):
                    return False
        return True

    def reason(self, job: Any, r: Any) -> Reason:
        if r.job.leaf == job.leaf:
            return Reason.PRIORITY
        mine, _ = self.run._fork(job.leaf, r.job.leaf)
        starved = self.held(mine) + job.take <= self.division.quota[mine]
        return Reason.OVER_QUOTA if starved else Reason.OVER_FAIR_SHARE


def preempt_min_runtime(run: Any, leaf: str) -> int:
    """Return how long a slice runs before work of the same leaf may take it."""
    return _said(run, leaf, "preempt_min_runtime")


def reclaim_min_runtime(run: Any, level: str) -> int:
    """Return how long a slice runs before work that branches off above this node may take it."""
    return _said(run, level, "reclaim_min_runtime")


def _said(run: Any, level: str, name: str) -> int:
    found = [getattr(run.plan.node(above), name) for above in reversed(run.plan.lineage(level))]
    return next((seconds for seconds in found if seconds is not None), getattr(run.policy.quotas, name))


def spared_for(run: Any, leaf: str) -> int:
    """Return how long nobody at all may take a slice of a leaf."""
    return min(preempt_min_runtime(run, leaf), *(reclaim_min_runtime(run, level) for level in run.lineage[leaf]))


def yields_next(run: Any, r: Any) -> int:
    """Return when the next of those who may not take a slice yet will be allowed to, -1 for never."""
    waits = {preempt_min_runtime(run, r.job.leaf), *(reclaim_min_runtime(run, lv) for lv in run.lineage[r.job.leaf])}
    return min((r.start + wait for wait in waits if r.start + wait > run.now), default=-1)
