"""The laws that the tables of a result can show: whether what was computed can have happened.

Nothing here shares code with the scheduler, nor with the sums that made the tables: every figure is worked out again.
"""

from __future__ import annotations

from collections.abc import Callable

from allotment.model.policy import Policy
from allotment.results.laws import contracts, due, funding, ledger, nodes, spared, work
from allotment.results.laws.facts import Facts, Violation, gather
from allotment.results.result import Result

__all__ = ["ALWAYS", "WITH_CONTRACTS", "WITH_QUOTAS", "Violation", "check", "laws_of"]

Law = Callable[[Facts], list[Violation]]

ALWAYS: tuple[Law, ...] = (
    nodes.no_node_over_its_gpus,
    nodes.gangs_whole,
    nodes.no_job_twice_at_once,
    nodes.nothing_lasts_zero_seconds,
    ledger.segments_tile_their_slice,
    ledger.ledger_sums_to_usage,
    ledger.demand_sums_to_usage,
    ledger.usage_sums_to_cluster,
    ledger.all_time_is_accounted_for,
    ledger.capacity_sums_to_cluster,
    due.usage_has_what_was_owed,
    ledger.nothing_idle_is_unexplained,
    work.jobs_sum_their_slices,
    work.done_is_what_was_asked,
    work.slices_have_time_for_their_work,
    work.nothing_runs_after_its_end,
    work.waits_fit_the_slices,
)
WITH_CONTRACTS: tuple[Law, ...] = (
    contracts.protection_is_kept,
    contracts.every_state_has_its_decision,
    funding.claims_are_what_jobs_ask,
    funding.claims_fit_in_the_headroom,
    funding.the_log_says_truly_what_was_used,
)
WITH_QUOTAS: tuple[Law, ...] = (spared.minimum_runtimes_are_kept,)


def laws_of(policy: Policy) -> tuple[Law, ...]:
    """Return the laws that must hold under a policy."""
    of_contracts = WITH_CONTRACTS if policy.contracts is not None else ()
    return ALWAYS + of_contracts + (WITH_QUOTAS if policy.quotas is not None else ())


def check(result: Result) -> tuple[Violation, ...]:
    """Return every violation of a law in a result; none if all hold.

    Laws 1, 2 and 6, and of law 5 what a table shows, hold for every policy; 3 and 4 where there are contracts, 3
    where there are quotas.
    """
    facts, broken = gather(result.scenario, result.horizon, result.tables)
    if broken:
        return tuple(broken)
    return tuple(violation for law in laws_of(result.scenario.policy) for violation in law(facts))
