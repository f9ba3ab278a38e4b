"""Hypothesis strategies for what a scenario is made of: plans, clusters, policies, streams, and small whole scenarios.

`policies` gives anything that the model allows, for reading and writing; `regimes` gives the policies that ship, with
their settings varied, for runs. A small scenario runs in a fraction of a second.
"""

from __future__ import annotations

from datetime import UTC, datetime
from fractions import Fraction

import attrs
from hypothesis import strategies as st

from allotment.model.changeset import Changeset, ShareChange
from allotment.model.cluster import Cluster, Health, figures
from allotment.model.codes import Priority
from allotment.model.people import Impatience, Inflation, OverAsking, Pause, Person, Sessions, Squatting, Tolerance
from allotment.model.plan import Plan, PlanNode
from allotment.model.policy import (
    WITHIN_CLASS,
    Backfill,
    Candidates,
    Contracts,
    Key,
    Lending,
    Licence,
    Match,
    Partition,
    Policy,
    Quotas,
    Window,
)
from allotment.model.switch import Switch
from allotment.presets import load_policy
from allotment.scenario import Scenario
from allotment.units import DAY, HOUR, MINUTE
from allotment.workload.classes import (
    ClosedStream,
    Contract,
    Cycle,
    Kind,
    OpenStream,
    PriorityWeights,
    RunTime,
    Size,
    Spread,
    Step,
    Stream,
    Swing,
)

POLICIES = (
    "budgets",
    "priority",
    "priority-any",
    "priority-strict",
    "fifo",
    "fifo-any",
    "fifo-strict",
    "fair-tree",
    "quota",
)
WEIGHTS = st.sampled_from([None, Fraction(0), Fraction(5, 3), Fraction(1, 10), Fraction(70)])
WAITS = st.sampled_from([None, 0, 90, 15 * MINUTE, 8 * HOUR])
ZONES = ("UTC", "Europe/Zurich", "America/Los_Angeles", "Asia/Taipei")

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
lines = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=20)
names = lines.filter(lambda text: "/" not in text and text != "root")
ids = st.from_regex(r"[a-z][a-z0-9-]{0,7}", fullmatch=True).filter(lambda text: text != "root")


def durations(low: int, high: int) -> st.SearchStrategy[int]:
    """Return seconds from `low` to `high`, round ones more often."""
    units = [unit for unit in (MINUTE, HOUR, DAY) if high // unit > -(-low // unit)]
    rounds = [st.integers(-(-low // unit), high // unit).map(lambda n, unit=unit: n * unit) for unit in units]
    return st.one_of(st.integers(low, high), *rounds)


@st.composite
def shares(draw: st.DrawFn, count: int) -> tuple[Fraction, ...]:
    """Return shares of siblings that sum to at most 1, exactly; some are 0, and some leave nothing open."""
    parts = draw(st.lists(st.sampled_from([1, 2, 3, 7, 12, 0]), min_size=count, max_size=count))
    rest = draw(st.sampled_from([0, 0, 1, 3, 10]))
    whole = max(1, sum(parts) + rest)
    return tuple(Fraction(part, whole) for part in parts)


@st.composite
def plans(draw: st.DrawFn, most: int = 8, depth: int = 3, *, limits: bool = True, simple: bool = False) -> Plan:
    """Return a plan of at most `most` nodes; `simple` keeps to short ids and no texts."""
    count = draw(st.integers(1, most))
    found = draw(st.lists(ids if simple else names, min_size=count, max_size=count, unique=True))
    parents: list[int | None] = [None]
    levels = [1]
    for index in range(1, count):
        above = draw(st.sampled_from([None, *[at for at in range(index) if levels[at] < depth]]))
        parents.append(above)
        levels.append(1 if above is None else levels[above] + 1)
    bounds = st.none() | st.integers(0, 64) if limits else st.none()

    def children(parent: int | None) -> tuple[PlanNode, ...]:
        members = [index for index in range(count) if parents[index] == parent]
        parts = draw(shares(len(members)))
        return tuple(
            PlanNode(
                id=found[index],
                name=found[index] if simple else f"{draw(names)} {index}",
                share=part,
                allocated_limit=draw(bounds),
                unallocated_limit=draw(bounds),
                over_quota_weight=draw(WEIGHTS),
                preempt_min_runtime=draw(WAITS),
                reclaim_min_runtime=draw(WAITS),
                children=children(index),
            )
            for index, part in zip(members, parts, strict=True)
        )

    free = st.just("") if simple else texts
    return Plan(
        name="plan" if simple else draw(lines),
        title=draw(free),
        description=draw(free),
        source=draw(free),
        children=children(None),
    )


@st.composite
def changesets(draw: st.DrawFn, plan: Plan, horizon: int) -> tuple[Changeset, ...]:
    """Return up to two changesets that can be applied to the plan one after the other: a family's shares anew."""
    made = []
    for time in sorted(draw(st.lists(st.integers(0, horizon - 1), max_size=2))):
        parent = draw(st.sampled_from(["root", *[node.id for node in plan.walk() if node.children]]))
        family = plan.children_of(parent)
        fresh = draw(shares(len(family)))
        changes = tuple(ShareChange(id=child.id, share=part) for child, part in zip(family, fresh, strict=True))
        made.append(Changeset(time=time, author=draw(texts), reason=draw(texts), shares=changes))
    return tuple(made)


def healths() -> st.SearchStrategy[Health]:
    """Return how nodes break, often enough that something happens within days."""
    return st.builds(
        Health,
        hard_mtbf=durations(DAY, 60 * DAY),
        unhealthy_mtbf=durations(DAY, 60 * DAY),
        urgent_share=st.fractions(0, 1, max_denominator=20),
        repair=durations(MINUTE, 2 * DAY),
        repair_spread=st.floats(0, 2),
        person_time=durations(0, 4 * HOUR),
        drain_patience=durations(0, DAY),
        engineers=st.integers(1, 3),
        crews=st.integers(1, 3),
    )


@st.composite
def clusters(draw: st.DrawFn, most_nodes: int = 6, *, health: bool = True, simple: bool = False) -> Cluster:
    """Return a cluster of a few nodes, of 8 GPUs mostly."""
    marked = {} if simple else draw(st.dictionaries(st.sampled_from(figures()), st.booleans()))
    return Cluster(
        name="cluster" if simple else draw(lines),
        title="" if simple else draw(texts),
        nodes=draw(st.integers(1, most_nodes)),
        gpus_per_node=draw(st.sampled_from([8, 8, 8, 4, 2, 1, 3])),
        cycle=draw(st.sampled_from([30, 30, 60, 7])),
        health=draw(st.none() | healths()) if health else None,
        public=tuple(name for name, public in marked.items() if public),
        illustrative=tuple(name for name, public in marked.items() if not public),
    )


@st.composite
def partitions(draw: st.DrawFn, matches: list[Match], licences: list[Licence]) -> tuple[Partition, ...]:
    """Return partitions that agree on the order of what one queue can be sorted by; those that reclaim are of quotas."""
    inner = [key for key in draw(st.permutations(WITHIN_CLASS)) if draw(st.booleans())] or [Key.AGE]
    made = []
    for match in matches:
        outer = draw(
            st.lists(
                st.sampled_from([key for key in Key if key not in (*WITHIN_CLASS, Key.FAIR_GPUS)]),
                unique=True,
                max_size=2,
            )
        )
        if Licence.RECLAIM in licences:
            outer = [Key.FAIR_GPUS, *outer]
        made.append(Partition(match=match, keys=(*outer, *inner), licence=draw(st.sampled_from(licences))))
    return tuple(made)


@st.composite
def policies(draw: st.DrawFn) -> Policy:
    """Return any policy that the model allows."""
    contracts, quotas = None, None
    matches, licences = [Match.ALL], [Licence.NOBODY, Licence.LOWER]
    backfills = list(Backfill)
    which = draw(st.sampled_from(["contracts", "quotas", "neither"]))
    if which == "quotas":
        licences, backfills = [Licence.RECLAIM], [Backfill.ANY]
        quotas = Quotas(
            preempt_min_runtime=draw(durations(0, 2 * DAY)),
            reclaim_min_runtime=draw(durations(0, 2 * DAY)),
            history=draw(st.fractions(0, 10, max_denominator=1000)),
            multiplier=draw(st.fractions(1, 10, max_denominator=1000)),
            immune_within_quota=draw(st.booleans()),
        )
    if which == "contracts":
        cap = draw(durations(MINUTE, 2 * DAY))
        contracts = Contracts(
            cap=cap,
            short=draw(durations(0, cap)),
            reserve=draw(st.fractions(0, 1, max_denominator=1000)),
            lending=draw(st.sampled_from(Lending)),
            save_after=draw(st.none() | durations(0, 7 * DAY)),
            holders=draw(st.integers(0, 16)),
        )
        matches = draw(st.sampled_from([[Match.FUNDED], [Match.FUNDED, Match.UNFUNDED], [Match.FUNDED, Match.ALL]]))
        licences = [licence for licence in Licence if licence is not Licence.RECLAIM]
        backfills.remove(Backfill.EASY)
    return Policy(
        name=draw(lines),
        title=draw(texts),
        description=draw(texts),
        source=draw(texts),
        window=Window(lookback=draw(durations(HOUR, 30 * DAY)), half_life=draw(st.none() | durations(HOUR, 30 * DAY))),
        contracts=contracts,
        quotas=quotas,
        partitions=draw(partitions(matches, licences)),
        backfill=draw(st.sampled_from(backfills)),
        candidates=draw(st.sampled_from(Candidates)),
        margin=draw(st.fractions(0, 1, max_denominator=1000)),
        reclaim_within_leaf=draw(st.booleans()),
        cooldown=draw(durations(0, DAY)),
        slot_limits=draw(st.booleans()),
    )


@st.composite
def regimes(draw: st.DrawFn, only: tuple[str, ...] = POLICIES) -> Policy:
    """Return a policy that ships, with a short window, and the settings of contracts or quotas varied where it has them."""
    policy = load_policy(draw(st.sampled_from(only)))
    half_life = None if policy.window.half_life is None else draw(st.sampled_from([None, HOUR, DAY]))
    lookback = draw(st.sampled_from([6 * HOUR, DAY, 2 * DAY]))
    policy = attrs.evolve(policy, window=Window(lookback=lookback, half_life=half_life))
    if policy.quotas is not None:
        quotas = Quotas(
            preempt_min_runtime=draw(st.sampled_from([0, 15 * MINUTE])),
            reclaim_min_runtime=draw(st.sampled_from([0, HOUR, 8 * HOUR])),
            history=draw(st.sampled_from([Fraction(0), Fraction(1), Fraction(7, 3)])),
            multiplier=draw(st.sampled_from([Fraction(1), Fraction(6, 5)])),
            immune_within_quota=draw(st.booleans()),
        )
        return attrs.evolve(policy, quotas=quotas)
    if policy.contracts is None:
        return policy
    contracts = Contracts(
        cap=draw(st.sampled_from([HOUR, 2 * HOUR, 8 * HOUR])),
        short=draw(st.sampled_from([0, 15 * MINUTE])),
        reserve=draw(st.sampled_from([Fraction(0), Fraction(1, 200), Fraction(1, 20)])),
        lending=draw(st.sampled_from(Lending)),
        save_after=draw(st.sampled_from([None, 0, HOUR, DAY])),
        holders=draw(st.integers(0, 2)),
    )
    return attrs.evolve(
        policy,
        contracts=contracts,
        margin=draw(st.sampled_from([Fraction(0), Fraction(1, 20), Fraction(1, 5)])),
        reclaim_within_leaf=draw(st.booleans()),
        cooldown=draw(st.sampled_from([0, 10 * MINUTE])),
        candidates=draw(st.sampled_from(Candidates)),
    )


@st.composite
def kinds(draw: st.DrawFn, name: str, cluster: Cluster, cap: int) -> Kind:
    """Return a kind of work whose jobs fit on the cluster and ask for contracts up to the cap, or for none."""
    fitting = sorted(
        {size for size in (1, 2, 3, 5, 8, 9, 16, cluster.gpus_per_node, cluster.gpus) if size <= cluster.gpus}
    )
    fitting = [
        size for size in fitting if size <= cluster.gpus_per_node or -(-size // cluster.gpus_per_node) <= cluster.nodes
    ]
    asked = draw(st.lists(st.sampled_from([0, 0, 15 * MINUTE, HOUR, 8 * HOUR]), min_size=1, max_size=2, unique=True))
    weights = st.sampled_from([0.25, 1.0, 3.0])
    return Kind(
        name=name,
        weight=draw(weights),
        sizes=tuple(
            Size(gpus=size, weight=draw(weights))
            for size in draw(st.lists(st.sampled_from(fitting), min_size=1, max_size=3, unique=True))
        ),
        run_time=RunTime(
            median=draw(st.sampled_from([20 * MINUTE, HOUR, 5 * HOUR])),
            sigma=draw(st.sampled_from([0.0, 0.5, 1.5])),
            shortest=draw(st.sampled_from([1, 5 * MINUTE])),
            longest=2 * DAY,
            early_failures=draw(st.sampled_from([0.0, 0.3])),
        ),
        contracts=tuple(Contract(min_runtime=min(seconds, cap), weight=draw(weights)) for seconds in asked),
        resumable=draw(st.sampled_from([0.0, 0.9, 1.0])),
        checkpoint=draw(st.sampled_from([MINUTE, 30 * MINUTE])),
        startup=draw(st.sampled_from([0, MINUTE])),
        restart=draw(st.sampled_from([0, 5 * MINUTE])),
        priorities=PriorityWeights(
            low=draw(weights), normal=1.0, high=draw(weights), urgent=draw(st.sampled_from([0.0, 0.2]))
        ),
        preemptible=draw(st.sampled_from([0.0, 0.7, 1.0])),
        limit_factor=draw(st.sampled_from([1.0, 3.0])),
        users=draw(st.integers(1, 4)),
    )


@st.composite
def streams(draw: st.DrawFn, plan: Plan, cluster: Cluster, cap: int = 8 * HOUR) -> tuple[Stream, ...]:
    """Return an open stream, a closed one, or both; some name inner nodes of the plan."""
    leaves = st.lists(st.sampled_from(plan.ids), max_size=3, unique=True).map(tuple)
    made: list[Stream] = []
    which = draw(st.sampled_from(["open", "closed", "both"]))
    if which != "closed":
        made.append(
            OpenStream(
                name="open",
                kinds=(draw(kinds("debug", cluster, cap)),),
                leaves=draw(leaves),
                spread=draw(st.sampled_from(Spread)),
                jobs_per_week=draw(st.sampled_from([500.0, 100.0, 2000.0])),
                cycle=Cycle(days=(1.0, 1.0, 1.0, 1.0, 1.0, 0.5, 0.0)) if draw(st.booleans()) else Cycle(),
                noise=draw(st.sampled_from([0, 2])),
            )
        )
    if which != "open":
        made.append(
            ClosedStream(
                name="closed",
                kinds=tuple(
                    draw(kinds(name, cluster, cap)) for name in ("training", "batch")[: draw(st.integers(1, 2))]
                ),
                leaves=draw(leaves),
                demand=draw(st.sampled_from([0.5, 1.5, 2.5])),
                swing=draw(st.none() | st.just(Swing(every=6 * HOUR))),
                steps=draw(st.sampled_from([(), (Step(at=DAY, factor=0.0), Step(at=DAY + HOUR, factor=2.0))])),
                least=draw(st.sampled_from([0, 1])),
            )
        )
    return tuple(made)


@st.composite
def peoples(draw: st.DrawFn, plan: Plan, kinds: tuple[str, ...], cap: int) -> tuple[Person, ...]:
    """Return some behaviours of people, at most one of each type, of kinds of work that there are."""
    share = st.sampled_from([0.0, 0.3, 1.0])
    which = {
        "leaves": st.lists(st.sampled_from(plan.ids), max_size=2, unique=True).map(tuple),
        "kinds": st.lists(st.sampled_from(kinds), max_size=2, unique=True).map(tuple),
    }
    pauses = st.builds(Pause, median=st.sampled_from([MINUTE, HOUR, 5 * HOUR]), sigma=st.sampled_from([0.0, 1.0]))
    tolerances = st.lists(st.sampled_from(kinds), max_size=2, unique=True).map(
        lambda named: tuple(Tolerance(kind=kind, wait=HOUR) for kind in named)
    )
    behaviours: list[st.SearchStrategy[Person]] = [
        st.builds(
            Sessions,
            people=st.integers(1, 2),
            run_time=pauses,
            think=pauses,
            min_runtime=st.just(min(cap, 15 * MINUTE)),
        ),
        st.builds(Impatience, share=share, patience=pauses, resubmit=share, **which),
        st.builds(Squatting, share=share, users=share, hold=pauses, longest=durations(1, DAY), **which),
        st.builds(
            Inflation,
            tolerance=durations(0, HOUR),
            tolerances=tolerances,
            quantile=st.fractions(0, 1, max_denominator=20),
            every=durations(10 * MINUTE, DAY),
            step=share,
            relax=share,
            highest=st.sampled_from(Priority),
            pin=share,
            unpin=share,
            **which,
        ),
        st.builds(OverAsking, share=share, min_runtime=durations(1, cap), times=st.none() | st.floats(1, 9), **which),
    ]
    return tuple(draw(behaviour) for behaviour in behaviours if draw(st.booleans()))


@st.composite
def scenarios(
    draw: st.DrawFn,
    policy: st.SearchStrategy[Policy] | None = None,
    *,
    health: bool = False,
    people: bool = False,
    switches: bool = False,
    longest: int = 3 * DAY,
) -> Scenario:
    """Return a small scenario under a policy that ships, or under one that `policy` gives; with people if asked.

    With `switches` up to two other policies that ship take over during the run.
    """
    chosen = draw(regimes() if policy is None else policy)
    cluster = draw(clusters(health=health, simple=True))
    plan = draw(plans(most=6, simple=True))
    warmup = draw(st.sampled_from([0, 6 * HOUR]))
    measured = draw(st.sampled_from([longest - warmup, DAY, 6 * HOUR]) | durations(HOUR, longest - warmup))
    cap = 8 * HOUR if chosen.contracts is None else chosen.contracts.cap
    times = draw(st.lists(st.integers(0, warmup + measured - 1), max_size=2, unique=True)) if switches else []
    later = tuple(Switch(time=time, policy=draw(regimes())) for time in sorted(times))
    cap = min([cap, *(switch.policy.contracts.cap for switch in later if switch.policy.contracts is not None)])
    workload = draw(streams(plan, cluster, cap))
    kinds = tuple(sorted({kind.name for stream in workload for kind in stream.kinds}))
    return Scenario(
        name="small",
        cluster=cluster,
        plan=plan,
        policy=chosen,
        workload=workload,
        people=draw(peoples(plan, kinds, cap)) if people else (),
        time_zone=draw(st.sampled_from(ZONES)),
        start=datetime(2026, 3, draw(st.integers(1, 28)), tzinfo=UTC),
        warmup=warmup,
        measured=measured,
        seed=draw(st.integers(0, 2**32)),
        give_up_after=draw(st.integers(1, 5)),
        changesets=draw(changesets(plan, warmup + measured)),
        switches=later,
    )
