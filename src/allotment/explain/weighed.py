"""What of all that happened to a job weighed most, what it comes to, and what would have fitted then."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from allotment.explain.changes import Fitting
from allotment.explain.displaced import Displaced
from allotment.explain.life import Cause, Interval
from allotment.explain.reasons import Reason, Value, reason
from allotment.explain.rerun import Subject
from allotment.units import MINUTE

NEARLY = 0.99
STEP = 5 * MINUTE  # in which a minimum runtime that fits is told


def costliest(stops: Sequence[Displaced], of: Subject, causes: Sequence[Cause]) -> Displaced | None:
    """Return the stop that lost most, if doing again what stops lost took longer than what the job waited for most."""
    waited = next((cause.seconds for cause in causes if cause.reason.code != "next_pass"), 0)
    if not stops or of.lost // of.gpus < waited:
        return None
    return max(stops, key=lambda each: (each.cost.parameters.get("lost", 0), -each.time))


def came_to(of: Subject, why: Reason | None, causes: Sequence[Cause], stops: int) -> tuple[Reason, ...]:
    """Return how much of all the waiting of a job `why` was, and what its stops have cost."""
    found = []
    waited = sum(cause.seconds for cause in causes)
    same = [cause.seconds for cause in causes if why is not None and _kind(cause.reason) == _kind(why)]
    if same:
        share = same[0] / waited
        all_of_it = reason("mostly_all", seconds=same[0])
        some = reason("mostly", seconds=same[0], part=share, waited=waited)
        found.append(all_of_it if share > NEARLY else some)
    if stops:
        told = "stopped_in_all" if why is not None and why.code.startswith("stopped_") else "stopped_too"
        found.append(reason(told, stops=stops, lost=of.lost))
    return tuple(found)


def _kind(of: Reason) -> tuple[str, Value]:
    return of.code, of.parameters.get("level")


def fitting(
    of: Subject, chosen: Interval | None, time: int, room: Sequence[Reason], *, reserve: Fraction, stopped: bool
) -> Fitting:
    """Return what a job might have asked that would have fitted at a moment at which it waited.

    `reserve` is the part of an entitlement that only short claims may use.
    """
    if chosen is None:
        return Fitting(stopped=stopped)
    code, given = chosen.reason.code, chosen.reason.parameters
    left = _number(given.get("left"))
    if code in ("too_large", "too_large_now"):
        left = int(_number(given["entitled"]) * (1 - reserve))
    until = max(_number(given.get("due")) - time, 0)  # when a hold or a reservation is due
    runtime = until if code == "held" else left // of.gpus
    free = max((_number(each.parameters.get("most")) for each in room), default=0)
    gpus = _number(given["limit"]) - _number(given["held"]) if code == "slot_limit" else free
    limit = until if code == "reserved" else 0
    return Fitting(min_runtime=runtime // STEP * STEP, gpus=gpus, limit=limit // STEP * STEP)


def _number(value: Value) -> int:
    return int(value) if isinstance(value, int) else 0
