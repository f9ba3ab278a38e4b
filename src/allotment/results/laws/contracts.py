"""Laws 3 and 4, where contracts exist: what is promised is kept, and what is charged was funded.

A protected slice ends only by finish, cancel, hard failure, urgent repair or horizon, and its protection lasts for the
whole minimum runtime. Only a funded claim makes an allocated segment.
"""

from __future__ import annotations

import numpy as np

from allotment.model.policy import Policy
from allotment.results.laws.facts import Facts, Integers, Violation, report

MAY_END_IT = ("finished", "cancelled", "failed", "urgent_repair", "horizon", "open")
STATES = ("protected", "interruptible", "unallocated")
PROTECTED, INTERRUPTIBLE, UNALLOCATED = range(len(STATES))


def with_contracts(policy: Policy) -> bool:
    """Tell whether a policy makes promises that these laws are about."""
    return policy.contracts is not None


def protection_is_kept(facts: Facts) -> list[Violation]:
    """Compare how long each protected segment lasted with the minimum runtime of its job."""
    of, begin, end = (facts.ints("segments", name) for name in ("slice", "begin", "end"))
    protected = facts.codes("segments", "state") == PROTECTED
    protected &= facts.within(begin, with_contracts)
    promised, lasted = facts.of_job("min_runtime")[of], end - begin
    given_up = np.isin(
        end, [phase.end for phase in facts.phases[:-1]]
    )  # another policy took over, and gave other states
    last = end == facts.ints("slices", "end")[of]
    ended = facts.tables["slices"]["ended"].astype(object).to_numpy()[of]
    allowed = facts.among("slices", "ended", MAY_END_IT)[of]
    long = report(
        3,
        "segments",
        protected & (lasted > promised),
        lambda row: f"slice {of[row]} is protected for {lasted[row]} s, its job asked for {promised[row]} s",
    )
    turned = report(
        3,
        "segments",
        protected & ~last & ~given_up & (lasted < promised),
        lambda row: f"slice {of[row]} loses its protection after {lasted[row]} s of {promised[row]} s",
    )
    stopped = report(
        3,
        "segments",
        protected & last & ~allowed & (lasted < promised),
        lambda row: (
            f"slice {of[row]} is protected until {begin[row] + promised[row]} s and {ended[row]} at {end[row]} s"
        ),
    )
    return long + turned + stopped


def every_state_has_its_decision(facts: Facts) -> list[Violation]:
    """Look for the decision that began each segment: nothing is allocated without a start or a promotion.

    Where another policy took over, it may have any state that it was carried over with.
    """
    of, begin = facts.ints("segments", "slice"), facts.ints("segments", "begin")
    state = facts.codes("segments", "state")
    order = np.lexsort((begin, of))
    before = np.full(len(of), -1, np.int64)
    same = np.append(False, of[order][1:] == of[order][:-1]) if len(of) else np.zeros(0, bool)
    before[order[same]] = state[order[np.flatnonzero(same) - 1]]
    held = np.isin(before, (PROTECTED, INTERRUPTIBLE))  # it was allocated until then
    carried = _decided(facts, "carry_over", of, begin) | ~facts.within(begin, with_contracts)
    found = []
    for now, since, decision in (
        (PROTECTED, before < 0, "start"),
        (PROTECTED, before >= 0, "promote"),
        (PROTECTED, held, "demote"),  # and promoted again in the same pass
        (UNALLOCATED, before < 0, "start_unallocated"),
        (UNALLOCATED, held, "demote"),
    ):
        missing = (state == now) & since & ~carried & ~_decided(facts, decision, of, begin)
        found += _undecided(missing, of, begin, now, decision)
    known = (state == PROTECTED) | ((state == UNALLOCATED) & (before != UNALLOCATED))
    known |= carried | ((state == INTERRUPTIBLE) & (before == PROTECTED))
    return found + report(
        4,
        "segments",
        ~known,
        lambda row: (
            f"slice {of[row]} turns {STATES[state[row]]} at {begin[row]} s after "
            f"{STATES[before[row]] if before[row] >= 0 else 'nothing'}"
        ),
    )


def _decided(facts: Facts, decision: str, of: Integers, begin: Integers) -> np.ndarray:
    rows = facts.among("decisions", "decision", (decision,))
    when, which = facts.ints("decisions", "time")[rows], facts.ints("decisions", "slice")[rows]
    wide = facts.horizon + 1
    return np.isin(of * wide + begin, which * wide + when)


def _undecided(missing: np.ndarray, of: Integers, begin: Integers, now: int, decision: str) -> list[Violation]:
    return report(
        4,
        "segments",
        missing,
        lambda row: f"slice {of[row]} is {STATES[now]} from {begin[row]} s on, with no decision '{decision}' then",
    )
