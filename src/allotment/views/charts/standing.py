"""Who has had more than their due? Use and commitments of each budget over what it is entitled to in the window."""

from __future__ import annotations

from collections.abc import Sequence

import attrs
import numpy as np

from allotment.results.result import Result
from allotment.results.standing import Standing
from allotment.results.standing import standing as standing_of
from allotment.units import HOUR
from allotment.views.charts.groups import NOTHING_PICKED, Groups, Highlight, frame_of, of_team
from allotment.views.charts.picture import Axis, By, Key, Layer, Picture, parted
from allotment.views.charts.runs import DASHED, Run, day_ticks, sentence, time_line, told, warm_up
from allotment.views.formats import count, gpu_hours, moment, plain, short, times
from allotment.views.theme import FADED, GRID, INK, PALETTE, QUIET, group_colour

SLOTS = range(len(PALETTE) + 1)
HIGHEST = 2.0  # of the axis, unless somebody stands higher for long
GAP = 0.22
LETTER = 8  # pixels, in bold; names stand behind the lines
APART = 0.085  # of a band, between two names
COUNTS = {"fill_color": GRID, "fill_alpha": 0.6}
COLUMNS = ["used", "committed", "entitled", "(used + committed) / entitled", "highest", "measured time above 1"]


@attrs.frozen(eq=False)
class _Band:
    run: Run
    of: Standing
    groups: Groups
    base: float


def standing(*results: Result, highlight: Highlight = NOTHING_PICKED) -> Picture:
    """Return the picture of each budget's (used + committed) / entitled, of one run or of A above B.

    Above 1 a budget has had more than its due. The window is shaded that ends at the moment that is picked out, by default
    at the end of the run; the table is about that moment.
    """
    runs = told(results)
    found = [(run, standing_of(run.result), Groups.of(run.result)) for run in runs]
    horizon = max(run.result.horizon for run in runs)
    high = max([HIGHEST, *(1.1 * _highest(run, of) for run, of, _ in found)])
    bands = [_Band(*each, (len(found) - 1 - at) * (1 + GAP) * high) for at, each in enumerate(found)]
    top = bands[0].base + high
    picked = of_team(runs[-1].result, highlight)
    step = 0.5 if high <= 2.5 else 1.0 if high <= 5 else round(high / 4)
    rows = {name: cells for band in bands for name, cells in _rows(band, highlight.time)}
    return Picture(
        title="Fair-share standing",
        layers=(
            _window(bands, highlight.time, high),
            _one(bands, horizon),
            *_lines(bands, picked),
            *warm_up((band.run.result.scenario.warmup, band.base, band.base + high) for band in bands),
            *_names(bands, picked, horizon, high),
            time_line(highlight, 0, top),
            _told(bands, high),
        ),
        keys=(Key(name="window", mark="rectangles", style=COUNTS, text="what counts"),),
        x=Axis(low=0, high=max(horizon, 1), ticks=day_ticks(0, horizon, 5)),
        y=Axis(
            label="used of what is due",
            low=0,
            high=top + (GAP * 0.8 * high if len(bands) > 1 else 0),
            ticks=[(band.base + at * step, f"{at * step:g}") for band in bands for at in range(int(high / step) + 1)],
        ),
        summary=_summary(bands, highlight.time),
        table=frame_of(rows, COLUMNS),
        height=250 if len(bands) == 1 else 400,
        right=16 + LETTER * max((len(_short(node)) for band in bands for node in band.of.nodes), default=0),
        times=True,
    )


def _highest(run: Run, of: Standing) -> float:
    """Return what hardly anybody stands above after the warm-up: one hour in a hundred of all budgets may."""
    after = of.ratio[:, of.time >= run.result.scenario.warmup]
    known = after[np.isfinite(after)]
    return float(np.quantile(known, 0.99)) if len(known) else 0.0


def _at(of: Standing, time: int | None) -> int:
    """Return the place of the hour in which a moment lies; -1 where there is none."""
    return len(of.time) - 1 if time is None else min(max(time, 0) // HOUR, len(of.time) - 1)


def _window(bands: Sequence[_Band], time: int | None, high: float) -> Layer:
    """Return the shade over the time that counts at the moment that is looked at."""
    there = [(band, at) for band in bands if (at := _at(band.of, time)) >= 0]
    return Layer(
        name="window",
        mark="rectangles",
        columns={
            "left": [float(band.of.begin[at]) for band, at in there],
            "right": [float(band.of.time[at]) for band, at in there],
            "bottom": [band.base for band, _ in there],
            "top": [band.base + high for band, _ in there],
        },
        style=COUNTS,
    )


def _one(bands: Sequence[_Band], horizon: int) -> Layer:
    heights = [band.base + level for band in bands for level in (0.0, 1.0)]
    return Layer(
        name="due",
        mark="segments",
        columns={
            "x0": np.zeros(len(heights)),
            "x1": np.full(len(heights), float(horizon)),
            "y0": heights,
            "y1": heights,
        },
        style={"line_color": QUIET, "line_width": 1},
    )


def _lines(bands: Sequence[_Band], picked: Highlight) -> list[Layer]:
    """Return a layer for each hue and run, so that A can be dashed and a hue can turn grey."""
    layers = []
    for letter in "AB":
        for slot in SLOTS:
            of = [band for band in bands if (band.run.letter or "B") == letter]
            lines = [
                (band.of.time.astype(np.float64), np.minimum(line, 1e6) + band.base)
                for band in of
                for node, line in zip(band.of.nodes, band.of.ratio, strict=True)
                if band.groups.slot(node) == slot
            ]
            keeps = picked.team is None or any(
                band.groups.slot(node) == slot and band.groups.within(node, picked.team)
                for band in of
                for node in band.of.nodes
            )
            layers.append(
                Layer(
                    name=f"{letter} {slot + 1}",
                    mark="curve",
                    columns={"x": parted(x for x, _ in lines), "y": parted(y for _, y in lines)},
                    style={
                        "line_color": group_colour(slot) if keeps else FADED,
                        "line_width": 2.5 if keeps else 1.2,
                        "line_dash": DASHED if letter == "A" else [],
                    },
                )
            )
    return layers


def _names(bands: Sequence[_Band], picked: Highlight, horizon: int, high: float) -> tuple[Layer, Layer]:
    """Return the names behind the ends of the lines, moved apart where they would cover each other; and those of the runs."""
    y: list[float] = []
    text: list[str] = []
    colour: list[str] = []
    for band in bands:
        if not len(band.of.time):
            continue
        ends = np.nan_to_num(band.of.ratio[:, -1], nan=0.0).clip(0, high)
        order = np.argsort(ends, kind="stable")
        y += (band.base + _apart(ends[order], APART * high * (1 if len(bands) == 1 else 1.35), high)).tolist()
        text += [_short(band.of.nodes[at]) for at in order]
        colour += [band.groups.colour(band.of.nodes[at], picked) for at in order]
    several = [band for band in bands if len(bands) > 1]
    return (
        Layer(
            name="names",
            mark="labels",
            columns={
                "x": np.full(len(y), float(horizon)),
                "y": y,
                "text": np.array(text, object),
                "colour": np.array(colour, object),
            },
            style={"text_color": By("colour"), "text_font_style": "bold", "x_offset": 6},
            outside=True,
        ),
        Layer(
            name="runs",
            mark="labels",
            columns={
                "x": np.zeros(len(several)),
                "y": [band.base + high * 1.02 for band in several],
                "text": np.array([band.run.name for band in several], object),
            },
            style={"text_baseline": "bottom", "text_font_style": "bold", "text_color": INK, "x_offset": 2},
        ),
    )


def _short(node: str) -> str:
    return short(node.rsplit("/", maxsplit=1)[-1])


def _apart(heights: np.ndarray, least: float, high: float) -> np.ndarray:
    """Return ascending heights, moved up and then down so that there is so much between them and none is above `high`.

    >>> _apart(np.array([0.0, 0.1, 0.9]), 0.3, 1.0).tolist()
    [0.0, 0.3, 0.9]
    """
    found = heights.astype(np.float64).copy()
    for at in range(1, len(found)):
        found[at] = max(found[at], found[at - 1] + least)
    limit = high
    for at in range(len(found) - 1, -1, -1):
        found[at] = min(found[at], limit)
        limit = found[at] - least
    return found


def _told(bands: Sequence[_Band], high: float) -> Layer:
    """Return what is told at each hour: of every budget of B how it stands, and how it does under A."""
    band = bands[-1]
    hours = range(len(band.of.time))
    said: dict[str, list[str]] = {}
    for node in band.groups.budgets:
        lines = [
            (each.run.letter, each.of.ratio[each.of.nodes.index(node)].tolist())
            for each in bands
            if node in each.of.nodes
        ]
        said[node] = [
            ", ".join(f"{letter} {of[at]:.2f} x" for letter, of in lines if at < len(of)).strip() for at in hours
        ]
    return Layer(
        name="told",
        mark="scatter",
        columns={
            "x": band.of.time.astype(np.float64),
            "y": np.full(len(band.of.time), band.base + min(1.0, high)),
            "when": np.array([moment(time) for time in band.of.time], object),
            **{f"budget {place}": np.array(texts, object) for place, texts in enumerate(said.values())},
        },
        style={"fill_alpha": 0, "size": 4},
        hover=(("at", "when"), *((_short(node), f"budget {place}") for place, node in enumerate(said))),
        along=True,
    )


def _times(ratio: float) -> str:
    return times(None if np.isnan(ratio) else float(ratio))


def _rows(band: _Band, time: int | None) -> list[tuple[str, list[str]]]:
    of, at = band.of, _at(band.of, time)
    after = of.time >= band.run.result.scenario.warmup
    if at < 0:
        return []
    found = []
    for row in sorted(range(len(of.nodes)), key=lambda row: band.groups.budgets.index(of.nodes[row])):
        measured = of.ratio[row, after]
        known = measured[np.isfinite(measured)]
        name = f"{plain(of.nodes[row])}, {band.run.name}" if band.run.letter else plain(of.nodes[row])
        cells = [gpu_hours(float(each[row, at])) for each in (of.used, of.committed, of.entitled)]
        highest = times(float(known.max())) if len(known) else "-"
        over = f"{count(int((known > 1).sum()))} of {count(len(known))} h"
        found.append((name, [*cells, _times(of.ratio[row, at]), highest, over]))
    return found


def _summary(bands: Sequence[_Band], time: int | None) -> str:
    parts = []
    for band in bands:
        at = _at(band.of, time)
        ratio = band.of.ratio[:, at] if at >= 0 else np.zeros(0)
        if not np.isfinite(ratio).any():
            parts.append(f"{band.run.under} nobody is entitled to anything")
            continue
        most, least = int(np.nanargmax(ratio)), int(np.nanargmin(ratio))
        when = "at the end" if time is None else "then"
        text = (
            f"{band.run.under} {plain(band.of.nodes[most])} stands highest {when}, at {_times(ratio[most])} what is due"
        )
        if most != least:
            text += f", and {plain(band.of.nodes[least])} lowest, at {_times(ratio[least])}"
        parts.append(text)
    return sentence(parts)
