"""Quotas as the KAI Scheduler has them: fair GPUs to the GPU, who is next, and who may take what from whom.

Source: the fair shares of the first part are those that the three phases of KAI's resource division give, worked out with exact
fractions: pkg/scheduler/plugins/proportion/resource_division/resource_division.go of kai-scheduler/KAI-Scheduler and its
docs/fairness/README.md. 70 and 30 in the table are the example of its cmd/fairshare-simulator/README.md.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import attrs
import pytest

from allotment.model.plan import PlanNode
from allotment.model.policy import Policy
from allotment.units import HOUR, MINUTE
from tests.kernel.plain import Plain
from tests.laws.made import job, plan, scenario, table, tell
from tests.worked.made import LONG, paper, shipped

NONE, HALF, WHOLE = Fraction(0), Fraction(1, 2), Fraction(1)


def quoted(**settings: Any) -> Policy:
    policy = shipped("quota")
    return attrs.evolve(policy, quotas=attrs.evolve(policy.quotas, **settings))


def node(name: str, share: Any, **more: Any) -> PlanNode:
    return PlanNode(id=name, share=share, **more)


def divided(
    plain: Plain, total: int, queues: list[tuple[int, int, int, Any]], k: int = 1
) -> tuple[list[int], list[int]]:
    """Return quotas and fair GPUs of (quota, weight, request, use) on so many GPUs; use is a part of all GPU time."""
    names = [chr(ord("a") + at) for at in range(len(queues))]
    of = plan(
        **{
            name: node(name, Fraction(quota, total), over_quota_weight=weight)
            for name, (quota, weight, _, _) in zip(names, queues, strict=True)
        }
    )
    engine = plain.engine.Engine(scenario(quoted(history=k), of, cluster=f"{total}x1"), table(names, [job("a", 1, 1)]))
    s, ids = engine._state, engine._tree.ids
    now = 1_000
    s.clock[0].now = now
    rows = [ids.index(name) for name in names]
    for row, (_, _, request, use) in zip(rows, queues, strict=True):
        s.tree[row].asked = request
        s.tree[row].used = int(Fraction(str(use)) * total * now)
    plain.division.divide(s)
    return [int(s.tree[row].quota) for row in rows], [int(s.tree[row].fair) for row in rows]


@pytest.mark.parametrize(
    ("total", "queues", "fair"),
    [
        # 10/3 each; the GPU that rounding leaves goes to the first
        (10, [(0, 1, 99, 0)] * 3, [4, 3, 3]),
        # 1/2 + (1/2 - 0.6) = 0.4 against 1/2 + (1/2 - 0.2) = 0.8
        (12, [(0, 1, 99, 0.6), (0, 1, 99, 0.2)], [4, 8]),
        # 4, 4, 0 deserved. Of the other 8: b wants one of its 3/5, then a and c half of 7 each, and the eldest rounds up
        (16, [(4, 1, 99, 0), (4, 3, 5, 0), (0, 1, 99, 0)], [8, 5, 3]),
        # without a weight nothing beyond the quota, though a wants it and three GPUs are nobody's
        (8, [(2, 0, 8, 0), (2, 1, 3, 0)], [2, 3]),
        # use of (1 + k) / k of the weight and more leaves nothing, for anybody
        (8, [(0, 1, 8, 1.2), (0, 1, 8, 1.2)], [0, 0]),
        # 20 deserved, 80 by 3 to 1
        (100, [(10, 3, 100, 0), (10, 1, 100, 0)], [70, 30]),
        # deserved but not wanted is nobody's due
        (10, [(5, 1, 2, 0), (0, 1, 99, 0)], [2, 8]),
    ],
)
def test_fair_gpus_are_those_of_the_three_phases(
    plain: Plain, total: int, queues: list[tuple[int, int, int, Any]], fair: list[int]
) -> None:
    assert divided(plain, total, queues) == ([quota for quota, *_ in queues], fair)


@pytest.mark.parametrize(("k", "fair"), [(0, [6, 6]), (1, [4, 8]), (3, [2, 10])])
def test_the_more_history_weighs_the_less_is_left_for_who_has_had_much(plain: Plain, k: int, fair: list[int]) -> None:
    # k = 3: 1/2 + 3 (1/2 - 0.6) = 0.2 against 1/2 + 3 (1/2 - 0.2) = 1.4: 12 x 0.2 / 1.6 = 1.5 and 10.5; equal rests, so to a
    assert divided(plain, 12, [(0, 1, 99, 0.6), (0, 1, 99, 0.2)], k)[1] == fair


def test_quotas_are_rounded_down_to_whole_gpus(plain: Plain) -> None:
    of = plan(a="1/3", b="1/3", c="0.33")
    engine = plain.engine.Engine(scenario(quoted(), of, cluster="9x1"), table(["a", "b", "c"], [job("a", 1, 1)]))
    plain.division.divide(engine._state)
    tree = engine._state.tree
    assert {name: int(tree[row].quota) for row, name in enumerate(engine._tree.ids)} == {
        "a": 3,
        "b": 3,
        "c": 2,
        "root": 9,
    }


def test_the_weight_is_the_share_where_the_plan_says_nothing(plain: Plain) -> None:
    # 2 and 1 deserved of 9 (0.25, 0.125); of the other 6 two thirds and a third
    of = plan(a="0.25", b="0.125")
    engine = plain.engine.Engine(scenario(quoted(), of, cluster="9x1"), table(["a", "b"], [job("a", 1, 1)]))
    s, ids = engine._state, engine._tree.ids
    for name in "ab":
        s.tree[ids.index(name)].asked = 99
    plain.division.divide(s)
    assert [int(s.tree[ids.index(name)].fair) for name in "ab"] == [6, 3]


def test_what_an_inner_node_should_hold_is_divided_among_its_children(plain: Plain) -> None:
    # lab and c: 4 of 8 each deserved. c wants 1, so lab should hold 7: a and b deserve 2 each, and of 3 the first has 2
    of = plan(lab=("1/2", {"a": "1/2", "b": "1/2"}), c="1/2")
    engine = plain.engine.Engine(scenario(quoted(), of, cluster="8x1"), table(["a", "b", "c"], [job("a", 1, 1)]))
    s, ids = engine._state, engine._tree.ids
    for name, asked in (("a", 99), ("b", 99), ("c", 1)):
        s.tree[ids.index(name)].asked = asked
    plain.division.divide(s)
    assert {name: int(s.tree[ids.index(name)].fair) for name in ("lab", "a", "b", "c")} == {
        "lab": 7,
        "a": 4,
        "b": 3,
        "c": 1,
    }


# --- who is next ------------------------------------------------------------------------------------------------------


def starts(jobs: list[dict[str, Any]], of: Any, *, cluster: str = "1x8", horizon: int = 100, **settings: Any) -> Any:
    told = tell(paper(of, policy=quoted(**settings), cluster=cluster, horizon=horizon), jobs)
    return [(time, number) for time, _, number in told.decisions("start")]


def test_who_stays_in_its_quota_comes_before_who_would_not_whatever_the_priority() -> None:
    # quotas and fair GPUs: a 4 and 4, b 2 and 4. With the next job b would hold 3/4 of its fair GPUs and a all of its own, but
    # 3 are above b's quota and a's 4 are not above its own. Then 4 are free, and b's first 3 fit
    jobs = [*[job("b", 3, LONG, priority=4)] * 2, job("a", 4, LONG, priority=1)]
    assert starts(jobs, plan(a="1/2", b="1/4")) == [(0, 2), (0, 0)]


def test_of_two_in_their_quota_the_emptier_is_served_first() -> None:
    # with its next job a holds 3/4 of its quota, b 2/4
    assert starts([job("a", 3, LONG), job("b", 2, LONG)], plan(a="1/2", b="1/2")) == [(0, 1), (0, 0)]


def test_equal_fillings_go_by_id_and_within_a_leaf_priority_comes_before_age() -> None:
    jobs = [job("b", 2, LONG, submit=1), job("a", 2, LONG, submit=1), job("a", 2, LONG, submit=2, priority=3)]
    assert starts(jobs, plan(a="1/2", b="1/2")) == [(30, 2), (30, 0), (30, 1)]


def test_without_a_share_of_anything_one_comes_last() -> None:
    # c stays in its quota of 4. Neither a nor b has a quota: b has a weight, and should hold 4; a has none, should hold nothing, and
    # runs on what the others do not want. Its 1 GPU of nothing, taken for 1, is as full as b's 4 of 4, and it comes last all the same
    of = plan(a=node("a", 0, over_quota_weight=0), b=node("b", 0, over_quota_weight=1), c="1/2")
    jobs = [job("a", 1, LONG), job("b", 4, LONG), job("c", 2, LONG)]
    assert starts(jobs, of) == [(0, 2), (0, 1), (0, 0)]


# --- who makes room ---------------------------------------------------------------------------------------------------

HALVES = plan(a="1/2", b="1/2")


def test_what_is_lent_is_reclaimed_when_its_minimum_runtime_is_over() -> None:
    # b holds all 8 while a wants nothing; a's 4 are its quota. 8 h are 28,800 s
    jobs = [job("b", 4, LONG), job("b", 4, LONG), job("a", 4, LONG, submit=60)]
    told = tell(paper(HALVES, policy="quota", horizon=30_000), jobs)
    assert told.decisions("preempt") == [(8 * HOUR, "preempt", 0)]
    assert told.rows("preempt")[0]["reason"] == "over_quota"
    assert told.segments(1) == [("protected", 0, 900), ("interruptible", 900, 30_000)]


def test_never_below_what_the_other_deserves() -> None:
    # a would like 8, should hold 4, and has them: b keeps its 4
    jobs = [job("b", 4, LONG), job("b", 4, LONG), *[job("a", 4, LONG, submit=60)] * 2]
    told = tell(paper(HALVES, policy="quota", horizon=80_000), jobs)
    assert told.decisions("preempt") == [(8 * HOUR, "preempt", 0)]
    assert [row["reason"] for row in told.rows("refuse", 3)] == ["beyond_fair_share"]


def test_a_claimant_reclaims_only_while_its_leaf_holds_no_more_than_its_fair_gpus() -> None:
    # 5 are one more than a should hold while b wants all
    jobs = [job("b", 8, LONG), job("a", 5, LONG, submit=60)]
    told = tell(paper(HALVES, policy="quota", horizon=40_000), jobs)
    assert told.decisions("preempt") == []
    assert told.rows("refuse", 1)[0]["reason"] == "beyond_fair_share"


def test_the_last_victim_may_leave_the_other_with_less_than_it_deserves() -> None:
    # as documented, what counts is what b holds before each victim: 8 are above 4, and the victim is stopped whole
    jobs = [job("b", 8, LONG), job("a", 4, LONG, submit=60)]
    told = tell(paper(HALVES, policy="quota", horizon=28_830), jobs)
    assert told.decisions("preempt") == [(8 * HOUR, "preempt", 0)]


def test_fair_gpus_above_the_quota_may_be_reclaimed_too_from_who_holds_more() -> None:
    # nobody deserves anything: the weights say 6 and 2 for those who want more. b holds 8 of them, a should hold 6
    of = plan(a=node("a", 0, over_quota_weight=3), b=node("b", 0, over_quota_weight=1))
    jobs = [*[job("b", 2, LONG)] * 4, *[job("a", 2, LONG, submit=60)] * 4]
    told = tell(paper(of, policy=quoted(reclaim_min_runtime=0), horizon=2_000), jobs)
    assert told.decisions("preempt") == [(60, "preempt", number) for number in (0, 1, 2)]
    assert {row["reason"] for row in told.rows("preempt")} == {"over_fair_share"}


@pytest.mark.parametrize(
    ("inside", "outside", "when"), [(HOUR, 2 * HOUR, 2 * HOUR), (3 * HOUR, HOUR, HOUR), (0, None, 8 * HOUR)]
)
def test_the_minimum_runtime_is_that_of_the_victims_side_below_the_common_ancestor(
    inside: int, outside: int | None, when: int
) -> None:
    # the claimant comes from outside the lab: what the lab says counts, not the victim's own leaf; else the policy's 8 h
    lab = PlanNode(
        id="lab",
        share="1/2",
        reclaim_min_runtime=outside,
        children=(node("b", "1/2", reclaim_min_runtime=inside), node("c", "1/2")),
    )
    jobs = [job("b", 4, LONG), job("b", 4, LONG), job("a", 4, LONG, submit=60)]
    told = tell(paper(plan(a="1/2", lab=lab), policy="quota", horizon=30_000), jobs)
    assert told.decisions("preempt") == [(when, "preempt", 0)]


def test_from_within_the_lab_what_the_leaf_says_counts() -> None:
    lab = PlanNode(
        id="lab",
        share="1",
        reclaim_min_runtime=4 * HOUR,
        children=(node("b", "1/2", reclaim_min_runtime=HOUR), node("c", "1/2")),
    )
    jobs = [job("b", 4, LONG), job("b", 4, LONG), job("c", 4, LONG, submit=60)]
    told = tell(paper(plan(lab=lab), policy="quota", horizon=30_000), jobs)
    assert told.decisions("preempt") == [(HOUR, "preempt", 0)]


def test_within_a_leaf_a_lower_priority_is_preempted_after_its_minimum_runtime_and_an_equal_one_never() -> None:
    jobs = [
        job("a", 8, LONG, priority=2),
        job("a", 8, LONG, submit=60, priority=2),
        job("a", 8, LONG, submit=90, priority=3),
    ]
    told = tell(paper(plan(a="1"), policy="quota", horizon=2_000), jobs)
    assert told.decisions() == [(0, "start", 0), (15 * MINUTE, "preempt", 0), (15 * MINUTE, "start", 2)]
    assert told.rows("preempt")[0]["reason"] == "priority"


def test_a_gang_that_would_not_fit_takes_nothing() -> None:
    # two nodes are asked; one of them is of a leaf that holds no more than it deserves
    of = plan(a="1/2", b="1/4", c="1/4")
    jobs = [job("b", 8, LONG), job("c", 8, LONG), job("b", 8, LONG), job("c", 8, LONG), job("a", 16, LONG, submit=60)]
    told = tell(paper(of, policy="quota", cluster="4x8", horizon=30_000), jobs)
    # quotas 16, 8 and 8: b and c hold 16 each, and both give one
    assert told.decisions("preempt") == [(8 * HOUR, "preempt", 0), (8 * HOUR, "preempt", 1)]
    short = [job("b", 8, LONG), job("c", 8, LONG), job("c", 8, LONG), job("a", 8, LONG), job("a", 16, LONG, submit=60)]
    assert tell(paper(of, policy="quota", cluster="4x8", horizon=30_000), short).decisions("preempt") == []


@pytest.mark.parametrize(("multiplier", "stopped"), [(1, [0]), (4, [0]), (5, [])])
def test_what_takes_from_another_must_not_end_up_nearly_as_far_above_its_fair_gpus(
    multiplier: int, stopped: list[int]
) -> None:
    # Nobody deserves anything. Of 16, lab, c and d should hold 2, 2 and 12 by weight; c holds 15 and b of lab 1. a of lab wants 2,
    # which it should hold, but with b's 1 lab then holds 3/2 of its fair GPUs, and c 13/2 = 6.5: 1.5 x 4 is less, 1.5 x 5 is not
    lab = PlanNode(
        id="lab",
        share=0,
        over_quota_weight=1,
        children=(node("a", 0, over_quota_weight=1), node("b", 0, over_quota_weight=0)),
    )
    of = plan(lab=lab, c=node("c", 0, over_quota_weight=1), d=node("d", 0, over_quota_weight=6))
    held = [job("c", 2, LONG), job("c", 8, LONG), job("c", 5, LONG), job("b", 1, LONG)]
    jobs = [*held, job("a", 2, LONG, submit=60), job("d", 16, LONG, submit=60)]
    policy = quoted(reclaim_min_runtime=0, multiplier=multiplier)
    told = tell(paper(of, policy=policy, cluster="2x8", horizon=90), jobs)
    assert [number for _, _, number in told.decisions("preempt")] == stopped


# --- what nobody may stop ---------------------------------------------------------------------------------------------


def test_what_nobody_may_stop_runs_within_the_quota_only_and_is_never_stopped() -> None:
    # b deserves 4: the first 4 that are not preemptible start, the others wait though 4 GPUs are free; they are idle for want of quota
    jobs = [job("b", 4, LONG, preemptible=False), job("b", 4, LONG, preemptible=False), job("a", 5, LONG, submit=60)]
    told = tell(paper(HALVES, policy=quoted(immune_within_quota=True), horizon=40_000), jobs)
    assert told.decisions() == [(0, "start", 0)]
    assert told.segments(0) == [("protected", 0, 40_000)]
    assert told.rows("refuse", 1)[0]["reason"] == "beyond_quota"


def test_with_the_policy_that_ships_the_mark_means_nothing() -> None:
    jobs = [job("b", 8, LONG, preemptible=False), job("a", 4, LONG, submit=60)]
    told = tell(paper(HALVES, policy="quota", horizon=30_000), jobs)
    assert told.decisions("preempt") == [(8 * HOUR, "preempt", 0)]
