"""What would have changed a wait: the same arrivals once more, and what others pay for it."""

from __future__ import annotations

from fractions import Fraction

import attrs
import numpy as np
import pytest

from allotment.explain.changes import Change, changes, raised
from allotment.explain.reasons import reason
from allotment.explain.rerun import Rerun, subject
from allotment.explain.what_if import cheapest, judged, waited_by, what_ifs
from allotment.model.plan import Plan, PlanNode
from allotment.presets.simulate import simulate

JOBS = (502, 522, 603)


@pytest.fixture(scope="module")
def rerun():
    return Rerun(simulate("small-week"))


@pytest.fixture(scope="module")
def answers(rerun):
    return {job: what_ifs(rerun, subject(rerun.result, job)) for job in JOBS}


def test_with_nothing_changed_nothing_changes(rerun):
    same = Change(change=reason("if_cluster"), scenario=rerun.scenario, table=rerun.table, job=JOBS[0])
    found = judged(rerun, subject(rerun.result, JOBS[0]), same)
    assert (found.saved, found.queued_saved, found.done_sooner) == (0, 0, 0)
    assert (found.others_wait, found.others_later, found.lost) == (0, 0, 0)
    assert not found.helps
    assert not found.matters


@pytest.mark.parametrize("job", JOBS)
def test_before_the_job_is_submitted_all_runs_are_the_same(rerun, job):
    of = subject(rerun.result, job)
    told = rerun.log.decisions[rerun.log.decisions["time"] < of.submit]
    for change in changes(rerun, of):
        if change.others:
            log = rerun.run(scenario=change.scenario, table=change.table, job=job)
            assert log.jobs["submit"][job] == of.submit
            assert np.array_equal(log.decisions[log.decisions["time"] < of.submit], told), change.change.sentence


@pytest.mark.parametrize("job", JOBS)
def test_one_of_each_is_tried_what_helps_comes_first_and_folk_theories_last(answers, job):
    found = answers[job]
    codes = {each.change.code for each in found}
    assert {
        "if_gpus",
        "if_min_runtime",
        "if_no_contract",
        "if_priority",
        "if_share",
        "if_checkpoint",
        "if_cluster",
    } <= codes
    assert [each.helps for each in found] == sorted((each.helps for each in found), reverse=True)
    assert any(not each.matters for each in found)
    assert all(each.change.sentence for each in found)


def test_the_cheapest_is_one_that_helps(answers):
    for found in answers.values():
        best = cheapest(found)
        assert best is not None
        assert best.helps
        others = [
            each for each in found if each.helps and each.others_wait is not None and each.queued_saved >= each.queued
        ]
        assert all(max(best.others_wait, 0) <= max(each.others_wait, 0) for each in others)
    assert cheapest(()) is None


def test_what_is_waited_by_the_end_is_what_the_log_says(rerun):
    log = rerun.log
    assert np.array_equal(waited_by(log, log.horizon), log.jobs["queued"])


def test_on_another_cluster_the_job_is_one_more_of_the_same_kind(rerun):
    of = subject(rerun.result, JOBS[0])
    (there,) = [change for change in changes(rerun, of) if change.change.code == "if_cluster"]
    table, row = there.table, there.job
    for name in ("gpus", "work", "min_runtime", "checkpoint", "priority", "limit"):
        assert getattr(table, name)[row] == getattr(rerun.table, name)[of.job]
    assert table.submit[row] == of.submit
    assert table.leaves[table.leaf[row]] == rerun.table.leaves[rerun.table.leaf[of.job]]
    assert there.scenario.seed != rerun.scenario.seed


def test_half_the_gpus_do_the_same_work_in_twice_the_time(rerun):
    of = subject(rerun.result, JOBS[0])
    (half,) = [change for change in changes(rerun, of) if change.change.code == "if_gpus"]
    assert half.table.gpus[of.job] == of.gpus // 2
    assert half.table.work[of.job] == 2 * rerun.table.work[of.job]
    assert half.table.limit[of.job] >= half.table.work[of.job] + half.table.startup[of.job]


@pytest.mark.parametrize(
    ("shares", "expected"),
    [
        (("1/2", "1/4"), {"a": "3/4"}),  # from what is open
        (("1/2", "1/2"), {"a": "3/4", "b": "1/4"}),  # from its sibling
        (("9/10", "1/10"), {"a": "99/100", "b": "1/100"}),  # which keeps a tenth
        (("0", "1"), {}),
        (("1",), {}),
    ],
)
def test_more_share_comes_from_what_is_open_and_then_from_siblings(shares, expected):
    plan = Plan(
        name="p", children=tuple(PlanNode(id=name, share=each) for name, each in zip("abc", shares, strict=False))
    )
    found = {change.id: change.share for change in raised(plan, "a")}
    assert found == {name: Fraction(share) for name, share in expected.items()}


def test_a_run_without_contracts_is_asked_whether_one_would_matter_and_it_does_not():
    result = simulate("small-week", policy="fifo", days=2)
    waited = result.jobs.sort_values("queued")["job"].iloc[-1]
    found = what_ifs(Rerun(result), subject(result, int(waited)))
    for each in found:
        if each.change.code in ("if_min_runtime", "if_priority", "if_share"):
            assert not each.matters, attrs.asdict(each)
