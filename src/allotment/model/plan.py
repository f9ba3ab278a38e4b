"""The plan: a tree that divides a cluster's GPU time, as fractions of fractions that are exact.

The root is implicit and has the id ``root``; its children are the budgets. Siblings may sum to less than their
parent: the rest is *open*, to work that is charged to nobody. An inner node with jobs of its own counts as one more
child, ``<id>/own``, with what its children leave.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cached_property
from typing import Any

import attrs

from allotment.errors import NotFoundError, ValueProblems
from allotment.model.checks import NOT_EMPTY, Line, Validator, Where, at_least, between, known, known_items, one_line
from allotment.model.shares import exact_share, format_share
from allotment.model.typed import typed
from allotment.units import Seconds

ROOT = "root"
OWN = "/own"
HEAVIEST = 1_000_000  # over-quota weight
DEEPEST = 100  # levels; far above any real organization, and below what recursion in Python bears


PART_OF_A_PATH = Line(without="/")
_ID = Line(100, without="/")


def not_root(_instance: Any, attribute: attrs.Attribute[Any], value: Any) -> None:
    """Want an id that is not that of the whole cluster."""
    if value == ROOT:
        raise ValueError(f"{attribute.name} must not be 'root', which stands for the whole cluster")


NODE_ID: list[Validator] = [_ID, not_root]  # tells a node from every other one and from a path


def _nodes(children: Iterable[PlanNode]) -> tuple[PlanNode, ...]:
    return tuple(children)


@attrs.frozen(kw_only=True, field_transformer=typed)
class PlanNode:
    """A budget, or a part of one."""

    id: str = attrs.field(validator=NODE_ID)
    """Tells the node from all others; it never changes, as ties and random streams are keyed by it."""
    name: str = attrs.field(default=attrs.Factory(lambda self: self.id, takes_self=True), validator=PART_OF_A_PATH)
    """What the node is called in paths and tables; by default its id."""
    share: Fraction = attrs.field(converter=exact_share, validator=between(0, 1))
    """The exact part of the parent that the node deserves; 0 means that nothing of it is funded."""
    allocated_limit: int | None = attrs.field(default=None, validator=at_least(0))
    """GPUs that may be held at once in allocated slices; null is no limit."""
    unallocated_limit: int | None = attrs.field(default=None, validator=at_least(0))
    """GPUs that may be held at once in unallocated slices; null is no limit."""
    over_quota_weight: Fraction | None = attrs.field(
        default=None, converter=attrs.converters.optional(exact_share), validator=between(0, HEAVIEST)
    )
    """Under quotas, how much of what siblings leave over goes here, relative to theirs; null is the share."""
    preempt_min_runtime: Seconds | None = attrs.field(default=None, validator=at_least(0))
    """Under quotas, how long a slice below runs before work of its leaf may stop it; null is what the parent says."""
    reclaim_min_runtime: Seconds | None = attrs.field(default=None, validator=at_least(0))
    """Under quotas, how long a slice below runs before work from elsewhere may stop it; null is what the parent says."""
    children: tuple[PlanNode, ...] = attrs.field(default=(), converter=_nodes)
    """The parts that the node is divided into; their shares sum to at most 1."""

    @property
    def left(self) -> Fraction:
        """The part of this node that its children leave."""
        return 1 - sum((child.share for child in self.children), start=Fraction(0))


@attrs.frozen(kw_only=True, field_transformer=typed)
class Plan:
    """The whole tree. Ids with ``/own`` at the end stand for the jobs that an inner node has of its own."""

    name: str = attrs.field(validator=one_line())
    """What the plan is called."""
    title: str = ""
    """One line that says what it is."""
    description: str = ""
    """What more there is to say about it."""
    source: str = ""
    """Where its figures come from."""
    children: tuple[PlanNode, ...] = attrs.field(converter=_nodes, metadata=NOT_EMPTY)
    """The budgets: their shares sum to at most 1, and what is left is open, to work that is charged to nobody."""

    def __attrs_post_init__(self) -> None:
        problems = [text for _, text in contradictions(self)]
        if problems:
            raise ValueProblems(problems)

    @cached_property
    def _nodes(self) -> dict[str, PlanNode]:
        return {node.id: node for node in self.walk()}

    @cached_property
    def _parents(self) -> dict[str, str]:
        parents = {child.id: ROOT for child in self.children}
        return parents | {child.id: node.id for node in self.walk() for child in node.children}

    @cached_property
    def _absolute(self) -> dict[str, Fraction]:
        shares = {ROOT: Fraction(1)}
        for node in self.walk():
            shares[node.id] = shares[self._parents[node.id]] * node.share
        return shares

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids of all nodes, without the root, in the order of their letters."""
        return tuple(sorted(self._nodes))

    def walk(self) -> Iterator[PlanNode]:
        """Yield every node, parents before children, siblings in their order."""
        return _walk(self.children)

    def node(self, node_id: str) -> PlanNode:
        """Return the node with this id; for an ``x/own`` it is x. Raises NotFoundError."""
        found = self._nodes.get(node_id.removesuffix(OWN))
        if found is None:
            near = difflib.get_close_matches(node_id, self.ids, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(self.ids[:20])}"
            raise NotFoundError(f"plan {self.name!r} has no node {node_id!r}; {hint}")
        return found

    def find(self, text: str) -> PlanNode:
        """Return the node with this id, or with this path of names. Raises NotFoundError."""
        paths = [node for node in self.walk() if self.path(node.id) == text] if text not in self._nodes else []
        return paths[0] if paths else self.node(text)

    def with_share(self, node_id: str, share: Fraction | float | str) -> Plan:
        """Return the plan with another share of one node, named by its id or its path.

        Raises NotFoundError where there is no such node, ValueError where the share is none, and ValueProblems where
        siblings would sum to more than 1: shares of several nodes change together by `allotment.model.changeset.apply`.

        >>> plan = Plan(name="two", children=(PlanNode(id="a", share="1/2"), PlanNode(id="b", share="1/4")))
        >>> plan.with_share("b", 0.5).node("b").share
        Fraction(1, 2)
        """
        return attrs.evolve(self, children=_with_share(self.children, self.find(node_id).id, exact_share(share)))

    def children_of(self, node_id: str) -> tuple[PlanNode, ...]:
        """Return the children of a node or of the root; an ``x/own`` has none."""
        if node_id == ROOT:
            return self.children
        node = self.node(node_id)
        return () if node_id.endswith(OWN) else node.children

    def parent(self, node_id: str) -> str:
        """Return the id of the parent, ``root`` for a budget."""
        node = self.node(node_id)
        return node.id if node_id.endswith(OWN) else self._parents[node.id]

    def lineage(self, node_id: str) -> tuple[str, ...]:
        """Return the ids from the budget down to the node, both included; empty for the root."""
        if node_id == ROOT:
            return ()
        line = [node_id]
        while (above := self.parent(line[-1])) != ROOT:
            line.append(above)
        return tuple(reversed(line))

    def path(self, node_id: str) -> str:
        """Return the names from the budget down to the node, joined by "/"; ``root`` for the root."""
        names = ("own" if step.endswith(OWN) else self.node(step).name for step in self.lineage(node_id))
        return ROOT if node_id == ROOT else "/".join(names)

    def absolute_share(self, node_id: str) -> Fraction:
        """Return the exact part of the whole cluster that a node deserves: its shares multiplied up to the root."""
        if node_id == ROOT:
            return Fraction(1)
        node = self.node(node_id)
        share = self._absolute[node.id]
        return share * node.left if node_id.endswith(OWN) else share

    def work_leaf(self, node_id: str) -> str:
        """Return where the jobs of a node are charged: the node itself, or its ``/own`` where it has children."""
        return f"{node_id}{OWN}" if self.node(node_id).children and not node_id.endswith(OWN) else node_id

    def work_leaves(self, direct: frozenset[str] = frozenset()) -> tuple[str, ...]:
        """Return the ids, sorted, of what jobs can be charged to, given the inner nodes with jobs of their own."""
        leaves = {node.id for node in self.walk() if not node.children}
        return tuple(sorted(leaves | {self.work_leaf(name) for name in direct}))

    def open_share(self, direct: frozenset[str] = frozenset()) -> Fraction:
        """Return the part of the whole that no leaf deserves; inner nodes in `direct` keep what they leave open."""
        return 1 - sum((self.absolute_share(leaf) for leaf in self.work_leaves(direct)), start=Fraction(0))


def contradictions(plan: Any) -> Iterator[tuple[Where, str]]:
    """Yield what is wrong between the nodes of a plan, with the place of each.

    `plan` may be incomplete: an attribute that is missing is not looked at, and its share counts as nothing.
    """
    if known(plan, "children") == ():
        yield ("children",), "a plan needs at least one budget among its children"
    ids: set[str] = set()
    stack: list[tuple[Any, str | None, Where]] = [(plan, ROOT, ("children",))]
    while stack:
        parent, parent_id, where = stack.pop()
        children = known_items(parent, "children")
        of = f"the children of {parent_id!r}" if parent_id else "the children of this node"
        total = sum((known(child, "share") or Fraction(0) for child in children), start=Fraction(0))
        if total > 1:
            yield where, f"{of} sum to {format_share(total)}; siblings may sum to at most 1"
        names: set[str] = set()
        for position, child in enumerate(children):
            child_id, name = known(child, "id"), known(child, "name")
            if child_id is not None and child_id in ids:
                yield (*where, position, "id"), f"id {child_id!r} is there twice; every node needs one of its own"
            elif name is not None and name in names:
                yield (*where, position), f"{of} must have different names; {name!r} is there twice"
            ids.add(child_id)
            names.add(name)
        if len(where) == 2 * DEEPEST + 1 and children:
            yield where, f"{of} lie deeper than {DEEPEST} levels"
            continue
        below = [(child, known(child, "id"), (*where, position, "children")) for position, child in enumerate(children)]
        stack.extend(reversed(below))


def _with_share(children: tuple[PlanNode, ...], node_id: str, share: Fraction) -> tuple[PlanNode, ...]:
    return tuple(
        attrs.evolve(
            child,
            share=share if child.id == node_id else child.share,
            children=_with_share(child.children, node_id, share),
        )
        for child in children
    )


def _walk(children: tuple[PlanNode, ...]) -> Iterator[PlanNode]:
    stack = list(reversed(children))
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(node.children))
