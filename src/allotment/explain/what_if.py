"""What would change a wait, and what would not: the run once more from a moment on, with one thing about one job changed.

Everything before that moment is as it was, and the same jobs arrive after it. Each answer has its price: how much longer
others wait, and what work is lost.
"""

from __future__ import annotations

from collections.abc import Callable

from allotment.explain.changes import Change, changes
from allotment.explain.elsewhere import elsewhere
from allotment.explain.fates import WhatIf, compared, fate, over_by, over_in_both, paid
from allotment.explain.reasons import Reason
from allotment.explain.rerun import Rerun, Subject

Tell = Callable[[Reason], object]
OF_OTHERS = frozenset({"if_share", "if_nodes", "if_preset"})  # what somebody else decides


def what_ifs(
    rerun: Rerun, of: Subject, time: int, level: str | None = None, told: Tell | None = None
) -> tuple[WhatIf, ...]:
    """Return what would and would not have changed the waiting of a job from a moment on; what helps most comes first.

    `level` is the plan node whose budget was short, by path: with more share is meant more for that. `told` is called
    with what is tried next.
    """
    found = []
    for change in changes(rerun, of, time, level):
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
    """Return what costs others the least, of what at least halves all the waiting of a job, or else of what helps.

    What its user decides goes before what others decide, the shares of the plan and the machines.
    """
    helping = [each for each in found if each.helps and each.others_wait is not None]
    helping = [each for each in helping if each.change.code not in OF_OTHERS] or helping
    halving = [each for each in helping if each.queued_saved >= each.queued]
    return min(halving or helping, key=lambda each: (max(each.others_wait or 0, 0), each.queued), default=None)


def judged(rerun: Rerun, of: Subject, change: Change) -> WhatIf:
    """Return what becomes of a job, and of all others, under one change."""
    branch = rerun.branch(change.since)
    change.make(branch)
    log = branch.until_over(of.job, over_by(rerun, of), rerun.result.horizon)
    pays = paid(rerun.log, log, of.job, over_in_both(rerun.log, log, of.job))
    after = fate(log, of.job, change.work)
    return compared(rerun, of, after, pays, change=change.change, since=change.since, instead=change.instead)
