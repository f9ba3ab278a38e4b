"""The picture of occupancy: that its areas are what the tables say, and that what is picked out keeps its hue."""

from __future__ import annotations

import numpy as np
import pytest

from allotment.results.occupied import block_hours, by_budget
from allotment.units import HOUR
from allotment.views.charts.groups import Groups, Highlight
from allotment.views.charts.occupancy import occupancy
from allotment.views.theme import FADED, PALETTE
from tests.views.charts.looked_at import check


def test_the_parts_of_every_block_sum_to_the_cluster(made):
    of = by_budget(made.usage, made.cluster, made.scenario.cluster.gpus, 2, made.horizon)
    assert np.allclose(of.allocated.sum(axis=0) + of.unallocated.sum(axis=0) + of.idle + of.out, 16)
    assert of.edges.tolist() == [0, 2 * HOUR, 3 * HOUR]
    held = made.cluster["allocated"].to_numpy()
    assert of.allocated.sum(axis=0) == pytest.approx([held[:2].mean(), held[2]])


def test_it_is_drawn_for_one_run_and_for_two(made, pair):
    assert check(occupancy(made)).picture.height < check(occupancy(*pair)).picture.height
    with pytest.raises(ValueError, match="one run, or two side by side, not 0"):
        occupancy()


def test_one_run_can_take_the_place_of_another(pair):
    drawn = check(occupancy(*pair))
    drawn.refresh(occupancy(pair[1], pair[0]))
    drawn.refresh(occupancy(pair[1]))
    assert drawn.picture.summary.startswith("Under budgets")


def test_the_highest_area_ends_at_all_gpus(pair):
    out = occupancy(pair[1]).layer("out").columns
    assert np.allclose(out["high"], pair[1].scenario.cluster.gpus)
    idle = occupancy(pair[1]).layer("idle").columns
    assert np.allclose(idle["high"], out["low"])


def test_what_is_picked_out_keeps_its_hue_and_the_rest_is_grey(pair):
    shown = occupancy(pair[1], highlight=Highlight(team="science/biology", time=5 * HOUR))
    assert shown.layer("allocated 1").style["fill_color"] == FADED
    assert shown.layer("allocated 2").style["fill_color"] == PALETTE[1]
    assert shown.layer("unallocated 2").style["hatch_color"] == PALETTE[1]
    assert shown.layer("moment").columns["x0"].tolist() == [5 * HOUR]
    job = int(pair[1].jobs["job"][(pair[1].jobs["leaf"] == "science/biology").to_numpy()].iloc[0])
    assert occupancy(pair[1], highlight=Highlight(job=job)).layer("allocated 1").style["fill_color"] == FADED


def test_groups_follow_the_order_of_the_plan(pair):
    groups = Groups.of(pair[0])
    assert groups.budgets == ("language", "science")
    assert groups.leaves == ("language/pretraining", "language/evaluation", "science/biology", "science/climate")
    assert groups.budget("science/climate") == "science"
    assert groups.budget("root") == groups.budget("nobody") == ""


@pytest.mark.parametrize("hours", [1, 30, 24 * 37, 24 * 365])
def test_there_are_never_too_many_blocks(hours):
    assert hours / block_hours(hours * HOUR) <= 90
