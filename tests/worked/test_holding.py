"""Holding: which nodes a gang fixes, what may run there meanwhile, and when it starts at the latest.

Source: our own model, "A pass", part 4, in kernel/RULES.md, with the settings of datasets/policies/budgets.yaml (a cap of 8 h, one
holder). All numbers are worked by hand.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.laws.happenings import Happening
from tests.laws.made import Told, job, plan, tell
from tests.worked.made import LONG, paper

CAP = 28_800
OF = plan(a="1/16", b="1/4", c="1/4")  # of 24 GPUs: a has 129,600
# three nodes, protected until 7,200, 3,600 and 5,400, and a gang of two that comes at 30
BASE = [
    job("b", 8, 7_200, asks=7_200),
    job("b", 8, 3_600, asks=3_600),
    job("b", 8, 5_400, asks=5_400),
    job("a", 16, LONG, submit=30, asks=3_600),
]


def held(*more: dict[str, Any], horizon: int = 6_000, happenings: tuple[Happening, ...] = ()) -> Told:
    return tell(paper(OF, cluster="3x8", horizon=horizon), [*BASE, *more], *happenings)


def test_a_gang_holds_the_nodes_that_come_free_soonest_and_starts_when_the_last_of_them_does() -> None:
    told = held()
    assert told.decisions() == [
        (0, "start", 0),
        (0, "start", 1),
        (0, "start", 2),
        (30, "hold", 3),
        (5_400, "start", 3),
    ]
    assert told.nodes(3) == [1, 2]
    assert told.rows("start", 3)[0]["reason"] == "holding"


def test_a_holder_has_its_claim_earmarked() -> None:
    # 129,600 - 16 x 3,600 = 72,000, less the reserve of 648: 71,352 = 8 x 8,919
    told = held(job("a", 8, LONG, submit=60, asks=8_920), job("a", 8, LONG, submit=60, asks=8_919))
    refused = told.rows("refuse", 4)[0]
    assert (refused["time"], refused["reason"], refused["level"], refused["headroom"]) == (60, "headroom", "a", 72_000)
    assert told.rows("refuse", 5)[0]["reason"] == "no_room"


def test_a_claim_is_earmarked_within_the_pass_already() -> None:
    told = held(job("a", 8, LONG, submit=30, asks=8_920))
    assert [(row["time"], row["reason"]) for row in told.rows("refuse", 4)][:2] == [(30, "no_room"), (30, "headroom")]


@pytest.mark.parametrize(
    ("asks", "code"),
    [(990, "start"), (991, "start_unallocated")],  # the first is over at 5,400
)
def test_a_claim_starts_on_held_nodes_only_if_its_contract_ends_before_the_set_is_due(asks: int, code: str) -> None:
    told = held(job("c", 8, asks, submit=4_410, asks=asks))
    assert (4_410, code, 4) in told.decisions()
    assert told.nodes(4) == [1]
    assert (5_400, "start", 3) in told.decisions()


@pytest.mark.parametrize(("submit", "code"), [(4_500, "start"), (4_530, "start_unallocated")])
def test_a_short_claim_too(submit: int, code: str) -> None:
    assert (submit, code, 4) in held(job("c", 8, 870, submit=submit, asks=900)).decisions()


def test_unallocated_work_runs_on_held_nodes_is_not_promoted_there_and_yields_in_the_end() -> None:
    # funded from the start, but 3,000 s from 3,600 on would outlast the set
    told = held(job("c", 8, LONG, submit=3_000, asks=3_000))
    assert told.segments(4) == [("unallocated", 3_600, 5_400)]
    assert told.decisions("promote") == []
    assert [(row["time"], row["reason"]) for row in told.rows("preempt")] == [(5_400, "unallocated_first")]


def test_a_hold_takes_the_next_soonest_node_in_place_of_one_that_goes_out_of_service() -> None:
    # node 2 fails at 1,000; node 0 comes free at 7,200
    told = held(horizon=7_300, happenings=(Happening(1_000, "fail", 2),))
    assert told.decisions("hold", "release") == [(30, "hold", 3)]
    assert told.nodes(3) == [0, 1]
    assert (7_200, "start", 3) in told.decisions()


def test_a_hold_ends_where_there_is_no_other_node() -> None:
    told = held(horizon=7_300, happenings=(Happening(1_000, "fail", 2), Happening(1_500, "fail", 0)))
    assert told.decisions("hold", "release") == [(30, "hold", 3), (1_500, "release", 3)]


def test_one_holds_at_a_time() -> None:
    # two pairs of nodes; the second gang holds when the first has started at 3,600
    nodes = [*[job("b", 8, 3_600, asks=3_600)] * 2, *[job("b", 8, 7_200, asks=7_200)] * 2]
    gangs = [job("a", 16, LONG, submit=30, asks=1_000), job("c", 16, LONG, submit=60, asks=3_600)]
    told = tell(paper(OF, cluster="4x8", horizon=3_700), [*nodes, *gangs])
    assert told.decisions("hold", "start")[4:] == [
        (30, "hold", 4),
        (3_600, "start", 4),
        (3_600, "hold", 5),
    ]


@pytest.mark.parametrize(("submit", "code"), [(1_800, "start"), (1_830, "start_unallocated")])
def test_a_hold_on_interruptible_slices_is_due_one_cap_later(submit: int, code: str) -> None:
    # the gang holds at 1,020, so both nodes are due at 29,820; 28,020 s from 1,800 on end just then. By balance it gets
    # nothing: 16 x 20,000 / 345,600 is 0.926 when b has used next to nothing.
    jobs = [
        *[job("b", 5, LONG, asks=1_000)] * 2,
        job("a", 16, LONG, submit=1_020, asks=20_000),
        job("c", 3, LONG, submit=submit, asks=28_020),
    ]
    told = tell(paper(plan(a="1/4", b="1/2", c="1/4"), cluster="2x8", horizon=2_000), jobs)
    assert told.decisions()[2:] == [(1_020, "hold", 2), (submit, code, 3)]


def test_interruptible_slices_yield_to_a_hold_after_one_cap() -> None:
    # b's contracts end at 28,800; by balance nothing moves: 16 x 10,000 / 345,600 = 0.463, and 16 x 28,830 / 1,036,800 =
    # 0.445. The hold of 30 is due one cap later.
    told = tell(
        paper(plan(a="1/4", b="3/4"), cluster="2x8", horizon=CAP + 100),
        [*[job("b", 8, 10 * LONG, asks=CAP)] * 2, job("a", 16, LONG, submit=30, asks=10_000)],
    )
    assert told.decisions("hold", "start")[2:] == [(30, "hold", 2), (30 + CAP, "start", 2)]
    assert [row["reason"] for row in told.rows("preempt")] == ["hold_due", "hold_due"]


def test_a_funded_claim_starts_within_two_caps() -> None:
    # a job of a node waits one cap before it holds, and interruptible slices yield one cap after. By balance it never
    # would: (8 x 28,800) / 248,832 = 0.926; b, with 16 x 57,630 / 1,133,568 = 0.813, is below.
    told = tell(
        paper(plan(a="18/100", b="82/100"), cluster="2x8", horizon=2 * CAP + 100),
        [*[job("b", 8, 10 * LONG, asks=CAP)] * 2, job("a", 8, LONG, submit=30, asks=CAP)],
    )
    assert told.decisions("hold", "start")[2:] == [(30 + CAP, "hold", 2), (30 + 2 * CAP, "start", 2)]
    assert [row["reason"] for row in told.rows("preempt")] == ["hold_due"]
