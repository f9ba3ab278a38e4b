"""What would change a wait, and what would not: the run once more from a moment on, with one thing about one job changed.

Everything before that moment is as it was, and the same jobs arrive after it. Each answer has its price: how much longer
others wait, and what work is lost.
"""

from __future__ import annotations

from collections.abc import Callable

from allotment.explain.changes import Change, Fitting, changes
from allotment.explain.elsewhere import elsewhere
from allotment.explain.fates import SAME, WhatIf, compared, fate, over_by, over_in_both, paid
from allotment.explain.reasons import Reason
from allotment.explain.rerun import Rerun, Subject

Tell = Callable[[Reason], object]
OF_OTHERS = frozenset({"if_share", "if_nodes", "if_preset"})  # what somebody else decides


def what_ifs(
    rerun: Rerun,
    of: Subject,
    time: int,
    level: str | None = None,
    told: Tell | None = None,
    *,
    fitting: Fitting | None = None,
) -> tuple[WhatIf, ...]:
    """Return what would and would not have changed the waiting of a job from a moment on; what helps most comes first.

    `level` is the plan node whose budget was short, by path: with more share is meant more for that. `fitting` is what
    it might have asked that would have fitted, which is tried too. `told` is called with what is tried next.
    """
    found = []
    for change in changes(rerun, of, time, level, fitting):
        if told is not None:
            told(change.change)
        found.append(judged(rerun, of, change))
    for place in elsewhere(rerun, of, time):
        if told is not None:
            told(place.change)
        if (there := place.judge()) is not None:
            found.append(there)
    return tuple(sorted(found, key=lambda each: (not each.helps, each.queued)))


def cheapest(found: tuple[WhatIf, ...]) -> WhatIf | None:
    """Return what costs others the least, of what at least halves what delayed a job, or else of what helps.

    What its user decides goes before what others decide, the shares of the plan and the machines.
    """
    helping = [each for each in found if each.helps and each.others_wait is not None]
    helping = [each for each in helping if each.change.code not in OF_OTHERS] or helping
    halving = [each for each in helping if each.halves]
    return min(halving or helping, key=_price, default=None)


def _price(each: WhatIf) -> tuple[int, int, int]:
    """Return what others pay, then how long it still waits, and of contracts the longest first, as it protects for longer."""
    asked = each.change.parameters.get("min_runtime")
    return max(each.others_wait or 0, 0), each.queued, -asked if isinstance(asked, int) else 0


def cheaper(found: tuple[WhatIf, ...]) -> WhatIf | None:
    """Return what helps at half the price, or less, of the cheapest that halves the delay, but by less; None where nothing does."""
    best = cheapest(found)
    if best is None or best.others_wait is None or not best.halves:
        return None
    whose, price = best.change.code in OF_OTHERS, max(best.others_wait, 0)
    helping = [each for each in found if each.helps and each.others_wait is not None]
    less = [each for each in helping if (each.change.code in OF_OTHERS) == whose]
    less = [each for each in less if 2 * max(each.others_wait or 0, 0) <= price - SAME]
    return min(less, key=_price, default=None)


def judged(rerun: Rerun, of: Subject, change: Change) -> WhatIf:
    """Return what becomes of a job, and of all others, under one change."""
    branch = rerun.branch(change.since)
    change.make(branch)
    log = branch.until_over(of.job, over_by(rerun, of), rerun.result.horizon)
    pays = paid(rerun.log, log, of.job, over_in_both(rerun.log, log, of.job))
    after = fate(log, of.job, change.work)
    return compared(rerun, of, after, pays, change=change.change, since=change.since, instead=change.instead)
