"""Law 4 in numbers: each claim that was charged fitted in the headroom, and the log says truly what had been used.

use = allocated GPU-time in the window; committed = what is still protected, and the claims of those who hold nodes;
headroom = entitlement - use - committed, each claim of a pass being charged before the next is looked at.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from allotment.kernel.log import SHARE_UNIT
from allotment.results.laws.claims import Claims, claims_of
from allotment.results.laws.contracts import with_contracts
from allotment.results.laws.curve import curve
from allotment.results.laws.due import entitlement
from allotment.results.laws.facts import Facts, Flags, Integers, Violation, report
from allotment.results.laws.plan import below, lineage, parents
from allotment.units import DAY


def _decisions(claims: Claims, wrong: Flags, say: Callable[[int], str]) -> list[Violation]:
    at = {int(row): place for place, row in enumerate(claims.row.tolist()) if wrong[place]}
    return report(4, "decisions", claims.row[wrong], lambda row: say(at[row]))


def claims_are_what_jobs_ask(facts: Facts) -> list[Violation]:
    """Compare each claim with GPUs taken x minimum runtime, and its level with those between its leaf and the root."""
    claims = claims_of(facts)
    due = facts.ints("jobs", "take")[claims.job] * facts.ints("jobs", "min_runtime")[claims.job]
    above, paths = parents(facts), facts.paths
    counts = np.zeros((len(above), len(above) + 1), bool)  # the last column stands for no level
    for leaf in range(len(above)):
        counts[leaf, lineage(above, leaf)] = True
    found = _decisions(
        claims,
        (claims.claim != due) | (due <= 0),
        lambda at: f"claims {claims.claim[at]} GPU-s; GPUs taken x minimum runtime of its job are {due[at]} GPU-s",
    )
    return found + _decisions(
        claims,
        ~counts[claims.leaf, claims.level],
        lambda at: (
            f"{paths[claims.level[at]]!r} decided, which is no level between {paths[claims.leaf[at]]!r} and its budget"
        ),
    )


def claims_fit_in_the_headroom(facts: Facts) -> list[Violation]:
    """Compare each claim with what is left at the level that decided; only short ones may use the reserve."""
    claims = claims_of(facts)
    asked, reserve = facts.ints("jobs", "min_runtime")[claims.job], np.zeros_like(claims.entitled)
    for phase in facts.phases:
        contracts = phase.policy.contracts
        if contracts is not None:
            mine = (claims.time >= phase.begin) & (claims.time < phase.end) & (asked > contracts.short)
            part, whole = contracts.reserve.numerator, contracts.reserve.denominator
            reserve[mine] = claims.entitled[mine] * part // whole
    found = _decisions(
        claims,
        claims.headroom != claims.entitled - claims.used,
        lambda at: (
            f"headroom is {claims.headroom[at]} GPU-s, not entitled - used, {claims.entitled[at]} - {claims.used[at]} GPU-s"
        ),
    )
    return found + _decisions(
        claims,
        (claims.claim > claims.headroom - reserve) & ~claims.was_held,
        lambda at: (
            f"a claim of {claims.claim[at]} GPU-s is charged with a headroom of {claims.headroom[at]} GPU-s, "
            f"of which {reserve[at]} GPU-s are in reserve"
        ),
    )


def the_log_says_truly_what_was_used(facts: Facts) -> list[Violation]:
    """Work out use, commitments and entitlement at each claim anew, and compare. Not where use decays."""
    claims = claims_of(facts)
    due, right = claims.used.copy(), claims.entitled.copy()
    inside, paths = below(facts), facts.paths
    for phase in facts.phases:
        window = phase.policy.window
        if phase.policy.contracts is None or window.half_life is not None:
            continue
        mine = (claims.time >= phase.begin) & (claims.time < phase.end)
        for level in np.unique(claims.level[mine & (claims.level >= 0)]).tolist():
            at = mine & (claims.level == level)
            now = claims.time[at]
            since = np.maximum(now - window.lookback, phase.counts_from)
            due[at] = _used(facts, inside[level], now, since) + _charged(claims, inside[level])[at]
            share = entitlement(facts, level)
            # at first everybody is given that of a day
            day = share.at(now) * np.maximum(min(DAY, window.lookback) - (now - phase.counts_from), 0)
            right[at] = (share.until(now) - share.until(since) + day) // SHARE_UNIT
    found = _decisions(
        claims,
        claims.used != due,
        lambda at: (
            f"{paths[claims.level[at]]!r} had used {claims.used[at]} GPU-s by the log, {due[at]} GPU-s by the ledger"
        ),
    )
    return found + _decisions(
        claims,
        claims.entitled != right,
        lambda at: (
            f"{paths[claims.level[at]]!r} was entitled to {claims.entitled[at]} GPU-s by the log, "
            f"{right[at]} GPU-s by shares and capacity"
        ),
    )


def _used(facts: Facts, inside: Flags, now: Integers, since: Integers) -> Integers:
    """Return the use of some plan nodes in the window, and what their slices had before them of their contracts."""
    of = facts.ints("segments", "slice")
    mine = inside[facts.codes("jobs", "leaf")[facts.job]][of]
    allocated = mine & facts.among("segments", "state", ("protected", "interruptible"))
    protected = mine & facts.among("segments", "state", ("protected",))
    protected &= facts.within(facts.ints("segments", "begin"), with_contracts)
    take, begin, end = facts.ints("slices", "take")[of], facts.ints("segments", "begin"), facts.ints("segments", "end")
    use = curve(begin[allocated], end[allocated], take[allocated])
    take, begin, end = take[protected], begin[protected], end[protected]
    until = begin + facts.of_job("min_runtime")[of[protected]]
    begun = _left(begin, take, until, now, "left")  # what begins now is charged by its decision
    return use.until(now) - use.until(since) + begun - _left(end, take, until, now, "right")


def _left(time: Integers, take: Integers, until: Integers, now: Integers, side: str) -> Integers:
    """Return the sum of take x (until - now) over what has a `time` before now (up to now, with the side "right")."""
    order = np.argsort(time, kind="stable")
    nothing = np.zeros(1, np.int64)
    gpus = np.concatenate([nothing, np.cumsum(take[order])])
    ahead = np.concatenate([nothing, np.cumsum((take * until)[order])])
    at = np.searchsorted(time[order], now, side="left" if side == "left" else "right")
    return np.asarray(ahead[at] - gpus[at] * now)


def _charged(claims: Claims, inside: Flags) -> Integers:
    """Return what was charged to some plan nodes earlier in the same pass, and is earmarked for those who hold nodes."""
    mine = inside[claims.leaf]
    nothing = np.zeros(1, np.int64)
    now = np.concatenate([nothing, np.cumsum(np.where(mine & ~claims.holds, claims.claim, 0))])
    in_pass = now[:-1] - now[np.searchsorted(claims.time, claims.time)]
    held = mine & claims.holds
    begun = np.concatenate([nothing, np.cumsum(np.where(held, claims.claim, 0))])[:-1]
    order = np.argsort(claims.until[held], kind="stable")
    over = np.concatenate([nothing, np.cumsum(claims.claim[held][order])])
    ended = np.searchsorted(claims.until[held][order], claims.row, side="right")
    return np.asarray(in_pass + begun - over[ended])
