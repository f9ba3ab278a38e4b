"""Nodes that are emptied for repair, and nodes that fail: who moves when, and what becomes of work and claims.

Source: our own model, "Machines" and "Slices" in kernel/RULES.md. All numbers are worked by hand.
"""

from __future__ import annotations

from tests.laws.happenings import Happening
from tests.laws.made import job, plan, tell
from tests.worked.made import LONG, paper


def test_a_cordoned_node_empties_as_contracts_end() -> None:
    # on node 0 are 2 GPUs interruptible since 901, 4 protected until 3,600 and 2 unallocated. At 1,000 the first and the
    # last move, and start again in the pass of 1,020; the other moves at its end.
    jobs = [job("a", 2, LONG, asks=901), job("a", 4, LONG, asks=3_600), job("c", 2, LONG)]
    told = tell(paper(plan(a="1/2", c="1/2"), cluster="2x8", horizon=3_630), jobs, Happening(1_000, "cordon", 0))
    assert [told.nodes(number) for number in range(3)] == [[0], [0], [0]]
    assert told.segments(0)[:2] == [("protected", 0, 901), ("interruptible", 901, 1_000)]
    assert told.segments(1)[:1] == [("protected", 0, 3_600)]
    assert told.segments(2)[:1] == [("unallocated", 0, 1_000)]
    assert [told.ends(number)[0] for number in range(3)] == ["drained"] * 3
    assert told.decisions()[3:] == [(1_020, "start", 0), (1_020, "start_unallocated", 2), (3_600, "start", 1)]
    assert [told.nodes(number, which=1) for number in range(3)] == [[1], [1], [1]]


def test_a_gang_leaves_a_cordoned_node_as_a_whole_at_the_end_of_its_contract() -> None:
    told = tell(
        paper(plan(a="1/2"), cluster="4x8", horizon=4_000),
        [job("a", 16, LONG, asks=3_600)],
        Happening(1_000, "cordon", 1),
    )
    assert told.segments(0)[0] == ("protected", 0, 3_600)
    assert (told.nodes(0), told.nodes(0, which=1)) == ([0, 1], [0, 2])
    assert told.ends(0)[0] == "drained"


def test_a_gang_that_is_not_protected_leaves_a_cordoned_node_as_a_whole_at_once() -> None:
    told = tell(paper(plan(a="1/2"), cluster="4x8", horizon=1_100), [job("a", 16, LONG)], Happening(1_000, "cordon", 1))
    assert told.segments(0) == [("unallocated", 0, 1_000), ("unallocated", 1_020, 1_100)]
    assert told.nodes(0, which=1) == [0, 2]


def test_a_cordoned_node_takes_nothing_new() -> None:
    jobs = [job("a", 4, LONG, asks=3_600), job("a", 8, LONG, submit=200, asks=900), job("a", 4, LONG, submit=200)]
    told = tell(paper(plan(a="1/2"), horizon=1_000), jobs, Happening(100, "cordon", 0))
    assert told.decisions() == [(0, "start", 0)]
    assert told.log.capacity.tolist() == [(0, 8, 0, 0), (100, 8, 8, 0)]


def test_what_dies_with_its_node_restarts_from_its_checkpoint_with_a_new_claim() -> None:
    # at 1,050: 100 to start, 950 of work, 3 x 300 kept, 50 x 4 GPUs lost. Of the claim of 4 x 3,600 there were 4 x 1,050
    # used; the rest is free again. On node 1: 50 to restart and 4,100 of work, until 5,200.
    told = tell(
        paper(plan(a="1/2"), cluster="2x8", horizon=6_000),
        [job("a", 4, 5_000, asks=3_600, checkpoint=300, startup=100, restart=50)],
        Happening(1_050, "fail", 0),
    )
    assert told.segments(0) == [
        ("protected", 0, 1_050),
        ("protected", 1_050, 4_650),
        ("interruptible", 4_650, 5_200),
    ]
    assert told.ends(0) == ["failed", "finished"]
    first = told.log.slices[0]
    assert (first["kept"], first["lost"]) == (900, 200)
    again = told.rows("start")[1]
    assert (again["time"], again["claim"], again["used"]) == (1_050, 14_400, 4_200)
    # half of 16 GPUs until 1,050, and of 8 for the rest of the first day
    assert again["entitled"] == (16 * 1_050 + 8 * (86_400 - 1_050)) // 2


def test_a_gang_dies_with_any_of_its_nodes() -> None:
    told = tell(
        paper(plan(a="1/2"), cluster="3x8", horizon=200), [job("a", 16, LONG, asks=3_600)], Happening(90, "fail", 1)
    )
    assert told.ends(0)[0] == "failed"
    assert told.nodes(0, which=1) == [0, 2]


def test_an_urgent_repair_stops_even_what_is_protected() -> None:
    told = tell(
        paper(plan(a="1/2"), cluster="2x8", horizon=200), [job("a", 4, LONG, asks=3_600)], Happening(95, "evict", 0)
    )
    assert told.ends(0)[0] == "urgent_repair"
    assert told.segments(0) == [("protected", 0, 95), ("protected", 120, 200)]
    assert told.log.capacity.tolist() == [(0, 16, 0, 0), (95, 8, 0, 8)]
