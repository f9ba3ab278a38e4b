"""What the pages of the game say: sentences and tables of text. Every number comes out of a run."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from allotment.lessons.game.choice import Choice, High
from allotment.lessons.game.outcome import CHANCE, PLAYED, Comparison, Effect, by_seat
from allotment.lessons.game.room import Phase, Room, team_name
from allotment.lessons.game.score import IN_TIME, WORTH, Played, Score, total
from allotment.lessons.game.setting import CONTRACT, NODE, NODES, POLICIES, Setting
from allotment.units import HOUR, MINUTE
from allotment.views.charts.groups import frame_of
from allotment.views.formats import MINUS, NOTHING, count, gpu_hours, part, plain, wait

RULES = {"priority": "old rules (priorities)", "budgets": "new rules (budgets)"}
"""What the regimes are called in the room."""
HIGH = {High.NONE: "none", High.HALF: "half", High.ALL: "all"}


def explained(setting: Setting) -> str:
    """Return what a team has to know before the first round."""
    return (
        f"You are one of {setting.seats} teams that share {setting.gpus} GPUs. Each team is owed {NODES * NODE}. "
        "A round is one day.\n"
        "Your people ask for about 20 short debug sessions a day, and for trainings, day and night. "
        "Together all teams want more than there is.\n"
        f"You get 1 point for each debug session that starts within {IN_TIME // MINUTE} minutes, "
        f"and 1 point for each {WORTH} GPU-hours of work that is done and kept.\n"
        "In each round you choose three things. First under the old rules, then again under the new ones, with the same jobs."
    )


def questions(policy: str) -> tuple[tuple[str, str, str, tuple[tuple[object, str], ...]], ...]:
    """Return what a team is asked in a round: the name, the question, what it means under the policy, and the answers."""
    old = policy == POLICIES[0]
    hours = CONTRACT // HOUR
    return (
        (
            "high",
            "How many of your trainings do you mark HIGH?",
            "HIGH goes before NORMAL in the whole cluster, and stops NORMAL work that is in its way. "
            "Debug sessions are HIGH anyway."
            if old
            else "HIGH goes before NORMAL among your own jobs alone. Debug sessions are HIGH anyway.",
            ((0, "None"), (1, "Half of them"), (2, "All of them")),
        ),
        (
            "keep",
            f"Do you keep a node of {NODE} GPUs for your debug sessions?",
            "On a node that you have you need not queue. Between the sessions it has nothing to do, and nobody may take it."
            if old
            else f"Your budget pays for it, day and night. After {hours} hours others may take it, and you queue for it again.",
            ((False, "No, give the GPUs back after each session"), (True, "Yes, keep it")),
        ),
        (
            "most",
            "What do you ask for your trainings?",
            "The most is a time limit of a week, and “do not stop”."
            if old
            else f"A contract is the time in which nobody may stop a job. The most is {hours} hours. Your budget must have room for it.",
            ((False, "What each of them needs"), (True, "The most there is")),
        ),
    )


def choice_text(choice: Choice) -> str:
    """Return a choice in a few words.

    >>> choice_text(Choice()), choice_text(Choice(high=High.ALL, keep=True))
    ('careful', 'HIGH: all, node kept')
    """
    parts = [f"HIGH: {HIGH[choice.high]}"] if choice.high else []
    parts += ["node kept"] if choice.keep else []
    parts += ["asks the most"] if choice.most else []
    return ", ".join(parts) or "careful"


def status(room: Room, busy: str) -> str:
    """Return where the game stands, in one or two sentences."""
    rounds = room.setting.rounds
    if busy:
        return busy
    if room.phase is Phase.LOBBY:
        taken = sum(bool(seat.key) for seat in room.seats)
        return f"The game has not begun. {taken} of {room.setting.seats} seats are taken; bots play the others."
    if room.phase is Phase.ROUND:
        return f"Round {room.round} of {rounds}, {RULES[POLICIES[room.half]]}."
    if room.phase is Phase.BREAK:
        return f"The first half is over: {rounds} rounds under the {RULES[POLICIES[0]]}. Next come the same days again, under budgets."
    return "The game is over."


def waiting(room: Room) -> str:
    """Return who has still to choose."""
    here, late = len(room.people), len(room.waiting_for)
    if not here:
        return "Nobody is here yet; bots play all seats."
    if not late:
        return f"All {here} who are here have chosen."
    names = ", ".join(plain(team_name(room, seat)) for seat in room.waiting_for[:6])
    return f"{here - late} of {here} who are here have chosen. Missing: {names}{' and others' if late > 6 else ''}."


def of_round(played: Played, number: int) -> str:
    """Return what the room did in a round and what came of it, for everybody."""
    teams, all_of = len(played.scores), total(played.scores)
    marked = sum(choice.high > 0 for choice in played.choices)
    kept = sum(choice.keep for choice in played.choices)
    most = sum(choice.most for choice in played.choices)
    return (
        f"Round {number}: {marked} of {teams} teams marked trainings HIGH, {kept} kept a node, {most} asked the most. "
        f"{part(played.occupancy)} of the GPUs were held, {part(all_of.idle / played.capacity)} for nothing. "
        f"A team had {all_of.points / teams:.0f} points on average. {_waited(all_of)}"
    )


def _waited(score: Score) -> str:
    nine = score.wait(0.9)
    if nine is None:
        return "Nobody asked for a debug session."
    return f"9 in 10 debug sessions waited at most {wait(nine)}."


def of_team(played: Played, seat: int, number: int) -> str:
    """Return what a team had of a round."""
    score = played.scores[seat]
    idle = f" Your node had nothing to do for {gpu_hours(score.idle / HOUR)}." if score.idle > 0 else ""
    stopped = f" {score.stopped} times a job of yours was stopped for another." if score.stopped else ""
    return (
        f"Round {number}: you had {score.points:.0f} points. {score.in_time} of {len(score.waits)} debug sessions started in time, "
        f"and {gpu_hours(score.work / HOUR)} of work were done.{idle}{stopped}"
    )


def of_effect(effect: Effect, half: int, rounds: int) -> str:
    """Return what a team's choices in a half did to itself and to the others, set against having been careful."""
    under = f"Under the {RULES[POLICIES[half]]}"
    if effect.gained == effect.points == 0:
        return f"{under}, you were careful: your choices took nothing from anybody."
    had = "gained" if effect.gained >= 0 else "cost"
    took = "lost" if effect.points >= 0 else "gained"
    chance = CHANCE * rounds
    sure = "" if abs(effect.points) > chance else f" For the others, up to {chance:.0f} points may be chance."
    return (
        f"{under}, your choices {had} you {abs(effect.gained):.0f} points, "
        f"and the others together {took} {abs(effect.points):.0f}.{sure}"
    )


TEAM_COLUMNS = [
    "you chose",
    "points",
    "a team had on average",
    "in time",
    "9 in 10 waited at most",
    "work",
    "held for nothing",
]


def team_table(halves: Sequence[Sequence[Played]], seat: int) -> pd.DataFrame:
    """Return the rounds of a team, the latest first."""
    rows = {}
    for half, rounds in enumerate(halves):
        for number, played in enumerate(rounds, 1):
            score = played.scores[seat]
            rows[f"{_short(half)}, round {number}"] = [
                choice_text(played.choices[seat]),
                f"{score.points:.0f}",
                f"{total(played.scores).points / len(played.scores):.0f}",
                f"{score.in_time} of {len(score.waits)}",
                wait(score.wait(0.9)),
                gpu_hours(score.work / HOUR),
                gpu_hours(score.idle / HOUR),
            ]
    return frame_of(dict(reversed(rows.items())), TEAM_COLUMNS)


def _short(half: int) -> str:
    return ("old", "new")[half]


ROUND_COLUMNS = [
    *("marked HIGH", "teams that keep a node", "in time", "half waited at most", "9 in 10 waited at most"),
    *("work, a team", "held", "for nothing", "stopped", "lost", "points, a team"),
]


def round_cells(played: Played) -> list[str]:
    """Return the figures of a round of the whole room, in the order of `ROUND_COLUMNS`."""
    of, teams = total(played.scores), len(played.scores)
    return [
        part(of.high / of.jobs if of.jobs else None),
        count(sum(choice.keep for choice in played.choices)),
        part(of.in_time / len(of.waits) if of.waits else None),
        wait(of.wait(0.5)),
        wait(of.wait(0.9)),
        gpu_hours(of.work / HOUR / teams),
        part(played.occupancy),
        part(of.idle / played.capacity),
        count(of.stopped),
        gpu_hours(of.lost / HOUR),
        f"{of.points / teams:.0f}",
    ]


def rounds_table(halves: Sequence[Sequence[Played]]) -> pd.DataFrame:
    """Return one row a round, of the whole room."""
    rows = {
        f"{_short(half)}, round {number}": round_cells(played)
        for half, rounds in enumerate(halves)
        for number, played in enumerate(rounds, 1)
    }
    return frame_of(rows, ROUND_COLUMNS)


def comparison_table(comparison: Comparison) -> pd.DataFrame:
    """Return one row for each way to play the half, of an average round."""
    rows = {name: _mean_cells(rounds) for name, rounds in comparison.rows}
    return frame_of(rows, [name for name in ROUND_COLUMNS if name != "teams that keep a node"])


def _mean_cells(rounds: Sequence[Played]) -> list[str]:
    many = len(rounds)
    of, teams = total(by_seat(rounds)), len(rounds[0].scores)
    capacity = sum(played.capacity for played in rounds)
    return [
        part(of.high / of.jobs if of.jobs else None),
        part(of.in_time / len(of.waits) if of.waits else None),
        wait(of.wait(0.5)),
        wait(of.wait(0.9)),
        gpu_hours(of.work / HOUR / teams / many),
        part(sum(played.held for played in rounds) / capacity),
        part(of.idle / capacity),
        count(round(of.stopped / many)),
        gpu_hours(of.lost / HOUR / many),
        f"{of.points / teams / many:.0f}",
    ]


def compared(comparison: Comparison) -> dict[str, str]:
    """Return what each way to play came to, by its name, and what budgets cost."""
    said, price = {}, {}
    for name, rounds in comparison.rows:
        of, many = total(by_seat(rounds)), len(rounds) * len(rounds[0].scores)
        said[f"{name[:1].upper()}{name[1:]}"] = (
            f"{of.points / many:.0f} points a team and round; 9 in 10 debug sessions waited at most "
            f"{wait(of.wait(0.9))}; {gpu_hours(of.work / HOUR / many)} of work were done."
        )
        if name == PLAYED[1]:
            price["The price of budgets"] = (
                f"A team's jobs were stopped {of.stopped / many:.0f} times a round, "
                f"and {gpu_hours(of.lost / HOUR / many)} of its work were lost."
            )
    return said | price


EACH_COLUMNS = [
    f"{name}, {rules}"
    for name in ("points", "in time", "work", "gained itself", "others lost")
    for rules in ("old", "new")
]


def each_table(room: Room, comparison: Comparison) -> pd.DataFrame:
    """Return one row a team: what it had in each half, what its choices gained it, and what the others lost by them."""
    played = dict(comparison.rows)
    sums = [by_seat(played[name]) for name in PLAYED if name in played]
    rows = {}
    for seat in range(len(room.seats)):
        mine = [of[seat] for of in sums]
        effects = [of[seat] for of in comparison.effects]
        figures = (
            [f"{score.points:.0f}" for score in mine],
            [part(score.in_time / len(score.waits) if score.waits else None) for score in mine],
            [gpu_hours(score.work / HOUR) for score in mine],
            [signed_points(effect.gained) for effect in effects],
            [signed_points(effect.points) for effect in effects],
        )
        rows[plain(team_name(room, seat))] = [
            of[half] if half < len(of) else NOTHING for of in figures for half in range(len(PLAYED))
        ]
    return frame_of(rows, EACH_COLUMNS)


SEATS_COLUMNS = [
    *("here", "has chosen", "chose last", "points, last round", "points, this half", "9 in 10 waited at most", "work"),
    *("held for nothing", "others lost through it"),
]


def seats_table(
    room: Room, played: Sequence[Played], effects: Sequence[Sequence[Effect]], *, tell: bool
) -> pd.DataFrame:
    """Return one row a team, for the facilitator; `tell` says whether what it did to the others in the last round is shown."""
    rows = {}
    sums = by_seat(played) if played else ()
    for seat, each in enumerate(room.seats):
        who = "yes" if each.here else "has left: bot" if each.key else f"bot: {each.habit}"
        chosen = (
            NOTHING
            if room.phase is not Phase.ROUND or not each.here
            else "yes"
            if room.picks[seat] is not None
            else "no"
        )
        rows[plain(team_name(room, seat))] = [who, chosen, *([NOTHING] * 7)]
        if played:
            last = played[-1].scores[seat]
            cost = effects[-1][seat].points if tell else None
            rows[plain(team_name(room, seat))][2:] = [
                choice_text(played[-1].choices[seat]),
                f"{last.points:.0f}",
                f"{sums[seat].points:.0f}",
                wait(last.wait(0.9)),
                gpu_hours(last.work / HOUR),
                gpu_hours(last.idle / HOUR),
                NOTHING if cost is None else signed_points(cost),
            ]
    return frame_of(rows, SEATS_COLUMNS)


def signed_points(points: float) -> str:
    """Return points with their sign.

    >>> signed_points(-3.2) == f"{MINUS}3", signed_points(0.2), signed_points(12)
    (True, '0', '+12')
    """
    whole = round(points)
    return f"{MINUS}{-whole}" if whole < 0 else f"+{whole}" if whole else "0"
