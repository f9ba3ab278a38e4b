"""The turn of a waiting job: where its team and budget stand among their siblings, and who would be served before it."""

from __future__ import annotations

from typing import Any

import numpy as np

from allotment.model.policy import Key, Policy
from allotment.model.switch import Phase
from allotment.results.result import Result
from allotment.why.order import LAST, Line, number
from allotment.why.reasons import Reason, reason
from allotment.why.rerun import Rerun, Subject

LN2 = float(np.log(2.0))
BY_TREE = (Key.BALANCE, Key.USE, Key.LEVEL_FAIR_SHARE, Key.FAIR_GPUS)


def line_at(rerun: Rerun, time: int, *, glance: Any = None) -> Line:
    """Return everything that waits at a moment, and by what it is ordered."""
    phase = next(each for each in reversed(rerun.scenario.phases(rerun.scenario.horizon)) if each.begin <= time)
    found = rerun.glance(time) if glance is None else glance
    use = use_in_window(rerun, max(found.time, 0), phase)
    per_node = rerun.scenario.cluster.gpus_per_node
    return Line(glance=found, policy=phase.policy, paths=rerun.paths, per_node=per_node, use=use)


def use_in_window(rerun: Rerun, time: int, phase: Phase) -> Any:
    """Return the GPU-seconds that were held in the window before a moment, charged or not, by plan node, from the ledger."""
    result, window = rerun.result, phase.policy.window
    segments, slices = result.segments, result.slices
    start = max(time - window.lookback, phase.counts_from)
    row = segments["slice"].to_numpy()
    take = slices["take"].to_numpy()[row].astype(np.int64)
    begin = np.clip(segments["begin"].to_numpy(), start, time)
    end = np.clip(segments["end"].to_numpy(), start, time)
    if window.half_life is None:
        held: Any = take * (end - begin)
    else:
        scale = window.half_life / LN2
        held = take * scale * (np.exp((end - time) / scale) - np.exp((begin - time) / scale))
    leaf = slices["leaf"].cat
    names = [str(path) for path in leaf.categories]
    found = np.zeros(len(rerun.ids))
    by_category = np.bincount(leaf.codes.to_numpy()[row], weights=held, minlength=len(names))
    for name, amount in zip(names, by_category.tolist(), strict=True):
        found[rerun.paths.index(name)] += amount
    return np.rint(found).astype(np.int64)


def turn(line: Line, of: Subject) -> tuple[Reason, ...]:
    """Return where the budget and the team of a job stand among their siblings, and how many jobs would come before it."""
    found = [_level(line, key, node) for key in _tree_keys(line, of) for node in _levels(line, key, of)]
    ahead = line.ahead(of.job)
    waiting = len(line.glance.waiting)
    in_line = line.partition(of.job)
    if ahead and line.policy.contracts is not None and in_line > 0:
        found.append(reason("turn_not_served", ahead=len(ahead)))
    elif ahead:
        found.append(reason("turn_ahead", ahead=len(ahead), waiting=waiting))
    else:
        found.append(reason("turn_first"))
    if ahead:
        found.append(line.compare(line.first(ahead), of.job)[1])
    return tuple(found)


def _tree_keys(line: Line, of: Subject) -> list[Key]:
    """Return the first term by which the plan orders the work of a job."""
    partitions = line.policy.partitions
    place = line.partition(of.job)
    if line.policy.contracts is not None and of.min_runtime > 0:
        place = 0  # where it would like to be
    keys = partitions[place].keys if place != LAST else partitions[0].keys
    return [key for key in keys if key in BY_TREE][:1]


def _levels(line: Line, key: Key, of: Subject) -> list[int]:
    levels = line.levels(of.job)
    return levels[-1:] if key is Key.USE else levels


def _level(line: Line, key: Key, node: int) -> Reason:
    """Return where one plan node stands among its siblings, or under `use` among all leaves."""
    tree, name = line.glance.tree, line.paths[node]
    kin = np.flatnonzero(tree["leaf"] == 1).tolist() if key is Key.USE else line.siblings(node)
    v = tree[node]
    if key is Key.FAIR_GPUS:
        before = sum(
            (t["allocated"] > t["fair"], t["allocated"] / max(t["fair"], 1))
            < (v["allocated"] > v["fair"], v["allocated"] / max(v["fair"], 1))
            for t in tree[kin]
        )
        return reason(
            "turn_fair_gpus",
            level=name,
            held=int(v["allocated"]),
            fair=int(v["fair"]),
            rank=int(before) + 1,
            siblings=len(kin),
        )
    if key is Key.LEVEL_FAIR_SHARE:
        up = tree[v["parent"]]
        rank = 1 + sum(line.fair_share(other) > line.fair_share(node) for other in kin)
        used, share = (
            float(v[part] / max(up[whole], 1)) for part, whole in (("used", "used"), ("share", "child_shares"))
        )
        return reason("turn_level_fair_share", level=name, used=used, share=share, rank=rank, siblings=len(kin))
    of = line.balance if key is Key.BALANCE else line.spent
    rank = 1 + sum(of(other) < of(node) for other in kin)
    return reason(f"turn_{key.name.lower()}", level=name, ratio=number(of(node)), rank=rank, siblings=len(kin))


def last_started(result: Result, of: Subject, since: int, time: int, policy: Policy) -> Reason | None:
    """Return the job that was the last to start while this one waited; of those that were funded, where that counts."""
    decisions = result.decisions
    wanted = ["start"] if policy.contracts is not None and of.min_runtime > 0 else ["start", "start_unallocated"]
    when = decisions["time"].to_numpy()
    chosen = (when >= since) & (when <= time) & decisions["decision"].isin(wanted).to_numpy()
    chosen &= (decisions["job"] != of.job).fillna(value=False).to_numpy(bool)
    rows = np.flatnonzero(chosen)
    if not len(rows):
        return None
    last = decisions.iloc[rows[-1]]
    row = result.jobs[(result.jobs["job"] == last["job"]).to_numpy()].iloc[0]
    return reason(
        "last_started", other=int(last["job"]), team=str(row["leaf"]), gpus=int(row["take"]), time=int(last["time"])
    )
