"""What the README says can be done is done here, and its figures are the commands' own output."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from allotment.cli.console import Display, show
from allotment.cli.reproducing import carry_out, page
from allotment.experiment.sensitivity import sensitivity, table
from allotment.experiment.simulate import variant
from allotment.experiment.variations import VARIATIONS
from allotment.lessons.cards import load_cards
from allotment.lessons.lesson import known, load_lesson
from allotment.presets import load_scenario
from allotment.units import DAY
from tests.lessons.test_verdicts import WITH_MANY_SEEDS

CHECKOUT = Path(__file__).parent.parent
README = (CHECKOUT / "README.md").read_text(encoding="utf-8")
ALLOTMENT = (sys.executable, "-m", "allotment.cli")
SACCT = """#!/bin/sh
# What a Slurm that tracks gres/gpu says; the last job never started, the one before had no GPU.
echo '11|vision|ann|2026-01-05T08:30:00|billing=64,cpu=64,gres/gpu:h100=8,gres/gpu=8,mem=1T,node=1|14400'
echo '12|speech|bob|2026-01-05T09:30:00|billing=8,cpu=8,gres/gpu=1,mem=64G,node=1|750'
echo '13|speech|bob|2026-01-05T09:31:00|billing=8,cpu=8,mem=64G,node=1|750'
echo '14|vision|ann|2026-01-05T10:30:00||0'
"""


def block(language: str, within: str) -> str:
    """Return the block of code in some language that holds some words."""
    found = [
        text for text in re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL) if within in text
    ]
    assert len(found) == 1, within
    return found[0]


def commands(start: str) -> list[list[str]]:
    """Return what is typed in the README that starts so, word by word, without the remarks."""
    lines = re.findall(rf"^{start}.*$", README, re.MULTILINE)
    assert lines, start
    return [shlex.split(line, comments=True) for line in lines]


def run(*command: str, folder: Path = CHECKOUT) -> str:
    """Return what a command prints in a folder, with this checkout's package."""
    path = os.pathsep.join(filter(None, (str(CHECKOUT / "src"), os.environ.get("PYTHONPATH"))))
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=folder, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("policies", "options", "heading"),
    [
        (("budgets", "priority"), [], "$ allotment simulate"),
        (("budgets", "priority"), ["--demand", "1.5"], "demand 1.5"),
        (("budgets", "priority"), ["--demand", "3"], "demand 3"),
        (("quota", "fair-tree"), [], "$ allotment simulate reference-month --policy budgets --policy quota"),
    ],
)
def test_the_rows_of_the_first_seed_are_what_is_printed(policies, options, heading):
    asked = [word for policy in policies for word in ("--policy", policy)]
    printed = run(*ALLOTMENT, "simulate", "reference-month", *asked, "--seed", "0", *options).splitlines()
    rows = [" ".join(line.split()) for line in printed if line.startswith(tuple(f"{policy} " for policy in policies))]
    assert len(rows) == 2
    told = README.split(f"\n{heading}")[1].split("\n```")[0]
    table = [" ".join(line.split()) for line in told.splitlines()]
    assert [row for row in rows if row not in table] == []


@pytest.mark.slow
def test_the_figures_in_the_sentences_are_those_of_five_seeds():
    seeds = [option for seed in range(5) for option in ("--seed", str(seed))]
    runs = json.loads(run(*ALLOTMENT, "simulate", "reference-month", *seeds, "--json"))
    budgets = [each["delivered"]["budgets"] for each in runs]

    def between(values: list[float], places: int) -> str:
        low, high = (f"{100 * value:.{places}f}" for value in (min(values), max(values)))
        return f"{low} to {high} %"

    text = " ".join(README.split())
    assert f"it is {between([each['delivered']['hourly'] for each in runs], 0)} here" in text
    assert f"{between([each['cumulative'] for each in budgets], 1)} was delivered" in text
    counts = [each["teams_at_95"] for each in budgets]
    assert f"{min(counts)} to {max(counts)} of {budgets[0]['teams']} programmes" in text
    assert f"want {min(each['pressure'] for each in runs):.1f} to " in text
    assert "4 to 5 % of the occupied" in text
    assert {round(100 * each["work_lost_share"]) for each in runs} == {4, 5}


def test_the_notebook_tells_the_same_demand():
    notebook = json.loads((CHECKOUT / "notebooks" / "13-a-month.ipynb").read_text(encoding="utf-8"))
    first = "".join(notebook["cells"][0]["source"])
    least = re.search(r"want (\d\.\d) to \d\.\d times the GPUs that are healthy", " ".join(README.split()))
    assert least is not None
    assert f"{least[1]} times as many GPUs wanted, by jobs running or waiting" in " ".join(first.split())


def test_the_commands_do_what_is_said(tmp_path):
    (tmp_path / "jobs.csv").write_text(block("csv", "job_id"))
    (tmp_path / "teams.yaml").write_text(
        "format: 1\nname: teams\nchildren: [{id: vision, share: 0.5}, {id: speech, share: 0.5}]\n"
    )
    done = set()
    for _, command, *options in commands("allotment "):
        if command in ("bench", "game", "reproduce", "rollout", "sensitivity", "theories"):
            continue  # long, or without an end; they have tests of their own
        small = [] if command != "simulate" or "--trace" in options else ["--days", "1"]
        if "--share" not in options:
            options = ["small-week" if option == "reference-month" else option for option in options]
        assert run(*ALLOTMENT, command, *options, *small, folder=tmp_path)
        done.add(command)
    assert done == {"presets", "simulate", "check", "explain"}
    assert (tmp_path / "month" / "jobs.parquet").is_file()


def test_a_scenario_of_ones_own_is_what_it_says_it_is(tmp_path):
    text = block("yaml", "name: my-week")
    (tmp_path / "my-week.yaml").write_text(text)
    page = run(*ALLOTMENT, "simulate", "my-week.yaml", folder=tmp_path)
    assert "Shares changed on day 10 of 14 d (Ann: a deadline)" in page
    (tmp_path / "no-people.yaml").write_text(re.sub(r"^people:.*\n.*\n", "", text, flags=re.MULTILINE))
    of = [
        json.loads(run(*ALLOTMENT, "simulate", f"{name}.yaml", "--json", folder=tmp_path))
        for name in ("my-week", "no-people")
    ]
    assert of[0]["pressure"] > 1
    assert of[0]["wait"]["debug"]["n"] > of[1]["wait"]["debug"]["n"] > 100


def test_every_row_of_the_example_of_a_recording_is_used(tmp_path):
    (tmp_path / "jobs.csv").write_text(block("csv", "job_id"))
    page = run(*ALLOTMENT, "simulate", "--trace", "jobs.csv", "--cluster", "64x8", folder=tmp_path)
    assert "jobs.csv: 4 rows read, 4 jobs used" in page


@pytest.mark.skipif(sys.platform == "win32", reason="a line for a shell")
def test_the_line_for_slurm_makes_a_recording_of_the_jobs_that_had_gpus(tmp_path):
    (tmp_path / "sacct").write_text(SACCT)
    (tmp_path / "sacct").chmod(0o755)
    run("sh", "-c", f"PATH={shlex.quote(str(tmp_path))}:$PATH\n{block('sh', 'sacct')}", folder=tmp_path)
    assert (tmp_path / "jobs.csv").read_text().splitlines() == [
        "job_id,team,user,submit_s,gpus,duration_s",
        "11,vision,ann,2026-01-05T08:30:00,8,14400",
        "12,speech,bob,2026-01-05T09:30:00,1,750",
    ]
    page = run(*ALLOTMENT, "simulate", "--trace", "jobs.csv", "--cluster", "64x8", folder=tmp_path)
    assert "jobs.csv: 2 rows read, 2 jobs used" in page


def test_the_lines_of_python_run(tmp_path):
    assert run(sys.executable, "-W", "error", "-c", block("python", "import allotment"), folder=tmp_path) == ""


@pytest.mark.skipif(sys.platform == "win32", reason="no make")
def test_every_target_of_make_is_there():
    named = set(re.findall(r"`make ([a-z-]+)`", README)) | {words[1] for words in commands("make ")}
    assert {"lab", "test", "wheel", "lint"} <= named
    run("make", "--dry-run", *sorted(named))


def test_the_wheel_has_the_name_that_is_told():
    version = re.search(r'^version = "(.+)"$', (CHECKOUT / "pyproject.toml").read_text(), re.MULTILINE)
    assert version is not None
    assert f"dist/allotment-{version[1]}-py3-none-any.whl" in README


def test_the_answer_to_why_is_what_is_printed():
    told = README.split("\n$ allotment explain small-week 603\n")[1].split("\n```")[0]
    assert told.splitlines() == run(*ALLOTMENT, "explain", "small-week", "603").splitlines()


@pytest.mark.slow
def test_the_rollout_is_what_is_printed():
    told = README.split("\n$ allotment rollout\n")[1].split("\n```")[0]
    assert told.splitlines() == run(*ALLOTMENT, "rollout").splitlines()


@pytest.mark.slow
def test_the_rules_of_arbitration_are_compared_as_they_are_printed_for_the_first_seed():
    (command,) = commands(r"\$ allotment rollout -a")
    rules = [rule for rule in command if rule in ("home", "round-robin", "ranked-head", "allocation-balance")]
    table = README.split(f"\n{shlex.join(command)}\n".replace("'$'", "$"))[1].split("\n```")[0].splitlines()
    printed = run(*ALLOTMENT, "rollout", *(word for rule in rules for word in ("-a", rule)), "-s", "0").splitlines()
    rows = [line for line in printed if line.startswith(tuple(rules))]
    assert len(rows) == 4
    assert [
        " ".join(row.split()) for row in rows if " ".join(row.split()) not in [" ".join(t.split()) for t in table]
    ] == []
    waits = {
        (line.split()[0], line.split()[1]): float(line.split()[6]) for line in table if line.startswith(tuple(rules))
    }
    assert all(waits["ranked-head", seed] < waits["home", seed] for seed in "012")


@pytest.mark.slow
def test_the_published_figures_are_set_against_what_is_printed(capsys, monkeypatch):
    found = carry_out(10, Display())
    monkeypatch.setenv("COLUMNS", "80")
    show(page(found))
    printed = capsys.readouterr().out.splitlines()
    told = README.split("\n$ allotment reproduce\n")[1].split("\n```")[0]
    assert told.splitlines() == printed
    for row in [row for each in found for row in each.rows]:
        if row.published.before is not None and row.before is not None:
            assert row.published.before / 2 <= row.before.mean <= row.published.before * 2, row.name
    bands = {
        "delivered": (0.95, 1),
        "teams_at_95": (12, 15),
        "worst_team": (0.8, 1),
        "occupancy": (0.96, 1),
        "unallocated": (0.1, 0.3),
        "debug_p90": (0, 120),
        "repairs": (0, 50),
    }
    after = {row.name: row.after.median for row in found[0].rows if row.name in bands}
    assert [name for name, (low, high) in bands.items() if not low <= after[name] <= high] == []


@pytest.mark.slow
def test_the_figures_of_what_moves_what_are_those_of_six_seeds():
    names = ("checkpoints", "batch to rest", "short contracts")
    turned = [each for each in VARIATIONS if each.name in names]
    found = table(sensitivity(variant(load_scenario("published-month"), days=14), seeds=range(6), variations=turned))
    found = found.set_index(["setting", "label", "figure"])

    def points(setting: str, label: str, figure: str, column: str = "difference") -> str:
        assert found.loc[(setting, label, figure), "moves"]
        return f"{abs(100 * found.loc[(setting, label, figure), column]):.1f}"

    text = " ".join(README.split())
    lost = [points("checkpoints", label, "work_lost") for label in ("x 3", "x 1/3")]
    base = points("checkpoints", "x 3", "work_lost", "base")
    assert f"add {lost[0]} points of lost work to {base} %, and three times as close take {lost[1]} away" in text
    free = [points("batch to rest", label, "unallocated") for label in ("x 1/2", "x 2")]
    base = points("batch to rest", "x 2", "unallocated", "base")
    assert f"{free[0]} points less than {base} %, with twice as much {free[1]} more" in text
    later = found.loc[("short contracts", "0", "all_p90"), "difference"]
    assert f"start {later / DAY:.1f} d later" in text
    stopped = found.loc[("short contracts", "0", "preemptions")]
    fewer, of = (f"{round(abs(stopped[column]), -3):,.0f}" for column in ("difference", "base"))
    assert f"{fewer} fewer of {of} preemptions" in text
    assert not found.loc[("short contracts", "x 4", "all_p90"), "moves"]


@pytest.mark.slow
def test_what_becomes_of_a_theory_is_what_is_printed():
    told = README.split("\n$ allotment theories F04\n")[1].split("\n```")[0]
    assert told.splitlines() == run(*ALLOTMENT, "theories", "F04").splitlines()


def test_every_theory_is_listed_with_its_claim_and_what_twenty_seeds_say():
    rows = [line.strip("| ").split(" | ") for line in README.splitlines() if re.match(r"\| F\d\d \|", line)]
    assert rows == [[card.id, card.claim, WITH_MANY_SEEDS[card.id].value] for card in load_cards()]


def test_the_lessons_are_told_with_their_titles_and_minutes():
    told = re.findall(r"^\| \[([\w-]+)\]\(notebooks/([\w-]+)\.ipynb\) \| (.+?) \| (\d+) \|$", README, re.MULTILINE)
    there = [
        file.stem for file in sorted((CHECKOUT / "notebooks").glob("*.ipynb")) if file.stem.partition("-")[2] in known()
    ]
    assert [name for name, _, _, _ in told] == there
    for name, file, title, minutes in told:
        lesson = load_lesson(name.partition("-")[2])
        assert (file, title, int(minutes)) == (name, lesson.title, lesson.minutes)
