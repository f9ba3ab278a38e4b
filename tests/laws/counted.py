"""First come, first served on GPUs that are only counted, as textbooks and most simulators have it; plain Python."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

import attrs

from allotment.model.policy import Backfill


@attrs.frozen
class Rigid:
    """A job of a textbook: seconds, GPUs, and the time limit that its user asked for."""

    submit: int
    gpus: int
    work: int
    limit: int


def starts(jobs: Sequence[Rigid], total: int, backfill: Backfill) -> list[int]:
    """Return when each job starts; `jobs` are in the order of submission, and all of them fit on `total` GPUs.

    Under EASY (Lifka 1995) the first job in line is promised the moment at which enough GPUs are free if all jobs that
    run use their whole limits. Others may start if they end by then, or take no more than is free then beside it.
    """
    run = _Run(jobs, total, backfill)
    waiting = list(range(len(jobs)))
    while waiting or run.ends:
        moments = [jobs[waiting[0]].submit] if waiting else []
        now = min([*moments, run.ends[0][0]] if run.ends else moments)
        run.end_what_is_over(now)
        while waiting and jobs[waiting[0]].submit <= now:
            run.queue.append(waiting.pop(0))
        run.pass_at(now)
    return run.started


class _Run:
    def __init__(self, jobs: Sequence[Rigid], total: int, backfill: Backfill) -> None:
        self.jobs, self.free, self.backfill = jobs, total, backfill
        self.queue: list[int] = []
        self.ends: list[tuple[int, int]] = []  # a heap of (end, job)
        self.started = [-1] * len(jobs)

    def end_what_is_over(self, now: int) -> None:
        while self.ends and self.ends[0][0] <= now:
            self.free += self.jobs[heapq.heappop(self.ends)[1]].gpus

    def start(self, job: int, now: int) -> None:
        self.started[job] = now
        self.free -= self.jobs[job].gpus
        heapq.heappush(self.ends, (now + self.jobs[job].work, job))

    def pass_at(self, now: int) -> None:
        promised: tuple[int, int] | None = None  # when the first in line starts at the latest, what is left beside it
        left = []
        for at, job in enumerate(self.queue):
            j = self.jobs[job]
            in_time = promised is not None and now + j.limit <= promised[0]
            beside = promised is not None and j.gpus <= promised[1]
            if j.gpus <= self.free and (promised is None or in_time or beside):
                self.start(job, now)
                if promised is not None and not in_time:
                    promised = promised[0], promised[1] - j.gpus
                continue
            left.append(job)
            if self.backfill == Backfill.STRICT:
                left += self.queue[at + 1 :]
                break
            if self.backfill == Backfill.EASY and promised is None:
                promised = self.promise(job, now)
        self.queue = left

    def promise(self, job: int, now: int) -> tuple[int, int]:
        planned = sorted(
            (self.started[other] + self.jobs[other].limit, self.jobs[other].gpus) for _, other in self.ends
        )
        free, when = self.free, now
        for end, gpus in planned:
            if free >= self.jobs[job].gpus and end > when:
                break
            free, when = free + gpus, end
        return when, free - self.jobs[job].gpus
