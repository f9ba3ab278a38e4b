"""What would change a wait, and what would not: the run once more, on the same arrivals, with one thing about one job changed.

The job is changed from its submission on. Everything before is the same, so the whole run with that one row changed is
what would have happened. Each answer has its price: how much longer others wait, and what work is lost.
"""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np

from allotment.explain.changes import Change, changes
from allotment.explain.reasons import Reason
from allotment.explain.rerun import Rerun, Subject
from allotment.kernel.log import Log
from allotment.workload.table import JobTable

SAME = 60  # s: a wait that changes by less has not changed


@attrs.frozen(kw_only=True)
class WhatIf:
    """What would have become of a job if one thing had been otherwise. Times are seconds.

    What others pay is counted until it is done: what differs later in a busy cluster is chance, as it is if the job
    runs a second longer.
    """

    change: Reason
    """What is otherwise."""
    wait: int
    """From its submission to its first start; where it never starts, to the end of the run."""
    started: bool
    """Whether it starts at all."""
    saved: int
    """By how much shorter its first wait is; negative where it is longer."""
    queued: int
    """All its waiting, after stops too."""
    queued_saved: int
    """By how much shorter that is."""
    done_sooner: int | None
    """By how much sooner it is done; None where it is not done in both."""
    done_more: float
    """How much more of its work is done by the end of the run, as a part of all of it."""
    others_wait: int | None
    """How much longer all other jobs have waited by the time that it is done in both runs; None where they are not the same."""
    others_later: int | None
    """How many of them have waited at least a minute longer."""
    lost: int | None
    """How many more GPU-seconds of work have been lost by then, of all jobs."""

    @property
    def helps(self) -> bool:
        """Whether it waits less in all, by a minute at least, and is done no later, or no less of it by the end of the run."""
        as_soon = self.done_more >= 0 if self.done_sooner is None else self.done_sooner > -SAME
        return self.queued_saved >= SAME and as_soon

    @property
    def matters(self) -> bool:
        """Whether its waiting changes by a minute at all, for better or worse."""
        return abs(self.saved) >= SAME or abs(self.queued_saved) >= SAME


def what_ifs(rerun: Rerun, of: Subject, level: str | None = None) -> tuple[WhatIf, ...]:
    """Return what would and would not have changed the waiting of a job; what helps most comes first.

    `level` is the plan node whose budget was short, by path: with more share is meant more for that.
    """
    found = [judged(rerun, of, change) for change in changes(rerun, of, level)]
    return tuple(sorted(found, key=lambda each: (not each.helps, each.queued)))


def cheapest(found: tuple[WhatIf, ...]) -> WhatIf | None:
    """Return what costs others the least, of what at least halves all the waiting of a job, or else of what helps.

    What its user decides goes before what others decide, the shares of the plan.
    """
    helping = [each for each in found if each.helps and each.others_wait is not None]
    helping = [each for each in helping if each.change.code != "if_share"] or helping
    halving = [each for each in helping if each.queued_saved >= each.queued]
    return min(halving or helping, key=lambda each: (max(each.others_wait or 0, 0), each.queued), default=None)


def judged(rerun: Rerun, of: Subject, change: Change) -> WhatIf:
    """Return what becomes of a job, and of all others, under one change."""
    log = rerun.run(scenario=change.scenario, table=change.table, job=of.job if change.others else None)
    before, after = rerun.log.jobs[of.job], log.jobs[change.job]
    wait, old = _wait(after, log), _wait(before, rerun.log)
    ended = [int(row["end"]) for row in (before, after)]
    until = log.horizon if min(ended) < 0 else max(ended)
    paid = _paid(rerun.log, log, of.job, until) if change.others else (None, None, None)
    return WhatIf(
        change=change.change,
        wait=wait,
        started=bool(after["first_start"] >= 0),
        saved=old - wait,
        queued=int(after["queued"]),
        queued_saved=int(before["queued"]) - int(after["queued"]),
        done_sooner=ended[0] - ended[1] if min(ended) >= 0 else None,
        done_more=_part_done(after, change.table, change.job) - _part_done(before, rerun.table, of.job),
        others_wait=paid[0],
        others_later=paid[1],
        lost=paid[2],
    )


def _part_done(row: Any, table: JobTable, job: int) -> float:
    return float(row["done"] / table.work[job])


def _wait(row: Any, log: Log) -> int:
    if row["first_start"] >= 0:
        return int(row["first_start"] - row["submit"])
    return int((row["end"] if row["end"] >= 0 else log.horizon) - row["submit"])


def _paid(before: Log, after: Log, job: int, until: int) -> tuple[int, int, int]:
    """Return how much longer the others have waited by a moment, how many have by a minute, and how much more work was lost."""
    both = (before.jobs["submit"] >= 0) & (after.jobs["submit"] >= 0)
    both[job] = False
    longer = (waited_by(after, until) - waited_by(before, until))[both]
    lost = _lost_by(after, until) - _lost_by(before, until)
    return int(longer.sum()), int((longer >= SAME).sum()), lost


def waited_by(log: Log, until: int) -> Any:
    """Return how long every job had waited by a moment (s): it waits from its submission until it is over, unless it runs."""
    jobs, slices = log.jobs, log.slices
    over = np.where(jobs["end"] >= 0, jobs["end"], log.horizon)
    there = np.where(jobs["submit"] >= 0, np.maximum(np.minimum(over, until) - jobs["submit"], 0), 0)
    ran = np.maximum(np.minimum(slices["end"], until) - slices["start"], 0)
    held = np.zeros(len(jobs), np.int64)
    np.add.at(held, slices["job"], ran)
    return there - held


def _lost_by(log: Log, until: int) -> int:
    return int(log.slices["lost"][log.slices["end"] <= until].sum())
