"""The room that a waiting job has, looked at anew: shares no code with the placement, which may be at fault."""

from __future__ import annotations

from allotment.kernel.jit import large_rule, rule
from allotment.kernel.layout import State
from allotment.kernel.placement import gpus_on, in_service
from allotment.model.codes import SliceState, WaitCode
from allotment.model.policy import Licence

FRAGMENT = int(WaitCode.FRAGMENT)
HELD = int(WaitCode.HELD)
NOBODY = int(Licence.NOBODY)
NO_ROOM = int(WaitCode.NO_ROOM)
TOO_FEW_NODES = int(WaitCode.TOO_FEW_NODES)
UNALLOCATED = int(SliceState.UNALLOCATED)
UNEXPLAINED = int(WaitCode.UNEXPLAINED)

ANYWHERE, OPEN_TO_CLAIM, UNRESERVED = range(3)  # which nodes are looked at


@rule
def free_now(s: State) -> tuple[int, int]:
    """Return the most free GPUs of a node in service, and how many such nodes are empty."""
    most, empty = 0, 0
    for node in range(len(s.nodes)):
        if in_service(s, node):
            most = max(most, s.nodes[node].free)
            empty += 1 if s.nodes[node].free == s.rules[0].per_node else 0
    return most, empty


@rule
def takes_unallocated(s: State) -> bool:
    """Tell whether a funded claim may have what runs unallocated."""
    return bool(s.rules[0].contracts != 0 and s.partitions[0].licence != NOBODY)


@large_rule
def without_room(s: State, job: int) -> tuple[int, int, int]:
    """Return why there is no room for a job that may start, or that there is."""
    j, claims = s.jobs[job], takes_unallocated(s)
    total, fits = could_have(s, job, OPEN_TO_CLAIM, claims)
    if fits:
        return UNEXPLAINED, -1, -1
    serving = 0
    for node in range(len(s.nodes)):
        serving += 1 if in_service(s, node) else 0
    if serving < max(j.need, 1):
        return TOO_FEW_NODES, -1, -1
    if could_have(s, job, ANYWHERE, claims)[1]:
        return HELD, -1, _holder(s, j.gpus if j.need == 0 else s.rules[0].per_node, claims)
    return FRAGMENT if total >= j.gpus else NO_ROOM, -1, -1


@rule
def _holder(s: State, take: int, displacing: bool) -> int:
    """Return the job for which the most nodes are held that would have room."""
    best, most = -1, 0
    for hold in range(len(s.holds)):
        count = 0
        for node in range(len(s.nodes)):
            if s.nodes[node].hold == hold and in_service(s, node) and _room_on(s, node, displacing) >= take:
                count += 1
        if count > most:
            best, most = s.holds[hold].job, count
    return int(best)


@rule
def _room_on(s: State, node: int, displacing: bool) -> int:
    """Return the GPUs of a node that are free or, where one may have these, unallocated, but for what began this second."""
    room = s.nodes[node].free
    if displacing:
        for place in range(s.nodes[node].count):
            row = s.on_node[node, place]
            if s.slices[row].state == UNALLOCATED and s.slices[row].start < s.clock[0].now:
                room += gpus_on(s, row)
    return int(room)


@large_rule
def could_have(s: State, job: int, which: int, displacing: bool) -> tuple[int, bool]:
    """Return the GPUs that a job could have on some nodes, and whether they are enough side by side.

    `displacing` counts unallocated slices as well, which yield to every funded claim.
    """
    j, clock, per_node = s.jobs[job], s.clock[0], s.rules[0].per_node
    total, whole, enough = 0, 0, False
    for node in range(len(s.nodes)):
        if not in_service(s, node) or (which == UNRESERVED and s.reserved[node] != 0):
            continue
        hold = s.nodes[node].hold
        if which == OPEN_TO_CLAIM and hold >= 0 and clock.now + j.min_runtime > s.holds[hold].due:
            continue
        room = _room_on(s, node, displacing)
        total += room
        whole += 1 if room == per_node else 0
        enough = enough or (j.need == 0 and room >= j.gpus)
    return total, enough or (j.need > 0 and whole >= j.need)
