"""Every picture, of runs whose names are code, on a page of its own: written to the file that is named.

In a process of its own, as Bokeh writes into a page what every model is that the process has made, even those of others.
"""

from __future__ import annotations

import sys
from pathlib import Path

import attrs
from bokeh.embed import file_html
from bokeh.models import Column
from bokeh.resources import INLINE

from allotment.experiment.simulate import simulate
from allotment.model.plan import Plan, PlanNode
from allotment.presets import load_scenario
from allotment.units import DAY
from allotment.views.charts import comparison, delivery, node_map, occupancy, standing, timeline, waits
from allotment.views.charts.drawing import Drawn

EVIL = "<img src=x onerror=alert(1)>"
PICTURES = 7


def page() -> str:
    """Return the page."""
    base = load_scenario("small-week")
    plan = Plan(
        name=EVIL, children=[PlanNode(id=f"{EVIL}{at}", name=f"{EVIL} $${at}$$", share="0.3") for at in range(3)]
    )
    streams = [attrs.evolve(stream, name=f"{EVIL}{at}") for at, stream in enumerate(base.workload)]
    policy = attrs.evolve(base.policy, name=EVIL)
    scenario = attrs.evolve(base, name=EVIL, plan=plan, policy=policy, workload=streams, warmup=0, measured=2 * DAY)
    result = simulate(scenario)
    pictures = [
        delivery(result, result),
        timeline(result),
        node_map(result),
        occupancy(result, result),
        waits(result, result),
        standing(result, result),
        comparison({EVIL: result, f"{EVIL}2": result}),
    ]
    figures = [Drawn(picture).figure for picture in pictures]
    return str(file_html(Column(*figures, sizing_mode="stretch_width"), INLINE))


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
