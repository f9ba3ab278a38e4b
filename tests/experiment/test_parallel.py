"""Runs in processes of their own, and what becomes of these when somebody has had enough."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import attrs
import pytest

from allotment.experiment.measures import measure
from allotment.experiment.parallel import run_all
from allotment.experiment.simulate import simulate
from allotment.presets import load_scenario
from allotment.units import DAY
from tests.sessions import ONLY_LINUX, gone, hearing, of_session

LONG = """
import attrs, sys
from allotment.experiment.parallel import run_all
from allotment.presets import load_scenario
from allotment.units import DAY

if __name__ == "__main__":
    scenario = attrs.evolve(load_scenario("small-week"), measured=3000 * DAY)
    print("begun", flush=True)
    run_all([attrs.evolve(scenario, seed=seed) for seed in range(4)], processes=2)
"""


def begin(folder: Path, *, workers: int, settle: float = 0) -> subprocess.Popen[bytes]:
    """Begin the long run in a session of its own, and return when it has so many workers, or a moment later."""
    program = folder / "long.py"
    program.write_text(LONG)
    process = subprocess.Popen(
        hearing(sys.executable, str(program)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"begun\n"
    late = time.monotonic() + 60
    while len(of_session(process.pid)) < workers + 2:  # itself and what Python keeps for its semaphores
        assert process.poll() is None
        assert time.monotonic() < late
        time.sleep(0.01)
    time.sleep(settle)
    return process


def test_each_run_gives_what_it_gives_alone_in_the_order_asked_for():
    day = attrs.evolve(load_scenario("small-week"), measured=DAY)
    scenarios = [attrs.evolve(day, seed=seed) for seed in (2, 0, 1)]
    alone = [measure(simulate(scenario).summary) for scenario in scenarios]
    told = []
    assert run_all(scenarios, processes=2, tell=lambda *done: told.append(done)) == alone
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert run_all(scenarios, processes=1) == alone
    assert run_all([]) == []


@ONLY_LINUX
@pytest.mark.parametrize(
    "settle", [pytest.param(0, id="while they load"), pytest.param(5, id="while they run", marks=pytest.mark.slow)]
)
def test_ctrl_c_ends_all_at_once_and_only_the_first_process_tells(tmp_path, settle):
    with begin(tmp_path, workers=2, settle=settle) as process:
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        asked = time.monotonic()
        _, said = process.communicate(timeout=60)
        assert time.monotonic() - asked < 5
    assert process.returncode == -signal.SIGINT
    assert said.count(b"Traceback") == 1, said.decode()
    assert said.rstrip().endswith(b"KeyboardInterrupt")
    assert gone(process.pid)


@ONLY_LINUX
@pytest.mark.slow
@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGKILL])
def test_no_worker_outlives_who_began_it(tmp_path, sent):
    with begin(tmp_path, workers=2, settle=5) as process:
        process.send_signal(sent)
        process.communicate(timeout=60)
    assert gone(process.pid)
