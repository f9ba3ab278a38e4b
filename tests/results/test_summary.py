import json
from fractions import Fraction

import attrs
import pytest

from allotment.model.codes import EndCode, IdleCause
from allotment.results import metrics
from allotment.results.columns import words
from allotment.results.result import build
from allotment.results.summary import lines, summarize
from allotment.units import HOUR
from tests.results.made import FIFO, INTERRUPTIBLE, PROTECTED, UNALLOCATED, Made, a_run


@pytest.fixture(scope="module")
def summary():
    return a_run().result().summary


def test_it_has_the_keys_that_are_promised_and_becomes_json_as_it_is(summary):
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary
    assert {"policy", "seed", "occupancy", "unallocated_share", "preemptions", "work_lost_gpu_hours"} <= set(summary)
    assert {"cumulative", "hourly", "teams_at_95", "worst", "comparable"} <= set(summary["delivered"])
    for waits in (summary["wait"], summary["gang_wait"]):
        assert all({"p50", "p90", "n", "censored"} <= set(wait) for wait in waits.values())
    assert {"debug", "batch", "training", "all"} == set(summary["wait"])
    assert set(summary["idle"]) == set(summary["idle_gpu_hours"]) == set(words(IdleCause))


def test_only_the_measured_time_counts(summary):
    # From 1 h on: protected and interruptible 8 x 1500 + 4 x (1800 - 30) on job 2 + 900 x 4; unallocated the rest.
    allocated = 8 * 1500 + 4 * (6000 - 4230) + 4 * 900
    unallocated = 4 * (3900 - 3600) + 4 * 30 + 4 * 30 + 2 * 900 + 4 * 900
    healthy = 16 * 2 * HOUR - 8 * 3000
    assert summary["occupancy"] == (allocated + unallocated) / healthy
    assert summary["unallocated_share"] == unallocated / (allocated + unallocated)
    assert summary["pyramid"]["availability"] == healthy / (16 * 2 * HOUR)
    assert summary["measured"] == 2 * HOUR
    assert summary["jobs"]["submitted"] == 5  # those submitted in it


def test_a_warm_up_that_ends_within_an_hour_counts_from_the_next_whole_one():
    made = a_run()
    made.warmup = 1800
    found = made.result().summary
    assert found["measured"] == 3 * HOUR - 1800
    assert found["occupancy"] == a_run().result().summary["occupancy"]


def test_waits_are_by_kind_with_those_that_never_started_counted(summary):
    assert summary["wait"]["debug"] == {"n": 2, "censored": 2, "p50": None, "p90": None, "comparable": True}
    assert summary["wait"]["training"] == {"n": 2, "censored": 1, "p50": 10, "p90": None, "comparable": True}
    assert summary["wait"]["all"]["n"] == 5


def test_waits_of_closed_streams_are_marked_as_not_comparable(summary):
    assert summary["wait"]["batch"]["comparable"] is False
    assert summary["wait"]["all"]["comparable"] is False
    assert summary["wait_open"]["n"] == 4
    assert summary["wait_open"]["comparable"] is True


def test_gangs_wait_by_the_gpus_they_take(summary):
    assert list(summary["gang_wait"]) == ["8", "16"]
    assert summary["gang_wait"]["8"]["p50"] == 10
    assert summary["gang_wait"]["16"]["censored"] == 1


def test_teams_wait_by_the_path_of_their_leaf(summary):
    assert {team: wait["n"] for team, wait in summary["team_wait"].items()} == {
        "speech": 3,
        "vision/drones": 1,
        "vision/robots": 1,
    }
    assert summary["team_wait"]["speech"] == {"n": 3, "censored": 1, "p50": 20, "p90": None, "comparable": False}


def test_a_run_that_was_stopped_early_says_so(summary):
    made = a_run()
    scenario = attrs.evolve(made.scenario, measured=3 * HOUR)
    assert build(scenario, made.table(), made.log()).summary["interrupted"] is True
    assert summary["interrupted"] is False


def test_a_kind_called_all_does_not_hide_the_total():
    made = Made(warmup=0)
    for kind in ("all", "other"):
        job = made.job(kind=kind, work=600)
        made.slice(job, 30, 630, ended=EndCode.FINISHED)
    waits = made.result().summary["wait"]
    assert {name: wait["n"] for name, wait in waits.items()} == {"all": 2, "all (kind)": 1, "other": 1}


def test_stops_and_what_they_threw_away_are_counted(summary):
    assert summary["preemptions"] == 1
    assert summary["restarts"] == 2
    assert summary["work_lost_gpu_hours"] == (4 * 50 + 4 * 10) / HOUR
    assert summary["stops"]["failed"] == {"n": 1, "work_lost_gpu_hours": 4 * 10 / HOUR}
    assert sum(summary["occupied_for"].values()) == pytest.approx(1)
    assert summary["pyramid"]["utilization"] == summary["occupied_for"]["useful"]


def two_leaves(**fields):
    """Speech gets all it is owed in the first hour only, robots twice what it is owed in the second only."""
    made = Made(warmup=0, hours=2, **fields)
    speech = made.job(leaf="speech", gpus=8, work=2 * HOUR, min_runtime=8 * HOUR)
    made.slice(speech, 0, HOUR, (PROTECTED, 0), ended=EndCode.FAILED)
    robots = made.job(leaf="robots", gpus=8, work=2 * HOUR, min_runtime=HOUR)
    made.slice(robots, HOUR, 2 * HOUR, (PROTECTED, HOUR), ended=EndCode.HORIZON)
    return made


def test_delivery_is_capped_over_the_whole_time_and_hour_by_hour():
    found = two_leaves().result().summary
    # Owed: speech 4.8 GPUs x 2 h, robots 4 GPUs x 2 h; given: speech 8 GPU-h in hour 0, robots 8 GPU-h in hour 1.
    speech, robots = Fraction(8, 1) / Fraction("9.6"), Fraction(8, 8)
    assert found["delivered"]["cumulative"] == float((8 + 8) / Fraction("17.6"))
    assert found["delivered"]["hourly"] == float((Fraction("4.8") + 4) / Fraction("17.6"))
    assert found["delivered"]["worst"] == float(speech)
    assert (found["delivered"]["teams"], found["delivered"]["teams_at_95"]) == (2, 1)
    teams = {team["team"]: team for team in found["delivery"]}
    assert set(teams) == {"speech", "vision/robots"}  # drones wanted nothing
    assert teams["vision/robots"]["cumulative"] == float(robots)
    assert teams["vision/robots"]["hourly"] == 0.5


def test_exactly_95_percent_is_at_95_percent():
    made = Made(warmup=0, hours=1)
    job = made.job(leaf="robots", gpus=4, work=HOUR, min_runtime=HOUR)
    made.slice(job, 180, HOUR, (PROTECTED, 180), ended=EndCode.HORIZON)
    delivered = made.result().summary["delivered"]
    assert (delivered["cumulative"], delivered["teams_at_95"]) == (0.95, 1)


def test_budgets_have_their_own_figures():
    made = Made(warmup=0, hours=1)
    job = made.job(leaf="drones", gpus=8, work=2 * HOUR, min_runtime=HOUR)
    made.slice(job, 0, HOUR, (PROTECTED, 0), ended=EndCode.HORIZON)
    made.job(leaf="robots", gpus=8)
    delivered = made.result().summary["delivered"]
    assert delivered["cumulative"] == 2 / 6  # drones was owed 2 and robots 4 GPUs; robots got none
    assert delivered["budgets"]["cumulative"] == 1.0  # vision was owed 8 GPUs and got 8
    assert delivered["budgets"]["teams"] == 1


def test_without_contracts_all_hours_count_as_delivered_and_are_marked():
    made = two_leaves(policy=FIFO)
    for part in made.slices:
        part.states = ((INTERRUPTIBLE, part.start),)
    result = made.result()
    assert result.summary["delivered"]["comparable"] is False
    assert result.summary["delivered"]["cumulative"] == float(16 / Fraction("17.6"))
    assert "delivered" not in {line.section for line in lines(result.summary)}


def test_work_since_the_last_checkpoint_is_not_lost_by_the_end_of_the_run():
    made = Made(warmup=0, hours=1)
    job = made.job(gpus=1, work=5 * HOUR, startup=60, checkpoint=3000)
    made.slice(job, 0, HOUR, (UNALLOCATED, 0), ended=EndCode.HORIZON)
    slices = made.result().slices
    assert metrics.worked(slices, 0, HOUR) == {
        "useful": HOUR - 60,
        "squatted": 0,
        "startup": 60,
        "restart": 0,
        "redone": 0,
    }


def test_a_slice_counts_only_as_far_as_it_lies_in_the_measured_time():
    made = a_run()
    slices = made.result().slices
    whole = metrics.worked(slices, 0, made.horizon)
    parts = [metrics.worked(slices, begin, begin + 100) for begin in range(0, made.horizon, 100)]
    assert {name: sum(part[name] for part in parts) for name in whole} == whole
    held = sum(made.take(part.job) * (part.end - part.start) for part in made.slices)
    assert sum(whole.values()) == held


def test_pressure_is_all_that_was_wanted_over_the_healthy_gpus(summary):
    usage = a_run().result().usage
    root = usage[(usage["depth"] == 0) & (usage["hour"] >= 1)]
    wanted = root[["demand", "demand_too_large", "demand_free"]].sum().sum()
    assert summary["pressure"] == pytest.approx(wanted / ((16 * 2 * HOUR - 8 * 3000) / HOUR))


def test_a_run_that_ends_in_its_warm_up_has_no_figures():
    found = attrs.evolve(a_run(), warmup=2 * HOUR + 1)
    summary = found.result().summary
    assert summary["occupancy"] is None
    assert summary["delivered"]["cumulative"] is None
    assert summary["delivered"]["worst"] is None
    json.dumps(summary, allow_nan=False)


def test_lines_say_every_figure_with_its_unit_and_format_none(summary):
    found = lines(summary)
    assert {line.unit for line in found} == {"", "s", "ratio", "times", "GPU-hours"}
    by_label = {(line.section, line.label): line.value for line in found}
    assert by_label["wait", "debug p90"] is None
    assert by_label["price", "preemptions"] == 1
    assert by_label["delivered", "of what teams were owed"] == summary["delivered"]["cumulative"]


def test_waits_are_by_leaf_too(summary):
    result = a_run().result()
    measured = result.jobs[result.jobs["submit"] >= HOUR]
    found = {team: wait["n"] for team, wait in summary["team_wait"].items()}
    assert found == measured["leaf"].astype(str).value_counts().to_dict()
    never = measured[measured["wait"].isna()]["leaf"].astype(str).value_counts().to_dict()
    assert {team: wait["censored"] for team, wait in summary["team_wait"].items() if wait["censored"]} == never


def test_a_run_that_ended_before_its_horizon_is_marked(summary):
    assert summary["interrupted"] is False
    made = a_run()
    result = made.result()
    longer = attrs.evolve(result.scenario, measured=result.scenario.measured + HOUR)
    assert summarize(longer, result.tables, result.horizon)["interrupted"] is True
