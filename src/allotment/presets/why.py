"""Ask why of a result or of a fleet's, with the recordings that its scenario names and the clusters there are."""

from __future__ import annotations

from collections.abc import Mapping

from allotment.errors import NotFoundError
from allotment.explain.answer import Why, before_of, why_of
from allotment.explain.fleet import members_of, rerun_of
from allotment.explain.reasons import Reason
from allotment.explain.rerun import Rerun
from allotment.explain.what_if import Tell
from allotment.interop.replay import read_recordings
from allotment.presets.catalogue import load_cluster, names
from allotment.results.fleet_result import FleetResult
from allotment.results.result import Result
from allotment.workload.table import JobTable


def why(
    result: Result | FleetResult,
    job: int,
    at: int | None = None,
    *,
    member: str | None = None,
    what_if: bool = True,
    told: Tell | None = None,
) -> Why:
    """Return why a job of a result waited, why it was stopped, and what would have changed it.

    `at` is a moment at which it waited or ran (s from the start); by default the beginning of the longest stretch of what it
    waited for most. Of a fleet, `member` is the cluster that it was on, whose jobs are numbered by themselves. `what_if` takes
    a run from that moment on for each change, of which `told` is told. Print its `sentences`, or read its fields.

    Raises AllotmentError where there is no such job, where it was not there then, or where the scenario does not give this
    result any more.
    """
    return why_of(ready(result, job, member), job, at, what_if=what_if, told=told)


def before(result: Result | FleetResult, a: int, b: int, at: int, *, member: str | None = None) -> Reason:
    """Return which of two waiting jobs comes first at a moment (s from the start), and by which term, in one sentence.

    Raises AllotmentError where one of them is not there or does not wait then.
    """
    return before_of(ready(result, a, member), a, b, at)


def ready(result: Result | FleetResult, job: int, member: str | None = None) -> Rerun:
    """Return the result of one cluster, ready to be simulated again. Raises NotFoundError where it is not clear which."""
    if isinstance(result, Result):
        if member is not None:
            raise NotFoundError(f"there is no member {member!r}: {result.scenario.name!r} is one cluster and no fleet")
        clusters = [load_cluster(name) for name in names("clusters")]
        return Rerun(result, _tables(result), clusters=clusters)
    there = members_of(result, job)
    if member is None and len(there) > 1:
        raise NotFoundError(
            f"job {job} is there on {', '.join(there)}, each of which numbers its own jobs; say which, as in {there[0]}/{job}"
        )
    if member is None and not there:
        raise NotFoundError(f"there is no job {job} on any member of this fleet: {', '.join(result.members)}")
    return rerun_of(result, there[0] if member is None else member)


def _tables(result: Result) -> Mapping[str, JobTable]:
    return {name: recording.table for name, recording in read_recordings(result.scenario).items()}
