"""A scenario made around a recording."""

from __future__ import annotations

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from allotment.errors import InputError
from allotment.interop.recorded_file import read_recorded
from allotment.interop.replay import backlog, read_recordings, replay
from allotment.model.cluster import Cluster
from allotment.model.plan import Plan, PlanNode
from allotment.model.policy import Contracts
from allotment.presets import load_policy, load_scenario
from allotment.units import DAY, HOUR
from allotment.workload.classes import RecordedStream

BUDGETS = load_policy("budgets")
NODE = Cluster.parse("1x8")


def write(path, rows):
    """Write a recording; each row is submit time, GPUs, run time, and perhaps a team."""
    lines = [f"j{n},{(*row, 'a')[3]},{row[0]},{row[1]},{row[2]}" for n, row in enumerate(rows)]
    path.write_text("\n".join(["job_id,team,submit_s,gpus,duration_s", *lines]) + "\n")
    return path


def test_the_scenario_holds_the_recording_and_goes_on_after_its_last_job(tmp_path):
    file = write(tmp_path / "jobs.csv.gz.csv", [(0, 8, 4 * HOUR), (9 * DAY, 8, 10 * HOUR)])
    made = replay(file, cluster=NODE, policy=BUDGETS)
    assert made.scenario.name == "jobs"
    assert made.scenario.warmup == 43 * HOUR
    assert made.submitted_until == 9 * DAY + HOUR
    assert made.scenario.horizon == 9 * DAY + HOUR + 2 * 9 * HOUR  # of the last job 9 h are left by then
    assert made.scenario.plan == made.recording.plan
    (stream,) = made.scenario.workload
    assert stream.path == str(file)
    assert read_recordings(made.scenario)[stream.name].report.used == 2


@pytest.mark.parametrize(("days", "warmup"), [(1, 5 * HOUR), (60, 7 * DAY), (0, 0)])
def test_the_warm_up_is_a_fifth_of_the_recording_and_at_most_a_week(tmp_path, days, warmup):
    made = replay(write(tmp_path / "jobs.csv", [(days * DAY, 1, 60)]), cluster=NODE, policy=BUDGETS)
    assert made.scenario.warmup == warmup
    assert made.scenario.measured > 0


def test_the_contract_of_a_job_stays_below_the_cap_of_the_policy(tmp_path):
    contracts = attrs.evolve(BUDGETS.contracts or Contracts(), cap=2 * HOUR)
    made = replay(
        write(tmp_path / "jobs.csv", [(0, 1, DAY)]), cluster=NODE, policy=attrs.evolve(BUDGETS, contracts=contracts)
    )
    assert made.recording.table.min_runtime.tolist() == [2 * HOUR]


def test_a_given_plan_is_kept_and_rows_of_other_teams_are_counted(tmp_path):
    plan = Plan(name="mine", children=(PlanNode(id="a", share=1),))
    file = write(tmp_path / "jobs.csv", [(0, 1, 60), (1, 1, 60, "b")])
    made = replay(file, cluster=NODE, policy=BUDGETS, plan=plan)
    assert made.scenario.plan == plan
    assert [(item.what, item.count) for item in made.recording.report.skipped] == [("team unknown to the plan", 1)]


def test_days_cut_the_recording_and_what_is_left_out_is_counted(tmp_path):
    file = write(tmp_path / "jobs.csv", [(hour * HOUR, 1, 60) for hour in range(240)])
    made = replay(file, cluster=NODE, policy=BUDGETS, days=3)
    assert made.scenario.measured == 3 * DAY
    end = made.scenario.horizon // HOUR
    assert made.recording.report.used == end
    assert [(item.what, item.count) for item in made.recording.report.skipped] == [
        ("submitted after the end", 240 - end)
    ]
    assert made.submitted_until == made.scenario.horizon
    assert any("no plan given" in note for note in made.notes)


def test_a_file_without_a_job_that_can_run_says_why(tmp_path):
    file = write(tmp_path / "jobs.csv", [(0, 99, 60), (0, 0, 60)])
    plan = Plan(name="mine", children=(PlanNode(id="a", share=1),))
    with pytest.raises(InputError) as told:
        replay(file, cluster=NODE, policy=BUDGETS, plan=plan)
    assert told.value.problems == (
        "no row holds a job that can run",
        "1 rows are skipped: asks for no GPU",
        "1 rows are skipped: larger than the cluster",
    )


def test_a_recording_that_is_too_long_for_a_scenario_says_so(tmp_path):
    file = write(tmp_path / "jobs.csv", [(0, 1, 60), (3649 * DAY, 1, 60), (3649 * DAY, 8, 3650 * DAY)])
    with pytest.raises(InputError, match="measured must be between"):
        replay(file, cluster=NODE, policy=BUDGETS)


def test_a_path_that_no_scenario_can_hold_is_told():
    with pytest.raises(InputError, match="printable text on one line"):
        replay("a\nb.csv", cluster=NODE, policy=BUDGETS)


def test_a_scenario_without_recordings_has_none():
    assert read_recordings(load_scenario("small-week")) == {}


@given(
    jobs=st.lists(st.tuples(st.integers(0, 5000), st.integers(1, 8), st.integers(1, 9000)), min_size=1, max_size=30),
    until=st.integers(5001, 9000),
)
def test_the_backlog_is_what_a_cluster_that_never_idles_for_nothing_would_have_left(tmp_path_factory, jobs, until):
    file = write(tmp_path_factory.mktemp("recording") / "jobs.csv", jobs)
    table = read_recorded(file, cluster=NODE, stream=RecordedStream(path=str(file))).table
    left, now = 0, 0
    for submit, gpus, work in sorted(jobs):
        left = max(0, left - 8 * (submit - now)) + gpus * work
        now = submit
    left = max(0, left - 8 * (until - now))
    assert backlog(table, NODE, until) == -(-left // 8)


def test_whole_nodes_count_in_the_backlog(tmp_path):
    file = write(tmp_path / "jobs.csv", [(0, 9, 100)])
    cluster = Cluster.parse("2x8")
    table = read_recorded(file, cluster=cluster).table
    assert np.array_equal(table.gpus, [9])
    assert backlog(table, cluster, 1) == 99
