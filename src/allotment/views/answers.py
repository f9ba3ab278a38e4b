"""An answer to "why?" as text, on a terminal as on a page: what a job asked, what it waited for, and what would have changed it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from allotment.explain.answer import Why
from allotment.explain.fates import WhatIf
from allotment.explain.reasons import Reason
from allotment.explain.weighed import is_same
from allotment.explain.what_if import OF_OTHERS, TENTH, cheapest
from allotment.formats import count, gpu_hours, moment, part, plain, points, signed, wait
from allotment.units import HOUR, MINUTE

MOST_STOPS = 3
MOST_CAUSES = 3
CAUSES = ("time", "of it", "times")
WHAT_IF = ("waiting", "done", "others, together", "of them, later", "GPU-h lost")
PRICE = (
    "waiting: all of it, after stops, too. done: how much sooner, or where it was not done how much more of its work, in points. others, "
    "together: the price, which is how much longer all other jobs have waited and done lost work again by the time that this one is done; of them, "
    "later: how many are by a minute. GPU-h lost: how much more work, of all jobs. A busy cluster answers to every small change, so a small price may "
    "be chance."
)
RULE = (
    "Cheapest is what its user can ask for and takes away half of the delay, or a tenth where nothing takes half, at the lowest price for others; of "
    "equals what is done soonest."
)
HARDLY = 15 * MINUTE
WORDS = (
    "claim: its GPUs times its minimum runtime. funded: the claim fits in what is left of the budget. protected: inside its minimum runtime, so that "
    "nobody stops it. past its contract: charged, but to be stopped for work with a better rank. charged to nobody: runs until funded work "
    "wants its GPUs."
)
ANSWERED = {"cannot_save_waiting": "if_saved_before", "cannot_save": "if_resumable"}
"""What needs no remark where there is a row for it, by the code of that row."""
HALF = 0.5
SHORT = {
    "next_pass": "for the next pass",
    "no_contract": "not funded: asks no contract",
    "too_large": "never funded: claim above all of {level}",
    "too_large_now": "not funded: claim above all of {level} so far",
    "headroom": "not funded: too little left of {level}",
    "overdrawn": "not funded: nothing left of {level}",
    "nothing_entitled": "not funded: {level} has no share",
    "saving": "its team saves for an older claim",
    "slot_limit": "limit of GPUs of {level}",
    "behind": "behind others of its team",
    "behind_first": "behind the first of its team",
    "behind_rank": "behind a better rank without room",
    "reserved": "what is free is reserved",
    "holding": "its nodes are held, not clear yet",
    "held": "its room is held for another",
    "no_room": "no room",
    "no_room_funded": "funded, but no room",
    "fragment": "no room side by side",
    "fragment_funded": "funded, but no room side by side",
    "too_few_nodes": "too few nodes in service",
    "beyond_quota": "may not be stopped, above the quota of {level}",
    "beyond_fair_share": "above the fair GPUs of {level}",
    "unexplained": "UNEXPLAINED: a fault of the scheduler",
}
"""What a job waits for, in a few words, by the code of the reason."""


def title(found: Why) -> str:
    """Return whose job it is."""
    of = found.job
    return plain(f"Job {of.job}" + (f" ({of.name})" if of.name else "") + f" of {of.team}")


def about(found: Why) -> list[str]:
    """Return what it asked for, and what became of it, a sentence each."""
    of = found.job
    asked = f"a minimum runtime of {wait(of.min_runtime)}" if of.min_runtime else "no minimum runtime"
    gpus = f"{count(of.gpus)} GPU{'s' if of.gpus != 1 else ''}"
    started = "It never started."
    if of.first_start is not None:
        took = of.first_start - of.submit
        started = f"It first started after {wait(took)}." if took else "It first started at once."
    more = f" In all it waited {wait(of.queued)}" if of.slices > 1 or of.first_start is None else ""
    lost = f" and lost {gpu_hours(of.lost / HOUR)} of work" if of.lost and more else ""
    return [f"{gpus}, {asked}, submitted at {moment(of.submit)}.", started + (f"{more}{lost}." if more else "")]


def now(found: Why) -> dict[str, str]:
    """Return what it waits for at the moment that was asked about, and its turn, its room and its next chance."""
    if found.why is None:
        return {}
    lines = {
        "why": found.why.sentence,
        "in front": "" if found.behind is None else f"Job {found.behind[0]} in turn: {found.behind[1].sentence}",
        "turn": " ".join(each.sentence for each in found.turn),
        "room": " ".join(each.sentence for each in found.room),
        "next chance": "" if found.next is None else found.next.sentence,
    }
    return {name: text for name, text in lines.items() if text}


def asked(found: Why) -> str:
    """Return what is told of a moment: why it waited then, or what it did instead."""
    code = "" if found.why is None else found.why.code
    return (
        "What it did"
        if code.startswith("runs_")
        else "Why it was stopped"
        if code.startswith("stopped_")
        else "Why it waited"
    )


def causes(found: Why) -> pd.DataFrame:
    """Return all its waiting by cause, the longest first."""
    rows = [
        [wait(cause.seconds), part(cause.seconds / found.waited if found.waited else None), count(cause.intervals)]
        for cause in found.causes
    ]
    return _table(CAUSES, [_named(cause.reason) for cause in found.causes], rows)


def _named(reason: Reason) -> str:
    return SHORT[reason.code].format(level=plain(reason.parameters.get("level") or ""))


def stops(found: Why, most: int = MOST_STOPS) -> list[str]:
    """Return when and why it was stopped, at most so many times."""
    return [f"{moment(each.time)}: " + " ".join(each.sentences) for each in found.displaced[:most]]


def what_would(found: Why) -> dict[str, pd.DataFrame]:
    """Return what would have helped and what would not, as tables, as far as there is anything in them."""
    since = "" if found.since is None else f", from {moment(found.since)} on"
    if found.since == found.job.submit:
        since = ", from its submission on"
    groups = {
        f"What would have helped{since}": [each for each in found.what_if if each.helps],
        f"What would not{since}": [each for each in found.what_if if not each.helps],
    }
    return {
        name: _table(WHAT_IF, [_changed(each) for each in group], [_row(each) for each in group])
        for name, group in groups.items()
        if group
    }


def _changed(each: WhatIf) -> str:
    """Return what is otherwise, and from when on where that is the submission."""
    submitted = each.instead is not None and each.instead.code == "cannot_claim"
    return each.change.sentence + (", from its submission on" if submitted else "")


def remarks(found: Why) -> list[str]:
    """Return what could not be otherwise at the moment that was asked about, and why something is from another on.

    What a row of the table answers is left out.
    """
    told = [*found.cannot, *(each.instead for each in found.what_if if each.instead is not None)]
    codes = {each.change.code for each in found.what_if}
    answered = {code for code, row in ANSWERED.items() if row in codes}
    return list(dict.fromkeys(each.sentence for each in told if each.code not in answered))


def cause(found: Why) -> str:
    """Return in a few lines why it was late: what it waited for or was stopped by, and what that comes to."""
    if found.why is None:
        late = any(each.reason.code != "next_pass" for each in found.causes)
        return "" if late else "Nothing kept it: at most it waited for the next pass of the scheduler."
    came_to = found.came_to
    first = found.why.sentence
    if (longest := in_turn(found)) is not None:
        first = f"Several causes in turn; the longest, {part(longest)}: {first}"
        came_to = tuple(each for each in came_to if not each.code.startswith("mostly"))
    return " ".join([first, *_in_front(found), *(each.sentence for each in came_to)])


def in_turn(found: Why) -> float | None:
    """Return which part of its waiting the longest cause is, where that is what is told and less than half; None elsewhere."""
    whys = [each for each in found.causes[:1] if found.why is not None and is_same(each.reason, found.why)]
    share = whys[0].seconds / found.waited if whys else 1
    return share if share < HALF else None


def sums(found: Why) -> str:
    """Return all its waiting by cause, in a line."""
    return "; ".join(
        f"{wait(each.seconds)} ({part(each.seconds / found.waited)}) {_named(each.reason)}" for each in found.causes
    )


def _in_front(found: Why) -> Iterator[str]:
    """Yield what the job that it stood behind waited for itself meanwhile."""
    if found.behind is not None and found.front:
        seconds = sum(each.seconds for each in found.front)
        told = [f"{wait(each.seconds)} {_named(each.reason)}" for each in found.front[:MOST_CAUSES]]
        more = "; and more" if found.front[MOST_CAUSES:] else ""
        yield f"Job {found.behind[0]} came first for {wait(seconds)}, in which it waited itself: {'; '.join(told)}{more}."


def remedy(found: Why) -> str:
    """Return the cheapest remedy with what it does and its price, or that there is none; empty where that was not asked."""
    if not found.what_if:
        return ""
    best, less = found.remedy, found.cheaper
    if best is None or best.change.code in OF_OTHERS:
        return " ".join([*_none_of_its_user(found, best), *_had_gone(found)])
    told = [_effect(best, found)]
    if best.because is not None:
        told.append(best.because.sentence)
    if not best.halves:
        told.append(f"Nothing that its user could ask for would have halved the delay{_to_come(best)}.")
    if less is not None:
        told.append(f"Cheaper, but it helps less: {_effect(less, found)}")
    if not best.takes(TENTH) and (
        others := cheapest([each for each in found.what_if if each.change.code in OF_OTHERS])
    ):
        told.append(f"What others decide would have helped more: {_effect(others, found)}")
    return " ".join([*told, *_had_gone(found)])


def _to_come(each: WhatIf) -> str:
    return " still to come" if each.gone >= MINUTE else ""


def _had_gone(found: Why) -> Iterator[str]:
    """Yield how much of its delay had gone by the moment that was named."""
    each = found.what_if[0]
    if found.since != found.job.submit and (gone := found.gone) >= MINUTE:
        yield f"By {moment(found.since or 0)} {wait(gone)} of its delay of {wait(max(each.delay, gone))} had gone."


def _none_of_its_user(found: Why, best: WhatIf | None) -> Iterator[str]:
    """Yield that nothing helps that its user decides, when there may be a chance, and what others could do."""
    own = [each for each in found.what_if if each.change.code not in OF_OTHERS]
    yield f"None for its user: {count(len(own))} changes were tried, and none would have helped."
    if found.next is not None:
        yield f"Waiting is the answer. {found.next.sentence}"
    if best is not None:
        yield f"What others decide would have helped: {_effect(best, found)}"
    elif elsewhere := [each for each in found.what_if if each.helps]:
        yield f"It would have waited less {elsewhere[0].change.sentence}."


def _effect(each: WhatIf, found: Why) -> str:
    """Return what one change does for the job, and what others pay."""
    before = each.queued + each.queued_saved
    waits = f"{wait(each.queued)} of waiting instead of {wait(before)}"
    if abs(each.queued_saved) < MINUTE:
        waits = f"as much waiting ({wait(before)})"
    done = _done(each)
    return (
        f"{_changed(each)}: {waits}"
        + (f", {_of_work(each) or 'done ' + done}" if done != "same" else "")
        + f". Price: {_price(each)}."
        + (" It is hardly worth that." if each.gained < min(each.price or 0, HARDLY) else "")
    )


def _of_work(each: WhatIf) -> str:
    """Return how much more of its work would have been done, of a job that was not done in both runs."""
    if each.done_sooner is not None:
        return ""
    return f"{points(abs(each.done_more))} {'more' if each.done_more > 0 else 'less'} of its work done"


def _price(each: WhatIf) -> str:
    machines = "the machines, and " if each.change.code == "if_nodes" else ""
    if each.price is None:
        return "not known, as all of the run is another"
    if each.price >= MINUTE:
        later = f"{count(each.others_later)} of them by a minute or more"
        return f"{machines}other jobs are {wait(each.price)} later together, {later}{_lost(each)}"
    if each.others_later:
        as_much = "as late as before" if each.price > -MINUTE else f"{wait(-each.price)} sooner"
        later = f"{count(each.others_later)} of them later by a minute or more"
        return f"{machines}other jobs are {as_much} together, but {later}{_lost(each)}"
    return (machines.removesuffix(", and ") or "none: no other job is later") + _lost(each)


def _lost(each: WhatIf) -> str:
    """Return how much more work is lost, where it is."""
    lost = each.lost or 0
    return f"; {gpu_hours(lost / HOUR)} more of work is lost" if lost >= HOUR // 10 else ""


def _row(each: WhatIf) -> list[str]:
    waiting = wait(each.queued) if each.started else f"> {wait(each.queued)}"
    others = "-" if each.price is None else signed(each.price, wait) if abs(each.price) >= MINUTE else "same"
    lost = "-" if each.lost is None else _hours(each.lost)
    return [waiting, _done(each), others, count(each.others_later), lost]


def _bare_hours(hours: float) -> str:
    return gpu_hours(hours).removesuffix(" GPU-h")


def _hours(lost: int) -> str:
    return "same" if abs(lost) < HOUR // 10 else signed(lost / HOUR, _bare_hours)


def _done(each: WhatIf) -> str:
    if (sooner := each.done_sooner) is not None:
        return "same" if abs(sooner) < MINUTE else f"{wait(abs(sooner))} {'sooner' if sooner > 0 else 'later'}"
    return "same" if abs(each.done_more) < 0.001 else signed(each.done_more, points)


def _table(columns: Sequence[str], names: Sequence[str], rows: Sequence[Sequence[str]]) -> pd.DataFrame:
    return pd.DataFrame(
        list(map(list, rows)), index=pd.Index(list(names), dtype="str"), columns=list(columns), dtype="str"
    )
