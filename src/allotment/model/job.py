"""What a job takes of a cluster, and what its contract claims of a budget."""

from __future__ import annotations

from typing import overload

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.integer]


@overload
def gpus_taken(gpus: int, gpus_per_node: int) -> int: ...
@overload
def gpus_taken(gpus: Integers, gpus_per_node: int) -> npt.NDArray[np.int64]: ...
def gpus_taken(gpus: int | Integers, gpus_per_node: int) -> int | npt.NDArray[np.int64]:
    """Return the GPUs that a job holds and is charged for, for one number or an array of them.

    Up to one node a job holds what it asks for, on one node; above that it takes whole nodes, rounded up.

    >>> gpus_taken(3, 8), gpus_taken(8, 8), gpus_taken(9, 8), gpus_taken(256, 8)
    (3, 8, 16, 256)
    """
    if isinstance(gpus, np.ndarray):
        asked = gpus.astype(np.int64)
        return np.where(asked <= gpus_per_node, asked, -(-asked // gpus_per_node) * gpus_per_node)
    return gpus if gpus <= gpus_per_node else -(-gpus // gpus_per_node) * gpus_per_node


def nodes_taken(gpus: int, gpus_per_node: int) -> int:
    """Return on how many nodes a job's gang stands.

    >>> nodes_taken(3, 8), nodes_taken(8, 8), nodes_taken(9, 8)
    (1, 1, 2)
    """
    return max(1, -(-gpus // gpus_per_node))


def claim(gpus: int, gpus_per_node: int, min_runtime: int) -> int:
    """Return the GPU-seconds that a contract sets aside: the GPUs taken, for the minimum runtime (seconds).

    >>> claim(gpus=12, gpus_per_node=8, min_runtime=3600)
    57600
    """
    return gpus_taken(gpus, gpus_per_node) * min_runtime
