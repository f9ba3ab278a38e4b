"""What a page says about a run, sentence by sentence."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import attrs
import pytest

import allotment
from allotment.interop import scenario_file
from allotment.model.changeset import Changeset, ShareChange
from allotment.units import DAY
from tests.cli.typed import Shell

CLUSTER = "format: 1\nname: mine\ncluster: 2x8\nwarmup: 0s\nmeasured: 2d\n"
PLAN = "plan: {name: two, children: [{id: a, share: 0.5}, {id: b, share: 0.5}]}\n"
HEADER = "job_id,team,submit_s,gpus,duration_s,min_runtime_s\n"


def words(page: str) -> str:
    return " ".join(page.split())


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    """Return a folder for recordings, with a scenario that replays `jobs.csv` in it."""
    (tmp_path / "mine.yaml").write_text(
        f"{CLUSTER}policy: budgets\n{PLAN}workload: [{{type: recorded, path: jobs.csv}}]\n"
    )
    return tmp_path


def test_waits_are_shown_by_team_and_without_a_sign_that_reads_as_less_than(shell: Shell) -> None:
    lines = shell.small().out.splitlines()
    begin = lines.index("by team")
    teams = [line for line in lines[begin:] if line.startswith(("science/", "language/"))]
    assert len(teams) == 4
    waits = lines[lines.index("Waits, from submission to first start") : lines.index("Price")]
    assert waits[1].split() == ["jobs", "half", "within", "9", "in", "10", "within", "never", "started"]
    assert [line for line in waits if "<" in line.replace("< 1 s", "")] == []


def test_a_quantile_that_was_not_reached_is_explained(shell: Shell, recorded: Path) -> None:
    rows = [f"j{n},a,{n},16,90000,28800\n" for n in range(4)]
    (recorded / "jobs.csv").write_text(HEADER + "".join(rows))
    page = words(shell("simulate", recorded / "mine.yaml").out)
    assert "> 2.0 d" in page
    assert "with >: fewer than that had started when the run ended" in page


def test_budgets_are_shown_beside_teams_and_who_is_below_is_named(shell: Shell) -> None:
    page = shell("simulate", "reference-month", "--days", "2", "--seed", "0").out
    summary = allotment.simulate("reference-month", days=2).summary
    lines = page.splitlines()
    below = {
        level: [row["team"] for row in summary[level] if row["cumulative"] < 0.95]
        for level in ("delivery", "budget_delivery")
    }
    assert below["delivery"] + below["budget_delivery"], "a test of nothing"
    text = words(page)
    for names in below.values():
        assert not names or f"got 95 % or more of what they were owed, not {', '.join(names)}." in text
    for row in summary["budget_delivery"]:
        (shown,) = [line for line in lines if line.startswith(f"{row['team']} ")]
        assert f"{100 * row['cumulative']:.1f} %" in shown
    assert "A budget can be owed more than its teams one by one" in text
    owed = [sum(row["owed_gpu_hours"] for row in summary[level]) for level in ("delivery", "budget_delivery")]
    assert owed[0] < owed[1]


def test_teams_that_are_the_budgets_are_shown_once(shell: Shell, recorded: Path) -> None:
    (recorded / "jobs.csv").write_text(HEADER + "j1,a,0,8,7200,3600\nj2,b,0,8,7200,3600\n")
    page = shell("simulate", recorded / "mine.yaml").out
    assert "2 of 2 teams got 95 % or more of what they were owed." in words(page)
    assert "by budget" not in page


def test_what_was_submitted_stands_beside_what_was_owed(recorded: Path) -> None:
    # One node: b's job of 8 GPUs runs for 7 h; a's of 1 h waits for it, and is wanted all the while.
    (recorded / "jobs.csv").write_text(HEADER + "j1,b,0,8,25200,25200\nj2,a,1,8,3600,3600\n")
    text = (recorded / "mine.yaml").read_text().replace("2x8", "1x8")
    (recorded / "mine.yaml").write_text(text)
    result = allotment.simulate(recorded / "mine.yaml")
    rows = result.delivery().set_index("node")
    assert rows.loc["a", "submitted"] == 8
    assert rows.loc["b", "submitted"] == 56
    assert rows.loc["root", "submitted"] == 64
    assert rows.loc["a", "owed"] > 3 * rows.loc["a", "submitted"]
    assert {row["team"]: row["submitted_gpu_hours"] for row in result.summary["delivery"]} == {"a": 8, "b": 56}


def test_work_lost_is_one_figure(shell: Shell) -> None:
    page = shell("simulate", "reference-month", "--days", "2").out
    summary = allotment.simulate("reference-month", days=2).summary
    assert summary["occupied_for"]["redone"] == pytest.approx(summary["work_lost_share"], abs=0.0025)
    assert page.count(f"{100 * summary['work_lost_share']:.1f} %\nWork lost has to be done again") == 1
    assert "lost again" not in page


def test_a_change_of_the_plan_is_named_with_what_it_did(shell: Shell, tmp_path: Path) -> None:
    shares = (ShareChange(id="biology", share=Fraction(7, 10)), ShareChange(id="climate", share=Fraction(3, 10)))
    change = Changeset(time=9 * DAY, author="Ann", reason="a deadline", shares=shares)
    scenario = attrs.evolve(allotment.load_scenario("small-week"), changesets=(change,))
    scenario_file.save(scenario, tmp_path / "changed.yaml")
    lines = shell("simulate", tmp_path / "changed.yaml", "--days", "4").out.splitlines()
    begin = lines.index("Shares changed on day 9 of 11 d (Ann: a deadline)")
    result = allotment.simulate(tmp_path / "changed.yaml", days=4)
    usage = result.usage[result.usage["node"] == "science/biology"].set_index("hour")["delivered"]
    before, after = usage.loc[7 * 24 : 9 * 24 - 1].mean(), usage.loc[9 * 24 :].mean()
    (biology,) = [line.split() for line in lines[begin : begin + 5] if line.startswith("science/biology ")]
    assert biology[1:7] == ["50.0", "%", "70.0", "%", f"{before:.1f}", f"{after:.1f}"]


def test_a_plan_that_stays_has_no_trace_of_a_change(shell: Shell) -> None:
    assert "Shares changed" not in shell.small().out


def test_runs_that_are_the_same_are_called_so_and_why(shell: Shell, recorded: Path) -> None:
    rows = [f"j{n},{'ab'[n % 2]},{n * 60},8,3600,0\n" for n in range(20)]
    (recorded / "jobs.csv").write_text(HEADER + "".join(rows))
    page = words(shell("simulate", recorded / "mine.yaml", "-p", "priority", "-p", "fifo").out)
    assert "priority (seed 0) and fifo (seed 0) are one and the same run" in page
    assert "All jobs have one priority, so priority cannot tell them apart" in page
    assert "All jobs have one priority" in words(shell("simulate", recorded / "mine.yaml", "-p", "priority").out)


def test_runs_that_differ_are_not_called_the_same(shell: Shell) -> None:
    page = shell.small("-p", "priority", "-p", "fifo").out
    assert "one and the same" not in page
    assert "All jobs have one priority" not in page


def test_without_a_contract_asked_for_it_is_said_that_nothing_is_owed(shell: Shell, recorded: Path) -> None:
    text = (recorded / "mine.yaml").read_text().split("workload:")[0]
    (recorded / "mine.yaml").write_text(
        text + "workload:\n  - {type: open, name: batch, jobs_per_week: 200, "
        "kinds: [{name: batch, sizes: [{gpus: 1}], run_time: {median: 1h}}]}\n"
    )
    page = words(shell("simulate", recorded / "mine.yaml").out)
    assert "Delivered, of what was owed No job asks for a contract, so nothing is owed or protected" in page


def test_a_size_that_never_starts_is_told_why(shell: Shell, recorded: Path) -> None:
    small = [f"s{n},a,{n},1,172800,3600\n" for n in range(16)]
    (recorded / "jobs.csv").write_text(HEADER + "".join(small) + "big,b,60,16,3600,0\n")
    page = words(shell("simulate", recorded / "mine.yaml", "-p", "fifo").out)
    assert "No job of 16 GPUs started (1 submitted)" in page


def test_teams_under_a_policy_without_contracts_are_marked_as_not_comparable(shell: Shell) -> None:
    page = shell.small("-p", "budgets", "-p", "fifo").out
    under = {name: page.split(f"Teams under {name}")[1].split("\n\n")[0] for name in ("budgets", "fifo")}
    assert "(" not in "".join(under["budgets"].splitlines()[1:])
    rows = [line for line in under["fifo"].splitlines() if line.startswith(("science/", "language/"))]
    assert rows
    assert all(row.endswith("%)") for row in rows)
    assert "in brackets: everything held counts: not comparable" in words(under["fifo"])


def test_what_is_wanted_is_said_of_what(shell: Shell) -> None:
    one = allotment.simulate("small-week", days=1).summary["pressure"]
    assert f"wanted: {one:.1f} x the healthy GPUs, by jobs running or waiting" in shell.small().out
    assert f"wanted by jobs running or waiting: {one:.1f} x" in shell.small("-p", "budgets", "-s", "0", "-s", "1").out
