"""Ask why of a result, with the recordings that its scenario names."""

from __future__ import annotations

from collections.abc import Mapping

from allotment.explain.answer import Why
from allotment.explain.answer import before as before_with
from allotment.explain.answer import why as why_with
from allotment.explain.reasons import Reason
from allotment.interop.replay import read_recordings
from allotment.results.result import Result
from allotment.workload.table import JobTable


def why(result: Result, job: int, at: int | None = None, *, what_if: bool = True) -> Why:
    """Return why a job of a result waited, why it was stopped, and what would have changed it.

    `at` is a moment at which it waited (s from the start); by default the beginning of the longest stretch of what it waited
    for most. `what_if` takes a run of the scenario for each change. Print its `sentences`, or read its fields.

    Raises AllotmentError where there is no such job, where it did not wait then, or where the scenario does not give this
    result any more.
    """
    return why_with(result, job, at, what_if=what_if, recordings=_tables(result))


def before(result: Result, a: int, b: int, at: int) -> Reason:
    """Return which of two waiting jobs comes first at a moment (s from the start), and by which term, in one sentence.

    Raises AllotmentError where one of them is not there or does not wait then.
    """
    return before_with(result, a, b, at, recordings=_tables(result))


def _tables(result: Result) -> Mapping[str, JobTable]:
    return {name: recording.table for name, recording in read_recordings(result.scenario).items()}
