"""The sentences: one template for each code, which names the parameters it shows and how each is written.

Another language is another mapping of the same codes. A template holds no number; whatever it shows stands in the reason.
"""

from __future__ import annotations

import string
from collections.abc import Mapping
from typing import Any

from allotment import formats
from allotment.units import HOUR

FORCED = "at the latest at {latest:moment}, when what is past its contract there must yield, unless a node fails"
LAST = "Job {last} of {team:name} may stand there longest."
LOAN = "; or sooner by a loan of {budget:name}, while no other team of that wants it"
VARIANTS = (
    "late",
    "clear",
    "open",
    "overdue",
    "kept",
    "lent",
)  # parameters that choose another template, where they are set
ENGLISH: Mapping[str, str] = {
    # what a job waits for, from one pass to the next
    "next_pass": "It waits for the scheduler's next pass, at most {cycle:wait} away.",
    "no_contract": "It asks no minimum runtime, so it is never funded: it runs only on GPUs that no funded work wants.",
    "too_large": "Its claim of {claim:hours} ({gpus:gpus} for {min_runtime:wait}) is more than {level:name} could ever be entitled to, which is "
    "{entitled:hours} now. It can never be funded and runs only on GPUs that nobody else wants.",
    "too_large_now": "Its claim of {claim:hours} ({gpus:gpus} for {min_runtime:wait}) is more than all that {level:name} is entitled to so "
    "far ({entitled:hours}). Until that has grown it is not funded and runs only on GPUs that nobody else wants.",
    "headroom": "Its claim of {claim:hours} ({gpus:gpus} for {min_runtime:wait}) does not fit in the {left:hours} that "
    "{level:name} has left of its budget: {ratio:part} of {entitled:hours} is used or promised.",
    "headroom_kept": "Its claim of {claim:hours} ({gpus:gpus} for {min_runtime:wait}) does not fit in the {left:hours} that {level:name} "
    "has left for it: {ratio:part} of its budget of {entitled:hours} is used or promised, and {kept:hours} are kept for claims of at most {short:wait}.",
    "overdrawn_kept": "Its claim of {claim:hours} ({gpus:gpus} for {min_runtime:wait}) is not funded: {ratio:part} of the {entitled:hours} of "
    "{level:name} is used or promised, and what is left is kept for claims of at most {short:wait}.",
    "overdrawn": "Its claim of {claim:hours} ({gpus:gpus} for {min_runtime:wait}) is not funded: {level:name} has nothing left of its "
    "budget, as {ratio:part} of {entitled:hours} is used or promised.",
    "nothing_entitled": "It is not funded: {level:name} is entitled to nothing now, so it runs only on GPUs that no funded work wants.",
    "saving": "Its team, {team:name}, saves up for job {other}, an older and larger claim; until that starts, only claims "
    "like that one and short ones are funded in the team.",
    "slot_limit": "With its {gpus:gpus} {level:name} would hold more than its limit: it has {held:count} of {limit:count}.",
    "behind": "Job {other} of its own team, {team:name}, asks for the same and comes first.",
    "behind_first": "Job {other} of its own team, {team:name}, comes first; by this policy only the first of a team is looked at.",
    "behind_rank": "Job {other} ranks before it and finds no room, and by this policy nothing starts behind that one.",
    "reserved": "What is free is reserved for job {other}, which is to start by {due:moment}; this job may run for {limit:wait}, "
    "which would delay it.",
    "holding": "It is funded and nodes are held for it until all are clear, which may be at {due:moment}.",
    "holding_overdue": "It is funded and nodes are held for it until all are clear, which is overdue since {due:moment}.",
    "held": "It is funded, but the GPUs that it could have are held for job {other}, which may start at {due:moment}; no "
    "contract that ends later may start there.",
    "held_overdue": "It is funded, but the GPUs that it could have are held for job {other}, which is overdue since {due:moment}; until that "
    "starts, no contract may start there.",
    "no_room": "It has no room: of {gpus:gpus} {room:count} can be had, and what runs is not for it to stop.",
    "no_room_funded": "It is funded, but has no room: of {gpus:gpus} {room:count} can be had. All else is protected, or past its contract but "
    "of its own team, or of one that has not used enough more than it to be displaced.",
    "fragment": "It has no room side by side: {room:gpus} can be had in all, but not {shape:shape} together.",
    "fragment_funded": "It is funded, and {room:gpus} can be had in all, but not {shape:shape} together.",
    "too_few_nodes": "It needs {shape:shape}, and fewer are in service.",
    "beyond_quota": "It may not be stopped, so it must stay within quotas: such work of {level:name} holds {held:count} of {limit:gpus}.",
    "beyond_fair_share": "Nothing is free for it, and to take GPUs from others {level:name} would have to stay within its fair "
    "{limit:gpus}; it holds {held:count} and this job needs {gpus:count}.",
    "unexplained": "It could have started and did not. That is a fault of the scheduler: please report it with this scenario.",
    # turn
    "turn_balance": "{level:name} has used or promised {ratio:part} of what it is owed: {rank:rank} of {siblings:count} in line.",
    "turn_use": "{level:name} has used {ratio:part} of what it is owed, charged or not: {rank:rank} of {siblings:count} teams in line.",
    "turn_nothing_owed": "{level:name} is owed nothing, so all that is owed something goes before it: {rank:rank} of {siblings:count} in line.",
    "turn_level_fair_share": "{level:name} had {used:part} of the GPU time for {share:part} of the shares: {rank:rank} of "
    "{siblings:count} in line.",
    "turn_fair_gpus": "{level:name} holds {held:count} of the {fair:gpus} that are fair for it now: {rank:rank} of {siblings:count} in line.",
    "turn_ahead": "{ahead:jobs} would be served before it, of {waiting:count} that wait.",
    "turn_first": "Nobody who waits would be served before it.",
    "turn_on_loan": "It is funded on loan: {level:name} has too little left, {budget:name} has enough, and no other team of that wants it now.",
    "turn_short": "{level:name} has too little left, but a claim of at most {short:wait} is judged by {budget:name} alone.",
    "turn_not_served": "As it is not funded, it is in line only for GPUs that are left over: {ahead:come} before it.",
    "last_started": "The last to start meanwhile was job {other} of {team:name} ({gpus:gpus}), at {time:moment}.",
    "last_funded": "The last to start meanwhile was job {other} of {team:name} ({gpus:gpus}), at {time:moment}: below {above:above}, "
    "{y:name} has used or promised {b:part} of what it is owed, {x:name} {a:part}.",
    "passed_by": "Job {other} started although job {job} ranks before it: it had room that job {job} could not use.",
    # A before B
    "before_holder": "Job {first} comes before job {second}: nodes are held for it.",
    "before_partition": "Job {first} comes before job {second}: it is funded, the other is not.",
    "before_balance": "Job {first} comes before job {second}: below {above:above}, {x:name} has used or promised {a:part} of what it is "
    "owed, {y:name} {b:part}.",
    "before_use": "Job {first} comes before job {second}: {x:name} has used {a:part} of what it is owed, charged or not, {y:name} {b:part}.",
    "before_priority": "Job {first} comes before job {second}: its priority is {a:priority}, the other's {b:priority}.",
    "before_age": "Job {first} comes before job {second}: submitted at {a:moment}, the other at {b:moment}.",
    "before_min_runtime": "Job {first} comes before job {second}: it asks {a:wait} of minimum runtime, the other {b:wait}.",
    "before_size": "Job {first} comes before job {second}: it asks {a:gpus}, the other {b:count}.",
    "before_retry": "Job {first} comes before job {second}: it was stopped {a:times}, the other {b:times}.",
    "before_level_fair_share": "Job {first} comes before job {second}: below {above:above}, {x:name} stands at {a:factor} (its part of "
    "the shares over its part of the use), {y:name} at {b:factor}; the higher is served first.",
    "before_fair_gpus": "Job {first} comes before job {second}: below {above:above}, {x:name} holds {a:count} of its fair {c:gpus}, "
    "{y:name} {b:count} of its {d:count}.",
    "before_id": "Job {first} comes before job {second}: all else being equal, the lower number goes first.",
    # room
    "room": "It needs {shape:shape}. Of {gpus:gpus} now {free:are} free (at most {most:count} on one node), "
    "{unallocated:count} run work charged to nobody, {interruptible:count} work past its contract, {protected:count} protected work.",
    "room_none": "It needs {shape:shape}. Of {gpus:gpus} now none is free: {unallocated:count} run work charged to nobody, "
    "{interruptible:count} work past its contract, {protected:count} protected work.",
    "room_plain": "It needs {shape:shape}. Of {gpus:gpus} now {free:are} free (at most {most:count} on one node), "
    "{interruptible:count} run work that somebody may stop, {protected:count} work that nobody may.",
    "room_plain_none": "It needs {shape:shape}. Of {gpus:gpus} now none is free: {interruptible:count} run work that somebody may stop, "
    "{protected:count} work that nobody may.",
    "room_held": "{held:gpus} are on nodes held for job {other}, due at {due:moment}.",
    "room_held_overdue": "{held:gpus} are on nodes held for job {other}, overdue since {due:moment}.",
    "room_draining": "{draining:gpus} are on nodes being emptied for repair.",
    "room_down": "{down:gpus} are out of service.",
    # next chance
    "next_pass_at": "The next pass, at {time:moment}.",
    "next_due": f"At the earliest at {{earliest:moment}}, when the last contract on its nodes ends, or when work there ends early; {FORCED}. {LAST}",
    "next_due_open": f"At any pass, as no contract runs on its nodes any more; {FORCED}. {LAST}",
    "next_due_clear": "At the next pass: nothing has to end on its nodes first.",
    "next_reserved": "By {due:moment} at the latest if every job keeps to its time limit; sooner when jobs end early.",
    "next_reserved_other": "Once job {other} has started, by {due:moment} if every job keeps to its limit, or when GPUs come free that are "
    "not reserved. No earlier time is known.",
    "next_contract": "From {time:moment} on, when contracts end where it could run; sooner if a job there ends early, later if its budget "
    "or its turn is gone by then.",
    "next_limit": "When a job ends where it could run; by their time limits from {time:moment} on, often sooner.",
    "next_window": "From about {time:moment} on, as old use leaves the window, if {level:name} starts nothing else; sooner if its "
    "protected jobs end early.",
    "next_window_lent": "From about {time:moment} on, as old use leaves the window, if {level:name} starts nothing else; sooner if its "
    f"protected jobs end early{LOAN}.",
    "next_window_late": "Not within the window of {window:wait}, unless protected jobs of {level:name} end early.",
    "next_window_late_lent": f"Not within the window of {{window:wait}}, unless protected jobs of {{level:name}} end early{LOAN}.",
    "next_after": "After job {other} has started, and no time is known for that.",
    "next_after_at": "After job {other} has started: for that one from {time:moment} on as things stand, sooner if jobs end early.",
    "next_after_due": f"After job {{other}} has started, which may be at {{due:moment}}; {FORCED}.",
    "next_after_overdue": f"After job {{other}} has started, which is overdue since {{due:moment}}; {FORCED}.",
    "next_after_overdue_late": "After job {other} has started, which is overdue since {due:moment}, so no time is known.",
    "next_overdue": f"At any pass: it is overdue since {{due:moment}}; {FORCED}. {LAST}",
    "next_overdue_clear": "At any pass: it is overdue since {due:moment}.",
    "next_overdue_late": "At any pass: it is overdue since {due:moment}, so no later time is known.",
    "next_own": "When work of {level:name} ends; by its time limits from {time:moment} on, often sooner.",
    "next_gap": "When GPUs are left over that no funded work wants: at any pass, or not for long. No time is known.",
    "next_fading": "Between about {time:moment} and {latest:moment}, as old use fades (it halves every {half_life:wait}), if {level:name} starts "
    "nothing else and what runs past its contract yields: the sooner, the sooner its protected jobs end. Later if that runs on.",
    "next_fading_lent": "Between about {time:moment} and {latest:moment}, as old use fades (it halves every {half_life:wait}), if {level:name} "
    f"starts nothing else and what runs past its contract yields; later if that runs on{LOAN}.",
    "next_repair": "Not before nodes are repaired: {shape:shape} would not come free on those that serve. When that is, nobody knows.",
    "next_limit_never": "Not under this limit: nothing of {level:name} runs that would have to end first.",
    # what it did instead of waiting
    "runs_protected": "It did not wait: it ran on {gpus:gpus}, protected by its contract until {until:moment}.",
    "runs_to_its_end": "It did not wait: it ran on {gpus:gpus}, and nobody might stop it.",
    "runs_interruptible": "It did not wait: it ran on {gpus:gpus}, its contract over: charged, and to be stopped for work with a better rank.",
    "runs_lower": "It did not wait: it ran on {gpus:gpus}, and work that comes before it might stop it.",
    "runs_unallocated": "It did not wait: it ran on {gpus:gpus}, charged to nobody, and would have yielded at once to any funded claim.",
    # all of its waiting, and of its stops
    "mostly": "That kept it for {seconds:wait}, {part:part} of the {waited:wait} that it waited in all.",
    "mostly_all": "That kept it for {seconds:wait}, nearly all the time that it waited.",
    "mostly_behind": "Standing behind others kept it for {seconds:wait}, {part:part} of the {waited:wait} that it waited in all.",
    "mostly_all_behind": "Standing behind others kept it for {seconds:wait}, nearly all the time that it waited.",
    "stopped_too": "It was also stopped {stops:often}; {lost:hours} of its work was lost by that.",
    "stopped_in_all": "In all it was stopped {stops:often}; {lost:hours} of its work was lost by that.",
    # stopped
    "stopped_unallocated_first": "Stopped for job {other} of {team:name}: it ran charged to nobody, and such work yields at once to any funded claim.",
    "stopped_balance": "Stopped for job {other} of {team:name}: its contract had been over for {past:wait}, and below {above:above}, {x:name} "
    "stood at {a:part} of what it is owed, that claim included, and {y:name} at {b:part}: more than the {margin:points} between them that this takes.",
    "stopped_short_claim": "Stopped for job {other} of {team:name}, which asked at most {short:wait}: its contract had been over for "
    "{past:wait}, and a short claim may take any such work of another team.",
    "stopped_hold_due": "Stopped for job {other} of {team:name}: its contract had been over for {past:wait}, and that job's nodes had been held as "
    "long as the longest contract.",
    "stopped_priority": "Stopped for job {other} of {team:name}, whose priority is {a:priority}; its own is {b:priority}.",
    "stopped_over_fair_share": "Stopped for job {other} of {team:name}: below {above:above}, {y:name} held more than its fair GPUs and its quota.",
    "stopped_over_quota": "Stopped for job {other} of {team:name}: below {above:above}, {y:name} held more than its quota, and {x:name} stayed "
    "within its own.",
    "stopped_failed": "Stopped when a node of it failed.",
    "stopped_drained": "Moved off a node that was emptied for repair; its contract was over, or it had none.",
    "stopped_urgent_repair": "Stopped for an urgent repair.",
    "stopped_lost": "{lost:hours} of work was lost, as it kept what it had at its last checkpoint.",
    "stopped_lost_all": "{lost:hours} of work was lost: all of that stretch.",
    "stopped_lost_none": "No work was lost.",
    "went_on": "It went on at {time:moment}, after {wait:wait}.",
    "given_up": "It was given up after that stop.",
    "not_again": "It did not go on before the run ended.",
    # what would change it
    "if_gpus": "{gpus:gpus} for {work:wait}, not {old:count} for {old_work:wait}",
    "if_min_runtime": "minimum runtime {min_runtime:wait}, not {old:asked}",
    "if_no_contract": "no minimum runtime, not {old:wait}",
    "if_limit": "a time limit of {limit:wait}, not {old:wait}",
    "if_priority": "marked {priority:priority}, not {old:priority}",
    "if_share": "{level:name} with {share:part} of {above:name}, not {old:part}, from then on",
    "if_checkpoint": "checkpoints every {checkpoint:wait}, not {old:wait}",
    "if_resumable": "checkpoints every {checkpoint:wait}, not none",
    "if_saved": "a checkpoint at that moment",
    "if_saved_before": "a checkpoint at {time:moment}, when it was stopped",
    "if_nodes": "{nodes:nodes} more ({gpus:gpus}) in the cluster",
    "if_preset": "on the cluster {cluster:name} ({gpus:gpus}), all of the run",
    "if_member": "moved to {member:name} ({gpus:gpus})",
    "if_member_again": "moved to {member:name} ({gpus:gpus}), with the work that it had saved",
    # and why not from that moment on
    "cannot_claim": "At {time:moment} it ran: its GPUs and its contract were given by then. Another size or minimum runtime counts from its submission.",
    "because_short": "A claim of at most {short:wait} may use what budgets keep in reserve, and may take any other team's work that is past its contract.",
    "cannot_save": "It cannot save its work, so no checkpoint could be had at that moment.",
    "cannot_save_waiting": "At {time:moment} it held no GPUs, so there was no work to save: a checkpoint then would have changed nothing.",
    "as_they_went": "Other jobs that may run on several clusters go where they went, whatever changes.",
    "whole_run": "On another cluster, with the same jobs and GPUs of the same speed, all before that moment would have been otherwise too, and "
    "what comes when other work ends would have come at other times.",
}
MARKS = ("LOW", "NORMAL", "HIGH", "URGENT")


class Writer(string.Formatter):
    """Writes parameters as their templates say: times, GPU time, parts of a whole, counts and names."""

    def format_field(self, value: Any, format_spec: str) -> str:
        """Return a parameter as text; `format_spec` says what it is."""
        return WRITTEN[format_spec](value) if format_spec else f"{value}"


def _many(one: str, more: str) -> Any:
    return lambda number: f"{formats.count(number)} {one if number == 1 else more}"


def _rank(number: int) -> str:
    last = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th") if number % 100 not in (11, 12, 13) else "th"
    return f"{number}{last}"


def shape(text: str) -> str:
    """Return what a job needs side by side, from a text such as "8" (GPUs of one node) or "4x8" (whole nodes).

    >>> shape("8"), shape("4x8"), shape("1")
    ('8 GPUs on one node', '4 whole nodes of 8 GPUs', '1 GPU')
    """
    nodes, _, gpus = text.rpartition("x")
    if nodes:
        return f"{nodes} whole node{'s' if nodes != '1' else ''} of {gpus} GPUs"
    return "1 GPU" if gpus == "1" else f"{gpus} GPUs on one node"


WRITTEN: Mapping[str, Any] = {
    "wait": formats.wait,
    "asked": lambda seconds: formats.wait(seconds) if seconds else "none",
    "moment": formats.moment,
    "hours": lambda gpu_seconds: formats.gpu_hours(gpu_seconds / HOUR),
    "part": formats.part,
    "factor": lambda number: "infinity" if number is None else f"{number:.3g}",
    "count": formats.count,
    "are": lambda number: f"{formats.count(number)} {'is' if number == 1 else 'are'}",
    "gpus": _many("GPU", "GPUs"),
    "jobs": _many("job", "jobs"),
    "come": _many("job comes", "jobs come"),
    "nodes": _many("node", "nodes"),
    "times": _many("time", "times"),
    "often": lambda number: {1: "once", 2: "twice"}.get(number, f"{formats.count(number)} times"),
    "rank": _rank,
    "name": formats.plain,
    "above": lambda path: "the root" if path == "root" else formats.plain(path),
    "points": formats.points,
    "shape": shape,
    "priority": lambda level: MARKS[level - 1],
}


def sentence(code: str, parameters: Mapping[str, Any], templates: Mapping[str, str] = ENGLISH) -> str:
    """Return the sentence of a reason in the language of the templates.

    >>> sentence("next_pass", {"cycle": 30})
    "It waits for the scheduler's next pass, at most 30 s away."
    """
    varied = [f"{code}_{name}" for name in VARIANTS if parameters.get(name)]
    return Writer().vformat(templates[next((name for name in varied if name in templates), code)], (), parameters)
