"""What is funded: headroom at every level that counts, the reserve, short claims, lending, claims that are too large.

Source: our own model, "Who is owed what" and "What is funded" in kernel/RULES.md, with the settings of datasets/policies/budgets.yaml
(7 days, 15 min short, a reserve of 0.005). All numbers are worked by hand.
"""

from __future__ import annotations

from typing import Any

import pytest

from allotment.model.policy import Lending
from allotment.units import DAY
from tests.laws.happenings import Happening
from tests.laws.made import Told, job, plan, tell
from tests.worked.made import LONG, paper, shipped

ALONE = {"lending": Lending.NONE}  # so that every level from the leaf to its budget counts


def how(told: Told, number: int) -> tuple[int, str] | None:
    """Return when a job first started, and how; None where it did not."""
    starts = told.decisions("start", "start_unallocated")
    return next(((time, code) for time, code, row in starts if row == number), None)


@pytest.mark.parametrize(("asks", "code"), [(28_656, "start"), (28_657, "start_unallocated")])
def test_a_claim_fits_in_the_headroom_of_its_leaf_less_half_a_percent(asks: int, code: str) -> None:
    # a: 1/2 x 1/4 of 691,200 = 86,400; reserve 86,400 / 200 = 432; room 85,968 = 3 x 28,656
    of = plan(lab=("1/2", {"a": "1/4", "b": "3/4"}))
    told = tell(paper(of, policy=shipped(**ALONE), horizon=60), [job("a", 3, LONG, asks=asks)])
    assert how(told, 0) == (0, code)
    for row in told.rows("refuse"):
        assert (row["reason"], row["level"], row["headroom"], row["entitled"]) == ("headroom", "a", 86_400, 86_400)


@pytest.mark.parametrize(("asks", "code"), [(1_773, "start"), (1_774, "start_unallocated")])
@pytest.mark.parametrize(
    ("of", "level"),
    [
        (plan(lab=("1/16", {"g": ("1/2", {"a": "1/2", "b": "1/2"})})), "g"),
        (plan(lab=("1/32", {"g": ("1/2", {"a": "1"}), "b": "1/2"})), "lab"),
    ],
    ids=["group", "budget"],
)
def test_a_claim_fits_in_the_headroom_of_every_level_up_to_the_budget(
    of: Any, level: str, asks: int, code: str
) -> None:
    # `level` is 1/32 of 691,200 = 21,600, and half of it is b's. Two short claims of b, 8 x 900 = 7,200 each, are judged
    # at the budget alone and leave 7,200 there; less the reserve of 108 that is 7,092 = 4 x 1,773. a itself has 10,746.
    jobs = [job("b", 8, 900, asks=900), job("b", 8, 900, asks=900), job("a", 4, LONG, submit=1_800, asks=asks)]
    told = tell(paper(of, policy=shipped(**ALONE), horizon=1_830), jobs)
    assert told.decisions("start")[:2] == [(0, "start", 0), (900, "start", 1)]
    assert how(told, 2) == (1_800, code)
    for row in told.rows("refuse", 2):
        assert (row["reason"], row["level"], row["headroom"]) == ("headroom", level, 7_200)


def test_short_claims_are_judged_at_the_budget_alone_and_may_use_the_reserve() -> None:
    # lab: 21,600 = 3 x 7,200 to the last second; a alone would have 21,600 / 16 = 1,350
    of = plan(lab=("1/32", {"a": "1/16"}))
    told = tell(paper(of, policy=shipped(**ALONE), horizon=3_600), [job("a", 8, 900, asks=900)] * 4)
    assert told.decisions() == [
        (0, "start", 0),
        (900, "start", 1),
        (1_800, "start", 2),
        (2_700, "start_unallocated", 3),
    ]
    assert [row["headroom"] for row in told.rows("start")] == [21_600, 14_400, 7_200]


def test_a_claim_of_more_than_fifteen_minutes_is_not_short() -> None:
    of = plan(lab=("1/32", {"a": "1/4"}))  # a: 21,600 / 4 = 5,400, less than 8 x 901
    told = tell(paper(of, policy=shipped(**ALONE), horizon=60), [job("a", 8, 901, asks=901)])
    assert told.decisions() == [(0, "start_unallocated", 0)]


# g: 172,800; a: 86,400; b: 172,800; lab: 345,600. a's claim of 8 x 28,800 = 230,400 needs what is lab's.
KIN = plan(lab=("1/2", {"g": ("1/2", {"a": "1/2"}), "h": ("1/2", {"b": "1"})}))


def borrow(*kin: dict[str, Any], lending: Lending = Lending.IDLE_KIN, cluster: str = "1x8") -> Told:
    jobs = [job("a", 8, LONG, asks=28_800), *kin]
    return tell(paper(KIN, policy=shipped(lending=lending), cluster=cluster, horizon=20), jobs)


def test_the_budget_lends_to_a_leaf_whose_kin_has_no_work() -> None:
    assert borrow().decisions() == [(0, "start", 0)]
    assert borrow().rows("start")[0]["level"] == "lab"


def test_the_budget_lends_to_a_leaf_whose_kin_has_only_short_work() -> None:
    assert how(borrow(job("b", 1, 900, asks=900)), 0) == (0, "start")


def test_the_budget_lends_to_a_leaf_whose_kin_asks_no_contract() -> None:
    assert how(borrow(job("b", 1, LONG)), 0) == (0, "start")


def test_the_budget_does_not_lend_while_kin_with_headroom_has_long_work() -> None:
    told = borrow(job("b", 1, 901, asks=901))
    assert told.decisions("start") == [(0, "start", 1)]
    refused = told.rows("refuse", 0)[0]
    assert (refused["time"], refused["reason"], refused["level"]) == (0, "headroom", "a")


def test_a_policy_may_lend_always_or_never() -> None:
    assert how(borrow(job("b", 1, 901, asks=901), lending=Lending.ALWAYS), 0) == (0, "start")
    assert how(borrow(lending=Lending.NONE), 0) == (0, "start_unallocated")


def test_kin_without_headroom_does_not_stop_the_lending() -> None:
    # b: 1/64 of 345,600 = 5,400; its short claim of 8 x 900 = 7,200 puts it over. a: 86,400; 4 x 28,800 = 115,200
    of = plan(lab=("1/2", {"a": "1/4", "b": "1/64"}))
    jobs = [
        job("b", 8, 900, asks=900),
        job("a", 4, LONG, submit=900, asks=28_800),
        job("b", 4, LONG, submit=900, asks=901),
    ]
    told = tell(paper(of, horizon=930), jobs)
    assert told.decisions() == [(0, "start", 0), (900, "start", 1), (900, "start_unallocated", 2)]


def test_two_kin_with_headroom_that_both_want_to_borrow_wait_for_one_another() -> None:
    # a and b: 21,600 each, and each claims 4 x 6,000 = 24,000. Unallocated work counts as well; it ends at 1,500.
    of = plan(lab=("1/8", {"a": "1/4", "b": "1/4"}))
    told = tell(paper(of, horizon=1_600), [job("a", 4, 1_500, asks=6_000), job("b", 4, LONG, asks=6_000)])
    assert told.decisions() == [(0, "start_unallocated", 0), (0, "start_unallocated", 1), (1_500, "promote", 1)]


@pytest.mark.parametrize(("asks", "large"), [(18_900, False), (18_901, True)])
def test_a_claim_above_a_whole_window_of_its_budget_is_too_large(asks: int, large: bool) -> None:
    # lab: 1/32 of 8 GPUs x 7 d = 151,200 = 8 x 18,900, though only a day of it, 21,600, is there on the first day
    told = tell(paper(plan(lab="1/32"), horizon=60), [job("lab", 8, LONG, asks=asks)])
    assert told.log.jobs["too_large"].tolist() == [large]
    assert how(told, 0) == (0, "start_unallocated")


def test_a_gang_takes_whole_nodes_and_is_charged_for_them() -> None:
    # 12 GPUs are two nodes of 8: the claim is 16 x 3,600 = 57,600, and the use until 3,600 is the same
    told = tell(
        paper(plan(lab="1/2"), cluster="3x8", horizon=3_630),
        [job("lab", 12, 3_600, asks=3_600), job("lab", 1, 60, submit=3_600, asks=60)],
    )
    assert told.nodes(0) == [0, 1]
    assert [row["claim"] for row in told.rows("start")] == [57_600, 60]
    assert [row["used"] for row in told.rows("start")] == [0, 57_600]
    assert (told.log.jobs["take"][0], told.log.slices["take"][0], told.log.slices["nodes"][0]) == (16, 16, 2)


@pytest.mark.parametrize("slot_limits", [True, False])
def test_a_claim_is_charged_within_the_pass_already(slot_limits: bool) -> None:
    # 86,400: either of 2 x 28,800 = 57,600 and 2 x 28,799 fits, both do not
    jobs = [job("a", 2, LONG, asks=28_800), job("a", 2, LONG, asks=28_799)]
    told = tell(paper(plan(a="1/8"), policy=shipped(slot_limits=slot_limits), horizon=20), jobs)
    assert told.decisions() == [(0, "start", 0), (0, "start_unallocated", 1)]
    assert [(row["reason"], row["headroom"]) for row in told.rows("refuse")] == [("headroom", 28_800)]


def test_an_early_finish_returns_the_unspent_claim_at_once() -> None:
    # 86,400 is a's. The first claim, 2 x 28,800 = 57,600, is left after 1,000 s with 2,000 used; the pass of 1,020 knows.
    jobs = [
        job("a", 2, 1_000, asks=28_800),
        job("a", 2, LONG, submit=300, asks=900),
        job("a", 2, LONG, submit=1_010, asks=901),
    ]
    told = tell(paper(plan(a="1/8"), horizon=1_100), jobs)
    assert [(row["time"], row["used"]) for row in told.rows("start")] == [
        (0, 0),
        (300, 57_600),  # 2 x 300 used and 2 x 28,500 committed
        (1_020, 2_000 + 1_800),  # the second is inside its contract of 2 x 900
    ]


def test_use_leaves_the_window_after_seven_days() -> None:
    # 8 GPUs x 3,600 s of use at the very start; half an hour after day 7 the first half hour of it has left
    jobs = [job("a", 8, 3_600, asks=3_600), job("a", 1, 60, submit=7 * DAY + 1_800, asks=60)]
    told = tell(paper(plan(a="1/2"), horizon=7 * DAY + 3_600), jobs)
    assert [(row["used"], row["entitled"]) for row in told.rows("start")] == [
        (0, 345_600),  # the window is at least a day
        (8 * 1_800, 4 * 7 * DAY),
    ]


def test_a_node_that_is_down_lowers_what_everybody_is_entitled_to() -> None:
    # half of 16 GPUs for 100,000 s, of 8 for 50,000 s, of 16 for 50,010 s
    told = tell(
        paper(plan(a="1/2"), cluster="2x8", horizon=201_000),
        [job("a", 1, 60, submit=200_010, asks=60)],
        Happening(100_000, "fail", 1),
        Happening(150_000, "clear", 1),
    )
    assert told.rows("start")[0]["entitled"] == (1_600_000 + 400_000 + 800_160) // 2


def test_who_uses_its_share_of_what_is_left_stays_where_it_stands_while_a_node_is_down() -> None:
    # until day 2: 8 GPUs of 16 owed, 4 used, 4 x 2 d = 691,200 left. Then 4 of 8 owed and 4 used: still 691,200 on day 3,
    # less the 60 GPU-seconds of the first who asked.
    jobs = [job("a", 4, 5 * DAY, asks=28_800), *(job("a", 1, 60, submit=time, asks=60) for time in (2 * DAY, 3 * DAY))]
    told = tell(paper(plan(a="1/2", b="1/2"), cluster="2x8", horizon=3 * DAY + 60), jobs, Happening(2 * DAY, "fail", 1))
    assert [row["headroom"] for row in told.rows("start")] == [691_200, 691_200, 691_140]
    assert [row["entitled"] for row in told.rows("start")] == [691_200, 8 * 2 * DAY, 8 * 2 * DAY + 4 * DAY]


def test_a_raise_of_a_share_gives_no_back_pay() -> None:
    # 8 GPUs x (1/4 x 2 d + 1/2 x 1 d) = 691,200, not 8 x 1/2 x 3 d
    told = tell(
        paper(plan(a="1/4"), horizon=3 * DAY + 60),
        [job("a", 1, 60, submit=3 * DAY, asks=60)],
        Happening(2 * DAY, "plan", plan(a="1/2")),
    )
    assert told.rows("start")[0]["entitled"] == 691_200
