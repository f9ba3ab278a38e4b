"""All that a workbench is set to, as one value: from a link or a file to two scenarios that differ in the policy alone."""

from __future__ import annotations

import base64
import binascii
import contextlib
import json
import zlib
from collections.abc import Iterable, Iterator
from typing import Any, Literal

import attrs
from attrs.converters import optional

from allotment.errors import AllotmentError, InputError, NotFoundError, ValueProblems
from allotment.interop.problems import Problems, nearest, shown
from allotment.interop.reading import read
from allotment.interop.scenario_file import plain_of
from allotment.interop.yaml_reader import DEEPEST
from allotment.model.changeset import Changeset, ShareChange
from allotment.model.checks import at_least, between, one_line
from allotment.model.cluster import Cluster
from allotment.model.plan import Plan
from allotment.model.policy import Policy
from allotment.model.switch import Switch
from allotment.model.typed import typed
from allotment.presets import load_cluster, load_policy
from allotment.presets.catalogue import SINGULAR, names
from allotment.scenario import Scenario
from allotment.units import DAY, Seconds
from allotment.workload.classes import ClosedStream, with_demand, with_sizes_up_to
from allotment.workload.mix import Turned, turned

Run = Literal["A", "B"]
RUNS: tuple[Run, Run] = ("A", "B")
AUTHOR, REASON = "workbench", "what if"
LONGEST_LINK = 60_000  # characters that servers still take
LARGEST = 1_000_000  # characters of what a link says
MOST = 1000  # changes of one kind in a link; each of them costs whoever opens it some time


def _turned(changes: Iterable[Turned]) -> tuple[Turned, ...]:
    return tuple(changes)


def _edits(changesets: Iterable[Changeset]) -> tuple[Changeset, ...]:
    return tuple(changesets)


def _turns(turns: Iterable[Turn]) -> tuple[Turn, ...]:
    return tuple(turns)


@attrs.frozen(kw_only=True, field_transformer=typed)
class Turn:
    """Another policy takes over one of the two runs while they go on."""

    run: Run
    """Which of the runs."""
    time: Seconds = attrs.field(validator=at_least(0))
    """When, from the scenario's start."""
    policy: str = attrs.field(validator=one_line())
    """The policy from then on, by its name."""


@attrs.frozen(kw_only=True, field_transformer=typed)
class Settings:
    """What is set beside the scenario that a workbench was opened with; null leaves a thing as it is there."""

    cluster: str | None = attrs.field(default=None, validator=attrs.validators.optional(one_line()))
    """The name of a cluster that ships, or a size such as '64x8'."""
    first: str = attrs.field(default="priority", validator=one_line())
    """The policy A, by its name; drawn dashed."""
    second: str = attrs.field(default="budgets", validator=one_line())
    """The policy B, by its name, on the same jobs; drawn solid."""
    demand: float | None = attrs.field(default=None, converter=optional(float), validator=between(0, 100))
    """How many times its part of the cluster each team keeps outstanding."""
    days: int | None = attrs.field(default=None, validator=between(1, 366))
    """How many days are measured, after the warm-up."""
    seed: int | None = attrs.field(default=None, validator=between(0, 2**63 - 1))
    """Chooses what is left to chance."""
    mix: tuple[Turned, ...] = attrs.field(default=(), converter=_turned)
    """What differs in the kinds of work."""
    plan: Plan | None = None
    """The plan as it was edited. Where only shares differ, the jobs stay those of the plan that it was made from."""
    author: str = AUTHOR
    """Who signs for the shares of that plan."""
    reason: str = REASON
    """Why they are what they are."""
    edits: tuple[Changeset, ...] = attrs.field(default=(), converter=_edits)
    """How shares were changed while the runs went on."""
    turns: tuple[Turn, ...] = attrs.field(default=(), converter=_turns)
    """Which policies took over while the runs went on."""
    pinned: Settings | None = None
    """What policy B was set to when its run was pinned as the baseline; null compares with B as the page is opened."""
    pinned_until: Seconds | None = attrs.field(default=None, validator=attrs.validators.optional(at_least(1)))
    """How far the run that is pinned went, from the scenario's start; null is to its end."""

    def __attrs_post_init__(self) -> None:
        kinds = [change.kind for change in self.mix]
        twice = sorted({kind for kind in kinds if kinds.count(kind) > 1})
        problems = [f"the kind of work {kind!r} is changed twice; say it once" for kind in twice]
        if self.pinned is not None and self.pinned.pinned is not None:
            problems.append("what is pinned has something pinned itself; pin a run anew and copy the link again")
        if problems:
            raise ValueProblems(problems)


def to_link(settings: Settings) -> str:
    """Return the settings as text that a link can hold: what differs from nothing set, compressed."""
    plain = _what_differs(plain_of(settings), plain_of(Settings()))
    packed = zlib.compress(json.dumps(plain, separators=(",", ":"), ensure_ascii=False).encode(), 9)
    return base64.urlsafe_b64encode(packed).rstrip(b"=").decode()


def _what_differs(plain: dict[str, Any], usual: dict[str, Any]) -> dict[str, Any]:
    said = {key: value for key, value in plain.items() if key not in usual or value != usual[key]}
    if said.get("pinned") is not None:
        said["pinned"] = _what_differs(said["pinned"], usual)
    return said


def from_link(text: str) -> Settings:
    """Return the settings that a link holds. Raises InputError with everything that is wrong with it."""
    source = "the link"
    if len(text) > LONGEST_LINK:
        raise InputError(source, [f"it has {len(text):,} characters; at most {LONGEST_LINK:,} can be read"])
    try:
        packed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        unpack = zlib.decompressobj()
        said = unpack.decompress(packed, LARGEST)
        plain = json.loads(said if unpack.eof else b"")  # its own checksum comes last
    except (binascii.Error, zlib.error, ValueError, RecursionError):
        raise InputError(source, ["it is cut off or changed; copy the whole of it again"]) from None
    _refuse_what_is_too_much(plain, source)
    problems = Problems()
    settings = read(Settings, plain, problems)
    problems.raise_if_any(source)
    if settings is None:
        raise InputError(source, ["it cannot be read"])
    return settings


def _refuse_what_is_too_much(plain: Any, source: str) -> None:
    """Raise InputError for what nobody sets by hand, and what would hold up everybody who is on the same server."""
    level, depth = [plain], 0
    while level := [part for each in level if isinstance(each, dict | list) for part in _parts(each)]:
        depth += 1
        if depth > DEEPEST:
            raise InputError(
                source, [f"it is nested deeper than {DEEPEST} levels; copy it again from where it was made"]
            )
    while isinstance(plain, dict):
        for name, each in plain.items():
            if isinstance(each, list) and len(each) > MOST:
                raise InputError(source, [f"it has {len(each):,} {shown(name)}; at most {MOST:,} can be read"])
        plain = plain.get("pinned")


def _parts(of: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return of.values() if isinstance(of, dict) else of


def scenarios_of(base: Scenario, settings: Settings) -> tuple[Scenario, Scenario]:
    """Return the scenario that is set, under policy A and under policy B: with the same jobs, people and failures.

    Raises InputError with everything that does not fit.
    """
    problems: list[str] = []
    parts: dict[str, Any] = {}
    with _noting(problems):
        parts["cluster"] = base.cluster if settings.cluster is None else cluster_of(settings.cluster)
    with _noting(problems):
        streams = base.workload if settings.demand is None else with_demand(base.workload, settings.demand)
        if "cluster" in parts and settings.cluster is not None:
            streams = with_sizes_up_to(streams, parts["cluster"].gpus)
        parts["workload"] = turned(streams, settings.mix)
    policies: list[Policy] = []
    for name in (settings.first, settings.second):
        with _noting(problems):
            policies.append(policy_of(base, name))
    if settings.days is not None:
        end = base.warmup + settings.days * DAY
        parts["measured"] = settings.days * DAY
        parts["changesets"] = tuple(changeset for changeset in base.changesets if changeset.time < end)
    if settings.seed is not None:
        parts["seed"] = settings.seed
    if settings.plan is not None:
        parts |= _with_plan(base, settings, settings.plan, parts)
    end = base.warmup + parts.get("measured", base.measured)
    if settings.edits:
        every = [*(edit for edit in settings.edits if edit.time < end), *parts.get("changesets", base.changesets)]
        parts["changesets"] = tuple(sorted(every, key=lambda changeset: changeset.time))
    made: list[Scenario] = []
    for run, policy in zip(RUNS, policies, strict=True) if not problems else ():
        with _noting(problems):
            made.append(attrs.evolve(base, **parts, policy=policy, switches=_switches(base, settings, run, end)))
    if problems:
        raise InputError("these settings", list(dict.fromkeys(problems)))
    first, second = made
    return first, second


def baseline_of(base: Scenario, pinned: Settings) -> Scenario:
    """Return the scenario that is pinned: what its settings give under policy B. Raises InputError."""
    return scenarios_of(base, pinned)[1]


def policy_of(base: Scenario, name: str) -> Policy:
    """Return the policy of a name: the scenario's own, or one that ships. Raises NotFoundError."""
    return base.policy if name == base.policy.name else load_policy(_shipped("policies", name))


def cluster_of(name: str) -> Cluster:
    """Return the cluster of a name that ships, or of a size such as '64x8'. Raises NotFoundError or ValueError."""
    return Cluster.parse(name) if name[:1].isdigit() else load_cluster(_shipped("clusters", name))


def _shipped(folder: str, name: str) -> str:
    """Return a name that ships. No other is looked for among files: a link may come from anybody, to anybody's machine."""
    known, what = names(folder), SINGULAR[folder]
    if name not in known:
        raise NotFoundError(
            f"there is no {what} {shown(name)}{nearest(name, known)}; there are {', '.join(known)}; "
            f"a {what} of your own comes with the scenario"
        )
    return name


def _switches(base: Scenario, settings: Settings, run: Run, end: int) -> tuple[Switch, ...]:
    turns = sorted((turn for turn in settings.turns if turn.run == run and turn.time < end), key=lambda turn: turn.time)
    return tuple(Switch(time=turn.time, policy=policy_of(base, turn.policy)) for turn in turns)


def demand_of(scenario: Scenario) -> float | None:
    """Return what the closed stream of a scenario keeps outstanding; None where one number cannot say it."""
    found = [stream.demand for stream in scenario.workload if isinstance(stream, ClosedStream)]
    return found[0] if len(found) == 1 else None


def _with_plan(base: Scenario, settings: Settings, plan: Plan, parts: dict[str, Any]) -> dict[str, Any]:
    """Return the parts for an edited plan: other shares as a change at the start, so that the jobs stay; else the plan."""
    changed = share_changes(base.plan, plan)
    if changed is None:
        return {"plan": plan, "changesets": ()}
    if not changed:
        return {}
    begin = Changeset(time=0, author=settings.author, reason=settings.reason, shares=changed)
    return {"changesets": (begin, *parts.get("changesets", base.changesets))}


def share_changes(before: Plan, after: Plan) -> tuple[ShareChange, ...] | None:
    """Return the shares that differ between two plans; None where more does, so that it is another plan."""
    old, new = ({node.id: node for node in plan.walk()} for plan in (before, after))
    if list(old) != list(new):
        return None
    for name in old:
        mine, theirs = (attrs.evolve(of[name], share=0, children=()) for of in (old, new))
        if mine != theirs or before.parent(name) != after.parent(name):
            return None
    return tuple(
        ShareChange(id=name, share=new[name].share, old=old[name].share)
        for name in old
        if old[name].share != new[name].share
    )


@contextlib.contextmanager
def _noting(problems: list[str]) -> Iterator[None]:
    """Put what a person set wrongly into a list of problems, and go on; let everything else through."""
    try:
        yield
    except (ValueError, AllotmentError) as error:
        problems.extend(_told(error))


def _told(error: BaseException) -> Iterator[str]:
    if isinstance(error, InputError | ValueProblems):
        yield from error.problems
    else:
        yield str(error)
