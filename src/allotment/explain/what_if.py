"""What would change a wait, and what would not: the run once more from a moment on, with one thing about one job changed.

Everything before that moment is as it was, and the same jobs arrive after it. Each answer has its price: how much longer
others wait, and what work is lost.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import attrs

from allotment.explain.changes import Change, Fitting, changes
from allotment.explain.elsewhere import elsewhere
from allotment.explain.fates import SAME, WhatIf, compared, fate, over_by, over_in_both, paid
from allotment.explain.reasons import Reason
from allotment.explain.rerun import Rerun, Subject
from allotment.units import DAY

Tell = Callable[[Reason], object]
OF_OTHERS = frozenset({"if_share", "if_nodes", "if_preset"})  # what somebody else decides
TENTH = 10  # of a delay: what takes away less hardly helps
CONTRACTS = frozenset({"if_min_runtime", "if_no_contract"})  # what changes for how long it is protected


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
    if time == of.submit:  # nothing had gone by then, whatever counts from later on
        found = [attrs.evolve(each, gone=0) for each in found]
    return tuple(sorted(found, key=lambda each: (not each.helps, each.queued)))


def cheapest(found: Sequence[WhatIf]) -> WhatIf | None:
    """Return what costs others the least, of what at least halves what delayed a job, or else takes a tenth of it, or helps.

    What its user decides goes before what others decide, the shares of the plan and the machines.
    """
    helping = [each for each in found if each.helps and each.price is not None]
    helping = [each for each in helping if each.change.code not in OF_OTHERS] or helping
    halving = [each for each in helping if each.halves] or [each for each in helping if each.takes(TENTH)]
    return min(halving or helping, key=in_order, default=None)


def in_order(each: WhatIf) -> tuple[int, int, int, int, int]:
    """Return what others pay, then what it gains, how many are later, what is lost, and of contracts its own and then the longest.

    Where others gain, they pay nothing: by how much they gain in a busy cluster is chance.
    """
    asked = each.change.parameters.get("min_runtime")
    kept = DAY if each.change.code not in CONTRACTS else asked if isinstance(asked, int) else 0
    return max(each.price or 0, 0), -(each.gained // SAME), each.others_later or 0, each.lost or 0, -kept


def cheaper(found: Sequence[WhatIf]) -> WhatIf | None:
    """Return what helps at half the price, or less, of the cheapest that halves the delay, but by less; None where nothing does."""
    best = cheapest(found)
    if best is None or best.price is None or not best.halves:
        return None
    whose, price = best.change.code in OF_OTHERS, max(best.price, 0)
    helping = [each for each in found if each.helps and each.price is not None]
    less = [each for each in helping if (each.change.code in OF_OTHERS) == whose and each.gained < best.gained]
    less = [each for each in less if each.takes(TENTH) and 2 * max(each.price or 0, 0) <= price - SAME]
    return min(less, key=in_order, default=None)


def judged(rerun: Rerun, of: Subject, change: Change) -> WhatIf:
    """Return what becomes of a job, and of all others, under one change."""
    branch = rerun.branch(change.since)
    change.make(branch)
    log = branch.until_over(of.job, over_by(rerun, of), rerun.result.horizon)
    pays = paid(rerun.log, log, of.job, over_in_both(rerun.log, log, of.job))
    after = fate(log, of.job, change.work)
    told = {"change": change.change, "since": change.since, "instead": change.instead, "because": change.because}
    return compared(rerun, of, after, pays, **told)
