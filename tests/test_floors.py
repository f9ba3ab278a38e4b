"""The contracts of import-linter hold back what they are there to hold back."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[1]
LINT = "from importlinter.cli import lint_imports; raise SystemExit(lint_imports(cache_dir=None))"


def verdicts(folder: Path) -> dict[str, str]:
    """Return KEPT or BROKEN for the name of every contract, in a copy of the checkout."""
    finished = subprocess.run(
        [sys.executable, "-c", LINT],
        check=False,
        cwd=folder,
        env={"PYTHONPATH": "src", "COLUMNS": "200"},
        capture_output=True,
        text=True,
    )
    found = dict(re.findall(r"^(.+?) (KEPT|BROKEN)\b", finished.stdout, flags=re.MULTILINE))
    assert found, finished.stdout + finished.stderr
    return found


@pytest.mark.parametrize(
    ("module", "line", "contract"),
    [
        ("kernel/__init__.py", "import allotment.results", "Imports only go down"),
        ("workload/__init__.py", "from allotment import scenario", "Imports only go down"),
        ("units.py", "import allotment.errors", "Imports only go down"),
        ("views/__init__.py", "import allotment.cli", "Imports only go down"),
        ("presets/__init__.py", "import allotment.lessons", "Imports only go down"),
        ("lessons/__init__.py", "import allotment.views", "Imports only go down"),
        ("utils.py", "", "Imports only go down"),
        ("kernel/__init__.py", "import simpy", "SimPy only in the world"),
        ("results/__init__.py", "import numba", "numba only in the kernel"),
        ("results/__init__.py", "import ruamel.yaml", "Formats only at the border"),
        ("model/__init__.py", "import cattrs", "Formats only at the border"),
        ("experiment/__init__.py", "import rich.progress", "The terminal only in the command line"),
        ("workload/__init__.py", "import pandas", "No pandas below the results"),
        ("results/__init__.py", "import holoviews", "No plots, widgets or notebooks under the views"),
        ("lessons/__init__.py", "import panel", "No plots, widgets or notebooks under the views"),
    ],
)
def test_an_import_that_a_contract_forbids_breaks_that_contract_and_no_other(
    tmp_path: Path, module: str, line: str, contract: str
) -> None:
    shutil.copy(CHECKOUT / "pyproject.toml", tmp_path)
    shutil.copytree(CHECKOUT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    with (tmp_path / "src" / "allotment" / module).open("a") as file:
        file.write(f"\n{line}\n")
    found = verdicts(tmp_path)
    assert [name for name, verdict in found.items() if verdict == "BROKEN"] == [contract]
