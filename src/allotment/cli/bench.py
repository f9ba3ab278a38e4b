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
from allotment.cli.layout import apart, grid, titled
from allotment.cli.running import on_compiling
from allotment.errors import AllotmentError
from allotment.experiment.prepare import prepare
from allotment.experiment.simulate import draw, simulate
from allotment.kernel.engine import Engine
from allotment.kernel.jit import compiled
from allotment.presets import load_scenario
from allotment.scenario import Scenario
from allotment.views.formats import count, times
from allotment.world.bare import fire_callbacks, fire_in_processes

SMALL = ("small-week", "--days", "1")  # what a later start simulates
STARTS = 3
SIMULATE = (sys.executable, "-m", "allotment.cli", "simulate")
IN_BETWEEN = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
raise SystemExit(done.returncode)
"""
BUSY = 0.5  # programs a core that want it before any of this runs
MEGABYTE = 1_000_000
EVENTS = (
    "An event is a submission, a start or an end of a slice, a promotion, a demotion, the end of a contract, or a pass. Refusals "
    "and what a pass looks at count nothing, and neither does the world's own. The loop that the scheduler is held against fires "
    "as many empty events, with as many processes waiting as slices run at once and one for the passes. The single chains have "
    "one event pending and nothing to keep in order: they are the least that SimPy can do, shown for scale."
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
    busy = _load()
    display.phase("starting new processes")
    starts = [_step(display, done, partial(_process, [*SMALL])) for done in range(STARTS)]
    whole_process = _step(display, STARTS, partial(_process, [name]))
    peak = _step(display, STARTS + 1, partial(_peak, [name]))
    display.phase("measuring")
    turns = _take_turns(scenario, rounds, display)
    figures = {what: _figures(each) for what, each in turns.seconds.items()}
    loop, chain = figures["loop"]["median"], min(figures["process"]["median"], figures["callbacks"]["median"])
    return {
        "machine": {**_machine(), "load": busy},
        "scenario": scenario.name,
        "events": turns.events,
        "decisions": turns.decisions,
        "at_once": turns.at_once,
        "first_call": {"compiled": anew, "seconds": first},
        "later_start": _figures(starts),
        **figures,
        "whole_process": {"seconds": whole_process, "peak_mb": peak},
        "targets": [
            _target("kernel, over the loop", figures["kernel"]["median"] / loop, 1, "times"),
            _target("simulate(), over the loop", figures["simulate"]["median"] / loop, 3, "times"),
            _target("kernel, over the faster chain", figures["kernel"]["median"] / chain, None, "times"),
            _target("later start", statistics.median(starts), 2, "s"),
            _target("peak memory", peak, 600, "MB"),
        ],
    }


def _step(display: Display, done: int, act: Callable[[], Any]) -> Any:
    display.tell(done, STARTS + 2)
    return act()


def _load() -> float | None:
    """Return how many programs want a core now, on average over the last minute; None where the system does not say."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None


@attrs.frozen(kw_only=True)
class _Turns:
    events: int
    decisions: int
    at_once: int  # slices that run at once, on average
    seconds: Mapping[str, list[float]]


def _take_turns(scenario: Scenario, rounds: int, display: Display) -> _Turns:
    table = draw(scenario)
    gc.collect()
    gc.freeze()  # else the loops would pay for looking through all that is loaded here, again and again
    seconds: dict[str, list[float]] = {name: [] for name in ("kernel", "loop", "process", "callbacks", "simulate")}
    events = decisions = at_once = 0
    for done in range(rounds):
        display.tell(2 * done, 2 * rounds)
        engine = Engine(scenario, table)
        seconds["kernel"].append(_seconds(partial(engine.advance, scenario.horizon)))
        log = engine.close()
        events, decisions = log.events, len(log.decisions)
        at_once = max(1, int((log.slices["end"] - log.slices["start"]).sum()) // scenario.horizon)
        del engine, log
        seconds["loop"].append(_seconds(partial(fire_in_processes, events, at_once + 1)))
        seconds["process"].append(_seconds(partial(fire_in_processes, events)))
        seconds["callbacks"].append(_seconds(partial(fire_callbacks, events)))
        display.tell(2 * done + 1, 2 * rounds)
        seconds["simulate"].append(_seconds(partial(simulate, scenario)))
    gc.unfreeze()
    return _Turns(events=events, decisions=decisions, at_once=at_once, seconds=seconds)


def _figures(seconds: list[float]) -> dict[str, Any]:
    return {"best": min(seconds), "median": statistics.median(seconds), "all": seconds}


def _target(name: str, value: float | None, limit: float | None, unit: str) -> dict[str, Any]:
    return {
        "name": name,
        "value": value,
        "limit": limit,
        "unit": unit,
        "met": None if value is None or limit is None else value <= limit,
    }


def _seconds(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return time.perf_counter() - began


def _process(arguments: list[str]) -> float:
    """Return the seconds that `allotment simulate` takes in a new process, from its start to its end."""
    began = time.perf_counter()
    _run([*SIMULATE, *arguments, "--json"])
    return time.perf_counter() - began


def _peak(arguments: list[str]) -> float | None:
    """Return the most memory (MB) that such a process ever held, None where the system does not say.

    It is started by a small process in between: what a system says of a process begins with what its parent held.
    """
    if sys.platform == "win32":
        return None
    peak = int(_run([sys.executable, "-c", IN_BETWEEN, *SIMULATE, *arguments, "--json"]))
    return peak * (1 if sys.platform == "darwin" else 1024) / MEGABYTE


def _run(command: list[str]) -> bytes:
    done = subprocess.run(command, capture_output=True, check=False)  # noqa: S603 - this program
    if done.returncode:
        raise AllotmentError(f"{' '.join(command)!r} failed: {done.stderr.decode(errors='replace').strip()}")
    return done.stdout


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
    if machine["load"] is not None and machine["load"] > BUSY * (machine["cores"] or 1):
        remarks.append(
            f"Other programs keep this machine busy ({machine['load']:.1f} want its {machine['cores']} cores): what takes "
            "seconds here takes less on a quiet one."
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
        f"SimPy, {count(measured['at_once'] + 1)} processes that wait": "loop",
        "SimPy, a single chain: one process": "process",
        "SimPy, a single chain: callbacks": "callbacks",
        "simulate(): jobs, kernel, tables, summary": "simulate",
    }
    for name, key in rows.items():
        of = measured[key]
        table.add_row(name, _time(of["best"]), _time(of["median"]), f"{of['median'] / measured['events'] * 1e6:.2f} s")
    title = f"Running {measured['scenario']}: {count(measured['events'])} events, {count(measured['decisions'])} decisions logged"
    return titled(title, table)


def _targets(measured: Measured) -> RenderableType:
    table = grid("here", "target", "of target", "")
    for of in measured["targets"]:
        value, limit = of["value"], of["limit"]
        ratio = "" if value is None or not limit else f"{100 * value / limit:.0f} %"
        verdict = {True: "met", False: "not met here", None: ""}[of["met"]]
        target = "none" if limit is None else f"at most {_figure(limit, of['unit'])}"
        table.add_row(of["name"], _figure(value, of["unit"]), target, ratio, verdict)
    return titled("Targets (medians)", table)


def _figure(value: float | None, unit: str) -> str:
    if value is None:
        return "-"
    return times(value) if unit == "times" else f"{value:.0f} {unit}" if unit == "MB" else f"{value:.2f} {unit}"


def _time(seconds: float) -> str:
    return f"{seconds:.3f} s"
