"""The turn of a waiting job: where its team and budget stand among their siblings, and who would be served before it."""

from __future__ import annotations

from typing import Any

import numpy as np

from allotment.explain.order import LAST, Line, number
from allotment.explain.reasons import Reason, Value, reason
from allotment.explain.rerun import Rerun, Subject
from allotment.model.policy import Key
from allotment.model.switch import Phase

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


def turn(line: Line, of: Subject, other: int | None = None) -> tuple[Reason, ...]:
    """Return where the budget and the team of a job stand, how many jobs would come before it, and why one of them does.

    That one is `other` where it is known who stands in the way, else the first of another team.
    """
    found = [_level(line, key, node) for key in _tree_keys(line, of) for node in _levels(line, key, of)]
    found += _on_loan(line, of)
    ahead = line.ahead(of.job)
    waiting = len(line.glance.waiting)
    if not ahead:
        return (*found, reason("turn_first"))
    if line.policy.contracts is not None and line.partition(of.job) > 0:
        found.append(reason("turn_not_served", ahead=len(ahead)))
    else:
        found.append(reason("turn_ahead", ahead=len(ahead), waiting=waiting))
    leaf = line.glance.jobs["leaf"]
    strangers = [job for job in ahead if leaf[job] != leaf[of.job]]
    rival = other if other in ahead else line.first(strangers or ahead)
    return (*found, line.compare(int(rival), of.job)[1])


def _on_loan(line: Line, of: Subject) -> list[Reason]:
    """Return that a claim is funded although its own team has too little left, and why it is; what is held for it is promised already."""
    contracts, tree = line.policy.contracts, line.glance.tree
    if contracts is None or line.partition(of.job) > 0 or any(each["job"] == of.job for each in line.glance.holds):
        return []
    leaf = line.levels(of.job)[-1]
    budget, short = int(tree[leaf]["budget"]), of.min_runtime <= contracts.short
    left = tree[leaf]["headroom"] - (0 if short else tree[leaf]["reserve"])
    if leaf == budget or of.gpus * of.min_runtime <= left:
        return []
    given = {"level": line.paths[leaf], "budget": line.paths[budget]}
    return [reason("turn_short", short=contracts.short, **given) if short else reason("turn_on_loan", **given)]


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
    if (ratio := number(of(node))) is None:
        return reason("turn_nothing_owed", level=name, rank=rank, siblings=len(kin))
    return reason(f"turn_{key.name.lower()}", level=name, ratio=ratio, rank=rank, siblings=len(kin))


def last_started(rerun: Rerun, line: Line, of: Subject, since: int, time: int) -> tuple[Reason, ...]:
    """Return which job of another team was the last to start meanwhile, and why it and not this one.

    Where funds count and this job asks for some, only starts that were funded count.
    """
    decisions = rerun.result.decisions
    funds = line.policy.contracts is not None and of.min_runtime > 0
    when = decisions["time"].to_numpy()
    rows = np.flatnonzero((when >= since) & (when <= time) & (decisions["decision"] == "start").to_numpy())
    if not funds:
        wanted = decisions["decision"].isin(["start", "start_unallocated"]).to_numpy()
        rows = np.flatnonzero((when >= since) & (when <= time) & wanted)
    leaf = line.glance.jobs["leaf"]
    for row in rows[::-1].tolist():
        job = int(decisions["job"].iloc[row])
        if leaf[job] != leaf[of.job]:
            break
    else:
        return ()
    take = int(line.glance.jobs["gpus"][job])
    told: dict[str, Value] = {"other": job, "team": rerun.team(job), "gpus": take, "time": int(when[row])}
    if funds and Key.BALANCE in line.policy.partitions[0].keys:
        x, y = line.fork(int(leaf[of.job]), int(leaf[job]))
        above = rerun.paths[int(line.glance.tree["parent"][x])]
        ratios = {"a": number(line.balance(x)), "b": number(line.balance(y))}
        return (reason("last_funded", **told, above=above, x=rerun.paths[x], y=rerun.paths[y], **ratios),)
    first = reason("last_started", **told)
    if line.policy.contracts is not None or line.policy.quotas is not None:
        return (first,)  # what it holds now has changed its standing
    order, why = line.compare(job, of.job)
    return (first, why if order < 0 else reason("passed_by", other=job, job=of.job))
