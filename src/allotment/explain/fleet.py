"""A job of a fleet: its cluster as it was run, with the jobs that came to it from outside, and the other clusters beside it.

What others do stays as it was: a job that may run on several clusters is submitted where and when it was, whatever is
changed about the one that is asked about.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, partial

import numpy as np

from allotment.errors import NotFoundError
from allotment.experiment.fleet import draw_fleet
from allotment.explain.rerun import Rerun
from allotment.results.fleet_result import FleetResult
from allotment.world.portable import FleetJobs


def rerun_of(result: FleetResult, member: str, jobs: FleetJobs | None = None) -> Rerun:
    """Return one cluster of a fleet's result, ready to be simulated again; `jobs` are those of the fleet, if they are at hand.

    Raises NotFoundError where there is no such member.
    """
    if member not in result.members:
        raise NotFoundError(
            f"the fleet {result.fleet.name!r} has no member {member!r}; there are {', '.join(result.members)}"
        )
    drawn = draw_fleet(result.fleet) if jobs is None else jobs

    @cache
    def of(name: str) -> Rerun:
        return _member(result, drawn, name)

    chosen = of(member)
    chosen.others.update({name: partial(of, name) for name in result.members if name != member})
    return chosen


def _member(result: FleetResult, jobs: FleetJobs, name: str) -> Rerun:
    return Rerun(result.members[name], table=jobs.tables[jobs.names.index(name)], brought=brought(result)[name])


def brought(result: FleetResult) -> Mapping[str, list[tuple[int, int]]]:
    """Return for each member when which of its rows was submitted, of the jobs that may run on several."""
    portable = result.portable
    member = portable["member"].astype("str").to_numpy()
    submit, job = portable["submit"].to_numpy(np.int64), portable["job"].to_numpy(np.int64)
    return {
        name: list(zip(submit[member == name].tolist(), job[member == name].tolist(), strict=True))
        for name in result.members
    }


def members_of(result: FleetResult, job: int) -> list[str]:
    """Return the members on which a job of this number was submitted."""
    return [name for name, of in result.members.items() if (of.jobs["job"] == job).any()]
