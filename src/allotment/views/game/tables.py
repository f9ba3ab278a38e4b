"""The tables of the game: a team's rounds, the room's rounds, both halves side by side, and the facilitator's list of teams."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from allotment.lessons.game.outcome import PLAYED, Comparison, Effect, by_seat
from allotment.lessons.game.room import Phase, Room, team_name
from allotment.lessons.game.score import Played, total
from allotment.units import HOUR
from allotment.views.charts.groups import frame_of
from allotment.views.formats import NOTHING, count, gpu_hours, part, plain, wait
from allotment.views.game.told import choice_text, signed_points

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
