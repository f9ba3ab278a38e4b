"""The scheduler is made ready before the clock of a run starts, and one is told what that takes."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numba
import pytest

from allotment.experiment import prepare as module
from allotment.experiment.prepare import prepare
from allotment.kernel.advance import step
from allotment.kernel.jit import is_ready, watch_compiling

REPORT = """
import json
from allotment.experiment.prepare import prepare
told = []
compiled = prepare(lambda done, of: told.append((done, of)))
print(json.dumps([compiled, told, prepare()]))
"""


@pytest.fixture
def compiled(monkeypatch):
    monkeypatch.setattr(numba.config, "DISABLE_JIT", 0)


def test_what_is_ready_is_left_alone(monkeypatch):
    prepare()
    assert is_ready(step)
    monkeypatch.setattr(module, "_smallest_run", lambda: pytest.fail("made ready twice"))
    assert prepare(lambda done, of: pytest.fail("told something")) is False


def test_a_second_process_loads_from_the_cache_and_is_told_nothing():
    prepare()
    done = subprocess.run([sys.executable, "-c", REPORT], check=True, capture_output=True, text=True)
    assert json.loads(done.stdout) == [False, [], False]


def test_without_compiling_there_is_nothing_to_make_ready():
    off = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, "-c", REPORT], check=True, capture_output=True, text=True, env=off)
    assert json.loads(done.stdout) == [False, [], False]


def test_compiling_is_told_from_its_beginning_to_its_end(compiled):
    told: list[tuple[int, int]] = []

    @numba.njit
    def inner(number):
        return number + 1

    @numba.njit
    def outer(number):
        return inner(number) * 2

    with watch_compiling(lambda done, of: told.append((done, of))):
        assert outer(1) == 4
        assert [done for done, _ in told] == [0, 0, 1, 2]
        outer(2)
    assert len(told) == 4
    assert {of for _, of in told} == {told[0][1]}
    assert told[0][1] > 50
