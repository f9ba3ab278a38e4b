"""Law 5, looked at from outside: after a pass, what waits although it fits, and what is funded and not charged.

Works on jobs, slices and nodes as they stand, and on the policy; asks none of the kernel's rules or counts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from allotment.kernel.engine import Engine
from allotment.model.codes import DecisionCode, EndCode, JobState, Reason, SliceState
from allotment.model.policy import Backfill, Candidates, Key, Lending, Match, Policy
from tests.laws.books import HOLDER, stands_on

PLAIN_KEYS = {Key.PRIORITY, Key.AGE, Key.MIN_RUNTIME, Key.SIZE, Key.RETRY}


class Standing:
    """A run after a pass, read from the engine's jobs, slices and nodes."""

    def __init__(self, engine: Engine, policy: Policy) -> None:
        self.s: Any = engine._state
        self.policy = policy
        self.time = int(self.s.clock[0].last_pass)
        self.per_node = int(self.s.rules[0].per_node)
        self.running = [r for r in range(self.s.clock[0].slices) if self.s.slices[r].end_code == EndCode.OPEN]
        self.on = {row: stands_on(self.s, row) for row in self.running}
        waiting = np.flatnonzero((self.s.jobs.state == JobState.WAITING) & (self.s.jobs.displaced_at != self.time))
        said = self.s.decisions[: self.s.clock[0].decisions]
        said = said[said.time == self.time]
        self.displaces = bool((said.code == DecisionCode.PREEMPT).any())
        self.holds = bool((said.code == DecisionCode.HOLD).any())
        self.clears_hold = bool((said.reason == Reason.HOLDING).any())
        self.waiting = [int(job) for job in waiting if self.s.jobs[job].queued_at <= self.time]

    def in_vain(self) -> list[str]:
        """Return all that could be better without any harm."""
        return self.idle_in_vain() + self.funded_in_vain()

    def idle_in_vain(self) -> list[str]:
        """Return every waiting job that fits in what is free and that this policy would let start."""
        queue = [job for job in self.waiting if self.s.jobs[job].place != HOLDER]
        return [
            f"at {self.time} s job {job} waits, and fits"
            for job in queue
            if self.fits(job, self.serving()) and self._may_start(job, queue)
        ] + [
            f"at {self.time} s job {job} holds nodes that are free"
            for job in self.waiting
            if self.s.jobs[job].place == HOLDER
            and self.fits(job, self.held(job))
            and self.within_slots(job, allocated=True)
        ]

    def funded_in_vain(self) -> list[str]:
        """Return every slice that runs unallocated although its claim is funded at every level, and was before.

        Promotions come first in a pass: what a holder leaves or a victim gives up later counts in the next one.
        """
        if self.displaces or self.clears_hold:
            return []
        return [
            f"at {self.time} s slice {row} is unallocated, and its claim is funded"
            for row in self.running
            if self.s.slices[row].state == SliceState.UNALLOCATED
            and self.s.slices[row].start < self.time
            and not any(self.s.nodes[node].hold >= 0 for node in self.on[row])
            and self.surely_funded(int(self.s.slices[row].job))
            and self.within_slots(int(self.s.slices[row].job), allocated=True)
        ]

    # --- nodes ------------------------------------------------------------------------------------------------------

    def serving(self) -> list[int]:
        nodes = self.s.nodes
        return [node for node in range(len(nodes)) if not nodes[node].down and not nodes[node].draining]

    def held(self, job: int) -> list[int]:
        hold = int(np.flatnonzero(self.s.holds.job == job)[0])
        return [node for node in self.serving() if self.s.nodes[node].hold == hold]

    def used(self, node: int, rows: list[int] | None = None) -> int:
        each = {row: self.per_node if self.s.slices[row].need else int(self.s.slices[row].gpus) for row in self.running}
        return sum(each[row] for row in (self.running if rows is None else rows) if node in self.on[row])

    def fits(self, job: int, nodes: list[int], rows: list[int] | None = None) -> bool:
        j = self.s.jobs[job]
        each = self.per_node if j.need else int(j.gpus)
        room = [node for node in nodes if self.per_node - self.used(node, rows) >= each]
        return len(room) >= max(int(j.need), 1)

    def claimable(self, job: int) -> list[int]:
        """Return the nodes on which a claim may start: not those held for one that is due before its contract ends."""
        ends = self.time + int(self.s.jobs[job].min_runtime)
        holds = [int(self.s.nodes[node].hold) for node in range(len(self.s.nodes))]
        return [node for node in self.serving() if holds[node] < 0 or ends <= self.s.holds[holds[node]].due]

    # --- plan -------------------------------------------------------------------------------------------------------

    def line(self, job: int) -> list[int]:
        """Return the plan nodes from the leaf of a job to its budget."""
        found = [int(self.s.jobs[job].leaf)]
        while self.s.tree[self.s.tree[found[-1]].parent].parent >= 0:
            found.append(int(self.s.tree[found[-1]].parent))
        return found

    def within_slots(self, job: int, *, allocated: bool) -> bool:
        if not self.policy.slot_limits:
            return True
        for level in self.line(job):
            limit = int(self.s.tree[level].allocated_limit if allocated else self.s.tree[level].unallocated_limit)
            mine = [r for r in self.running if level in self.line(int(self.s.slices[r].job))]
            held = sum(
                int(self.s.slices[r].gpus)
                for r in mine
                if (self.s.slices[r].state != SliceState.UNALLOCATED) == allocated
            )
            if limit >= 0 and held + self.s.jobs[job].gpus > limit:
                return False
        return True

    def surely_funded(self, job: int) -> bool:
        """Tell whether a claim fits in every headroom after the pass, whatever exceptions there are."""
        j, contracts = self.s.jobs[job], self.policy.contracts
        if contracts is None or j.min_runtime == 0 or self.s.tree[j.leaf].entitled == 0 or self.s.tree[j.leaf].saving:
            return False
        claim = int(j.gpus * j.min_runtime)
        rooms = [int(self.s.tree[level].headroom - self.s.tree[level].reserve) for level in self.line(job)]
        return claim <= min(rooms)

    def surely_unfunded(self, job: int) -> bool:
        """Tell whether a claim does not fit in the headroom of its budget, or in that of its leaf where nothing is lent."""
        j, contracts = self.s.jobs[job], self.policy.contracts
        assert contracts is not None
        claim = int(j.gpus * j.min_runtime)
        levels = self.line(job)
        strict = contracts.lending == Lending.NONE and j.min_runtime > contracts.short
        counting = levels if strict else levels[-1:]
        return claim == 0 or any(claim > self.s.tree[level].headroom for level in counting)

    # --- what the policy says ---------------------------------------------------------------------------------------

    def _may_start(self, job: int, queue: list[int]) -> bool:
        if self.policy.contracts is None:
            return self._may_start_plain(job, queue)
        matches = {partition.match for partition in self.policy.partitions}
        before = [other for other in queue if self.s.jobs[other].min_runtime and not self.surely_unfunded(other)]
        if self.policy.backfill == Backfill.STRICT and (before or self.holds):
            return False  # a claim that found no room may have ended the pass
        if Match.ALL in matches and self.within_slots(job, allocated=False):
            return True
        if Match.UNFUNDED in matches and self.surely_unfunded(job) and self.within_slots(job, allocated=False):
            return True
        by_rank = self.policy.backfill == Backfill.ANY and self.policy.candidates == Candidates.CLASSES
        return (
            by_rank
            and len(self._class_of(job, queue)) == 1
            and self.surely_funded(job)
            and self.within_slots(job, allocated=True)
            and self.fits(job, self.claimable(job))
        )

    def _class_of(self, job: int, queue: list[int]) -> list[int]:
        return [other for other in queue if self.s.jobs[other].cls == self.s.jobs[job].cls]

    def _may_start_plain(self, job: int, queue: list[int]) -> bool:
        if not self.within_slots(job, allocated=True) or self._beyond_quota(job):
            return False
        if self.policy.quotas is not None:
            return True  # what a displacement leaves is given away once more
        if self.displaces:
            return False  # what a displacement leaves to a job that was looked at before is for the next pass
        if self.policy.backfill in (Backfill.ANY, Backfill.UNALLOCATED_ONLY):
            return True
        stuck = [
            other
            for other in queue
            if self.within_slots(other, allocated=True) and not self.fits(other, self.serving())
        ]
        if not stuck or not set(self.policy.partitions[0].keys) <= PLAIN_KEYS:
            return not stuck
        first = min(stuck, key=self.rank)
        if self.rank(job) < self.rank(first):
            return True
        return self.policy.backfill == Backfill.EASY and self._in_spite_of(first, job)

    def rank(self, job: int) -> tuple[int, ...]:
        j = self.s.jobs[job]
        terms = {
            Key.PRIORITY: -int(j.priority),
            Key.AGE: int(j.submit),
            Key.MIN_RUNTIME: int(j.min_runtime),
            Key.SIZE: int(j.gpus),
            Key.RETRY: -int(j.restarts),
        }
        return (*(terms[key] for key in self.policy.partitions[0].keys), job)

    def _beyond_quota(self, job: int) -> bool:
        """Tell whether a job that nobody may stop would exceed the quota of a level."""
        s, quotas = self.s, self.policy.quotas
        if quotas is None or not quotas.immune_within_quota or s.jobs[job].preemptible:
            return False
        for level in self.line(job):
            mine = [int(s.slices[r].job) for r in self.running if level in self.line(int(s.slices[r].job))]
            held = sum(int(s.jobs[other].gpus) for other in mine if not s.jobs[other].preemptible)
            if held + s.jobs[job].gpus > s.tree[level].quota:
                return True
        return False

    def _in_spite_of(self, first: int, job: int) -> bool:
        """Tell whether a job could start without delaying the reservation of the first one that could not."""
        s = self.s
        before = [
            r
            for r in self.running
            if s.slices[r].start < self.time or self.rank(int(s.slices[r].job)) < self.rank(first)
        ]
        when = {}
        for node in self.serving():
            moments = sorted({self.time, *(int(s.slices[r].plan_end) for r in before if node in self.on[r])})
            each = self.per_node if s.jobs[first].need else int(s.jobs[first].gpus)
            free = [
                t
                for t in moments
                if self.per_node - self.used(node, [r for r in before if s.slices[r].plan_end > t]) >= each
            ]
            if free:
                when[node] = free[0]
        need = max(int(s.jobs[first].need), 1)
        if len(when) < need:
            return True
        until = sorted(when.values())[need - 1]
        reserved = sorted((node for node in when if when[node] <= until), key=lambda node: (-when[node], node))[:need]
        j = s.jobs[job]
        plan = int(j.limit - j.startup - j.done + (j.restart if j.slices else j.startup))
        return self.time + plan <= until or self.fits(job, [node for node in self.serving() if node not in reserved])
