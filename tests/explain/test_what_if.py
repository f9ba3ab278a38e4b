"""What would have changed a wait from a moment on: the same past, the same arrivals after it, and what others pay for it."""

from __future__ import annotations

from fractions import Fraction

import attrs
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from allotment.experiment.simulate import draw
from allotment.explain import life
from allotment.explain.changes import Change, Then, changes, raised
from allotment.explain.elsewhere import with_more_nodes
from allotment.explain.fates import fate, over_in_both, paid, waited_by
from allotment.explain.reasons import reason
from allotment.explain.rerun import Rerun, subject
from allotment.explain.what_if import cheapest, judged, what_ifs
from allotment.kernel.engine import Engine
from allotment.model.changeset import ShareChange
from allotment.model.plan import Plan, PlanNode
from allotment.presets import load_cluster, load_policy, load_scenario
from allotment.presets.simulate import simulate
from allotment.results.result import build
from allotment.units import DAY, HOUR
from allotment.world.live import Live
from tests.laws.cases import SHIPPED, cases
from tests.laws.effort import runs
from tests.laws.happenings import drive

JOBS = (502, 522, 603)
POLICIES = [*SHIPPED, None]  # None: one that Hypothesis invents
every_policy = pytest.mark.parametrize("name", POLICIES, ids=[name or "invented" for name in POLICIES])


@pytest.fixture(scope="module")
def rerun():
    clusters = [load_cluster(name) for name in ("b300-256", "h100-88", "h100-1024")]
    return Rerun(simulate("small-week"), clusters=clusters)


def begin_of(rerun, job):
    """Return the moment that is asked about where none is named."""
    waits, _ = rerun.waits([job])
    return life.main(life.intervals(rerun.result, subject(rerun.result, job), waits, rerun)).begin


@pytest.fixture(scope="module")
def answers(rerun):
    return {job: what_ifs(rerun, subject(rerun.result, job), begin_of(rerun, job)) for job in JOBS}


def past(log, time):
    """Return all that had happened in a log before a moment."""
    slices, segments = log.slices[log.slices["start"] < time], log.segments[log.segments["begin"] < time]
    over = slices["end"] < time
    ends = np.where(over, slices["end"], time).tolist()
    return [
        log.decisions[log.decisions["time"] < time].tolist(),
        np.where((log.jobs["submit"] >= 0) & (log.jobs["submit"] < time), log.jobs["submit"], -1).tolist(),
        slices[["job", "start", "take"]].tolist(),
        ends,
        [(each["end_code"], each["kept"], each["lost"]) for each in slices[over]],
        sorted(
            (int(each["slice"]), int(each["state"]), int(each["begin"]), min(int(each["end"]), time))
            for each in segments
        ),
    ]


def test_with_nothing_changed_nothing_changes(rerun):
    of = subject(rerun.result, JOBS[0])
    same = Change(
        change=reason("if_saved"), since=of.submit + HOUR, make=lambda _branch: None, work=rerun.table.work[of.job]
    )
    found = judged(rerun, of, same)
    assert (found.saved, found.queued_saved, found.done_sooner) == (0, 0, 0)
    assert (found.others_wait, found.others_later, found.lost) == (0, 0, 0)
    assert not found.helps
    assert not found.matters


def any_job(data, name):
    """Return a small and wicked case, its log, the run to be made again, and one of its jobs."""
    case = data.draw(cases(name, passes=60, fewest=6, world=False))
    log = drive(Engine(case.scenario, case.table), case.scenario.horizon)
    rerun = Rerun(build(case.scenario, case.table, log), table=case.table)
    jobs = rerun.result.jobs["job"].tolist()
    assume(jobs)
    return case, log, rerun, subject(rerun.result, data.draw(st.sampled_from(jobs)))


@every_policy
@runs(12)
@given(data=st.data())
def test_before_the_moment_all_is_as_it_was_whatever_changes_then(name, data):
    case, log, rerun, of = any_job(data, name)
    over = case.scenario.horizon if of.end is None else of.end
    time = data.draw(st.integers(of.submit, max(over - 1, of.submit)))
    for change in changes(rerun, of, time):
        branch = rerun.branch(change.since)
        change.make(branch)
        branch.advance(case.scenario.horizon)
        assert past(branch.run.close().log, change.since) == past(log, change.since), change.change.sentence
        assert change.since == time or change.instead is not None
    branch = with_more_nodes(rerun, 2, time)
    branch.advance(case.scenario.horizon)
    assert past(branch.run.close().log, time) == past(log, time)


@every_policy
@runs(25)
@given(data=st.data())
def test_from_its_submission_on_it_is_the_run_in_which_it_always_was_another(name, data):
    case, _log, rerun, of = any_job(data, name)
    contracts = case.scenario.policy.contracts
    longer = data.draw(st.integers(0, 900))
    values = {
        "work": int(case.table.work[of.job]) + longer,
        "limit": int(case.table.limit[of.job]) + longer,
        "min_runtime": data.draw(st.integers(0, 4_000 if contracts is None else contracts.cap)),
        "priority": data.draw(st.integers(1, 4)),
    }
    if not case.table.streams.closed[case.table.stream[of.job]]:  # a stream goes on counting what it was
        values["gpus"] = data.draw(st.integers(1, case.scenario.cluster.gpus_per_node))
    columns = {each: getattr(case.table, each).copy() for each in values}
    for each, value in values.items():
        columns[each][of.job] = value
    always = drive(Engine(case.scenario, attrs.evolve(case.table, **columns)), case.scenario.horizon)
    branch = rerun.branch(of.submit)
    branch.engine.alter(of.job, values)
    branch.advance(case.scenario.horizon)
    found = branch.run.close().log
    assert found.jobs.tolist() == always.jobs.tolist()
    assert found.slices.tolist() == always.slices.tolist()
    assert sorted(found.decisions.tolist()) == sorted(
        always.decisions.tolist()
    )  # refusals of one pass come in any order


@pytest.mark.parametrize("scenario", ["reference-month", "published-month"])
def test_people_and_machines_have_the_same_past_too(scenario):
    result = simulate(load_scenario(scenario), days=1, policy="priority" if scenario == "published-month" else None)
    rerun = Rerun(result)
    time = result.horizon - 40 * HOUR
    waited = result.jobs[
        ((result.jobs["submit"] < time) & (result.jobs["first_start"] > time)).fillna(value=False).to_numpy()
    ]
    of = subject(result, int(waited["job"].iloc[len(waited) // 2]))
    before, kinds = past(rerun.log, time), set()
    for change in changes(rerun, of, time):
        branch = rerun.branch(change.since)
        change.make(branch)
        branch.advance(result.horizon)
        log = branch.run.close().log
        kinds.add(change.change.code)
        if change.since == time:
            assert past(log, time) == before, change.change.sentence
    assert {"if_gpus", "if_priority", "if_share"} & kinds
    nothing = rerun.branch(time)
    nothing.advance(result.horizon)
    log = nothing.run.close().log
    assert (log.decisions.tolist(), log.jobs.tolist()) == (rerun.log.decisions.tolist(), rerun.log.jobs.tolist())


@pytest.mark.parametrize("job", JOBS)
def test_one_of_each_is_tried_what_helps_comes_first_and_folk_theories_last(answers, job):
    found = answers[job]
    codes = {each.change.code for each in found}
    asked = {"if_gpus", "if_min_runtime", "if_no_contract", "if_priority"}
    assert asked | {"if_share", "if_checkpoint", "if_nodes", "if_preset"} <= codes
    assert [each.helps for each in found] == sorted((each.helps for each in found), reverse=True)
    assert any(not each.matters for each in found)
    assert all(each.change.sentence for each in found)


def test_the_cheapest_is_one_that_helps_and_that_its_user_can_do(answers):
    for found in answers.values():
        best = cheapest(found)
        assert best is not None
        assert best.helps
        assert best.change.code not in ("if_share", "if_nodes", "if_preset")
        others = [
            each
            for each in found
            if each.helps
            and each.price is not None
            and each.halves
            and each.change.code not in ("if_share", "if_nodes")
        ]
        assert all(max(best.price, 0) <= max(each.price, 0) for each in others)
    assert cheapest(()) is None


def test_what_is_waited_by_the_end_is_what_the_log_says(rerun):
    log = rerun.log
    assert np.array_equal(waited_by(log, log.horizon), log.jobs["queued"])


def test_a_run_that_stops_when_the_job_is_over_says_what_the_whole_run_would(rerun):
    of = subject(rerun.result, 603)
    for change in changes(rerun, of, begin_of(rerun, 603)):
        found = judged(rerun, of, change)
        branch = rerun.branch(change.since)
        change.make(branch)
        branch.advance(rerun.result.horizon)
        log = branch.run.close().log
        whole = fate(log, of.job, change.work)
        assert (found.wait, found.started, found.queued) == (whole.wait, whole.started, whole.queued)
        price = paid(rerun.log, log, of.job, over_in_both(rerun.log, log, of.job))
        assert (found.others_wait, found.others_later, found.others_again, found.lost) == price


def test_on_another_cluster_the_same_jobs_run_and_more_nodes_come_at_the_moment(rerun):
    of = subject(rerun.result, 603)
    found = {each.change.code: each for each in what_ifs(rerun, of, begin_of(rerun, 603))}
    assert found["if_preset"].change.parameters == {"cluster": "b300-256", "gpus": 256}
    assert (found["if_preset"].since, found["if_preset"].instead.code) == (0, "whole_run")
    assert found["if_preset"].others_wait is None
    assert found["if_nodes"].change.parameters == {"nodes": 2, "gpus": 16}
    assert found["if_nodes"].instead is None
    alone = Rerun(rerun.result, clusters=[rerun.scenario.cluster])
    assert "if_preset" not in {each.change.code for each in what_ifs(alone, of, begin_of(rerun, 603))}


def test_half_the_gpus_do_what_is_left_in_twice_the_time(rerun):
    of = subject(rerun.result, JOBS[0])
    half = next(change for change in changes(rerun, of, of.submit) if change.change.code == "if_gpus")
    branch = rerun.branch(of.submit)
    half.make(branch)
    row = branch.engine.job(of.job)
    assert row["gpus"] == of.gpus // 2
    assert row["work"] == half.work == 2 * rerun.table.work[of.job]
    assert row["limit"] >= row["work"] + row["startup"]


def test_a_job_that_was_stopped_halves_what_it_has_not_saved(rerun):
    rows = rerun.log.slices[(rerun.log.slices["kept"] > 0) & (rerun.log.slices["end_code"] == 2)]
    of = next(
        each
        for row in rows
        if (each := subject(rerun.result, int(row["job"]))).gpus > 1 and each.slices > 1 and each.state == "finished"
    )
    stop = int(rerun.log.slices["end"][rerun.log.slices["job"] == of.job].min())
    then = Then.at(rerun, of, stop + 1)
    assert not then.runs
    half = next(change for change in changes(rerun, of, stop + 1) if change.change.code == "if_gpus")
    assert half.work - then.row["done"] == -(
        -(then.row["work"] - then.row["done"]) * of.gpus // half.change.parameters["gpus"]
    )
    found = judged(rerun, of, half)
    assert found.wait == of.first_start - of.submit


def test_a_checkpoint_when_it_was_stopped_loses_less(rerun):
    log = rerun.log
    lost = log.slices[(log.slices["lost"] > 0) & (log.slices["kept"] > 0) & (log.slices["end_code"] == 2)]
    of = subject(rerun.result, int(lost["job"][0]))
    stop = int(lost["end"][0])
    at = {change.change.code: change for change in changes(rerun, of, stop + 1)}
    branch = rerun.branch(stop)
    at["if_saved_before"].make(branch)
    branch.advance(rerun.result.horizon)
    after = branch.run.close().log
    assert at["if_saved_before"].since == stop
    mine = (after.slices["job"] == of.job) & (after.slices["end"] == stop)
    assert after.slices["lost"][mine].sum() == 0
    ran = {change.change.code: change for change in changes(rerun, of, stop - 1)}
    branch = rerun.branch(stop - 1)
    ran["if_saved"].make(branch)
    branch.advance(rerun.result.horizon)
    after = branch.run.close().log
    mine = (after.slices["job"] == of.job) & (after.slices["end"] == stop)
    assert after.slices["lost"][mine].sum() == of.gpus


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
    of = subject(result, int(waited))
    found = what_ifs(Rerun(result), of, of.submit)
    for each in found:
        if each.change.code in ("if_min_runtime", "if_priority", "if_share"):
            assert not each.matters, attrs.asdict(each)


def test_a_run_that_was_edited_by_hand_and_is_not_over_has_the_same_past_too():
    scenario = load_scenario("small-week")
    table = draw(scenario)
    live = Live(scenario, table)
    live.step(3 * DAY)
    live.edit([ShareChange(id="pretraining", share=Fraction(2, 5))], author="somebody", reason="a try")
    live.step(2 * DAY)
    live.follow(load_policy("priority"))
    live.step(2 * DAY)
    result = build(live.scenario, table, live.so_far().log, jobs_drawn=table.digest)
    rerun = Rerun(result)
    waits = result.jobs[(result.jobs["queued"] > 6 * HOUR).to_numpy()]
    for time in (2 * DAY, 3 * DAY, 5 * DAY, 6 * DAY):
        late = waits[((waits["submit"] <= time) & ~(waits["first_start"] < time)).fillna(value=True).to_numpy()]
        of = subject(result, int(late["job"].iloc[0]))
        before = past(rerun.log, time)
        for change in changes(rerun, of, time):
            branch = rerun.branch(change.since)
            change.make(branch)
            branch.advance(result.horizon)
            if change.since == time:
                assert past(branch.run.close().log, time) == before, change.change.sentence
