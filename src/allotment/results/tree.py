"""The plan tree as rows: what lies below what, and the path that names each node."""

from __future__ import annotations

from collections import Counter

import attrs
import numpy as np
import numpy.typing as npt
import pandas as pd

from allotment.kernel.log import Log
from allotment.model.plan import Plan

Integers = npt.NDArray[np.int64]


@attrs.frozen(kw_only=True, eq=False)
class Tree:
    """The nodes of a log's tree, in the order of their ids. Arrays have one entry a node; the root's parent is -1."""

    ids: tuple[str, ...]
    paths: pd.CategoricalDtype
    parent: npt.NDArray[np.int32]
    depth: npt.NDArray[np.int16]

    @classmethod
    def of(cls, plan: Plan, log: Log) -> Tree:
        """Return the tree that a log's rows speak of, with the names that the plan gives."""
        paths = distinct([plan.path(node) for node in log.tree_ids], log.tree_ids)
        return cls(
            ids=log.tree_ids,
            paths=pd.CategoricalDtype(pd.Index(paths, dtype="str")),
            parent=log.tree_parent,
            depth=depths(log.tree_parent),
        )

    @property
    def is_leaf(self) -> npt.NDArray[np.bool_]:
        """True where jobs are charged."""
        leaf = np.ones(len(self.ids), bool)
        leaf[self.parent[self.parent >= 0]] = False
        return leaf

    @property
    def budget(self) -> npt.NDArray[np.int64]:
        """The child of the root above each node, itself included; -1 for the root."""
        at = np.where(self.depth > 0, np.arange(len(self.ids)), -1)
        while (deep := (at >= 0) & (self.depth[at] > 1)).any():
            at[deep] = self.parent[at[deep]]
        return at

    def below(self) -> npt.NDArray[np.bool_]:
        """Return [node, other]: whether `other` is the node or lies below it."""
        count = len(self.ids)
        inside = np.zeros((count, count), bool)
        at = other = np.arange(count, dtype=np.int32)
        while at.size:
            inside[at, other] = True
            up = self.parent[at]
            at, other = up[up >= 0], other[up >= 0]
        return inside

    def roll_up(self, values: Integers) -> Integers:
        """Return values by [node, ...] with everything below a node added to it."""
        total = values.copy()
        for node in np.argsort(-self.depth, kind="stable"):
            if self.parent[node] >= 0:
                total[self.parent[node]] += total[node]
        return total

    def named(self, rows: npt.NDArray[np.integer]) -> pd.Categorical:
        """Return the paths of nodes given by row; -1 is NA."""
        return pd.Categorical.from_codes(rows, dtype=self.paths, validate=False)


def depths(parent: npt.NDArray[np.int32]) -> npt.NDArray[np.int16]:
    """Return how far below the root each node is.

    >>> depths(np.array([1, -1, 0], np.int32)).tolist()
    [1, 0, 2]
    """
    depth = np.zeros(len(parent), np.int16)
    at = parent
    while (at >= 0).any():
        depth += at >= 0
        at = np.where(at >= 0, parent[at], -1)
    return depth


def distinct(paths: list[str], ids: tuple[str, ...]) -> list[str]:
    """Return the paths, those that two nodes share with their id behind: names are free, columns are not.

    >>> distinct(["vision/own", "vision/own", "speech"], ("a", "b", "c"))
    ['vision/own (a)', 'vision/own (b)', 'speech']
    """
    count = Counter(paths)
    return [f"{path} ({node})" if count[path] > 1 else path for path, node in zip(paths, ids, strict=True)]
