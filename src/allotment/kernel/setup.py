"""From a scenario and its jobs to the state of a run at its first moment."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from allotment.errors import SimulationError
from allotment.kernel import layout
from allotment.kernel.log import CAPACITY, DECISION, PLACEMENT, SEGMENT, SHARE_UNIT, WAIT
from allotment.kernel.plan_tree import Tree, new_records, tree_records
from allotment.kernel.queues import NOWHERE
from allotment.kernel.timers import NEW_TARGET
from allotment.kernel.usage import LN2, NEVER, decayed
from allotment.model.cluster import Cluster
from allotment.model.codes import IdleCause
from allotment.model.job import gpus_taken
from allotment.model.policy import WITHIN_CLASS, Candidates, Key, Match, Policy
from allotment.scenario import Scenario
from allotment.units import format_duration
from allotment.workload.table import JobTable

FINEST = 10_000  # the largest denominator of a margin or a reserve, so that products of integers stay exact


def new_state(scenario: Scenario, table: JobTable, tree: Tree) -> layout.State:
    """Return the state before anything has happened."""
    cluster = scenario.cluster
    gpus, nodes, per_node, leaves = cluster.gpus, cluster.nodes, cluster.gpus_per_node, len(table.leaves)
    for policy in (scenario.policy, *(switch.policy for switch in scenario.switches)):
        check_policy(policy, scenario.cluster, table)
    _check_sizes(scenario.cluster, table)
    leaf_node = np.array([tree.ids.index(name) for name in table.leaves], np.int64)
    jobs, classes = _jobs(scenario, table, leaf_node)
    streams, targets = _streams(table)
    ready = max(len(table), 1)
    room = 16 * gpus + 8 * len(classes) + 1_024
    hours = -(-scenario.horizon // 3_600)
    counts = np.zeros(per_node + 1, np.int64)
    counts[per_node] = nodes
    state = layout.State(
        rules=rules_of(scenario, scenario.policy),
        clock=new_records(
            1,
            layout.CLOCK,
            next_pass=-1,
            last_pass=-1,
            spare_point=-1,
            dirty=1,
            explained=-1,
            filled=-1,
            piece=-1,
            reserved_until=-1,
            rated=-1,
        ),
        partitions=partitions_of(scenario.policy),
        jobs=jobs,
        classes=classes,
        tree=tree_records(scenario.plan, scenario.policy, tree, leaf_node),
        upward=np.array(sorted(range(len(tree.ids)), key=lambda row: (-tree.depth(row), row)), np.int64),
        leaves=np.sort(leaf_node),
        line=np.array(sorted(range(len(tree.ids)), key=lambda row: (tree.depth(row), row)), np.int64),
        nodes=new_records(nodes, layout.NODE, free=per_node, hold=-1, gang_next=-1),
        on_node=np.full((nodes, per_node), -1, np.int64),
        slices=new_records(2 * ready + room, layout.SLICE),
        timers=new_records(2 * ready + len(targets) + room, layout.TIMER),
        points=new_records(4 * len(tree.ids) + 65_536 + 2 * room, layout.POINT, next=-1),
        curves=new_records(2 * len(tree.ids) + 1, layout.CURVE, next_time=NEVER),
        epochs=np.zeros(1, layout.EPOCH).view(np.recarray),
        shares=tree.shares(scenario.plan)[None, :],
        streams=streams,
        targets=targets,
        holds=holds_of(scenario.policy),
        arrivals=_arrivals(table),
        segments=np.zeros(3 * ready + room, SEGMENT).view(np.recarray),
        placements=np.zeros(4 * ready + room, PLACEMENT).view(np.recarray),
        decisions=np.zeros(6 * ready + room, DECISION).view(np.recarray),
        capacity=np.zeros(64, CAPACITY).view(np.recarray),
        idle=np.zeros((hours, len(IdleCause)), np.int64),
        idling=np.zeros(len(IdleCause), np.int64),
        free_count=counts,
        loose_count=counts.copy(),
        reserved=np.zeros(nodes, np.int64),
        picked=np.zeros(nodes, np.int64),
        victims=np.zeros(gpus + 1, np.int64),
        displaced=np.zeros(gpus + 1, np.int64),
        allowed=np.zeros(len(tree.ids), np.int64),
        cost=np.zeros((nodes, 2), np.int64),
        candidates=np.zeros(len(classes) + 1, np.int64),
        notices=new_records(2 * ready + 2 * nodes + 16, layout.NOTICE),
        asked=np.zeros(0, np.int64),
        waits=np.zeros(0, WAIT).view(np.recarray),
    )
    _start_clock(state, gpus, leaves)
    return state


def _start_clock(state: layout.State, gpus: int, leaves: int) -> None:
    clock = state.clock[0]
    for curve in range(len(state.curves)):
        state.curves[curve].oldest = state.curves[curve].latest = curve
    clock.points = len(state.curves)
    capacity = len(state.curves) - 1
    state.points[capacity].rate = state.curves[capacity].from_rate = state.curves[capacity].last_rate = gpus
    clock.healthy = gpus
    clock.epochs = 1
    clock.capacities = 1
    state.capacity[0].healthy = gpus
    state.idling[int(IdleCause.NO_DEMAND)] = gpus
    state.nodes.cause[:] = int(IdleCause.NO_DEMAND)
    state.nodes.counted[:] = state.nodes.free
    for row in range(len(state.streams)):
        stream = state.streams[row]
        if stream.closed:
            timer = state.timers[clock.timers]
            timer.time, timer.kind, timer.row = state.targets[stream.target_at].time, NEW_TARGET, row
            clock.timers += 1
    order = np.argsort(state.timers[: clock.timers], order=("time", "kind", "row"))
    state.timers[: clock.timers] = state.timers[order]  # a sorted array is a heap


def _jobs(scenario: Scenario, table: JobTable, leaf_node: np.ndarray[Any, Any]) -> tuple[Any, Any]:
    per_node = scenario.cluster.gpus_per_node
    leaf = leaf_node[table.leaf] if len(table) else np.zeros(0, np.int64)
    gpus = gpus_taken(table.gpus, per_node)
    need = np.where(table.gpus > per_node, gpus // per_node, 0)
    as_submitted = ("min_runtime", "submit", "work", "startup", "restart", "priority", "limit", "stream", "preemptible")
    jobs = new_records(
        len(table),
        layout.JOB,
        **dict.fromkeys(("left", "right", "parent", "slice", "first_start", "end"), -1),
        **dict.fromkeys(("displaced_at", "funded_at", "level"), -1),
        **{name: getattr(table, name) for name in as_submitted},
        leaf=leaf,
        gpus=gpus,
        need=need,
        checkpoint=np.where(table.resumable, table.checkpoint, 0),
        heat=np.random.default_rng(0).permutation(len(table)),  # shapes the treaps, decides nothing
        place=NOWHERE,
    )
    return jobs, sort_jobs(jobs, scenario.policy)


def sort_jobs(jobs: Any, policy: Policy) -> Any:
    """Put each job into the class that it has under a policy, and return the classes, with no job in their queues.

    Where nobody may stop a job that is not preemptible, classes come in pairs, one for such jobs and then one for the
    others, since people may change the mark of a job until it is submitted.
    """
    plain = jobs.view(np.ndarray)
    leaf, gpus = plain["leaf"], plain["gpus"]
    keys = {key for partition in policy.partitions for key in partition.keys}
    counts = policy.contracts or Key.MIN_RUNTIME in keys
    runtime = plain["min_runtime"] if counts else np.zeros(len(jobs), np.int64)
    most, longest = int(gpus.max(initial=0)) + 1, int(runtime.max(initial=0)) + 1
    _, first, member = np.unique((leaf * most + gpus) * longest + runtime, return_index=True, return_inverse=True)
    if policy.quotas is not None and policy.quotas.immune_within_quota:
        first, member = np.repeat(first, 2), 2 * member + plain["preemptible"]
    jobs.cls = member
    classes = new_records(
        len(first),
        layout.CLASS,
        tried=-1,
        blocked=-1,
        next=-1,
        previous=-1,
        leaf=leaf[first],
        gpus=gpus[first],
        need=plain["need"][first],
        min_runtime=runtime[first],
    )
    for name in ("fresh", "cooling", "running", "first_fresh", "first_cooling", "first_running"):
        classes[name] = -1
    return classes


def _arrivals(table: JobTable) -> np.ndarray[Any, Any]:
    streams = table.streams
    by_itself = ~(streams.closed | streams.manual)
    rows = np.flatnonzero(by_itself[table.stream] & (table.submit >= 0)) if len(table) else np.zeros(0, np.int64)
    return rows[np.argsort(table.submit[rows], kind="stable")].astype(np.int64)


def _streams(table: JobTable) -> tuple[Any, Any]:
    streams = table.streams
    records = new_records(len(streams), layout.STREAM)
    records.closed = streams.closed
    records.target_at = streams.target_at[:-1]
    records.target_end = streams.target_at[1:]
    count = np.bincount(table.stream, minlength=len(streams))
    first = np.zeros(len(streams), np.int64)
    first[table.stream[::-1]] = np.arange(len(table))[::-1]  # of the jobs of a stream, the first is written last
    for row in np.flatnonzero(streams.closed):
        records[row].next = first[row]
        records[row].end = first[row] + count[row]
        if records[row].target_at == records[row].target_end:
            records[row].closed = 0
    targets = new_records(len(streams.times), layout.TARGET)
    targets.time, targets.gpus = streams.times, streams.gpus
    return records, targets


def holds_of(policy: Policy) -> Any:
    """Return what is held for gangs: nothing yet, and as many at once as a policy allows."""
    return new_records(policy.contracts.holders if policy.contracts else 0, layout.HOLD, job=-1)


def partitions_of(policy: Policy) -> Any:
    """Return the partitions of a policy."""
    records = new_records(len(policy.partitions), layout.PARTITION)
    for row, partition in enumerate(policy.partitions):
        records[row].match = int(partition.match)
        records[row].licence = int(partition.licence)
        records[row].keys = len(partition.keys)
        for place, key in enumerate(partition.keys):
            records[f"key{place}"][row] = int(key)
    return records


def rules_of(scenario: Scenario, policy: Policy) -> Any:
    """Return the rules that a policy, which need not be the one that a scenario begins with, has on its cluster."""
    cluster = scenario.cluster
    contracts = policy.contracts
    rules = new_records(1, layout.RULES)
    values: dict[str, int] = {
        "lookback": policy.window.lookback,
        "half_life": policy.window.half_life or 0,
        "window": window_seconds(policy),
        "contracts": int(contracts is not None),
        "margin_part": policy.margin.numerator,
        "margin_whole": policy.margin.denominator,
        "within_leaf": int(policy.reclaim_within_leaf),
        "cooldown": policy.cooldown,
        "slot_limits": int(policy.slot_limits),
        "backfill": int(policy.backfill),
        "heads_only": int(policy.candidates is Candidates.HEAD),
        "cycle": cluster.cycle,
        "per_node": cluster.gpus_per_node,
        "nodes": cluster.nodes,
        "give_up_after": scenario.give_up_after,
        "partitions": len(policy.partitions),
        "quotas": int(policy.quotas is not None),
        "by_use": int(
            any(Key.USE in part.keys for part in policy.partitions if contracts is None or part.match is Match.FUNDED)
        ),
        "by_level": int(any(Key.LEVEL_FAIR_SHARE in part.keys for part in policy.partitions)),
        "fill": int(any(partition.match is not Match.FUNDED for partition in policy.partitions)),
    }
    for place, key in enumerate(key for key in policy.partitions[0].keys if key in WITHIN_CLASS):
        values[f"order{place}"] = int(key)
    if contracts is not None:
        values |= {
            "cap": contracts.cap,
            "short": contracts.short,
            "reserve_part": contracts.reserve.numerator,
            "reserve_whole": contracts.reserve.denominator,
            "lending": int(contracts.lending),
            "save_after": -1 if contracts.save_after is None else contracts.save_after,
            "holders": contracts.holders,
        }
    if policy.quotas is not None:
        values |= {
            "immune": int(policy.quotas.immune_within_quota),
            "history_part": policy.quotas.history.numerator,
            "history_whole": policy.quotas.history.denominator,
            "multiplier_part": policy.quotas.multiplier.numerator,
            "multiplier_whole": policy.quotas.multiplier.denominator,
        }
    for name, value in values.items():
        rules[name] = value
    return rules


def window_seconds(policy: Policy) -> int:
    """Return how many seconds of full capacity a whole window is worth, less than the lookback where use decays."""
    lookback, half_life = policy.window.lookback, policy.window.half_life
    if half_life is None:
        return lookback
    return int(half_life / LN2 * (1 - decayed(lookback, half_life)))


def check_policy(policy: Policy, cluster: Cluster, table: JobTable) -> None:
    """Refuse what the integers of the kernel cannot hold, or what a policy does not allow. Raises SimulationError."""
    contracts = policy.contracts
    fractions: dict[str, Fraction] = {"margin": policy.margin}
    if contracts is not None:
        fractions["reserve"] = contracts.reserve
        above = np.flatnonzero(table.min_runtime > contracts.cap)
        if len(above):
            asked = format_duration(int(table.min_runtime[above].max()))
            raise SimulationError(
                f"{len(above)} jobs ask a contract of up to {asked}, above the cap of policy {policy.name!r} "
                f"({format_duration(contracts.cap)}); shorten them or raise the cap"
            )
    if policy.quotas is not None:
        fractions |= {"history": policy.quotas.history, "multiplier": policy.quotas.multiplier}
    for name, value in fractions.items():
        if value.denominator > FINEST:
            raise SimulationError(
                f"the {name} of policy {policy.name!r} is too fine: {value}; use at most four decimals"
            )
    if SHARE_UNIT * cluster.gpus * policy.window.lookback >= 2**62:
        raise SimulationError(
            f"a lookback of {format_duration(policy.window.lookback)} on {cluster.gpus} GPUs is too much to count"
        )


def _check_sizes(cluster: Cluster, table: JobTable) -> None:
    large = np.flatnonzero(gpus_taken(table.gpus, cluster.gpus_per_node) > cluster.gpus)
    if len(large):
        raise SimulationError(
            f"{len(large)} jobs ask for more GPUs than the {cluster.gpus} of cluster {cluster.name!r}"
        )
