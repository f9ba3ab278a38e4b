"""What stood where at one moment."""

from __future__ import annotations

import attrs
import numpy as np
import numpy.typing as npt
import pandas as pd

from allotment.results.result import Result

IN_SERVICE, DRAINING, DOWN = range(3)


@attrs.frozen(kw_only=True, eq=False)
class Moment:
    """The nodes of a cluster at one moment."""

    time: int
    """Seconds from the start; decisions of this second have been carried out."""
    state: npt.NDArray[np.int8]
    """Of every node: in service, being emptied, or out of service."""
    held: pd.DataFrame
    """A row for each slice on each node, by node and then as they started: `node`, `gpus` there, `job`, `leaf`, `state`."""


def moment(result: Result, time: int) -> Moment:
    """Return what every node held at a moment (s)."""
    slices = result.slices
    running = (slices["start"].to_numpy() <= time) & (slices["end"].to_numpy() > time)
    there = slices[running]
    segments = result.segments
    now = segments[((segments["begin"] <= time) & (segments["end"] > time)).to_numpy()]
    placed = result.placements[np.isin(result.placements["slice"].to_numpy(), there["slice"].to_numpy())]
    of = placed.merge(there[["slice", "job", "leaf", "take", "nodes"]], on="slice")
    of = of.merge(now[["slice", "state"]], on="slice").sort_values(["node", "slice"], kind="stable")
    held = pd.DataFrame(
        {
            "node": of["node"].to_numpy(),
            "gpus": of["take"].to_numpy() // of["nodes"].to_numpy(),
            "job": of["job"].to_numpy(),
            "leaf": of["leaf"].astype("str").to_numpy(object),
            "state": of["state"].astype("str").to_numpy(object),
        }
    )
    return Moment(time=time, state=_states(result, time), held=held)


def _states(result: Result, time: int) -> npt.NDArray[np.int8]:
    state = np.full(result.scenario.cluster.nodes, IN_SERVICE, np.int8)
    broken = result.incidents
    node = broken["node"].to_numpy()
    never = np.iinfo(np.int64).max
    cordoned, down, repaired = (
        broken[name].fillna(never).to_numpy(np.int64) for name in ("cordoned", "down", "repaired")
    )
    state[node[(cordoned <= time) & (down > time) & (repaired > time)]] = DRAINING
    state[node[(down <= time) & (repaired > time)]] = DOWN
    return state
