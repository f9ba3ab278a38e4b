"""What the facilitator's screen draws: debug sessions in time, work, and what each team did to the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from allotment.lessons.game.outcome import CHANCE, Effect
from allotment.lessons.game.score import Played, total
from allotment.lessons.game.setting import POLICIES
from allotment.units import HOUR
from allotment.views.charts.groups import frame_of
from allotment.views.charts.hatching import hatched
from allotment.views.charts.picture import Axis, Key, Layer, Picture
from allotment.views.charts.runs import DASHED
from allotment.views.formats import NOTHING, gpu_hours, part, plain, short
from allotment.views.game.told import RULES, signed_points
from allotment.views.theme import INK, NEUTRAL, PALETTE, QUIET, WHITE, tint

Halves = Sequence[Sequence[Played]]
LINES: tuple[dict[str, Any], ...] = (
    {"line_color": INK, "line_width": 3, "line_dash": DASHED},
    {"line_color": INK, "line_width": 3},
)
DOTS: tuple[dict[str, Any], ...] = (
    {"fill_color": WHITE, "line_color": INK, "line_width": 2, "size": 9},
    {"fill_color": INK, "line_color": INK, "size": 9},
)
ROW = 30  # pixels for a team


def in_time(halves: Halves, rounds: int) -> Picture:
    """Return the picture of the part of the debug sessions that started within 15 minutes, round by round."""

    def read(played: Played) -> float:
        of = total(played.scores)
        return of.in_time / len(of.waits) if of.waits else 1.0

    ticks = ((0.0, "0"), (0.5, "50 %"), (1.0, "100 %"))
    return _by_round(
        "Debug sessions that started within 15 minutes",
        halves,
        rounds,
        read,
        part,
        Axis(low=0, high=1.08, ticks=ticks, grid=True),
    )


def work(halves: Halves, rounds: int) -> Picture:
    """Return the picture of the work that was done and kept, of an average team, round by round."""

    def read(played: Played) -> float:
        return total(played.scores).work / HOUR / len(played.scores)

    owed = next((played.capacity / HOUR / len(played.scores) for each in halves for played in each), 384.0)
    ticks = tuple((at * owed, gpu_hours(at * owed)) for at in (0.0, 0.5, 1.0))
    return _by_round(
        "Work done and kept, a team and day",
        halves,
        rounds,
        read,
        gpu_hours,
        Axis(low=0, high=1.12 * owed, ticks=ticks, grid=True),
    )


def _by_round(
    title: str, halves: Halves, rounds: int, read: Callable[[Played], float], write: Callable[[float], str], y: Axis
) -> Picture:
    names = [RULES[policy] for policy in POLICIES]
    values = [[read(played) for played in halves[half]] if half < len(halves) else [] for half in range(len(names))]
    layers = []
    for half, found in enumerate(values):
        place = {"x": np.arange(1, len(found) + 1, dtype=np.float64), "y": np.array(found, np.float64)}
        layers.append(Layer(name=f"line {half}", mark="curve", columns=place, style=LINES[half]))
        said = {
            "round": np.array([str(at + 1) for at in range(len(found))], object),
            "value": np.array([write(value) for value in found], object),
        }
        layers.append(
            Layer(
                name=f"dots {half}",
                mark="scatter",
                columns={**place, **said},
                style=DOTS[half],
                hover=(("round", "round"), ("value", "value")),
            )
        )
    return Picture(
        title=title,
        layers=tuple(layers),
        keys=tuple(Key(name=name, mark="curve", style=LINES[half], text=name) for half, name in enumerate(names)),
        x=Axis(
            label="round", low=0.6, high=rounds + 0.4, ticks=tuple((float(at), str(at)) for at in range(1, rounds + 1))
        ),
        y=y,
        summary=_said(title, names, values, write),
        table=frame_of(
            {
                f"round {at + 1}": [write(found[at]) if at < len(found) else NOTHING for found in values]
                for at in range(max(map(len, values)))
            },
            names,
        ),
        height=300,
    )


def _said(title: str, names: Sequence[str], values: Sequence[Sequence[float]], write: Callable[[float], str]) -> str:
    said = [
        f"under the {name} {write(found[0])} in round 1"
        + (f" and {write(found[-1])} in round {len(found)}" if len(found) > 1 else "")
        for name, found in zip(names, values, strict=True)
        if found
    ]
    return f"{title}: {'; '.join(said)}." if said else f"{title}: no round is over yet."


GREY: dict[str, Any] = {"fill_color": tint(NEUTRAL, 0.22), "line_color": None}
GAIN: dict[str, Any] = {"fill_color": PALETTE[0], "line_color": INK}
COST: dict[str, Any] = {"fill_color": WHITE, "line_color": INK, **hatched(NEUTRAL)}


def effects(
    names: Sequence[str], found: Sequence[Effect], half: int, rounds: int = 1, reach: float = 0.0, when: str = ""
) -> Picture:
    """Return the picture of what each team gained by its choices and what the others lost by them, in order of seats.

    `rounds` is of how many rounds; `reach` (points) how far the axis goes at the least, so that two halves can be compared.
    What lies in the grey may be chance.
    """
    rules, when = RULES[POLICIES[half]], when or f"in {rounds} rounds"
    at = np.arange(len(names), dtype=np.float64)[::-1]
    gained, lost = (np.array([getattr(each, name) for each in found]) for name in ("gained", "points"))
    most = 1.15 * max(reach, reach_of(found), 1.5 * CHANCE * rounds)
    cells = {
        plain(name): [signed_points(mine), signed_points(theirs)]
        for name, mine, theirs in zip(names, gained, lost, strict=True)
    }
    said = {
        "team": np.array(list(cells), object),
        "gained": np.array([each[0] for each in cells.values()], object),
        "lost": np.array([each[1] for each in cells.values()], object),
    }

    def bars(name: str, ends: Any, up: float, style: dict[str, Any]) -> Layer:
        place = {"left": np.minimum(ends, 0), "right": np.maximum(ends, 0)}
        place |= {"bottom": at + up - 0.17, "top": at + up + 0.17}
        hover = (("team", "team"), ("gained itself", "gained"), ("others lost", "lost"))
        return Layer(name=name, mark="rectangles", columns={**place, **said}, style=style, hover=hover)

    low, high = -0.6, len(names) - 0.4
    chance = {"left": [-CHANCE * rounds], "right": [CHANCE * rounds], "bottom": [low], "top": [high]}
    nothing = {"x0": [0.0], "x1": [0.0], "y0": [low], "y1": [high]}
    return Picture(
        title=f"Gained and taken: {rules}",
        layers=(
            Layer(name="chance", mark="rectangles", columns=chance, style=GREY),
            bars("gained", gained, 0.18, GAIN),
            bars("lost", lost, -0.18, COST),
            Layer(name="nothing", mark="segments", columns=nothing, style={"line_color": QUIET}),
        ),
        keys=(
            Key(name="gained", mark="rectangles", style=GAIN, text="gained itself"),
            Key(name="lost", mark="rectangles", style=COST, text="lost by all others"),
            Key(name="chance", mark="rectangles", style=GREY, text="may be chance"),
        ),
        x=Axis(label=f"points {when}, set against being careful", low=-most, high=most, ticks=_ticks(most), grid=True),
        y=Axis(
            low=-0.7,
            high=len(names) - 0.3,
            ticks=[(float(place), short(name, 22)) for place, name in zip(at, names, strict=True)],
        ),
        summary=_effects_said(names, gained, lost, f"{when} under the {rules}", CHANCE * rounds),
        table=frame_of(cells, ["gained itself, points", "others lost, points"]),
        height=ROW * len(names) + 110,
    )


def reach_of(found: Sequence[Effect]) -> float:
    """Return the largest effect, either way (points)."""
    return max((max(abs(each.gained), abs(each.points)) for each in found), default=0.0)


def _ticks(most: float) -> tuple[tuple[float, str], ...]:
    end = float(round(most / 1.15))
    return tuple((at, signed_points(at)) for at in (-end, 0.0, end))


def _effects_said(names: Sequence[str], gained: Any, lost: Any, when: str, chance: float) -> str:
    clear = int(np.count_nonzero(np.abs(lost) > chance))
    if not clear:
        return f"No team did more to the others {when} than chance does (up to {chance:.0f} points)."
    worst = int(np.argmax(np.abs(lost)))
    return (
        f"What {clear} of {len(names)} teams did to the others {when} is more than chance. Most by {plain(names[worst])}: "
        f"the others lost {signed_points(lost[worst])} points, itself gained {signed_points(gained[worst])}."
    )
