"""Hypothesis strategies for what a browser may send to the plan-tree editor: sound intents of a draft, and anything."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from allotment.views.plan_editor.draft import Draft
from allotment.views.plan_editor.intents import INTENTS
from tests.strategies import plans

NAMES = st.sampled_from(["New", "<img src=x onerror=alert(1)>", "組", "a/b", "", " padded ", "root", "x\n"])
TYPED = st.one_of(
    st.decimals(0, 120, places=2).map(str), st.sampled_from(["1/3", "0", "100", "12.5 %", "1,000", "many", "-1", "2 k"])
)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from([10**400, -(10**400), "\ud800", "\u202eabc", "a\x00b", "x" * 100_000]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@st.composite
def drafts(draw: st.DrawFn) -> Draft:
    plan = draw(plans(simple=draw(st.booleans())))
    locks = frozenset(draw(st.lists(st.sampled_from(plan.ids), max_size=2)))
    return Draft(plan=plan, gpus=draw(st.sampled_from([1, 88, 1024])), locks=locks)


@st.composite
def intents(draw: st.DrawFn, draft: Draft, only: tuple[str, ...] = tuple(INTENTS)) -> dict[str, Any]:
    """Return an intent that names what is there, mostly; whether it is possible is another matter."""
    ids = st.sampled_from([*draft.plan.ids, "gone"])
    families = ["root", *[node.id for node in draft.plan.walk() if node.children]]
    members = st.one_of(ids, st.sampled_from([f"{parent}/open" for parent in families]))
    parents = st.sampled_from(["root", *draft.plan.ids])
    how = draw(
        st.one_of(
            st.fixed_dictionaries({"points": st.sampled_from([1, -1, 5, -5, 100])}),
            st.fixed_dictionaries({"amount": st.floats(-1, 1)}),
            st.fixed_dictionaries({"limit": st.sampled_from(["min", "max"])}),
        )
    )
    needs: dict[str, dict[str, st.SearchStrategy[Any]]] = {
        "drag": {"divider": ids, "amount": st.floats(-1, 1)},
        "move_divider": {"divider": ids, **{key: st.just(value) for key, value in how.items()}},
        "set_share": {"id": members, "value": TYPED},
        "lock": {"id": ids, "locked": st.booleans()},
        "add": {"parent": parents, "name": NAMES, "value": st.just("") | TYPED},
        "rename": {"id": ids, "name": NAMES},
        "move": {"id": ids, "to": parents},
        "remove": {"id": ids},
        "set_limits": {"id": ids, "allocated": st.sampled_from(["", "64", "none"]), "unallocated": st.just("8")},
        "select": {"id": members | parents},
        "take": {"way": st.sampled_from(["siblings", "node", "open"]), "payer": ids},
        "unit": {"unit": st.sampled_from(["whole", "parent", "hours", "gpus"])},
        "accept": {"author": st.sampled_from(["", "A. Director"]), "reason": st.sampled_from(["", "next quarter"])},
    }
    name = draw(st.sampled_from(only))
    return {"type": name, **{key: draw(values) for key, values in needs.get(name, {}).items()}}
