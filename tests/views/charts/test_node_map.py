"""The picture of the nodes at a moment."""

from __future__ import annotations

import pytest

from allotment.results.moment import DOWN, DRAINING, moment
from allotment.views.charts.groups import Highlight
from allotment.views.charts.node_map import node_map
from allotment.views.theme import FADED
from tests.views.charts.looked_at import check


def test_every_slice_stands_on_its_nodes(made):
    at = moment(made, 2100)
    assert at.held[["node", "gpus", "job", "leaf", "state"]].to_numpy().tolist() == [
        [0, 1, 1, "speech", "protected"],
        [1, 4, 2, "vision/drones", "unallocated"],
    ]


def test_a_gang_fills_each_of_its_nodes(made):
    assert moment(made, 100).held[["node", "gpus"]].to_numpy().tolist() == [[0, 8], [1, 8]]


def test_no_node_holds_more_than_it_has_and_all_is_what_the_ledger_says(pair):
    for time in (pair[1].scenario.warmup, pair[1].horizon - 1):
        at = moment(pair[1], time)
        assert at.held.groupby("node")["gpus"].sum().max() <= pair[1].scenario.cluster.gpus_per_node
        parts = pair[1].slices
        running = parts[((parts["start"] <= time) & (parts["end"] > time)).to_numpy()]
        assert at.held["gpus"].sum() == running["take"].sum()
        healthy = pair[1].capacity[(pair[1].capacity["time"] <= time).to_numpy()].iloc[-1]
        per_node = pair[1].scenario.cluster.gpus_per_node
        assert (at.state == DOWN).sum() * per_node == healthy["down"]
        assert (at.state == DRAINING).sum() * per_node == healthy["draining"]


@pytest.mark.parametrize("picked", [Highlight(), Highlight(time=100), Highlight(team="vision/robots")])
def test_it_is_drawn_at_the_moment_that_is_picked_out(made, picked):
    shown = node_map(made, highlight=picked)
    check(shown)
    assert len(shown.layer("nodes")) == 2


def test_two_runs_are_one_above_the_other_and_one_team_keeps_its_hue(pair):
    shown = node_map(*pair, highlight=Highlight(team="science/biology"))
    check(shown)
    for state in ("protected", "interruptible", "unallocated"):
        columns = shown.layer(state).columns
        for team, colour in zip(columns["team"], columns["colour"], strict=True):
            assert (colour == FADED) == (team != "science/biology")
