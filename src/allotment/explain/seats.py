"""Where the slices that run sit."""

from __future__ import annotations

from typing import Any

import numpy as np

from allotment.explain.order import Line

Integers = Any


def seats(line: Line) -> tuple[Integers, Integers, Integers]:
    """Return each seat of a running slice: its node, its GPUs there, and the row of the slice among those that run."""
    nodes, found = line.glance.nodes, []
    for row, of in enumerate(line.glance.slices):
        node, each = int(of["node"]), int(of["gpus"]) // max(int(of["need"]), 1)
        for _ in range(max(int(of["need"]), 1)):
            found.append((node, each, row))
            node = int(nodes["gang_next"][node])
    table = np.array(found, np.int64).reshape(-1, 3)
    return table[:, 0], table[:, 1], table[:, 2]
