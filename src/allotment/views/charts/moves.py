"""Who loses by a change, and who gains? A row for each team or kind of work, from before to after, losers first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import Literal

import attrs
import numpy as np

from allotment.experiment.measures import Unit
from allotment.views.charts.dots import WRITE
from allotment.views.charts.groups import frame_of
from allotment.views.charts.picture import Axis, By, Key, Layer, Picture
from allotment.views.formats import plain, points, short, signed
from allotment.views.theme import INK, QUIET, WHITE

ROW = 30  # pixels
LONGEST = 28  # letters of a name
LETTER = 7.2  # pixels
ABOVE = 0.8  # of a row, for the button that saves the picture
SAID = 3  # rows that the sentence names, on each side
Values = float | Sequence[float | None] | None
Better = Literal["less", "more"]
BEFORE = {"fill_color": WHITE, "line_color": INK, "line_width": 2, "size": 11}
AFTER = {"fill_color": INK, "line_color": INK, "line_width": 2, "size": 11}


@attrs.frozen
class _Row:
    """One row: medians over the seeds, and of the differences, taken seed by seed, the median, least and most."""

    name: str
    before: float
    after: float
    differences: tuple[float, ...]

    @property
    def by(self) -> float:
        return median(self.differences)

    @property
    def clear(self) -> bool:
        """Whether all seeds agree on the sign; one alone agrees with itself."""
        return min(self.differences) > 0 or max(self.differences) < 0


def moves(
    title: str,
    rows: Mapping[str, tuple[Values, Values]],
    unit: Unit,
    *,
    better: Better,
    label: str = "",
    sides: tuple[str, str] = ("before", "after"),
) -> Picture:
    """Return the picture of one figure before and after a change, by name; those who lose most are on top.

    Each row has a value before and after, or one a seed, in the same order: then the medians are drawn, differences are
    taken seed by seed, and are grey where the seeds do not agree on the sign. A row in which nothing is known on one side is
    left out. `better` says whether less or more of it is better, and `sides` what the two are called.
    """
    worse = -1.0 if better == "more" else 1.0
    found = [row for name, pair in rows.items() if (row := _row(name, *pair)) is not None]
    found.sort(key=lambda row: (-worse * row.by, row.name))
    write = WRITE[unit]
    said = [f"{write(row.after)} ({_by(row.by, unit)})" for row in found]
    places = [len(found) - 1.0 - at for at in range(len(found))]
    most = max([*(each for row in found for each in (row.before, row.after)), 0.0]) or 1.0
    marks = np.linspace(0.0, most, 5)
    columns = [*map(plain, sides), "difference", "least", "most", "seeds"]
    return Picture(
        title=title,
        layers=(
            Layer(
                name="moves",
                mark="segments",
                columns={
                    "x0": [row.before for row in found],
                    "x1": [row.after for row in found],
                    "y0": places,
                    "y1": places,
                },
                style={"line_color": INK, "line_width": 3},
            ),
            _ends("before", [row.before for row in found], places, BEFORE),
            _ends("after", [row.after for row in found], places, AFTER),
            Layer(
                name="texts",
                mark="labels",
                columns={
                    "x": np.full(len(found), 1.06 * most),
                    "y": places,
                    "text": np.array(said, object),
                    "colour": np.array([INK if row.clear else QUIET for row in found], object),
                },
                style={"text_color": By("colour"), "x_offset": 6},
                outside=True,
            ),
        ),
        keys=(
            Key(name="before", mark="scatter", style=BEFORE, text=plain(sides[0])),
            Key(name="after", mark="scatter", style=AFTER, text=plain(sides[1])),
        ),
        x=Axis(
            label=label,
            low=-0.04 * most,
            high=1.06 * most,
            ticks=[(float(at), write(float(at)) if at else "0") for at in marks],
            grid=True,
        ),
        y=Axis(
            low=-0.6,
            high=max(len(found), 1) - 0.4 + ABOVE,
            ticks=[(place, short(row.name, LONGEST)) for place, row in zip(places, found, strict=True)],
        ),
        summary=_summary(found, worse, unit, label or title),
        table=frame_of({plain(row.name): _cells(row, unit) for row in found}, columns),
        height=ROW * max(len(found), 2) + 90,
        right=round(LETTER * max(map(len, said), default=4)) + 16,
    )


def _row(name: str, before: Values, after: Values) -> _Row | None:
    pairs = [(a, b) for a, b in zip(_list(before), _list(after), strict=True) if a is not None and b is not None]
    if not pairs:
        return None
    return _Row(name, median(a for a, _ in pairs), median(b for _, b in pairs), tuple(b - a for a, b in pairs))


def _list(values: Values) -> list[float | None]:
    return list(values) if isinstance(values, Sequence) else [values]


def _ends(name: str, x: Sequence[float], y: Sequence[float], style: Mapping[str, object]) -> Layer:
    return Layer(name=name, mark="scatter", columns={"x": x, "y": y}, style=style)


def _by(difference: float, unit: Unit) -> str:
    return "0" if not difference else signed(difference, points if unit == "ratio" else WRITE[unit])


def _cells(row: _Row, unit: Unit) -> list[str]:
    write = WRITE[unit]
    ends = (_by(end(row.differences), unit) for end in (min, max))
    return [write(row.before), write(row.after), _by(row.by, unit), *ends, str(len(row.differences))]


def _summary(rows: Sequence[_Row], worse: float, unit: Unit, label: str) -> str:
    label = plain(f"{label[:1].upper()}{label[1:]}")
    if not rows:
        return f"{label}: nothing is known before and after."
    seeds = max(len(row.differences) for row in rows)
    clear = [row for row in rows if row.clear]
    lose = [row for row in clear if worse * row.by > 0]
    gain = [row for row in reversed(clear) if worse * row.by < 0]
    over = f", the median over {seeds} seeds where all of them agree" if seeds > 1 else ""
    return f"{label}{over}; worse: {_named(lose, unit)}; better: {_named(gain, unit)}."


def _named(rows: Sequence[_Row], unit: Unit) -> str:
    more = f" and {len(rows) - SAID} more" if len(rows) > SAID else ""
    return ", ".join(f"{plain(row.name)} ({_by(row.by, unit)})" for row in rows[:SAID]) + more or "nobody"
