"""The unallocated fill, and the order of funded work: who comes first, and what was displaced lately comes last.

Source: our own model, "A pass" and "Ranked keys" in kernel/RULES.md, with the settings of datasets/policies/budgets.yaml (a cooldown
of 10 min). All numbers are worked by hand.
"""

from __future__ import annotations

import pytest

from allotment.model.policy import Backfill, Candidates
from tests.laws.made import job, plan, tell
from tests.worked.made import LONG, paper, shipped

HIGH = 3


def test_the_fill_goes_by_use_over_entitlement_and_a_share_of_zero_comes_last() -> None:
    # a has used 8 x 600 = 4,800 of 345,600 = 0.0139, b 8 x 360 = 2,880 of 172,800 = 0.0167, z nothing of nothing.
    # After 480 more a is at 5,280 / 345,600 = 0.0153, still below b.
    of = plan(a="1/2", b="1/4", z="0")
    jobs = [
        job("a", 8, 600),
        job("b", 8, 360, submit=10),
        job("z", 8, 60, submit=950),
        job("b", 8, 60, submit=951),
        job("a", 8, 60, submit=952),
        job("a", 8, 60, submit=953),
    ]
    told = tell(paper(of, horizon=1_300), jobs)
    assert told.decisions() == [
        (0, "start_unallocated", 0),
        (600, "start_unallocated", 1),
        (960, "start_unallocated", 4),
        (1_020, "start_unallocated", 5),
        (1_080, "start_unallocated", 3),
        (1_140, "start_unallocated", 2),
    ]


def test_those_without_a_share_go_by_use_alone() -> None:
    # y comes first by its id, and has used 8 x 60 when z has used nothing
    jobs = [job("y", 8, 60), job("y", 8, 60, submit=10), job("z", 8, 60, submit=20)]
    told = tell(paper(plan(y="0", z="0"), horizon=200), jobs)
    assert [row for _, _, row in told.decisions()] == [0, 2, 1]


def test_the_fill_counts_what_this_pass_has_given() -> None:
    # equal shares and no use: a by its id, then b, as a has been given 4 x 30 s
    told = tell(paper(plan(a="1/2", b="1/2"), horizon=60), [job("a", 4, LONG), job("a", 4, LONG), job("b", 4, LONG)])
    assert [row for _, _, row in told.decisions()] == [0, 2]


def test_within_a_leaf_the_fill_goes_by_priority_then_age_and_passes_over_what_does_not_fit() -> None:
    jobs = [job("a", 4, LONG), job("a", 2, LONG, submit=10), job("a", 8, LONG, submit=20, priority=4)]
    jobs += [job("a", 2, LONG, submit=30, priority=HIGH), job("a", 1, LONG, submit=30)]
    told = tell(paper(plan(a="1/2"), horizon=120), jobs)
    assert told.decisions() == [
        (0, "start_unallocated", 0),
        (30, "start_unallocated", 3),
        (30, "start_unallocated", 1),
    ]


def test_funded_work_goes_by_the_lower_ratio_and_a_claim_counts_at_once() -> None:
    # a by its id; its claim of 4 x 3,600 then makes its ratio the higher one
    jobs = [job("a", 4, LONG, asks=3_600), job("a", 4, LONG, asks=3_600), job("b", 4, LONG, asks=3_600)]
    assert tell(paper(plan(a="1/2", b="1/2"), horizon=20), jobs).decisions() == [(0, "start", 0), (0, "start", 2)]


def test_ratios_are_compared_where_the_branches_part() -> None:
    # a has 8 x 1,000 of its own 34,560 (0.231) and of one's 345,600 (0.023); b's kin has used 8 x 1,200 of two's 345,600
    # (0.028), b itself nothing. one and two decide.
    of = plan(one=("1/2", {"a": "1/10"}), two=("1/2", {"b": "1/2", "c": "1/2"}))
    jobs = [
        job("a", 8, 1_000, asks=1_000),
        job("c", 8, 1_200, submit=10, asks=1_200),
        job("b", 8, LONG, submit=2_000, asks=1_000),
        job("a", 8, LONG, submit=2_000, asks=1_000),
    ]
    told = tell(paper(of, horizon=2_250), jobs)
    # c starts at 1,020 and ends at 2,220
    assert told.decisions("start") == [(0, "start", 0), (1_020, "start", 1), (2_220, "start", 3)]


def test_what_was_displaced_is_passed_over_for_ten_minutes_if_another_fits() -> None:
    # job 1 (3 GPUs, the oldest) is displaced at 60; node 1 has 3 GPUs free. Younger ones of its leaf go first at 90 and
    # at 600; from 660 on its age counts again, at 690.
    jobs = [
        job("c", 5, LONG),
        job("c", 3, LONG),
        job("b", 5, LONG, submit=30, asks=28_800),
        job("a", 8, LONG, submit=60, asks=28_800),
        job("c", 3, 500, submit=70),
        job("c", 3, 70, submit=580),
        job("c", 3, 60, submit=680),
    ]
    told = tell(paper(plan(a="1/4", b="1/4", c="1/4"), cluster="2x8", horizon=800), jobs)
    assert told.decisions("start_unallocated")[2:] == [
        (90, "start_unallocated", 4),
        (600, "start_unallocated", 5),
        (690, "start_unallocated", 1),
    ]


def test_what_was_displaced_starts_at_once_if_nothing_else_fits() -> None:
    jobs = [job("c", 8, LONG), job("a", 8, 60, submit=60, asks=60)]
    told = tell(paper(plan(a="1/2", c="1/2"), horizon=300), jobs)
    assert told.decisions("start_unallocated") == [(0, "start_unallocated", 0), (120, "start_unallocated", 0)]


@pytest.mark.parametrize(
    ("candidates", "decided"),
    [
        (Candidates.CLASSES, [(0, "start", 1), (0, "start_unallocated", 0)]),
        (Candidates.HEAD, [(0, "start_unallocated", 0), (0, "start_unallocated", 1)]),
    ],
)
def test_where_only_heads_are_looked_at_an_unfunded_claim_hides_a_funded_one(
    candidates: Candidates, decided: list[tuple[int, str, int]]
) -> None:
    # a: 86,400. The first asks 4 x 28,800 = 115,200, the second 1 x 1,000.
    jobs = [job("a", 4, LONG, asks=28_800), job("a", 1, LONG, asks=1_000)]
    assert tell(paper(plan(a="1/8"), policy=shipped(candidates=candidates), horizon=20), jobs).decisions() == decided


@pytest.mark.parametrize(
    ("backfill", "begun"),
    [
        (Backfill.ANY, [(30, "start", 2), (30, "start_unallocated", 3)]),
        (Backfill.UNALLOCATED_ONLY, [(30, "start_unallocated", 2), (30, "start_unallocated", 3)]),
        (Backfill.STRICT, []),
    ],
)
def test_what_may_start_behind_a_funded_claim_without_room(
    backfill: Backfill, begun: list[tuple[int, str, int]]
) -> None:
    # 4 GPUs are protected; a's claim of 8 is the best in rank by its id and has no room; 4 GPUs are free
    jobs = [
        job("b", 4, LONG, asks=28_800),
        job("a", 8, LONG, submit=30, asks=1_000),
        job("c", 2, LONG, submit=30, asks=1_000),
        job("d", 1, LONG, submit=30),
    ]
    of = plan(a="1/4", b="1/4", c="1/4", d="1/4")
    assert tell(paper(of, policy=shipped(backfill=backfill), horizon=50), jobs).decisions()[1:] == begun


def test_a_closed_stream_submits_while_what_is_outstanding_and_half_of_the_next_are_within_its_target() -> None:
    # target 10, jobs of 4 GPUs: 0 + 2, 4 + 2 and 8 + 2 are within it, 12 + 2 is not. At 100 two end: 4 + 2, then 8 + 2.
    # At 220, a hundred after the pass of 120, two more end.
    told = tell(paper(plan(a="1/2"), horizon=230), [job("a", 4, 100, stream=1)] * 9, targets=[(0, 10)])
    assert told.log.jobs["submit"].tolist() == [0, 0, 0, 100, 100, 220, 220, -1, -1]
