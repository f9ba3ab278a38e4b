"""The codes that the kernel writes and everyone above it reads; the numbers are part of the saved format."""

from __future__ import annotations

from enum import IntEnum


class Priority(IntEnum):
    """How a job is ordered within its leaf (and, under a priority policy, within the cluster); larger first."""

    LOW = 1
    NORMAL = 2
    HIGH = 3
    URGENT = 4


class JobState(IntEnum):
    """Where a job stands when the run ends."""

    UNSUBMITTED = 0
    WAITING = 1
    RUNNING = 2
    FINISHED = 3
    CANCELLED = 4
    GIVEN_UP = 5  # restarted too often without being resumable


class SliceState(IntEnum):
    """What a slice is in, at one moment; every segment of the ledger has one."""

    PROTECTED = 1  # allocated, inside its contract
    INTERRUPTIBLE = 2  # allocated, contract over (or none under this policy): charged, may be displaced
    UNALLOCATED = 3  # charged to nobody, displaceable at once


class EndCode(IntEnum):
    """Why a slice ended."""

    OPEN = 0  # still running
    FINISHED = 1
    PREEMPTED = 2  # for another job
    FAILED = 3  # its node failed hard
    DRAINED = 4  # moved off a cordoned node
    CANCELLED = 5
    URGENT_REPAIR = 6
    HORIZON = 7


class DecisionCode(IntEnum):
    """What the scheduler did."""

    START = 1  # allocated, on free GPUs or on what it reclaimed
    START_UNALLOCATED = 2
    REFUSE = 3  # a candidate looked at and not started; logged when its reason changes
    PROMOTE = 4
    DEMOTE = 5
    PREEMPT = 6
    HOLD = 7  # a set of nodes is fixed for a gang
    RELEASE = 8  # a hold ends without a start
    GIVE_UP = 9
    CARRY_OVER = 10  # another policy took over while the slice ran, and gave it the state that it has from then on


class Reason(IntEnum):
    """Why a candidate was refused, or by which rule a slice was displaced."""

    NONE = 0
    HEADROOM = 1  # the claim does not fit in the headroom of `level`
    TOO_LARGE = 2  # the claim is above the whole entitlement of `level`
    NO_ROOM = 3  # funded, but no node set can be made free
    SAVING = 4  # the leaf saves up for an older, larger claim
    SLOT_LIMIT = 5  # the GPUs in use at `level` have reached its limit
    RESERVED = 6  # what is free is reserved for a better rank
    HOLDING = 7  # its nodes are fixed and it waits for them
    BEYOND_QUOTA = 8  # not preemptible, and above what `level` deserves
    BEYOND_FAIR_SHARE = 9  # no room is free, and to have some made the leaf would hold more than its fair GPUs
    UNALLOCATED_FIRST = 11  # displaced: unallocated work yields to funded work
    BALANCE = 12  # displaced: the claimant's ratio is lower at `level`
    SHORT_CLAIM = 13  # displaced: a short claim takes any interruptible slice
    HOLD_DUE = 14  # displaced: interruptible on a held node for longer than the cap
    PRIORITY = 15  # displaced: lower priority
    OVER_FAIR_SHARE = 16  # displaced: the victim's side holds more than its fair GPUs and its quota
    OVER_QUOTA = 17  # displaced: the victim's side holds more than its quota, the claimant's stays in its own


class WaitCode(IntEnum):
    """What a job waits for, from one pass of the scheduler until another cause takes over."""

    NEXT_PASS = 1  # came into its queue, or into what may start, since it was last looked at
    NO_CONTRACT = 2  # asks no minimum runtime, so only what nobody else wants is for it
    TOO_LARGE = 3  # its claim is above the whole entitlement of `level`
    HEADROOM = 4  # its claim does not fit in the headroom of `level`
    SAVING = 5  # its leaf saves up for the older, larger claim of `other`
    SLOT_LIMIT = 6  # the GPUs in use at `level` have reached its limit
    BEHIND = 7  # `other`, of its own leaf, comes before it
    BEHIND_RANK = 8  # `other` found no room, and by the policy nothing starts behind it
    RESERVED = 9  # what is free is reserved for `other`, which it would delay
    HOLDING = 10  # nodes are held for it, and are not clear yet
    HELD = 11  # what it could have is held for `other`
    NO_ROOM = 12  # too few GPUs can be had
    FRAGMENT = 13  # enough GPUs can be had, but not side by side
    TOO_FEW_NODES = 14  # fewer nodes are in service than it needs
    BEYOND_QUOTA = 15  # not preemptible, and above what `level` deserves
    BEYOND_FAIR_SHARE = (
        16  # nothing is free for it, and to take it from others its leaf would hold more than its fair GPUs
    )
    UNEXPLAINED = 17  # it could have started: a fault of the scheduler


class IdleCause(IntEnum):
    """Why a healthy GPU idles."""

    NO_DEMAND = 0
    FRAGMENT = 1  # work waits, but none that fits in what is free
    HELD = 2  # reserved for a job of better rank
    SLOT_LIMIT = 3
    DRAINING = 4
    CYCLE = 5  # freed since the last pass, or wanted only by what the next one looks at
    UNFUNDED = (
        6  # what waits is not funded, or above the quota that it must stay in, and this policy starts nothing else
    )
    UNEXPLAINED = 7  # must stay zero
