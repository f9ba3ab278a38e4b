"""One run or two in a picture: A is dashed, B is solid, and both are black; alone, a run is solid."""

from __future__ import annotations

from collections.abc import Iterable

import attrs
import numpy as np

from allotment.results.result import Result
from allotment.views.charts.groups import Highlight
from allotment.views.charts.picture import Layer
from allotment.views.formats import moment, plain, short
from allotment.views.theme import INK, WHITE

DASHED = [6, 4]


@attrs.frozen
class Run:
    """A run and how it is told from the other one."""

    result: Result
    letter: str
    """A or B; empty where there is but one."""
    policy: str
    """By which policy it was decided."""

    @property
    def name(self) -> str:
        """What stands beside its line."""
        return f"{self.letter} {short(self.policy)}".strip()

    @property
    def under(self) -> str:
        """How a sentence about it begins."""
        return f"under {self.letter} ({self.policy})" if self.letter else f"under {self.policy}"


def told(results: Iterable[Result]) -> tuple[Run, ...]:
    """Return one run, or A and B. Raises ValueError for none and for more."""
    found = tuple(results)
    if not 1 <= len(found) <= 2:
        raise ValueError(f"a picture shows one run, or two side by side, not {len(found)}")
    letters = ("A", "B") if len(found) == 2 else ("",)
    return tuple(Run(result, letter, plain(result.policy)) for result, letter in zip(found, letters, strict=True))


def sentence(parts: Iterable[str]) -> str:
    """Return a sentence of parts that follow from one another.

    >>> sentence(["under A it was 5", "under B it was 6"])
    'Under A it was 5; under B it was 6.'
    """
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}."


def day_ticks(begin: int, end: int, most: int = 6) -> tuple[tuple[float, str], ...]:
    """Return round moments between two, each with how it is written: days, or hours where there are few days."""
    hour, day = 3_600, 86_400
    steps = (
        600,
        1800,
        hour,
        2 * hour,
        3 * hour,
        6 * hour,
        12 * hour,
        day,
        2 * day,
        5 * day,
        7 * day,
        14 * day,
        30 * day,
    )
    step = next((each for each in steps if (end - begin) / each < most), 100 * day)
    places = range(-(-begin // step) * step, end + 1, step)
    named = [(float(at), _tick(at, step)) for at in places]
    if named and not named[0][1].startswith("day"):
        named[0] = (named[0][0], moment(int(named[0][0])) if step < day else f"day {named[0][1]}")
    return tuple(named)


def _tick(at: int, step: int) -> str:
    day, hour, minute = at // 86_400, at % 86_400 // 3_600, at % 3_600 // 60
    if step >= 86_400:
        return str(day)
    return f"day {day}" if not (hour or minute) else f"{hour:02}:{minute:02}"


def time_line(picked: Highlight, bottom: float, top: float) -> Layer:
    """Return the line at the moment that is picked out, if any is."""
    at = [] if picked.time is None else [float(picked.time)]
    return Layer(
        name="moment",
        mark="segments",
        columns={"x0": at, "y0": [bottom] * len(at), "x1": at, "y1": [top] * len(at)},
        style={"line_color": INK, "line_width": 2},
    )


def warm_up(spans: Iterable[tuple[int, float, float]]) -> tuple[Layer, Layer, Layer]:
    """Return what greys the time that does not count, the line where it ends, and the word for it.

    `spans` say for each run until when (s), and between which heights.
    """
    there = [(float(until), bottom, top) for until, bottom, top in spans if until]
    ends, bottoms, tops = ([each[at] for each in there] for at in range(3))
    middles = [(bottom + top) / 2 for _, bottom, top in there]
    return (
        Layer(
            name="warm-up",
            mark="rectangles",
            columns={"left": [0.0] * len(there), "right": ends, "bottom": bottoms, "top": tops},
            style={"fill_color": WHITE, "fill_alpha": 0.62},
        ),
        Layer(
            name="end of warm-up",
            mark="segments",
            columns={"x0": ends, "x1": ends, "y0": bottoms, "y1": tops},
            style={"line_color": INK, "line_dash": [2, 3]},
        ),
        Layer(
            name="word warm-up",
            mark="labels",
            columns={"x": [end / 2 for end in ends], "y": middles, "text": np.array(["warm-up"] * len(there), object)},
            style={"text_color": INK, "text_align": "center", "text_font_style": "italic"},
        ),
    )
