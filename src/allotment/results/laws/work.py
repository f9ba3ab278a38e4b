"""Law 6, for every policy: work done + left = work asked; nothing finishes early, nothing runs after it finished.

A session that holds its GPUs after its work may be stopped then, and has finished all the same.
"""

from __future__ import annotations

import numpy as np

from allotment.results.laws.facts import Facts, Integers, Violation, report
from allotment.results.tables import seconds

OVER = ("finished", "cancelled", "given_up")


def _summed(facts: Facts, values: Integers) -> Integers:
    total = np.zeros(len(facts.tables["jobs"]), np.int64)
    np.add.at(total, facts.job, values)
    return total


def jobs_sum_their_slices(facts: Facts) -> list[Violation]:
    """Compare what a job did, lost and held with its slices."""
    kept = _summed(facts, facts.ints("slices", "kept"))
    lost = _summed(facts, seconds(facts.tables["slices"]["lost"]))
    count = np.bincount(facts.job, minlength=len(kept))
    done, said_lost = facts.ints("jobs", "done"), seconds(facts.tables["jobs"]["lost"])
    said = facts.ints("jobs", "slices")
    return [
        *report(6, "jobs", done != kept, lambda row: f"has done {done[row]} s; its slices kept {kept[row]} s"),
        *report(6, "jobs", said_lost != lost, lambda row: f"lost {said_lost[row]} GPU-s; its slices {lost[row]} GPU-s"),
        *report(6, "jobs", said != count, lambda row: f"had {said[row]} slices; there are {count[row]}"),
    ]


def done_is_what_was_asked(facts: Facts) -> list[Violation]:
    """Compare work done with work asked: equal if the job has finished, but for what it held; not more if it has not."""
    done, work, hold = (facts.ints("jobs", name) for name in ("done", "work", "hold"))
    finished = facts.among("jobs", "state", ("finished",))
    early, late = finished & (done < work - hold), done > work
    return [
        *report(6, "jobs", early | (finished & late), lambda row: f"finished with {done[row]} s done of {work[row]} s"),
        *report(6, "jobs", ~finished & late, lambda row: f"has done {done[row]} s of {work[row]} s"),
    ]


def slices_have_time_for_their_work(facts: Facts) -> list[Violation]:
    """Compare the length of each slice with start-up and the work it kept; a slice that finished has no second over."""
    start, end = facts.ints("slices", "start"), facts.ints("slices", "end")
    overhead, kept = facts.ints("slices", "overhead"), facts.ints("slices", "kept")
    finished = facts.among("slices", "ended", ("finished",))
    room = end - start - overhead
    first = np.zeros(len(start), bool)
    first[np.unique(facts.job, return_index=True)[1]] = True
    due = np.where(first, facts.of_job("startup"), facts.of_job("restart"))
    return [
        *report(
            6, "slices", overhead != due, lambda row: f"has an overhead of {overhead[row]} s; its job asks {due[row]} s"
        ),
        *report(
            6,
            "slices",
            finished & (kept != room),
            lambda row: (
                f"finished after {end[row] - start[row]} s with {overhead[row]} s of start-up and {kept[row]} s of work"
            ),
        ),
        *report(
            6,
            "slices",
            ~finished & ((kept < 0) | (kept > np.maximum(room, 0))),
            lambda row: f"kept {kept[row]} s of work in {end[row] - start[row]} s with {overhead[row]} s of start-up",
        ),
    ]


def nothing_runs_after_its_end(facts: Facts) -> list[Violation]:
    """Compare the end of every job with its slices, and its last slice with how the job stands."""
    end, over = facts.ints("jobs", "end"), facts.among("jobs", "state", OVER)
    stop, started = facts.ints("slices", "end"), facts.ints("slices", "start")
    limit = np.where(over & (end >= 0), end, facts.horizon)[facts.job]
    found = report(
        6, "slices", stop > limit, lambda row: f"runs until {stop[row]} s; its job is over at {limit[row]} s"
    )
    found += report(6, "jobs", over != (end >= 0), lambda row: f"ends at {end[row]} s, which its state denies")
    last = np.full(len(end), -1, np.int64)
    order = np.argsort(started, kind="stable")
    last[facts.job[order]] = order
    by_state = facts.among("jobs", "state", ("finished",))
    ended = np.zeros(len(end), bool)
    ended[last >= 0] = facts.among("slices", "ended", ("finished",))[last[last >= 0]]
    done, work, hold = (facts.ints("jobs", name) for name in ("done", "work", "hold"))
    stopped = by_state & (last >= 0) & (hold > 0) & (done < work)  # while it only held
    found += report(
        6,
        "jobs",
        (by_state & ~stopped) != ended,
        lambda row: f"is finished: {by_state[row]}; its last slice finished: {ended[row]}",
    )
    closing = np.where(last >= 0, stop[last] if len(stop) else -1, -1)
    return found + report(
        6,
        "jobs",
        by_state & ended & (closing != end),
        lambda row: f"finished at {end[row]} s; its last slice ended at {closing[row]} s",
    )


def waits_fit_the_slices(facts: Facts) -> list[Violation]:
    """Compare submission, first start and all waiting with the slices."""
    submit, first, end = (facts.ints("jobs", name) for name in ("submit", "first_start", "end"))
    start, stop = facts.ints("slices", "start"), facts.ints("slices", "end")
    early = report(
        6,
        "slices",
        start < submit[facts.job],
        lambda row: f"starts at {start[row]} s, before its job is submitted at {submit[facts.job[row]]} s",
    )
    earliest = np.full(len(first), np.iinfo(np.int64).max)
    np.minimum.at(earliest, facts.job, start)
    earliest = np.where(earliest == np.iinfo(np.int64).max, -1, earliest)
    late = report(
        6, "jobs", first != earliest, lambda row: f"first started at {first[row]} s; its slices say {earliest[row]} s"
    )
    held = _summed(facts, stop - start)
    due = np.where(end < 0, facts.horizon, end) - submit - held
    queued = facts.ints("jobs", "queued")
    return (
        early
        + late
        + report(
            6, "jobs", queued != due, lambda row: f"has waited {queued[row]} s in all; its slices leave {due[row]} s"
        )
    )
