"""Ask why of a result, with the recordings that its scenario names."""

from __future__ import annotations

from allotment.explain.answer import Why
from allotment.explain.answer import why as why_with
from allotment.interop.replay import read_recordings
from allotment.results.result import Result


def why(result: Result, job: int, at: int | None = None, *, what_if: bool = True) -> Why:
    """Return why a job of a result waited, why it was stopped, and what would have changed it.

    `at` is a moment at which it waited (s from the start); by default the one from which it waited longest for one and
    the same reason. `what_if` takes a run of the scenario for each change. Print its `sentences`, or read its fields.

    Raises AllotmentError where there is no such job, where it did not wait then, or where the scenario does not give this
    result any more.
    """
    recordings = {name: recording.table for name, recording in read_recordings(result.scenario).items()}
    return why_with(result, job, at, what_if=what_if, recordings=recordings)
