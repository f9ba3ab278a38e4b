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
    slices, segments, placed = result.slices, result.segments, result.placements
    running = (slices["start"].to_numpy() <= time) & (slices["end"].to_numpy() > time)
    now = (segments["begin"].to_numpy() <= time) & (segments["end"].to_numpy() > time)
    states = np.zeros(len(slices), np.int64)
    states[segments["slice"].to_numpy()[now]] = segments["state"].cat.codes.to_numpy()[now]
    at = placed["slice"].to_numpy()
    there = np.flatnonzero(running[at])
    there = there[np.lexsort((at[there], placed["node"].to_numpy()[there]))]
    of = at[there]
    leaf, state = slices["leaf"].cat, segments["state"].cat
    held = pd.DataFrame(
        {
            "node": placed["node"].to_numpy()[there],
            "gpus": slices["take"].to_numpy()[of] // np.maximum(slices["nodes"].to_numpy()[of], 1),
            "job": slices["job"].to_numpy()[of],
            "leaf": np.array([str(path) for path in leaf.categories], object)[leaf.codes.to_numpy()[of]],
            "state": np.array([str(name) for name in state.categories], object)[states[of]],
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
