"""Repairs: how many there were, which needed a person, how long nodes took to drain, and what that cost on-call."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from allotment.units import HOUR


def drains(rows: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    """Return how long (s) each node took to be empty once it took no new slices, -1 where it did not come to that.

    The rows are of `allotment.world.incidents.INCIDENT`.
    """
    empty = np.where(rows["drained"] >= 0, rows["drained"], rows["down"])
    known = (rows["cordoned"] >= 0) & (empty >= 0)
    return np.where(known, empty - rows["cordoned"], -1)


def repairs(incidents: pd.DataFrame, since: int, horizon: int) -> dict[str, Any]:
    """Return what the summary says of the nodes that broke from `since` on.

    `n` counts those that went out of service for repair, `with_a_person` those of them that an on-call engineer came
    to. `drain` is over unhealthy nodes: from when one took no new slices until it was empty, by itself or not (s);
    those that were still draining are counted as `open`. `on_call_hours` are what engineers spent until the horizon.

    >>> columns = {"begin": [0, 0, 5], "urgent": [False] * 3, "person": [False, True, False], "drain": [10, 30, None]}
    >>> times = {
    ...     "cordoned": [0, 0, 5],
    ...     "down": [10, 30, None],
    ...     "called": [None, 20, None],
    ...     "engineer_wait": [None, 4, None],
    ... }
    >>> columns |= times | {"engineer_time": [None, 6, None]}
    >>> optional = dict.fromkeys(("drain", *times, "engineer_time"), "Int64")
    >>> repairs(pd.DataFrame(columns).astype(optional), since=0, horizon=100)["drain"]
    {'n': 2, 'p50': 10, 'longest': 30, 'open': 1}
    """
    recent = incidents[(incidents["begin"] >= since).to_numpy()]
    out = recent["down"].notna().to_numpy()
    person = recent["person"].to_numpy().astype(bool)
    drained = np.sort(recent["drain"].dropna().to_numpy().astype(np.int64))
    visits = recent[recent["engineer_time"].notna()]
    left = horizon - (visits["called"] + visits["engineer_wait"]).to_numpy().astype(np.int64)
    spent = np.minimum(visits["engineer_time"].to_numpy().astype(np.int64), left)
    return {
        "n": int(np.count_nonzero(out)),
        "urgent": int(np.count_nonzero(out & recent["urgent"].to_numpy().astype(bool))),
        "with_a_person": int(np.count_nonzero(out & person)),
        "drain": {
            "n": len(drained),
            "p50": int(drained[(len(drained) - 1) // 2]) if len(drained) else None,
            "longest": int(drained[-1]) if len(drained) else None,
            "open": int(np.count_nonzero(recent["cordoned"].notna() & recent["down"].isna() & recent["drain"].isna())),
        },
        "on_call_hours": int(spent.sum()) / HOUR,
    }
