"""What the world can ask of a run, what it is told, and what it is refused."""

from __future__ import annotations

from fractions import Fraction

import attrs
import pytest

from allotment.errors import SimulationError
from allotment.kernel.engine import Engine, Notice
from allotment.model.codes import EndCode
from allotment.model.policy import Backfill, Key, Licence, Window
from allotment.results.laws import check
from allotment.results.result import build
from allotment.units import DAY, HOUR
from tests.laws.books import wrong_books
from tests.laws.happenings import reach
from tests.laws.made import budgets, job, plan, ranked, scenario, table, tell

STARTED, OVER, EMPTY = 1, 2, 3
A = plan(a="1")
MANUAL = 2


def engine(*jobs, policy=None, of=A, leaves=("a",), **more):
    return Engine(scenario(policy or ranked(), of, **more), table(leaves, jobs))


def test_time_goes_forward_and_ends_at_the_horizon():
    run = engine(job("a", 1, 10), horizon=100)
    assert run.advance(60) is None
    assert run.advance(60) is None
    with pytest.raises(SimulationError, match="cannot advance from 60 s to 59 s; the horizon is 100 s"):
        run.advance(59)
    with pytest.raises(SimulationError, match="from 60 s to 101 s"):
        run.advance(101)


def test_a_watched_job_is_told_of_the_second_after_it_starts_and_when_it_is_over():
    run = engine(job("a", 1, 25, submit=13), job("a", 1, 25, submit=13))
    run.watch(1)
    assert (run.advance(HOUR), run.now) == (Notice(STARTED, 1), 21)
    assert (run.advance(HOUR), run.now) == (Notice(OVER, 1), 46)
    assert (run.advance(HOUR), run.now) == (None, HOUR)


def test_everything_of_one_second_is_told_before_time_goes_on():
    run = engine(job("a", 1, 25), job("a", 1, 25))
    run.watch(0)
    run.watch(1)
    assert [run.advance(HOUR) for _ in range(2)] == [Notice(STARTED, 0), Notice(STARTED, 1)]
    assert run.now == 1
    assert [run.advance(HOUR) for _ in range(2)] == [Notice(OVER, 0), Notice(OVER, 1)]


def test_a_node_that_is_empty_when_it_is_cordoned_is_told_of_at_once():
    run = engine(cluster="2x8")
    reach(run, 50)
    run.cordon(1)
    assert (run.advance(60), run.now) == (Notice(EMPTY, 1), 50)


def test_it_is_told_of_even_if_something_else_is_told_of_in_that_second():
    run = engine(job("a", 8, 50), cluster="2x8")
    run.watch(0)
    assert run.advance(50) == Notice(STARTED, 0)
    reach(run, 50)
    run.cordon(1)  # in the second in which the job ends on node 0
    assert {run.advance(60), run.advance(60)} == {Notice(OVER, 0), Notice(EMPTY, 1)}


def test_a_node_is_told_of_when_its_last_slice_leaves_and_only_once():
    run = engine(job("a", 4, 100, asks=40), job("a", 4, 30), policy=budgets(), leaves=("a",))
    reach(run, 20)
    run.cordon(0)
    assert (run.advance(HOUR), run.now) == (Notice(EMPTY, 0), 41)
    assert run.advance(HOUR) is None


def test_a_gang_that_leaves_tells_of_each_of_its_cordoned_nodes():
    run = engine(job("a", 16, 100, asks=40), policy=budgets(), cluster="2x8")
    reach(run, 20)
    run.cordon(0)
    run.cordon(1)
    assert [run.advance(HOUR) for _ in range(2)] == [Notice(EMPTY, 0), Notice(EMPTY, 1)]


def test_a_node_is_drained_in_the_second_in_which_its_last_slice_ends():
    run = engine(job("a", 1, 50))
    reach(run, 50)
    run.take_down(0)
    assert run.snapshot()["healthy"] == 0


@pytest.mark.parametrize(
    ("verb", "what", "words"),
    [
        ("cordon", 2, "there is no node 2; the cluster has nodes 0 to 1"),
        ("fail", -1, "there is no node -1"),
        ("cordon", 1, "node 1 is draining already"),
        ("take_down", 0, "node 0 still runs 1 slices; drain or evict it first"),
        ("submit", 0, "job 0 is running, not unsubmitted"),
    ],
)
def test_what_makes_no_sense_is_refused_and_changes_nothing(verb, what, words):
    run = engine(job("a", 8, 100), cluster="2x8")
    reach(run, 50)
    run.cordon(1)
    before = run.snapshot()
    with pytest.raises(SimulationError, match=words):
        getattr(run, verb)(what)
    assert run.snapshot() == before


def test_a_node_that_is_down_does_not_fail_again():
    run = engine()
    run.fail(0)
    with pytest.raises(SimulationError, match="node 0 is down already"):
        run.evict(0)


def test_a_plan_keeps_its_nodes():
    run = engine()
    with pytest.raises(SimulationError, match="a plan that changes during a run keeps its nodes"):
        run.set_plan(plan(a="1/2", b="1/2"))


def test_jobs_of_people_wait_until_somebody_submits_them():
    run = engine(job("a", 1, 30, stream=MANUAL))
    reach(run, 95)
    assert not run.waiting(0)
    run.submit(0)
    assert run.waiting(0)
    reach(run, 200)
    log = run.close()
    assert log.jobs[["submit", "first_start", "end"]].tolist() == [(95, 100, 130)]


def test_cancelling_what_is_over_changes_nothing():
    run = engine(job("a", 1, 30), horizon=100)
    reach(run, 50)
    run.cancel(0)
    reach(run, 100)
    log = run.close()
    assert log.slices["end_code"].tolist() == [EndCode.FINISHED]
    assert log.jobs["end"].tolist() == [30]


def test_a_run_that_is_closed_early_ends_there():
    run = engine(job("a", 4, 500), job("a", 4, 40), horizon=1000)
    reach(run, 100)
    log = run.close()
    assert (log.horizon, log.idle.sum(), log.slices["end"].tolist()) == (100, 4 * 60, [100, 40])
    assert log.slices["kept"].tolist() == [100, 40]


def test_what_ends_at_the_horizon_has_finished():
    run = engine(job("a", 4, 100), horizon=100)
    reach(run, 100)
    assert run.close().slices["end_code"].tolist() == [EndCode.FINISHED]


def test_arrays_grow_as_a_run_goes_on():
    of = scenario(budgets(), A, cluster="2x1", cycle=1, horizon=4 * HOUR)
    jobs = table(["a"], [job("a", 2, DAY, asks=1, checkpoint=1), job("a", 1, DAY, checkpoint=1)])
    run = Engine(of, jobs)
    size = len(run._state.decisions)
    for time in range(1, 4 * HOUR, 4):
        reach(run, time)
        run.fail(time % 2)
        reach(run, time + 1)
        run.clear(time % 2)
    assert wrong_books(run) == []
    reach(run, of.horizon)
    log = run.close()
    assert len(log.decisions) > size
    assert len(log.slices) > 2 * HOUR
    assert [str(found) for found in check(build(of, jobs, log))] == []


def test_more_leaves_than_a_word_has_bits_are_remembered_all_the_same():
    names = [f"team{number:03}" for number in range(70)]
    of = plan(**dict.fromkeys(names, Fraction(1, 70)))
    jobs = [job(name, 1, 300, asks=20, submit=number) for number, name in enumerate(names)]
    run = engine(*jobs, of=of, leaves=tuple(names), policy=budgets(), cluster="2x8")
    reach(run, HOUR)
    assert wrong_books(run) == []
    assert set(run.close().slices["end_code"].tolist()) <= {EndCode.FINISHED, EndCode.PREEMPTED}


@pytest.mark.parametrize(
    ("policy", "jobs", "words"),
    [
        (
            budgets(cap=HOUR),
            [job("a", 1, 60, asks=2 * HOUR)],
            "1 jobs ask a contract of up to 2h, above the cap of policy",
        ),
        (ranked(), [job("a", 9, 60)], "1 jobs ask for more GPUs than the 8 of cluster"),
        (budgets(margin=Fraction(1, 10_001)), [], "the margin of policy 'budgets' is too fine: 1/10001"),
        (budgets(reserve=Fraction(1, 77_777)), [], "the reserve of policy 'budgets' is too fine"),
        (attrs.evolve(ranked(), window=Window(lookback=10**11)), [], "is too much to count"),
    ],
)
def test_what_the_kernel_cannot_count_is_refused_before_anything_runs(policy, jobs, words):
    with pytest.raises(SimulationError, match=words):
        engine(*jobs, policy=policy)


def test_what_began_in_a_pass_is_not_displaced_in_it():
    # by age the job of low priority comes first, and the other would displace it at once, after no seconds
    policy = ranked(Key.AGE, licence=Licence.LOWER, backfill=Backfill.ANY)
    jobs = [job("a", 8, 500, priority=1), job("a", 8, 50, priority=3), job("a", 8, 50, submit=35, priority=1)]
    log = tell(scenario(policy, A, cycle=10), jobs).log
    assert log.slices[["job", "start", "end"]].tolist()[:2] == [(0, 0, 40), (1, 40, 90)]
    log = tell(scenario(policy, A, cycle=10), jobs).log
    assert log.slices[["job", "start", "end"]].tolist()[:2] == [(0, 0, 40), (1, 40, 90)]


@pytest.mark.parametrize("verb", ["submit", "watch", "cancel"])
@pytest.mark.parametrize("job", [-1, 10**12])
def test_a_job_that_is_not_there_is_refused(verb, job):
    with pytest.raises(SimulationError, match=f"there is no job {job}; the table has"):
        getattr(engine(), verb)(job)
