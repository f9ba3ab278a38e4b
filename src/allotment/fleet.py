"""A fleet: clusters that are run side by side, with work that may run on several of them.

Each member has a plan and a policy of its own, as an allocation is one of a cluster, and other policies may take over on
it at times of its own: a rollout cluster by cluster. Open streams and sessions come to the fleet as a whole. Each cluster
is asked for its part of them, in proportion to its GPUs; closed streams keep their demand outstanding on each, as that is
told as a multiple of the cluster. Of the jobs of open streams some are portable: they may run on any member that they fit on, and
`arbitration` says who chooses and how. In this model that is chosen once, at the moment at which the job is submitted.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from enum import IntEnum
from types import SimpleNamespace
from typing import Any

import attrs

from allotment.errors import NotFoundError, ValueProblems
from allotment.model.checks import NOT_EMPTY, Where, at_least, between, known, known_items, one_line
from allotment.model.cluster import Cluster
from allotment.model.job import gpus_taken
from allotment.model.people import Person
from allotment.model.plan import Plan
from allotment.model.policy import Policy
from allotment.model.switch import Switch
from allotment.model.typed import typed
from allotment.scenario import LONGEST, Scenario, check_start, zone
from allotment.scenario import contradictions as contradictions_of
from allotment.units import DAY, Seconds
from allotment.workload.chance import generator
from allotment.workload.classes import ClosedStream, OpenStream, Stream
from allotment.workload.kinds import Kind, Size

LARGEST_SEED = 2**31  # of the members' seeds, which are shown


def _check_zone(_instance: Any, _attribute: attrs.Attribute[str], value: str) -> None:
    zone(value)


def _switches(switches: Iterable[Switch]) -> tuple[Switch, ...]:
    return tuple(switches)


def _members(members: Iterable[Member]) -> tuple[Member, ...]:
    return tuple(members)


def _streams(streams: Iterable[Stream]) -> tuple[Stream, ...]:
    return tuple(streams)


def _portable(portable: Iterable[Portable]) -> tuple[Portable, ...]:
    return tuple(portable)


def _people(people: Iterable[Person]) -> tuple[Person, ...]:
    return tuple(people)


class Arbitration(IntEnum):
    """Who chooses where a portable job is submitted, and by what. Ties go to the most free GPUs, then by name."""

    HOME = 0  # nobody: it is submitted where it comes from, as if it were not portable
    ROUND_ROBIN = 1  # the members take turns, job by job
    RANKED_HEAD = 2  # where the fewest waiting jobs would rank before it
    ALLOCATION_BALANCE = 3  # where its budget has the lowest (usage + committed) / entitlement


@attrs.frozen(kw_only=True, field_transformer=typed)
class Member:
    """One cluster of a fleet, with its plan and the policies that decide on it."""

    name: str = attrs.field(validator=one_line(60))
    """What it is called in the fleet."""
    cluster: Cluster
    """The machines."""
    plan: Plan
    """Who is entitled to which part of its GPU time."""
    policy: Policy
    """By which rules its scheduler decides, at first."""
    switches: tuple[Switch, ...] = attrs.field(default=(), converter=_switches)
    """Other policies that take over on it during the run, in the order of their times."""


@attrs.frozen(kw_only=True, field_transformer=typed)
class Portable:
    """A kind of work of open streams whose jobs may run on any member that they fit on."""

    kind: str = attrs.field(validator=one_line())
    """The name of the kind."""
    part: float = attrs.field(default=1.0, converter=float, validator=between(0, 1))
    """Which part of its jobs may; the others belong to the cluster that they come to."""


@attrs.frozen(kw_only=True, field_transformer=typed)
class Fleet:
    """Clusters side by side, what is asked of them, and how work that may run on several chooses between them."""

    name: str = attrs.field(validator=one_line(100))
    """What the fleet is called."""
    title: str = ""
    """One line that says what it is."""
    description: str = ""
    """What more there is to say about it."""
    source: str = ""
    """Where its figures come from."""
    members: tuple[Member, ...] = attrs.field(converter=_members, metadata=NOT_EMPTY)
    """The clusters; their order is that of the tables and decides nothing."""
    workload: tuple[Stream, ...] = attrs.field(converter=_streams)
    """What submits jobs. Of an open stream each member gets the part that its GPUs are of all; a closed one is kept
    outstanding on each. Sizes that do not fit on a member are not asked there; the kind's other sizes are, by their weights."""
    portable: tuple[Portable, ...] = attrs.field(default=(), converter=_portable)
    """Which jobs of open streams may run on several clusters."""
    arbitration: Arbitration = attrs.field(default=Arbitration.ROUND_ROBIN, converter=Arbitration)
    """By what it is chosen where a portable job is submitted: once, at that moment."""
    people: tuple[Person, ...] = attrs.field(default=(), converter=_people)
    """Those who react to what the scheduler does, on each cluster as many and by themselves. Nobody loses patience with
    a portable job."""
    time_zone: str = attrs.field(default="UTC", validator=_check_zone)
    """By whose clocks and calendar days and weeks go, such as 'UTC' or 'Europe/Zurich'."""
    start: datetime = attrs.field(default=datetime(2026, 1, 5, tzinfo=UTC), validator=check_start)  # a Monday
    """When it begins: kept in `time_zone`, and read by it where it comes without an offset."""
    warmup: Seconds = attrs.field(default=7 * DAY, validator=between(0, LONGEST))
    """The time that does not count in the figures."""
    measured: Seconds = attrs.field(default=28 * DAY, validator=between(1, LONGEST))
    """The time after the warm-up, of which the figures are."""
    seed: int = attrs.field(default=0, validator=between(0, 2**63 - 1))
    """Chooses what is left to chance; another one gives other jobs of the same kind."""
    give_up_after: int = attrs.field(default=5, validator=at_least(1))
    """A job that is not resumable is given up when it has been restarted so often."""

    def __attrs_post_init__(self) -> None:
        there = zone(self.time_zone)
        start = self.start.replace(tzinfo=there) if self.start.tzinfo is None else self.start.astimezone(there)
        object.__setattr__(self, "start", start)
        problems = [text for _, text in contradictions(self)]
        if problems:
            raise ValueProblems(problems)

    @property
    def horizon(self) -> int:
        """Seconds from the start to the end of the run."""
        return self.warmup + self.measured

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the members in an order that the order of the members does not change."""
        return tuple(sorted(member.name for member in self.members))

    @property
    def gpus(self) -> int:
        """All GPUs of the fleet."""
        return sum(member.cluster.gpus for member in self.members)

    def member(self, name: str) -> Member:
        """Return a member by its name. Raises NotFoundError."""
        for member in self.members:
            if member.name == name:
                return member
        raise NotFoundError(f"the fleet {self.name!r} has no member {name!r}; there are {', '.join(self.names)}")

    def scenario(self, name: str) -> Scenario:
        """Return what comes to one member, its own part of the work, as a scenario that stands by itself.

        Its jobs are drawn by a seed of its own, which follows from that of the fleet and from the member's name, so that
        what breaks or is wanted on one cluster says nothing of another.
        """
        member = self.member(name)
        return Scenario(
            name=f"{self.name}, {name}",
            title=self.title,
            description=self.description,
            source=self.source,
            cluster=member.cluster,
            plan=member.plan,
            policy=member.policy,
            switches=member.switches,
            workload=part_of(self.workload, member.cluster, self.gpus),
            people=self.people,
            time_zone=self.time_zone,
            start=self.start,
            warmup=self.warmup,
            measured=self.measured,
            seed=int(generator(self.seed, "fleet", name).integers(LARGEST_SEED)),
            give_up_after=self.give_up_after,
        )


def part_of(streams: Iterable[Stream], cluster: Cluster, gpus: int) -> tuple[Stream, ...]:
    """Return what one cluster is asked of the streams of a fleet of so many GPUs."""
    part = cluster.gpus / gpus
    found: list[Stream] = []
    for stream in streams:
        if isinstance(stream, OpenStream | ClosedStream):
            kinds = tuple(attrs.evolve(kind, sizes=_fitting(kind, cluster)) for kind in stream.kinds)
            stream = attrs.evolve(stream, kinds=kinds)
        if isinstance(stream, OpenStream):
            flurries = stream.flurries
            if flurries is not None:
                flurries = attrs.evolve(flurries, per_week=flurries.per_week * part)
            stream = attrs.evolve(stream, jobs_per_week=stream.jobs_per_week * part, flurries=flurries)
        found.append(stream)
    return tuple(found)


def _fitting(kind: Kind, cluster: Cluster) -> tuple[Size, ...]:
    return tuple(size for size in kind.sizes if gpus_taken(size.gpus, cluster.gpus_per_node) <= cluster.gpus)


def contradictions(fleet: Any) -> Iterator[tuple[Where, str]]:
    """Yield what does not fit together in a fleet, with the place of each. `fleet` may be incomplete, as a scenario may."""
    members = known_items(fleet, "members")
    if not members and known(fleet, "members") is not None:
        yield ("members",), "members must hold at least one cluster"
    names: set[str] = set()
    for number, member in enumerate(members):
        name = known(member, "name")
        if name is not None and name in names:
            yield ("members", number, "name"), f"name {name!r} is there twice; each member needs one of its own"
        names.add(name)
    for number, stream in enumerate(known_items(fleet, "workload")):
        if known(stream, "type") == "recorded":
            yield ("workload", number), f"stream {known(stream, 'name')!r} is recorded; a fleet has made-up jobs alone"
    yield from _odd_portable(fleet)
    yield from _homeless(fleet)
    yield from _of_members(fleet)


def _odd_portable(fleet: Any) -> Iterator[tuple[Where, str]]:
    streams = known_items(fleet, "workload")
    kinds = {known(kind, "name") for stream in streams for kind in known_items(stream, "kinds")}
    of_open = {
        known(kind, "name")
        for stream in streams
        if known(stream, "type") == "open"
        for kind in known_items(stream, "kinds")
    }
    seen: set[str] = set()
    for number, portable in enumerate(known_items(fleet, "portable")):
        kind = known(portable, "kind")
        where: Where = ("portable", number, "kind")
        if kind is None or None in kinds or not streams:
            continue
        if kind in seen:
            yield where, f"kind {kind!r} is there twice; say its part once"
        seen.add(kind)
        if kind in kinds - of_open:
            yield where, f"kind {kind!r} is of closed streams alone, whose jobs belong to one cluster; leave it out"
        elif kind not in kinds:
            near = difflib.get_close_matches(kind, sorted(of_open), n=1)
            hint = f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(sorted(of_open)) or 'none'}"
            yield where, f"kind {kind!r} is no kind of work of an open stream here{hint}"


def _homeless(fleet: Any) -> Iterator[tuple[Where, str]]:
    """Yield the sizes that fit on no member, and the kinds of which none fits on some member."""
    clusters = {
        known(member, "name"): member.cluster
        for member in known_items(fleet, "members")
        if isinstance(known(member, "cluster"), Cluster)
    }
    if len(clusters) < len(known_items(fleet, "members")) or not clusters:
        return
    most = max(clusters.values(), key=lambda cluster: cluster.gpus).gpus
    for number, stream in enumerate(known_items(fleet, "workload")):
        for position, kind in enumerate(known_items(stream, "kinds")):
            where: Where = ("workload", number, "kinds", position)
            sizes = [
                (place, size.gpus)
                for place, size in enumerate(known_items(kind, "sizes"))
                if known(size, "gpus") is not None and known(size, "weight") != 0
            ]
            nowhere = [pair for pair in sizes if not any(_fits(pair[1], cluster) for cluster in clusters.values())]
            for place, gpus in nowhere:
                yield (
                    (*where, "sizes", place),
                    (
                        f"size {gpus} of kind {known(kind, 'name')!r} fits on no member, of which the largest has {most} GPUs; "
                        f"leave it out, or in a preset all that are larger by 'sizes_up_to: {most}'"
                    ),
                )
            for name, cluster in clusters.items():
                if len(nowhere) < len(sizes) and not any(_fits(gpus, cluster) for _, gpus in sizes):
                    yield (
                        where,
                        (
                            f"no size of kind {known(kind, 'name')!r} fits on the {cluster.gpus} GPUs of member {name!r}; "
                            "give the kind a smaller size, or leave the member out"
                        ),
                    )


def _fits(gpus: int, cluster: Cluster) -> bool:
    return gpus_taken(gpus, cluster.gpus_per_node) <= cluster.gpus


def _of_members(fleet: Any) -> Iterator[tuple[Where, str]]:
    """Yield what does not fit together on the members; what is wrong with work or people on all of them, once."""
    found: dict[tuple[Where, str], list[str]] = {}
    members = known_items(fleet, "members")
    for number, member in enumerate(members):
        stands_for = SimpleNamespace(
            **{name: known(member, name) for name in ("cluster", "plan", "policy", "switches")},
            **{name: known(fleet, name) for name in ("people", "warmup", "measured")},
            workload=_seen_by(fleet, known(member, "cluster")),
        )
        for where, text in contradictions_of(stands_for):
            if where[0] in ("workload", "people"):
                found.setdefault((where, text), []).append(str(known(member, "name")))
            else:
                yield ("members", number, *where), text
    for (where, text), names in found.items():
        alone = f" (on member {', '.join(repr(name) for name in names)})" if len(names) < len(members) else ""
        yield where, f"{text}{alone}"


def _seen_by(fleet: Any, cluster: Any) -> tuple[Any, ...]:
    """Return the streams without what is told of their sizes elsewhere."""
    streams = []
    for stream in known_items(fleet, "workload"):
        kinds = tuple(
            SimpleNamespace(name=known(kind, "name"), contracts=known(kind, "contracts"), sizes=())
            for kind in known_items(stream, "kinds")
        )
        fields = {name: known(stream, name) for name in ("type", "name", "leaves", "cap")}
        streams.append(SimpleNamespace(**fields, kinds=kinds))
    return tuple(streams)
