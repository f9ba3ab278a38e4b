"""Who got what they were owed? An outlined bar for what each team was owed, filled as far as it was delivered."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from allotment.results.result import Result
from allotment.views.charts.groups import NOTHING_PICKED, Groups, Highlight, frame_of, of_team
from allotment.views.charts.picture import Axis, By, Key, Layer, Picture
from allotment.views.charts.runs import DASHED, Run, sentence, told
from allotment.views.formats import count, gpu_hours, part, plain, short
from allotment.views.theme import INK, NEUTRAL, WHITE

ENOUGH = 0.95
ROW = 26  # pixels for a bar
THICK = 0.36  # half a bar, of its row
COLUMNS = ["submitted", "owed", "delivered", "of owed, in all", "of owed, hour by hour", "got 95 % or more", "worst"]
Level = Literal["teams", "budgets"]
Rows = Sequence[Mapping[str, Any]]  # of the summary's `delivery`


def delivery(*results: Result, level: Level = "teams", highlight: Highlight = NOTHING_PICKED) -> Picture:
    """Return the picture of what teams, or the budgets above them, got of what they were owed, the worst served on top.

    Of two runs B gives the bars and their order, and A a dashed mark across each. Without contracts all that is held
    counts as delivered, so that it cannot be compared; the sentence says so.
    """
    runs = told(results)
    found = [_rows(run.result, level) for run in runs]
    ranked = sorted(found[-1], key=lambda row: row["team"], reverse=True)
    ranked.sort(key=lambda row: (-row["cumulative"], row["delivered_gpu_hours"]))
    groups, picked = Groups.of(runs[-1].result), of_team(runs[-1].result, highlight)
    rows = {
        f"{plain(name)}, {run.name}" if run.letter else plain(name): cells
        for run, of in zip(runs, found, strict=True)
        for name, cells in _cells(of)
    }
    for run in runs:
        rows[f"all {level}{', ' + run.name if run.letter else ''}"] = _all(run.result, level)
    count_of = len(ranked)
    return Picture(
        title="Budget delivery" if level == "teams" else "Budget delivery, by budget",
        layers=(
            *_bars(ranked, groups, picked),
            _before(found, ranked),
            *_line(count_of),
            *_figures(ranked),
        ),
        keys=_keys(runs),
        x=Axis(
            label="delivered, of what was owed",
            low=0,
            high=1.36,
            ticks=((0.0, "0"), (0.5, "50 %"), (1.0, "100 %")),
        ),
        y=Axis(
            low=-0.7,
            high=max(count_of, 1) + 0.2,
            ticks=[(float(at), short(name)) for at, name in enumerate(_short([row["team"] for row in ranked]))],
        ),
        summary=_summary(runs, level),
        table=frame_of(rows, COLUMNS),
        height=ROW * max(count_of, 2) + 85,
    )


def _rows(result: Result, level: Level) -> Rows:
    rows: Rows = result.delivered["delivery" if level == "teams" else "budget_delivery"]
    return rows


def _short(names: Sequence[str]) -> list[str]:
    """Return the last part of each path, or all of it where two end alike.

    >>> _short(["a/x", "b/x", "b/y"])
    ['a/x', 'b/x', 'y']
    """
    last = [name.rsplit("/", maxsplit=1)[-1] for name in names]
    seen = Counter(last)
    return [end if seen[end] == 1 else name for name, end in zip(names, last, strict=True)]


def _bars(ranked: Rows, groups: Groups, picked: Highlight) -> tuple[Layer, Layer]:
    middle = np.arange(len(ranked), dtype=np.float64)
    place = {"left": np.zeros(len(ranked)), "bottom": middle - THICK, "top": middle + THICK}
    names = [row["team"] for row in ranked]
    said = {
        "team": np.array([plain(name) for name in names], object),
        "owed": np.array([gpu_hours(row["owed_gpu_hours"]) for row in ranked], object),
        "delivered": np.array([gpu_hours(row["delivered_gpu_hours"]) for row in ranked], object),
        "share": np.array([part(row["cumulative"]) for row in ranked], object),
    }
    told_of = (("team", "team"), ("owed", "owed"), ("delivered", "delivered"), ("of owed", "share"))
    owed = Layer(
        name="owed",
        mark="rectangles",
        columns={**place, "right": np.ones(len(ranked)), "path": np.array(names, object), **said},
        style={"fill_color": WHITE, "line_color": INK},
        hover=told_of,
        pick=("team", "path"),
    )
    given = Layer(
        name="delivered",
        mark="rectangles",
        columns={
            **place,
            "right": [row["cumulative"] for row in ranked],
            "colour": np.array([groups.colour(name, picked) for name in names], object),
        },
        style={"fill_color": By("colour"), "line_color": INK},
    )
    return owed, given


def _before(found: Sequence[Rows], ranked: Rows) -> Layer:
    """Return what A delivered to each of the teams of B, as far as it was owed anything under A."""
    of_a = {row["team"]: row["cumulative"] for row in found[0]} if len(found) == 2 else {}
    there = [(of_a[row["team"]], at) for at, row in enumerate(ranked) if row["team"] in of_a]
    x = [share for share, _ in there]
    return Layer(
        name="A",
        mark="segments",
        columns={"x0": x, "x1": x, "y0": [at - 0.5 for _, at in there], "y1": [at + 0.5 for _, at in there]},
        style={"line_color": INK, "line_width": 3, "line_dash": DASHED},
    )


def _line(count_of: int) -> tuple[Layer, Layer]:
    return (
        Layer(
            name="enough",
            mark="segments",
            columns={"x0": [ENOUGH], "x1": [ENOUGH], "y0": [-0.7], "y1": [max(count_of, 1) - 0.4]},
            style={"line_color": INK, "line_width": 1.5, "line_dash": [3, 3]},
        ),
        Layer(
            name="word enough",
            mark="labels",
            columns={"x": [ENOUGH], "y": [max(count_of, 1) - 0.4], "text": ["95 %"]},
            style={"text_align": "center", "text_baseline": "bottom", "text_font_style": "bold"},
        ),
    )


def _figures(ranked: Rows) -> tuple[Layer, Layer]:
    """Return the figure behind each bar, and what marks those that are below the line."""
    middle = np.arange(len(ranked), dtype=np.float64)
    short = np.array([row["cumulative"] < ENOUGH for row in ranked], bool)
    text = [part(row["cumulative"]) for row in ranked]
    return (
        Layer(
            name="figures",
            mark="labels",
            columns={
                "x": np.full(len(ranked), 1.03),
                "y": middle,
                "text": np.array(text, object),
                "weight": np.array(["bold" if each else "normal" for each in short], object),
            },
            style={"text_font_style": By("weight")},
        ),
        Layer(
            name="below",
            mark="labels",
            columns={"x": np.full(int(short.sum()), 1.03), "y": middle[short], "text": ["▼"] * int(short.sum())},
            style={"x_offset": 54},
        ),
    )


def _keys(runs: Sequence[Run]) -> tuple[Key, Key, Key]:
    """Return outlined, filled, and dashed."""
    filled, dashed = (runs[-1].name, runs[0].name) if len(runs) == 2 else ("delivered", "")
    edged = {"line_color": INK, "line_width": 3, "line_dash": DASHED}
    return (
        Key(name="owed", mark="rectangles", style={"fill_color": WHITE, "line_color": INK}, text="owed"),
        Key(name="delivered", mark="rectangles", style={"fill_color": NEUTRAL, "line_color": INK}, text=filled),
        Key(name="A", mark="segments", style=edged, text=dashed),
    )


def _cells(of: Rows) -> list[tuple[str, list[str]]]:
    return [
        (
            row["team"],
            [
                *(gpu_hours(row[f"{name}_gpu_hours"]) for name in ("submitted", "owed", "delivered")),
                part(row["cumulative"]),
                part(row["hourly"]),
                "yes" if row["cumulative"] >= ENOUGH else "no",
                part(row["cumulative"]),
            ],
        )
        for row in of
    ]


def _of(result: Result, level: Level) -> Mapping[str, Any]:
    """Return what the summary says of all of them."""
    delivered: Mapping[str, Any] = result.delivered["delivered"]
    return delivered if level == "teams" else delivered["budgets"]


def _all(result: Result, level: Level) -> list[str]:
    rows = _rows(result, level)
    hours = [sum(row[f"{name}_gpu_hours"] for row in rows) for name in ("submitted", "owed", "delivered")]
    of = _of(result, level)
    at = f"{count(of['teams_at_95'])} of {count(of['teams'])}"
    return [*(gpu_hours(each) for each in hours), part(of["cumulative"]), part(of["hourly"]), at, part(of["worst"])]


def _summary(runs: Sequence[Run], level: Level) -> str:
    parts = []
    for run in runs:
        of = _of(run.result, level)
        if not of["teams"]:
            parts.append(f"{run.under} nobody was owed anything")
            continue
        text = (
            f"{run.under} {part(of['cumulative'])} of what {level} were owed was delivered, and "
            f"{count(of['teams_at_95'])} of {count(of['teams'])} got 95 % of theirs or more"
        )
        if not run.result.delivered["delivered"]["comparable"]:
            text += " (all that was held counts, as nothing is under contract, so it cannot be compared)"
        parts.append(text)
    return sentence(parts)
