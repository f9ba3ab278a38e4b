"""Was the cluster full, and with whose work? GPUs over time: allocated in full colour, unallocated hatched, idle white."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import attrs
import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from allotment.results.metrics import ratio, total
from allotment.results.occupied import Numbers, Occupied, block_hours, by_budget
from allotment.results.result import Result
from allotment.views.charts.groups import NOTHING_PICKED, Groups, Highlight, frame_of, of_team
from allotment.views.charts.hatching import crossed, hatched
from allotment.views.charts.picture import Array, Axis, By, Key, Layer, Picture, parted, stairs
from allotment.views.charts.runs import Run, day_ticks, sentence, time_line, told, warm_up
from allotment.views.formats import count, moment, part, short
from allotment.views.theme import CROSSES, DARK, FADED, INK, NEUTRAL, ON, PALETTE, SEPARATOR, WHITE, group_colour

GAP = 0.16  # of a band, between two runs one above the other
NAME = 0.16  # of the width, which a name takes
SLOTS = range(len(PALETTE) + 1)
IDLE = {"fill_color": WHITE, "line_color": NEUTRAL, "line_width": 1}
OUT = {"fill_color": DARK, **crossed(CROSSES)}
COLUMNS = ["occupied", "allocated", "unallocated", "idle", "draining or down"]


@attrs.frozen(eq=False)
class _Band:
    """One run at its height: the borders between its parts, each [block], in GPUs above the bottom of the picture."""

    run: Run
    of: Occupied
    base: float
    allocated: list[tuple[Numbers, Numbers]]  # by slot of the palette: low and high
    unallocated: list[tuple[Numbers, Numbers]]
    idle: tuple[Numbers, Numbers]
    out: tuple[Numbers, Numbers]


def occupancy(*results: Result, highlight: Highlight = NOTHING_PICKED) -> Picture:
    """Return the picture of one run, or of A above B, averaged over hours so that at most some 170 steps are drawn."""
    runs = told(results)
    gpus = max(run.result.scenario.cluster.gpus for run in runs)
    horizon = max(run.result.horizon for run in runs)
    heights = [(len(runs) - 1 - at) * (1 + GAP) * gpus for at in range(len(runs))]
    bands = [_band(run, base, horizon) for run, base in zip(runs, heights, strict=True)]
    places = _places(bands, gpus)
    top = heights[0] + gpus
    ticks = [(base + share * gpus, count(round(share * gpus))) for base in heights for share in (0, 0.5, 1)]
    rows = {run.name: _cells(run.result) for run in runs}
    return Picture(
        title="Occupancy",
        layers=(
            *_areas(bands, highlight),
            *_names(bands, places, gpus, highlight),
            *warm_up((band.run.result.scenario.warmup, band.base, band.base + gpus) for band in bands),
            _told(bands),
            time_line(highlight, 0, top),
        ),
        keys=_keys(bands, places, highlight),
        x=Axis(low=0, high=max(horizon, 1), ticks=day_ticks(0, horizon)),
        y=Axis(label="GPUs", low=0, high=top + (GAP * 0.75 * gpus if len(runs) > 1 else 0.02 * gpus), ticks=ticks),
        summary=_summary(runs, rows),
        table=frame_of(rows, COLUMNS),
        height=260 if len(runs) == 1 else 370,
        times=True,
    )


def _band(run: Run, base: float, horizon: int) -> _Band:
    result, groups = run.result, Groups.of(run.result)
    of = by_budget(result.usage, result.cluster, result.scenario.cluster.gpus, block_hours(horizon), result.horizon)
    slot = [groups.slot(budget) for budget in of.budgets]
    at = np.full(len(of.idle), float(base))

    def piled(amounts: Numbers) -> list[tuple[Numbers, Numbers]]:
        nonlocal at
        found = []
        for which in SLOTS:
            low = at
            at = low + sum((amounts[row] for row, each in enumerate(slot) if each == which), start=np.zeros(len(low)))
            found.append((low, at))
        return found

    allocated, unallocated = piled(of.allocated), piled(of.unallocated)
    idle = (at, at + of.idle)
    return _Band(run, of, base, allocated, unallocated, idle, (idle[1], idle[1] + of.out))


def _area(bands: Sequence[_Band], borders: Iterable[tuple[Numbers, Numbers]]) -> dict[str, Array]:
    corners = [stairs(band.of.edges, *both) for band, both in zip(bands, borders, strict=True)]
    return {name: parted(corner[at] for corner in corners) for at, name in enumerate(("x", "low", "high"))}


def _areas(bands: Sequence[_Band], picked: Highlight) -> list[Layer]:
    shown = _shown(bands, picked)
    idle = Layer(
        name="idle",
        mark="area",
        columns=_area(bands, [band.idle for band in bands]),
        style=IDLE,
    )
    out = Layer(
        name="out",
        mark="area",
        columns=_area(bands, [band.out for band in bands]),
        style=OUT,
    )
    allocated, unallocated = [], []
    for slot in SLOTS:
        colour = group_colour(slot) if shown is None or slot in shown else FADED
        allocated.append(
            Layer(
                name=f"allocated {slot + 1}",
                mark="area",
                columns=_area(bands, [band.allocated[slot] for band in bands]),
                style={"fill_color": colour, "line_color": SEPARATOR, "line_width": 1},
            )
        )
        unallocated.append(
            Layer(
                name=f"unallocated {slot + 1}",
                mark="area",
                columns=_area(bands, [band.unallocated[slot] for band in bands]),
                style={"fill_color": WHITE, **hatched(colour)},
            )
        )
    return [idle, out, *allocated, *unallocated]


def _keys(bands: Sequence[_Band], places: Places, picked: Highlight) -> list[Key]:
    """Return full colour and hatched, in no team's hue, and the hues of those whose name stands in no band."""
    shown, unnamed = _shown(bands, picked), _unnamed(bands, places)
    states = {
        "allocated": {"fill_color": NEUTRAL},
        "unallocated": {"fill_color": WHITE, **hatched(NEUTRAL)},
        "idle": IDLE,
        "out of service": OUT,
    }
    return [
        *(Key(name=state, mark="area", style=style, text=state) for state, style in states.items()),
        *(
            Key(
                name=f"hue {slot + 1}",
                mark="area",
                style={"fill_color": group_colour(slot) if shown is None or slot in shown else FADED},
                text=unnamed.get(slot, ""),
            )
            for slot in SLOTS
        ),
    ]


def _shown(bands: Sequence[_Band], picked: Highlight) -> set[int] | None:
    """Return the slots of the palette that keep their hue; None keeps all."""
    result = bands[-1].run.result
    team = of_team(result, picked).team
    return None if team is None else {Groups.of(result).slot(team)}


Places = list[tuple[int, float, float]]  # the slot, and the middle of its name


def _places(bands: Sequence[_Band], gpus: int) -> Places:
    """Return where the names of the budgets fit into their bands, as high as a name and as wide."""
    thick = (0.075 if len(bands) == 1 else 0.11) * gpus
    found = []
    for band in bands:
        middle, end = band.of.middle, float(band.of.edges[-1])
        wide = 2 * max(1, round(NAME / 2 * len(middle))) + 1
        if len(middle) < wide:
            continue
        at = middle[wide // 2 : len(middle) - wide // 2]
        measured = at - NAME / 2 * end >= band.run.result.scenario.warmup
        for slot, (low, high) in enumerate(band.allocated):
            bottom = sliding_window_view(low, wide).max(axis=1)
            top = sliding_window_view(high, wide).min(axis=1)
            room = np.where(measured, top - bottom, 0)
            best = int(np.argmax(room))
            if room[best] >= thick:
                found.append((slot, float(at[best]), float(top[best] + bottom[best]) / 2))
    return found


def _names(bands: Sequence[_Band], places: Places, gpus: int, picked: Highlight) -> tuple[Layer, Layer]:
    """Return the names of the budgets, each where its band is thickest, and those of the runs."""
    shown, groups = _shown(bands, picked), Groups.of(bands[-1].run.result)
    x, y = [x for _, x, _ in places], [y for _, _, y in places]
    text = [short(_name(groups, slot)) for slot, _, _ in places]
    colour = [ON[group_colour(slot) if shown is None or slot in shown else FADED] for slot, _, _ in places]
    names = Layer(
        name="names",
        mark="labels",
        columns={"x": x, "y": y, "text": np.array(text, object), "colour": np.array(colour, object)},
        style={"text_color": By("colour"), "text_align": "center", "text_font_style": "bold"},
    )
    several = [band for band in bands if len(bands) > 1]
    runs = Layer(
        name="runs",
        mark="labels",
        columns={
            "x": [0.0 for _ in several],
            "y": [band.base + gpus * 1.02 for band in several],
            "text": np.array([band.run.name for band in several], object),
        },
        style={"text_baseline": "bottom", "text_font_style": "bold", "text_color": INK, "x_offset": 2},
    )
    return names, runs


def _unnamed(bands: Sequence[_Band], places: Places) -> dict[int, str]:
    """Return what the legend calls the budgets whose name stands in no band, by their slots."""
    groups = Groups.of(bands[-1].run.result)
    there = range(min(len(groups.budgets), len(PALETTE) + 1))
    named = {slot for slot, _, _ in places}
    return {slot: short(_name(groups, slot)) for slot in there if slot not in named}


def _name(groups: Groups, slot: int) -> str:
    if slot < len(PALETTE):
        return groups.budgets[slot].split("/")[-1]
    rest = groups.budgets[slot:]
    return rest[0].split("/")[-1] if len(rest) == 1 else f"{len(rest)} others"


def _told(bands: Sequence[_Band]) -> Layer:
    """Return what is told of each block, of all runs at once, as points that are not seen."""
    first = bands[-1]
    words = ("allocated", "unallocated", "idle", "draining or down")
    said: dict[str, list[str]] = {word: [] for word in words}
    for at in range(len(first.of.idle)):
        there = [band for band in bands if at < len(band.of.idle)]
        amounts = [
            (
                band.of.allocated[:, at].sum(),
                band.of.unallocated[:, at].sum(),
                band.of.idle[at],
                band.of.out[at],
            )
            for band in there
        ]
        for place, word in enumerate(words):
            each = zip(there, amounts, strict=True)
            said[word].append(
                ", ".join(f"{band.run.letter} {count(round(float(of[place])))}".strip() for band, of in each)
            )
    return Layer(
        name="told",
        mark="scatter",
        columns={
            "x": first.of.middle,
            "y": first.idle[0],
            "when": np.array([moment(each) for each in first.of.edges[:-1]], object),
            **{word: np.array(texts, object) for word, texts in said.items()},
        },
        style={"fill_alpha": 0, "size": 4},
        hover=(("from", "when"), *((f"{word}, GPUs", word) for word in words)),
        along=True,
    )


def _cells(result: Result) -> list[str]:
    after = result.cluster[(result.cluster["time"] >= result.scenario.warmup).to_numpy()]
    healthy, capacity = total(after["healthy"]), total(after["capacity"])
    allocated, unallocated = total(after["allocated"]), total(after["unallocated"])
    out = total(after["idle_draining"]) + total(after["down"])
    of_healthy = [allocated + unallocated, allocated, unallocated, healthy - allocated - unallocated]
    return [*(part(ratio(each, healthy)) for each in of_healthy), part(ratio(out, capacity))]


def _summary(runs: Sequence[Run], rows: dict[str, list[str]]) -> str:
    if any(rows[run.name][0] == "-" for run in runs):
        return "Nothing was measured: the run ended before its warm-up did."
    parts = [
        f"{run.under} {rows[run.name][0]} of the healthy GPU time was held, {rows[run.name][2]} of that healthy time unallocated"
        for run in runs
    ]
    return sentence(parts)
