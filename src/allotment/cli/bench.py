"""How long things take here: the scheduler against the barest loop that SimPy can run, whole simulations, start and memory."""

from __future__ import annotations

import gc
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import attrs
from rich.console import Group, RenderableType
from rich.text import Text

from allotment.cli.console import Display
from allotment.cli.formats import count, times
from allotment.cli.layout import apart, grid, titled
from allotment.cli.running import on_compiling
from allotment.errors import AllotmentError
from allotment.experiment.prepare import prepare
from allotment.experiment.simulate import draw, simulate
from allotment.kernel.engine import Engine
from allotment.kernel.jit import compiled
from allotment.presets import load_scenario
from allotment.scenario import Scenario
from allotment.world.bare import fire_callbacks, fire_in_process

SMALL = ("small-week", "--days", "1")  # what a later start simulates
STARTS = 3
MEGABYTE = 1_000_000
EVENTS = (
    "An event is a submission, a start or an end of a slice, a promotion, a demotion, the end of a contract, or a pass. Refusals "
    "and what a pass looks at count nothing, and neither does the world's own."
)

Measured = Mapping[str, Any]


def measure(name: str, rounds: int, display: Display) -> dict[str, Any]:
    """Return all measurements in one run; seconds, and bytes in 10^6.

    The kernel, the loops and whole simulations take turns, so that whatever else the machine does falls on all alike.
    """
    scenario = load_scenario(name)
    began = time.perf_counter()
    anew = prepare(on_compiling(display))
    first = time.perf_counter() - began
    display.phase("starting new processes")
    starts = [_process([*SMALL])[0] for _ in range(STARTS)]
    whole_process, peak = _process([name])
    display.phase("measuring")
    turns = _take_turns(scenario, rounds, display)
    figures = {what: _figures(each) for what, each in turns.seconds.items()}
    loop = min(figures["process"]["median"], figures["callbacks"]["median"])
    return {
        "machine": _machine(),
        "scenario": scenario.name,
        "events": turns.events,
        "decisions": turns.decisions,
        "first_call": {"compiled": anew, "seconds": first},
        "later_start": _figures(starts),
        **figures,
        "whole_process": {"seconds": whole_process, "peak_mb": peak},
        "targets": [
            _target("kernel, over the loop", figures["kernel"]["median"] / loop, 1, "times"),
            _target("simulate(), over the loop", figures["simulate"]["median"] / loop, 3, "times"),
            _target("later start", statistics.median(starts), 2, "s"),
            _target("peak memory", peak, 600, "MB"),
        ],
    }


@attrs.frozen(kw_only=True)
class _Turns:
    events: int
    decisions: int
    seconds: Mapping[str, list[float]]


def _take_turns(scenario: Scenario, rounds: int, display: Display) -> _Turns:
    table = draw(scenario)
    gc.collect()
    gc.freeze()  # else the loops would pay for looking through all that is loaded here, again and again
    seconds: dict[str, list[float]] = {"kernel": [], "process": [], "callbacks": [], "simulate": []}
    events = decisions = 0
    for done in range(rounds):
        display.tell(done, rounds)
        engine = Engine(scenario, table)
        seconds["kernel"].append(_seconds(partial(engine.advance, scenario.horizon)))
        log = engine.close()
        events, decisions = log.events, len(log.decisions)
        del engine, log
        seconds["process"].append(_seconds(partial(fire_in_process, events)))
        seconds["callbacks"].append(_seconds(partial(fire_callbacks, events)))
        seconds["simulate"].append(_seconds(partial(simulate, scenario)))
    gc.unfreeze()
    return _Turns(events=events, decisions=decisions, seconds=seconds)


def _figures(seconds: list[float]) -> dict[str, Any]:
    return {"best": min(seconds), "median": statistics.median(seconds), "all": seconds}


def _target(name: str, value: float | None, limit: float, unit: str) -> dict[str, Any]:
    return {
        "name": name,
        "value": value,
        "limit": limit,
        "unit": unit,
        "met": None if value is None else value <= limit,
    }


def _seconds(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def _process(arguments: list[str]) -> tuple[float, float | None]:
    """Return the seconds that `allotment simulate` takes in a new process, from its start to its end, and its peak (MB)."""
    command = [sys.executable, "-m", "allotment.cli", "simulate", *arguments, "--json"]
    began = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:  # noqa: S603 - this program
        said = b"" if process.stderr is None else process.stderr.read()
        peak = None
        if hasattr(os, "wait4"):
            _, status, used = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            peak = used.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / MEGABYTE
    took = time.perf_counter() - began
    if process.returncode:
        raise AllotmentError(f"{' '.join(command)!r} failed: {said.decode(errors='replace').strip()}")
    return took, peak


def _machine() -> dict[str, Any]:
    return {
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "cores": os.cpu_count(),
        "compiled": compiled(),
        "writes_bytecode": not sys.dont_write_bytecode,
    }


def page_of(measured: Measured) -> RenderableType:
    """Return the measurements as something to print."""
    machine = measured["machine"]
    remarks = [f"Python {machine['python']}, {machine['system']}, {machine['cores']} cores"]
    remarks += (
        [] if machine["compiled"] else ["The scheduler is not compiled here (is numba missing, or switched off?)."]
    )
    if not machine["writes_bytecode"]:
        remarks.append(
            "PYTHONDONTWRITEBYTECODE is set, so every start compiles the Python that was not compiled before."
        )
    return apart(
        [
            Group(*map(Text, remarks)),
            _starting(measured),
            _running(measured),
            Text(EVENTS, style="dim"),
            _targets(measured),
        ]
    )


def _starting(measured: Measured) -> RenderableType:
    table = grid("seconds", "peak MB")
    how = "compiled" if measured["first_call"]["compiled"] else "loaded from the cache"
    table.add_row(f"first call: the scheduler was {how}", _time(measured["first_call"]["seconds"]), "")
    table.add_row("a new process, start to end, with a small simulation", _time(measured["later_start"]["median"]), "")
    whole, peak = measured["whole_process"]["seconds"], measured["whole_process"]["peak_mb"]
    table.add_row(f"a new process with {measured['scenario']}", _time(whole), "-" if peak is None else f"{peak:.0f}")
    return titled("Starting", table)


def _running(measured: Measured) -> RenderableType:
    table = grid("best", "median", "a million events")
    rows = {
        "kernel, decision log on": "kernel",
        "SimPy, one process that waits": "process",
        "SimPy, callbacks": "callbacks",
        "simulate(): jobs, kernel, tables, summary": "simulate",
    }
    for name, key in rows.items():
        of = measured[key]
        table.add_row(name, _time(of["best"]), _time(of["median"]), f"{of['median'] / measured['events'] * 1e6:.2f} s")
    title = f"Running {measured['scenario']}: {count(measured['events'])} events, {count(measured['decisions'])} decisions logged"
    return titled(title, table)


def _targets(measured: Measured) -> RenderableType:
    table = grid("here", "at most", "")
    for of in measured["targets"]:
        verdict = {True: "met", False: "MISSED", None: "not measured"}[of["met"]]
        table.add_row(of["name"], _figure(of["value"], of["unit"]), _figure(of["limit"], of["unit"]), verdict)
    return titled("Targets (medians)", table)


def _figure(value: float | None, unit: str) -> str:
    if value is None:
        return "-"
    return times(value) if unit == "times" else f"{value:.0f} {unit}" if unit == "MB" else f"{value:.2f} {unit}"


def _time(seconds: float) -> str:
    return f"{seconds:.3f} s"
