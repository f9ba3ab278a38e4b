from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from allotment.errors import InputError, ValueProblems
from allotment.model.changeset import Changeset, ShareChange, apply
from allotment.model.plan import Plan, PlanNode
from tests.strategies import changesets, plans

PLAN = Plan(
    name="lab",
    children=(
        PlanNode(
            id="a", share=0.5, children=(PlanNode(id="x", share=0.6, allocated_limit=8), PlanNode(id="y", share=0.4))
        ),
        PlanNode(id="b", share=0.3),
    ),
)


def change(**shares: float | str | tuple[float, float]) -> Changeset:
    changes = (
        ShareChange(id=name, share=new[1], old=new[0]) if isinstance(new, tuple) else ShareChange(id=name, share=new)
        for name, new in shares.items()
    )
    return Changeset(time=86_400, author="ana", reason="why", shares=changes)


def test_a_changeset_changes_shares_and_nothing_else() -> None:
    after = apply(PLAN, change(x="1/2", b=0.2))
    assert after.absolute_share("x") == Fraction(1, 4)
    assert after.node("b").share == Fraction(1, 5)
    assert after.node("x").allocated_limit == 8
    assert after.ids == PLAN.ids
    assert PLAN.node("b").share == Fraction(3, 10)


def test_shares_change_together_so_that_their_order_does_not_matter() -> None:
    after = apply(PLAN, change(a=0.2, b=0.8))
    assert after == apply(PLAN, change(b=0.8, a=0.2))
    with pytest.raises(InputError, match=r"would sum to 1\.3"):
        apply(PLAN, change(b=0.8))


def test_every_reason_against_a_changeset_is_told_at_once() -> None:
    with pytest.raises(InputError) as caught:
        apply(PLAN, change(x=0.7, b=(0.4, 0.6), c=0.1))
    assert caught.value.source == "changeset at 1d by 'ana'"
    assert caught.value.problems == (
        "the share of 'b' is 0.3, not 0.4 as the changeset says",
        "plan 'lab' has no node 'c'",
        "the children of 'root' would sum to 1.1; siblings may sum to at most 1",
        "the children of 'a' would sum to 1.1; siblings may sum to at most 1",
    )


def test_an_old_share_that_is_right_lets_the_change_through() -> None:
    assert apply(PLAN, change(b=(0.3, 0.5))).node("b").share == Fraction(1, 2)


def test_a_changeset_names_each_node_once_and_at_least_one() -> None:
    with pytest.raises(ValueProblems, match="'b' is changed twice"):
        Changeset(time=0, shares=(ShareChange(id="b", share=0), ShareChange(id="b", share=0)))
    with pytest.raises(ValueProblems, match="must not be empty"):
        Changeset(time=0, shares=())
    with pytest.raises(ValueError, match="time must be at least 0"):
        Changeset(time=-1, shares=(ShareChange(id="b", share=0),))


@pytest.mark.parametrize("bad", ["root", "a/own"])
def test_what_is_not_given_but_follows_cannot_be_changed(bad: str) -> None:
    with pytest.raises(ValueError, match="id must not"):
        ShareChange(id=bad, share=0)


@given(st.data(), plans(most=5))
def test_a_changeset_can_be_taken_back(data: st.DataObject, plan: Plan) -> None:
    for changeset in data.draw(changesets(plan, 100)):
        back = tuple(ShareChange(id=c.id, share=plan.node(c.id).share, old=c.share) for c in changeset.shares)
        after = apply(plan, changeset)
        assert [after.node(c.id).share for c in changeset.shares] == [c.share for c in changeset.shares]
        assert apply(after, Changeset(time=0, shares=back)) == plan
