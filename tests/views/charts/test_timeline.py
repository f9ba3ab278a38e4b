"""The picture of preemption: which jobs it shows, and that every mark stands where the tables say."""

from __future__ import annotations

import attrs
import numpy as np

from allotment.results.window import busiest, chosen
from allotment.units import HOUR
from allotment.views.charts.groups import Highlight
from allotment.views.charts.timeline import seen, timeline
from allotment.views.theme import FADED, PALETTE
from tests.views.charts.looked_at import check


def test_every_state_of_every_slice_is_a_bar(made):
    shown = timeline(made, (0, made.horizon))
    check(shown)
    assert seen(shown) == len(made.segments)
    for state in ("protected", "interruptible", "unallocated"):
        bars, rows = shown.layer(state).columns, made.segments[(made.segments["state"] == state).to_numpy()]
        assert sorted(bars["left"]) == sorted(rows["begin"])
        assert sorted(bars["right"]) == sorted(rows["end"])


def test_a_displaced_slice_has_a_cross_and_a_link_to_the_job_it_made_room_for(made):
    shown = timeline(made, (0, made.horizon))
    assert shown.layer("displaced").columns["x"].tolist() == [3900]
    assert shown.layer("displaced").columns["whom"].tolist() == ["speech 3"]
    place = {text: at for at, text in shown.y.ticks}
    link = {name: values.tolist() for name, values in shown.layer("links").columns.items()}
    assert link == {"x0": [3900], "y0": [place["drones 2"]], "x1": [3900], "y1": [place["speech 3"]]}


def test_what_a_fault_stopped_is_marked_in_another_way(made):
    assert timeline(made, (0, made.horizon)).layer("fault").columns["whom"].tolist() == ["its node failed"]


def test_checkpoints_stand_at_whole_steps_of_work(made):
    ticks = timeline(made, (0, made.horizon)).layer("checkpoints").columns["x0"]
    assert len(ticks)
    parts = made.slices.merge(made.jobs[["job", "checkpoint"]], on="job")
    saved = {
        int(part.start + part.overhead + step * part.checkpoint)
        for part in parts.itertuples()
        if part.checkpoint
        for step in range(1, int((part.end - part.start - part.overhead) // part.checkpoint) + 1)
    }
    assert {int(tick) for tick in ticks} <= saved


def test_bars_are_cut_at_the_ends_of_the_window(made):
    shown = timeline(made, (2000, 4000))
    check(shown)
    for state in ("protected", "interruptible", "unallocated"):
        bars = shown.layer(state).columns
        assert np.all((bars["left"] >= 2000) & (bars["right"] <= 4000) & (bars["left"] < bars["right"]))


def test_those_who_were_displaced_or_displaced_others_come_first(pair):
    begin, end = busiest(pair[1], 6 * HOUR)
    few = chosen(pair[1], begin, end, jobs=4)
    parts = pair[1].slices
    inside = parts[((parts["start"] < end) & (parts["end"] > begin)).to_numpy()]
    stopped = inside[((inside["ended"] == "preempted") & (inside["end"] < end)).to_numpy()]
    assert set(few.jobs["job"]) <= set(stopped["job"]) | set(stopped["for_job"].dropna())
    assert few.displaced == len(stopped) > 0
    assert few.held == inside["job"].nunique()


def test_a_job_that_is_picked_out_is_there_and_alone_keeps_its_hue(pair):
    begin, end = busiest(pair[1], 6 * HOUR)
    inside = pair[1].slices[((pair[1].slices["start"] < end) & (pair[1].slices["end"] > begin)).to_numpy()]
    job = int(inside["job"].iloc[-1])
    shown = timeline(pair[1], (begin, end), highlight=Highlight(job=job))
    check(shown)
    hues = {
        (int(number), colour)
        for state in ("protected", "interruptible", "unallocated")
        for number, colour in zip(
            shown.layer(state).columns["number"], shown.layer(state).columns["colour"], strict=True
        )
    }
    assert job in {number for number, _ in hues}
    assert {number for number, colour in hues if colour != FADED} == {job}


def test_teams_and_nodes_narrow_the_choice(pair):
    window = busiest(pair[1], 6 * HOUR)
    only = timeline(pair[1], window, teams=["science/biology"])
    assert {text.split()[0] for _, text in only.y.ticks} == {"biology"}
    assert set(only.layer("protected").columns["colour"]) <= {PALETTE[1]}
    on = chosen(pair[1], *window, nodes=[3])
    placed = pair[1].placements
    assert set(on.slices["slice"]) <= set(placed["slice"][(placed["node"] == 3).to_numpy()])


def test_there_are_never_more_bars_than_can_be_drawn(pair):
    assert len(chosen(pair[1], 0, pair[1].horizon, jobs=500, bars=100).segments) == 100


def test_a_window_in_which_nobody_ran_says_so(made):
    shown = timeline(made, (0, 20))
    check(shown)
    assert shown.summary == "Nobody held GPUs between day 0 00:00 and day 0 00:00."


def test_of_a_run_that_has_not_begun_the_window_begins_with_it(pair):
    none = attrs.evolve(pair[1], horizon=0, slices=pair[1].slices.iloc[:0])
    assert busiest(none, 6 * HOUR) == (0, 1)
