"""The laws that the tables of a result can show: whether what was computed can have happened.

Nothing here shares code with the scheduler, nor with the sums that made the tables: every figure is worked out again.

1. No node holds more GPUs than it has; a job runs whole or not at all, once at a time, and never for no time.
2. All GPU time is accounted for: occupied + idle + down is the capacity, to the second; the ledger sums to `usage` and
   `cluster`, and what was wanted and owed is what the jobs and shares say.
3. Nobody is displaced within a contract: a protected slice ends because it finished, was cancelled, its node failed or
   went to urgent repair, or the run ended. (Where there are contracts.)
4. Only a funded claim makes an allocated slice: it fits in what the levels above the job have left; what is unallocated
   is never charged. (Where there are contracts.)
5. No GPU idles without a cause.
6. Work done and left is the work asked; what was lost, waited and restarted is what the slices say; nothing runs after
   its end.

Rows that point to a row which is not there are told as law 1, and then nothing else can be checked.
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

    Laws 1, 2, 5 and 6 hold for every policy; 3 and 4 where there are contracts, 3 where there are quotas. Where other
    policies take over during the run, each is held to its own.
    """
    facts, broken = gather(result.scenario, result.horizon, result.tables)
    if broken:
        return tuple(broken)
    laws = dict.fromkeys(law for phase in facts.phases for law in laws_of(phase.policy))
    return tuple(violation for law in laws for violation in law(facts))
