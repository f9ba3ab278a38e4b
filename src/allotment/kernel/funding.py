"""What is funded: a claim must fit in what is left of the entitlement, at every level that counts.

Levels run from the leaf to its budget (the child of the root). Two exceptions, both settings: a claim above the leaf's
own headroom may be lent by its budget, and short claims are judged at the budget only and may use the reserve.
"""

from __future__ import annotations

from allotment.kernel.jit import large_rule, rule
from allotment.kernel.layout import State
from allotment.kernel.log import SHARE_UNIT
from allotment.model.codes import Reason
from allotment.model.policy import Lending

HEADROOM = int(Reason.HEADROOM)
TOO_LARGE = int(Reason.TOO_LARGE)
SAVING = int(Reason.SAVING)
FUNDED = int(Reason.NONE)
LEND_IDLE = int(Lending.IDLE_KIN)
LEND_ALWAYS = int(Lending.ALWAYS)


@rule
def count_lenders(s: State) -> None:
    """Count, per budget, the leaves with headroom of their own that have work which asks a contract above `short`.

    `spare` marks such a leaf. While a budget has one other than the borrower, nothing is lent: lending to kin without
    that condition starves small teams.
    """
    tree = s.tree
    for leaf in s.leaves:
        tree[tree[leaf].budget].lenders = 0
    for leaf in s.leaves:
        v = tree[leaf]
        wants = v.long_waiting > 0 or v.long_running > 0
        v.spare = 1 if wants and v.headroom > 0 else 0
        tree[v.budget].lenders += v.spare


@rule
def recount_lender(s: State, leaf: int) -> None:
    """Do the same for one leaf whose headroom or work has changed within a pass."""
    v = s.tree[leaf]
    wants = v.long_waiting > 0 or v.long_running > 0
    now = 1 if wants and v.headroom > 0 else 0
    if now != v.spare:
        s.tree[v.budget].lenders += now - v.spare
        v.spare = now


@rule
def is_lent(s: State, leaf: int) -> bool:
    """Tell whether the levels below the budget do not count for this leaf now."""
    lending = s.rules[0].lending
    if lending == LEND_IDLE:
        return bool(s.tree[s.tree[leaf].budget].lenders - s.tree[leaf].spare == 0)
    return bool(lending == LEND_ALWAYS)


@rule
def lacking_level(s: State, leaf: int, claim: int, short: bool) -> int:
    """Return the lowest level whose headroom the claim does not fit in, or -1 where it is funded.

    A leaf that is entitled to nothing lacks everything, whatever its budget could lend.
    """
    tree = s.tree
    if tree[leaf].entitled == 0:
        return int(leaf)
    budget = tree[leaf].budget
    level = budget if short or is_lent(s, leaf) else leaf
    while True:
        v = tree[level]
        if claim > v.headroom - (0 if short else v.reserve):
            return int(level)
        if level == budget:
            return -1
        level = v.parent


@rule
def tightest_level(s: State, leaf: int, short: bool) -> int:
    """Return the level that counts with the least headroom: the one that a start was decided by."""
    tree = s.tree
    budget = tree[leaf].budget
    level = budget if short or is_lent(s, leaf) else leaf
    tightest = level
    while level != budget:
        level = tree[level].parent
        if tree[level].headroom < tree[tightest].headroom:
            tightest = level
    return int(tightest)


@rule
def measure_room(s: State, leaf: int) -> None:
    """Note the largest long and the largest short claim that would be funded in a leaf now."""
    v = s.tree[leaf]
    if v.entitled == 0:
        v.room_long = 0
        v.room_short = 0
        return
    v.room_short = s.tree[v.budget].headroom
    level = v.budget if is_lent(s, leaf) else leaf
    room = s.tree[level].headroom - s.tree[level].reserve
    while level != v.budget:
        level = s.tree[level].parent
        room = min(room, s.tree[level].headroom - s.tree[level].reserve)
    v.room_long = room


@rule
def above_entitlement(s: State, leaf: int, claim: int, short: bool) -> int:
    """Return a level that always counts and whose whole entitlement the claim exceeds, or -1."""
    tree = s.tree
    if tree[leaf].entitled == 0:
        return int(leaf)
    budget = tree[leaf].budget
    level = budget if short or s.rules[0].lending != 0 else leaf
    while True:
        if claim > tree[level].entitled:
            return int(level)
        if level == budget:
            return -1
        level = tree[level].parent


@rule
def has_room(s: State, leaf: int, short: bool) -> bool:
    """Tell whether work of this leaf that is past its contract may stay allocated: headroom left at every level that counts."""
    tree = s.tree
    budget = tree[leaf].budget
    level = budget if short or is_lent(s, leaf) else leaf
    while True:
        if tree[level].headroom <= 0:
            return False
        if level == budget:
            return True
        level = tree[level].parent


@rule
def within_slots(s: State, leaf: int, take: int, allocated: bool) -> int:
    """Return the lowest level whose slot limit `take` more GPUs would exceed, or -1."""
    if s.rules[0].slot_limits == 0:
        return -1
    node = leaf
    while node >= 0:
        v = s.tree[node]
        if allocated and v.allocated_limit >= 0 and v.allocated + take > v.allocated_limit:
            return int(node)
        if not allocated and v.unallocated_limit >= 0 and v.unallocated + take > v.unallocated_limit:
            return int(node)
        node = v.parent
    return -1


@rule
def why_not(s: State, cls: int) -> int:
    """Return why the claim of a class is not funded, or FUNDED."""
    c = s.classes[cls]
    if c.min_runtime == 0:
        return HEADROOM
    short = c.min_runtime <= s.rules[0].short
    v = s.tree[c.leaf]
    if v.saving != 0 and not short and (c.gpus != v.saving_take or c.min_runtime != v.saving_runtime):
        return SAVING
    if lacking_level(s, c.leaf, c.gpus * c.min_runtime, short) >= 0:
        return HEADROOM
    return FUNDED


@large_rule
def is_too_large(s: State, job: int) -> bool:
    """Tell whether a claim is above what a level that always counts is entitled to when every node is healthy."""
    j, rules = s.jobs[job], s.rules[0]
    claim = j.gpus * j.min_runtime
    budget = s.tree[j.leaf].budget
    level = budget if j.min_runtime <= rules.short or rules.lending != 0 else j.leaf
    whole = rules.per_node * rules.nodes * rules.window
    if claim > 0 and s.shares[s.clock[0].epochs - 1, j.leaf] == 0:
        return True
    while True:
        if claim > s.shares[s.clock[0].epochs - 1, level] * whole // SHARE_UNIT:
            return True
        if level == budget:
            return False
        level = s.tree[level].parent
