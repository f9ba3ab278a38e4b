"""Which settings move a figure? Two bars a setting, from nothing changed to what each side does, the longest on top."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from allotment.views.charts.groups import frame_of, rows_of
from allotment.views.charts.hatching import hatched
from allotment.views.charts.picture import Axis, By, Key, Layer, Picture
from allotment.views.formats import count, plain, points, signed, wait
from allotment.views.theme import INK, NEUTRAL, QUIET, WHITE, tint

ROW = 46  # pixels for a setting
PALE = 0.3  # how much there is of a bar whose interval holds 0
BAR = 0.3  # of a row; two of them leave a gap to the next
WRITE: Mapping[str, Callable[[float], str]] = {
    "ratio": points,
    "s": wait,
    "count": lambda number: count(round(number)),
}
SIDES: tuple[tuple[str, dict[str, Any], float], ...] = (  # a side, how it looks, where its bar ends in a row
    ("low", {"fill_color": WHITE, "line_color": INK, **hatched(NEUTRAL)}, 0.0),
    ("high", {"fill_color": NEUTRAL, "line_color": INK}, -BAR),
)
SAID = (("setting", "setting"), ("turned to", "label"), ("change", "change"), ("interval", "interval"))


def tornado(table: pd.DataFrame, figure: str, title: str = "") -> Picture:
    """Return the picture of one figure of a table of effects (columns: those of `experiment.sensitivity`).

    A bar is the median of a difference, its line the interval over seeds; where that holds 0 the bar is pale. `title`
    says what the figure is; by default its name.
    """
    rows = table[(table["figure"] == figure).to_numpy()]
    write = WRITE[str(rows["unit"].iloc[0])] if len(rows) else points
    reach = rows.assign(reach=rows["difference"].abs()).groupby("setting")["reach"].max()
    order = sorted(map(str, reach.index), key=lambda setting: (reach[setting], setting))
    ends = [float(rows[name].abs().max()) for name in ("difference", "lowest", "highest")] if len(rows) else [1.0]
    most = 1.08 * max(ends) or 1.0
    named = title or figure
    parts = rows_of(rows)
    columns = ["turned to", f"change of {plain(named)}", "interval", "moves it"]
    return Picture(
        title=f"What moves {plain(named)}",
        layers=(
            Layer(
                name="nothing",
                mark="segments",
                columns={"x0": [0.0], "x1": [0.0], "y0": [-0.6], "y1": [max(len(order), 1) - 0.4]},
                style={"line_color": QUIET},
            ),
            *(_bars(parts, order, write, *side) for side in SIDES),
            _intervals(parts, order),
            _names(order, most),
        ),
        keys=[
            Key(name=side, mark="rectangles", style=style, text=word if any(row.side == side for row in parts) else "")
            for (side, style, _), word in zip(SIDES, ("turned lower", "turned higher"), strict=True)
        ],
        x=Axis(label="change", low=-most, high=most, ticks=_ticks(most / 1.08, write), grid=True),
        y=Axis(low=-0.6, high=max(len(order), 1) - 0.3),
        summary=_summary(parts, order, named, write),
        table=frame_of({f"{plain(row.setting)}, {row.side}": _cells(row, write) for row in parts}, columns),
        height=ROW * max(len(order), 1) + 60,
    )


Write = Callable[[float], str]


def _change(number: float, write: Write) -> str:
    return "0" if not number else signed(number, write)


def _cells(row: Any, write: Write) -> list[str]:
    interval = f"[{_change(row.lowest, write)}, {_change(row.highest, write)}]"
    return [plain(row.label), _change(row.difference, write), interval, "yes" if row.moves else "no"]


def _ticks(most: float, write: Write) -> list[tuple[float, str]]:
    return [(at, _change(at, write)) for at in (-most, 0.0, most)]


def _bars(
    parts: Sequence[Any], order: Sequence[str], write: Write, side: str, style: Mapping[str, Any], end: float
) -> Layer:
    mine = [row for row in parts if row.side == side]
    bottom = np.array([order.index(row.setting) + end - 0.12 for row in mine])
    cells = [_cells(row, write) for row in mine]
    said = {
        "setting": [plain(row.setting) for row in mine],
        "label": [each[0] for each in cells],
        "change": [each[1] for each in cells],
        "interval": [each[2] for each in cells],
    }
    pale = [1.0 if row.moves else PALE for row in mine]
    each: dict[str, Any] = {f"{of}_alpha": By("alpha") for of in ("fill", "line")}
    if "hatch_pattern" in style:
        each["hatch_color"] = By("hatch")
    return Layer(
        name=side,
        mark="rectangles",
        columns={
            "left": [min(row.difference, 0.0) for row in mine],
            "right": [max(row.difference, 0.0) for row in mine],
            "bottom": bottom,
            "top": bottom + BAR,
            "alpha": pale,
            "hatch": np.array([tint(NEUTRAL, alpha) for alpha in pale], object),
            **{name: np.array(texts, object) for name, texts in said.items()},
        },
        style={**style, **each},
        hover=SAID,
    )


def _intervals(parts: Sequence[Any], order: Sequence[str]) -> Layer:
    ends = {side: end for side, _, end in SIDES}
    y = [order.index(row.setting) + ends[row.side] - 0.12 + BAR / 2 for row in parts]
    return Layer(
        name="intervals",
        mark="segments",
        columns={"x0": [row.lowest for row in parts], "x1": [row.highest for row in parts], "y0": y, "y1": y},
        style={"line_color": INK, "line_width": 2},
    )


def _names(order: Sequence[str], most: float) -> Layer:
    """Return the names of the settings, above their bars, where they have room however long they are."""
    return Layer(
        name="names",
        mark="labels",
        columns={
            "x": np.full(len(order), -most),
            "y": [at + 0.36 for at in range(len(order))],
            "text": np.array([plain(setting) for setting in order], object),
        },
        style={"text_font_style": "bold", "x_offset": 4, "background_fill_color": WHITE},
        outside=True,
    )


def _summary(parts: Sequence[Any], order: Sequence[str], named: str, write: Write) -> str:
    if not parts:
        return f"Nothing was turned that could move {plain(named)}."
    most = max(parts, key=lambda row: (abs(row.difference), row.setting))
    change = _change(most.difference, write)
    text = f"What moves {plain(named)} most is {plain(most.setting)}, turned to {plain(most.label)}: {change}"
    moved = {row.setting for row in parts if row.moves}
    still = ", ".join(plain(setting) for setting in order if setting not in moved)
    return f"{text}{f'; not clearly moved by {still}' if still else ''}."
