"""Every example in a docstring gives what it says it gives."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(__file__).parents[1]


def test_the_examples_in_docstrings_hold() -> None:
    # In a process of its own, where the kernel's rules run as plain Python: compiled, they can only be called by one another.
    finished = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--doctest-modules", "src"],
        check=False,
        cwd=CHECKOUT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
    )
    assert finished.returncode == 0, finished.stdout + finished.stderr
    passed = re.search(r"(\d+) passed", finished.stdout)
    assert passed is not None
    assert int(passed[1]) > 20
