"""Another policy takes over while jobs run and wait: the old rules put everything down, the new ones take it up.

Nothing is stopped. What both policies mean by "charged" stays as it is: where both have contracts or neither has, use goes
on to be counted and, with contracts, each slice keeps its state and what it was promised. Else use counts from this
moment on, and a slice that runs becomes what the new policy would have made of it, but for a claim: with contracts it
turns unallocated, and is promoted where it stands as soon as its whole claim is funded. Jobs keep their submit times.
"""

from __future__ import annotations

import attrs
import numpy as np

from allotment.kernel.funding import is_too_large
from allotment.kernel.holding import release
from allotment.kernel.jit import large_rule
from allotment.kernel.layout import State
from allotment.kernel.ledger import book, close_segment, log_decision
from allotment.kernel.plan_tree import Tree, tree_records
from allotment.kernel.queues import COOLING, FRESH, order_keys, put, take_out
from allotment.kernel.setup import holds_of, partitions_of, rules_of, sort_jobs
from allotment.kernel.slices import is_immune, set_timer, yields_next
from allotment.model.codes import DecisionCode, JobState, Reason, SliceState
from allotment.model.plan import Plan
from allotment.model.policy import Licence, Policy
from allotment.model.switch import counts_from
from allotment.scenario import Scenario

CARRY_OVER = int(DecisionCode.CARRY_OVER)
INTERRUPTIBLE = int(SliceState.INTERRUPTIBLE)
LOWER = int(Licence.LOWER)
NO_REASON = int(Reason.NONE)
PROTECTED = int(SliceState.PROTECTED)
RUNNING = int(JobState.RUNNING)
UNALLOCATED = int(SliceState.UNALLOCATED)
WAITING = int(JobState.WAITING)


@large_rule
def put_down(s: State) -> None:
    """Take every slice out of the books and every job out of its queue, by the rules that made them."""
    for hold in range(len(s.holds)):
        if s.holds[hold].job >= 0:
            release(s, hold)
    for job in range(len(s.jobs)):
        j = s.jobs[job]
        if j.state == RUNNING:
            book(s, j.slice, -1)
        elif j.place == FRESH or j.place == COOLING:
            place = j.place
            take_out(s, job)
            j.place = place  # where it is put again


@large_rule
def take_up(s: State, keeps: int) -> None:
    """Book every slice and queue every job by the rules of now; `keeps` is 1 where slices keep their states."""
    clock = s.clock[0]
    for job in range(len(s.jobs)):
        j = s.jobs[job]
        j.funded_at = -1
        j.reason = NO_REASON
        j.level = -1
        if s.rules[0].contracts != 0 and (j.state == RUNNING or j.state == WAITING):
            j.too_large = 1 if is_too_large(s, job) else 0
        if j.state == RUNNING:
            if keeps == 0:
                close_segment(s, j.slice)
                _become(s, job)
                log_decision(s, CARRY_OVER, NO_REASON, -1, job, j.slice, -1, 0, 0)
            book(s, j.slice, 1)
            set_timer(s, j.slice)
        elif j.state == WAITING:
            order_keys(s, job)
            s.tree[j.leaf].asked += j.gpus
            if j.min_runtime > 0:
                clock.contract_waiting += 1
                if j.min_runtime > s.rules[0].short:
                    s.tree[j.leaf].long_waiting += 1
            put(s, job, j.place)
    clock.version += 1
    clock.loosened += 1


@large_rule
def _become(s: State, job: int) -> None:
    """Give a running slice the state in which the rules of now have it."""
    j = s.jobs[job]
    r, rules, now = s.slices[j.slice], s.rules[0], s.clock[0].now
    r.until = -1
    r.blocked = 0
    r.priced_at = -1
    if rules.contracts != 0:
        r.state = UNALLOCATED
    elif rules.quotas != 0:
        immune = is_immune(s, job)
        spared = now < r.start + s.tree[j.leaf].spared
        r.state = PROTECTED if immune or spared else INTERRUPTIBLE
        if not immune:
            r.until = yields_next(s, j.slice)
    else:
        preemptible = s.partitions[0].licence == LOWER and j.preemptible != 0
        r.state = INTERRUPTIBLE if preemptible else PROTECTED


def keeps_states(old: Policy, new: Policy) -> bool:
    """Tell whether slices keep their states, and what they were promised: where both policies have contracts."""
    return old.contracts is not None and new.contracts is not None


def rewritten(state: State, scenario: Scenario, tree: Tree, plan: Plan, policies: tuple[Policy, Policy]) -> State:
    """Return a state, after `put_down`, with the rules, classes and plan nodes of a new policy; `take_up` comes next.

    `policies` are the old one and the new one, `plan` is that of now.
    """
    old, new = policies
    rules, clock = rules_of(scenario, new), state.clock[0]
    rules.since = counts_from(int(state.rules[0].since), int(clock.now), old, new)
    state.rules[:] = rules
    classes = sort_jobs(state.jobs, new)
    state.tree[:] = tree_records(plan, new, tree, state.leaves)
    for name in ("explained", "filled", "piece", "reserved_until", "rated"):
        clock[name] = -1
    for name in ("contract_waiting", "reserved", "stopped", "too_young"):
        clock[name] = 0
    clock.changed = 1
    return attrs.evolve(
        state,
        partitions=partitions_of(new),
        classes=classes,
        holds=holds_of(new),
        candidates=np.zeros(len(classes) + 1, np.int64),
    )
