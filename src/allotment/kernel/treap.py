"""Waiting jobs by class, each class a treap ordered by rank: the first, and the first that is short enough, in O(log n).

A class is one (leaf, GPUs, minimum runtime). Jobs of a class differ only in priority, age and retries, so a pass looks
at the first of each class and never at the backlog. The nodes of the treap are the jobs themselves; `heat` is a fixed
random permutation, `lowest` the least planned run time below a node (what EASY backfill asks for).
"""

from __future__ import annotations

from typing import Any

from allotment.kernel.jit import large_rule, rule


@rule
def precedes(jobs: Any, a: int, b: int) -> bool:
    """Tell whether job `a` comes before `b` of the same class."""
    x, y = jobs[a], jobs[b]
    if x.key0 != y.key0:
        return x.key0 < y.key0
    if x.key1 != y.key1:
        return x.key1 < y.key1
    if x.key2 != y.key2:
        return x.key2 < y.key2
    return a < b


@rule
def _settle_lowest(jobs: Any, at: int) -> None:
    lowest = jobs[at].plan
    left, right = jobs[at].left, jobs[at].right
    if left >= 0 and jobs[left].lowest < lowest:
        lowest = jobs[left].lowest
    if right >= 0 and jobs[right].lowest < lowest:
        lowest = jobs[right].lowest
    jobs[at].lowest = lowest


@large_rule
def _rotate_up(jobs: Any, at: int) -> None:
    parent = jobs[at].parent
    above = jobs[parent].parent
    if jobs[parent].left == at:
        moved = jobs[at].right
        jobs[parent].left = moved
        jobs[at].right = parent
    else:
        moved = jobs[at].left
        jobs[parent].right = moved
        jobs[at].left = parent
    if moved >= 0:
        jobs[moved].parent = parent
    jobs[parent].parent = at
    jobs[at].parent = above
    if above >= 0:
        if jobs[above].left == parent:
            jobs[above].left = at
        else:
            jobs[above].right = at
    _settle_lowest(jobs, parent)
    _settle_lowest(jobs, at)


@large_rule
def insert(jobs: Any, root: int, new: int) -> int:
    """Put job `new` into the treap at `root` (-1: empty) and return the new root."""
    jobs[new].left = -1
    jobs[new].right = -1
    jobs[new].parent = -1
    jobs[new].lowest = jobs[new].plan
    if root < 0:
        return new
    at = root
    while True:
        if jobs[new].plan < jobs[at].lowest:
            jobs[at].lowest = jobs[new].plan
        if precedes(jobs, new, at):
            if jobs[at].left < 0:
                jobs[at].left = new
                break
            at = jobs[at].left
        else:
            if jobs[at].right < 0:
                jobs[at].right = new
                break
            at = jobs[at].right
    jobs[new].parent = at
    while jobs[new].parent >= 0 and jobs[new].heat < jobs[jobs[new].parent].heat:
        _rotate_up(jobs, new)
    return new if jobs[new].parent < 0 else root


@large_rule
def remove(jobs: Any, root: int, old: int) -> int:
    """Take job `old` out of the treap at `root` and return the new root."""
    while jobs[old].left >= 0 or jobs[old].right >= 0:
        left, right = jobs[old].left, jobs[old].right
        child = left
        if left < 0 or (right >= 0 and jobs[right].heat < jobs[left].heat):
            child = right
        _rotate_up(jobs, child)
        if root == old:
            root = child
    parent = jobs[old].parent
    if parent < 0:
        return -1
    if jobs[parent].left == old:
        jobs[parent].left = -1
    else:
        jobs[parent].right = -1
    jobs[old].parent = -1
    while parent >= 0:
        _settle_lowest(jobs, parent)
        parent = jobs[parent].parent
    return root


@rule
def first(jobs: Any, root: int) -> int:
    """Return the first job in rank, or -1."""
    if root < 0:
        return -1
    while jobs[root].left >= 0:
        root = jobs[root].left
    return root


@rule
def first_within(jobs: Any, root: int, bound: int) -> int:
    """Return the first job in rank whose planned run time is at most `bound`, or -1."""
    if root < 0 or jobs[root].lowest > bound:
        return -1
    while True:
        left = jobs[root].left
        if left >= 0 and jobs[left].lowest <= bound:
            root = left
        elif jobs[root].plan <= bound:
            return root
        else:
            root = jobs[root].right
