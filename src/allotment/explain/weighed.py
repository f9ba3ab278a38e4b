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
BEHIND = frozenset({"behind", "behind_first", "behind_rank", "saving"})  # causes that name a job whose own reason helps
STEP = 5 * MINUTE  # in which a minimum runtime that fits is told


def costliest(stops: Sequence[Displaced]) -> Displaced | None:
    """Return the stop that lost most, the first of several; None where there is none."""
    return max(stops, key=lambda each: (each.cost.parameters.get("lost", 0), -each.time), default=None)


def outweighs(of: Subject, causes: Sequence[Cause]) -> bool:
    """Return whether doing again what stops lost took longer than what the job waited for most."""
    waited = next((cause.seconds for cause in causes if cause.reason.code != "next_pass"), 0)
    return of.lost // of.gpus >= waited


def came_to(of: Subject, why: Reason | None, causes: Sequence[Cause], stops: int) -> tuple[Reason, ...]:
    """Return how much of all the waiting of a job `why` was, and what its stops have cost."""
    found = []
    waited = sum(cause.seconds for cause in causes)
    same = [cause.seconds for cause in causes if why is not None and is_same(cause.reason, why)]
    if same and why is not None:
        share, behind = same[0] / waited, "_behind" if why.code in BEHIND else ""
        all_of_it = reason(f"mostly_all{behind}", seconds=same[0])
        some = reason(f"mostly{behind}", seconds=same[0], part=share, waited=waited)
        found.append(all_of_it if share > NEARLY else some)
    if stops:
        told = "stopped_in_all" if why is not None and why.code.startswith("stopped_") else "stopped_too"
        found.append(reason(told, stops=stops, lost=of.lost))
    return tuple(found)


def is_same(one: Reason, other: Reason) -> bool:
    """Tell whether two reasons are of one cause: of one code, and about the same plan node."""
    return one.code == other.code and one.parameters.get("level") == other.parameters.get("level")


def fitting(
    of: Subject,
    chosen: Interval | None,
    time: int,
    room: Sequence[Reason],
    *,
    reserve: Fraction,
    stop: int | None = None,
) -> Fitting:
    """Return what a job might have asked that would have fitted at a moment at which it waited.

    `reserve` is the part of an entitlement that only short claims may use.
    """
    if chosen is None:
        return Fitting(stop=stop)
    code, given = chosen.reason.code, chosen.reason.parameters
    left = _number(given.get("left"))
    if code in ("too_large", "too_large_now"):
        left = int(_number(given["entitled"]) * (1 - reserve))
    until = max(_number(given.get("due")) - time, 0)  # when a hold or a reservation is due
    runtime = until if code == "held" else left // of.gpus
    free = max((_number(each.parameters.get("most")) for each in room), default=0)
    gpus = _number(given["limit"]) - _number(given["held"]) if code == "slot_limit" else free
    limit = until if code == "reserved" else 0
    return Fitting(min_runtime=runtime // STEP * STEP, gpus=gpus, limit=limit // STEP * STEP, stop=stop)


def _number(value: Value) -> int:
    return int(value) if isinstance(value, int) else 0
