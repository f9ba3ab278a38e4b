"""Who may take what from whom under quotas; the sources are named in RULES.md.

Victims are judged where the branches part: x on the claimant's side, y on the victim's. `taken` counts what a search has
chosen below y, so that it never takes more than y holds too much, but for the last slice.
"""

from __future__ import annotations

from allotment.kernel.division import allocatable
from allotment.kernel.jit import large_rule, rule
from allotment.kernel.layout import State
from allotment.kernel.rank import compare_ratios, fork
from allotment.model.codes import SliceState

INTERRUPTIBLE = int(SliceState.INTERRUPTIBLE)
NOTHING_LOWER = 1 << 62


@rule
def beyond_quota(s: State, leaf: int, gpus: int) -> int:
    """Return the lowest level whose quota so many more GPUs that nobody may stop would exceed, or -1."""
    node = leaf
    while s.tree[node].parent >= 0:
        if s.tree[node].immune + gpus > s.tree[node].quota:
            return int(node)
        node = s.tree[node].parent
    return -1


@large_rule
def face_leaves(s: State, job: int) -> None:
    """Note for each other leaf the node y by which it faces the claimant, and of y how much it may hold undisturbed.

    Maintain fair share: more than max(quota, fair GPUs). Guarantee deserved quota: more than its quota, where x stays in its
    own with the job.
    """
    j, tree = s.jobs[job], s.tree
    for leaf in s.leaves:
        if leaf == j.leaf:
            continue
        x, y = fork(s, j.leaf, leaf)
        tree[leaf].facing = y
        tree[y].taken = 0
        tree[y].undisturbed = allocatable(s, y)
        tree[y].for_quota = 1 if tree[x].allocated + j.gpus <= tree[x].quota else 0
        if tree[y].for_quota != 0:
            tree[y].undisturbed = min(tree[y].undisturbed, tree[y].quota)


@rule
def may_reclaim(s: State, row: int, job: int) -> bool:
    """Tell whether a claimant may take an interruptible slice of another leaf, after what its search has chosen already."""
    r = s.slices[row]
    if r.leaf == s.jobs[job].leaf:
        return False
    y = s.tree[s.tree[r.leaf].facing]
    return bool(s.clock[0].now >= r.start + y.reclaim_after and y.allocated - y.taken > y.undisturbed)


@rule
def count_taken(s: State, row: int, sign: int) -> None:
    """Count a slice of another leaf as chosen (1), or no longer (-1)."""
    r = s.slices[row]
    s.tree[s.tree[r.leaf].facing].taken += sign * r.gpus


@rule
def may_preempt(s: State, row: int, job: int) -> bool:
    """Tell whether a claimant may take an interruptible slice of its own leaf: of a lower priority, and past its time."""
    r, j = s.slices[row], s.jobs[job]
    return bool(
        r.leaf == j.leaf
        and s.jobs[r.job].priority < j.priority
        and s.clock[0].now >= r.start + s.tree[r.leaf].preempt_after
    )


@rule
def may_clear(s: State, job: int, node: int) -> bool:
    """Tell whether a claimant may take all of a node that is not chosen yet, one slice after the other as they were started."""
    last, first = -1, -1
    while True:
        row = -1
        for place in range(s.nodes[node].count):
            other = s.on_node[node, place]
            if s.slices[other].chosen == 0 and other > last and (row < 0 or other < row):
                row = other
        if row < 0:
            break
        if (
            s.slices[row].state != INTERRUPTIBLE
            or s.slices[row].start == s.clock[0].now
            or not may_reclaim(s, row, job)
        ):
            first = row
            break
        count_taken(s, row, 1)
        last = row
    for place in range(s.nodes[node].count):
        other = s.on_node[node, place]
        if s.slices[other].chosen == 0 and other <= last:
            count_taken(s, other, -1)
    return first < 0


@rule
def keeps_order(s: State, job: int, victims: int) -> bool:
    """Tell whether nobody on the claimant's side would be above its fair GPUs and as far above as one it takes from.

    Held / fair GPUs afterwards, of each node from the claimant's leaf to its budget, and of each sibling that gives something
    up: refused where ratio > 1 and ratio x multiplier >= the sibling's, which has fair GPUs.
    """
    j, tree, rules = s.jobs[job], s.tree, s.rules[0]
    for leaf in s.leaves:
        if leaf != j.leaf:
            tree[tree[leaf].facing].taken = 0
    for at in range(victims):
        count_taken(s, s.victims[at], 1)
    node, inside = j.leaf, 0  # what is given up below the node itself
    while tree[node].parent >= 0:
        v = tree[node]
        held, given = v.allocated - inside + j.gpus, 0
        kin = tree[v.parent].child
        while kin >= 0:
            u = tree[kin]
            if kin != node and u.taken > 0:
                given += u.taken
                if u.fair > 0 and held > v.fair:
                    times, of = rules.multiplier_part, rules.multiplier_whole
                    if compare_ratios(held * times, v.fair * of, u.allocated - u.taken, u.fair) >= 0:
                        return False
            kin = u.sibling
        inside += given
        node = v.parent
    return True


@rule
def shows_lower(s: State) -> None:
    """Set for each leaf the lowest priority that it could preempt of its own."""
    for leaf in s.leaves:
        s.tree[leaf].lowest = NOTHING_LOWER
    for node in range(len(s.nodes)):
        for place in range(s.nodes[node].count):
            r = s.slices[s.on_node[node, place]]
            v = s.tree[r.leaf]
            if r.state == INTERRUPTIBLE and r.start + v.preempt_after <= s.clock[0].now and r.start < s.clock[0].now:
                v.lowest = min(v.lowest, s.jobs[r.job].priority)
