"""The state of one run: arrays of records, in one tuple.

Every field is int64 (only ratios, and the decayed sums of a half-life, are float64): seconds, GPUs, GPU-seconds, codes or row numbers;
-1 stands for "none". Plan nodes are numbered in the order of their ids, so that "ties by id" is a comparison of row
numbers and reordering siblings changes nothing.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

SHARE_UNIT = 10**8  # absolute shares are whole numbers of this part


def _record(*names: str) -> np.dtype[Any]:
    return np.dtype([(name, "i8") for name in names])


JOB = _record(
    # its place in a queue: see treap.py
    *("left", "right", "parent", "heat", "key0", "key1", "key2", "plan", "lowest"),
    # as submitted
    *("leaf", "cls", "gpus", "need", "min_runtime", "submit", "work", "checkpoint", "startup", "restart"),
    *("priority", "limit", "preemptible", "stream", "watched", "given_up_after"),
    # as it stands
    *("state", "place", "slice", "done", "queued_at", "queued", "lost", "restarts", "slices", "first_start", "end"),
    *("displaced_at", "funded_at", "reason", "level", "too_large"),
)
CLASS = _record(
    *("leaf", "gpus", "need", "min_runtime"),
    *("fresh", "cooling", "running"),  # roots of its queues: waiting, waiting after a recent displacement, unallocated
    *("first_fresh", "first_cooling", "first_running"),
    *("displaced", "blocked", "blocked_at", "tried", "mask", "next", "previous", "listed"),
)
TREE = _record(
    *("parent", "depth", "budget", "leaf", "share", "used", "committed", "entitled", "headroom", "use"),
    *("protected", "until", "earmark", "allocated", "unallocated", "allocated_limit", "unallocated_limit"),
    *("classes", "interruptible_long", "interruptible_short", "long_waiting", "long_running", "lenders", "spare"),
    *("saving", "saving_take", "saving_runtime", "save_from", "added", "reserve"),
    *("promotable", "stirred", "unfunded", "least_long", "least_short", "room_long", "room_short"),
)
TREE = np.dtype([*TREE.descr, ("ratio", "f8")])
NODE = _record(
    "free", "unallocated", "interruptible", "count", "down", "draining", "hold", "gang_next", "cause", "counted"
)
SLICE = _record(
    *("job", "state", "start", "begin", "end", "end_code", "for_job", "overhead", "kept", "lost", "gpus", "need"),
    *("node", "until", "finish", "timer", "plan_end", "next", "previous", "blocked", "chosen"),
)
NOTICE = _record("kind", "row")
TIMER = _record("time", "kind", "row")
POINT = np.dtype([("time", "i8"), ("total", "i8"), ("rate", "i8"), ("next", "i8"), ("decayed", "f8")])
CURVE = _record("oldest", "latest")
EPOCH = np.dtype([("time", "i8"), ("total", "i8"), ("decayed", "f8")])
STREAM = _record("closed", "next", "end", "outstanding", "target", "target_at", "target_end", "dirty")
TARGET = _record("time", "gpus")
HOLD = _record("job", "since", "due", "tried", "mask")
PARTITION = _record("match", "licence", "keys", "key0", "key1", "key2", "key3", "key4", "key5", "key6")
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
    ),
)


class State(NamedTuple):
    """All arrays of a run; `rules` and `clock` have one row each."""

    rules: Any
    clock: Any
    partitions: Any
    jobs: Any
    classes: Any
    tree: Any
    upward: Any  # plan nodes, children before parents
    leaves: Any  # plan nodes that jobs belong to
    nodes: Any
    on_node: Any  # [node, place] -> slice
    slices: Any
    timers: Any
    points: Any
    curves: Any  # 2 per plan node (allocated use, all use), and last the healthy capacity
    epochs: Any
    shares: Any  # [epoch, plan node]
    streams: Any
    targets: Any
    holds: Any
    arrivals: Any  # jobs of open streams in the order of submission
    segments: Any
    placements: Any
    decisions: Any
    capacity: Any
    idle: Any  # [hour, cause]
    idling: Any  # GPUs per cause now
    free_count: Any  # nodes in service by free GPUs
    loose_count: Any  # nodes in service by free + unallocated + interruptible GPUs
    reserved: Any  # per node: 1 where a better rank has a reservation
    picked: Any  # node scratch: what placement chose
    victims: Any  # slice scratch: what reclaim chose
    displaced: Any  # jobs displaced in this pass
    allowed: Any  # per plan node scratch: 1 where the claimant may reclaim from this leaf
    cost: Any  # node scratch
    candidates: Any  # class scratch: those whose claim is funded
    notices: Any  # what the world asked to be told
