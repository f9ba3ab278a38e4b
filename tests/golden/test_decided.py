"""A few small runs decide what they always did, whatever the hash seed, compiled or not."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache

import pytest

from allotment.kernel.log import Log
from tests.conftest import ROOT
from tests.golden import decided

log_of = cache(decided.log_of)


@pytest.mark.parametrize("name", decided.RUNS)
def test_the_decisions_are_those_that_are_kept(name: str) -> None:
    kept = (decided.HERE / f"{name}.csv").read_text(encoding="utf-8").splitlines()
    got = decided.decisions(log_of(name)).splitlines()
    first = next((at for at, (a, b) in enumerate(zip(got, kept, strict=False)) if a != b), min(len(got), len(kept)))
    assert got[first:] == kept[first:], f"{name}.csv differs from line {first + 1} on; {decided.__doc__}"


@pytest.mark.parametrize(
    "changed",
    [{"PYTHONHASHSEED": "0"}, {"PYTHONHASHSEED": "1"}, {"PYTHONHASHSEED": "2"}, {"NUMBA_DISABLE_JIT": "1"}],
    ids=lambda changed: "-".join(*changed.items()),
)
def test_every_process_computes_the_same(changed: dict[str, str]) -> None:
    path = os.pathsep.join([str(ROOT), *filter(None, sys.path)])
    told = subprocess.run(
        [sys.executable, "-m", "tests.golden.decided"],
        env=os.environ | {"PYTHONPATH": path} | changed,
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.splitlines() == [f"{name} {decided.digest(log_of(name))}" for name in decided.RUNS]


def test_a_digest_changes_with_any_figure() -> None:
    log = decided.log_of("fifo")
    before = decided.digest(log)
    for name in ("jobs", "slices", "segments", "placements", "decisions", "capacity"):
        for column in getattr(log, name).dtype.names:
            value = getattr(log, name)[column]
            value[-1] = not value[-1] if value.dtype == bool else value[-1] + 1
            assert decided.digest(log) != before, f"{name}.{column}"
            value[-1] = not value[-1] if value.dtype == bool else value[-1] - 1
    assert decided.digest(log) == before


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("budgets", ["start", "start_unallocated", "refuse", "promote", "demote", "preempt", "hold", "give_up"]),
        ("priority", ["start", "refuse", "preempt"]),
        ("fifo", ["start", "refuse"]),
        ("fair-tree", ["start", "refuse"]),
    ],
)
def test_the_runs_hold_what_they_are_for(name: str, words: list[str]) -> None:
    log: Log = log_of(name)
    codes = {line.split(",")[1] for line in decided.decisions(log).splitlines()[1:]}
    assert codes == set(words)
