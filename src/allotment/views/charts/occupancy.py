"""Was the cluster full? The GPUs that were allocated, unallocated and idle, stacked, with the warm-up set apart."""

from __future__ import annotations

import holoviews as hv
import pandas as pd
from bokeh.models import NumeralTickFormatter

from allotment.units import DAY
from allotment.views.charts.frame import FRAME, below, number
from allotment.views.theme import COLOURS

PARTS = ("allocated", "unallocated", "idle")


def occupancy(table: pd.DataFrame, warmup: int = 0) -> hv.Overlay:
    """Return the chart of a table of occupancy (columns: `OCCUPANCY`); the first `warmup` seconds are shown as not measured."""
    days = table.assign(day=table["time"] / DAY)
    said = [("day", number("day", "", "0.0"))]
    areas = [
        hv.Area(days, "day", part, label=part).opts(color=COLOURS[part], line_color=None, **FRAME) for part in PARTS
    ]
    stacked = hv.Area.stack(hv.Overlay(areas))
    top = hv.Curve(days, "day", ["healthy", *PARTS], label="healthy").opts(
        color=COLOURS["owed"],
        line_width=1.5,
        hover_tooltips=said + [(part, number(part, "GPUs")) for part in ("healthy", *PARTS)],
        **FRAME,
    )
    shown = stacked * top
    if warmup and len(days):
        end, middle = warmup / DAY, float(days["healthy"].max()) / 2
        shown = shown * hv.VSpan(0, end).opts(color=COLOURS["faded"], alpha=0.6)
        shown = shown * hv.VLine(end).opts(color=COLOURS["words"], line_width=1, line_dash="dashed")
        shown = shown * hv.Text(end / 2, middle, "warm-up", rotation=90).opts(
            color=COLOURS["words"], text_font_size="9pt"
        )
    most = float(days["healthy"].max()) if len(days) else 1.0
    axes = {
        "xlabel": "day",
        "ylabel": "GPUs",
        "yformatter": NumeralTickFormatter(format="0,0"),
        "ylim": (0, 1.04 * most),
    }
    return shown.opts(height=340, padding=0, **axes, **below(2))
