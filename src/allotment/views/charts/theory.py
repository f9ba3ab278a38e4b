"""Is what people say so? A row a condition: every seed as a dot, the interval of their median, and what counts as true."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from allotment.lessons.card import Card, Predicts
from allotment.lessons.metrics import METRICS
from allotment.lessons.trial import Outcome, Tried
from allotment.lessons.verdict import Finding
from allotment.views.charts.groups import frame_of
from allotment.views.charts.picture import Axis, Key, Layer, Picture
from allotment.views.formats import NOTHING, gpu_hours, part, plain, points, signed, wait
from allotment.views.theme import INK, NEUTRAL, QUIET, WHITE, tint

ROW = 64  # pixels for a condition
WORDS: Mapping[Finding, str] = {
    Finding.HOLDS: "true here",
    Finding.FAILS: "not so here",
    Finding.OPEN: "not shown here",
}
WRITE: Mapping[str, Callable[[float], str]] = {"s": wait, "ratio": points, "GPU-hours": gpu_hours}
GREY: Mapping[str, Any] = {"fill_color": tint(NEUTRAL, 0.22), "line_color": None}
DOT: Mapping[str, Any] = {"fill_color": WHITE, "line_color": INK, "fill_alpha": 0.6, "size": 9}
THICK: Mapping[str, Any] = {"line_color": INK, "line_width": 4}
KEYS = (
    Key(name="true", mark="rectangles", style=GREY, text="counts as true"),
    Key(name="seeds", mark="scatter", style=DOT, text="a seed"),
    Key(name="intervals", mark="segments", style=THICK, text="interval of the median, 95 %"),
)


def theory(tried: Tried) -> Picture:
    """Return the picture of a belief that was put to the test, the first condition on top.

    A dot is the difference between the arms with one seed, or the figure itself where there is one arm; the thick line
    is the interval of their median. What lies in the grey counts as true.
    """
    card = tried.card
    write = _writer(card)
    rows = list(enumerate(reversed(tried.outcomes)))
    values = [value for _, outcome in rows for value in outcome.differences if value is not None]
    low, high = _ends(values, card)
    top = len(rows) - 0.3
    name = METRICS[card.metric].title
    return Picture(
        title=f"{card.id}: {tried.verdict.value}",
        layers=(
            _true(card, low, high, top),
            _nothing(top),
            _dots(rows, tried.seeds, write),
            *_intervals(rows),
            _names(rows, low),
        ),
        keys=KEYS,
        x=Axis(label=_label(card, name), low=low, high=high, ticks=_ticks(low, high, card, write), grid=True),
        y=Axis(low=-0.6, high=top),
        summary=_summary(tried, write),
        table=frame_of(
            {plain(each.condition): _cells(each, write) for each in tried.outcomes}, ["median", "interval", "so"]
        ),
        height=ROW * len(rows) + 90,
    )


def _writer(card: Card) -> Callable[[float], str]:
    pairs = len(card.conditions[0].arms) > 1
    size: Callable[[float], str] = part if card.relative or (card.unit == "ratio" and not pairs) else WRITE[card.unit]
    least = 1.0 if size is wait else 0.0  # a part of a second is nothing
    return lambda value: "0" if abs(value) <= least else signed(value, size) if pairs else size(value)


def _label(card: Card, name: str) -> str:
    return f"{name}, second arm less the first" if len(card.conditions[0].arms) > 1 else name


def _bounds(card: Card) -> tuple[tuple[float, float], ...]:
    """Return from where to where a difference counts as true."""
    by, far = card.threshold, np.inf
    return {Predicts.LESS: ((-far, -by),), Predicts.SAME: ((-by, by),), Predicts.MORE: ((by, far),)}[card.predicts]


def _ends(values: list[float], card: Card) -> tuple[float, float]:
    reach = [0.0, *values, *(end for span in _bounds(card) for end in span if np.isfinite(end))]
    low, high = min(reach), max(reach)
    room = 0.08 * (high - low)
    return low - room, high + room


def _true(card: Card, low: float, high: float, top: float) -> Layer:
    spans = [(max(begin, low), min(end, high)) for begin, end in _bounds(card)]
    return Layer(
        name="true",
        mark="rectangles",
        columns={
            "left": [begin for begin, _ in spans],
            "right": [end for _, end in spans],
            "bottom": [-0.6] * len(spans),
            "top": [top] * len(spans),
        },
        style=GREY,
    )


def _nothing(top: float) -> Layer:
    return Layer(
        name="nothing",
        mark="segments",
        columns={"x0": [0.0], "x1": [0.0], "y0": [-0.6], "y1": [top]},
        style={"line_color": QUIET},
    )


def _dots(rows: list[tuple[int, Outcome]], seeds: tuple[int, ...], write: Callable[[float], str]) -> Layer:
    found = [
        (value, at, seed)
        for at, outcome in rows
        for seed, value in zip(seeds, outcome.differences, strict=True)
        if value is not None
    ]
    return Layer(
        name="seeds",
        mark="scatter",
        columns={
            "x": [value for value, _, _ in found],
            "y": [float(at) for _, at, _ in found],
            "seed": np.array([str(seed) for _, _, seed in found], object),
            "difference": np.array([write(value) for value, _, _ in found], object),
        },
        style=DOT,
        hover=(("seed", "seed"), ("difference", "difference")),
    )


def _intervals(rows: list[tuple[int, Outcome]]) -> tuple[Layer, Layer]:
    """Return where each condition lies, as a line, and its median, across it."""
    shown = [(at - 0.2, outcome.lies) for at, outcome in rows if outcome.lies is not None]
    lines = {
        "intervals": [(lies.low, lies.high, y, y) for y, lies in shown],
        "medians": [(lies.median, lies.median, y - 0.1, y + 0.1) for y, lies in shown],
    }
    intervals, medians = (
        Layer(
            name=name,
            mark="segments",
            columns={place: [end[at] for end in ends] for at, place in enumerate(("x0", "x1", "y0", "y1"))},
            style=THICK,
        )
        for name, ends in lines.items()
    )
    return intervals, medians


def _names(rows: list[tuple[int, Outcome]], low: float) -> Layer:
    """Return the conditions and what they say, above their dots, where they have room however long they are."""
    return Layer(
        name="names",
        mark="labels",
        columns={
            "x": [low] * len(rows),
            "y": [at + 0.36 for at, _ in rows],
            "text": np.array([f"{plain(each.condition)}: {WORDS[each.finding]}" for _, each in rows], object),
        },
        style={"text_font_style": "bold", "x_offset": 4},
        outside=True,
    )


def _ticks(low: float, high: float, card: Card, write: Callable[[float], str]) -> Iterator[tuple[float, str]]:
    """Yield nothing, the smallest difference that matters, and the ends, as far as they do not stand on each other."""
    marks = [0.0, *(end for span in _bounds(card) for end in span if np.isfinite(end)), 0.92 * high, 0.92 * low]
    kept: list[float] = []
    for mark in marks:
        if low <= mark <= high and all(abs(mark - other) > 0.13 * (high - low) for other in kept):
            kept.append(mark)
    for mark in sorted(kept):
        yield mark, write(mark)


def _cells(outcome: Outcome, write: Callable[[float], str]) -> list[str]:
    if outcome.lies is None:
        return [NOTHING, NOTHING, WORDS[outcome.finding]]
    of = outcome.lies
    return [write(of.median), f"[{write(of.low)}, {write(of.high)}]", WORDS[outcome.finding]]


def _summary(tried: Tried, write: Callable[[float], str]) -> str:
    said = [
        f"{plain(each.condition)}: {WORDS[each.finding]}{'' if each.lies is None else f' ({write(each.lies.median)})'}"
        for each in tried.outcomes
    ]
    text = "; ".join(said)
    return f"{text[:1].upper()}{text[1:]}."
