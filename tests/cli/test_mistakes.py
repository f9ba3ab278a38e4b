"""Mistakes end with status 2 and one message that names the thing, the value and the way out."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError

import pytest

from tests.cli.typed import Shell

SCENARIO = ("simulate", "small-week")
TRACE = ("simulate", "--trace", "jobs.csv")


@pytest.mark.parametrize(
    ("typed", "parts"),
    [
        (("simulate",), ["name a scenario", "'allotment presets' lists them", "--trace"]),
        (("simulate", "smal-week"), ["no scenario 'smal-week'", "did you mean 'small-week'?"]),
        ((*SCENARIO, "-p", "budget"), ["no policy 'budget'", "did you mean 'budgets'?", "./budget.yaml"]),
        ((*SCENARIO, "--days", "-3"), ["--days must be at least 1, not -3"]),
        ((*SCENARIO, "--days", "4000"), ["measured must be between 1 and"]),
        ((*SCENARIO, "--seed", "-1"), ["--seed must be at least 0, not -1"]),
        ((*SCENARIO, "--demand", "nan"), ["demand must be between 0 and 1000, not nan"]),
        ((*SCENARIO, "--plan", "three-teams"), ["--plan 'three-teams' goes with --trace", "same jobs, add --share"]),
        ((*SCENARIO, "small-week"), ["scenario small-week is there twice"]),
        ((*SCENARIO, "smal-week"), ["no scenario 'smal-week'"]),
        ((*SCENARIO, "--share", "science"), ["--share 'science' must be a plan node and its new share"]),
        ((*SCENARIO, "--share", "a=1", "--share", "a=2"), ["--share of 'a' is there twice"]),
        (
            (*SCENARIO, "--share", "sience=0.3", "--share", "language=lots", "--share", "climate=0.6"),
            ["3 problems", "did you mean 'science'", "language: a share is written as", "(biology 0.5, climate 0.6)"],
        ),
        ((*SCENARIO, "--cluster", "64x8"), ["--cluster '64x8' goes with --trace"]),
        ((*SCENARIO, "--trace", "x.csv", "--cluster", "8x8"), ["leave out 'small-week' or --trace 'x.csv'"]),
        ((*SCENARIO, "-p", "fifo", "-p", "fifo"), ["--policy fifo is there twice"]),
        ((*SCENARIO, "--force"), ["--force is about the folder of --out"]),
        (TRACE, ["--trace needs a cluster", "64x8"]),
        ((*TRACE, "--cluster", "64x8"), ["jobs.csv", "there is no such file"]),
        ((*TRACE, "--cluster", "64y8"), ["'64y8' is not a cluster", "'64x8'"]),
        ((*TRACE, "--cluster", "h100"), ["no cluster 'h100'", "h100-88"]),
        ((*TRACE, "--cluster", "64x8", "--plan", "three"), ["no plan 'three'", "three-teams"]),
        ((*TRACE, "--cluster", "64x8", "--demand", "2"), ["--demand is for jobs that are made up"]),
        (("simulate", "./nowhere.yaml"), ["nowhere.yaml", "there is no such file"]),
        (("check", "nowhere"), ["'nowhere' is not there"]),
    ],
)
def test_a_mistake_is_told_once_and_clearly(shell: Shell, typed: tuple[str, ...], parts: list[str]) -> None:
    ended = shell(*typed)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith("error: ")
    assert [part for part in parts if part not in ended.err] == []
    assert "Traceback" not in ended.err


@pytest.mark.parametrize(
    ("typed", "part"),
    [
        (("simulat",), "simulate"),
        ((*SCENARIO, "--polcy", "fifo"), "--policy"),
        ((*SCENARIO, "--days", "many"), "--days"),
        ((*SCENARIO, "--seed"), "--seed"),
    ],
)
def test_what_cannot_be_taken_apart_is_told(shell: Shell, typed: tuple[str, ...], part: str) -> None:
    ended = shell(*typed)
    assert (ended.status, ended.out) == (2, "")
    assert "Error: " in ended.err
    assert part in ended.err


def test_everything_that_does_not_go_together_is_told_at_once(shell: Shell) -> None:
    ended = shell("simulate", "--plan", "p", "--cluster", "c", "--days", "0", "--force")
    assert "5 problems" in ended.err


def test_every_mistake_of_a_scenario_file_is_told(shell: Shell, tmp_path) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text(
        "format: 1\nname: bad\ncluster: h100-99\nplan: fifteen-team\npolicy: 3\nworkload: small\nseeed: 1\n"
    )
    ended = shell("simulate", file)
    assert ended.status == 2
    assert "4 problems" in ended.err
    for part in ("h100-99", "did you mean 'fifteen-teams'", "@ .policy", "unknown key 'seeed'"):
        assert part in ended.err


def test_the_mistakes_of_a_policy_of_a_scenario_and_of_the_options_are_told_together(shell: Shell) -> None:
    ended = shell(*SCENARIO, "smal-week", "-p", "budget", "--demand", "-1", "--days", "4000", "--share", "sience=1")
    assert ended.status == 2
    for part in ("'budget'", "'smal-week'", "demand must be", "measured must be", "no node 'sience'"):
        assert part in ended.err


def test_a_folder_without_a_result_is_told(shell: Shell, tmp_path) -> None:
    ended = shell("check", tmp_path)
    assert (ended.status, ended.out) == (2, "")
    assert "holds no result" in ended.err


def test_without_a_command_the_commands_are_listed(shell: Shell) -> None:
    ended = shell()
    assert all(
        command in ended.out + ended.err
        for command in ("presets", "simulate", "check", "bench", "reproduce", "theories", "schema")
    )


def test_the_version_is_told(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.version", lambda name: f"{name} 1.2.3")
    assert shell("--version").out == "allotment 1.2.3\n"


def test_without_an_installation_there_is_no_version(shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr("importlib.metadata.version", missing)
    assert shell("--version").out.startswith("unknown")
