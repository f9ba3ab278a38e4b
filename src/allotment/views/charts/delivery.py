"""Who got what they were owed? A bar for what each team was given, a mark for what it was owed."""

from __future__ import annotations

import holoviews as hv
import pandas as pd
from bokeh.models import NumeralTickFormatter

from allotment.views.charts.frame import FRAME, below, number
from allotment.views.theme import COLOURS

ROW = 24  # pixels for a team
FEW = 3  # labels on the axis of numbers, about, so that they do not touch where there is little room


def delivery(table: pd.DataFrame) -> hv.Overlay:
    """Return the chart of a table of delivery (columns: `DELIVERY`): its leaves that were owed anything, best served on top."""
    teams = table[(table["is_leaf"] & (table["owed"] > 0)).to_numpy()]
    teams = teams.assign(node=teams["node"].astype("str")).sort_values(["cumulative", "delivered", "node"])
    said = [("team", "@node"), ("owed", number("owed", "GPU-h")), ("delivered", number("delivered", "GPU-h"))]
    given = hv.Bars(teams, "node", ["delivered", "owed"], label="delivered").opts(
        color=COLOURS["allocated"], line_color=None, bar_width=0.7, hover_tooltips=said, **FRAME
    )
    owed = hv.Scatter(teams, "node", ["owed", "delivered"], label="owed").opts(
        color=COLOURS["owed"], marker="dash", angle=90, size=18, line_width=3, hover_tooltips=said, **FRAME
    )
    return (given * owed).opts(
        invert_axes=True,
        # Of the axis that the numbers are on, once the axes have changed places.
        xformatter=NumeralTickFormatter(format="0a"),
        xticks=FEW,
        xlabel="",
        ylabel="GPU-hours",
        height=ROW * len(teams) + 110,
        **below(1),
    )
