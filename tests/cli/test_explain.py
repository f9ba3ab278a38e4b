"""`allotment explain`, as people type it."""

from __future__ import annotations

import pytest

from allotment.cli.explaining import moment_of
from tests.cli.typed import Shell

TWO = """
format: 1
name: two
members:
  - {name: small, cluster: 4x8, plan: fifteen-teams, policy: priority, switches: [{time: 3d, policy: budgets}]}
  - {name: large, cluster: 8x8, plan: fifteen-teams, policy: budgets}
workload: small
portable: [{kind: debug, part: 0.5}]
warmup: 2d
measured: 2d
"""


def test_a_job_of_a_scenario_is_explained_at_eighty_columns(shell: Shell) -> None:
    ended = shell("explain", "small-week", 502)
    assert (ended.status, ended.err) == (0, "")
    assert max(len(line) for line in ended.out.splitlines()) <= 80
    parts = ["Job 502 of science/biology", "1 Turn", "2 Room", "3 Next chance", "All its waiting", "What would"]
    assert [ended.out.index(part) for part in parts] == sorted(ended.out.index(part) for part in parts)


def test_json_is_all_of_it_and_nothing_else(shell: Shell) -> None:
    ended = shell("explain", "small-week", 502, "--json", "--no-what-if")
    assert ended.json["job"]["job"] == 502
    assert sum(each["end"] - each["begin"] for each in ended.json["life"]) == ended.json["job"]["queued"]
    assert (ended.json["what_if"], ended.json["unexplained"]) == ([], 0)


def test_a_result_that_was_saved_is_explained_as_the_scenario_was(shell: Shell, tmp_path) -> None:
    folder = tmp_path / "small"
    assert shell("simulate", "small-week", "--out", folder).status == 0
    assert shell("explain", folder, 502).out == shell("explain", "small-week", 502).out


def test_a_policy_goes_with_a_scenario(shell: Shell, tmp_path) -> None:
    assert "of its own team" in shell("explain", "small-week", 12, "-p", "priority", "--no-what-if").out
    shell.small("--out", tmp_path / "small")
    ended = shell("explain", tmp_path / "small", 12, "-p", "priority")
    assert ended.status == 2
    assert "--policy goes with a scenario" in ended.err


def test_a_moment_is_named_as_it_is_shown(shell: Shell) -> None:
    ended = shell("explain", "small-week", 502, "--at", "day 0 05:00", "--no-what-if")
    assert "Why it waited, at day 0 05:00" in ended.out


def test_a_moment_at_which_it_ran_tells_what_it_did_and_what_could_not_change(shell: Shell) -> None:
    ended = shell("explain", "small-week", 502, "--at", "day 0 08:45")
    assert (
        "What it did, at day 0 08:45\nIt did not wait: it ran on 16 GPUs, protected by its contract until" in ended.out
    )
    said = " ".join(ended.out.split())
    assert "8 GPUs for 18 min, not 16 for 8 min 59 s, from its submission on" in said
    assert "At day 0 08:45 it ran: its GPUs and its contract were given by then." in said


def test_a_job_of_a_fleet_is_named_by_its_cluster_and_number(shell: Shell, tmp_path) -> None:
    (tmp_path / "two.yaml").write_text(TWO)
    ended = shell("explain", tmp_path / "two.yaml", "small/4", "--no-what-if")
    assert (ended.status, ended.out.startswith("Job 4 of ")) == (0, True)
    for typed, told in (
        ("smal/9", "the fleet 'two' has no member 'smal'; there are small, large"),
        ("1", "job 1 is on small, large; each member numbers its own jobs, so write which, such as small/1"),
        ("small/x", "there is no job 'small/x' in this fleet; write a member and a number, such as small/12"),
        ("small/99999999", "there is no job 99999999 among"),
    ):
        ended = shell("explain", tmp_path / "two.yaml", typed)
        assert (ended.status, told in ended.err) == (2, True), ended.err
    ended = shell("explain", tmp_path / "two.yaml", "small/4", "-p", "fifo")
    assert (ended.status, "in the fleet" in ended.err) == (2, True)


def test_what_it_costs_is_said_in_its_help(shell: Shell) -> None:
    assert "a run from that moment on for each" in " ".join(shell("explain", "--help").out.replace("│", " ").split())


def test_which_of_two_jobs_comes_first_is_one_sentence(shell: Shell) -> None:
    ended = shell("explain", "small-week", 522, "--versus", 519, "--no-what-if")
    assert "Job 519 comes before job 522: submitted at day 0" in " ".join(ended.out.split())
    told = shell("explain", "small-week", 522, "--versus", 519, "--no-what-if", "--json").json["versus"]
    assert (told["code"], told["parameters"]["first"]) == ("before_age", 519)


def test_a_recorded_job_is_named_by_its_id(shell: Shell, tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = ["job_id,team,submit_s,gpus,duration_s", "4711,vision,0,8,7200", "b-7,vision,5,8,3600", "4713,speech,9,1,60"]
    (tmp_path / "jobs.csv").write_text("".join(f"{row}\n" for row in rows))
    shell("simulate", "--trace", "jobs.csv", "--cluster", "1x8", "--out", "r")
    assert shell("explain", "r", "b-7").out.startswith("Job 1 (b-7) of vision\n")
    assert shell("explain", "r", "1").out == shell("explain", "r", "b-7").out
    ended = shell("explain", "r", "b-8")
    assert (ended.status, "there is no job 'b-8' in this result; did you mean 'b-7'?" in ended.err) == (2, True)


@pytest.mark.parametrize("text", ["day 3 14:09", "3d 14h 9m", "310140", " day  3 14:09 "])
def test_a_moment_can_be_written_in_three_ways(text: str) -> None:
    assert moment_of(text) == 310_140


@pytest.mark.parametrize(
    ("typed", "parts"),
    [
        (("explain", "small-week", "99999999"), ["there is no job 99999999", "numbered from", "the nearest is"]),
        (
            ("explain", "small-week", "502", "--at", "day 9 00:00"),
            ["job 502 neither waited nor ran at", "(day 9 00:00)", "it waited from"],
        ),
        (("explain", "small-week", "502", "--at", "day 99 00:00"), ["is not within the run"]),
        (("explain", "small-week", "502", "--at", "noon"), ["--at 'noon' is no moment", "'day 3 14:09'"]),
        (("explain", "small-week", "502", "--versus", "8509"), ["job 8509 does not wait at", "no place in line"]),
        (("explain", "small-week", "first"), ["there is no job 'first'", "jobs are named by their number"]),
        (("explain", "small-weak", "502"), ["'small-weak' is not there"]),
        (("explain", "./small-weak.yaml", "502"), ["there is no such file"]),
    ],
)
def test_a_mistake_is_told_once_and_clearly(shell: Shell, typed: tuple[str, ...], parts: list[str]) -> None:
    ended = shell(*typed)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith("error: ")
    assert [part for part in parts if part not in ended.err] == []


def test_a_folder_that_is_no_result_is_told(shell: Shell, tmp_path) -> None:
    ended = shell("explain", tmp_path, 1)
    assert ended.status == 2
    assert "holds no result" in ended.err
