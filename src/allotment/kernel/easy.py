"""EASY backfill: the first job that cannot start has a reservation, planned with the users' time limits.

It is due at the moment at which enough nodes are free if every running slice uses its whole limit. Of the nodes that are
free by then it takes those that come free last, so that what is free now beside them stays open to all: a job of lower rank
may start on reserved nodes only if its own limit ends by then; elsewhere it may start as it likes. The reservation is made
anew in every pass (Lifka 1995 described the rule for processors; on nodes of one GPU this is the same rule).
"""

from __future__ import annotations

from allotment.kernel.jit import large_rule, rule
from allotment.kernel.layout import State
from allotment.kernel.placement import gpus_on, in_service
from allotment.kernel.reclaim import NEVER


@large_rule
def _planned_free(s: State, node: int, take: int) -> int:
    """Return when a node is planned to have `take` GPUs free, or NEVER."""
    if not in_service(s, node):
        return NEVER
    n = s.nodes[node]
    if n.free >= take:
        return int(s.clock[0].now)
    best = NEVER
    for place in range(n.count):
        time = s.slices[s.on_node[node, place]].plan_end
        if time >= best:
            continue
        room = n.free
        for other in range(n.count):
            row = s.on_node[node, other]
            if s.slices[row].plan_end <= time:
                room += gpus_on(s, row)
        if room >= take:
            best = time
    return int(best)


@large_rule
def reserve(s: State, job: int) -> None:
    """Reserve nodes for a job: `s.reserved` marks them, and the clock says until when they are open to others.

    Where too few nodes are in service nothing is reserved, and nothing is held back.
    """
    clock, j = s.clock[0], s.jobs[job]
    need = max(j.need, 1)
    take = s.rules[0].per_node if j.need > 0 else j.gpus
    for node in range(len(s.nodes)):
        s.cost[node, 0] = _planned_free(s, node, take)
    clock.reserved = 1
    clock.reserved_for = job
    clock.reserved_until = _earliest(s, need)
    for _ in range(need if clock.reserved_until >= 0 else 0):
        best, when = -1, -1
        for node in range(len(s.nodes)):
            if s.reserved[node] == 0 and when < s.cost[node, 0] <= clock.reserved_until:
                best, when = node, s.cost[node, 0]
        s.reserved[best] = 1


@rule
def _earliest(s: State, need: int) -> int:
    """Return when, by the times in `s.cost`, the first `need` nodes are free, or -1 if they never are."""
    until = -1
    for _ in range(need):
        best, when = -1, NEVER
        for node in range(len(s.nodes)):
            if s.reserved[node] == 0 and s.cost[node, 0] < when:
                best, when = node, s.cost[node, 0]
        if best < 0:
            until = -1
            break
        s.reserved[best] = 1
        until = when
    s.reserved[:] = 0
    return int(until)


@rule
def unreserve(s: State) -> None:
    """Forget the reservation."""
    if s.clock[0].reserved != 0:
        s.reserved[:] = 0
    s.clock[0].reserved = 0
    s.clock[0].reserved_until = -1
