from __future__ import annotations

from fractions import Fraction

import attrs
import pytest
from hypothesis import given

from allotment.errors import NotFoundError, ValueProblems
from allotment.model.plan import DEEPEST, ROOT, Plan, PlanNode
from tests.strategies import plans

PLAN = Plan(
    name="lab",
    children=(
        PlanNode(
            id="vis",
            name="Vision",
            share=0.6,
            children=(PlanNode(id="rob", name="Robots", share="1/3"), PlanNode(id="map", name="Maps", share="1/2")),
        ),
        PlanNode(id="nlp", name="Language", share=0.3),
    ),
)


def node(name: str, share: float | str = 0, *children: PlanNode) -> PlanNode:
    return PlanNode(id=name, share=share, children=children)


def test_a_share_of_the_whole_is_the_product_down_the_tree() -> None:
    assert PLAN.absolute_share("rob") == Fraction(1, 5)
    assert PLAN.absolute_share("map") == Fraction(3, 10)
    assert PLAN.absolute_share("vis") == Fraction(3, 5)
    assert PLAN.absolute_share(ROOT) == 1


def test_an_inner_nodes_own_jobs_get_what_its_children_leave() -> None:
    assert PLAN.absolute_share("vis/own") == Fraction(1, 10)
    assert PLAN.parent("vis/own") == "vis"
    assert PLAN.lineage("vis/own") == ("vis", "vis/own")
    assert PLAN.path("vis/own") == "Vision/own"
    assert PLAN.children_of("vis/own") == ()
    assert PLAN.work_leaf("vis") == "vis/own"
    assert PLAN.work_leaf("vis/own") == "vis/own"
    assert PLAN.work_leaf("rob") == "rob"


def test_what_no_leaf_deserves_is_open() -> None:
    assert PLAN.open_share() == Fraction(1, 5)
    assert PLAN.open_share(frozenset({"vis"})) == Fraction(1, 10)
    assert PLAN.open_share(frozenset({"nlp"})) == Fraction(1, 5)


def test_places_are_told_from_the_budget_down() -> None:
    assert PLAN.lineage("rob") == ("vis", "rob")
    assert PLAN.lineage(ROOT) == ()
    assert PLAN.path("rob") == "Vision/Robots"
    assert PLAN.path(ROOT) == "root"
    assert (PLAN.parent("rob"), PLAN.parent("vis")) == ("vis", "root")
    assert [child.id for child in PLAN.children_of(ROOT)] == ["vis", "nlp"]


def test_walking_meets_parents_before_children_and_siblings_in_their_order() -> None:
    assert [member.id for member in PLAN.walk()] == ["vis", "rob", "map", "nlp"]
    assert PLAN.ids == ("map", "nlp", "rob", "vis")
    assert PLAN.work_leaves() == ("map", "nlp", "rob")
    assert PLAN.work_leaves(frozenset({"vis", "nlp"})) == ("map", "nlp", "rob", "vis/own")


def test_a_node_that_is_not_there_is_named_with_the_nearest_one() -> None:
    with pytest.raises(NotFoundError, match=r"plan 'lab' has no node 'nlq'; did you mean 'nlp'\?"):
        PLAN.node("nlq")
    with pytest.raises(NotFoundError, match="there are map, nlp, rob, vis"):
        PLAN.absolute_share("zzz")
    with pytest.raises(NotFoundError):
        PLAN.node(ROOT)


def test_siblings_may_sum_to_one_exactly_and_not_to_a_hair_more() -> None:
    Plan(name="p", children=tuple(node(f"n{index}", "1/3") for index in range(3)))
    Plan(name="p", children=tuple(node(f"n{index}", 0.1) for index in range(10)))
    hair = Fraction(1, 3) + Fraction(1, 10**15)
    with pytest.raises(
        ValueProblems, match="the children of 'root' sum to 1000000000000001/1000000000000000; siblings"
    ):
        Plan(name="p", children=(node("a", "1/3"), node("b", "1/3"), PlanNode(id="c", share=hair)))


def test_every_problem_of_a_tree_is_told_at_once() -> None:
    with pytest.raises(ValueProblems) as caught:
        Plan(
            name="p",
            children=(
                node("a", 0.9, node("x", 0.7), node("y", 0.5)),
                node("b", 0.2, node("x", 0.1)),
                PlanNode(id="c", name="a", share=0),
            ),
        )
    assert caught.value.problems == (
        "the children of 'root' sum to 1.1; siblings may sum to at most 1",
        "the children of 'root' must have different names; 'a' is there twice",
        "the children of 'a' sum to 1.2; siblings may sum to at most 1",
        "id 'x' is there twice; every node needs one of its own",
    )


def test_a_plan_needs_a_budget() -> None:
    with pytest.raises(ValueProblems, match="at least one budget"):
        Plan(name="p", children=())


@pytest.mark.parametrize("bad", ["", " a", "a ", "a/b", "root", "a\nb", "a\x00", "x" * 101])
def test_an_id_is_one_printable_word_that_is_no_path(bad: str) -> None:
    with pytest.raises(ValueError, match="id must"):
        PlanNode(id=bad, share=0)


@pytest.mark.parametrize("share", [-0.1, 1.1, "3/2", float("nan"), float("inf"), "much"])
def test_a_share_is_between_nothing_and_everything(share: float | str) -> None:
    with pytest.raises(ValueError, match="share"):
        PlanNode(id="a", share=share)


def test_a_share_of_nothing_and_a_share_of_everything_are_allowed() -> None:
    plan = Plan(name="p", children=(node("all", 1), node("none", 0)))
    assert plan.absolute_share("none") == 0
    assert plan.open_share() == 0


def test_a_limit_of_gpus_is_not_negative() -> None:
    with pytest.raises(ValueError, match="allocated_limit must be at least 0, not -1"):
        PlanNode(id="a", share=0, allocated_limit=-1)
    assert PlanNode(id="a", share=0, unallocated_limit=0).unallocated_limit == 0


def test_what_quotas_look_at_is_not_negative_and_a_weight_is_exact() -> None:
    with pytest.raises(ValueError, match="over_quota_weight must be between 0 and 1000000, not -1"):
        PlanNode(id="a", share=0, over_quota_weight=-1)
    with pytest.raises(ValueError, match="reclaim_min_runtime must be at least 0, not -1"):
        PlanNode(id="a", share=0, reclaim_min_runtime=-1)
    assert PlanNode(id="a", share=0, over_quota_weight=0.1).over_quota_weight == Fraction(1, 10)


def test_a_tree_has_a_limit_of_depth_that_is_told() -> None:
    def chain(levels: int) -> Plan:
        inner = node(f"n{levels}", 1)
        for level in range(levels - 1, 0, -1):
            inner = node(f"n{level}", 1, inner)
        return Plan(name="p", children=(inner,))

    assert chain(DEEPEST).lineage(f"n{DEEPEST}")[0] == "n1"
    with pytest.raises(ValueProblems, match=f"deeper than {DEEPEST} levels"):
        chain(DEEPEST + 1)


def test_a_plan_is_a_frozen_value_that_can_be_compared_and_hashed() -> None:
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        PLAN.name = "other"  # type: ignore[misc]
    assert attrs.evolve(PLAN) == PLAN
    assert hash(attrs.evolve(PLAN)) == hash(PLAN)
    assert len({PLAN, attrs.evolve(PLAN, title="x")}) == 2


@given(plans())
def test_the_leaves_and_what_is_open_make_the_whole(plan: Plan) -> None:
    inner = frozenset(member.id for member in plan.walk() if member.children)
    for direct in (frozenset[str](), inner):
        leaves = plan.work_leaves(direct)
        assert sum(map(plan.absolute_share, leaves)) + plan.open_share(direct) == 1
        assert 0 <= plan.open_share(direct) <= 1
    assert plan.open_share(inner) == 1 - sum(child.share for child in plan.children)


@given(plans())
def test_the_children_of_a_node_and_its_own_jobs_make_the_node(plan: Plan) -> None:
    for member in plan.walk():
        if member.children:
            below = sum(plan.absolute_share(child.id) for child in member.children)
            assert below + plan.absolute_share(f"{member.id}/own") == plan.absolute_share(member.id)
        assert plan.lineage(member.id)[-1] == member.id
        assert plan.parent(plan.lineage(member.id)[0]) == ROOT


def test_one_share_changes_wherever_the_node_stands() -> None:
    leaf = PlanNode(id="x", name="ex", share=Fraction(1, 2))
    plan = Plan(
        name="p",
        children=(PlanNode(id="a", share=Fraction(1, 2), children=(leaf,)), PlanNode(id="b", share=Fraction(1, 4))),
    )
    for named in ("x", "a/ex"):
        changed = plan.with_share(named, "1/3")
        assert changed.node("x").share == Fraction(1, 3)
        assert changed.with_share("x", Fraction(1, 2)) == plan
    with pytest.raises(ValueError, match="the children of 'root' sum to 1.25; siblings may sum to at most 1"):
        plan.with_share("a", 1)
    with pytest.raises(NotFoundError, match="no node 'ex'"):
        plan.with_share("ex", 1)
    with pytest.raises(ValueError, match="a share is written as"):
        plan.with_share("x", "half")
