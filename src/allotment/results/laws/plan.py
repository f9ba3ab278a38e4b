"""The plan tree as the table `shares` has it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from allotment.results.laws.facts import Facts, Integers


def parents(facts: Facts) -> Integers:
    """Return the code of the node above each plan node, -1 for the root."""
    count = len(facts.paths)
    above = np.full(count, -1, np.int64)
    above[facts.codes("shares", "node")[:count]] = facts.codes("shares", "parent")[:count]
    return above


def below(facts: Facts) -> npt.NDArray[np.bool_]:
    """Return [node, other]: whether `other` is the node or lies below it."""
    above = parents(facts)
    inside = np.eye(len(above), dtype=bool)
    for node in range(len(above)):
        at = above[node]
        while at >= 0:
            inside[at, node] = True
            at = above[at]
    return inside


def leaf_rows(facts: Facts) -> list[int]:
    """Return the codes of the plan nodes that have none below them."""
    above = set(parents(facts).tolist())
    return [node for node in range(len(facts.paths)) if node not in above]


def lineage(above: Integers, node: int) -> list[int]:
    """Return the codes from a node up to its budget, the child of the root."""
    line = [node]
    while above[line[-1]] >= 0 and above[above[line[-1]]] >= 0:
        line.append(int(above[line[-1]]))
    return line
