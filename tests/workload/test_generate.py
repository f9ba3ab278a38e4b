from __future__ import annotations

import hashlib
from datetime import datetime
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo

import attrs
import numpy as np
import pytest

from allotment.errors import ValueProblems
from allotment.model.cluster import Cluster
from allotment.model.codes import Priority
from allotment.model.job import gpus_taken
from allotment.model.plan import Plan, PlanNode
from allotment.units import DAY, HOUR, MINUTE, WEEK
from allotment.workload.attributes import CUSTOMARY_LIMITS
from allotment.workload.classes import (
    Contract,
    Cycle,
    Flurries,
    PriorityWeights,
    RecordedStream,
    RunTime,
    Size,
    Spread,
    Step,
)
from allotment.workload.generate import generate
from allotment.workload.table import COLUMNS
from tests.workload.made import CLUSTER, START, closed_stream, jobs, kind, of, open_stream, plan

PINNED = "1d359b6b55f8c439"  # of the jobs of one workload; a change here changes the jobs of every scenario


def digest(table: Any) -> str:
    whole = hashlib.blake2b(digest_size=8)
    for name in [name for name in COLUMNS if name != "hold"]:  # which no stream decides
        whole.update(getattr(table, name).astype("<i8").tobytes())
    return whole.hexdigest()


def test_the_same_scenario_has_the_same_jobs_on_every_machine() -> None:
    flurries = Flurries(per_week=2, fewest=5, most=9)
    streams = (open_stream(noise=2, flurries=flurries), closed_stream())
    assert digest(jobs(*streams)) == digest(jobs(*streams)) == PINNED
    assert digest(jobs(*streams, seed=1)) != PINNED


def test_other_streams_change_nothing_of_a_streams_jobs() -> None:
    alone = of(jobs(closed_stream()), "b")
    beside = of(jobs(open_stream(), closed_stream(), open_stream(name="more")), "b", stream="closed")
    assert alone == beside
    assert len(alone["work"]) > 100


def test_other_leaves_change_nothing_of_a_leafs_jobs() -> None:
    alone = jobs(open_stream(), closed_stream(), plan=plan(b=0.25))
    beside = jobs(open_stream(), closed_stream(), plan=plan(z=0.5, b=0.25, a=0.125))
    assert of(alone, "b") == of(beside, "b")


def test_names_and_the_order_of_siblings_and_streams_change_nothing() -> None:
    def tree(*nodes: PlanNode) -> Plan:
        return Plan(name="any", children=nodes)

    one = tree(PlanNode(id="a", share=0.5), PlanNode(id="b", share=0.25))
    other = tree(PlanNode(id="b", name="renamed", share=0.25), PlanNode(id="a", name="too", share=0.5))
    first = jobs(open_stream(), closed_stream(), plan=one)
    second = jobs(closed_stream(), open_stream(), plan=other)
    assert digest(first) == digest(second)
    assert first.leaves == second.leaves == ("a", "b")


def test_leaves_and_seeds_draw_different_jobs() -> None:
    table = jobs(open_stream(spread=Spread.EACH))
    assert of(table, "a")["work"][:50] != of(table, "b")["work"][:50]
    assert of(table, "a")["work"][:50] != of(jobs(open_stream(spread=Spread.EACH), seed=1), "a")["work"][:50]


def test_a_longer_run_begins_with_the_same_jobs() -> None:
    short, long = (jobs(open_stream(noise=1), closed_stream(), days=days) for days in (7, 28))
    for leaf in short.leaves:
        for stream in ("open", "closed"):
            before, after = of(short, leaf, stream), of(long, leaf, stream)
            count = len(before["work"])
            assert {name: column[:count] for name, column in after.items()} == before
            assert len(after["work"]) > count


def test_an_open_stream_submits_within_the_run_in_order_and_as_often_as_it_says() -> None:
    table = jobs(open_stream(jobs_per_week=5000), days=28)
    assert len(table) == pytest.approx(4 * 5000 * 0.875, rel=0.03)
    for leaf, share in (("a", 0.5), ("c", 0.125)):
        submit = of(table, leaf)["submit"]
        assert len(submit) == pytest.approx(20_000 * share, rel=0.06)
        assert submit == sorted(submit)
        assert submit[0] >= 0
        assert submit[-1] < 28 * DAY


def test_an_open_stream_follows_the_clock_of_the_time_zone_across_a_change_of_clocks() -> None:
    office = Cycle(hours=tuple(1.0 if 9 <= hour < 17 else 0.0 for hour in range(24)), days=(1, 1, 1, 1, 1, 0, 0))
    start = datetime(2026, 3, 2, tzinfo=ZoneInfo("America/Los_Angeles"))  # clocks change on the 8th
    table = jobs(open_stream(cycle=office, jobs_per_week=4000), start=start)
    hours = np.bincount(table.submit // HOUR, minlength=14 * 24)
    busy = set(np.flatnonzero(hours).tolist())
    first_week = {day * 24 + hour for day in range(5) for hour in range(9, 17)}
    second_week = {hour + WEEK // HOUR - 1 for hour in first_week}
    assert busy == first_week | second_week


def test_weights_and_leaves_say_who_submits() -> None:
    table = jobs(open_stream(leaves=("a", "c"), weights=(1, 3), spread=Spread.EACH, jobs_per_week=1000), days=28)
    counts = [len(of(table, leaf)["work"]) for leaf in ("a", "b", "c")]
    assert counts[1] == 0
    assert counts[0] == pytest.approx(4000, rel=0.06)
    assert counts[2] == pytest.approx(12_000, rel=0.06)


def test_kinds_are_mixed_by_their_weights() -> None:
    table = jobs(open_stream(kinds=(kind("x", weight=1), kind("y", weight=4))), days=28)
    counts = np.bincount(table.kind)
    assert table.kinds == ("x", "y")
    assert counts[1] / counts[0] == pytest.approx(4, rel=0.15)


def test_the_jobs_of_a_flurry_have_one_user_and_one_size() -> None:
    stream = open_stream(jobs_per_week=0, flurries=Flurries(per_week=1, fewest=20, most=20, spacing=1))
    table = jobs(stream, days=70)
    found = of(table, "a")
    assert len(found["work"]) >= 60
    for begin in range(0, len(found["work"]) - 20, 20):
        flurry = slice(begin, begin + 20)
        if found["submit"][begin + 19] - found["submit"][begin] == 19:  # not torn by another one
            assert len(set(found["user"][flurry])) == len(set(found["gpus"][flurry])) == 1
            assert len(set(found["work"][flurry])) > 10


def test_a_closed_stream_cannot_run_dry() -> None:
    table = jobs(closed_stream(kinds=(kind("x", weight=1), kind("y", weight=2))))
    horizon = 14 * DAY
    assert table.streams.closed.all()
    for row in range(len(table.streams)):
        mask = table.stream == row
        _, targets = table.streams.target(row)
        take = gpus_taken(table.gpus[mask], 8)
        assert np.flatnonzero(mask).tolist() == list(range(np.flatnonzero(mask)[0], np.flatnonzero(mask)[-1] + 1))
        held = int(targets.max()) + int(take.max()) // 2
        longest = np.argsort(-table.work[mask])[: held + 1]  # what may be unfinished in the end, at worst
        longest = longest[np.cumsum(take[longest]) <= held]
        assert int((take * table.work[mask]).sum()) >= held * horizon + int((take * table.work[mask])[longest].sum())
        assert set(table.submit[mask].tolist()) == {-1}


def test_targets_divide_the_demand_by_share_and_kind() -> None:
    kinds = (kind("x", weight=1), kind("y", weight=3))
    table = jobs(closed_stream(kinds=kinds, demand=2.0, swing=None, steps=(Step(at=DAY, factor=0.5),)))
    targets = {
        (table.leaves[table.streams.leaf[row]], table.streams.kinds[row]): [
            x.tolist() for x in table.streams.target(row)
        ]
        for row in range(len(table.streams))
    }
    assert targets["a", "x"] == [[0, DAY], [32, 16]]  # 2 x 1/2 x 128 GPUs, a quarter of it
    assert targets["a", "y"] == [[0, DAY], [96, 48]]
    assert targets["c", "y"] == [[0, DAY], [24, 12]]


def test_the_kinds_of_a_team_swing_together_and_teams_by_themselves() -> None:
    table = jobs(closed_stream(kinds=(kind("x"), kind("y"))))
    times = {
        (table.leaves[table.streams.leaf[row]], table.streams.kinds[row]): table.streams.target(row)[0].tolist()
        for row in range(len(table.streams))
    }
    assert times["a", "x"] == times["a", "y"]
    assert times["a", "x"] != times["b", "x"]


def test_nobody_asks_more_than_the_stream_allows() -> None:
    table = jobs(closed_stream(kinds=(kind(sizes=tuple(Size(gpus=g) for g in (8, 32, 64, 128))),)))
    largest = {leaf: max(of(table, leaf)["gpus"]) for leaf in table.leaves}
    assert largest == {"a": 128, "b": 128, "c": 64}  # four times the share


def test_a_leaf_too_small_for_any_size_asks_the_smallest() -> None:
    table = jobs(closed_stream(), plan=plan(a=0.5, tiny=Fraction(1, 10_000)))
    assert of(table, "tiny")["gpus"] == []  # 2 x 128 / 10,000 GPUs round to nothing
    table = jobs(closed_stream(least=1), plan=plan(a=0.5, tiny=Fraction(1, 10_000), none=0))
    for leaf in ("tiny", "none"):
        assert set(of(table, leaf)["gpus"]) == {4}
        assert len(of(table, leaf)["gpus"]) > 1


def test_a_leaf_without_a_share_submits_nothing_unless_told_so() -> None:
    assert set(of(jobs(open_stream(), closed_stream(), plan=plan(a=1, none=0)), "none")["work"]) == set()
    assert len(of(jobs(open_stream(spread=Spread.EACH), plan=plan(a=1, none=0)), "none")["work"]) > 1000


def test_jobs_of_an_inner_node_belong_to_what_its_children_leave() -> None:
    tree = Plan(
        name="tree",
        children=(PlanNode(id="lab", share=0.5, children=(PlanNode(id="x", share=0.5),)), PlanNode(id="y", share=0.25)),
    )
    everyone = jobs(open_stream(), plan=tree)
    assert everyone.leaves == ("x", "y")
    named = jobs(open_stream(leaves=("lab",), spread=Spread.EACH, jobs_per_week=100), plan=tree)
    assert named.leaves == ("lab/own", "x", "y")
    assert len(of(named, "lab/own")["work"]) == len(named) > 100


def test_attributes_keep_their_promises() -> None:
    asked = kind(
        contracts=(Contract(min_runtime=8 * HOUR, weight=1), Contract(min_runtime=HOUR, weight=3)),
        run_time=RunTime(median=HOUR, sigma=1.0, shortest=60, longest=2 * DAY, early_failures=0.5),
        resumable=0.25,
        preemptible=0.75,
        priorities=PriorityWeights(low=1, high=3),
        users=4,
        user_skew=2.0,
        limit_factor=2.0,
        startup=90,
    )
    table = jobs(open_stream(kinds=(asked,), jobs_per_week=20_000))
    assert table.work.min() >= 60
    assert table.work.max() <= 2 * DAY
    assert np.mean(table.work < 15 * MINUTE) == pytest.approx(0.5, abs=0.05)
    assert np.all(table.limit >= table.work + 90)
    assert set(table.limit.tolist()) <= {*CUSTOMARY_LIMITS}
    assert np.all(table.min_runtime <= table.limit)
    assert set(table.min_runtime.tolist()) <= {8 * HOUR, 4 * HOUR, 2 * HOUR, HOUR, 30 * MINUTE, 15 * MINUTE}
    assert table.resumable.mean() == pytest.approx(0.25, abs=0.01)
    assert table.preemptible.mean() == pytest.approx(0.75, abs=0.01)
    assert set(table.priority.tolist()) == {Priority.LOW, Priority.HIGH}
    assert np.mean(table.priority == Priority.HIGH) == pytest.approx(0.75, abs=0.01)
    names = np.array(table.users)[table.user[table.leaf == 0]]
    people, counts = np.unique(names, return_counts=True)
    assert people.tolist() == ["a-u01", "a-u02", "a-u03", "a-u04"]
    assert counts[0] / counts[3] == pytest.approx(16, rel=0.25)


def test_an_early_end_is_not_foreseen_by_the_time_limit() -> None:
    fails = RunTime(median=8 * HOUR, sigma=0, early_failures=1.0, early_median=60, early_sigma=0)
    table = jobs(open_stream(kinds=(kind(run_time=fails, limit_factor=1.0, startup=0),)))
    assert set(table.work.tolist()) == {60}
    assert set(table.limit.tolist()) == {8 * HOUR}


def test_a_node_is_not_named_twice_under_two_names() -> None:
    tree = Plan(name="tree", children=(PlanNode(id="lab", share=0.5, children=(PlanNode(id="x", share=0.5),)),))
    with pytest.raises(ValueProblems, match="name one of them"):
        jobs(open_stream(leaves=("lab", "lab/own")), plan=tree)
    with pytest.raises(ValueProblems, match="'x/own', which is no node"):
        jobs(open_stream(leaves=("x/own",)), plan=tree)


def test_everything_that_does_not_fit_together_is_said_at_once() -> None:
    streams = (
        open_stream(leaves=("nobody",)),
        open_stream(kinds=(kind(sizes=(Size(gpus=129),)),)),
        RecordedStream(path="jobs.csv"),
    )
    with pytest.raises(ValueProblems) as caught:
        generate(streams, plan(), CLUSTER, START, DAY, 0)
    assert len(caught.value.problems) == 4
    assert "'nobody'" in str(caught.value)
    assert "jobs.csv" in str(caught.value)


def test_a_workload_that_no_machine_could_hold_is_refused() -> None:
    with pytest.raises(ValueProblems, match="jobs"):
        jobs(open_stream(jobs_per_week=10_000_000), days=70)
    short = kind(run_time=RunTime(median=1, sigma=0, shortest=1))
    with pytest.raises(ValueProblems, match="jobs"):
        jobs(closed_stream(kinds=(short,)), days=70)


def test_an_empty_workload_is_an_empty_table() -> None:
    table = jobs()
    assert len(table) == len(table.streams) == 0
    assert table.leaves == ("a", "b", "c")


def test_a_size_that_does_not_fit_is_refused_rather_than_left_out() -> None:
    sizes = (Size(gpus=2), Size(gpus=25), Size(gpus=26, weight=0))
    with pytest.raises(ValueProblems, match="size 25 of kind '.*' in stream .* does not fit on the 24 GPUs") as caught:
        jobs(open_stream(kinds=(kind(sizes=sizes),)), cluster=Cluster.parse("3x8"))
    assert len(caught.value.problems) == 1


def test_arrays_cannot_be_changed_by_accident() -> None:
    table = jobs(open_stream())
    with pytest.raises(ValueError, match="read-only"):
        table.work[0] = 1
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        table.work = table.gpus  # type: ignore[misc]
