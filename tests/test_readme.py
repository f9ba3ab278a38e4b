"""The figures in the README are the commands' own output."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

README = Path(__file__).parent.parent / "README.md"


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
    command = [sys.executable, "-m", "allotment.cli", "simulate", "reference-month", *asked, "--seed", "0", *options]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    rows = [" ".join(line.split()) for line in printed if line.startswith(tuple(f"{policy} " for policy in policies))]
    assert len(rows) == 2
    told = README.read_text(encoding="utf-8").split(f"\n{heading}")[1].split("\n```")[0]
    table = [" ".join(line.split()) for line in told.splitlines()]
    assert [row for row in rows if row not in table] == []
