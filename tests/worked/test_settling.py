"""Slices change state where they stand: end of contract, promotion, demotion, saving; and slot limits at each.

Source: our own model, "Slices", "What is funded" and "A pass", part 1, in kernel/RULES.md, with the settings of
datasets/policies/budgets.yaml (saving after 24 h). All numbers are worked by hand.
"""

from __future__ import annotations

import pytest

from allotment.model.codes import IdleCause
from allotment.model.plan import PlanNode
from allotment.model.policy import Lending
from allotment.units import DAY
from tests.laws.made import budgets, job, plan, scenario, tell
from tests.worked.made import LONG, paper

HIGH = 3


def test_a_contract_ends_at_its_own_second_and_passes_lie_on_the_grid() -> None:
    # the contract ends at 1,001 and the work at 1,234; the next point of the 30 s grid is 42 x 30 = 1,260
    told = tell(paper(plan(a="1/2"), horizon=1_400), [job("a", 8, 1_234, asks=1_001), job("a", 8, LONG, submit=31)])
    assert told.segments(0) == [("protected", 0, 1_001), ("interruptible", 1_001, 1_234)]
    assert told.segments(1) == [("unallocated", 1_260, 1_400)]
    assert told.log.idle[0, IdleCause.CYCLE] == 8 * 26


def test_a_slice_is_promoted_where_it_stands_and_protected_for_its_full_minimum_runtime() -> None:
    # 86,400 less 432: two claims of 2 x 28,800 = 57,600 do not fit. The first is left at 1,000 with 2,000 used; in the
    # pass of 1,020 there are 84,400 less 432 and the second is protected until 1,020 + 28,800 = 29,820.
    told = tell(
        paper(plan(a="1/8"), horizon=40_020), [job("a", 2, 1_000, asks=28_800), job("a", 2, 40_000, asks=28_800)]
    )
    assert told.decisions() == [(0, "start", 0), (0, "start_unallocated", 1), (1_020, "promote", 1)]
    assert told.segments(1) == [
        ("unallocated", 0, 1_020),
        ("protected", 1_020, 29_820),
        ("interruptible", 29_820, 40_000),
    ]
    promoted = told.rows("promote")[0]
    assert (promoted["claim"], promoted["used"], promoted["entitled"]) == (57_600, 2_000, 86_400)


def test_promotion_goes_by_the_rank_of_funded_work() -> None:
    # as above, with a third that came later and is of higher priority; there is room for one of the two
    jobs = [
        job("a", 2, 1_000, asks=28_800),
        job("a", 2, LONG, asks=28_800),
        job("a", 2, LONG, submit=30, asks=28_800, priority=HIGH),
    ]
    assert tell(paper(plan(a="1/8"), horizon=2_000), jobs).decisions("promote") == [(1_020, "promote", 2)]


def test_a_leaf_without_headroom_has_all_its_interruptible_slices_demoted_in_one_pass() -> None:
    # 10,800 are used up by 2 GPUs at 5,400, which is on the grid: headroom 0 is none
    told = tell(paper(plan(a="1/64"), horizon=6_000), [job("a", 1, LONG, asks=1_800), job("a", 1, LONG, asks=1_800)])
    states = [("protected", 0, 1_800), ("interruptible", 1_800, 5_400), ("unallocated", 5_400, 6_000)]
    assert [told.segments(0), told.segments(1)] == [states, states]
    assert [(row["reason"], row["headroom"], row["used"]) for row in told.rows("demote")] == [
        ("headroom", 0, 10_800)
    ] * 2


@pytest.mark.parametrize(("first", "waits"), [("a", "b"), ("b", "a")])
def test_who_lends_is_found_before_anything_is_demoted_so_that_no_order_of_leaves_matters(
    first: str, waits: str
) -> None:
    # 14,400 of the group, three times 4,800, are used up at 2,400: 2,400 by a, 2,400 by b, 9,600 by c, on loan. A claim that
    # comes to one leaf then ends the loans to the others; that leaf itself has its loan until the first one, demoted, lends.
    of = plan(x=("1", {"m": ("1/2", dict.fromkeys("abc", "1/3"))}))
    jobs = [job(first, 1, LONG, asks=60), job(waits, 1, LONG, asks=60), job("c", 4, LONG, asks=60)]
    policy = budgets(lending=Lending.IDLE_KIN, short=0)
    told = tell(scenario(policy, of, cycle=10, horizon=2_420), [*jobs, job(waits, 8, LONG, submit=2_400, asks=60)])
    assert sorted(told.decisions("demote")) == [(2_400, "demote", 0), (2_400, "demote", 2), (2_410, "demote", 1)]


def test_a_demoted_slice_is_promoted_again_when_its_claim_is_funded() -> None:
    # 10,800 used, as above. After the first day 1/64 of 8 GPUs is an eighth of a GPU-second each second. The claim of
    # 2 x 1,800 needs 14,400 = e - e // 200, so e = 14,472 (14,471 leaves 14,399), at 8 x 14,472 = 115,776; the pass: 115,800
    told = tell(paper(plan(a="1/64"), horizon=116_000), [job("a", 2, 2 * LONG, asks=1_800)])
    assert told.decisions() == [(0, "start", 0), (5_400, "demote", 0), (115_800, "promote", 0)]


def test_a_leaf_saves_after_its_oldest_claim_has_queued_for_a_day() -> None:
    # a: 345,600. The three first use 28,800 each, the fourth is interruptible from 28,800 on: at one day 172,800 are left,
    # less than 8 x 28,800 = 230,400. The GPU of the other budget keeps the large claim from starting unallocated.
    jobs = [
        *[job("a", 1, 28_800, asks=28_800)] * 3,
        job("a", 1, 10 * LONG, asks=28_800),
        job("b", 1, 10 * LONG, asks=28_800),
        job("a", 8, LONG, asks=28_800),
        job("a", 1, LONG, submit=DAY - 30, asks=1_000),  # 5 before: funded
        job("a", 1, LONG, submit=DAY, asks=1_000),  # 7: not any more
        job("a", 1, LONG, submit=DAY, asks=900),  # 8: short
    ]
    told = tell(paper(plan(a="1/2", b="1/2"), horizon=DAY + 60), jobs)
    assert told.decisions()[5:] == [
        (DAY - 30, "start", 6),
        (DAY, "demote", 3),
        (DAY, "start", 8),
        (DAY, "start_unallocated", 7),
    ]
    assert told.rows("refuse", 5)[-1]["reason"] == "headroom"
    assert told.rows("refuse", 7)[-1]["reason"] == "saving"
    demoted = told.rows("demote")[0]
    assert (demoted["reason"], demoted["headroom"]) == ("saving", 172_800 - 1_000)


def limited(**limits: int) -> PlanNode:
    return PlanNode(id="a", share="1/2", **limits)


def test_a_slot_limit_counts_at_start_and_at_promotion() -> None:
    # 4 + 2 GPUs are above 5; the second runs unallocated until the first has left
    told = tell(
        paper(plan(a=limited(allocated_limit=5)), horizon=4_000),
        [job("a", 4, 3_600, asks=3_600), job("a", 2, LONG, asks=3_600)],
    )
    assert told.decisions() == [(0, "start", 0), (0, "start_unallocated", 1), (3_600, "promote", 1)]
    refused = told.rows("refuse")[0]
    assert (refused["reason"], refused["level"]) == ("slot_limit", "a")


@pytest.mark.parametrize(("limit", "first"), [(2, "start_unallocated"), (1, None)])
def test_a_slot_limit_on_unallocated_work_is_its_last_gpu(limit: int, first: str | None) -> None:
    told = tell(paper(plan(a=limited(unallocated_limit=limit)), horizon=60), [job("a", 2, LONG)])
    assert told.decisions() == ([(0, first, 0)] if first else [])


def test_a_demotion_may_exceed_the_limit_and_then_nothing_more_starts() -> None:
    # 10,800 are used up by 4 GPUs at 2,700; 4 are above the limit of 2, and run on. What asks 1 GPU then waits until they
    # have left at 5,000: the pass of 5,010.
    told = tell(
        paper(plan(a=PlanNode(id="a", share="1/64", unallocated_limit=2)), horizon=6_000),
        [job("a", 4, 5_000, asks=1_800), job("a", 1, LONG, submit=2_700)],
    )
    assert told.segments(0)[-1] == ("unallocated", 2_700, 5_000)
    assert told.decisions() == [(0, "start", 0), (2_700, "demote", 0), (5_010, "start_unallocated", 1)]
    # the four that are free idle for that from 2,700 until the hour is over
    assert told.log.idle[0, IdleCause.SLOT_LIMIT] == 4 * 900
    assert told.log.idle[:, IdleCause.UNEXPLAINED].sum() == 0
