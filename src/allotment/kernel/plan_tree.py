"""The plan of a run as the kernel has it: its nodes as records, in the order of their ids."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import gcd, lcm
from typing import Any

import attrs
import numpy as np

from allotment.kernel import layout
from allotment.kernel.log import SHARE_UNIT
from allotment.model.plan import OWN, ROOT, Plan, PlanNode
from allotment.model.policy import Policy, Quotas

BLOCK = 4_096  # records, few enough to stay in the cache while all their fields are read or written
HEAVIEST = SHARE_UNIT  # the largest weight among siblings, so that products of integers stay exact


@attrs.frozen(kw_only=True)
class Tree:
    """The plan nodes of a run: ids in their order, the root and the ``x/own`` included, and the row of each parent."""

    ids: tuple[str, ...]
    parents: tuple[int, ...]

    @classmethod
    def of(cls, plan: Plan, leaves: tuple[str, ...]) -> Tree:
        """Return the tree of all nodes of a plan and of every leaf that jobs belong to."""
        ids = tuple(sorted({ROOT, *plan.ids, *leaves}))
        row = {name: number for number, name in enumerate(ids)}
        return cls(ids=ids, parents=tuple(-1 if name == ROOT else row[plan.parent(name)] for name in ids))

    def shares(self, plan: Plan) -> np.ndarray[Any, Any]:
        """Return the absolute share of every node in parts of SHARE_UNIT, rounded down."""
        return np.array([int(plan.absolute_share(name) * SHARE_UNIT) for name in self.ids], np.int64)

    def depth(self, row: int) -> int:
        """Return how many nodes lie above one."""
        found = 0
        while self.parents[row] >= 0:
            row, found = self.parents[row], found + 1
        return found

    def children(self, row: int) -> list[int]:
        """Return the rows below a node, in the order of their ids."""
        return [child for child, parent in enumerate(self.parents) if parent == row]

    def leaves_below(self, row: int) -> int:
        """Return how many nodes without children lie below a node, whether or not there are jobs of them."""
        return sum(max(self.leaves_below(child), 1) for child in self.children(row))


def new_records(count: int, dtype: np.dtype[Any], **values: int | np.ndarray[Any, Any]) -> Any:
    """Return so many records; a field is 0 where no value is given, or no column of values.

    They are filled block by block, so that all fields of a record are written while it is in the processor's cache.
    """
    array = np.zeros(count, dtype)
    for begin in range(0, count if values else 0, BLOCK):
        block = array[begin : begin + BLOCK]
        for name, value in values.items():
            block[name] = value[begin : begin + BLOCK] if isinstance(value, np.ndarray) else value
    return array.view(np.recarray)


def tree_records(plan: Plan, policy: Policy, tree: Tree, leaf_node: np.ndarray[Any, Any]) -> Any:
    """Return the plan nodes before anything has happened; `leaf_node` are the rows of those that jobs belong to."""
    nodes = new_records(
        len(tree.ids),
        layout.TREE,
        stirred=1,
        **dict.fromkeys(("classes", "interruptible_long", "interruptible_short", "child", "sibling"), -1),
    )
    nodes.parent = tree.parents
    nodes.leaf[leaf_node] = 1
    for row in range(len(tree.ids)):
        nodes[row].depth = tree.depth(row)
        budget = row
        while nodes[row].depth and tree.parents[tree.parents[budget]] >= 0:
            budget = tree.parents[budget]
        nodes[row].budget = budget if nodes[row].depth else -1
        nodes[row].users_below = tree.leaves_below(row)
        children = tree.children(row)
        for child, following in pairwise(children):
            nodes[child].sibling = following
        nodes[row].child = children[0] if children else -1
    use_plan(nodes, tree, plan, policy)
    return nodes


def use_plan(nodes: Any, tree: Tree, plan: Plan, policy: Policy) -> None:
    """Set what plan nodes say beside their shares: slot limits (-1 is none), and what quotas look at."""
    for row, name in enumerate(tree.ids):
        limited = name != ROOT and not name.endswith(OWN)
        node = plan.node(name) if limited else None
        for limit in ("allocated_limit", "unallocated_limit"):
            said = getattr(node, limit, None)
            nodes[row][limit] = -1 if said is None else said
    if policy.quotas is None:
        return
    for row in range(len(tree.ids)):
        children = tree.children(row)
        weights = whole_weights([over_quota_weight(plan, tree.ids[child]) for child in children])
        for child, weight in zip(children, weights, strict=True):
            nodes[child].weight = weight
    for row, name in enumerate(tree.ids):
        line = [plan.node(level) for level in reversed(plan.lineage(name))]
        nodes[row].preempt_after = _first_said("preempt_min_runtime", line, policy.quotas)
        nodes[row].reclaim_after = _first_said("reclaim_min_runtime", line, policy.quotas)
    for row, name in enumerate(tree.ids):
        waits = [nodes[tree.ids.index(level)].reclaim_after for level in plan.lineage(name)]
        nodes[row].spared = min([nodes[row].preempt_after, *waits])


def over_quota_weight(plan: Plan, name: str) -> Fraction:
    """Return the over-quota weight of a node, by default its share; what an inner node has of its own weighs what is left."""
    node = plan.node(name)
    if name.endswith(OWN):
        return node.left
    return node.share if node.over_quota_weight is None else node.over_quota_weight


def whole_weights(weights: list[Fraction]) -> list[int]:
    """Return whole numbers of the same proportions; only if one is above HEAVIEST then, they are rounded down to fit.

    >>> whole_weights([Fraction(1, 2), Fraction(1, 3), Fraction(0)])
    [3, 2, 0]
    """
    whole = [int(weight * lcm(*(each.denominator for each in weights))) for weight in weights]
    whole = [number // max(gcd(*whole), 1) for number in whole]
    most = max(whole, default=0)
    return [number * HEAVIEST // most for number in whole] if most > HEAVIEST else whole


def _first_said(name: str, line: list[PlanNode], quotas: Quotas) -> int:
    """Return what the lowest node of a line says that says anything, else what the policy says."""
    return next((getattr(node, name) for node in line if getattr(node, name) is not None), getattr(quotas, name))
