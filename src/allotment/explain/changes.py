"""What could have been otherwise about a job from some moment on: what it asks, its marks and checkpoints, its team's share.

What happened before stays: each is the same run up to that moment, with the same arrivals after it. What cannot become
otherwise at that moment is told with the reason, and counted from the job's submission instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import partial

import attrs

from allotment.errors import InputError
from allotment.explain.reasons import Reason, reason
from allotment.explain.rerun import Branch, Rerun, Subject
from allotment.model.changeset import Changeset, ShareChange, apply
from allotment.model.codes import Priority
from allotment.model.plan import OWN, ROOT, Plan
from allotment.units import HOUR, MINUTE

FREQUENT = 30 * MINUTE  # a checkpoint of work that had none
MORE = Fraction(3, 2)  # times the share
HALF, QUARTER = 2, 4
CLAIMS = ("if_gpus", "if_min_runtime", "if_no_contract")  # what a job that runs has been given already


@attrs.frozen(kw_only=True)
class Change:
    """One thing that could have been otherwise from a moment on: what to call it, and what makes it so in a run that is there."""

    change: Reason
    since: int
    make: Callable[[Branch], object]
    work: int
    """The job's work then, all of it (s)."""
    instead: Reason | None = None
    """Why it could not become so at the moment that was asked about, and counts from the job's submission."""
    because: Reason | None = None
    """The rule by which it works, where it is not plain."""


@attrs.frozen(kw_only=True)
class Fitting:
    """What a job might have asked that would have fitted at a moment; 0 where there is nothing that it might."""

    min_runtime: int = 0
    """The longest minimum runtime whose claim fits in what was left (s)."""
    gpus: int = 0
    """The most GPUs that its limit left, or that were free on one node."""
    limit: int = 0
    """The longest time limit that would have delayed nobody (s)."""
    stop: int | None = None
    """When it was stopped at the greatest cost, where nothing else is asked about it."""


@attrs.frozen(kw_only=True, eq=False)
class Then:
    """A job as it stood at a moment, before anything of that second."""

    rerun: Rerun
    of: Subject
    time: int
    row: Mapping[str, int]
    """Its record in the scheduler."""
    hold: int
    """For how long of its work it only holds its GPUs."""

    @classmethod
    def at(cls, rerun: Rerun, of: Subject, time: int) -> Then:
        """Return how a job stood at a moment."""
        row = rerun.moment(time).engine.job(of.job)
        return cls(rerun=rerun, of=of, time=time, row=row, hold=int(rerun.table.hold[of.job]))

    @property
    def runs(self) -> bool:
        """Whether it held GPUs."""
        return self.row["slice"] >= 0

    def asks(self, told: Reason, **values: int) -> Change:
        """Return the change in which it asks for something else."""

        def make(branch: Branch) -> None:
            branch.engine.alter(self.of.job, values)

        return Change(change=told, since=self.time, make=make, work=values.get("work", self.row["work"]))


def changes(
    rerun: Rerun, of: Subject, time: int, level: str | None = None, fitting: Fitting | None = None
) -> Iterator[Change]:
    """Yield what could have been otherwise about a job from a moment on, or where that cannot be from its submission on."""
    then, fitting = Then.at(rerun, of, time), fitting or Fitting()
    if not then.runs:
        yield from _claims(then, fitting)
    yield from _priorities(then)
    yield from _shares(then, level)
    yield from _checkpoints(then)
    if then.runs:
        yield from _from_the_submission(rerun, of, time)
    else:
        yield from _saved_before(rerun, of, time, fitting.stop)


def cannot(rerun: Rerun, of: Subject, time: int) -> tuple[Reason, ...]:
    """Return what cannot become otherwise about a job at a moment, and why."""
    then = Then.at(rerun, of, time)
    others = (reason("as_they_went"),) if rerun.others else ()
    if time == of.submit:
        return others
    if not then.runs:
        return (reason("cannot_save_waiting", time=time), *others)
    return (reason("cannot_claim", time=time), *(() if then.row["checkpoint"] else (reason("cannot_save"),)), *others)


def _claims(then: Then, fitting: Fitting) -> Iterator[Change]:
    yield from _sizes(then, fitting.gpus)
    yield from _contracts(then, fitting.min_runtime)
    yield from _limits(then, fitting.limit)


def _from_the_submission(rerun: Rerun, of: Subject, time: int) -> Iterator[Change]:
    for change in _claims(Then.at(rerun, of, of.submit), Fitting()):
        yield attrs.evolve(change, instead=reason("cannot_claim", time=time))


def _sizes(then: Then, fitting: int) -> Iterator[Change]:
    """Half the GPUs, as many as would have fitted, or one, and longer for what is left to do: the same work."""
    of, per_node, table = then.of, then.rerun.scenario.cluster.gpus_per_node, then.rerun.table
    half = -(-of.gpus // per_node // 2) * per_node if of.gpus > per_node else of.gpus // 2
    work, done, limit, asked = then.row["work"], then.row["done"], then.row["limit"], int(table.gpus[of.job])
    left = max(work - done - then.hold, 0)
    for size in sorted({half, fitting, 1}, reverse=True):
        if not 0 < size < of.gpus:
            continue
        longer = -(-left * of.gpus // size) - left
        told = reason("if_gpus", gpus=size, work=work - done + longer, old=asked, old_work=work - done)
        yield then.asks(
            told,
            gpus=size,
            work=work + longer,
            limit=limit + longer if limit < work + longer + then.row["startup"] else limit,
        )


def _contracts(then: Then, fitting: int) -> Iterator[Change]:
    """Another minimum runtime: a short one, none, the longest, or the longest that would have fitted."""
    contracts = then.rerun.policy(then.time).contracts
    asked = then.of.min_runtime
    if contracts is None:
        offer = 15 * MINUTE if asked != 15 * MINUTE else 8 * HOUR
        yield then.asks(reason("if_min_runtime", min_runtime=offer, old=asked), min_runtime=offer)
        return
    offered = [contracts.short, contracts.cap // 8, contracts.cap]
    if contracts.short < fitting < asked:
        offered.append(fitting)
    for offer in sorted(set(offered) - {asked, 0}):
        told = reason("if_min_runtime", min_runtime=offer, old=asked)
        short = reason("because_short", short=contracts.short) if 0 < offer <= contracts.short else None
        yield attrs.evolve(then.asks(told, min_runtime=offer), because=short)
    if asked:
        yield then.asks(reason("if_no_contract", old=asked), min_runtime=0)


def _limits(then: Then, fitting: int) -> Iterator[Change]:
    """A time limit that is short enough to start before a reservation and long enough for what is left to do."""
    now, row = then.row["limit"], then.row
    again = row["restart" if row["slices"] else "startup"]
    if row["work"] - row["done"] + again <= fitting < now:
        yield then.asks(reason("if_limit", limit=fitting, old=now), limit=fitting)


def _priorities(then: Then) -> Iterator[Change]:
    """The highest priority, or one lower for a job that has it."""
    now = then.row["priority"]
    other = int(Priority.URGENT) if now < Priority.URGENT else int(Priority.NORMAL)
    yield then.asks(reason("if_priority", priority=other, old=now), priority=other)


def _shares(then: Then, level: str | None) -> Iterator[Change]:
    """Half as much again for its team, or for the budget that was short, taken from what is open and then from its siblings."""
    rerun = then.rerun
    node = rerun.ids[rerun.paths.index(level or then.of.team)].removesuffix(OWN)
    if node == ROOT:
        return
    plan = rerun.scenario.plan
    earlier = [each for each in rerun.scenario.changesets if each.time < then.time]
    later = [each for each in rerun.scenario.changesets if each.time >= then.time]
    for each in earlier:
        plan = apply(plan, each)
    shares = raised(plan, node)
    if not shares:
        return
    change = Changeset(time=then.time, author="what if", reason="more share for one", shares=shares)
    try:
        attrs.evolve(rerun.scenario, changesets=(*earlier, change, *later))
    except (ValueError, InputError):  # a later change does not fit any more
        return
    new = next(each.share for each in shares if each.id == node)
    above = plan.parent(node)
    told = reason(
        "if_share",
        share=float(new),
        old=float(plan.node(node).share),
        level=plan.path(node),
        above="the cluster" if above == ROOT else plan.path(above),
    )

    def make(branch: Branch) -> None:
        branch.run.change(change)

    yield Change(change=told, since=then.time, make=make, work=then.row["work"])


def raised(plan: Plan, node: str) -> tuple[ShareChange, ...]:
    """Return half as much share again for a node, at most all that is not its siblings' tenth; its siblings give what is missing.

    Empty where it has no share, or has everything.
    """
    family = plan.children_of(plan.parent(node))
    mine = plan.node(node).share
    others = sum((each.share for each in family if each.id != node), start=Fraction(0))
    wanted = min(mine * MORE, 1 - others / 10)
    if not 0 < mine < wanted:
        return ()
    left = min(Fraction(1), (1 - wanted) / others) if others else Fraction(1)
    changed = [ShareChange(id=node, share=wanted)]
    changed += [ShareChange(id=each.id, share=each.share * left) for each in family if each.id != node and left < 1]
    return tuple(changed)


def _checkpoints(then: Then) -> Iterator[Change]:
    """Checkpoints twice and four times as often from then on, or any at all, and one right now."""
    now = then.row["checkpoint"]
    if not now:
        yield then.asks(reason("if_resumable", checkpoint=FREQUENT), checkpoint=FREQUENT)
        return
    for often in (HALF, QUARTER):
        if now // often >= 1:
            yield then.asks(reason("if_checkpoint", checkpoint=now // often, old=now), checkpoint=now // often)
    if then.runs:
        yield _saved(then, reason("if_saved", time=then.time))


def _saved(then: Then, told: Reason) -> Change:
    save = partial(_save, job=then.of.job)
    return Change(change=told, since=then.time, make=save, work=then.row["work"])


def _save(branch: Branch, *, job: int) -> None:
    branch.engine.save(job)


def _saved_before(rerun: Rerun, of: Subject, time: int, stop: int | None) -> Iterator[Change]:
    """A checkpoint at a stop, by default the last before a moment, where it is a job that can save its work."""
    slices = rerun.result.slices
    ends = slices["end"].to_numpy()[(slices["job"] == of.job).to_numpy() & (slices["end"] <= time).to_numpy()]
    if stop is None and not len(ends):
        return
    stopped = int(ends.max()) if stop is None else stop
    then = Then.at(rerun, of, stopped)
    if then.runs and then.row["checkpoint"]:
        told = reason("if_saved_before", time=stopped)
        yield attrs.evolve(_saved(then, told), instead=reason("cannot_save_waiting", time=time))
