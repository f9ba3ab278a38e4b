"""The room that a waiting job has: what is free, what could be had, and when there may be more. Never a promise."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from allotment.explain.held import next_clear
from allotment.explain.order import Line
from allotment.explain.reasons import Reason, Value, reason
from allotment.explain.rerun import Rerun, Subject
from allotment.explain.seats import seats
from allotment.explain.turn import LN2
from allotment.model.codes import SliceState
from allotment.model.policy import Contracts, Lending, Window
from allotment.units import DAY

NEVER = 1 << 62


def room(line: Line, of: Subject) -> tuple[Reason, ...]:
    """Return what the GPUs of the cluster do now, and what of them is kept from this job."""
    glance = line.glance
    nodes = glance.nodes
    serving = nodes[(nodes["down"] == 0) & (nodes["draining"] == 0)]
    per_node = line.per_node
    held = {name: int(serving[name].sum()) for name in ("free", "unallocated", "interruptible")}
    total = per_node * len(serving)
    protected = total - sum(held.values())
    most = int(serving["free"].max(initial=0))
    given: dict[str, Value] = {"shape": of.shape, "gpus": total, "most": most, "protected": protected, **held}
    if line.policy.contracts is None:
        del given["unallocated"]
    code = "room" if line.policy.contracts is not None else "room_plain"
    if not held["free"]:
        code = f"{code}_none"
        del given["free"], given["most"]
    found = [reason(code, **given)]
    for number, hold in enumerate(glance.holds):
        on_hold = int((serving["hold"] == number).sum()) * per_node
        if hold["job"] >= 0 and hold["job"] != of.job and on_hold:
            overdue = int(hold["due"] <= glance.time)
            found.append(
                reason("room_held", held=on_hold, other=int(hold["job"]), due=int(hold["due"]), overdue=overdue)
            )
    out = {name: int((nodes[name] != 0).sum()) * per_node for name in ("draining", "down")}
    return (*found, *(reason(f"room_{name}", **{name: gpus}) for name, gpus in out.items() if gpus))


def next_chance(line: Line, of: Subject, why: Reason, rerun: Rerun, time: int) -> Reason:
    """Return when there may be room or funds for a job, by what it waits for at a moment."""
    code, given = why.code, why.parameters
    cycle = rerun.scenario.cluster.cycle
    if code in ("next_pass", "unexplained"):
        return reason("next_pass_at", time=(time // cycle + 1) * cycle)
    if code in ("holding", "held"):
        holder = of.job if code == "holding" else int(str(given["other"]))
        found = next_clear(line, holder, time, rerun.paths, after=code == "held")
        if found is not None:
            return found
    if code in ("behind", "behind_first", "behind_rank", "saving"):
        return reason("next_after", other=given["other"])
    if code in ("no_contract", "too_large", "too_large_now", "nothing_entitled"):
        return reason("next_gap")
    if code in ("headroom", "overdrawn"):
        return _funded_again(line, of, str(given["level"]), rerun, time)
    if code in ("slot_limit", "beyond_quota", "beyond_fair_share"):
        return _own_work(line, str(given["level"]), time)
    if code == "reserved":
        return reason("next_reserved_other", other=given["other"], due=given["due"])
    if line.glance.reserved_for == of.job and line.glance.reserved_until >= 0:
        return reason("next_reserved", due=line.glance.reserved_until)
    soonest = _room_at(line, of, time)
    if soonest >= NEVER:
        return reason("next_repair", shape=of.shape)
    return reason("next_contract" if line.policy.contracts is not None else "next_limit", time=soonest)


def _room_at(line: Line, of: Subject, time: int) -> int:
    """Return the first moment at which nodes are free if contracts, or else time limits, run out and nothing else starts."""
    glance, contracts = line.glance, line.policy.contracts is not None
    node, gpus, row = seats(line)
    running = glance.slices[row]
    ends = np.maximum(running["plan_end"], time + 1)
    if contracts:
        ends = np.where(running["state"] == SliceState.PROTECTED, np.minimum(running["until"], ends), ends)
        ends = np.where(running["state"] == SliceState.UNALLOCATED, time, ends)
    need = _need(of)
    each = of.gpus // max(need, 1) if need else of.gpus
    due = {number: int(hold["due"]) for number, hold in enumerate(glance.holds) if hold["job"] != of.job}
    ready = []
    for place, at in enumerate(glance.nodes):
        kept = contracts and int(at["hold"]) in due and time + of.min_runtime > due[int(at["hold"])]
        if at["down"] or at["draining"] or kept:
            continue
        free, mine = int(at["free"]), np.flatnonzero(node == place)
        moment = time if free >= each else NEVER
        for seat in mine[np.argsort(ends[mine], kind="stable")]:
            if free >= each:
                break
            free += int(gpus[seat])
            moment = int(ends[seat]) if free >= each else NEVER
        ready.append(moment)
    ready.sort()
    return max(ready[max(need, 1) - 1], time + 1) if len(ready) >= max(need, 1) else NEVER


def _need(of: Subject) -> int:
    nodes, _, _gpus = of.shape.rpartition("x")
    return int(nodes) if nodes else 0


def _own_work(line: Line, level: str, time: int) -> Reason:
    """Return when work of a plan node ends at the latest, by the limits of its users."""
    below = _below(line, line.paths.index(level))
    ends = [int(of["plan_end"]) for of in line.glance.slices if int(of["leaf"]) in below]
    return (
        reason("next_own", level=level, time=max(min(ends), time + 1))
        if ends
        else reason("next_limit_never", level=level)
    )


def _below(line: Line, node: int) -> set[int]:
    parent, found = line.glance.tree["parent"], set()
    for leaf in np.flatnonzero(line.glance.tree["leaf"] == 1).tolist():
        at = leaf
        while at >= 0 and at != node:
            at = int(parent[at])
        if at == node:
            found.add(leaf)
    return found


def _funded_again(line: Line, of: Subject, level: str, rerun: Rerun, time: int) -> Reason:
    """Return when the claim of a job would fit as old use leaves the window, or fades, if nothing else starts.

    In a window what is promised counts as used. Where use fades, that is the later end of a range; at the other one it is given back.
    """
    contracts, window = line.policy.contracts or Contracts(), line.policy.window  # nothing else has budgets
    v = line.glance.tree[line.paths.index(level)]
    promised = int(v["committed"])
    use = _use_of(line, level, rerun, time)
    short = of.min_runtime <= contracts.short
    part = 1 if short else 1 - contracts.reserve
    claim, whole = of.gpus * of.min_runtime, _weight(time, window)

    def first(committed: int) -> int | None:
        def fits(moment: int) -> bool:
            entitled = int(int(v["entitled"]) * _weight(moment, window) / whole)
            return bool(claim <= entitled * part - use(moment) - committed)

        low, high = time, time + window.lookback
        if not fits(high):
            return None
        while high - low > 60:
            middle = (low + high) // 2
            low, high = (low, middle) if fits(middle) else (middle, high)
        return high

    last = first(promised)
    budget = line.paths[int(v["budget"])]
    loan: dict[str, Value] = {}
    if contracts.lending is not Lending.NONE and budget != level and not short:
        loan = {"budget": budget, "lent": 1}
    if last is None:
        return reason("next_window_late", level=level, window=window.lookback, **loan)
    if window.half_life is None:
        return reason("next_window", level=level, time=last, **loan)
    return reason("next_fading", level=level, time=first(0), latest=last, half_life=window.half_life, **loan)


def _weight(time: int, window: Window) -> float:
    """Return what the seconds of a window before a moment weigh together, of a day at least."""
    held = max(min(DAY, window.lookback), min(time, window.lookback))
    if window.half_life is None:
        return held
    scale = window.half_life / LN2
    return scale * (1 - math.exp(-held / scale))


def _use_of(line: Line, level: str, rerun: Rerun, time: int) -> Callable[[int], float]:
    """Return what tells how much of the use of a plan node before a moment would count at a later one."""
    result, window = rerun.result, line.policy.window
    names = {line.paths[leaf] for leaf in _below(line, line.paths.index(level))}
    leaf, charged = result.slices["leaf"].astype(str).to_numpy(), result.segments["state"].cat.codes.to_numpy() != 2
    row = result.segments["slice"].to_numpy()
    mine = charged & np.isin(leaf[row], list(names)) & (result.segments["begin"].to_numpy() < time)
    begin = result.segments["begin"].to_numpy()[mine]
    end = np.minimum(result.segments["end"].to_numpy()[mine], time)
    take = result.slices["take"].to_numpy()[row[mine]].astype(np.int64)

    def use(moment: int) -> float:
        since = np.maximum(begin, moment - window.lookback)
        if window.half_life is None:
            return float((take * np.maximum(end - since, 0)).sum())
        scale = window.half_life / LN2
        held = np.exp((end - moment) / scale) - np.exp((np.minimum(since, end) - moment) / scale)
        return float((take * scale * held).sum())

    return use
