"""Fair Tree as Slurm documents it (doc/html/fair_tree.shtml): who is ranked where, and what it makes of use long ago.

Level fair share is LF = S / U; the fair share factor of a user is its rank, counted from the number of users down, over that
number. Here the users are the leaves of a plan.

Source: the page named above, and datasets/policies/fair-tree.yaml for half-life and backfill. The trees are our own, worked by hand;
the factors of the ties are those that the rules of that page give for the trees by which flux-accounting tests its own
implementation.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from allotment.model.plan import Plan
from allotment.units import DAY
from tests.kernel.plain import Plain
from tests.laws.made import job, plan, scenario, table, tell
from tests.worked.made import LONG, paper, shipped

SEVENTHS = [Fraction(rank, 7) for rank in range(7, 0, -1)]


def factors(plain: Plain, of: Plan, usage: dict[str, int]) -> dict[str, Fraction]:
    """Return the fair share factor of every leaf, given the use of each (GPU-seconds; 0 where there is none)."""
    leaves = of.work_leaves()
    made = scenario(shipped("fair-tree"), of, cluster="64x8")
    engine = plain.engine.Engine(made, table(leaves, [job(leaves[0], 1, 1)]))
    s, ids = engine._state, engine._tree.ids
    for level, name in enumerate(ids):
        s.tree[level].used = sum(usage.get(leaf, 0) for leaf in leaves if name in ("root", *of.lineage(leaf)))
    plain.levels.rank_leaves(s)
    return {leaf: Fraction(len(leaves) - int(s.tree[ids.index(leaf)].standing), len(leaves)) for leaf in leaves}


def test_all_below_the_better_account_come_before_all_below_the_other(plain: Plain) -> None:
    # LF: x (1/2) / (400/1000) = 1.25, y (1/2) / (600/1000) = 0.83. In y, y1 would be the best of all by itself
    # ((9/10) / (1/600) = 540), and x3 the worst ((1/100) / (300/400) = 0.013).
    of = plan(
        x=("1/2", {"x1": "0.5", "x2": "0.49", "x3": "0.01"}),
        y=("1/2", {"y1": "0.9", "y2": "0.06", "y3": "0.02", "y4": "0.02"}),
    )
    usage = {"x1": 10, "x2": 90, "x3": 300, "y1": 1, "y2": 99, "y3": 200, "y4": 300}
    found = factors(plain, of, usage)
    assert found == dict(zip(("x1", "x2", "x3", "y1", "y2", "y3", "y4"), SEVENTHS, strict=True))


def test_what_siblings_leave_open_of_their_parent_does_not_count(plain: Plain) -> None:
    # S is normalised among siblings: 0.4 of 0.8 below x, 0.5 of 1 below y. Both accounts have an LF of (1/2) / (1/2), so their
    # users are one family: (1/2) / (1/2) for all four
    of = plan(x=("0.3", {"x1": "0.4", "x2": "0.4"}), y=("0.3", {"y1": "0.5", "y2": "0.5"}))
    found = factors(plain, of, dict.fromkeys(("x1", "x2", "y1", "y2"), 50))
    assert found == dict.fromkeys(("x1", "x2", "y1", "y2"), Fraction(1))


def test_equal_users_share_a_rank_and_it_counts_them_all(plain: Plain) -> None:
    # 1, 7/8, 3/4 twice, 1/2 four times
    of = plan(
        x=("0.6", {"x1": "0.4", "x2": "0.3", "x3": "0.2", "x4": "0.1"}),
        y=("0.4", {"y1": "0.25", "y2": "0.25", "y3": "0.25", "y4": "0.25"}),
    )
    # of x: 0.4 / (10/100), 0.3 / (30/100), 0.2 / (40/100), 0.1 / (20/100)
    usage = {"x1": 10, "x2": 30, "x3": 40, "x4": 20} | dict.fromkeys(("y1", "y2", "y3", "y4"), 25)
    halves = dict.fromkeys(("y1", "y2", "y3", "y4"), Fraction(1, 2))
    assert factors(plain, of, usage) == {
        "x1": Fraction(1),
        "x2": Fraction(7, 8),
        "x3": Fraction(3, 4),
        "x4": Fraction(3, 4),
        **halves,
    }


THREE = plan(
    **{
        name: (share, {f"{name}1": "0.5", f"{name}2": "0.25", f"{name}3": "0.25"})
        for name, share in (("x", "0.5"), ("y", "0.25"), ("z", "0.25"))
    }
)
EVEN = {"x1": 100, "x2": 200, "x3": 200, "y1": 50, "y2": 100, "y3": 100, "z1": 50, "z2": 100, "z3": 100}


def test_the_children_of_equal_accounts_are_one_family(plain: Plain) -> None:
    # every account has an LF of 1; below each 0.5 / 0.2 = 2.5 once and 0.25 / 0.4 = 0.625 twice: 1 three times, 2/3 six times
    found = factors(plain, THREE, EVEN)
    assert found == {name: Fraction(1) if name.endswith("1") else Fraction(2, 3) for name in found}


def test_one_gpu_second_more_and_the_accounts_are_not_equal(plain: Plain) -> None:
    # x has had more than its part: all of it comes after all of y and z, which are still equal
    found = factors(plain, THREE, EVEN | {"x1": 101})
    assert found == {
        **dict.fromkeys(("y1", "z1"), Fraction(1)),
        **dict.fromkeys(("y2", "y3", "z2", "z3"), Fraction(7, 9)),
        "x1": Fraction(3, 9),
        **dict.fromkeys(("x2", "x3"), Fraction(2, 9)),
    }


def test_a_user_equal_to_an_account_has_the_rank_of_its_best_user(plain: Plain) -> None:
    # x: 0.6 / (30/70) before all; u and y: 0.2 / (20/70); y's best with u, and y's others: 1, 5/6, 2/3 twice, 1/3 twice
    of = plan(x=("0.6", {"x1": "0.5", "x2": "0.5"}), y=("0.2", {"y1": "0.5", "y2": "0.25", "y3": "0.25"}), u="0.2")
    found = factors(plain, of, {"x1": 10, "x2": 20, "y1": 2, "y2": 9, "y3": 9, "u": 20})
    assert found == {
        "x1": Fraction(1),
        "x2": Fraction(5, 6),
        "u": Fraction(2, 3),
        "y1": Fraction(2, 3),
        "y2": Fraction(1, 3),
        "y3": Fraction(1, 3),
    }


def test_no_share_comes_last_even_without_any_use_and_no_use_comes_first(plain: Plain) -> None:
    # 1, 7/8, 3/4, 5/8, 1/2 twice, 1/4 twice: z has no share, and neither have y3 and y4; x1 has never run
    of = plan(
        x=("0.6", {"x1": "0.1", "x2": "0.9"}),
        y=("0.4", {"y1": "0.6", "y2": "0.4", "y3": "0", "y4": "0"}),
        z=("0", {"z1": "0.5", "z2": "0.5"}),
    )
    found = factors(plain, of, {"x2": 50, "y1": 25, "y2": 25, "y3": 0, "y4": 50})
    ranks = [("x1", 8), ("x2", 7), ("y1", 6), ("y2", 5), ("y3", 4), ("y4", 4), ("z1", 2), ("z2", 2)]
    assert found == {name: Fraction(rank, 8) for name, rank in ranks}


def first_of(usage: list[dict[str, Any]], at: int, leaves: tuple[str, str]) -> str:
    """Return whose job starts first when both wait for the whole cluster from `at` on.

    The first named came first, and has the higher number.
    """
    of = plan(a="1/3", b="1/3", c="1/3")
    waiting = [job(leaves[1], 8, 60, submit=at + 1), job(leaves[0], 8, 60, submit=at)]
    jobs = [*usage, job("c", 8, 240, submit=at - 60), *waiting]
    told = tell(paper(of, policy="fair-tree", horizon=at + 300), jobs)
    return next(
        leaves[len(jobs) - 1 - started] for _, _, started in told.decisions("start") if started >= len(jobs) - 2
    )


@pytest.mark.parametrize(("recent", "first"), [(950, "b"), (1_050, "a")])
def test_use_of_a_week_ago_counts_half(recent: int, first: str) -> None:
    # a had the node for 2,000 s a week ago, which counts as 1,000 now; b for a little less or more within this hour.
    # With a half-life of 6 days it would count 891, with 8 days 1,090.
    at = 7 * DAY + 3_000
    assert first_of([job("a", 8, 2_000), job("b", 8, recent, submit=7 * DAY + 1_200)], at, ("a", "b")) == first


@pytest.mark.parametrize(("days", "first"), [(69, "b"), (71, "a")])
def test_use_of_more_than_ten_half_lives_ago_is_forgotten(days: int, first: str) -> None:
    # a's use is still there after 69 days, if only to a thousandth; after 71 it is equal to b, and came first
    assert first_of([job("a", 8, LONG)], days * DAY + LONG, ("a", "b")) == first


def test_equals_go_by_age() -> None:
    assert first_of([], DAY, ("a", "b")) == "a"
    assert first_of([], DAY, ("b", "a")) == "b"


def test_the_running_job_of_a_leaf_counts_against_its_next_one() -> None:
    # b and a are equal and b came first, but half of the node runs for b already
    told = tell(
        paper(plan(a="1/2", b="1/2"), policy="fair-tree", horizon=200),
        [job("b", 4, LONG), job("b", 4, 60), job("b", 4, LONG, submit=30), job("a", 4, LONG, submit=31)],
    )
    assert told.decisions("start")[2:] == [(60, "start", 3)]


def test_a_gang_that_does_not_fit_has_a_reservation_and_nobody_is_stopped_for_it() -> None:
    # EASY: the gang of two nodes waits for the end of the limit of job 0 at 1,000; a job of b that would last longer does not start
    of = plan(a="1/2", b="1/2")
    jobs = [job("b", 8, 1_000), job("a", 16, 100, submit=30), job("b", 8, 980, submit=31), job("b", 8, 900, submit=32)]
    told = tell(paper(of, policy="fair-tree", cluster="2x8", horizon=1_300), jobs)
    assert told.decisions("preempt") == []
    assert told.decisions("start")[:3] == [(0, "start", 0), (60, "start", 3), (1_020, "start", 1)]
