"""What plan nodes were entitled to and owed, worked out anew from jobs, shares and capacity."""

from __future__ import annotations

import numpy as np

from allotment.kernel.log import SHARE_UNIT
from allotment.results.laws.curve import Curve, by_hour, curve, steps
from allotment.results.laws.facts import Facts, Integers, Violation, report
from allotment.results.laws.plan import below
from allotment.results.tables import seconds
from allotment.units import HOUR


def entitlement(facts: Facts, node: int) -> Curve:
    """Return share x healthy capacity of a plan node over time, in 1e-8 GPUs."""
    of_node = facts.codes("shares", "node") == node
    share = np.rint(facts.tables["shares"]["share"].to_numpy()[of_node] * SHARE_UNIT).astype(np.int64)
    epochs, changes = facts.ints("shares", "time")[of_node], facts.ints("capacity", "time")
    time = np.unique(np.concatenate([epochs, changes]))
    healthy = facts.ints("capacity", "healthy")[np.searchsorted(changes, time, side="right") - 1]
    rate = share[np.searchsorted(epochs, time, side="right") - 1] * healthy
    return steps(time, np.diff(rate, prepend=0))


def usage_has_what_was_owed(facts: Facts) -> list[Violation]:
    """Integrate, for every plan node, its entitlement and the part of it that was wanted, and compare."""
    leaf, begin, take = facts.codes("jobs", "leaf"), facts.ints("jobs", "submit"), facts.ints("jobs", "take")
    end = facts.ints("jobs", "end")
    end = np.where(end < 0, facts.horizon, end)
    counts = (facts.ints("jobs", "min_runtime") > 0) & ~facts.tables["jobs"]["too_large"].to_numpy()
    paths = facts.paths
    entitled, owed = [], []
    for inside in range(len(paths)):
        rate = entitlement(facts, inside)
        mine = counts & below(facts)[inside][leaf]
        entitled.append(by_hour(facts.horizon, rate))
        owed.append(_least_by_hour(facts.horizon, rate, curve(begin[mine], end[mine], take[mine])))
    return _compare(facts, "entitlement", entitled, paths) + _compare(facts, "owed", owed, paths)


def _least_by_hour(horizon: int, rate: Curve, wanted: Curve) -> Integers:
    hours = np.append(np.arange(0, horizon, HOUR), horizon)
    moments = np.unique(np.concatenate([hours, rate.time, wanted.time]))
    moments = moments[moments <= horizon]
    least = np.minimum(rate.at(moments), wanted.at(moments) * SHARE_UNIT)[:-1] * np.diff(moments)
    upto = np.concatenate([np.zeros(1, np.int64), np.cumsum(least)])
    return np.diff(upto[np.searchsorted(moments, hours)])


def _compare(facts: Facts, column: str, by_node: list[Integers], paths: list[str]) -> list[Violation]:
    due = np.array(by_node).T.ravel()
    said = seconds(facts.tables["usage"][column], SHARE_UNIT)
    # A double holds 53 bits: above some 25,000 GPUs the last part of 1e-8 GPU-s is rounded.
    return report(
        2,
        "usage",
        np.abs(said - due) > (due >> 52),
        lambda row: (
            f"{column} of {paths[row % len(paths)]!r} is {said[row] / SHARE_UNIT} GPU-s, not {due[row] / SHARE_UNIT} GPU-s"
        ),
    )
