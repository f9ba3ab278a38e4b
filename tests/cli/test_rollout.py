"""`allotment rollout`, on a fleet of two small clusters."""

from __future__ import annotations

import pytest

from allotment.interop.fleet_file import save
from tests.fleets import fleet, member


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "two.yaml"
    save(fleet(member("small", "2x8", budgets=3), member("large", "4x8"), title="Two clusters"), path)
    return path


def test_phases_are_printed_member_by_member_in_eighty_columns(shell, file):
    ended = shell("rollout", file)
    assert ended.status == 0
    lines = ended.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert lines[0] == "fleet  Two clusters"
    assert lines[1] == "16 + 32 GPUs, 3 d measured after 2 d of warm-up, round-robin, seed 0"
    starts = [line.split()[:2] for line in lines[5:14]]
    assert starts == [
        ["small"],
        ["priority", "3"],
        ["budgets", "4-5"],
        ["large"],
        ["priority", "3-5"],
        ["the", "fleet"],
        ["0", "switched"],
        ["1", "switched"],
        ["all", "3-5"],
    ]
    assert "portable jobs: where they went" in ended.out


def test_several_rules_and_seeds_are_compared(shell, file):
    ended = shell("rollout", file, "-a", "home", "-a", "ranked_head", "--seed", 0, "--seed", 1)
    assert ended.status == 0
    assert max(map(len, ended.out.splitlines())) <= 80
    rows = [line.split()[:3] for line in ended.out.splitlines() if line.startswith(("home", "ranked-head"))]
    assert [row[:2] for row in rows] == [["home", "0"], ["home", "1"], ["ranked-head", "0"], ["ranked-head", "1"]]
    assert rows[0][2] == "0.0"
    assert float(rows[2][2]) > 10


def test_json_is_one_summary_or_a_list(shell, file):
    one = shell("rollout", file, "--json").json
    assert (one["fleet"], one["arbitration"]) == ("fleet", "round_robin")
    assert [row["policy"] for row in one["phases"]] == ["priority", "budgets", "priority", "", "", "all"]
    assert len(one["portable_by_day"]) == 5
    several = shell("rollout", file, "--json", "-a", "home", "-a", "round-robin").json
    assert [run["arbitration"] for run in several] == ["home", "round_robin"]
    assert several[1] == one


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        (["nowhere"], "there is no fleet 'nowhere'; there are three-clusters"),
        (
            ["-a", "loudest"],
            "--arbitration must be one of home, round-robin, ranked-head, allocation-balance, not 'loudest'",
        ),
        (["-a", "home", "-a", "HOME"], "--arbitration home is there twice"),
        (["--seed", "-1"], "--seed must be at least 0, not -1"),
        (["--seed", "3", "--seed", "3"], "--seed 3 is there twice"),
    ],
)
def test_a_mistake_is_one_message_with_the_way_out(shell, typed, said):
    ended = shell("rollout", *typed)
    assert (ended.status, ended.out) == (2, "")
    assert said in " ".join(ended.err.split())


def test_the_catalogue_lists_fleets(shell):
    assert "three-clusters" in shell("presets").out
