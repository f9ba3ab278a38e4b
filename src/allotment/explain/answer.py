"""The whole answer to "why?" about one job: its turn, its room, its next chance, its life, its stops, and what would change it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import attrs

from allotment.errors import NotFoundError
from allotment.explain import life as lives
from allotment.explain.changes import cannot
from allotment.explain.displaced import Displaced, displaced
from allotment.explain.fates import WhatIf, gone_by
from allotment.explain.life import Cause, Interval
from allotment.explain.order import Line
from allotment.explain.reasons import Reason, reason
from allotment.explain.rerun import Rerun, Subject, check_same, subject
from allotment.explain.room import next_chance, room
from allotment.explain.running import run_at
from allotment.explain.turn import last_started, line_at, turn
from allotment.explain.weighed import BEHIND, came_to, costliest, fitting, outweighs
from allotment.explain.what_if import Tell, cheaper, cheapest, what_ifs
from allotment.formats import moment
from allotment.model.cluster import Cluster
from allotment.results.result import Result
from allotment.workload.table import JobTable

SHORT_OF = frozenset({"headroom", "overdrawn"})  # those that name a budget which lacks something


@attrs.frozen(kw_only=True, eq=False)
class Why:
    """Why a job waited, as data; every reason has a code, parameters and a sentence. Times are seconds from the start."""

    job: Subject
    """The job that was asked about."""
    at: int | None
    """The moment that `why`, `turn`, `room` and `next` are about; None where it waited for nothing but a pass and was not stopped."""
    why: Reason | None
    """What it waits for at that moment, how it runs, or, where its stops delayed it more than any wait, why it was stopped."""
    behind: tuple[int, Reason] | None
    """Where it stands behind another job: that job's number, and what that one waits for."""
    front: tuple[Cause, ...]
    """What that one waited for, all the time that this one waited behind it; the longest first."""
    gone: int
    """How much of what delayed it in all had gone by `since`: waiting, and work that was lost (s)."""
    turn: tuple[Reason, ...]
    """First line: where its team stands, and who would be served before it."""
    room: tuple[Reason, ...]
    """Second line: what is free and what could be had."""
    next: Reason | None
    """Third line: when there may be a chance. Never a promise."""
    life: tuple[Interval, ...]
    """All its waiting, cut into intervals of one reason each, to the second."""
    causes: tuple[Cause, ...]
    """What they come to, by reason; the longest first."""
    displaced: tuple[Displaced, ...]
    """Each time that it was stopped: by whom, under which rule, at which cost."""
    since: int | None
    """From when on `what_if` counts: the moment that was named, or its submission where none was."""
    cannot: tuple[Reason, ...]
    """What could not become otherwise about it at that moment, and why."""
    what_if: tuple[WhatIf, ...]
    """What would have changed its waiting from then on, and what would not; empty where that was not asked, or it
    waited for a pass alone."""

    @property
    def waited(self) -> int:
        """All its waiting (s): the sum of `life`."""
        return sum(each.seconds for each in self.life)

    @property
    def unexplained(self) -> int:
        """For how long it could have started and did not (s); anything but 0 is a fault of the scheduler."""
        return lives.unexplained(self.life)

    @property
    def remedy(self) -> WhatIf | None:
        """Of what would have helped, what costs others the least."""
        return cheapest(self.what_if)

    @property
    def cheaper(self) -> WhatIf | None:
        """What would have helped less than the remedy, at a lower price."""
        return cheaper(self.what_if)

    @property
    def came_to(self) -> tuple[Reason, ...]:
        """How much of all its waiting what it waited for was, and what its stops have cost."""
        return came_to(self.job, self.why, self.causes, len(self.displaced))

    @property
    def sentences(self) -> tuple[str, ...]:
        """What it waits for, its turn, its room and its next chance in English, and why it was stopped."""
        lines = [] if self.why is None else [self.why.sentence]
        if self.behind is not None:
            lines.append(f"Job {self.behind[0]} in turn: {self.behind[1].sentence}")
        lines += [each.sentence for each in (*self.turn, *self.room)]
        lines += [] if self.next is None else [self.next.sentence]
        return (*lines, *(text for each in self.displaced for text in each.sentences))

    def plain(self) -> dict[str, Any]:
        """Return it as plain values, for JSON and for a panel."""
        return {
            "job": attrs.asdict(self.job),
            "at": self.at,
            "why": None if self.why is None else self.why.plain(),
            "behind": None if self.behind is None else {"job": self.behind[0], "why": self.behind[1].plain()},
            "front": [_sum_of(each) for each in self.front],
            "gone": self.gone,
            "turn": [each.plain() for each in self.turn],
            "room": [each.plain() for each in self.room],
            "next": None if self.next is None else self.next.plain(),
            "came_to": [each.plain() for each in self.came_to],
            "since": self.since,
            "life": [{"begin": each.begin, "end": each.end, **each.reason.plain()} for each in self.life],
            "causes": [_sum_of(each) for each in self.causes],
            "unexplained": self.unexplained,
            "displaced": [
                {
                    "time": each.time,
                    "slice": each.slice,
                    **{name: getattr(each, name).plain() for name in ("why", "cost", "then")},
                }
                for each in self.displaced
            ],
            "cannot": [each.plain() for each in self.cannot],
            "what_if": [
                {
                    **attrs.asdict(each),
                    "change": each.change.plain(),
                    **{
                        name: None if of is None else of.plain()
                        for name, of in (("instead", each.instead), ("because", each.because))
                    },
                    "helps": each.helps,
                    "cheapest": each is self.remedy,
                }
                for each in self.what_if
            ],
        }


def _sum_of(cause: Cause) -> dict[str, Any]:
    return {"seconds": cause.seconds, "intervals": cause.intervals, **cause.reason.plain()}


def why(
    result: Result,
    job: int,
    at: int | None = None,
    *,
    what_if: bool = True,
    recordings: Mapping[str, JobTable] | None = None,
    clusters: Sequence[Cluster] = (),
    told: Tell | None = None,
) -> Why:
    """Return why a job of a result waited, why it was stopped, and what would have changed it.

    `at` is a moment at which it waited or ran (s from the start); by default the beginning of the longest stretch of what it
    waited for most, or the stop that cost it most where it had to do more again than it waited for that.
    `what_if` asks as well what would have changed it, which takes a run for each change: from the moment that is named, or
    where none is from its submission on. `told` is called with each. `recordings` hold the jobs of recorded streams, by the stream's name;
    `clusters` are some on which the same jobs might have been run.

    The scenario is simulated again for what a result does not keep. Raises NotFoundError where there is no such job or it
    was not there then, and SimulationError where the scenario does not give this result any more.
    """
    return why_of(Rerun(result, recordings, clusters=clusters), job, at, what_if=what_if, told=told)


def why_of(rerun: Rerun, job: int, at: int | None = None, *, what_if: bool = True, told: Tell | None = None) -> Why:
    """Return the answer of :func:`why` for a result that is ready to be simulated again."""
    result = rerun.result
    of = subject(result, job)
    waits, log = rerun.waits([job])
    check_same(result, log, job)
    life = lives.intervals(result, of, waits, rerun)
    causes = lives.causes(life)
    running = None if at is None else run_at(result, of, at, rerun.policy(at))
    chosen = lives.main(life) if at is None else None if running is not None else _at(life, of, result, at)
    stops = displaced(result, of, rerun)
    worst = costliest(stops) if at is None else None
    time = at if at is not None or chosen is None else chosen.begin
    if worst is not None and outweighs(of, causes):
        chosen, running, time = None, worst.why, worst.time
    now = {} if chosen is None or time is None else _now(rerun, of, chosen, time)
    short = [each for each in (() if chosen is None else (chosen.reason,)) if each.code in SHORT_OF]
    short += [cause.reason for cause in causes if cause.reason.code in SHORT_OF]
    level = str(short[0].parameters["level"]) if short else None
    changed: tuple[WhatIf, ...] = ()
    since = None if time is None else of.submit if at is None else at
    if what_if and time is not None and since is not None:
        contracts = rerun.policy(time).contracts
        reserve = Fraction(0) if contracts is None else contracts.reserve
        stop = None if worst is None else worst.time
        fits = fitting(of, chosen, time, now.get("room", ()), reserve=reserve, stop=stop)
        changed = what_ifs(rerun, of, since, level, told, fitting=fits)
    return Why(
        job=of,
        at=time,
        why=running if chosen is None or time is None else lives.as_of(chosen.reason, time),
        life=life,
        causes=causes,
        displaced=stops,
        front=_front(rerun, life, now.get("behind")),
        since=since,
        gone=0 if since is None else gone_by(rerun, of, since),
        cannot=cannot(rerun, of, since) if what_if and since is not None else (),
        what_if=changed,
        **{"behind": None, "turn": (), "room": (), "next": None, **now},
    )


def before(result: Result, a: int, b: int, at: int, *, recordings: Mapping[str, JobTable] | None = None) -> Reason:
    """Return which of two jobs comes first at a moment, and by which term: the first in which their ranks differ.

    Raises NotFoundError where one of them is not there, or does not wait then.
    """
    return before_of(Rerun(result, recordings), a, b, at)


def before_of(rerun: Rerun, a: int, b: int, at: int) -> Reason:
    """Return the answer of :func:`before` for a result that is ready to be simulated again."""
    for job in (a, b):
        subject(rerun.result, job)
    line: Line = line_at(rerun, at)
    for job in (a, b):
        if job not in line.glance.waiting:
            raise NotFoundError(f"job {job} does not wait at {at} s ({moment(at)}), so it has no place in line")
    return line.compare(a, b)[1]


def _now(rerun: Rerun, of: Subject, chosen: Interval, time: int) -> dict[str, Any]:
    """Return turn, room, next chance and whom it stands behind, at a moment of an interval of its waiting."""
    other = chosen.reason.parameters.get("other")
    asked = [other] if chosen.reason.code in BEHIND and isinstance(other, int) else []
    glance, waits = rerun.look(time, asked)
    line = line_at(rerun, time, glance=glance)
    told = turn(line, of, other if isinstance(other, int) else None)
    found: dict[str, Any] = {
        "turn": (*told, *last_started(rerun, line, of, chosen.begin, time)),
        "room": room(line, of),
        "next": next_chance(line, of, chosen.reason, rerun, time),
    }
    for job in asked:
        found["behind"] = _of_other(rerun, job, time, waits)
        found["next"] = _after(line, rerun, found["behind"], time) or found["next"]
    return found


def _after(line: Line, rerun: Rerun, behind: tuple[int, Reason] | None, time: int) -> Reason | None:
    """Return when there may be a chance after another job, where there is a time for that one."""
    if behind is None:
        return None
    first = next_chance(line, subject(rerun.result, behind[0]), behind[1], rerun, time).parameters.get("time")
    return None if first is None else reason("next_after_at", other=behind[0], time=first)


def _of_other(rerun: Rerun, other: int, time: int, waits: Any) -> tuple[int, Reason] | None:
    """Return what another job waits for at a moment, from what it had waited for by then."""
    interval = lives.at(lives.intervals(rerun.result, subject(rerun.result, other), waits, rerun), time)
    return None if interval is None else (other, lives.as_of(interval.reason, time))


def _front(rerun: Rerun, life: tuple[Interval, ...], behind: tuple[int, Reason] | None) -> tuple[Cause, ...]:
    """Return what the job in front waited for over all the time that another stood behind it."""
    if behind is None:
        return ()
    waits, _log = rerun.waits([behind[0]])
    other = lives.intervals(rerun.result, subject(rerun.result, behind[0]), waits, rerun)
    stood = [each for each in life if each.reason.code in BEHIND and each.reason.parameters.get("other") == behind[0]]
    return lives.causes(lives.within(other, stood))


def _at(life: tuple[Interval, ...], of: Subject, result: Result, at: int) -> Interval:
    """Return the interval of a moment. Raises NotFoundError where the job was not there then."""
    found = lives.at(life, at)
    if found is not None:
        return found
    if not 0 <= at < result.horizon:
        raise NotFoundError(
            f"{at} s is not within the run, which ends at {result.horizon} s ({moment(result.horizon)})"
        )
    spans = list(_spans(life))
    if not spans:
        raise NotFoundError(f"job {of.job} never waited, so there is nothing to explain at {at} s ({moment(at)})")
    told = ", ".join(f"from {a} to {b} s" for a, b in spans[:3]) + (
        f" and {len(spans) - 3} times more" if spans[3:] else ""
    )
    raise NotFoundError(f"job {of.job} neither waited nor ran at {at} s ({moment(at)}); it waited {told}")


def _spans(life: tuple[Interval, ...]) -> Iterator[tuple[int, int]]:
    begin: int | None = None
    for place, each in enumerate(life):
        begin = each.begin if begin is None else begin
        if place + 1 == len(life) or life[place + 1].begin != each.end:
            yield begin, each.end
            begin = None
