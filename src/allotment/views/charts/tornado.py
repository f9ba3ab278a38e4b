"""Which settings move a figure? Two bars a setting, from nothing changed to what each side does, the longest on top."""

from __future__ import annotations

from collections.abc import Mapping

import holoviews as hv
import pandas as pd
from bokeh.models import NumeralTickFormatter

from allotment.units import HOUR, MINUTE
from allotment.views.charts.frame import FRAME, below
from allotment.views.theme import COLOURS

ROW = 36  # pixels for a setting
PALE = 0.3  # how much there is of a bar whose interval holds 0
BAR = 0.36  # of a row; two of them leave a gap to the next
FEW = 5  # labels on the axis of numbers, about
SCALES: Mapping[str, tuple[tuple[float, float, str, str], ...]] = {
    # unit: from which reach on, what one step of the axis is worth, what it is called, how it is written
    "ratio": ((0, 0.01, "points", "0.[0]"),),
    "s": ((2 * HOUR, HOUR, "h", "0.[0]"), (10 * MINUTE, MINUTE, "min", "0"), (0, 1, "s", "0.[0]")),
    "count": ((0, 1, "", "0.[0]a"),),
}
SIDES = (("low", "unallocated", 0.0), ("high", "allocated", -BAR))  # a side, its colour, where its bar ends in a row


def tornado(table: pd.DataFrame, figure: str, title: str = "") -> hv.Overlay:
    """Return the chart of one figure of a table of effects (columns: those of `experiment.sensitivity`).

    A bar is the median of a difference, its line the interval over seeds; where that holds 0 the bar is pale. `title`
    says what the figure is; by default its name.
    """
    rows = table[(table["figure"] == figure).to_numpy()]
    size, unit, pattern = _scale(rows)
    reach = rows.assign(reach=rows["difference"].abs()).groupby("setting")["reach"].max()
    order = sorted(reach.index, key=lambda setting: (reach[setting], setting))
    shown = rows.assign(at=rows["setting"].map({setting: at for at, setting in enumerate(order)}))
    shown = shown.assign(**{name: shown[name] / size for name in ("difference", "lowest", "highest")})
    bars = [_bars(shown[(shown["side"] == side).to_numpy()], side, colour, end) for side, colour, end in SIDES]
    chart = hv.Overlay([each for pair in bars for each in pair]) * hv.VLine(0).opts(color=COLOURS["owed"], line_width=1)
    ticks = [(at, _name(setting, rows)) for at, setting in enumerate(order)]
    return chart.opts(
        yticks=ticks,
        ylim=(-0.6, len(order) - 0.4),
        xformatter=NumeralTickFormatter(format=pattern),
        xticks=FEW,
        xlabel=f"{title or figure}: change{f' ({unit})' if unit else ''}",
        ylabel="",
        height=ROW * len(order) + 110,
        **below(2),
    )


def _bars(rows: pd.DataFrame, side: str, colour: str, end: float) -> tuple[hv.Rectangles, hv.Segments]:
    """Return the bars of one side, and the lines of their intervals."""
    said = [("setting", "@setting @label"), ("change", "@difference"), ("from", "@lowest"), ("to", "@highest")]
    placed = rows.assign(
        none=0.0, bottom=rows["at"] + end, top=rows["at"] + end + BAR, middle=rows["at"] + end + BAR / 2
    ).assign(alpha=rows["moves"].map({True: 1.0, False: PALE}))
    placed = placed.sort_values("moves", ascending=False, kind="stable")  # the legend looks like the first
    told = ["setting", "label", "difference", "lowest", "highest", "alpha"]
    bars = hv.Rectangles(placed, ["none", "bottom", "difference", "top"], told, label=side).opts(
        color=COLOURS[colour], alpha="alpha", line_color=COLOURS["owed"], line_width=0.5, hover_tooltips=said, **FRAME
    )
    lines = hv.Segments(placed, ["lowest", "middle", "highest", "middle"]).opts(color=COLOURS["owed"], line_width=1.5)
    return bars, lines


def _scale(rows: pd.DataFrame) -> tuple[float, str, str]:
    """Return what one step of the axis is worth, what it is called and how it is written."""
    if rows.empty:
        return 1, "", "0"
    unit = str(rows["unit"].iloc[0])
    reach = max(float(rows[name].abs().max()) for name in ("difference", "lowest", "highest"))
    return next((size, name, pattern) for least, size, name, pattern in SCALES[unit] if reach >= least)


def _name(setting: str, rows: pd.DataFrame) -> str:
    labels = rows[(rows["setting"] == setting).to_numpy()].sort_values("side", ascending=False)["label"]
    return f"{setting}\n{' | '.join(labels)}"
