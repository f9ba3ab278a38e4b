"""`allotment bench`, without its measuring anything for long."""

from __future__ import annotations

import pytest

from allotment.cli import bench, console
from allotment.cli.bench import _peak, _process, _target
from allotment.cli.console import Display
from allotment.errors import AllotmentError

FIGURES = {"best": 0.1, "median": 0.2, "all": [0.1, 0.2, 0.3]}
MEASURED = {
    "machine": {
        "python": "3.13.1",
        "system": "Linux x86_64",
        "cores": 2,
        "compiled": True,
        "writes_bytecode": False,
        "load": 6.2,
    },
    "scenario": "reference-month",
    "events": 297_428,
    "decisions": 137_615,
    "at_once": 250,
    "first_call": {"compiled": True, "seconds": 31.4},
    "later_start": FIGURES,
    "kernel": FIGURES,
    "process": FIGURES,
    "callbacks": FIGURES,
    "loop": FIGURES,
    "simulate": FIGURES,
    "whole_process": {"seconds": 2.2, "peak_mb": 417.3},
    "targets": [
        _target("kernel, over the loop", 0.9, 1, "times"),
        _target("simulate(), over the loop", 3.1, 3, "times"),
        _target("kernel, over the faster chain", 1.9, None, "times"),
        _target("peak memory", None, 600, "MB"),
    ],
}


@pytest.fixture
def quick(monkeypatch):
    """Let no process be started."""
    monkeypatch.setattr(bench, "_process", lambda _arguments: 1.5)
    monkeypatch.setattr(bench, "_peak", lambda _arguments: 321.0)


def test_all_is_measured_in_one_run(shell, quick):
    ended = shell("bench", "--scenario", "small-week", "--rounds", "2", "--json")
    assert ended.status == 0
    found = ended.json
    assert found["events"] > 5000
    assert len(found["kernel"]["all"]) == len(found["simulate"]["all"]) == 2
    assert found["kernel"]["best"] <= found["kernel"]["median"] <= found["simulate"]["median"]
    targets = {target["name"]: target for target in found["targets"]}
    assert targets["kernel, over the loop"]["value"] == found["kernel"]["median"] / found["loop"]["median"]
    chain = targets["kernel, over the faster chain"]
    assert chain["value"] == found["kernel"]["median"] / min(found["process"]["median"], found["callbacks"]["median"])
    assert chain["met"] is None
    assert (targets["later start"]["value"], targets["later start"]["met"]) == (1.5, True)
    assert (targets["peak memory"]["value"], targets["peak memory"]["limit"]) == (321.0, 600)


def test_the_page_fits_and_shows_the_targets_with_what_is_met_last(shell, monkeypatch):
    monkeypatch.setattr(bench, "measure", lambda *_: MEASURED)
    lines = shell("bench").out.splitlines()
    assert max(map(len, lines)) <= 80
    rows = {line.split("  ")[0]: line.split() for line in lines[lines.index("Targets (medians)") :]}
    assert rows["kernel, over the loop"][-3:] == ["90", "%", "met"]
    assert rows["simulate(), over the loop"][-5:] == ["103", "%", "not", "met", "here"]
    assert rows["kernel, over the faster chain"][-1:] == ["none"]
    assert rows["peak memory"][-4:] == ["at", "most", "600", "MB"]
    page = " ".join(" ".join(lines).split())
    assert "MISSED" not in page
    assert "first call: the scheduler was compiled" in page
    assert "Other programs keep this machine busy (6.2 want its 2 cores)" in page
    assert any(line.startswith("An event is a submission") for line in lines)


def test_progress_moves_where_nobody_sees_a_bar(capsys, quick, monkeypatch):
    seconds = iter(range(0, 10**7, 60))
    monkeypatch.setattr(console.time, "monotonic", lambda: next(seconds))
    with Display() as display:
        bench.measure("small-week", 2, display)
    lines = capsys.readouterr().err.splitlines()
    assert [line for line in lines if line.startswith("starting new processes")] == [
        f"starting new processes: {part} %" for part in (0, 20, 40, 60, 80)
    ]
    assert [line for line in lines if line.startswith("measuring")] == [
        f"measuring: {part} %" for part in (0, 25, 50, 75)
    ]


def test_a_new_process_is_measured_from_its_start_to_its_end():
    assert _process(["small-week", "--days", "1"]) > 0.2
    peak = _peak(["small-week", "--days", "1"])
    assert peak is None or 50 < peak < 2000


def test_a_process_that_fails_is_told():
    with pytest.raises(AllotmentError, match="no scenario 'nowhere'"):
        _process(["nowhere"])
