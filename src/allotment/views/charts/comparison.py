"""What changes against a baseline? The figures of several scenarios, each as a dot, its value and its difference."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Any

import attrs
import numpy as np

from allotment.results.result import Result
from allotment.results.summary import Summary
from allotment.views.charts.groups import frame_of
from allotment.views.charts.picture import Axis, By, Layer, Picture
from allotment.views.formats import NOTHING, count, part, plain, points, short, signed, wait
from allotment.views.theme import GRID, INK, QUIET, WHITE

ROW = 19  # pixels
LETTER = 7.2  # pixels
SAID = 3  # differences of each scenario in the sentence
SMALL = 0.5  # below it a ratio is drawn from 0 to the largest, not to 1


@attrs.frozen
class _Figure:
    name: str
    read: Callable[[Summary], float | None]
    write: Callable[[float], str]
    log: bool = False


def _of(*place: str) -> Callable[[Summary], float | None]:
    def read(summary: Summary) -> float | None:
        found: Any = summary
        for step in place:
            if not isinstance(found, Mapping) or step not in found:
                return None
            found = found[step]
        return None if found is None else float(found)

    return read


def _comparable(*place: str) -> Callable[[Summary], float | None]:
    """Return what reads a figure of delivery or of waits where it can be compared at all."""
    read, flag = _of(*place), _of(*place[:-1], "comparable")
    return lambda summary: read(summary) if flag(summary) else None


def _count(number: float) -> str:
    return count(round(number))


FIGURES = (
    _Figure("delivered, of what teams were owed", _comparable("delivered", "cumulative"), part),
    _Figure("teams that got 95 % or more", _comparable("delivered", "teams_at_95"), _count),
    _Figure("worst served team got", _comparable("delivered", "worst"), part),
    _Figure("9 in 10 debug jobs wait less than", _comparable("wait", "debug", "p90"), wait, log=True),
    _Figure("9 in 10 of all comparable jobs wait less than", _of("wait_open", "p90"), wait, log=True),
    _Figure("slices displaced", _of("preemptions"), _count),
    _Figure("work lost, of occupied", _of("work_lost_share"), part),
    _Figure("unallocated, of occupied", _of("unallocated_share"), part),
    _Figure("occupied", _of("occupancy"), part),  # last, as it hardly tells scenarios apart
)


@attrs.frozen(kw_only=True)
class Measured:
    """What a comparison needs of a run, so that many can be kept without their tables."""

    seed: int
    summary: Summary

    @classmethod
    def of(cls, result: Result) -> Measured:
        """Return what is needed of a result."""
        return cls(seed=result.scenario.seed, summary=result.summary)


One = Result | Measured


@attrs.frozen(kw_only=True)
class _Cell:
    """One figure of one scenario: over its seeds the median, and of the paired differences median, least and most."""

    scenario: str
    value: float | None
    difference: float | None = None
    least: float = 0.0
    most: float = 0.0

    @property
    def clear(self) -> bool:
        """Whether all seeds agree on the sign."""
        return self.difference is not None and (self.least > 0 or self.most < 0)


def comparison(runs: Mapping[str, One | Sequence[One]], pinned: str | None = None) -> Picture:
    """Return the picture of some scenarios by name, against the one that is pinned, by default the first.

    Of each scenario one result, or one a seed; with the same seeds in the same order differences are taken seed by seed.
    Where the seeds do not agree on the sign of a difference, or there is none, it is grey. Raises ValueError where
    nothing is given, where the pinned one is not there, and where scenarios have different seeds.
    """
    results = {name: _measured([of] if isinstance(of, One) else of) for name, of in runs.items()}
    if not results or not all(results.values()):
        raise ValueError("a comparison needs at least one scenario, each with at least one result")
    base = next(iter(results)) if pinned is None else pinned
    if base not in results:
        raise ValueError(f"the baseline {base!r} is none of the scenarios {', '.join(map(repr, results))}")
    seeds = {name: [run.seed for run in of] for name, of in results.items()}
    if any(of != seeds[base] for of in seeds.values()):
        raise ValueError(f"scenarios are compared seed by seed, but their seeds differ: {seeds!r}")
    order = [base, *(name for name in results if name != base)]
    cells = {
        figure: [_cell(figure, name, results[name], results[base], is_base=name == base) for name in order]
        for figure in FIGURES
    }
    shown = {figure: of for figure, of in cells.items() if any(cell.value is not None for cell in of)}
    high = sum(len(of) + 1.3 for of in shown.values()) or 2.0
    texts = _texts(shown)
    return Picture(
        title=f"Scenarios against {plain(base)}",
        layers=(*_lines(shown), *_dots(shown), _heads(shown), texts),
        x=Axis(low=-0.03, high=1.05),
        y=Axis(low=-0.3, high=high, ticks=_ticks(shown)),
        summary=_summary(shown, len(seeds[base])),
        table=_table(shown, order, base, len(seeds[base])),
        height=round(ROW * high) + 60,
        right=round(LETTER * max(map(len, texts.columns["text"]), default=4)) + 16,
    )


def _measured(runs: Sequence[One]) -> list[Measured]:
    return [run if isinstance(run, Measured) else Measured.of(run) for run in runs]


def _cell(figure: _Figure, name: str, of: Sequence[Measured], base: Sequence[Measured], *, is_base: bool) -> _Cell:
    mine = [figure.read(result.summary) for result in of]
    theirs = [figure.read(result.summary) for result in base]
    known = [value for value in mine if value is not None]
    value = median(known) if known and len(known) == len(mine) else None
    pairs = [a - b for a, b in zip(mine, theirs, strict=True) if a is not None and b is not None]
    if is_base or len(pairs) != len(mine):
        return _Cell(scenario=name, value=value)
    return _Cell(scenario=name, value=value, difference=median(pairs), least=min(pairs), most=max(pairs))


Shown = Mapping[_Figure, Sequence[_Cell]]


def _heights(shown: Shown) -> list[tuple[_Figure, Sequence[_Cell], float]]:
    """Return each figure with the height of its heading above the lowest row."""
    found, at = [], sum(len(of) + 1.3 for of in shown.values())
    for figure, of in shown.items():
        found.append((figure, of, at - 0.75))
        at -= len(of) + 1.3
    return found


def _place(figure: _Figure, of: Sequence[_Cell], value: float) -> float:
    """Return where a value is drawn, from 0 to 1: each figure has a scale of its own."""
    most = max(cell.value for cell in of if cell.value is not None)
    if figure.log:
        return float(np.log(max(value, 1.0)) / max(np.log(max(most, 86_400.0)), 1.0))
    top = 1.0 if figure.write is part and SMALL <= most <= 1 else most
    return value / top if top else 0.0


def _rows(shown: Shown) -> list[tuple[_Figure, Sequence[_Cell], _Cell, float]]:
    return [
        (figure, of, cell, head - 1 - place) for figure, of, head in _heights(shown) for place, cell in enumerate(of)
    ]


def _lines(shown: Shown) -> tuple[Layer, Layer]:
    rows = _rows(shown)
    y = [at for *_, at in rows]
    moved = [(figure, of, cell, at) for figure, of, cell, at in rows if cell.difference is not None]
    ends = [
        (_place(figure, of, float(of[0].value or 0)), _place(figure, of, float(cell.value or 0)), at)
        for figure, of, cell, at in moved
        if of[0].value is not None and cell.value is not None
    ]
    return (
        Layer(
            name="rules",
            mark="segments",
            columns={"x0": np.zeros(len(y)), "x1": np.ones(len(y)), "y0": y, "y1": y},
            style={"line_color": GRID},
        ),
        Layer(
            name="moves",
            mark="segments",
            columns={
                "x0": [start for start, _, _ in ends],
                "x1": [end for _, end, _ in ends],
                "y0": [at for *_, at in ends],
                "y1": [at for *_, at in ends],
            },
            style={"line_color": INK, "line_width": 3},
        ),
    )


def _dots(shown: Shown) -> tuple[Layer, Layer]:
    layers = []
    for name, fill in (("baseline", WHITE), ("others", INK)):
        rows = [
            (_place(figure, of, cell.value), at)
            for figure, of, cell, at in _rows(shown)
            if cell.value is not None and (cell is of[0]) == (name == "baseline")
        ]
        layers.append(
            Layer(
                name=name,
                mark="scatter",
                columns={"x": [x for x, _ in rows], "y": [y for _, y in rows]},
                style={"size": 11, "fill_color": fill, "line_color": INK, "line_width": 2},
                outside=True,
            )
        )
    return layers[0], layers[1]


def _heads(shown: Shown) -> Layer:
    heads = [(figure.name, at) for figure, _, at in _heights(shown)]
    return Layer(
        name="heads",
        mark="labels",
        columns={
            "x": np.zeros(len(heads)),
            "y": [at for _, at in heads],
            "text": np.array([name for name, _ in heads], object),
        },
        style={"text_font_style": "bold"},
        outside=True,
    )


def _texts(shown: Shown) -> Layer:
    """Return what stands behind each row: the value, and by how much it differs."""
    rows = _rows(shown)
    return Layer(
        name="texts",
        mark="labels",
        columns={
            "x": np.full(len(rows), 1.05),
            "y": [at for *_, at in rows],
            "text": np.array([_said(figure, cell) for figure, _, cell, _ in rows], object),
            "colour": np.array(
                [INK if cell.clear or cell.difference is None else QUIET for _, _, cell, _ in rows], object
            ),
        },
        style={"text_color": By("colour"), "x_offset": 6},
        outside=True,
    )


def _said(figure: _Figure, cell: _Cell) -> str:
    value = NOTHING if cell.value is None else figure.write(cell.value)
    return value if cell.difference is None else f"{value} ({_differs(figure, cell.difference)})"


def _differs(figure: _Figure, difference: float) -> str:
    return "0" if not difference else signed(difference, points if figure.write is part else figure.write)


def _ticks(shown: Shown) -> list[tuple[float, str]]:
    return [(at, short(cell.scenario)) for _, _, cell, at in _rows(shown)]


def _table(shown: Shown, order: Sequence[str], base: str, seeds: int) -> Any:
    """Return the figures, and of several seeds from which difference to which; one seed has no interval."""
    columns = [plain(base)]
    for name in order[1:]:
        columns += [plain(name), f"{plain(name)}: difference"]
        columns += [f"{plain(name)}: least and most of {seeds} seeds"] if seeds > 1 else []
    rows = {}
    for figure, of in shown.items():
        cells = []
        for cell in of:
            cells.append(NOTHING if cell.value is None else figure.write(cell.value))
            if cell is not of[0]:
                known = cell.difference is not None
                cells.append(_differs(figure, cell.difference or 0.0) if known else NOTHING)
                ends = f"[{_differs(figure, cell.least)}, {_differs(figure, cell.most)}]"
                cells += [ends if known else NOTHING] if seeds > 1 else []
        rows[figure.name] = cells
    return frame_of(rows, columns)


def _summary(shown: Shown, seeds: int) -> str:
    """Return the sentence: of each scenario the difference in waits and in delivery, as far as seeds agree on it."""
    if not shown:
        return "Nothing was measured in any of them."
    first = next(iter(shown.values()))
    base = plain(first[0].scenario)
    if len(first) == 1:
        return f"Only {base} was simulated."
    parts = []
    for place in range(1, len(first)):
        told_of = [
            f"{figure.name} {_told(figure, of[place], seeds)}" for figure, of in shown.items() if of[place].clear
        ]
        rest = " and more, which the table has" if len(told_of) > SAID else ""
        parts.append(f"{plain(first[place].scenario)}: {', '.join(told_of[:SAID]) or 'no clear difference'}{rest}")
    if seeds == 1:
        return f"Against {base}: {'; '.join(parts)}. One seed: it may be chance."
    said = f"Against {base}, the median of {seeds} seeds, where all of them agree on the sign"
    return f"{said}: {'; '.join(parts)}. What is grey may be chance."


def _told(figure: _Figure, cell: _Cell, seeds: int) -> str:
    """Return a figure and its difference, and over several seeds the least and the most of it."""
    said = _said(figure, cell)
    if seeds == 1:
        return said
    least, most = (_differs(figure, each) for each in (cell.least, cell.most))
    return f"{said.removesuffix(')')}; {least} to {most})"
