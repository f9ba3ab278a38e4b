"""The published figures: told once, and known to nothing that decides a simulation."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import allotment
from allotment.experiment.published import FIGURES, MADE_SCENARIO

PACKAGE = Path(allotment.__file__).parent
HOME = PACKAGE / "experiment" / "published.py"
PRINTS = {PACKAGE / "experiment" / "reproduce.py", PACKAGE / "cli" / "reproducing.py"}
TELLING = {value for each in FIGURES.values() for value in (each.before, each.after) if value and value != 100} - {1}


@cache
def sources() -> tuple[tuple[Path, ast.Module], ...]:
    paths = [path for path in sorted(PACKAGE.rglob("*.py")) if path != HOME]
    return tuple((path, ast.parse(path.read_text(encoding="utf-8"))) for path in paths)


def imports(tree: ast.Module) -> set[str]:
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            found |= {str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
    return found


def test_only_the_table_reads_them():
    reads = {path for path, tree in sources() if "allotment.experiment.published" in imports(tree)}
    assert reads == PRINTS


def test_no_rule_imports_the_table():
    table = {"allotment.experiment.reproduce", "allotment.cli.reproducing", "allotment.experiment.differences"}
    reads = {path for path, tree in sources() if table & imports(tree)}
    assert reads <= PRINTS | {PACKAGE / "cli" / "experiments.py"}


def test_what_runs_and_prints_holds_none_of_them_itself():
    homes = {*PRINTS, PACKAGE / "experiment" / "differences.py"}
    for path, tree in sources():
        if path in homes:
            numbers = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)} & TELLING
            assert not numbers, path


def test_every_row_says_what_it_is_and_whose_word_it_is():
    for figures in (FIGURES, MADE_SCENARIO):
        assert all(each.title and "its operator" in each.source for each in figures.values())


def test_a_change_is_told_for_what_was_published_before_and_after():
    for name in ("debug_p90", "all_p50", "all_p90", "repairs", "longest_session"):
        assert FIGURES[name].after < FIGURES[name].before
    assert FIGURES["delivered"].before is FIGURES["worst_team"].before is None
