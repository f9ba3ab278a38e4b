"""`allotment simulate` of scenarios: what it prints, saves and ends with."""

from __future__ import annotations

import json
import signal

import attrs
import pytest

import allotment
from allotment.errors import AllotmentError
from allotment.interop import result_files, scenario_file
from allotment.model.people import Inflation, Squatting
from allotment.presets import list_presets, load_policy, load_scenario
from allotment.units import DAY

PROMISED = {
    "policy",
    "seed",
    "occupancy",
    "unallocated_share",
    "preemptions",
    "work_lost_gpu_hours",
    "wait",
    "gang_wait",
}


def test_json_is_the_summary_and_nothing_else_is_printed(shell):
    ended = shell.small("--json")
    assert ended.status == 0
    assert ended.err == ""
    assert ended.json == allotment.simulate("small-week", days=1).summary
    assert set(ended.json) >= PROMISED
    assert ended.json["delivered"]["teams"] == 4


def test_another_policy_seed_and_demand_can_be_asked_for(shell):
    summary = shell.small("--json", "--policy", "priority", "--seed", "3", "--demand", "1.5").json
    assert (summary["policy"], summary["seed"]) == ("priority", 3)
    assert summary == allotment.simulate("small-week", policy="priority", seed=3, days=1, demand=1.5).summary
    assert summary["pressure"] < shell.small("--json", "--policy", "priority", "--seed", "3").json["pressure"]


def test_a_policy_of_ones_own_is_a_file(shell, tmp_path):
    mine = attrs.evolve(allotment.load_policy("fifo"), name="mine")
    scenario_file.save(mine, tmp_path / "mine.yaml")
    assert shell.small("--json", "-p", tmp_path / "mine.yaml").json["policy"] == "mine"


def test_a_page_tells_what_people_made_of_the_regime_and_who_had_to_repair(shell, tmp_path):
    people = (Squatting(share=0.3), Inflation(tolerance=60, step=0.5))
    lively = attrs.evolve(load_scenario("small-week"), people=people, measured=DAY, policy=load_policy("priority"))
    scenario_file.save(lively, tmp_path / "lively.yaml")
    told = " ".join(shell("simulate", tmp_path / "lively.yaml").out.split())
    for words in (
        "were held idle after the work",
        "An interactive session was protected for",
        "were marked HIGH",
        "held idle and",
    ):
        assert words in told
    quiet = shell.small("--policy", "priority").out
    assert "People" not in quiet
    assert "held idle" not in quiet


def test_several_policies_and_seeds_are_several_runs_of_the_same_open_jobs(shell):
    ended = shell.small("--json", "-p", "budgets", "-p", "fifo", "-s", "1", "-s", "0")
    runs = [(run["policy"], run["seed"]) for run in ended.json]
    assert runs == [("budgets", 1), ("budgets", 0), ("fifo", 1), ("fifo", 0)]
    jobs = [run["wait_open"]["n"] for run in ended.json]
    assert jobs[0] == jobs[2] != jobs[1] == jobs[3]


def test_a_page_fits_in_80_columns_and_holds_the_figures(shell):
    ended = shell.small()
    lines = ended.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert not [line for line in lines if line != line.rstrip()]
    for heading in ("GPU time", "Delivered, of what was owed", "Waits, from submission to first start", "Price"):
        assert heading in lines
    assert "policy budgets, seed 0, cluster h100-88 (11 x 8 H100), plan four-teams" in lines
    summary = allotment.simulate("small-week", days=1).summary
    (occupied,) = [line for line in lines if line.startswith("occupied ")]
    assert occupied.split()[1] == f"{100 * summary['occupancy']:.1f}"
    (debug,) = [line for line in lines if line.startswith("debug ")]
    assert f" {summary['wait']['debug']['n']} " in debug
    (stops,) = [line for line in lines if line.startswith("preempted ")]
    assert stops.split()[1] == str(summary["preemptions"])
    assert "\x1b" not in ended.out


def test_what_cannot_be_compared_is_marked(shell):
    budgets, priority = shell.small().out, shell.small("-p", "priority").out
    for page in (budgets, priority):
        assert "training*" in page
        assert "debug*" not in page
        assert "these\nwaits cannot be compared" in page
    assert "not comparable" not in budgets
    assert "Delivered, of what was owed (everything held counts: not comparable)" in priority


def test_several_runs_are_a_table_that_fits(shell):
    ended = shell.small("-p", "budgets", "-p", "priority-strict")
    lines = ended.out.splitlines()
    assert max(map(len, lines)) <= 80
    (budgets,) = [line for line in lines if line.startswith("budgets ")]
    (priority,) = [line for line in lines if line.startswith("priority-strict ")]
    assert "(" not in budgets
    assert "(" in priority
    assert "in brackets" in ended.out


def test_little_demand_is_remarked_on(shell):
    assert "Little competition" in shell.small("--demand", "0.5").out
    assert "Little competition" not in shell.small().out


def test_names_typed_by_people_are_data(shell, tmp_path):
    odd = attrs.evolve(load_scenario("small-week"), name="[bold]x[/bold]", title="[red]a\x1b[31m\nb :smile: [/]")
    scenario_file.save(odd, tmp_path / "odd.yaml")
    ended = shell("simulate", tmp_path / "odd.yaml", "--days", "1")
    assert ended.status == 0
    assert ended.out.splitlines()[0] == "[bold]x[/bold]  [red]a�[31m b :smile: [/]"
    assert shell("simulate", tmp_path / "odd.yaml", "--days", "1", "--json").json["scenario"] == "[bold]x[/bold]"


def test_a_result_is_saved_and_the_laws_hold_for_it(shell, tmp_path):
    ended = shell.small("--out", tmp_path / "day", "--json")
    assert ended.status == 0
    assert f"saved in '{tmp_path / 'day'}'" in ended.err
    saved = result_files.read(tmp_path / "day")
    assert saved.summary == ended.json
    assert saved.equals(allotment.simulate("small-week", days=1))
    checked = shell("check", tmp_path / "day")
    assert (checked.status, checked.out) == (0, f"{tmp_path / 'day'}: every law holds\n")
    assert shell("check", tmp_path / "day", "--json").json == [{"folder": str(tmp_path / "day"), "violations": []}]


def test_an_earlier_result_is_replaced_only_by_force(shell, tmp_path):
    shell.small("--out", tmp_path / "day")
    refused = shell.small("--out", tmp_path / "day", "--seed", "5")
    assert refused.status == 2
    assert "holds an earlier result; add --force to replace it" in refused.err
    assert result_files.read(tmp_path / "day").scenario.seed == 0
    assert shell.small("--out", tmp_path / "day", "--seed", "5", "--force").status == 0
    assert result_files.read(tmp_path / "day").scenario.seed == 5


def test_several_runs_are_saved_in_folders_of_their_own(shell, tmp_path):
    shell.small("-p", "budgets", "-p", "fifo", "-s", "2", "-s", "3", "--out", tmp_path / "runs")
    names = sorted(folder.name for folder in (tmp_path / "runs").iterdir())
    assert names == ["budgets-seed-2", "budgets-seed-3", "fifo-seed-2", "fifo-seed-3"]
    assert shell("check", *(tmp_path / "runs").iterdir()).status == 0
    checked = shell("check", tmp_path / "runs")
    assert checked.status == 0
    assert checked.out.splitlines() == [f"{tmp_path / 'runs' / name}: every law holds" for name in names]
    assert [found["folder"] for found in shell("check", tmp_path / "runs", "--json").json] == [
        str(tmp_path / "runs" / name) for name in names
    ]


@pytest.fixture
def no_simulation(monkeypatch):
    """Let a test fail that begins to simulate."""
    monkeypatch.setattr("allotment.cli.running.simulate", lambda *_, **__: pytest.fail("simulated"))


def test_a_folder_that_will_not_do_is_refused_before_anything_is_simulated(shell, tmp_path, no_simulation):
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "dear.txt").write_text("dear")
    (tmp_path / "file").write_text("")
    for folder, message in (("letters", "holds 'dear.txt' and no result"), ("file", "is a file; name a folder")):
        ended = shell.small("--out", tmp_path / folder)
        assert (ended.status, ended.out) == (2, "")
        assert message in ended.err
    assert "is not a folder" in shell.small("--out", tmp_path / "file" / "below").err


def test_a_result_that_cannot_be_saved_is_still_shown(shell, tmp_path, monkeypatch):
    def full(_result, _folder):
        raise AllotmentError("the disk is full")

    monkeypatch.setattr(result_files, "save", full)
    ended = shell.small("--out", tmp_path / "day", "--json")
    assert ended.status == 2
    assert ended.err == "error: the disk is full\n"
    assert ended.json["policy"] == "budgets"


def press_ctrl_c(monkeypatch, *, run, day):
    """Press Ctrl-C when so many days of a run, counted from 1, are over."""
    from allotment.cli import running

    monkeypatch.setattr("allotment.world.run.SPARSE", 0.0)
    begun = []

    def simulate(scenario, *, progress, **more):
        begun.append(scenario)

        def watched(now, horizon):
            progress(now, horizon)
            if len(begun) == run and now == day * DAY:
                signal.raise_signal(signal.SIGINT)

        return original(scenario, progress=watched, **more)

    original = running.simulate
    monkeypatch.setattr(running, "simulate", simulate)


def test_ctrl_c_prints_and_saves_what_is_whole_and_ends_with_130(shell, tmp_path, monkeypatch):
    press_ctrl_c(monkeypatch, run=1, day=9)
    ended = shell("simulate", "small-week", "--json", "--out", tmp_path / "cut")
    assert ended.status == 130
    assert ended.json["interrupted"] is True
    assert ended.json["measured"] == 2 * DAY
    assert "stopped by Ctrl-C" in ended.err
    assert result_files.read(tmp_path / "cut").horizon == 9 * DAY
    assert shell("check", tmp_path / "cut").status == 0


def test_a_page_of_an_interrupted_run_says_so(shell, monkeypatch):
    press_ctrl_c(monkeypatch, run=1, day=3)
    ended = shell("simulate", "small-week")
    assert ended.status == 130
    assert "0 s measured after 7 d of warm-up" in ended.out
    assert "Stopped after 3 d of 14 d" in ended.out
    assert "Nothing was measured" in ended.out


def test_ctrl_c_ends_the_runs_that_come_after_it_too(shell, monkeypatch):
    press_ctrl_c(monkeypatch, run=2, day=8)
    ended = shell.small("--json", "-p", "budgets", "-p", "fifo", "-p", "priority")
    assert ended.status == 130
    assert [(run["policy"], run["interrupted"]) for run in ended.json] == [("budgets", False), ("fifo", False)]


def test_ctrl_c_before_anything_was_simulated_says_so(shell, monkeypatch):
    def prepare(_tell):
        raise KeyboardInterrupt

    monkeypatch.setattr("allotment.cli.running.prepare", prepare)
    ended = shell.small()
    assert (ended.status, ended.out) == (130, "")
    assert ended.err == "error: stopped before anything was simulated\n"


def test_compiling_is_announced_on_standard_error(shell, monkeypatch):
    def prepare(tell):
        for done in range(4):
            tell(done, 3)
        return True

    monkeypatch.setattr("allotment.cli.running.prepare", prepare)
    ended = shell.small("--json")
    assert ended.json["policy"] == "budgets"
    assert ended.err.count("compiling the scheduler, once after an installation") == 1


def test_the_presets_are_listed(shell):
    names = [preset.name for preset in list_presets()]
    assert [entry["name"] for entry in shell("presets", "--json").json] == names
    page = shell("presets").out
    assert [name for name in names if f"\n{name} " not in page] == []
    assert max(map(len, page.splitlines())) <= 80


def test_the_schema_is_that_of_the_datasets(shell):
    from allotment.presets.catalogue import datasets

    assert shell("schema").out == (datasets() / "scenario.schema.json").read_text(encoding="utf-8")
    assert shell("schema", "--fleet").out == (datasets() / "fleet.schema.json").read_text(encoding="utf-8")


def test_a_broken_law_is_named_and_ends_with_1(shell, tmp_path):
    result = allotment.simulate("small-week", days=1)
    late = result.jobs.assign(first_start=result.jobs["first_start"] + 1)
    result_files.save(attrs.evolve(result, jobs=late), tmp_path / "wrong")
    result_files.save(result, tmp_path / "right")
    ended = shell("check", tmp_path / "wrong", tmp_path / "right")
    assert ended.status == 1
    assert f"{tmp_path / 'right'}: every law holds" in ended.out.splitlines()
    found = shell("check", tmp_path / "wrong", "--json").json[0]["violations"]
    assert found
    assert all(set(violation) == {"law", "table", "row", "text"} for violation in found)
    assert f"law {found[0]['law']}, {found[0]['table']}" in ended.out


def test_json_is_valid_json_and_knows_no_nan(shell):
    ended = shell.small("--json", "--demand", "0")
    assert "NaN" not in ended.out
    assert json.loads(ended.out)["wait"]["training"]["p50"] is None


def test_other_shares_keep_the_jobs_where_an_edited_plan_changes_them(shell, tmp_path):
    """The finding: to give a team more in a copy of the file made it ask for more as well."""
    week = load_scenario("small-week")
    science = attrs.evolve(week, name="more", plan=week.plan.with_share("science", "0.2"))
    scenario_file.save(science, tmp_path / "more.yaml")
    plain, changed = shell.small("--json").json, shell.small("--json", "--share", "science=0.2").json
    edited = shell("simulate", tmp_path / "more.yaml", "--days", "1", "--json").json
    assert plain["wait_open"]["n"] == changed["wait_open"]["n"] > edited["wait_open"]["n"]
    owed = [sum(r["owed_gpu_hours"] for r in run["delivery"] if "science" in r["team"]) for run in (plain, changed)]
    assert owed[1] < 0.7 * owed[0]


def test_several_scenarios_are_compared_and_told_apart(shell, tmp_path):
    week = load_scenario("small-week")
    for name, share in (("mine", "0.4"), ("mine2", "0.2")):
        scenario_file.save(attrs.evolve(week, plan=week.plan.with_share("science", share)), tmp_path / f"{name}.yaml")
    files = (tmp_path / "mine.yaml", tmp_path / "mine2.yaml")
    typed = ("simulate", *files, "--days", "1", "-p", "budgets", "-p", "fifo", "--out", tmp_path / "runs")
    ended = shell(*typed)
    lines = ended.out.splitlines()
    assert ended.status == 0
    assert max(map(len, lines)) <= max(80, len(str(files[1])))
    words = " ".join(lines)
    assert "have different jobs (seed 0)" in words
    assert "use --share" in words
    saved = sorted(folder.name for folder in (tmp_path / "runs").iterdir())
    assert len(saved) == 4
    assert [name for name in saved if "mine2-" in name and name.endswith(("budgets-seed-0", "fifo-seed-0"))]
    found = shell(*typed[:-2], "--json").json
    assert [run["label"].rpartition("/")[2] for run in found] == ["mine", "mine", "mine2", "mine2"]
    assert [run["policy"] for run in found] == ["budgets", "fifo", "budgets", "fifo"]


def test_scenarios_with_names_of_their_own_are_told_apart_by_these(shell, tmp_path):
    week = load_scenario("small-week")
    scenario_file.save(attrs.evolve(week, name="other"), tmp_path / "other.yaml")
    ended = shell("simulate", "small-week", tmp_path / "other.yaml", "--days", "1")
    lines = ended.out.splitlines()
    runs = lines[lines.index("2 runs") :]
    assert [line for line in runs if line in ("small-week", "other")] == ["small-week", "other"]
    assert max(map(len, lines)) <= 80
    assert "different jobs" not in ended.out


def test_the_mistakes_of_all_scenarios_are_told(shell, tmp_path):
    (tmp_path / "bad.yaml").write_text("format: 1\nname: bad\n")
    ended = shell("simulate", tmp_path / "bad.yaml", "nowhere")
    assert ended.status == 2
    assert "missing key 'plan'" in ended.err
    assert "no scenario 'nowhere'" in ended.err


def test_one_file_under_two_names_is_a_mistake_and_two_files_of_one_stem_are_told_apart(shell, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    week = load_scenario("small-week")
    for name in ("a.yaml", "a.yml", "small-week.yaml"):
        scenario_file.save(week, name)
    assert "a.yaml and ./a.yaml are one file" in shell("simulate", "a.yaml", "./a.yaml").err
    found = shell("simulate", "a.yaml", "a.yml", "small-week", "./small-week.yaml", "--days", "1", "--json").json
    assert [run["label"] for run in found] == ["a.yaml", "a.yml", "small-week", "./small-week.yaml"]
