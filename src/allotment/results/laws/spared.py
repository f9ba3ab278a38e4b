"""Law 3 where there are quotas: nothing is displaced before its minimum runtime, and never what nobody may stop."""

from __future__ import annotations

import numpy as np

from allotment.model.plan import OWN, Plan
from allotment.model.policy import Quotas
from allotment.model.switch import Phase
from allotment.results.laws.facts import Facts, Violation, report


def minimum_runtimes_are_kept(facts: Facts) -> list[Violation]:
    """Compare how long each displaced slice lasted with what its leaf, or the plan between the two leaves, says."""
    return [violation for phase in facts.phases for violation in _of_phase(facts, phase)]


def _of_phase(facts: Facts, phase: Phase) -> list[Violation]:
    quotas, plan, end = phase.policy.quotas, facts.scenario.plan, facts.ints("slices", "end")
    if quotas is None:
        return []
    displaced = facts.among("slices", "ended", ("preempted",)) & (end >= phase.begin) & (end < phase.end)
    lasted = facts.ints("slices", "end") - facts.ints("slices", "start")
    jobs, claimant = facts.ints("jobs", "job"), facts.ints("slices", "for_job")
    leaf = facts.codes("jobs", "leaf")
    mine = leaf[facts.job]
    theirs = leaf[np.minimum(np.searchsorted(jobs, claimant), len(jobs) - 1)] if len(jobs) else mine
    ids = {plan.path(level): level for level in (*plan.ids, *(level + OWN for level in plan.ids))}
    due = np.zeros(len(lasted), np.int64)
    for a, b in np.unique(np.stack([mine[displaced], theirs[displaced]], axis=1), axis=0).tolist():
        pair = (mine == a) & (theirs == b)
        due[pair] = _minimum_runtime(plan, quotas, ids[facts.paths[a]], ids[facts.paths[b]])
    immune = displaced & ~facts.tables["jobs"]["preemptible"].to_numpy()[facts.job]
    immune &= quotas.immune_within_quota
    return [
        *report(
            3,
            "slices",
            displaced & (lasted < due),
            lambda row: f"is displaced for job {claimant[row]} after {lasted[row]} s of {due[row]} s",
        ),
        *report(3, "slices", immune, lambda row: f"is displaced for job {claimant[row]}, though nobody may stop it"),
    ]


def _minimum_runtime(plan: Plan, quotas: Quotas, victim: str, claimant: str) -> int:
    """Return how long a slice of one leaf is spared from another: what counts is said where the branches part, or above."""
    line, name = plan.lineage(victim), "preempt_min_runtime"
    if victim != claimant:
        other = plan.lineage(claimant)
        parted = next(at for at, level in enumerate(line) if at >= len(other) or level != other[at])
        line, name = line[: parted + 1], "reclaim_min_runtime"
    said = [getattr(plan.node(level), name) for level in reversed(line)]
    return int(next((seconds for seconds in said if seconds is not None), getattr(quotas, name)))
