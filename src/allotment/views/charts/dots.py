"""What does a figure come to in each of a few settings? Every seed is a dot, and a line stands at their median."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Any

import numpy as np

from allotment.experiment.measures import Unit
from allotment.units import DAY, HOUR, MINUTE
from allotment.views.charts.groups import frame_of
from allotment.views.charts.picture import Axis, Key, Layer, Picture
from allotment.views.charts.waits import TICKS
from allotment.views.formats import NOTHING, count, gpu_hours, part, plain, wait
from allotment.views.theme import INK, WHITE

ROW = 46  # pixels for a setting
WRITE: Mapping[Unit, Callable[[float], str]] = {
    "s": wait,
    "ratio": part,
    "GPU-hours": gpu_hours,
    "count": lambda number: count(round(number)),
    "base 100": lambda number: f"{number:.0f}",
}
DOT: Mapping[str, Any] = {"fill_color": WHITE, "line_color": INK, "fill_alpha": 0.6, "size": 9}
LINE: Mapping[str, Any] = {"line_color": INK, "line_width": 4}
SHORTEST = 0.8  # seconds, on an axis of waits
STEPS = (
    1,
    10,
    MINUTE,
    5 * MINUTE,
    10 * MINUTE,
    30 * MINUTE,
    HOUR,
    2 * HOUR,
    6 * HOUR,
    12 * HOUR,
    DAY,
    2 * DAY,
)  # between waits
MANY = 30  # times the smallest from where on waits are on a logarithmic axis


def dots(title: str, settings: Mapping[str, Sequence[float | None]], unit: Unit, *, label: str = "") -> Picture:
    """Return the picture of one figure in some settings, the first on top: a value a seed, None where a run has none.

    Waits that differ much are on a logarithmic axis, and none is drawn at the left edge. `label` says what the figure is.
    """
    rows = [(name, [float(value) for value in values if value is not None]) for name, values in settings.items()]
    write = WRITE[unit]
    known = [value for _, values in rows for value in values]
    log = unit == "s" and bool(known) and max(known) > MANY * max(min(known), 1.0)
    places = [len(rows) - 1.0 - at for at in range(len(rows))]
    middles = [(place, median(values)) for place, (_, values) in zip(places, rows, strict=True) if values]
    return Picture(
        title=title,
        layers=(
            Layer(
                name="seeds",
                mark="scatter",
                columns={
                    "x": [_at(value, log=log) for _, values in rows for value in values],
                    "y": [place for place, (_, values) in zip(places, rows, strict=True) for _ in values],
                    "value": np.array([write(value) for value in known], object),
                },
                style=DOT,
                hover=((label or "value", "value"),),
            ),
            Layer(
                name="medians",
                mark="segments",
                columns={
                    "x0": [_at(middle, log=log) for _, middle in middles],
                    "x1": [_at(middle, log=log) for _, middle in middles],
                    "y0": [place - 0.3 for place, _ in middles],
                    "y1": [place + 0.3 for place, _ in middles],
                },
                style=LINE,
            ),
        ),
        keys=(
            Key(name="seeds", mark="scatter", style=DOT, text="a seed"),
            Key(name="medians", mark="segments", style=LINE, text="the median of them"),
        ),
        x=_axis(known, label, write, log=log),
        y=Axis(
            low=-0.6,
            high=len(rows) - 0.4,
            ticks=[(place, plain(name)) for place, (name, _) in zip(places, rows, strict=True)],
        ),
        summary=_summary(rows, label or title, write),
        table=frame_of(
            {plain(name): _cells(values, write) for name, values in rows}, ["median", "least", "most", "seeds"]
        ),
        height=ROW * max(2, len(rows)) + 80,
    )


def _at(value: float, *, log: bool) -> float:
    return max(value, 1.0) if log else value


def _axis(known: Sequence[float], label: str, write: Callable[[float], str], *, log: bool) -> Axis:
    if log:
        most = 2 * max(known)
        marks = [tick for tick in TICKS if tick[0] <= most]
        return Axis(label=label, scale="log", low=SHORTEST, high=max(most, 10.0), ticks=marks, grid=True)
    most = max([*known, 0.0]) or 1.0
    least = min([*known, 0.0])
    room = 0.06 * (most - least)
    ticks: list[tuple[float, str]] = [
        (at, write(at) if at else "0") for at in _marks(least, most, STEPS if write is wait else ())
    ]
    return Axis(label=label, low=least - room, high=most + room, ticks=ticks, grid=True)


def _marks(least: float, most: float, steps: Sequence[float]) -> list[float]:
    """Return at most seven round numbers between two ends, so far apart as one of the steps, or as 1, 2 or 5 times a power of ten.

    >>> _marks(0, 9.2 * 3600, STEPS)
    [0.0, 7200.0, 14400.0, 21600.0, 28800.0]
    >>> _marks(-0.1, 0.34, ())
    [-0.1, 0.0, 0.1, 0.2, 0.3]
    >>> _marks(0, 0.98, ())
    [0.0, 0.2, 0.4, 0.6, 0.8]
    """
    widest = most - least
    if widest > 7 * max(steps, default=0):
        power = 10.0 ** np.floor(np.log10(widest))
        steps = [step * power for step in (0.1, 0.2, 0.5, 1.0, 2.0)]
    step = next(step for step in steps if widest / step <= 6.5)
    first, last = int(np.ceil(least / step - 1e-9)), int(np.floor(most / step + 1e-9))
    return [round(float(at * step), 9) for at in range(first, last + 1)]


def _cells(values: Sequence[float], write: Callable[[float], str]) -> list[str]:
    if not values:
        return [NOTHING, NOTHING, NOTHING, "0"]
    return [write(median(values)), write(min(values)), write(max(values)), str(len(values))]


def _summary(rows: Sequence[tuple[str, Sequence[float]]], label: str, write: Callable[[float], str]) -> str:
    said = [f"{plain(name)}: {write(median(values)) if values else NOTHING}" for name, values in rows]
    text = f"{plain(label)}, the median over seeds; {'; '.join(said)}"
    return f"{text[:1].upper()}{text[1:]}."
