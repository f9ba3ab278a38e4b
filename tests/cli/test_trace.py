"""`allotment simulate --trace`: recorded jobs, and every row accounted for."""

from __future__ import annotations

from pathlib import Path

import pytest

from allotment.interop import result_files
from allotment.units import DAY, HOUR
from tests.cli.typed import Shell

HEADER = "job_id,team,user,submit_s,gpus,duration_s\n"
POLICIES = (
    "budgets",
    "priority",
    "priority-any",
    "priority-strict",
    "fifo",
    "fifo-any",
    "fifo-strict",
    "fair-tree",
    "quota",
)


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """Write 400 jobs of two teams over two days, and some rows that are none."""
    rows = [f"j{n},{'ab'[n % 2]},u,{n * 432},{1 + n % 8},{600 + 60 * (n % 90)}" for n in range(400)]
    rows += ["k1,a,u,100,0,60", "k2,b,u,100,1,0", "k3,a,u,100,999,60", "k4,,u,100,1,60", "j0,a,u,9,1,9"]
    file = tmp_path / "jobs.csv"
    file.write_text(HEADER + "\n".join(rows) + "\n")
    return file


def test_every_row_is_accounted_for(shell: Shell, recording: Path) -> None:
    ended = shell("simulate", "--trace", recording, "--cluster", "2x8", "--json")
    assert (ended.status, ended.err) == (0, "")
    summary = ended.json
    (report,) = summary["recordings"].values()
    assert (report["read"], report["used"]) == (405, 400)
    assert sum(item["count"] for item in report["skipped"]) == 5
    assert {item["what"] for item in report["skipped"]} >= {
        "asks for no GPU",
        "zero run time",
        "larger than the cluster",
    }
    assert sum(summary["replay"]["jobs_at_the_end"].values()) == 400
    assert set(summary["team_wait"]) == {"a", "b"}
    assert {row["team"] for row in summary["delivery"]} == {"a", "b"}


def test_what_was_decided_for_it_is_said(shell: Shell, recording: Path) -> None:
    page = shell("simulate", "--trace", recording, "--cluster", "2x8").out
    words = " ".join(page.split())
    for sentence in (
        "jobs.csv: 405 rows read, 400 jobs used",
        "skipped 1: asks for no GPU (first in data row 401, line 402)",
        "no plan given: 2 teams, equal shares",
        "the first 9h are warm-up, a fifth of the recording: nothing of them is counted",
        "the run goes on after the last submission for twice what the cluster needs for what is left then (",
        "by team",
    ):
        assert sentence in words
    assert max(map(len, page.splitlines())) <= 80


def test_what_is_said_is_true_of_a_short_recording_too(shell: Shell, tmp_path: Path) -> None:
    file = tmp_path / "short.csv"
    file.write_text(HEADER + "j1,a,u,10,1,60\nj2,b,u,20,1,60\n")
    words = " ".join(shell("simulate", "--trace", file, "--cluster", "2x8").out.split())
    assert "there is no warm-up: the recording is too short for a whole hour of it" in words
    assert "the run ends with the last submission" in words
    assert "a fifth" not in words
    days = " ".join(shell("simulate", "--trace", file, "--cluster", "2x8", "--days", "1").out.split())
    assert "1 day is measured after that" in days
    assert "assumed: no plan given: 2 teams, equal shares" in days


def test_the_days_that_are_measured_can_be_given(shell: Shell, recording: Path) -> None:
    summary = shell("simulate", "--trace", recording, "--cluster", "2x8", "--days", "1", "--json").json
    assert (summary["warmup"], summary["measured"]) == (9 * HOUR, DAY)
    (report,) = summary["recordings"].values()
    late = [item["count"] for item in report["skipped"] if item["what"] == "submitted after the end"]
    assert late == [sum(n * 432 >= 33 * HOUR for n in range(400))]
    assert report["read"] == report["used"] + sum(item["count"] for item in report["skipped"])


def test_a_plan_of_ones_own_gives_teams_their_shares(shell: Shell, recording: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text("format: 1\nname: mine\nchildren:\n  - {id: a, share: 0.9}\n")
    summary = shell("simulate", "--trace", recording, "--cluster", "2x8", "--plan", plan, "--json").json
    (report,) = summary["recordings"].values()
    assert {"team unknown to the plan": 200}.items() <= {s["what"]: s["count"] for s in report["skipped"]}.items()
    assert set(summary["team_wait"]) == {"a"}


def test_several_policies_replay_the_same_jobs_and_show_every_team(shell: Shell, recording: Path) -> None:
    typed = ("simulate", "--trace", recording, "--cluster", "2x8", "-p", "budgets", "-p", "fifo")
    page = shell(*typed).out
    for policy in ("budgets", "fifo"):
        assert f"Teams under {policy}, seed 0" in page
    assert max(map(len, page.splitlines())) <= 80
    one, other = shell(*typed, "--json").json
    assert one["jobs"]["submitted"] == other["jobs"]["submitted"] > 300


def test_a_saved_replay_can_be_checked_without_the_recording(shell: Shell, recording: Path, tmp_path: Path) -> None:
    shell("simulate", "--trace", recording, "--cluster", "2x8", "--out", tmp_path / "replay")
    recording.unlink()
    assert shell("check", tmp_path / "replay").status == 0
    assert result_files.read(tmp_path / "replay").scenario.name == "jobs"


def test_a_scenario_file_may_name_a_recording(shell: Shell, recording: Path, tmp_path: Path) -> None:
    (tmp_path / "replay.yaml").write_text(
        "format: 1\nname: replay\ncluster: 2x8\npolicy: fifo\nwarmup: 0s\nmeasured: 1d\n"
        "plan: {name: two, children: [{id: a, share: 0.5}, {id: b, share: 0.5}]}\n"
        "workload:\n  - {type: recorded, name: mine, path: jobs.csv}\n"
    )
    summary = shell("simulate", tmp_path / "replay.yaml", "--json").json
    assert summary["recordings"]["mine"]["read"] == 405
    assert summary["jobs"]["submitted"] == 200


@pytest.mark.traces
def test_all_rows_of_philly_are_replayed_under_every_policy_in_seconds(shell: Shell, traces: Path) -> None:
    file = traces / "philly-2017" / "jobs-5weeks.csv.gz"
    policies = [option for name in POLICIES for option in ("-p", name)]
    runs = shell("simulate", "--trace", file, "--cluster", "64x8", *policies, "--json").json
    assert [run["policy"] for run in runs] == list(POLICIES)
    for run in runs:
        (report,) = run["recordings"].values()
        assert report["read"] == 49_875 == report["used"] + sum(item["count"] for item in report["skipped"])
        assert sum(run["replay"]["jobs_at_the_end"].values()) == report["used"]
        assert run["idle"]["unexplained"] == 0
        assert len(run["delivery"]) == len(run["team_wait"]) == 12


def test_a_saved_replay_is_simulated_again_from_its_folder_wherever_both_are_moved(
    shell: Shell, recording: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shell("simulate", "--trace", "jobs.csv", "--cluster", "2x8", "--out", "runs/tr")
    assert "path: ../../jobs.csv" in (tmp_path / "runs" / "tr" / "scenario.yaml").read_text()
    monkeypatch.chdir("/")
    (tmp_path / "elsewhere").mkdir()
    for moved in ("jobs.csv", "runs"):
        (tmp_path / moved).rename(tmp_path / "elsewhere" / moved)
    folder = tmp_path / "elsewhere" / "runs" / "tr"
    again = shell("simulate", folder / "scenario.yaml", "--json", "--out", tmp_path / "again")
    assert (again.status, again.json["recordings"]["recorded"]["used"]) == (0, 400)
    first, second = (result_files.read(place) for place in (folder, tmp_path / "again"))
    assert second.scenario == first.scenario
    assert all(frame.equals(first.tables[name]) for name, frame in second.tables.items())
    assert first.imports["recorded"].used == 400


def test_a_recording_that_has_changed_or_is_gone_is_told(shell: Shell, recording: Path, tmp_path: Path) -> None:
    shell("simulate", "--trace", recording, "--cluster", "2x8", "--out", tmp_path / "tr")
    recording.write_text(recording.read_text() + "z,a,u,1,1,1\n")
    ended = shell("simulate", tmp_path / "tr" / "scenario.yaml")
    assert (ended.status, ended.out) == (2, "")
    assert "is not the recording that the scenario was saved with" in ended.err
    assert "remove 'sha256'" in ended.err
    recording.unlink()
    ended = shell("simulate", tmp_path / "tr" / "scenario.yaml")
    assert ended.status == 2
    assert "jobs.csv: 1 problem\n  - there is no such file; put the recording back" in ended.err


def test_a_recording_of_teams_that_the_plan_does_not_know_is_a_mistake(
    shell: Shell, recording: Path, tmp_path: Path
) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text("format: 1\nname: mine\nchildren:\n  - {id: vision, share: 0.9}\n")
    ended = shell("simulate", "--trace", recording, "--cluster", "2x8", "--plan", plan)
    assert (ended.status, ended.out) == (2, "")
    assert "no row holds a job that can run" in ended.err
    assert "the plan does not know 'a', 'b'; its leaves are 'vision'" in ended.err


def test_teams_that_are_left_out_are_named(shell: Shell, recording: Path, tmp_path: Path) -> None:
    plan = tmp_path / "plan.yaml"
    plan.write_text("format: 1\nname: mine\nchildren:\n  - {id: a, share: 0.9}\n")
    assert (
        "teams unknown to the plan: 'b'"
        in shell("simulate", "--trace", recording, "--cluster", "2x8", "--plan", plan).out
    )


def test_a_replay_under_other_shares_has_the_same_jobs(shell: Shell, recording: Path) -> None:
    typed = ("simulate", "--trace", recording, "--cluster", "2x8", "--json")
    plain, changed = shell(*typed).json, shell(*typed, "--share", "a=0.9", "--share", "b=0.1").json
    assert plain["jobs"]["submitted"] == changed["jobs"]["submitted"]
    assert plain["delivery"] != changed["delivery"]
