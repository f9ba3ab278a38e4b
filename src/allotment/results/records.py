"""From records, as the kernel writes them, to one array for each of their fields, as tables want them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

BLOCK = 4096  # records at a time, few enough to stay in a processor's cache while all their fields are read


def fields(records: npt.NDArray[Any]) -> dict[str, npt.NDArray[Any]]:
    """Return each field as an array of its own.

    The records are read from memory once, not once for each field.

    >>> {name: values.tolist() for name, values in fields(np.array([(1, 2.0), (3, 4.0)], "i4, f8")).items()}
    {'f0': [1, 3], 'f1': [2.0, 4.0]}
    """
    of = {name: np.empty(len(records), records.dtype[name]) for name in records.dtype.names or ()}
    for begin in range(0, len(records), BLOCK):
        block = records[begin : begin + BLOCK]
        for name, values in of.items():
            values[begin : begin + BLOCK] = block[name]
    return of
