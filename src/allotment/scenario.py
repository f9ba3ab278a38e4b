"""The scenario: all that decides a simulation. The same scenario gives the same result, bit for bit."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

import attrs

from allotment.errors import InputError, ValueProblems
from allotment.model.changeset import Changeset, apply
from allotment.model.checks import Where, at_least, between, known, known_items, one_line
from allotment.model.cluster import Cluster
from allotment.model.job import gpus_taken
from allotment.model.people import Person
from allotment.model.plan import OWN, Plan
from allotment.model.plan import contradictions as contradictions_of_plan
from allotment.model.policy import Policy
from allotment.model.switch import Phase, Switch, phases
from allotment.model.typed import typed
from allotment.units import DAY, Seconds, format_duration
from allotment.workload.classes import Stream

LONGEST = 3_660 * DAY
FIRST_YEAR, LAST_YEAR = 1970, 2200  # what every table format can hold as a timestamp


def zone(name: str) -> tzinfo:
    """Return the time zone of this name; ``UTC`` is there on every machine. Raises ValueError."""
    if name == "UTC":
        return UTC
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, TypeError, OSError):  # unknown, malformed, or a folder of the database
        raise ValueError(f"time_zone must be a name such as 'UTC' or 'Europe/Zurich', not {name!r}") from None


def _check_zone(_instance: Any, _attribute: attrs.Attribute[str], value: str) -> None:
    zone(value)


def check_start(_instance: Any, _attribute: attrs.Attribute[datetime], value: datetime) -> None:
    """Want a whole second in a year that every table can hold."""
    if value.microsecond or not FIRST_YEAR <= value.year < LAST_YEAR:
        raise ValueError(
            f"start must be a whole second between {FIRST_YEAR} and {LAST_YEAR}, not {value.isoformat()!r}"
        )


def _streams(streams: Iterable[Stream]) -> tuple[Stream, ...]:
    return tuple(streams)


def _people(people: Iterable[Person]) -> tuple[Person, ...]:
    return tuple(people)


def _switches(switches: Iterable[Switch]) -> tuple[Switch, ...]:
    return tuple(switches)


def _in_order(changesets: Iterable[Changeset]) -> tuple[Changeset, ...]:
    return tuple(changesets)


@attrs.frozen(kw_only=True, field_transformer=typed)
class Scenario:
    """A cluster, a plan, a workload and a policy, from a start on a calendar for a warm-up and a measured time."""

    name: str = attrs.field(validator=one_line())
    """What the scenario is called."""
    title: str = ""
    """One line that says what it is."""
    description: str = ""
    """What more there is to say about it."""
    source: str = ""
    """Where its figures come from."""
    cluster: Cluster
    """The machines."""
    plan: Plan
    """Who is entitled to which part of the GPU time."""
    policy: Policy
    """By which rules the scheduler decides."""
    workload: tuple[Stream, ...] = attrs.field(converter=_streams)
    """What submits jobs."""
    time_zone: str = attrs.field(default="UTC", validator=_check_zone)
    """By whose clocks and calendar days and weeks go, such as 'UTC' or 'Europe/Zurich'."""
    start: datetime = attrs.field(
        default=datetime(2026, 1, 5, tzinfo=UTC),  # a Monday
        validator=check_start,
    )
    """When it begins: kept in `time_zone`, and read by it where it comes without an offset."""
    warmup: Seconds = attrs.field(default=7 * DAY, validator=between(0, LONGEST))
    """The time that does not count in the figures; shorter than the window of the policy, everybody starts with time to
    spend."""
    measured: Seconds = attrs.field(default=30 * DAY, validator=between(1, LONGEST))
    """The time after the warm-up, of which the figures are."""
    seed: int = attrs.field(default=0, validator=between(0, 2**63 - 1))
    """Chooses what is left to chance; another one gives other jobs of the same kind."""
    give_up_after: int = attrs.field(default=5, validator=at_least(1))
    """A job that is not resumable is given up when it has been restarted so often."""
    people: tuple[Person, ...] = attrs.field(default=(), converter=_people)
    """Those who react to what the scheduler does."""
    changesets: tuple[Changeset, ...] = attrs.field(default=(), converter=_in_order)
    """Changes of the plan, in the order of their times; the jobs are drawn from the plan as it was before them."""
    switches: tuple[Switch, ...] = attrs.field(default=(), converter=_switches)
    """Other policies that take over during the run, in the order of their times; at one second they come after changes
    of the plan."""

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

    def phases(self, end: int) -> tuple[Phase, ...]:
        """Return by which policy is decided from when on, up to an `end` in seconds from the start."""
        return phases(self.policy, self.switches, end)

    def moment(self, time: int) -> datetime:
        """Return what the clocks show `time` seconds after the start."""
        return (self.start.astimezone(UTC) + timedelta(seconds=time)).astimezone(zone(self.time_zone))


def contradictions(scenario: Any) -> Iterator[tuple[Where, str]]:
    """Yield what does not fit together between the parts of a scenario, with the place of each.

    `scenario` may be incomplete: an attribute, at any depth, that is missing or None is not looked at, so that a file
    with some mistakes in it is still told the others.
    """
    plan, cluster, cap = known(scenario, "plan"), known(scenario, "cluster"), _least_cap(scenario)
    ids = _ids(plan)
    kinds = _kinds(scenario)
    for part in ("workload", "people"):
        yield from _repeated_names(scenario, part)
    for number, stream in enumerate(known_items(scenario, "workload")):
        where: Where = ("workload", number)
        yield from _unknown_leaves(stream, ids, where)
        of_stream = known(stream, "cap") if known(stream, "type") == "recorded" else None
        if cap is not None and of_stream is not None and of_stream > cap:
            over = f"is above the cap of the policy, {format_duration(cap)!r}"
            yield (*where, "cap"), f"cap {format_duration(of_stream)!r} of {known(stream, 'name')!r} {over}"
        for position, kind in enumerate(known_items(stream, "kinds")):
            yield from _impossible_kind(kind, cluster, cap, (*where, "kinds", position))
    for number, person in enumerate(known_items(scenario, "people")):
        where = ("people", number)
        yield from _unknown_leaves(person, ids, where)
        yield from _unknown_kinds(person, kinds, where)
        yield from _above_cap(person, cap, "", where)
        if isinstance(asked := known(person, "gpus"), int) and not _fits(asked, cluster):
            yield (*where, "gpus"), f"gpus {asked} does not fit on the cluster"
    yield from _late_switches(scenario)
    if isinstance(plan, Plan) and not any(True for _ in contradictions_of_plan(plan)):
        yield from _changes(scenario, plan)
    elif ids is not None:
        yield from _unknown_changes(scenario, ids)


def _least_cap(scenario: Any) -> int | None:
    """Return the least cap of all policies that decide in a scenario; contracts must be allowed by each of them."""
    policies = [known(scenario, "policy"), *(known(switch, "policy") for switch in known_items(scenario, "switches"))]
    caps = [known(policy, "contracts", "cap") for policy in policies]
    return min((cap for cap in caps if cap is not None), default=None)


def _late_switches(scenario: Any) -> Iterator[tuple[Where, str]]:
    warmup, measured = known(scenario, "warmup"), known(scenario, "measured")
    before = -1
    for number, switch in enumerate(known_items(scenario, "switches")):
        time = known(switch, "time")
        if time is None:
            return
        if time <= before:
            yield ("switches", number, "time"), "switches must be in the order of their times, each at one of its own"
        if None not in (warmup, measured) and time >= warmup + measured:
            end = format_duration(warmup + measured)
            yield ("switches", number, "time"), f"time {format_duration(time)!r} lies after the end, {end!r}"
        before = time


def _repeated_names(scenario: Any, part: str) -> Iterator[tuple[Where, str]]:
    names: set[str] = set()
    for number, thing in enumerate(known_items(scenario, part)):
        name = known(thing, "name")
        if name is not None and name in names:
            yield (part, number, "name"), f"name {name!r} is there twice; each needs one of its own"
        names.add(name)


def _unknown_leaves(thing: Any, ids: frozenset[str] | None, where: Where) -> Iterator[tuple[Where, str]]:
    if ids is None:
        return
    for position, leaf in enumerate(known_items(thing, "leaves")):
        if leaf.removesuffix(OWN) not in ids:
            near = difflib.get_close_matches(leaf, sorted(ids), n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            yield (
                (*where, "leaves", position),
                f"leaf {leaf!r} of {known(thing, 'name')!r} is no node of the plan{hint}",
            )


def _unknown_kinds(person: Any, kinds: frozenset[str], where: Where) -> Iterator[tuple[Where, str]]:
    named: list[tuple[Where, Any]] = [
        (("kinds", position), kind) for position, kind in enumerate(known_items(person, "kinds"))
    ]
    named += [
        (("tolerances", position, "kind"), known(tolerance, "kind"))
        for position, tolerance in enumerate(known_items(person, "tolerances"))
    ]
    for place, kind in named:
        if kinds and kind is not None and kind not in kinds:
            near = difflib.get_close_matches(kind, sorted(kinds), n=1)
            hint = f"; did you mean {near[0]!r}?" if near else f"; there are {', '.join(sorted(kinds))}"
            yield (*where, *place), f"kind {kind!r} of {known(person, 'name')!r} is no kind of work here{hint}"


def _impossible_kind(kind: Any, cluster: Any, cap: int | None, where: Where) -> Iterator[tuple[Where, str]]:
    of = f" of kind {known(kind, 'name')!r}"
    for position, contract in enumerate(known_items(kind, "contracts")):
        yield from _above_cap(contract, cap, of, (*where, "contracts", position))
    for position, size in enumerate(known_items(kind, "sizes")):
        gpus = known(size, "gpus")
        if gpus is not None and known(size, "weight") != 0 and not _fits(gpus, cluster):
            have = cluster.nodes * cluster.gpus_per_node
            way_out = f"leave it out, or in a preset all that are larger by 'sizes_up_to: {have}'"
            yield (
                (*where, "sizes", position),
                f"size {gpus}{of} does not fit on the {have} GPUs of the cluster; {way_out}",
            )


def _above_cap(thing: Any, cap: int | None, of: str, where: Where) -> Iterator[tuple[Where, str]]:
    asked = known(thing, "min_runtime")
    if asked is not None and cap is not None and asked > cap:
        over = f"is above the cap of the policy, {format_duration(cap)!r}"
        yield (*where, "min_runtime"), f"min_runtime {format_duration(asked)!r}{of} {over}"


def _fits(gpus: int, cluster: Any) -> bool:
    nodes, per_node = known(cluster, "nodes"), known(cluster, "gpus_per_node")
    return None in (nodes, per_node) or gpus_taken(gpus, per_node) <= nodes * per_node


def _changes(scenario: Any, plan: Plan) -> Iterator[tuple[Where, str]]:
    warmup, measured = known(scenario, "warmup"), known(scenario, "measured")
    before = 0
    for number, changeset in enumerate(known_items(scenario, "changesets")):
        if known(changeset, "time") is None:
            return
        where: Where = ("changesets", number)
        if changeset.time < before:
            yield (*where, "time"), "changesets must be in the order of their times"
        if None not in (warmup, measured) and changeset.time >= warmup + measured:
            end = format_duration(warmup + measured)
            yield (*where, "time"), f"time {format_duration(changeset.time)!r} lies after the end, {end!r}"
        try:
            plan, before = apply(plan, changeset), changeset.time
        except AttributeError:  # some of it could not be read, so what follows cannot be judged
            return
        except InputError as error:
            for problem in error.problems:
                yield where, problem
            return


def _unknown_changes(scenario: Any, ids: frozenset[str]) -> Iterator[tuple[Where, str]]:
    """Yield the changes of nodes that are not there, of a plan that nothing can be applied to."""
    for number, changeset in enumerate(known_items(scenario, "changesets")):
        for position, change in enumerate(known_items(changeset, "shares")):
            node = known(change, "id")
            if node is not None and node not in ids:
                yield ("changesets", number, "shares", position, "id"), f"the plan has no node {node!r}"


def _kinds(scenario: Any) -> frozenset[str]:
    """Return the names of all kinds of work; none where some are not known, as those of a recording."""
    streams, people = known_items(scenario, "workload"), known_items(scenario, "people")
    if any(known(stream, "type") not in ("open", "closed") or not known_items(stream, "kinds") for stream in streams):
        return frozenset()
    found = [known(kind, "name") for stream in streams for kind in known_items(stream, "kinds")]
    found += [known(person, "kind") for person in people if known(person, "type") == "sessions"]
    return frozenset() if None in found or not streams else frozenset(found)


def _ids(plan: Any) -> frozenset[str] | None:
    """Return the ids of all nodes, or None when some could not be read."""
    if plan is None:
        return None
    found: set[str] = set()
    stack = list(known_items(plan, "children"))
    while stack:
        node = stack.pop()
        if known(node, "id") is None:
            return None
        found.add(node.id)
        stack.extend(known_items(node, "children"))
    return frozenset(found)
