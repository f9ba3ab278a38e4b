"""The figures in the README are the commands' own output."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from allotment.cli.console import Display, show
from allotment.cli.reproducing import carry_out, page

README = Path(__file__).parent.parent / "README.md"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "heading"),
    [([], "$ allotment simulate"), (["--demand", "1.5"], "demand 1.5"), (["--demand", "3"], "demand 3")],
)
def test_the_rows_of_the_first_seed_are_what_is_printed(options, heading):
    policies = ["--policy", "budgets", "--policy", "priority"]
    command = [sys.executable, "-m", "allotment.cli", "simulate", "reference-month", *policies, "--seed", "0", *options]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    rows = [" ".join(line.split()) for line in printed if line.startswith(("budgets ", "priority "))]
    assert len(rows) == 2
    told = README.read_text(encoding="utf-8").split(f"\n{heading}")[1].split("\n```")[0]
    table = [" ".join(line.split()) for line in told.splitlines()]
    assert [row for row in rows if row not in table] == []


@pytest.mark.slow
def test_the_published_figures_are_set_against_what_is_printed(capsys, monkeypatch):
    found = carry_out(10, Display())
    monkeypatch.setenv("COLUMNS", "80")
    show(page(found))
    printed = capsys.readouterr().out.splitlines()
    told = README.read_text(encoding="utf-8").split("\n$ allotment reproduce\n")[1].split("\n```")[0]
    assert told.splitlines() == printed
    for row in found.rows:
        if row.published.before is not None and row.before is not None:
            assert row.published.before / 2 <= row.before.mean <= row.published.before * 2, row.name
