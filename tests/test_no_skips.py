"""In CI a test that is skipped counts as a failure, and one that is expected to fail does not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

CHECKOUT = Path(__file__).parents[1]
TESTS = """
import pytest

def test_that_runs(): pass

def test_that_gives_up(): pytest.skip("no data")

@pytest.mark.skip(reason="later")
def test_that_is_marked(): pass

@pytest.mark.xfail(reason="known")
def test_that_is_known_to_fail(): assert 0
"""


def test_under_the_plugin_no_skip_is_let_through(tmp_path: Path) -> None:
    (tmp_path / "test_some.py").write_text(TESTS)
    (tmp_path / "test_none.py").write_text("import pytest\n\npytest.importorskip('nosuch')\n")
    options = ["-q", "-p", "tests.no_skips", "-p", "no:cacheprovider", "--continue-on-collection-errors"]
    finished = subprocess.run(
        [sys.executable, "-m", "pytest", *options, "--rootdir", str(tmp_path), str(tmp_path)],
        check=False,
        cwd=CHECKOUT,
        env={"PYTHONPATH": str(CHECKOUT)},
        capture_output=True,
        text=True,
    )
    assert finished.returncode == 1
    assert finished.stdout.splitlines()[-1].startswith("1 failed, 1 passed, 1 xfailed, 2 errors in ")
