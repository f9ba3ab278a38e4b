"""Policies without contracts: strict, any, EASY, and who may displace whom under priorities.

Source: the rule of EASY is that of D. Lifka, The ANL/IBM SP Scheduling System, JSSPP 1995, for whole nodes instead of processors;
the rest is our own model (kernel/RULES.md, and the policies fifo* and priority* in datasets/policies/). All numbers are worked by hand.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.laws.made import job, plan, tell
from tests.worked.made import LONG, paper

LOW, NORMAL, HIGH = 1, 2, 3
A = plan(a="1")


def started(
    policy: str, jobs: list[dict[str, Any]], cluster: str = "2x8", horizon: int = 4_000
) -> list[tuple[int, int]]:
    told = tell(paper(A, policy=policy, cluster=cluster, horizon=horizon), jobs)
    return [(time, number) for time, _, number in told.decisions("start")]


# node 0 is busy for 1,000 s, the gang of two nodes is the first in line, and behind it comes a job of 2,000 s
LINE = [job("a", 8, 1_000), job("a", 16, 500), job("a", 1, 2_000)]


def test_strictly_nothing_starts_before_the_first_in_line() -> None:
    # the gang at 1,000: the pass of 1,020; it ends at 1,520, the pass of 1,530
    assert started("fifo-strict", LINE) == [(0, 0), (1_020, 1), (1_530, 2)]


def test_whatever_fits_starts_where_nothing_is_reserved() -> None:
    # the job of 1 GPU sits on node 1 until 2,000: the gang waits for it, until 2,010
    assert started("fifo-any", LINE) == [(0, 0), (0, 2), (2_010, 1)]


@pytest.mark.parametrize(
    ("limit", "starts"),
    [
        (940, [(0, 0), (60, 2), (1_020, 1)]),  # 60 + 940 = 1,000
        (941, [(0, 0), (1_020, 1), (1_530, 2)]),  # a second too long: it waits for the gang's 500 s
    ],
)
def test_easy_lets_start_on_reserved_nodes_what_ends_before_the_reservation_starts(
    limit: int, starts: list[tuple[int, int]]
) -> None:
    # both nodes are reserved from 1,000 on; the last job comes at 60 and is over long before its limit
    jobs = [job("a", 8, 1_000), job("a", 16, 500), job("a", 8, 100, submit=60, limit=limit)]
    assert started("fifo", jobs) == starts


def test_easy_lets_start_on_other_nodes_whatever_fits() -> None:
    # the gang gets node 2, which is free, and node 0, free at 1,000; node 1, with 5 GPUs until 3,000, is not reserved.
    # There 3 GPUs fit for however long; 4 would only fit on node 2.
    jobs = [
        job("a", 8, 1_000),
        job("a", 5, 3_000),
        job("a", 16, 500),
        job("a", 4, LONG, submit=60),
        job("a", 3, LONG, submit=60),
    ]
    assert started("fifo", jobs, cluster="3x8", horizon=1_400) == [(0, 0), (0, 1), (60, 4), (1_020, 2)]


def test_easy_reserves_the_nodes_that_come_free_last_and_leaves_those_that_are_free_now() -> None:
    # at 1,000 nodes 0 and 1 are free for the gang as well as node 2, which is free already and so is left to all
    jobs = [job("a", 8, 1_000), job("a", 8, 1_000), job("a", 16, 500), job("a", 8, LONG, submit=60)]
    assert started("fifo", jobs, cluster="3x8", horizon=1_400) == [(0, 0), (0, 1), (60, 3), (1_020, 2)]


def test_easy_plans_with_limits_and_starts_when_work_ends() -> None:
    # by the limit the gang has its nodes at 1,000, so what is over by 60 + 940 = 1,000 may use one; the work ends at 500: the
    # gang starts at 510
    jobs = [job("a", 8, 500, limit=1_000), job("a", 16, 500), job("a", 8, 100, submit=60, limit=940)]
    assert started("fifo", jobs) == [(0, 0), (60, 2), (510, 1)]


def test_a_higher_priority_displaces_a_lower_one_that_is_preemptible() -> None:
    jobs = [job("a", 4, LONG, priority=LOW), job("a", 4, LONG, priority=LOW, preemptible=False)]
    told = tell(paper(A, policy="priority", horizon=200), [*jobs, job("a", 4, LONG, submit=60, priority=NORMAL)])
    assert told.decisions("preempt") == [(60, "preempt", 0)]
    assert told.rows("preempt")[0]["reason"] == "priority"


def test_a_higher_priority_never_displaces_what_is_not_preemptible() -> None:
    jobs = [job("a", 4, LONG, priority=LOW), job("a", 4, LONG, priority=LOW, preemptible=False)]
    told = tell(paper(A, policy="priority", horizon=200), [*jobs, job("a", 8, LONG, submit=60, priority=4)])
    assert told.decisions("preempt") == []


def test_the_same_priority_is_not_displaced() -> None:
    jobs = [job("a", 8, LONG, priority=HIGH), job("a", 8, LONG, submit=60, priority=HIGH)]
    assert tell(paper(A, policy="priority", horizon=200), jobs).decisions() == [(0, "start", 0)]


def test_the_lower_priority_is_displaced_first_even_if_more_is_lost() -> None:
    jobs = [
        job("a", 8, LONG, priority=NORMAL, checkpoint=1),
        job("a", 8, LONG, priority=LOW),
        job("a", 8, LONG, submit=600, priority=HIGH),
    ]
    told = tell(paper(A, policy="priority", cluster="2x8", horizon=700), jobs)
    assert [(row["job"], row["lost"]) for row in told.rows("preempt")] == [(1, 8 * 600)]


def test_a_higher_priority_comes_first_then_the_earlier_submit_time() -> None:
    jobs = [job("a", 8, 60), job("a", 8, 60, submit=20), job("a", 8, 60, submit=10), job("a", 8, 60, submit=30)]
    jobs.append(job("a", 8, 60, submit=40, priority=HIGH, preemptible=False))
    # the last displaces the first, which has its age back when it ends
    assert started("priority", jobs, cluster="1x8") == [(0, 0), (60, 4), (120, 2), (180, 1), (240, 3)]
