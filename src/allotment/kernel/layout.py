"""The state of one run: arrays of records, in one object.

Every field is int64 (only ratios, and the decayed sums of a half-life, are float64): seconds, GPUs, GPU-seconds, codes or row numbers;
-1 stands for "none". Plan nodes are numbered in the order of their ids, so that "ties by id" is a comparison of row
numbers and reordering siblings changes nothing.
"""

# ruff: noqa: RUF009 - what `_rows` returns is a field of attrs

from __future__ import annotations

from typing import Any

import attrs
import numpy as np

from allotment.kernel.log import CAPACITY, DECISION, PLACEMENT, SEGMENT, WAIT

WORDS = 3  # of the addresses of a state, for each of its arrays: where it lies, and its lengths (at most two)


def _record(*names: str) -> np.dtype[Any]:
    return np.dtype([(name, "i8") for name in names])


JOB = _record(
    # its place in a queue: see treap.py
    *("left", "right", "parent", "heat", "key0", "key1", "key2", "plan", "lowest"),
    # as submitted
    *("leaf", "cls", "gpus", "need", "min_runtime", "submit", "work", "checkpoint", "startup", "restart"),
    *("priority", "limit", "preemptible", "stream", "watched", "given_up_after"),
    "beyond",  # GPUs that its stream counts it for beyond those that it takes, after it became smaller: see alter.py
    # as it stands
    *("state", "place", "slice", "done", "queued_at", "queued", "lost", "restarts", "slices", "first_start", "end"),
    *("displaced_at", "funded_at", "reason", "level", "too_large"),
    # what was noted last of its waiting: see waits.py
    *("noted", "noted_level", "noted_other", "noted_of"),
)
CLASS = _record(
    *("leaf", "gpus", "need", "min_runtime", "next"),
    *("fresh", "cooling", "running"),  # roots of its queues: waiting, waiting after a recent displacement, unallocated
    *("first_fresh", "first_cooling", "first_running"),
    *("displaced", "blocked", "blocked_at", "tried", "mask", "previous", "listed"),
)
TREE = _record(
    *("parent", "depth", "budget", "leaf", "share", "used", "committed", "entitled", "headroom", "use"),
    *("protected", "until", "earmark", "allocated", "unallocated", "allocated_limit", "unallocated_limit"),
    *("classes", "interruptible_long", "interruptible_short", "long_waiting", "long_running", "lenders", "spare"),
    *("saving", "saving_take", "saving_runtime", "saving_job", "save_from", "added", "reserve"),
    *("promotable", "stirred", "unfunded", "least_long", "least_short", "room_long", "room_short"),
    *("users_below", "child_shares", "standing", "inside", "tied"),  # ranks by level fair share: see levels.py
    *("child", "sibling", "weight", "preempt_after", "reclaim_after", "spared"),  # policies with quotas: of the plan
    *("asked", "immune", "quota", "request", "fair", "use_part", "part", "rest", "rest_of"),  # see division.py
    *("best", "best_child", "facing", "taken", "undisturbed", "for_quota", "lowest"),  # see quotas.py and overquota.py
)
TREE = np.dtype([*TREE.descr, ("ratio", "f8"), ("use_ratio", "f8"), ("fair_share", "f8")])
NODE = _record(
    "free", "unallocated", "interruptible", "count", "down", "draining", "hold", "gang_next", "cause", "counted"
)
SLICE = _record(
    # what a search for victims reads, side by side
    *("job", "state", "start", "chosen", "leaf", "gpus", "priced_at", "price"),
    *("need", "node", "overhead", "begin", "end", "end_code", "for_job", "kept", "lost"),
    *("until", "finish", "timer", "plan_end", "next", "previous", "blocked"),
    *("saved", "saved_from"),  # a checkpoint out of turn: see alter.py
)
NOTICE = _record("kind", "row")
TIMER = _record("time", "kind", "row")
POINT = np.dtype([("time", "i8"), ("total", "i8"), ("rate", "i8"), ("next", "i8"), ("decayed", "f8")])
CURVE = _record(
    *("oldest", "latest"),
    # the same points once more, as every pass reads every curve: the first from the window's start on, when the next
    # takes over, and the last
    *("from_time", "from_total", "from_rate", "next_time", "last_time", "last_total", "last_rate"),
)
EPOCH = np.dtype([("time", "i8"), ("total", "i8"), ("decayed", "f8")])
STREAM = _record("closed", "next", "end", "outstanding", "target", "target_at", "target_end", "dirty")
TARGET = _record("time", "gpus")
HOLD = _record("job", "since", "due", "tried", "mask")
PARTITION = _record("match", "licence", "keys", "key0", "key1", "key2", "key3", "key4", "key5", "key6", "key7", "key8")
CLOCK = _record(
    *(
        "now",
        "next_pass",
        "last_pass",
        "dirty",
        "version",
        "loosened",
        "stirred_streams",
        "events",
        "passes",
        "arrival",
        "queueing",
    ),
    *("slices", "segments", "placements", "decisions", "points", "spare_point", "timers", "epochs", "capacities"),
    *("healthy", "draining", "down", "contract_waiting", "interruptible", "unallocated", "waiting"),
    *(
        "notices",
        "idle_at",
        "displaced",
        "holds",
        "reserved_until",
        "reserved",
        "stopped",
        "changed",
        "too_young",
        "explained",
        "explained_queueing",
        "filled",
        "filled_queueing",
        "piece",
        "rated",
        "undershot",
        "reserved_for",
        "stopped_by",
        "asked",
        "asked_waiting",
        "asked_queueing",
        "waits",
    ),
)
RULES = _record(
    *("lookback", "half_life", "contracts", "cap", "short", "reserve_part", "reserve_whole", "lending", "save_after"),
    *("holders", "margin_part", "margin_whole", "within_leaf", "cooldown", "slot_limits", "backfill", "heads_only"),
    *(
        "cycle",
        "per_node",
        "nodes",
        "give_up_after",
        "partitions",
        "window",
        "order0",
        "order1",
        "order2",
        "fill",
        "by_use",
        "by_level",
        "quotas",
        "immune",
        "history_part",
        "history_whole",
        "multiplier_part",
        "multiplier_whole",
        "since",
    ),
)


def _rows(dtype: np.dtype[Any] | type = np.int64, ndim: int = 1) -> Any:
    """Return a field for an array of whole rows. Compiled code trusts what is checked here."""
    wanted = np.dtype(dtype)

    def check(state: Any, field: attrs.Attribute[Any], value: Any) -> None:
        if value.dtype != wanted or value.ndim != ndim or not value.flags.c_contiguous:
            raise ValueError(f"{field.name} must be {ndim}-dimensional, in one piece and of {wanted}")

    return attrs.field(validator=check, metadata={"dtype": wanted, "ndim": ndim})


@attrs.frozen(kw_only=True, eq=False)
class State:
    """All arrays of a run; `rules` and `clock` have one row each. `attrs.evolve` gives one with a longer array."""

    rules: Any = _rows(RULES)
    clock: Any = _rows(CLOCK)
    partitions: Any = _rows(PARTITION)
    jobs: Any = _rows(JOB)
    classes: Any = _rows(CLASS)
    tree: Any = _rows(TREE)
    upward: Any = _rows()  # plan nodes, children before parents
    leaves: Any = _rows()  # plan nodes that jobs belong to
    line: Any = _rows()  # plan nodes, parents before children, each level as it was ranked last
    nodes: Any = _rows(NODE)
    on_node: Any = _rows(ndim=2)  # [node, place] -> slice
    slices: Any = _rows(SLICE)
    timers: Any = _rows(TIMER)
    points: Any = _rows(POINT)
    curves: Any = _rows(CURVE)  # 2 per plan node (allocated use, all use), and last the healthy capacity
    epochs: Any = _rows(EPOCH)
    shares: Any = _rows(ndim=2)  # [epoch, plan node]
    streams: Any = _rows(STREAM)
    targets: Any = _rows(TARGET)
    holds: Any = _rows(HOLD)
    arrivals: Any = _rows()  # jobs of open streams in the order of submission
    segments: Any = _rows(SEGMENT)
    placements: Any = _rows(PLACEMENT)
    decisions: Any = _rows(DECISION)
    capacity: Any = _rows(CAPACITY)
    idle: Any = _rows(ndim=2)  # [hour, cause]
    idling: Any = _rows()  # GPUs per cause now
    free_count: Any = _rows()  # nodes in service by free GPUs
    loose_count: Any = _rows()  # nodes in service by free + unallocated + interruptible GPUs
    reserved: Any = _rows()  # per node: 1 where a better rank has a reservation
    picked: Any = _rows()  # node scratch: what placement chose
    victims: Any = _rows()  # slice scratch: what reclaim chose
    displaced: Any = _rows()  # jobs displaced in this pass
    allowed: Any = _rows()  # per plan node scratch: 1 where the claimant may reclaim from this leaf
    cost: Any = _rows(ndim=2)  # node scratch
    candidates: Any = _rows()  # class scratch: those whose claim is funded
    notices: Any = _rows(NOTICE)  # what the world asked to be told
    asked: Any = _rows()  # jobs of whose waiting somebody wants to know the causes
    waits: Any = _rows(WAIT)  # and these, as they change
    addresses: Any = attrs.field(init=False, repr=False)  # [array x WORDS], for compiled code

    @addresses.default
    def _find(self) -> Any:
        arrays = [getattr(self, field.name) for field in attrs.fields(State) if field.metadata]
        words = np.zeros((len(arrays), WORDS), np.int64)
        for row, array in enumerate(arrays):
            words[row, 0] = array.ctypes.data
            words[row, 1 : 1 + array.ndim] = array.shape
        return words.ravel()
