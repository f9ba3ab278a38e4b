"""What differs between two plans, in words."""

from __future__ import annotations

from collections.abc import Iterator

from allotment.model.plan import Plan, PlanNode
from allotment.views.formats import part
from allotment.views.plan_editor.labels import inside


def structural(before: Plan, after: Plan) -> tuple[str, ...]:
    """Return what differs besides shares, a sentence each: nodes added, removed, moved, renamed, and slot limits."""
    return tuple(_structural(before, after))


def _structural(before: Plan, after: Plan) -> Iterator[str]:
    old, new = {node.id: node for node in before.walk()}, {node.id: node for node in after.walk()}
    for node_id, node in old.items():
        if node_id not in new:
            yield f"{node.name!r} removed"
    for node_id, node in new.items():
        if node_id not in old:
            share = part(float(after.absolute_share(node_id)))
            yield f"{node.name!r} added to {inside(after, after.parent(node_id))} with {share} of the cluster"
            continue
        was = old[node_id]
        if was.name != node.name:
            yield f"{was.name!r} renamed to {node.name!r}"
        if before.parent(node_id) != after.parent(node_id):
            yield f"{node.name!r} moved to {inside(after, after.parent(node_id))}"
        yield from _limits(was, node)


def _limits(was: PlanNode, node: PlanNode) -> Iterator[str]:
    for kind, old, new in (
        ("allocated", was.allocated_limit, node.allocated_limit),
        ("unallocated", was.unallocated_limit, node.unallocated_limit),
    ):
        if old != new:
            yield f"{node.name!r} {kind} {'without limit' if new is None else f'at most {new:,} GPUs'}"
