"""The picture of fair-share standing."""

from __future__ import annotations

import numpy as np

from allotment.results.standing import standing as standing_of
from allotment.units import DAY, HOUR
from allotment.views.charts.groups import Highlight
from allotment.views.charts.standing import standing
from allotment.views.theme import FADED, PALETTE
from tests.views.charts.looked_at import check


def test_every_budget_has_a_line_in_its_hue(pair):
    shown = standing(pair[1])
    check(shown)
    of = standing_of(pair[1])
    for slot, node in enumerate(("language", "science")):
        line = shown.layer(f"B {slot + 1}")
        assert line.style["line_color"] == PALETTE[slot]
        assert np.array_equal(line.columns["y"], of.ratio[of.nodes.index(node)])
    assert len(shown.layer("A 1")) == 0


def test_of_two_runs_the_first_is_dashed_and_above(pair):
    shown = standing(*pair)
    check(shown)
    assert shown.layer("A 1").style["line_dash"]
    assert not shown.layer("B 1").style["line_dash"]
    assert np.nanmin(shown.layer("A 1").columns["y"]) >= 2


def test_the_window_that_is_shaded_ends_at_the_moment_that_is_picked_out(pair):
    shown = standing(pair[1], highlight=Highlight(time=8 * DAY + 60, team="science/biology"))
    check(shown)
    window = {name: values.tolist() for name, values in shown.layer("window").columns.items()}
    assert (window["left"], window["right"]) == ([DAY], [8 * DAY])
    assert shown.layer("B 1").style["line_color"] == FADED
    assert shown.layer("B 2").style["line_color"] == PALETTE[1]


def test_a_run_by_hand_stands_where_its_numbers_say(made):
    shown = standing(made)
    check(shown)
    of = standing_of(made)
    assert of.time.tolist() == [0, HOUR, 2 * HOUR]
    assert (of.used[:, 0] == 0).all()
