"""What a run leaves behind: arrays of codes and numbers, to the second and the GPU-second. Words come later.

Time is whole seconds from the scenario's start, GPU-time is GPU-seconds, -1 stands for "none". Rows are in the order in
which things happened, so a later decision of the same second has a larger row number.
"""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from allotment.model.codes import IdleCause

SHARE_UNIT = 10**8  # absolute shares are whole numbers of this part

Records = npt.NDArray[Any]  # a structured array of one of the types below
Integers = npt.NDArray[np.int64]

JOB_LOG = np.dtype(
    [
        ("submit", "i8"),  # -1: a closed stream did not get this far
        ("first_start", "i8"),
        ("end", "i8"),  # the moment of finishing, cancelling or giving up; -1 while it waits or runs
        ("state", "i1"),  # JobState
        ("queued", "i8"),  # s, all waiting: before the first start and after every displacement
        ("done", "i8"),  # s of work kept
        ("lost", "i8"),  # GPU-s of work that had to be, or would have to be, done again
        ("restarts", "i4"),  # slices after the first
        ("slices", "i4"),
        ("take", "i4"),  # GPUs held and charged
        ("too_large", "?"),  # its claim is above the whole entitlement of a level that counts
    ]
)
SLICE = np.dtype(
    [
        ("job", "i4"),
        ("start", "i8"),
        ("end", "i8"),
        ("end_code", "i1"),  # EndCode
        ("for_job", "i4"),  # whom it made room for
        ("overhead", "i8"),  # s of start-up or restart due before its work goes on
        ("kept", "i8"),  # s of work that outlived it
        ("lost", "i8"),  # GPU-s
        ("take", "i4"),
        ("nodes", "i4"),  # how many it stands on
    ]
)
SEGMENT = np.dtype([("slice", "i4"), ("state", "i1"), ("begin", "i8"), ("end", "i8")])  # SliceState; none is empty
PLACEMENT = np.dtype([("slice", "i4"), ("node", "i4")])
DECISION = np.dtype(
    [
        ("time", "i8"),
        ("code", "i1"),  # DecisionCode
        ("reason", "i1"),  # Reason
        ("level", "i4"),  # the plan node whose numbers decided
        ("job", "i4"),
        ("slice", "i4"),
        ("other_job", "i4"),
        ("claim", "i8"),
        ("headroom", "i8"),  # entitled - used, before this claim is charged; none where entitled is -1
        ("used", "i8"),  # use in the window + committed, at `level`, before this claim is charged
        ("entitled", "i8"),
        ("other_used", "i8"),
        ("other_entitled", "i8"),
        ("lost", "i8"),
    ]
)
WAIT = np.dtype(
    [
        ("time", "i8"),  # of the pass from which on it is so
        ("job", "i4"),
        ("code", "i1"),  # WaitCode
        ("level", "i4"),  # the plan node whose numbers decide
        ("other", "i4"),  # the job that stands in the way
        ("claim", "i8"),
        ("headroom", "i8"),  # entitled - used at `level`; none where entitled is -1
        ("used", "i8"),  # use in the window + committed, at `level`
        ("entitled", "i8"),
        ("held", "i8"),  # GPUs in use at `level`, of a limit, a quota or fair GPUs
        ("limit", "i8"),  # and how many it may have
        ("room", "i8"),  # GPUs that could be had, on whichever nodes
        ("due", "i8"),  # when the nodes are due that are held or reserved
    ]
)
CAPACITY = np.dtype([("time", "i8"), ("healthy", "i4"), ("draining", "i4"), ("down", "i4")])  # a step function, GPUs


def _of(dtype: np.dtype[Any]) -> Any:
    def check(instance: Any, attribute: attrs.Attribute[Any], value: Any) -> None:
        if not isinstance(value, np.ndarray) or value.dtype != dtype or value.ndim != 1:
            raise ValueError(f"{attribute.name} must be a row of records {dtype.names}, not {value!r:.200}")

    return check


@attrs.frozen(kw_only=True, eq=False)
class Log:
    """All that happened in one run until its horizon, at which everything that still ran was ended.

    `idle` is GPU-seconds by [hour, cause]. `tree_ids` are the plan nodes in the order of their ids, with ``root`` and
    the ``x/own`` of inner nodes with jobs; `epoch_share` is [epoch, plan node], absolute, in parts of SHARE_UNIT,
    rounded down; `leaf_node` leads from the job table's leaves to plan nodes.
    """

    jobs: Records = attrs.field(validator=_of(JOB_LOG))
    slices: Records = attrs.field(validator=_of(SLICE))
    segments: Records = attrs.field(validator=_of(SEGMENT))
    placements: Records = attrs.field(validator=_of(PLACEMENT))
    decisions: Records = attrs.field(validator=_of(DECISION))
    capacity: Records = attrs.field(validator=_of(CAPACITY))
    idle: Integers
    tree_ids: tuple[str, ...]
    tree_parent: npt.NDArray[np.int32]
    epoch_time: Integers
    epoch_share: Integers
    leaf_node: npt.NDArray[np.int32]
    horizon: int
    capacity_gpus: int
    passes: int
    events: int

    def __attrs_post_init__(self) -> None:
        hours = -(-self.horizon // 3_600)
        shapes = {
            "idle": (self.idle.shape, (hours, len(IdleCause))),
            "tree_parent": (self.tree_parent.shape, (len(self.tree_ids),)),
            "epoch_share": (self.epoch_share.shape, (len(self.epoch_time), len(self.tree_ids))),
        }
        wrong = [f"{name} has shape {got}, not {want}" for name, (got, want) in shapes.items() if got != want]
        if wrong:
            raise ValueError("; ".join(wrong))
