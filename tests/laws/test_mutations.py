"""A kernel with one rule broken is found out by a law or by the plain reference."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.laws.mutated import MUTATIONS

ROOT = Path(__file__).parents[2]


def find_out(name):
    paths = os.pathsep.join([str(ROOT / "src"), str(ROOT)])
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1", "PYTHONPATH": paths}
    command = [sys.executable, "-m", "tests.laws.mutated", name]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.slow
@pytest.mark.parametrize("name", MUTATIONS)
def test_a_broken_rule_is_noticed(name):
    ended = find_out(name)
    assert ended.returncode == 0, ended.stdout + ended.stderr


@pytest.mark.slow
def test_a_kernel_with_nothing_broken_is_not_suspected():
    ended = find_out("nothing")
    assert (ended.returncode, ended.stdout) == (3, "nothing noticed it\n"), ended.stderr
