"""An answer to "why?" as text, on a terminal as on a page: what a job asked, what it waited for, and what would have changed it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pandas as pd

from allotment.explain.answer import Why
from allotment.explain.fates import WhatIf
from allotment.explain.reasons import Reason
from allotment.explain.what_if import OF_OTHERS
from allotment.formats import count, gpu_hours, moment, part, plain, points, signed, wait
from allotment.units import HOUR, MINUTE

MOST_STOPS = 3
CAUSES = ("time", "of it", "times")
WHAT_IF = ("first wait", "all waiting", "done", "others, together", "of them, later")
PRICE = (
    "first wait: until it first starts. all waiting: after stops, too. done: how much sooner it is, or for a job that was not done how much more of its work was, in points. others: how much longer all other jobs have waited by the time that this one is done, and how many have by a minute. A busy "
    "cluster answers to every small change, so a small price may be chance."
)
WORDS = (
    "claim: its GPUs times its minimum runtime. funded: the claim fits in what is left of the budget. protected: inside its minimum runtime, so that "
    "nobody stops it. past its contract: charged, but to be stopped for work with a better rank. charged to nobody: runs until funded work "
    "wants its GPUs."
)
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
    behind = [] if found.behind is None else [f"Job {found.behind[0]} in turn: {found.behind[1].sentence}"]
    lines = {
        "why": " ".join([found.why.sentence, *behind]),
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
    since = "" if found.at is None else f", from {moment(found.at)} on"
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
    submitted = each.instead is not None and each.instead.code in ("cannot_claim", "cannot_keep")
    return each.change.sentence + (", from its submission on" if submitted else "")


def remarks(found: Why) -> list[str]:
    """Return what could not be otherwise at the moment that was asked about, and why something is from another on."""
    told = [*found.cannot, *(each.instead for each in found.what_if if each.instead is not None)]
    return list(dict.fromkeys(each.sentence for each in told))


def cause(found: Why) -> str:
    """Return in a line or two why it was late: what it waited for or was stopped by, and what that comes to."""
    if found.why is None:
        late = any(each.reason.code != "next_pass" for each in found.causes)
        return "" if late else "Nothing kept it: at most it waited for the next pass of the scheduler."
    return " ".join([now(found)["why"], *(each.sentence for each in found.came_to)])


def remedy(found: Why) -> str:
    """Return the cheapest remedy with what it does and its price, or that there is none; empty where that was not asked."""
    if not found.what_if:
        return ""
    best, less = found.remedy, found.cheaper
    if best is None or best.change.code in OF_OTHERS:
        return " ".join(_none_of_its_user(found, best))
    told = [_effect(best, found)]
    if not best.halves:
        told.append("Nothing that its user could ask for would have halved the delay.")
    if less is not None:
        told.append(f"Cheaper, but it helps less: {_effect(less, found)}")
    return " ".join(told)


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
    )


def _of_work(each: WhatIf) -> str:
    """Return how much more of its work would have been done, of a job that was not done in both runs."""
    if each.done_sooner is not None:
        return ""
    return f"{points(abs(each.done_more))} {'more' if each.done_more > 0 else 'less'} of its work done"


def _price(each: WhatIf) -> str:
    machines = "the machines" if each.change.code == "if_nodes" else ""
    if each.others_wait is None:
        return "not known, as all of the run is another"
    if each.others_wait >= MINUTE:
        later = f"{count(each.others_later)} of them by a minute or more"
        waits = f"other jobs wait {wait(each.others_wait)} longer together, {later}"
        return f"{machines}, and {waits}" if machines else waits
    if each.others_later:
        much = "as long together" if each.others_wait > -MINUTE else f"{wait(-each.others_wait)} less together"
        waits = f"other jobs wait {much}, though {count(each.others_later)} of them a minute or more longer"
        return f"{machines or 'none on the whole'}; {waits}"
    return machines or "none: no other job waits longer"


def _row(each: WhatIf) -> list[str]:
    first = wait(each.wait) if each.started else f"> {wait(each.wait)}"
    others = (
        "-" if each.others_wait is None else signed(each.others_wait, wait) if abs(each.others_wait) >= 60 else "same"
    )
    return [first, wait(each.queued), _done(each), others, count(each.others_later)]


def _done(each: WhatIf) -> str:
    if (sooner := each.done_sooner) is not None:
        return "same" if abs(sooner) < MINUTE else f"{wait(abs(sooner))} {'sooner' if sooner > 0 else 'later'}"
    return "same" if abs(each.done_more) < 0.001 else signed(each.done_more, points)


def _table(columns: Sequence[str], names: Sequence[str], rows: Sequence[Sequence[str]]) -> pd.DataFrame:
    return pd.DataFrame(
        list(map(list, rows)), index=pd.Index(list(names), dtype="str"), columns=list(columns), dtype="str"
    )
