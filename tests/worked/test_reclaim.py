"""Who makes room for a claim: the margin, short claims, what is cheapest, and never for nothing.

Source: our own model, "Slices" and "A pass", part 3, in kernel/RULES.md, with the settings of datasets/policies/budgets.yaml (a margin
of 0.05). All numbers are worked by hand.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.laws.made import job, plan, tell
from tests.worked.made import LONG, paper

TREES = {
    "budgets": plan(a="1/2", b="1/2"),
    "kin": plan(lab=("1", {"a": "1/2", "b": "1/2"})),
    # judged at one and two, whatever the leaves below them have had
    "deep": plan(one=("1/2", {"a": "1/4", "c": "3/4"}), two=("1/2", {"b": "1/4", "d": "3/4"})),
}


@pytest.mark.parametrize(("asks", "start"), [(8_639, 10_800), (8_640, 10_830)])
@pytest.mark.parametrize("of", TREES.values(), ids=TREES)
def test_a_reclaim_by_balance_needs_a_ratio_lower_by_the_margin_where_the_branches_part(
    of: Any, asks: int, start: int
) -> None:
    # both branches: 345,600. The victim has used 8 x 10,800 = 86,400. 86,400 - 0.05 x 345,600 = 69,120 = 8 x 8,640 must
    # be more than the claim; 30 s later it has used 240 more, and the equal one is below as well.
    jobs = [job("b", 8, LONG, asks=901), job("a", 8, LONG, submit=10_800, asks=asks)]
    told = tell(paper(of, horizon=12_000), jobs)
    assert told.decisions("start", "preempt") == [(0, "start", 0), (start, "preempt", 0), (start, "start", 1)]
    stopped = told.rows("preempt")[0]
    assert (stopped["reason"], stopped["other_job"], stopped["claim"]) == ("balance", 1, 8 * asks)
    assert (stopped["used"], stopped["entitled"]) == (0, 345_600)
    assert (stopped["other_used"], stopped["other_entitled"]) == (8 * start, 345_600)


def test_a_short_claim_takes_what_is_interruptible_whatever_the_ranks_but_never_what_is_protected() -> None:
    # a: 10,800, and the claim of 8 x 900 = 7,200 is two thirds of it; b: 345,600 with 8 x 930 = 7,440 used. b is protected
    # until 901; the next pass is at 930.
    of = plan(a="1/64", b="1/2")
    told = tell(paper(of, horizon=1_000), [job("b", 8, LONG, asks=901), job("a", 8, LONG, submit=600, asks=900)])
    assert told.segments(0) == [("protected", 0, 901), ("interruptible", 901, 930)]
    assert told.decisions("preempt") == [(930, "preempt", 0)]
    assert told.rows("preempt")[0]["reason"] == "short_claim"
    assert told.rows("refuse", 1)[0]["reason"] == "no_room"


def test_a_claim_that_is_not_short_must_outrank() -> None:
    of = plan(a="1/64", b="1/2")
    told = tell(paper(of, horizon=1_000), [job("b", 8, LONG, asks=901), job("a", 8, LONG, submit=600, asks=902)])
    assert told.decisions() == [(0, "start", 0)]


def test_nothing_is_reclaimed_within_a_leaf() -> None:
    jobs = [job("a", 8, LONG, asks=901), job("a", 8, LONG, submit=930, asks=900, priority=4)]
    assert tell(paper(plan(a="1/2"), horizon=2_000), jobs).decisions() == [(0, "start", 0)]


def test_unallocated_work_yields_before_interruptible_work_whatever_is_lost() -> None:
    # b would lose nothing (a checkpoint each second), c all its 8 x 10,800; yet c is unallocated
    jobs = [
        job("b", 8, LONG, asks=901, checkpoint=1),
        job("c", 8, LONG),
        job("a", 8, LONG, submit=10_800, asks=1_000),
    ]
    told = tell(paper(plan(a="1/4", b="1/4", c="1/4"), cluster="2x8", horizon=10_830), jobs)
    assert told.decisions("preempt") == [(10_800, "preempt", 1)]
    stopped = told.rows("preempt")[0]
    assert (stopped["reason"], stopped["lost"]) == ("unallocated_first", 86_400)


@pytest.mark.parametrize(
    ("other", "victim", "kept", "lost"),
    [
        # job 0 has run 8,010 s, of which 600 to start: 7,410 of work, 2 x 3,700 kept, 10 x 8 lost
        ({"checkpoint": 1_990}, 0, 7_400, 80),  # 4 x 1,990 = 7,960 kept: 50 x 8 = 400
        ({"checkpoint": 1_335}, 1, 8_010, 0),  # 6 x 1,335
        ({"checkpoint": 1_600}, 0, 7_400, 80),  # 5 x 1,600: 10 x 8 as well, so the lower node
        ({}, 0, 7_400, 80),  # not resumable: all 8 x 8,010
        ({"checkpoint": 8_011}, 0, 7_400, 80),  # before its first checkpoint: all
    ],
)
def test_the_least_work_is_lost_and_work_is_lost_since_the_last_checkpoint(
    other: dict[str, int], victim: int, kept: int, lost: int
) -> None:
    jobs = [
        job("c", 8, LONG, checkpoint=3_700, startup=600),
        job("c", 8, LONG, **other),
        job("a", 8, LONG, submit=8_010, asks=1_000),
    ]
    told = tell(paper(plan(a="1/2", c="1/2"), cluster="2x8", horizon=8_040), jobs)
    assert told.decisions("preempt") == [(8_010, "preempt", victim)]
    assert told.rows("preempt")[0]["lost"] == lost
    row = told.log.slices[told.log.slices["job"] == victim][0]
    assert (row["kept"], row["lost"], row["for_job"]) == (kept, lost, 2)


def test_before_the_first_checkpoint_the_start_up_is_lost_too() -> None:
    told = tell(
        paper(plan(a="1/2", c="1/2"), horizon=8_040),
        [job("c", 8, LONG, checkpoint=7_411, startup=600), job("a", 8, LONG, submit=8_010, asks=1_000)],
    )
    assert told.rows("preempt")[0]["lost"] == 8 * 8_010


def test_a_displaced_job_goes_on_from_its_checkpoint_and_pays_its_restart() -> None:
    # 7,400 of 20,000 s are kept. The claimant works from 8,010 to 8,510; from the pass of 8,520: 120 to restart and
    # 12,600 of work, until 21,240
    told = tell(
        paper(plan(a="1/2", c="1/2"), horizon=22_000),
        [
            job("c", 8, 20_000, checkpoint=3_700, startup=600, restart=120),
            job("a", 8, 500, submit=8_010, asks=1_000),
        ],
    )
    assert told.segments(0) == [("unallocated", 0, 8_010), ("unallocated", 8_520, 21_240)]
    row = told.log.jobs[0]
    assert (row["queued"], row["lost"], row["restarts"], row["done"]) == (510, 80, 1, 20_000)


def test_what_a_gang_loses_counts_on_all_its_nodes() -> None:
    # the gang would lose 10 s x 16 = 160, or 80 a node; the single one 15 s x 8 = 120
    jobs = [
        job("c", 16, LONG, checkpoint=1_000),
        job("c", 8, LONG, checkpoint=1_599),
        job("a", 8, LONG, submit=8_010, asks=1_000),
    ]
    told = tell(paper(plan(a="1/2", c="1/2"), cluster="3x8", horizon=8_040), jobs)
    assert [(row["job"], row["lost"]) for row in told.rows("preempt")] == [(1, 120)]


def test_a_gang_that_would_not_fit_displaces_nobody() -> None:
    # one node could be cleared; on the other b is not 5 % of 345,600 = 17,280 above the claim of 16,000 until it has used more
    # than 33,280 = 8 x 4,160
    jobs = [job("b", 8, LONG, asks=901), job("c", 8, LONG), job("a", 16, LONG, submit=3_600, asks=1_000)]
    told = tell(paper(plan(a="1/4", b="1/4", c="1/4"), cluster="2x8", horizon=4_000), jobs)
    assert told.decisions() == [(0, "start", 0), (0, "start_unallocated", 1), (3_600, "hold", 2)]
    assert told.segments(1) == [("unallocated", 0, 4_000)]


def test_a_claim_that_would_not_fit_on_a_node_displaces_nobody() -> None:
    # 4 of c are unallocated; b's 4 are not 5 % of 172,800 = 8,640 above the claim of 5,000 until it has used more than
    # 13,640 = 4 x 3,410. 5 are asked
    jobs = [job("b", 4, LONG, asks=901), job("c", 4, LONG), job("a", 5, LONG, submit=1_800, asks=1_000)]
    told = tell(paper(plan(a="1/4", b="1/4", c="1/4"), horizon=3_000), jobs)
    assert told.decisions() == [(0, "start", 0), (0, "start_unallocated", 1)]


def test_free_gpus_go_by_best_fit() -> None:
    # 5 on node 0, 6 on node 1; then 2 fit node 1 exactly and 3 node 0; 4 only node 2
    jobs = [job("a", gpus, LONG, submit=at) for at, gpus in enumerate((5, 6, 2, 3, 4))]
    told = tell(paper(plan(a="1"), policy="fifo-any", cluster="3x8", horizon=60), jobs)
    assert [told.nodes(number) for number in range(5)] == [[0], [1], [1], [0], [2]]


def test_where_nothing_is_lost_a_reclaim_goes_by_best_fit() -> None:
    # c's 6 on node 0 leave 4 when 4 are claimed, c's 4 on node 1 (beside 4 protected) none
    jobs = [
        job("c", 6, LONG, checkpoint=1),
        job("b", 4, LONG, submit=30, asks=28_800),
        job("c", 4, LONG, submit=60, checkpoint=1),
        job("a", 4, LONG, submit=90, asks=1_000),
    ]
    told = tell(paper(plan(a="1/4", b="1/4", c="1/4"), cluster="2x8", horizon=120), jobs)
    assert [told.nodes(number) for number in range(4)] == [[0], [1], [1], [1]]
    assert told.decisions("preempt") == [(90, "preempt", 2)]


def test_a_victim_that_proves_unnecessary_is_put_back() -> None:
    # 6 are claimed. The cheapest slice, 2 GPUs, comes first and is not enough; with the 6 of the other it is not needed.
    jobs = [
        job("c", 2, LONG, checkpoint=1),
        job("c", 6, LONG, checkpoint=500),
        job("a", 6, LONG, submit=900, asks=1_000),
    ]
    told = tell(paper(plan(a="1/2", c="1/2"), horizon=990), jobs)
    assert told.decisions("preempt") == [(900, "preempt", 1)]
    assert told.segments(0) == [("unallocated", 0, 990)]


def test_a_gang_puts_back_a_single_node_when_the_next_victim_clears_enough() -> None:
    # two nodes are claimed. Node 2 is cheapest (nothing lost); the gang on 0 and 1 then clears both that are needed.
    jobs = [
        job("c", 16, LONG, checkpoint=500),
        job("c", 8, LONG, checkpoint=1),
        job("a", 16, LONG, submit=900, asks=1_000),
    ]
    told = tell(paper(plan(a="1/2", c="1/2"), cluster="3x8", horizon=990), jobs)
    assert told.decisions("preempt") == [(900, "preempt", 0)]
    assert told.nodes(2) == [0, 1]


def test_what_was_displaced_does_not_start_again_in_the_same_pass() -> None:
    # 5 and 3 unallocated on node 0; 5 protected and 3 free on node 1. A claim of 8 clears node 0: the 3 would fit on
    # node 1 at once, and start there in the next pass.
    jobs = [
        job("c", 5, LONG),
        job("c", 3, LONG),
        job("b", 5, LONG, submit=30, asks=28_800),
        job("a", 8, LONG, submit=60, asks=1_000),
    ]
    told = tell(paper(plan(a="1/4", b="1/4", c="1/4"), cluster="2x8", horizon=120), jobs)
    assert sorted(told.decisions("preempt")) == [(60, "preempt", 0), (60, "preempt", 1)]
    assert told.decisions()[-2:] == [(60, "start", 3), (90, "start_unallocated", 1)]
    assert told.nodes(1, which=1) == [1]


@pytest.mark.parametrize(("checkpoint", "state", "slices"), [(0, "given_up", 5), (3_000, "running", 6)])
def test_a_job_that_is_not_resumable_is_given_up_at_its_fifth_stop(checkpoint: int, state: str, slices: int) -> None:
    # displaced at 300, 600, ... 1,500 by claims of a minute, and back a minute later: 300 and 4 x 240 s are lost
    claims = [job("a", 8, 60, submit=300 * n, asks=60) for n in range(1, 6)]
    told = tell(paper(plan(a="1/2", c="1/2"), horizon=1_600), [job("c", 8, LONG, checkpoint=checkpoint), *claims])
    assert (told.state(0), len(told.ends(0))) == (state, slices)
    assert told.log.jobs["lost"][0] == 8 * (300 + 4 * 240)
    assert told.decisions("give_up") == ([(1_500, "give_up", 0)] if state == "given_up" else [])
