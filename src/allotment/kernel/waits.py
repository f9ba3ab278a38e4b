"""What a job waits for: the cause after each pass, noted when it changes, for the jobs that somebody asked about.

Like the causes of idle GPUs this looks at nodes and queues anew and shares no code with the placement, so that a job
which could have started shows as `unexplained`. Without a question it costs a comparison a pass.
"""

from __future__ import annotations

from allotment.kernel.funding import FUNDED, SAVING, above_entitlement, is_lent, lacking_level, why_not, within_slots
from allotment.kernel.idle import STOPPED
from allotment.kernel.jit import large_rule, rule
from allotment.kernel.layout import State
from allotment.kernel.overquota import beyond_quota
from allotment.kernel.queues import DISPLACED, HOLDER, head
from allotment.kernel.room import HELD, OPEN_TO_CLAIM, UNRESERVED, could_have, free_now, takes_unallocated, without_room
from allotment.kernel.slices import is_immune
from allotment.kernel.treap import precedes
from allotment.model.codes import JobState, WaitCode
from allotment.model.policy import Lending, Match

IDLE_KIN = int(Lending.IDLE_KIN)
MATCH_ALL = int(Match.ALL)
MATCH_FUNDED = int(Match.FUNDED)
RUNNING = int(JobState.RUNNING)
WAITING = int(JobState.WAITING)

NEXT_PASS = int(WaitCode.NEXT_PASS)
NO_CONTRACT = int(WaitCode.NO_CONTRACT)
TOO_LARGE = int(WaitCode.TOO_LARGE)
HEADROOM = int(WaitCode.HEADROOM)
BEHIND_SAVING = int(WaitCode.SAVING)
SLOT_LIMIT = int(WaitCode.SLOT_LIMIT)
BEHIND = int(WaitCode.BEHIND)
BEHIND_RANK = int(WaitCode.BEHIND_RANK)
RESERVED = int(WaitCode.RESERVED)
HOLDING = int(WaitCode.HOLDING)
BEYOND_QUOTA = int(WaitCode.BEYOND_QUOTA)
BEYOND_FAIR_SHARE = int(WaitCode.BEYOND_FAIR_SHARE)
UNEXPLAINED = int(WaitCode.UNEXPLAINED)


@large_rule
def note_waits(s: State) -> None:
    """Note, after a pass, what each job waits for that was asked about, unless it is the same as before.

    Most of them do not wait at any one moment, so those that do are kept in front, and looked for only after a wait began
    or ended.
    """
    clock = s.clock[0]
    if clock.asked_queueing != clock.queueing:
        _bring_to_front(s)
        clock.asked_queueing = clock.queueing
    if clock.asked_waiting == 0:
        return
    most, empty = free_now(s)
    for at in range(clock.asked_waiting):
        job = s.asked[at]
        j = s.jobs[job]
        code, level, other = _cause(s, job, empty >= j.need if j.need > 0 else most >= j.gpus)
        if code != j.noted or level != j.noted_level or other != j.noted_other or j.queued_at != j.noted_of:
            j.noted = code
            j.noted_level = level
            j.noted_other = other
            j.noted_of = j.queued_at
            _write(s, job, code, level, other)


@large_rule
def _bring_to_front(s: State) -> None:
    """Put those that wait before the others; those that are over are asked about no longer."""
    clock = s.clock[0]
    clock.asked_waiting = 0
    at = 0
    while at < clock.asked:
        job = s.asked[at]
        state = s.jobs[job].state
        if state > RUNNING:
            clock.asked -= 1
            s.asked[at] = s.asked[clock.asked]
            continue
        if state == WAITING:
            s.asked[at] = s.asked[clock.asked_waiting]
            s.asked[clock.asked_waiting] = job
            clock.asked_waiting += 1
        at += 1


@large_rule
def _write(s: State, job: int, code: int, level: int, other: int) -> None:
    j, clock = s.jobs[job], s.clock[0]
    w = s.waits[clock.waits]
    clock.waits += 1
    w.time = clock.now
    w.job = job
    w.code = code
    w.level = level
    w.other = other
    w.claim = j.gpus * j.min_runtime
    w.headroom = 0
    w.used = -1
    w.entitled = -1
    w.held = -1
    w.limit = -1
    w.due = -1
    w.room = could_have(s, job, OPEN_TO_CLAIM, takes_unallocated(s))[0]
    if level >= 0:
        v = s.tree[level]
        w.headroom = v.headroom
        w.used = v.used + v.committed
        w.entitled = v.entitled
        if code == SLOT_LIMIT:
            w.held = v.allocated
            w.limit = v.allocated_limit
        elif code == BEYOND_QUOTA:
            w.held = v.immune
            w.limit = v.quota
        elif code == BEYOND_FAIR_SHARE:
            w.held = v.allocated
            w.limit = v.fair
    if code in (HOLDING, HELD):
        for hold in range(len(s.holds)):
            if s.holds[hold].job == (job if code == HOLDING else other):
                w.due = s.holds[hold].due
    elif code == RESERVED or (clock.reserved != 0 and clock.reserved_for == job):
        w.due = clock.reserved_until


@rule
def _cause(s: State, job: int, fits: bool) -> tuple[int, int, int]:
    """Return what a waiting job waits for: the code, the plan node that decides and the job in the way, or -1.

    `fits` tells whether what is free would be enough for it.
    """
    j, rules = s.jobs[job], s.rules[0]
    if j.place == DISPLACED:
        return NEXT_PASS, -1, -1
    if j.place == HOLDER:
        return HOLDING, -1, -1
    if rules.contracts != 0:
        return _under_contracts(s, job, fits)
    if rules.quotas != 0:
        return _under_quotas(s, job, fits)
    return _by_rank(s, job, fits)


# --- policies with contracts --------------------------------------------------------------------------------------------


@large_rule
def _under_contracts(s: State, job: int, fits: bool) -> tuple[int, int, int]:
    j, clock, rules = s.jobs[job], s.clock[0], s.rules[0]
    if fits and _could_fill(s, job):
        return UNEXPLAINED, -1, -1
    claim, short = j.gpus * j.min_runtime, j.min_runtime <= rules.short
    if claim == 0:
        return NO_CONTRACT, -1, -1
    level = above_entitlement(s, j.leaf, claim, short)
    if level >= 0:
        return TOO_LARGE, level, -1
    first = head(s, j.cls) if rules.heads_only == 0 else _first_of_leaf(s, j.leaf)
    if first != job:
        return BEHIND, j.leaf, first
    why = why_not(s, j.cls)
    if why == SAVING:
        return BEHIND_SAVING, j.leaf, s.tree[j.leaf].saving_job
    if why != FUNDED:
        return HEADROOM, lacking_level(s, j.leaf, claim, short), -1
    level = within_slots(s, j.leaf, j.gpus, True)
    if level >= 0:
        return SLOT_LIMIT, level, -1
    if s.classes[j.cls].blocked != clock.passes:
        if clock.stopped != 0:
            return BEHIND_RANK, -1, clock.stopped_by
        late = rules.heads_only != 0 or _borrows(s, j.leaf, claim, short) or _is_limited(s, j.leaf)
        return NEXT_PASS if late else UNEXPLAINED, -1, -1
    return without_room(s, job)


@large_rule
def _could_fill(s: State, job: int) -> bool:
    """Tell whether a job for which enough is free might have started there, charged to nobody."""
    j = s.jobs[job]
    if s.clock[0].stopped == STOPPED or within_slots(s, j.leaf, j.gpus, False) >= 0:
        return False
    for partition in range(s.rules[0].partitions):
        match = s.partitions[partition].match
        if match == MATCH_ALL or (match != MATCH_FUNDED and why_not(s, j.cls) != FUNDED):
            return True
    return False


@rule
def _first_of_leaf(s: State, leaf: int) -> int:
    best = -1
    cls = s.tree[leaf].classes
    while cls >= 0:
        job = head(s, cls) if s.classes[cls].min_runtime > 0 else -1
        if job >= 0 and (best < 0 or precedes(s.jobs, job, best)):
            best = job
        cls = s.classes[cls].next
    return best


@rule
def _borrows(s: State, leaf: int, claim: int, short: bool) -> bool:
    """Tell whether a claim is funded by a loan alone, which may have come about in this pass."""
    if short or s.rules[0].lending != IDLE_KIN or not is_lent(s, leaf):
        return False
    level = leaf
    while level != s.tree[leaf].budget:
        if claim > s.tree[level].headroom - s.tree[level].reserve:
            return True
        level = s.tree[level].parent
    return False


@rule
def _is_limited(s: State, leaf: int) -> bool:
    """Tell whether slots may have come free in this pass, by a displacement."""
    if s.rules[0].slot_limits == 0:
        return False
    level = leaf
    while level >= 0:
        if s.tree[level].allocated_limit >= 0:
            return True
        level = s.tree[level].parent
    return False


# --- the others ---------------------------------------------------------------------------------------------------------


@large_rule
def _under_quotas(s: State, job: int, fits: bool) -> tuple[int, int, int]:
    j = s.jobs[job]
    level = within_slots(s, j.leaf, j.gpus, True)
    if level >= 0:
        return SLOT_LIMIT, level, -1
    if is_immune(s, job):
        level = beyond_quota(s, j.leaf, j.gpus)
        if level >= 0:
            return BEYOND_QUOTA, level, -1
    if fits:
        return NEXT_PASS if s.clock[0].dirty != 0 else UNEXPLAINED, -1, -1
    first = head(s, j.cls)
    if first != job:
        return BEHIND, j.leaf, first
    if s.tree[j.leaf].allocated + j.gpus > s.tree[j.leaf].fair:
        return BEYOND_FAIR_SHARE, j.leaf, -1
    return without_room(s, job)


@large_rule
def _by_rank(s: State, job: int, fits: bool) -> tuple[int, int, int]:
    j, clock = s.jobs[job], s.clock[0]
    level = within_slots(s, j.leaf, j.gpus, True)
    if level >= 0:
        return SLOT_LIMIT, level, -1
    may = fits
    if (
        fits
        and clock.reserved != 0
        and clock.reserved_for != job
        and not 0 < j.plan <= clock.reserved_until - clock.now
    ):
        may = could_have(s, job, UNRESERVED, False)[1]
    if clock.stopped == STOPPED and job != clock.stopped_by:
        return BEHIND_RANK, -1, clock.stopped_by
    if may:  # what a displacement left over, after the job had been looked at, is for the next pass
        return NEXT_PASS if clock.dirty != 0 else UNEXPLAINED, -1, -1
    if fits:
        return RESERVED, -1, clock.reserved_for
    first = head(s, j.cls)
    if first != job:
        return BEHIND, j.leaf, first
    return without_room(s, job)
