"""What a job that may go elsewhere would find here now: who would rank before it, how its budget stands, what is free.

A question changes nothing. What it has to bring up to now for its answer, it brings up to now in copies of its own, and a
run in which it is asked goes on like one in which it is not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs
import numpy as np

from allotment.kernel.division import divide
from allotment.kernel.funding import FUNDED, count_lenders, why_not
from allotment.kernel.jit import entry, large_rule, passed, received, rule
from allotment.kernel.layout import State
from allotment.kernel.levels import rank_leaves
from allotment.kernel.placement import in_service
from allotment.kernel.quotas import queue_before
from allotment.kernel.rank import fork, ranks_before
from allotment.kernel.treap import first
from allotment.kernel.usage import refresh, refresh_use
from allotment.model.policy import Match

ALL = int(Match.ALL)
MATCH_FUNDED = int(Match.FUNDED)
NOWHERE = 1 << 62  # the partition of what none matches
COPIED = ("clock", "tree", "curves", "line")  # all that an answer writes to, and `points`, of which most is not in use


@attrs.frozen
class Standing:
    """How a job would stand on this cluster now.

    `ahead` waiting jobs rank before it; its budget has used, or is committed to, `used` of the `entitled` GPU-seconds of
    the window; `free` GPUs of nodes in service are free.
    """

    ahead: int
    used: int
    entitled: int
    free: int


class Questions:
    """Answers questions about a state, which may be replaced by a larger one in between."""

    def __init__(self) -> None:
        self._of: State | None = None
        self._copy: State | None = None

    def standing(self, state: State, job: int) -> Standing:
        """Return how a job that is not submitted yet would stand now."""
        return Standing(*(int(number) for number in answer(passed(self._scratch(state)), job)))

    def _scratch(self, state: State) -> State:
        copy = self._copy
        if copy is None or self._of is not state:
            copies = {name: getattr(state, name).copy() for name in (*COPIED, "points")}
            self._of, self._copy = state, attrs.evolve(state, **copies)
            return self._copy
        for name in COPIED:
            np.copyto(getattr(copy, name), getattr(state, name))
        used = int(state.clock[0].points)
        copy.points[:used] = state.points[:used]
        return copy


@large_rule
def bring_up(s: State) -> None:
    """Bring up to now what ranks depend on, as the pass does that would be next."""
    rules = s.rules[0]
    refresh(s)
    s.clock[0].rated = -1
    if rules.contracts != 0 or rules.by_use != 0:
        refresh_use(s)
    if rules.by_level != 0:
        rank_leaves(s)
    if rules.contracts != 0:
        count_lenders(s)
    if rules.quotas != 0:
        divide(s)


@rule
def partition_of(s: State, cls: int) -> int:
    """Return the first partition that holds the jobs of a class."""
    for partition in range(s.rules[0].partitions):
        match = s.partitions[partition].match
        if match == ALL or (match == MATCH_FUNDED) == (why_not(s, cls) == FUNDED):
            return partition
    return NOWHERE


@large_rule
def count_ahead(s: State, job: int) -> int:
    """Return how many waiting jobs would rank before a job that is submitted now, by the keys of the policy.

    The work of an earlier partition comes before that of a later one, and those for whom nodes are held come first.
    """
    mine = partition_of(s, s.jobs[job].cls)
    before = s.jobs[job].submit
    s.jobs[job].submit = s.clock[0].now
    ahead = 0
    for hold in range(len(s.holds)):
        ahead += 1 if s.holds[hold].job >= 0 else 0
    for leaf in s.leaves:
        cls = s.tree[leaf].classes
        while cls >= 0:
            c = s.classes[cls]
            if c.fresh >= 0 or c.cooling >= 0:
                theirs = partition_of(s, cls)
                if theirs <= mine:
                    ahead += _count(s, c.fresh, job, mine, theirs < mine)
                    ahead += _count(s, c.cooling, job, mine, theirs < mine)
            cls = c.next
    s.jobs[job].submit = before
    return int(ahead)


@large_rule
def _count(s: State, root: int, job: int, partition: int, every: bool) -> int:
    """Return how many jobs of a queue rank before a job; `every` one does where its partition is an earlier one."""
    jobs = s.jobs
    count = 0
    at = first(jobs, root)
    while at >= 0:
        if every or _before(s, partition, at, job):
            count += 1
        if jobs[at].right >= 0:
            at = first(jobs, jobs[at].right)
        else:
            below = at
            at = jobs[at].parent
            while at >= 0 and jobs[at].right == below:
                below = at
                at = jobs[at].parent
    return count


@rule
def _before(s: State, partition: int, a: int, b: int) -> bool:
    """Tell whether one job ranks before another; with quotas, of two leaves, whose queue would be served first."""
    x, y = s.jobs[a].leaf, s.jobs[b].leaf
    if s.rules[0].quotas == 0 or x == y:
        return bool(ranks_before(s, partition, a, b))
    u, v = fork(s, x, y)
    s.tree[u].best = a
    s.tree[v].best = b
    return bool(queue_before(s, u, v))


@rule
def free_gpus(s: State) -> int:
    """Return the free GPUs of the nodes in service."""
    free = 0
    for node in range(len(s.nodes)):
        if in_service(s, node):
            free += s.nodes[node].free
    return int(free)


def _build(sources: str) -> Callable[[Any, int], tuple[int, int, int, int]]:
    def answer(state: Any, job: int) -> tuple[int, int, int, int]:
        """Return how many jobs rank before this one, what its budget has used and is entitled to, and what is free."""
        s = received(state)
        if len(sources) == 0:  # never so; see advance.py
            return 0, 0, 0, 0
        bring_up(s)
        budget = s.tree[s.tree[s.jobs[job].leaf].budget]
        return count_ahead(s, job), max(budget.used + budget.committed, 0), budget.entitled, free_gpus(s)

    return answer


answer: Any = entry(_build)
