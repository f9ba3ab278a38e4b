"""Nodes and what sits on them: free GPUs, best fit, whole nodes for gangs."""

from __future__ import annotations

from allotment.kernel.jit import rule
from allotment.kernel.layout import State
from allotment.model.codes import IdleCause

NO_DEMAND = int(IdleCause.NO_DEMAND)
DRAINING = int(IdleCause.DRAINING)
CYCLE = int(IdleCause.CYCLE)


@rule
def in_service(s: State, node: int) -> bool:
    """Tell whether a node takes new slices."""
    return bool(s.nodes[node].down == 0 and s.nodes[node].draining == 0)


@rule
def adjust(s: State, node: int, free: int, unallocated: int, interruptible: int) -> None:
    """Change the GPUs of a node that are free, unallocated and interruptible, and the counts by which nodes are found."""
    n = s.nodes[node]
    serving = n.down == 0 and n.draining == 0
    if serving:
        s.free_count[n.free] -= 1
        s.loose_count[n.free + n.unallocated + n.interruptible] -= 1
    n.free += free
    n.unallocated += unallocated
    n.interruptible += interruptible
    if serving:
        s.free_count[n.free] += 1
        s.loose_count[n.free + n.unallocated + n.interruptible] += 1


@rule
def count_idle(s: State, node: int, freed: int) -> None:
    """Book newly free GPUs (negative: newly taken) of a node as idle until the next pass explains them."""
    if s.nodes[node].draining != 0:
        s.idling[DRAINING] += freed
    else:
        s.idling[CYCLE] += freed


@rule
def claimable(s: State, node: int, contract_end: int) -> bool:
    """Tell whether a claim may start on a node: in service, and not held for one that is due before its contract ends."""
    if not in_service(s, node):
        return False
    hold = s.nodes[node].hold
    return bool(hold < 0 or contract_end <= s.holds[hold].due)


@rule
def find_free(s: State, take: int, need: int, contract_end: int, around_reserved: bool) -> bool:
    """Pick free GPUs into `s.picked`: the fullest node with room (best fit, then node number), or `need` empty nodes.

    `contract_end` -1 means unallocated work, which may run on held nodes; `around_reserved` leaves out what a
    better rank has reserved.
    """
    per_node = s.rules[0].per_node
    if need > 0:
        if s.free_count[per_node] < need:
            return False
        found = 0
        for node in range(len(s.nodes)):
            if s.nodes[node].free == per_node and _may_use(s, node, contract_end, around_reserved):
                s.picked[found] = node
                found += 1
                if found == need:
                    return True
        return False
    possible = False
    for size in range(take, per_node + 1):
        if s.free_count[size] > 0:
            possible = True
            break
    if not possible:
        return False
    best, best_free = -1, per_node + 1
    for node in range(len(s.nodes)):
        free = s.nodes[node].free
        if take <= free < best_free and _may_use(s, node, contract_end, around_reserved):
            best, best_free = node, free
            if free == take:
                break
    s.picked[0] = best
    return best >= 0


@rule
def _may_use(s: State, node: int, contract_end: int, around_reserved: bool) -> bool:
    if around_reserved and s.reserved[node] != 0:
        return False
    if contract_end < 0:
        return in_service(s, node)
    return claimable(s, node, contract_end)


@rule
def next_node(s: State, row: int, node: int) -> int:
    """Return the node of a slice after `node`, or -1."""
    return int(s.nodes[node].gang_next) if s.slices[row].need > 0 else -1


@rule
def seat(s: State, row: int, node: int, gpus: int) -> None:
    """Put a slice on a node."""
    n = s.nodes[node]
    s.on_node[node, n.count] = row
    n.count += 1
    count_idle(s, node, -gpus)
    adjust(s, node, -gpus, 0, 0)


@rule
def unseat(s: State, row: int, node: int, gpus: int) -> None:
    """Take a slice off a node."""
    n = s.nodes[node]
    for place in range(n.count):
        if s.on_node[node, place] == row:
            s.on_node[node, place] = s.on_node[node, n.count - 1]
            break
    n.count -= 1
    count_idle(s, node, gpus)
    adjust(s, node, gpus, 0, 0)


@rule
def gpus_on(s: State, row: int) -> int:
    """Return how many GPUs a slice has on each of its nodes."""
    return int(s.rules[0].per_node) if s.slices[row].need > 0 else int(s.slices[row].gpus)


@rule
def could_reclaim(s: State, job: int) -> bool:
    """Tell, from the counts of nodes alone, whether room for the job could be made at all."""
    j, per_node = s.jobs[job], s.rules[0].per_node
    if j.need > 0:
        return bool(s.loose_count[per_node] >= j.need)
    for size in range(j.gpus, per_node + 1):
        if s.loose_count[size] > 0:
            return True
    return False


@rule
def has_free(s: State, take: int, need: int) -> bool:
    """Tell, from the counts of nodes alone, whether so many GPUs or empty nodes are free anywhere."""
    per_node = s.rules[0].per_node
    if need > 0:
        return bool(s.free_count[per_node] >= need)
    for size in range(take, per_node + 1):
        if s.free_count[size] > 0:
            return True
    return False
