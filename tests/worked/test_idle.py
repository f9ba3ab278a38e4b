"""Why a GPU idles: where the funding of a claim decides who may start it, and after what came about in a pass.

Source: our own model, "Why a GPU idles" in kernel/RULES.md, under policies put together here. All numbers are worked by hand.
"""

from __future__ import annotations

from typing import Any

import pytest

from allotment.model.codes import IdleCause
from allotment.model.plan import PlanNode
from allotment.model.policy import Backfill, Candidates, Key, Lending, Licence, Match, Partition
from tests.laws.made import Told, budgets, job, plan, ranked, scenario, tell
from tests.worked.made import LONG

FUNDED = Partition(match=Match.FUNDED, keys=(Key.BALANCE, Key.AGE), licence=Licence.INTERRUPTIBLE)
UNFUNDED = Partition(match=Match.UNFUNDED, keys=(Key.AGE,))
BOTH = (FUNDED, UNFUNDED)
whether_or_not = pytest.mark.parametrize("partitions", [BOTH, (FUNDED,)], ids=["unfunded too", "funded only"])


def run(of: Any, jobs: list[dict[str, Any]], *, cluster: str = "1x8", **settings: Any) -> Told:
    """Run for 100 s; of one node of eight GPUs a share of 1/2 is entitled to 14,400 GPU-seconds an hour."""
    return tell(scenario(budgets(**{"short": 0} | settings), of, cluster=cluster, cycle=10, horizon=100), jobs)


def idle(told: Told) -> dict[str, int]:
    """Return the idle GPU-seconds by cause."""
    total = told.log.idle.sum(axis=0).tolist()
    return {cause.name.lower(): total[cause] for cause in IdleCause if total[cause]}


def test_what_is_not_funded_idles_the_gpus_of_a_policy_that_starts_nothing_else() -> None:
    jobs = [job("a", 4, LONG, asks=3_601)]  # 14,404 do not fit in 14,400
    assert idle(run(plan(a="1/2"), jobs, partitions=(FUNDED,))) == {"unfunded": 8 * 100}
    assert idle(run(plan(a="1/2"), jobs, partitions=BOTH)) == {"no_demand": 4 * 100}


@whether_or_not
def test_a_funded_claim_beyond_the_slots_of_its_team_is_not_started_unallocated_instead(partitions: Any) -> None:
    jobs = [job("a", 4, LONG, asks=60), job("a", 2, LONG, asks=60)]
    told = run(plan(a=PlanNode(id="a", share="1/2", allocated_limit=5)), jobs, partitions=partitions)
    assert idle(told) == {"slot_limit": 4 * 100}


@whether_or_not
@pytest.mark.parametrize(
    "setting", [{"backfill": Backfill.UNALLOCATED_ONLY}, {"backfill": Backfill.STRICT}, {"candidates": Candidates.HEAD}]
)
def test_gpus_that_a_funded_claim_behind_a_better_rank_would_fit_on_are_held(partitions: Any, setting: Any) -> None:
    # from 10 on the claim of 8 GPUs is the first in line, and finds no room
    jobs = [job("a", 4, LONG, asks=900), job("a", 8, LONG, submit=10, asks=60), job("a", 2, LONG, submit=10, asks=60)]
    told = run(plan(a="1/2"), jobs, partitions=partitions, **setting)
    assert idle(told) == {"no_demand": 4 * 10, "held": 4 * 90}


@whether_or_not
def test_held_nodes_idle_for_the_holder_when_a_funded_claim_would_end_too_late(partitions: Any) -> None:
    # node 1 is free from 50 on and held, with node 0, for the gang that is due at 1,000; the last contract ends at 2,050
    jobs = [
        job("b", 8, LONG, asks=1_000),
        job("b", 8, 50, asks=50),
        job("a", 16, LONG, submit=10, asks=60),
        job("b", 8, LONG, submit=20, asks=2_000),
    ]
    told = run(plan(a="1/2", b="1/2"), jobs, cluster="2x8", partitions=partitions, holders=1)
    assert told.decisions()[-1] == (10, "hold", 2)
    assert idle(told) == {"held": 8 * 50}


@whether_or_not
def test_a_loan_that_comes_about_in_a_pass_is_used_in_the_next(partitions: Any) -> None:
    # b asks 14,800 and may borrow when a, which has headroom, wants nothing more: that is so when its claim has started
    of = plan(x=("1", {"a": "1/2", "b": "1/2"}))
    jobs = [job("a", 4, LONG, asks=1_000), job("b", 4, LONG, asks=3_700)]
    told = run(of, jobs, partitions=partitions, lending=Lending.IDLE_KIN)
    assert told.decisions() == [(0, "start", 0), (10, "start", 1)]
    assert idle(told) == {"cycle": 4 * 10}


def test_what_a_displacement_frees_after_a_job_was_looked_at_is_looked_at_in_the_next_pass() -> None:
    # by age job 1 comes first, and finds no room: job 0 is as urgent. Job 2 is more urgent and displaces it on both nodes,
    # of which it needs one.
    of = scenario(ranked(Key.AGE, licence=Licence.LOWER), plan(a=1), cluster="2x8", cycle=10, horizon=100)
    jobs = [job("a", 16, LONG), job("a", 8, LONG, submit=5), job("a", 7, LONG, submit=6, priority=3)]
    told = tell(of, jobs)
    assert told.decisions() == [(0, "start", 0), (10, "preempt", 0), (10, "start", 2), (20, "start", 1)]
    assert idle(told) == {"cycle": 8 * 10, "fragment": 90}
