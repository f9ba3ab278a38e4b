"""Reclaim for a gang: which whole nodes are cleared for it, with least work lost and never for nothing.

The choice is greedy, one node at a time, as an exact minimum over gangs that share nodes would be a set cover.
"""

from __future__ import annotations

from allotment.kernel.jit import rule
from allotment.kernel.layout import State
from allotment.kernel.overquota import count_taken, may_clear
from allotment.kernel.placement import claimable, next_node
from allotment.kernel.reclaim import NEVER, RECLAIM, lost_if_stopped, tier_of


@rule
def _node_tier(s: State, job: int, node: int, licence: int) -> int:
    """Return the tier of the dearest slice on a node, less what is chosen already; -1 where one may not be displaced."""
    if licence == RECLAIM:
        return 0 if may_clear(s, job, node) else -1
    worst = 0
    for place in range(s.nodes[node].count):
        row = s.on_node[node, place]
        if s.slices[row].chosen == 0:
            tier = tier_of(s, row, job, licence, False)
            if tier < 0:
                return -1
            worst = max(worst, tier)
    return worst


@rule
def _node_loss(s: State, node: int) -> int:
    """Return the GPU-seconds lost by emptying a node, less what is chosen already."""
    lost = 0
    for place in range(s.nodes[node].count):
        row = s.on_node[node, place]
        if s.slices[row].chosen == 0:
            lost += lost_if_stopped(s, row)
    return lost


@rule
def reclaim_nodes(s: State, job: int, licence: int, contract_end: int) -> int:
    """Choose the cheapest set of whole nodes for a gang; return the number of victims (in `s.victims`), or -1.

    `s.picked` gets the nodes in ascending order. Costs per candidate node are kept in `s.cost` as tier, then lost.
    """
    need, per_node = s.jobs[job].need, s.rules[0].per_node
    nodes = len(s.nodes)
    loose, able = 0, 0
    for node in range(nodes):
        n = s.nodes[node]
        if n.free + n.unallocated + n.interruptible == per_node and claimable(s, node, contract_end):
            able += 1
            loose += 1 if n.interruptible == 0 else 0
    if able < need:
        return -1
    possible = 0
    for node in range(nodes):
        s.cost[node, 0] = -1
        n = s.nodes[node]
        room = n.free + n.unallocated  # where unallocated slices are enough, no other node is looked at
        if loose < need:
            room += n.interruptible
        if room == per_node and claimable(s, node, contract_end):
            s.cost[node, 0] = _node_tier(s, job, node, licence)
            possible += 1 if s.cost[node, 0] >= 0 else 0
    if possible < need:
        return -1
    for node in range(nodes):
        if s.cost[node, 0] >= 0:
            s.cost[node, 1] = _node_loss(s, node)
    count = 0
    chosen = 0
    for node in range(nodes):  # empty nodes cost nothing
        if chosen < need and s.cost[node, 0] >= 0 and s.nodes[node].count == 0:
            s.cost[node, 0] = -2
            chosen += 1
    while chosen < need:
        best, best_tier, best_lost = -1, NEVER, NEVER
        for node in range(nodes):
            tier, lost = s.cost[node, 0], s.cost[node, 1]
            if tier >= 0 and (tier < best_tier or (tier == best_tier and lost < best_lost)):
                best, best_tier, best_lost = node, tier, lost
        if best < 0:  # under quotas, what is chosen leaves less to be taken
            for at in range(count):
                s.slices[s.victims[at]].chosen = 0
            return -1
        s.cost[best, 0] = -2
        chosen += 1
        for place in range(s.nodes[best].count):
            row = s.on_node[best, place]
            if s.slices[row].chosen == 0:
                s.slices[row].chosen = 1
                s.victims[count] = row
                count += 1
                if licence == RECLAIM:
                    count_taken(s, row, 1)
                node = next_node(s, row, s.slices[row].node)  # a gang's other nodes cost less from now on
                if node >= 0:
                    node = s.slices[row].node
                while node >= 0:
                    if s.cost[node, 0] >= 0:
                        s.cost[node, 0] = _node_tier(s, job, node, licence)
                        s.cost[node, 1] = _node_loss(s, node)
                    node = next_node(s, row, node)
        if licence == RECLAIM:
            for node in range(nodes):
                if s.cost[node, 0] >= 0:
                    s.cost[node, 0] = _node_tier(s, job, node, licence)
    return _put_back(s, need, count)


@rule
def _put_back(s: State, need: int, count: int) -> int:
    """Keep the victims that are needed, dearest put back first, and pick `need` nodes of those that come free."""
    nodes = len(s.nodes)
    for node in range(nodes):
        s.cost[node, 1] = 0
        if s.cost[node, 0] != -1:
            s.cost[node, 1] = 1
            for place in range(s.nodes[node].count):
                if s.slices[s.on_node[node, place]].chosen == 0:
                    s.cost[node, 1] = 0
    empty = 0
    for node in range(nodes):
        empty += s.cost[node, 1]
    for at in range(count - 1, -1, -1):
        row = s.victims[at]
        spared = 0
        node = s.slices[row].node
        while node >= 0:
            spared += s.cost[node, 1]
            node = next_node(s, row, node)
        if empty - spared >= need:
            empty -= spared
            node = s.slices[row].node
            while node >= 0:
                s.cost[node, 1] = 0
                node = next_node(s, row, node)
            s.slices[row].chosen = 0
            s.victims[at] = -1
    kept = 0
    for at in range(count):
        if s.victims[at] >= 0:
            s.slices[s.victims[at]].chosen = 0
            s.victims[kept] = s.victims[at]
            kept += 1
    picked = 0
    for node in range(nodes):
        if s.cost[node, 1] != 0 and picked < need:
            s.picked[picked] = node
            picked += 1
    return kept
