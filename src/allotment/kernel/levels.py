"""Ranks of leaves by level fair share: down the tree the sibling whose part of shares over its part of use is the highest.

LF = S / U with S = shares / shares of all siblings and U = use / use of all siblings; without shares it is 0, else without
use it is infinite. A leaf's rank is how many leaves come before it. Ties are those of Slurm's page on Fair Tree
(doc/html/fair_tree.shtml): equal leaves share a rank, the children of equal inner nodes are one family, and a leaf that is
equal to an inner node has the rank of that one's first leaf.
"""

from __future__ import annotations

import numpy as np

from allotment.kernel.jit import large_rule, rule
from allotment.kernel.layout import State
from allotment.kernel.rank import TOO_CLOSE, compare_ratios


@large_rule
def rank_leaves(s: State) -> None:
    """Set how many leaves stand before each leaf of the plan, by use in the window and the shares of now.

    `s.line` holds the plan nodes level by level; each level is sorted by the rank of the family and by LF.
    """
    tree, line, epoch = s.tree, s.line, s.clock[0].epochs - 1
    for node in s.upward:
        tree[node].child_shares = 0
    for node in s.upward:
        tree[node].share = s.shares[epoch, node]
        if tree[node].parent >= 0:
            tree[tree[node].parent].child_shares += s.shares[epoch, node]
    begin = 1  # the root has no siblings
    while begin < len(line):
        end = begin
        while end < len(line) and tree[line[end]].depth == tree[line[begin]].depth:
            _rate(s, line[end])
            end += 1
        for at in range(begin + 1, end):  # nearly sorted by the last pass
            node, place = line[at], at
            while place > begin and _comes_before(s, node, line[place - 1]):
                line[place] = line[place - 1]
                place -= 1
            line[place] = node
        _stand(s, begin, end)
        begin = end


@rule
def _rate(s: State, node: int) -> None:
    """Set LF as a float, which decides a comparison unless two are too close."""
    above, below = _fair_share(s, node)
    s.tree[node].fair_share = above / below if below > 0 else np.inf


@rule
def _fair_share(s: State, node: int) -> tuple[int, int]:
    """Return LF as a ratio of whole numbers: (share / shares of siblings) / (use / use of siblings)."""
    v = s.tree[node]
    up = s.tree[v.parent]
    if v.share == 0:
        return 0, 1
    if v.used == 0:
        return 1, 0
    return int(v.share * up.used), int(up.child_shares * v.used)


@rule
def _compare(s: State, a: int, b: int) -> int:
    """Return -1 where the LF of `a` is the higher, 0 where they are equal; exact."""
    x, y = s.tree[a].fair_share, s.tree[b].fair_share
    if x > y * (1.0 + TOO_CLOSE):
        return -1
    if y > x * (1.0 + TOO_CLOSE):
        return 1
    a_above, a_below = _fair_share(s, a)
    b_above, b_below = _fair_share(s, b)
    return -compare_ratios(a_above, a_below, b_above, b_below)


@rule
def _comes_before(s: State, a: int, b: int) -> bool:
    """Tell whether one node of a level comes before another: by the family, then by LF."""
    x, y = s.tree[s.tree[a].parent].tied, s.tree[s.tree[b].parent].tied
    if x != y:
        return bool(x < y)
    return bool(_compare(s, a, b) < 0)


@rule
def _stand(s: State, begin: int, end: int) -> None:
    """Give the nodes of a sorted level their ranks: those that are equal and of one family are one tie.

    `standing` is the rank of the leaves of a tie, and of the first leaf below its inner nodes; `inside` is how many leaves
    come before the others below; `tied` tells ties apart.
    """
    tree, line = s.tree, s.line
    at, before = begin, 0
    while at < end:
        node = line[at]
        up = tree[tree[node].parent]
        standing = before
        if at == begin or tree[tree[line[at - 1]].parent].tied != up.tied:  # the first of its family
            standing, before = up.standing, up.inside
        after, inside, below = at, before, 0
        while after < end and not _comes_before(s, node, line[after]):
            inside += 1 if tree[line[after]].users_below == 0 else 0
            below += max(tree[line[after]].users_below, 1)
            after += 1
        for member in range(at, after):
            v = tree[line[member]]
            v.standing = standing
            v.inside = inside
            v.tied = at
        before += below
        at = after
