"""Each figure is what a loop over the rows of the tables gives."""

from __future__ import annotations

import pytest

from allotment.experiment.simulate import simulate, variant
from allotment.lessons.metrics import AT_THE_MARK, FOUR, METRICS, Group
from allotment.presets import load_scenario
from allotment.results.result import Result
from allotment.units import DAY, HOUR

DAYS = 4
GROUPS = (
    Group(),
    Group(leaves=("climate",)),
    Group(kinds=("training",)),
    Group(leaves=("climate", "biology"), kinds=("debug",), at_most=HOUR),
    Group(since=8 * DAY, until=9 * DAY, at_most=12 * HOUR),
)


@pytest.fixture(scope="module")
def result() -> Result:
    return simulate(variant(load_scenario("small-week"), days=DAYS))


@pytest.fixture(scope="module")
def jobs(result: Result) -> list[dict[str, object]]:
    return result.jobs.to_dict("records")


def chosen(result: Result, rows: list[dict], group: Group) -> list[dict]:
    paths = {result.scenario.plan.path(leaf) for leaf in group.leaves}
    return [
        row for row in rows if (not paths or row["leaf"] in paths) and (not group.kinds or row["kind"] in group.kinds)
    ]


def seen(result: Result, rows: list[dict], group: Group) -> list[dict]:
    since, until = group.span(result)
    last = min(until, result.horizon - group.at_most)
    return [row for row in chosen(result, rows, group) if since <= row["submit"] < last]


def slices_of(result: Result, rows: list[dict], group: Group) -> list[dict]:
    ids = {row["job"] for row in chosen(result, rows, group)}
    return [row for row in result.slices.to_dict("records") if row["job"] in ids]


@pytest.mark.parametrize("group", GROUPS)
def test_waits_and_results_are_means_in_which_each_counts_its_most(result, jobs, group):
    rows = seen(result, jobs, group)
    assert rows
    waits = [min(row["waited"], group.at_most) for row in rows]
    assert METRICS["wait"].of(result, group) == sum(waits) / len(rows)
    took = [
        min(row["end"] - row["submit"], group.at_most) if row["state"] == "finished" else group.at_most for row in rows
    ]
    assert METRICS["time_to_result"].of(result, group) == sum(took) / len(rows)
    done = [row for row in rows if row["state"] == "finished" and row["end"] - row["submit"] <= group.at_most]
    assert METRICS["finished"].of(result, group) == len(done) / len(rows)


@pytest.mark.parametrize("group", GROUPS)
def test_gpu_hours_are_those_of_the_ledger_in_the_time_that_is_looked_at(result, jobs, group):
    since, until = group.span(result)
    slices = {row["slice"]: row for row in slices_of(result, jobs, group)}
    held = {"charged": 0, "held": 0}
    for row in result.segments.to_dict("records"):
        if row["slice"] in slices:
            long = max(0, min(row["end"], until) - max(row["begin"], since)) * slices[row["slice"]]["take"]
            held["held"] += long
            held["charged"] += long if row["state"] != "unallocated" else 0
    for name, seconds in held.items():
        assert METRICS[name].of(result, group) == seconds / HOUR
    kept = sum(
        (row["kept"] - row["squatted"]) * row["take"] for row in slices.values() if since <= row["start"] < until
    )
    assert METRICS["durable"].of(result, group) == kept / HOUR
    asked = sum(row["take"] * row["work"] for row in chosen(result, jobs, group) if since <= row["submit"] < until)
    assert METRICS["had"].of(result, group) == pytest.approx(held["held"] / asked)


def test_use_beyond_the_share_is_nothing_below_it(result):
    rows = result.usage[(result.usage["time"] >= result.scenario.warmup) & (result.usage["node"] == "science/climate")]
    entitled = rows["entitlement"].sum()
    held = METRICS["held"].of(result, Group(leaves=("climate",)))
    assert METRICS["beyond_share"].of(result, Group(leaves=("climate",))) == pytest.approx(max(0, held / entitled - 1))
    debug = Group(leaves=("climate",), kinds=("debug",))
    assert METRICS["beyond_share"].of(result, debug) == 0


def test_what_is_wanted_is_told_as_a_part_of_what_teams_are_entitled_to(result):
    def of(*leaves: str) -> float:
        rows = result.usage[(result.usage["time"] >= result.scenario.warmup) & result.usage["node"].isin(leaves)]
        return rows["demand"].sum() / rows["entitlement"].sum()

    wanted = METRICS["wanted"].of
    assert wanted(result, Group(leaves=("climate",))) == pytest.approx(of("science/climate"))
    every = ("science/climate", "science/biology", "language/pretraining", "language/evaluation")
    assert wanted(result, Group()) == pytest.approx(of(*every))
    assert wanted(result, Group(leaves=("climate",), until=result.scenario.warmup)) is None


def test_what_is_lost_is_told_of_jobs_that_were_displaced(result, jobs):
    group = Group(kinds=("batch",))
    slices = [row for row in slices_of(result, jobs, group) if row["start"] >= result.scenario.warmup]
    displaced = {row["job"] for row in slices if row["ended"] == "preempted"}
    theirs = [row for row in slices if row["job"] in displaced]
    assert len(displaced) > 10
    whole = sum((row["end"] - row["start"]) * row["take"] for row in theirs) / HOUR
    lost = METRICS["lost_when_stopped"].of(result, group)
    assert lost == pytest.approx(sum(row["lost"] for row in theirs) / whole)
    assert 0 < lost < 1


def test_a_stop_at_the_mark_follows_the_end_of_a_contract(result, jobs):
    group = Group(kinds=("training",))
    marks: dict[int, int] = {}
    for row in result.segments.to_dict("records"):
        if row["state"] == "protected":
            marks[row["slice"]] = max(row["end"], marks.get(row["slice"], 0))
    reached = stopped = 0
    for row in slices_of(result, jobs, group):
        mark = marks.get(row["slice"])
        if mark is None or mark < result.scenario.warmup or mark >= result.horizon:
            continue
        if row["end"] > mark or row["ended"] == "preempted":
            reached += 1
            stopped += row["ended"] == "preempted" and row["end"] - mark <= AT_THE_MARK
    assert reached > 20
    assert METRICS["stopped_at_the_mark"].of(result, group) == stopped / reached


def test_the_wait_for_gpus_at_hand_is_nothing_while_some_are_held(result, jobs):
    group = Group(leaves=("climate",), kinds=("debug",), at_most=6 * HOUR)
    since, until = group.span(result)
    slices = slices_of(result, jobs, group)
    waits = []
    for moment in range(since, until - group.at_most, HOUR):
        now = any(row["start"] <= moment < row["end"] for row in slices)
        later = [row["start"] - moment for row in slices if row["start"] > moment]
        waits.append(0 if now else min([group.at_most, *later]))
    assert METRICS["time_to_hold"].of(result, group) == sum(waits) / len(waits)
    assert any(waits)


def test_figures_of_the_whole_cluster_are_those_of_the_summary(result):
    idle = result.summary["idle"]
    assert METRICS["occupancy"].of(result, Group()) == result.summary["occupancy"]
    assert METRICS["idle"].of(result, Group()) == pytest.approx(1 - result.summary["occupancy"] - idle["no_demand"])
    assert METRICS["idle_without_cause"].of(result, Group()) == 0
    assert METRICS["delivered"].of(result, Group()) == result.summary["delivered"]["cumulative"]


def test_a_group_without_jobs_has_no_wait_and_holds_nothing(result):
    nobody = Group(kinds=("training",), since=result.horizon - 1, at_most=HOUR)
    assert [METRICS[name].of(result, nobody) for name in ("wait", "time_to_result", "finished")] == [None] * 3
    assert METRICS["durable"].of(result, nobody) == 0
    assert set(FOUR) < set(METRICS)
