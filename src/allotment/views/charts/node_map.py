"""What does each node hold at a moment? A square a node, a stripe a GPU, in the hue of the team that holds it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np

from allotment.results.moment import DOWN, DRAINING, Moment
from allotment.results.moment import moment as moment_of
from allotment.results.result import Result
from allotment.views.charts.groups import NOTHING_PICKED, Groups, Highlight, frame_of, rows_of
from allotment.views.charts.hatching import crossed, hatched
from allotment.views.charts.picture import Axis, By, Key, Layer, Picture
from allotment.views.charts.runs import Run, sentence, told
from allotment.views.formats import count, moment, plain, short
from allotment.views.theme import CROSSES, DARK, FADED, INK, NEUTRAL, PALETTE, TINT, WHITE, group_colour

WIDE, HIGH = 0.84, 0.84  # of a node's square
STATES = ("protected", "interruptible", "unallocated")
LOOKS: Mapping[str, Mapping[str, Any]] = {
    "idle": {"fill_color": WHITE, "line_color": NEUTRAL},
    "draining": {"fill_color": WHITE, "line_color": DARK, "line_width": 3, "line_dash": [3, 2]},
    "down": {"fill_color": DARK, **crossed(CROSSES)},
}
COLUMNS = ["GPUs", *STATES, "nodes"]
SAID = (("node", "node"), ("job", "job"), ("team", "team"), ("GPUs", "gpus"), ("state", "state"))
TEXTS = tuple(column for _, column in SAID)


@attrs.frozen(eq=False)
class _Map:
    """One run: its nodes from the left and then down, beginning `down` rows below the top."""

    run: Run
    of: Moment
    groups: Groups
    columns: int
    down: int

    def corner(self, nodes: Any) -> tuple[Any, Any]:
        """Return the lower left corners of the squares of some nodes."""
        return nodes % self.columns, -(self.down + nodes // self.columns + 1.0)


def node_map(*results: Result, highlight: Highlight = NOTHING_PICKED) -> Picture:
    """Return the picture of what every node holds at the moment that is picked out, by default just before the end.

    Of two runs A is above B. GPUs of one slice lie side by side; which of a node's GPUs they are is not simulated.
    """
    runs = told(results)
    most = max(run.result.scenario.cluster.nodes for run in runs)
    columns = max(min(math.ceil(math.sqrt(3.2 * most)), most), 1)
    maps: list[_Map] = []
    for run in runs:
        time = max(run.result.horizon - 1, 0) if highlight.time is None else highlight.time
        lines = math.ceil(maps[-1].of.state.size / columns) + maps[-1].down + 1 if maps else int(len(runs) > 1)
        maps.append(_Map(run, moment_of(run.result, time), Groups.of(run.result), columns, lines))
    depth = maps[-1].down + math.ceil(maps[-1].of.state.size / columns)
    rows = {name: cells for each in maps for name, cells in _rows(each)}
    return Picture(
        title=f"Nodes, {moment(maps[-1].of.time)}",
        layers=(*_nodes(maps), *_held(maps, highlight), _names(maps)),
        keys=_keys(maps, highlight),
        x=Axis(low=-0.1, high=columns + 0.0),
        y=Axis(low=-depth - 0.05, high=0.1),
        summary=_summary(maps, rows),
        table=frame_of(rows, COLUMNS),
        height=min(34 * depth, 520) + 45,
    )


def _squares(maps: Sequence[_Map], states: Sequence[int] | None) -> dict[str, Any]:
    left, bottom, names = [], [], []
    for each in maps:
        there = np.isin(each.of.state, states) if states is not None else np.ones(each.of.state.size, bool)
        nodes = np.flatnonzero(there)
        x, y = each.corner(nodes)
        left.append(x.astype(np.float64))
        bottom.append(y)
        names += [f"{each.run.letter} node {node}".strip() for node in nodes]
    x, y = np.concatenate(left), np.concatenate(bottom)
    return {"left": x, "right": x + WIDE, "bottom": y, "top": y + HIGH, "node": np.array(names, object)}


def _nodes(maps: Sequence[_Map]) -> list[Layer]:
    """Return the squares: all with an outline, those out of service dark; those being emptied get a heavy outline."""
    return [
        Layer(
            name="nodes",
            mark="rectangles",
            columns=_squares(maps, None),
            style=LOOKS["idle"],
            hover=(("", "node"),),
        ),
        Layer(
            name="draining",
            mark="rectangles",
            columns=_squares(maps, [DRAINING]),
            style=LOOKS["draining"],
        ),
        Layer(
            name="down",
            mark="rectangles",
            columns=_squares(maps, [DOWN]),
            style=LOOKS["down"],
        ),
    ]


def _held(maps: Sequence[_Map], picked: Highlight) -> list[Layer]:
    """Return a stripe for each slice on each node, as wide as it has GPUs there."""
    styles: dict[str, dict[str, Any]] = {
        "protected": {"fill_color": By("colour"), "line_color": INK, "line_width": 1},
        "interruptible": {"fill_color": By("colour"), "fill_alpha": TINT, "line_color": By("colour")},
        "unallocated": {"fill_color": WHITE, **hatched(By("colour")), "line_color": By("colour")},
    }
    columns: dict[str, dict[str, list[Any]]] = {
        state: {name: [] for name in ("left", "right", "bottom", "top", "number", "colour", *TEXTS)} for state in STATES
    }
    for each in maps:
        per_node = each.run.result.scenario.cluster.gpus_per_node
        filled: dict[int, int] = {}
        for row in rows_of(each.of.held):
            x, y = each.corner(int(row.node))
            first = filled.get(int(row.node), 0)
            filled[int(row.node)] = first + int(row.gpus)
            cells: dict[str, Any] = {
                "left": x + WIDE * first / per_node,
                "right": x + WIDE * (first + int(row.gpus)) / per_node,
                "bottom": y,
                "top": y + HIGH,
                "number": float(row.job),
                "colour": each.groups.colour(row.leaf, picked, int(row.job)),
                "node": f"{each.run.letter} node {row.node}".strip(),
                "job": str(row.job),
                "team": plain(row.leaf),
                "gpus": count(int(row.gpus)),
                "state": row.state,
            }
            for name, cell in cells.items():
                columns[row.state][name].append(cell)
    return [
        Layer(
            name=state,
            mark="rectangles",
            columns={
                name: np.array(values, object if name in ("colour", *TEXTS) else np.float64)
                for name, values in columns[state].items()
            },
            style=styles[state],
            hover=SAID,
            pick=("job", "number"),
        )
        for state in STATES
    ]


def _names(maps: Sequence[_Map]) -> Layer:
    several = [each for each in maps if len(maps) > 1]
    return Layer(
        name="runs",
        mark="labels",
        columns={
            "x": np.zeros(len(several)),
            "y": [-each.down + 0.1 for each in several],
            "text": np.array([each.run.name for each in several], object),
        },
        style={"text_font_style": "bold", "text_baseline": "bottom"},
    )


def _keys(maps: Sequence[_Map], picked: Highlight) -> list[Key]:
    """Return what each state looks like, as far as it is there, and the hues of the budgets."""
    styles: dict[str, dict[str, Any]] = {
        "protected": {"fill_color": NEUTRAL, "line_color": INK},
        "interruptible": {"fill_color": NEUTRAL, "fill_alpha": TINT, "line_color": NEUTRAL},
        "unallocated": {"fill_color": WHITE, **hatched(NEUTRAL), "line_color": NEUTRAL},
    }
    there = {
        "idle": True,
        "draining": any((each.of.state == DRAINING).any() for each in maps),
        "down": any((each.of.state == DOWN).any() for each in maps),
    }
    keys = [Key(name=state, mark="rectangles", style=style, text=state) for state, style in styles.items()]
    keys += [
        Key(name=state, mark="rectangles", style=style, text=state if there[state] else "")
        for state, style in LOOKS.items()
    ]
    groups = maps[-1].groups
    for slot in range(len(PALETTE) + 1):
        budget = groups.budgets[slot] if slot < len(groups.budgets) else ""
        more = len(groups.budgets) - slot if slot == len(PALETTE) else 1
        name = short(budget.split("/")[-1]) if more == 1 else f"{more} others"
        keeps = not budget or groups.colour(budget, picked) != FADED
        keys.append(
            Key(
                name=f"hue {slot + 1}",
                mark="rectangles",
                style={"fill_color": group_colour(slot) if keeps else FADED},
                text=name if budget else "",
            )
        )
    return keys


def _rows(each: _Map) -> list[tuple[str, list[str]]]:
    """Return what each team holds, and last the whole cluster."""
    found = []
    name = f", {each.run.name}" if each.run.letter else ""
    of_team: dict[str, dict[str, int]] = {leaf: dict.fromkeys(STATES, 0) for leaf in each.groups.leaves}
    nodes: dict[str, set[int]] = {leaf: set() for leaf in of_team}
    for row in rows_of(each.of.held):
        of_team[row.leaf][row.state] += int(row.gpus)
        nodes[row.leaf].add(int(row.node))
    for leaf, by_state in of_team.items():
        cells = [sum(by_state.values()), *by_state.values(), len(nodes[leaf])]
        found.append((f"{plain(leaf)}{name}", [count(cell) for cell in cells]))
    by = [sum(of[state] for of in of_team.values()) for state in STATES]
    used = len(set().union(*nodes.values()))
    found.append((f"all teams{name}", [count(cell) for cell in (sum(by), *by, used)]))
    cluster = each.run.result.scenario.cluster
    of_cluster = [count(cluster.gpus), "", "", "", count(cluster.nodes)]
    down, draining = (int((each.of.state == state).sum()) for state in (DOWN, DRAINING))
    found.append((f"the cluster at {moment(each.of.time)}{name}", of_cluster))
    found.append((f"down{name}", [count(down * cluster.gpus_per_node), "", "", "", count(down)]))
    found.append((f"draining{name}", [count(draining * cluster.gpus_per_node), "", "", "", count(draining)]))
    return found


def _summary(maps: Sequence[_Map], rows: dict[str, list[str]]) -> str:
    parts = []
    for each in maps:
        name = f", {each.run.name}" if each.run.letter else ""
        at = moment(each.of.time)
        held, whole = rows[f"all teams{name}"], rows[f"the cluster at {at}{name}"]
        down = rows[f"down{name}"][-1]
        text = f"{each.run.under} {held[0]} of {whole[0]} GPUs were held on {at}, {held[3]} of them unallocated"
        parts.append(f"{text}, and {down} of {whole[-1]} nodes were down" if down != "0" else text)
    return sentence(parts)
