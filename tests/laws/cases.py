"""Small and wicked runs: jobs, clusters, plans, policies and what the world does, out of Hypothesis's hands.

`tests.strategies` makes scenarios as people write them; here the table of jobs is made directly, so that sizes, contracts
and work fall on one another: a contract as long as its work, work of one second, claims as large as an entitlement.
"""

from __future__ import annotations

from fractions import Fraction

import attrs
import numpy as np
from hypothesis import strategies as st

from allotment.model.cluster import Cluster
from allotment.model.plan import Plan, PlanNode
from allotment.model.policy import (
    Backfill,
    Candidates,
    Contracts,
    Lending,
    Licence,
    Match,
    Policy,
    Quotas,
    Window,
)
from allotment.presets import load_policy
from allotment.presets.catalogue import names
from allotment.scenario import Scenario
from allotment.units import DAY, HOUR
from allotment.workload.table import COLUMNS, JobTable, StreamTable
from tests.laws.happenings import Happening
from tests.strategies import partitions, shares

SHIPPED = names("policies")
OPEN, CLOSED, MANUAL = range(3)


@attrs.frozen(kw_only=True, eq=False)
class Case:
    """A scenario, its jobs, and what happens to it."""

    scenario: Scenario
    table: JobTable
    happenings: tuple[Happening, ...] = ()


# --- plans ----------------------------------------------------------------------------------------------------------


@st.composite
def trees(draw: st.DrawFn, depth: int = 3, *, limits: bool = True) -> Plan:
    """Return a plan of up to a dozen nodes; its ids are letters, in no order of rank."""
    letters = iter(draw(st.permutations("abcdefghijklmn")))
    bounds = st.none() | st.integers(0, 24) if limits else st.none()
    waits = st.sampled_from([None, None, None, 0, 30, 600, 3_000])

    def family(level: int, most: int) -> tuple[PlanNode, ...]:
        count = draw(st.integers(1 if level == 1 else 0, most))
        return tuple(
            PlanNode(
                id=next(letters),
                share=part / draw(st.sampled_from([1, 1, 1, 8, 64])),
                allocated_limit=draw(bounds),
                unallocated_limit=draw(bounds),
                over_quota_weight=draw(st.sampled_from([None, None, Fraction(0), Fraction(1), Fraction(5, 3)])),
                preempt_min_runtime=draw(waits),
                reclaim_min_runtime=draw(waits),
                children=family(level + 1, 2) if level < depth else (),
            )
            for part in draw(shares(count))
        )

    return Plan(name="plan", children=family(1, 2))


def reshape(draw: st.DrawFn, plan: Plan) -> Plan:
    """Return the plan with other shares and limits."""

    def anew(family: tuple[PlanNode, ...]) -> tuple[PlanNode, ...]:
        parts = draw(shares(len(family)))
        limit = draw(st.sampled_from([None, 0, 8]))
        return tuple(
            attrs.evolve(node, share=part, children=anew(node.children), allocated_limit=limit, unallocated_limit=limit)
            for node, part in zip(family, parts, strict=True)
        )

    return attrs.evolve(plan, children=anew(plan.children))


# --- policies -------------------------------------------------------------------------------------------------------


def contracts(unit: int) -> st.SearchStrategy[Contracts]:
    """Return settings of contracts around a unit of time (seconds)."""
    return st.builds(
        Contracts,
        cap=st.sampled_from([8 * unit, 20 * unit]),
        short=st.sampled_from([0, unit, 3 * unit]),
        reserve=st.sampled_from([Fraction(0), Fraction(1, 200), Fraction(1, 7)]),
        lending=st.sampled_from(Lending),
        save_after=st.sampled_from([None, 0, 4 * unit, 20 * unit]),
        holders=st.integers(0, 2),
    )


def quotas(unit: int) -> st.SearchStrategy[Quotas]:
    """Return settings of quotas around a unit of time (seconds)."""
    return st.builds(
        Quotas,
        preempt_min_runtime=st.sampled_from([0, unit, 7 * unit]),
        reclaim_min_runtime=st.sampled_from([0, 3 * unit, 12 * unit]),
        history=st.sampled_from([Fraction(0), Fraction(0), Fraction(1), Fraction(7, 3)]),
        multiplier=st.sampled_from([Fraction(1), Fraction(1), Fraction(6, 5), Fraction(3)]),
        immune_within_quota=st.booleans(),
    )


@st.composite
def shipped(draw: st.DrawFn, name: str, unit: int) -> Policy:
    """Return a policy that ships, with a window and contracts of the size of a small run."""
    policy = attrs.evolve(load_policy(name), window=Window(lookback=draw(lookbacks(unit))))
    if policy.quotas is not None:
        return attrs.evolve(policy, quotas=draw(quotas(unit)))
    if policy.contracts is None:
        return policy
    return attrs.evolve(policy, contracts=draw(contracts(unit)), cooldown=draw(st.sampled_from([0, 5 * unit])))


@st.composite
def invented(draw: st.DrawFn, unit: int, *, half_life: bool = False) -> Policy:
    """Return any policy that the model allows, scaled to a small run."""
    given, deserved = draw(st.tuples(st.none() | contracts(unit), st.none()) | st.tuples(st.none(), quotas(unit)))
    backfills = list(Backfill)
    matches, licences = [Match.ALL], [Licence.NOBODY, Licence.LOWER]
    if given is not None:
        backfills.remove(Backfill.EASY)
        licences.append(Licence.INTERRUPTIBLE)
        matches = draw(st.sampled_from([[Match.FUNDED, Match.ALL], [Match.FUNDED], [Match.FUNDED, Match.UNFUNDED]]))
    if deserved is not None:
        backfills, licences = [Backfill.ANY], [Licence.RECLAIM]
    return Policy(
        name="invented",
        window=Window(
            lookback=draw(lookbacks(unit)), half_life=draw(st.sampled_from([None, HOUR, DAY])) if half_life else None
        ),
        contracts=given,
        quotas=deserved,
        partitions=draw(partitions(matches, licences)),
        backfill=draw(st.sampled_from(backfills)),
        candidates=draw(st.sampled_from(Candidates)) if given is not None else Candidates.CLASSES,
        margin=draw(st.sampled_from([Fraction(0), Fraction(1, 20), Fraction(1, 3)])),
        reclaim_within_leaf=draw(st.booleans()),
        cooldown=draw(st.sampled_from([0, 5 * unit])),
        slot_limits=draw(st.booleans()),
    )


def lookbacks(unit: int) -> st.SearchStrategy[int]:
    return st.sampled_from([HOUR, max(HOUR, 30 * unit), 2 * DAY])


# --- jobs -----------------------------------------------------------------------------------------------------------


@st.composite
def tables(
    draw: st.DrawFn, leaves: tuple[str, ...], cluster: Cluster, policy: Policy, unit: int, horizon: int, fewest: int
) -> JobTable:
    """Return up to two dozen jobs of an open, a closed and a manual stream."""
    per_node, gpus = cluster.gpus_per_node, cluster.gpus
    cap, short = (policy.contracts.cap, policy.contracts.short) if policy.contracts else (8 * unit, unit)
    sizes = sorted({size for size in (1, 2, 3, 5, 6, 7, per_node, per_node + 1, 2 * per_node, gpus) if size <= gpus})
    sizes = [size for size in sizes if size <= per_node or -(-size // per_node) <= cluster.nodes]
    contract = st.sampled_from(sorted({0, short, min(short + 1, cap), cap, cap // 2}))
    work = st.sampled_from(sorted({1, unit, short or 1, cap, cap + 1, 3 * unit, 30 * unit, 100 * unit}))
    row = st.tuples(
        st.sampled_from([OPEN, OPEN, OPEN, CLOSED, MANUAL]),
        st.integers(0, len(leaves) - 1),
        st.integers(0, max(0, min(horizon - 1, 60 * unit))) | st.just(0),
        st.sampled_from(sizes),
        work,
        contract,
        st.sampled_from([0, 0, 1, unit, 5 * unit]),  # checkpoint; 0 is not resumable
        st.sampled_from([0, 0, 1, unit]),  # start-up
        st.sampled_from([0, 0, 2 * unit]),  # restart
        st.integers(1, 4),
        st.booleans(),
        st.sampled_from([1, 1, 2, 5]),  # limit / work
    )
    rows = sorted(draw(st.lists(row, min_size=fewest, max_size=max(24, 2 * fewest))), key=lambda r: r[0] == CLOSED)
    closed_leaf = draw(st.integers(0, len(leaves) - 1))
    times = draw(st.lists(st.integers(0, horizon - 1), max_size=3, unique=True).map(sorted))
    steps = [draw(st.sampled_from([0, 1, gpus, 3 * gpus])) for _ in times]
    count = len(times)
    columns = {name: np.zeros(len(rows), np.int64) for name in COLUMNS}
    for at, (
        stream,
        leaf,
        submit,
        size,
        seconds,
        asked,
        checkpoint,
        startup,
        restart,
        priority,
        movable,
        limit,
    ) in enumerate(rows):
        values = {
            "stream": stream,
            "leaf": closed_leaf if stream == CLOSED else leaf,
            "submit": submit if stream == OPEN else -1,
            "gpus": size,
            "work": seconds,
            "min_runtime": asked,
            "resumable": checkpoint > 0,
            "checkpoint": checkpoint,
            "startup": startup,
            "restart": restart,
            "priority": priority,
            "preemptible": movable,
            "limit": (seconds + startup) * limit,
        }
        for name, value in values.items():
            columns[name][at] = value
    return JobTable(
        leaves=leaves,
        kinds=("work",),
        users=("somebody",),
        streams=StreamTable(
            names=("open", "closed", "manual"),
            kinds=("work",) * 3,
            leaf=[0, closed_leaf, 0],
            closed=[False, True, False],
            manual=[False, False, True],
            target_at=[0, 0, count, count],
            times=times,
            gpus=steps,
        ),
        **columns,
    )


# --- the whole ------------------------------------------------------------------------------------------------------


@st.composite
def cases(
    draw: st.DrawFn,
    name: str | None = None,
    *,
    world: bool = True,
    half_life: bool = False,
    passes: int = 120,
    fewest: int = 1,
    most_nodes: int = 5,
) -> Case:
    """Return a run of at most so many cycles under a policy that ships, or (None) under an invented one.

    `fewest` is the least number of jobs; with many, a run is long too, and little of it can be made simpler.
    """
    unit = draw(st.sampled_from([30, 300, 1, 7, 300]))
    cluster = Cluster(
        name="cluster",
        nodes=draw(st.integers(1, most_nodes)),
        gpus_per_node=draw(st.sampled_from([8, 8, 4, 3, 1])),
        cycle=unit,
    )
    plan = draw(trees())
    inner = [node.id for node in plan.walk() if node.children]
    direct = frozenset(draw(st.lists(st.sampled_from(inner), unique=True, max_size=2))) if inner else frozenset()
    leaves = plan.work_leaves(direct)
    policy = draw(invented(unit, half_life=half_life) if name is None else shipped(name, unit))
    horizon = draw(st.integers(min(passes, 4 * fewest - 3), passes)) * unit + draw(
        st.sampled_from([0, 0, 1, unit // 2])
    )
    table = draw(tables(leaves, cluster, policy, unit, horizon, fewest))
    happenings: tuple[Happening, ...] = ()
    if world:
        happenings = draw(events(plan, cluster, table, horizon))
    scenario = Scenario(
        name="case",
        cluster=cluster,
        plan=plan,
        policy=policy,
        workload=(),
        warmup=0,
        measured=horizon,
        give_up_after=draw(st.integers(1, 5)),
    )
    return Case(scenario=scenario, table=table, happenings=happenings)


@st.composite
def events(draw: st.DrawFn, plan: Plan, cluster: Cluster, table: JobTable, horizon: int) -> tuple[Happening, ...]:
    """Return what people and machines do: in the order of time, at any second, several at one second too."""
    made = []
    manual = np.flatnonzero(table.streams.manual[table.stream]).tolist()
    for verb in draw(
        st.lists(
            st.sampled_from(
                ["cordon", "cordon", "fail", "evict", "take_down", "clear", "clear", "cancel", "plan", "submit"]
            ),
            max_size=12,
        )
    ):
        time = draw(st.integers(0, horizon - 1))
        if verb == "plan":
            made.append(Happening(time, verb, reshape(draw, plan)))
        elif verb == "submit":
            if manual:
                made.append(Happening(time, verb, draw(st.sampled_from(manual))))
        elif verb == "cancel":
            made.append(Happening(time, verb, draw(st.integers(0, len(table) - 1))))
        else:
            made.append(Happening(time, verb, draw(st.integers(0, cluster.nodes - 1))))
    return tuple(sorted(made, key=lambda happening: happening.time))
