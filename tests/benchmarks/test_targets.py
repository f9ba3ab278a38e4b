"""What the project promises about its speed, on the machine that this runs on."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest


@pytest.fixture(scope="module")
def measured():
    command = [sys.executable, "-m", "allotment.cli", "bench", "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


@pytest.mark.parametrize("name", ["kernel, over the loop", "simulate(), over the loop", "later start", "peak memory"])
def test_a_target_is_met(measured, name):
    (target,) = [target for target in measured["targets"] if target["name"] == name]
    assert target["value"] <= target["limit"], target
