"""What became of a job in one run and in another, and what others pay for the difference."""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np

from allotment.explain.reasons import Reason
from allotment.explain.rerun import Rerun, Subject
from allotment.kernel.log import Log

SAME = 60  # s: a wait that changes by less has not changed
Price = tuple[int | None, int | None, int | None, int | None]


@attrs.frozen(kw_only=True)
class WhatIf:
    """What would have become of a job if one thing had been otherwise from a moment on. Times are seconds.

    What others pay is counted until it is done: what differs later in a busy cluster is chance, as it is if the job
    runs a second longer.
    """

    change: Reason
    """What is otherwise."""
    since: int
    """From when on (s from the start)."""
    instead: Reason | None
    """Why not from the moment that was asked about, where it is from another."""
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
    """By how much sooner after its submission it is done; None where it is not done in both."""
    done_more: float
    """How much more of its work is done by the end of the run, as a part of all of it."""
    gained: int
    """By how much sooner it is done, or where it is not done in both the time that doing so much more of its work takes."""
    delay: int
    """How much later it was done in the run that was than with no waiting and no work done again, or how much less of it was."""
    gone: int
    """How much of that had gone by before this change."""
    others_wait: int | None
    """How much longer all other jobs have waited by the time that it is done in both runs; None where they are not the same."""
    others_later: int | None
    """How many of them have waited, and done lost work again, for a minute longer at least."""
    others_again: int | None
    """For how much longer they had to do lost work again by then (s of each job, added up)."""
    lost: int | None
    """How many more GPU-seconds of work have been lost by then, of all jobs."""
    because: Reason | None = None
    """The rule by which it works, where it is not plain."""

    @property
    def helps(self) -> bool:
        """Whether it is done sooner and waits no longer, or waits less and is done no later; by a minute at least.

        Of a job that is not done in both, what counts is how much of its work is.
        """
        if self.done_sooner is None:
            return self.gained >= SAME
        sooner = self.done_sooner >= SAME and self.queued_saved > -SAME
        return sooner or (self.queued_saved >= SAME and self.done_sooner > -SAME)

    def takes(self, part: int) -> bool:
        """Tell whether it takes away the half, third, ... of the delay that was still to come."""
        return part * self.gained >= self.delay - self.gone

    @property
    def halves(self) -> bool:
        """Whether it takes away half of the delay that was still to come."""
        return self.takes(2)

    @property
    def price(self) -> int | None:
        """How much later all others are together: longer waiting, and lost work done again (s)."""
        return None if self.others_wait is None else self.others_wait + (self.others_again or 0)

    @property
    def matters(self) -> bool:
        """Whether its waiting, or when it is done, changes by a minute at all, for better or worse."""
        return max(abs(self.saved), abs(self.queued_saved), abs(self.done_sooner or 0)) >= SAME


@attrs.frozen(kw_only=True)
class Fate:
    """What became of a job in one run. Times are seconds; `end` is None where it was not over by the end of the run."""

    submit: int
    wait: int
    started: bool
    queued: int
    end: int | None
    part_done: float
    """Of its work, by the end of the run."""

    @property
    def took(self) -> int | None:
        """From its submission until it was over."""
        return None if self.end is None else self.end - self.submit


def over_by(rerun: Rerun, of: Subject) -> int:
    """Return until when a run must go at least: until a job was over in the run that was, or to the end."""
    end = int(rerun.log.jobs["end"][of.job])
    return end if end >= 0 else rerun.result.horizon


def delay_of(rerun: Rerun, of: Subject) -> int:
    """Return how much later a job was done than with no waiting and no work done again (s).

    Of one that was not done by the end it is how much less of its work was, which is never more than all that was left of it.
    """
    before, work = fate(rerun.log, of.job, int(rerun.table.work[of.job])), int(rerun.table.work[of.job])
    took = rerun.log.horizon - of.submit if before.took is None else before.took
    startup = int(rerun.table.startup[of.job]) if before.started else 0
    delay = max(took - round(before.part_done * work) - startup, 0)
    return delay if before.took is not None else min(delay, round((1 - before.part_done) * work))


def gone_by(rerun: Rerun, of: Subject, time: int) -> int:
    """Return how much of that had gone by at a moment: waiting, and work that was lost (s)."""
    return int(waited_by(rerun.log, time)[of.job] + again_by(rerun.log, time)[of.job])


def compared(rerun: Rerun, of: Subject, after: Fate, pays: Price, **told: Any) -> WhatIf:
    """Return what a change, of which is `told` what it is, makes of a job, beside what became of it."""
    work = int(rerun.table.work[of.job])
    before = fate(rerun.log, of.job, work)
    sooner = None if before.took is None or after.took is None else before.took - after.took
    more = after.part_done - before.part_done
    return WhatIf(
        **told,
        wait=after.wait,
        started=after.started,
        saved=before.wait - after.wait,
        queued=after.queued,
        queued_saved=before.queued - after.queued,
        done_sooner=sooner,
        done_more=more,
        gained=round(more * work) if sooner is None else sooner,
        delay=delay_of(rerun, of),
        gone=gone_by(rerun, of, told["since"]),
        others_wait=pays[0],
        others_later=pays[1],
        others_again=pays[2],
        lost=pays[3],
    )


def fate(log: Log, job: int, work: int) -> Fate:
    """Return what became of a job whose work is so much (s)."""
    row = log.jobs[job]
    end = int(row["end"]) if row["end"] >= 0 else None
    until = row["first_start"] if row["first_start"] >= 0 else log.horizon if end is None else end
    return Fate(
        submit=int(row["submit"]),
        wait=int(until - row["submit"]),
        started=bool(row["first_start"] >= 0),
        queued=int(row["queued"]),
        end=end,
        part_done=float(row["done"] / work),
    )


def over_in_both(before: Log, after: Log, job: int) -> int:
    """Return when a job is over in both runs, or the end of the later one."""
    ends = [int(log.jobs["end"][job]) for log in (before, after)]
    return max(ends) if min(ends) >= 0 else after.horizon


def paid(before: Log, after: Log, job: int, until: int) -> tuple[int, int, int, int]:
    """Return what the others have paid by a moment, and what all have lost.

    These are by how much longer they have waited, how many are later by a minute, for how much longer they did lost work
    again, and the GPU-seconds of it, those of the job included.
    """
    both = came_by(before, until) & came_by(after, until)
    both[job] = False
    longer = (waited_by(after, until) - waited_by(before, until))[both]
    again = (again_by(after, until) - again_by(before, until))[both]
    later = int((longer + again >= SAME).sum())
    return int(longer.sum()), later, int(again.sum()), lost_by(after, until) - lost_by(before, until)


def waited_by(log: Log, until: int) -> Any:
    """Return how long every job had waited by a moment (s): it waits from its submission until it is over, unless it runs."""
    jobs, slices = log.jobs, log.slices
    over = np.where(jobs["end"] >= 0, jobs["end"], log.horizon)
    there = np.where(jobs["submit"] >= 0, np.maximum(np.minimum(over, until) - jobs["submit"], 0), 0)
    ran = np.maximum(np.minimum(slices["end"], until) - slices["start"], 0)
    held = np.zeros(len(jobs), np.int64)
    np.add.at(held, slices["job"], ran)
    return there - held


def came_by(log: Log, until: int) -> Any:
    """Return which jobs had been submitted by a moment; many come when another ends, which differs from run to run."""
    return (log.jobs["submit"] >= 0) & (log.jobs["submit"] <= until)


def again_by(log: Log, until: int) -> Any:
    """Return for how long every job had run in vain by a moment (s): what stops have lost, which is done again."""
    ended = log.slices[log.slices["end"] <= until]
    found = np.zeros(len(log.jobs), np.int64)
    np.add.at(found, ended["job"], ended["lost"] // np.maximum(ended["take"], 1))
    return found


def lost_by(log: Log, until: int) -> int:
    """Return how many GPU-seconds of work stops had lost by a moment."""
    return int(log.slices["lost"][log.slices["end"] <= until].sum())
