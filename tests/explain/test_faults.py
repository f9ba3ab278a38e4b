"""A scheduler that passes a job by, though it could start, is found out: its waiting is unexplained then."""

from __future__ import annotations

import pytest

from allotment.model.codes import WaitCode
from allotment.model.policy import Backfill, Licence
from allotment.presets import load_policy
from tests.laws.happenings import reach
from tests.laws.made import budgets, job, plan, ranked, scenario, table

PLAN = plan(a="1/2", b="1/2")


def codes(kernel, policy, *jobs, cluster="1x8"):
    """Return the causes that are noted of the jobs of a run."""
    of = scenario(policy, PLAN, cluster=cluster, horizon=600)
    engine = kernel.engine.Engine(of, table(("a", "b"), jobs))
    engine.ask(range(len(jobs)))
    reach(engine, of.horizon)
    return [(int(row["job"]), WaitCode(int(row["code"])).name.lower()) for row in engine.waits]


def passing_by(gpus):
    """Let every search for free GPUs of one size fail."""
    return lambda old: lambda s, take, *more: False if take == gpus else old(s, take, *more)


@pytest.mark.parametrize(
    "policy",
    [
        ranked(),
        ranked(backfill=Backfill.EASY),
        ranked(licence=Licence.LOWER),
        load_policy("quota"),
        load_policy("fair-tree"),
    ],
    ids=["any", "easy", "priority", "quota", "fair-tree"],
)
def test_a_job_that_is_passed_by_is_unexplained(plain, policy):
    jobs = job("a", 2, 100), job("b", 3, 100)
    assert codes(plain, policy, *jobs) == []
    no_room = plain.with_rule("reclaim_on_node", lambda old: lambda s, job, licence, end: -1)
    with plain.with_rule("find_free", passing_by(3)), plain.with_rule("has_free", passing_by(3)), no_room:
        assert (1, "unexplained") in codes(plain, policy, *jobs)


def test_a_gap_that_is_not_filled_is_unexplained(plain):
    jobs = job("a", 8, 300, asks=0), job("b", 1, 100)
    assert codes(plain, budgets(), *jobs) == [(1, "no_contract")]
    with plain.with_rule("most_free", lambda old: lambda s: 0):
        assert codes(plain, budgets(), *jobs)[0] == (0, "unexplained")


def test_a_funded_claim_that_nobody_looks_at_is_unexplained(plain):
    jobs = job("a", 8, 600), job("b", 4, 100, submit=20, asks=60)
    assert codes(plain, budgets(), *jobs) == [(0, "next_pass"), (0, "no_contract")]
    with plain.with_rule("_sweep", lambda old: lambda s, leaf, count: count):
        assert codes(plain, budgets(), *jobs) == [(1, "unexplained")]


def test_a_funded_claim_for_which_nothing_is_reclaimed_is_unexplained(plain):
    jobs = job("a", 8, 600), job("b", 4, 100, submit=20, asks=60)
    with plain.with_rule("could_reclaim", lambda old: lambda s, job: False):
        assert codes(plain, budgets(), *jobs) == [(1, "unexplained")]
