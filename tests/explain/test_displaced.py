"""Who stopped a job, under which rule, with which numbers: as the tables have it."""

from __future__ import annotations

import pytest

from allotment.explain.displaced import displaced
from allotment.explain.rerun import Rerun, subject
from allotment.presets.simulate import simulate
from allotment.units import HOUR

MANY = 40  # jobs that are looked at


@pytest.fixture(scope="module", params=["budgets", "priority", "quota", "fair-tree"])
def stopped(request):
    """Return a result, and all stops of some of its jobs."""
    result = simulate("small-week", policy=request.param, days=4)
    rerun = Rerun(result)
    jobs = result.jobs[(result.jobs["restarts"] > 0).to_numpy()]["job"].tolist()
    return result, {job: displaced(result, subject(result, job), rerun) for job in jobs[:: max(len(jobs) // MANY, 1)]}


def test_every_stop_has_a_rule_a_cost_and_an_end(stopped):
    result, found = stopped
    for job, stops in found.items():
        mine = result.slices[(result.slices["job"] == job).to_numpy()].sort_values("start")
        ends = mine[mine["ended"].isin(["preempted", "failed", "drained", "urgent_repair"])]
        assert [each.time for each in stops] == ends["end"].tolist()
        assert [each.cost.parameters.get("lost", 0) for each in stops] == [round(x * HOUR) for x in ends["lost"]]
        begun = [each.then.parameters["time"] for each in stops if each.then.code == "went_on"]
        assert begun == [t for t in mine["start"].tolist()[1:] if t >= ends["end"].min()]
        assert all(each.sentences for each in stops)


def test_the_claimant_is_the_one_in_the_table_and_started_then(stopped):
    result, found = stopped
    starts = set(zip(result.slices["job"], result.slices["start"], strict=True))
    for stops in found.values():
        for each in stops:
            if "other" in each.why.parameters:
                assert (each.why.parameters["other"], each.time) in starts


def test_by_balance_the_claimant_s_side_is_lower_by_the_margin_at_siblings(stopped):
    result, found = stopped
    rerun = Rerun(result)
    reasons = [each.why for stops in found.values() for each in stops if each.why.code == "stopped_balance"]
    for why in reasons:
        of = why.parameters
        assert of["b"] is None or of["a"] + of["margin"] < of["b"]
        x, y, above = (rerun.paths.index(of[name]) for name in ("x", "y", "above"))
        assert rerun.parents[x] == rerun.parents[y] == above
        assert of["past"] >= 0


def test_what_is_stopped_by_priority_had_a_lower_one(stopped):
    _result, found = stopped
    for stops in found.values():
        for each in stops:
            if each.why.code == "stopped_priority":
                assert each.why.parameters["a"] > each.why.parameters["b"]
