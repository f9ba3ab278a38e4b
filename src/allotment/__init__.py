"""Simulate and teach how a GPU cluster is shared under GPU-time budgets with contracts.

    >>> import allotment
    >>> scenario = allotment.load_scenario("reference-month")
    >>> scenario.cluster.gpus
    1024

`allotment.simulate(scenario)` returns a `Result` with tables and a summary. The names below are fetched from where they
live when they are first asked for, so that importing the package costs nothing; `__init__.pyi` says their types.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOMES = {
    "AllotmentError": ("allotment.errors", "AllotmentError"),
    "Interrupted": ("allotment.experiment.simulate", "Interrupted"),
    "Result": ("allotment.results.result", "Result"),
    "Scenario": ("allotment.scenario", "Scenario"),
    "SkippedRowsWarning": ("allotment.errors", "SkippedRowsWarning"),
    "Workbench": ("allotment.views.workbench.page", "Workbench"),
    "list_presets": ("allotment.presets", "list_presets"),
    "load_cluster": ("allotment.presets", "load_cluster"),
    "load_fleet": ("allotment.presets", "load_fleet"),
    "load_plan": ("allotment.presets", "load_plan"),
    "load_policy": ("allotment.presets", "load_policy"),
    "load_scenario": ("allotment.presets", "load_scenario"),
    "read_result": ("allotment.interop.result_files", "read"),
    "save_result": ("allotment.interop.result_files", "save"),
    "simulate": ("allotment.presets.simulate", "simulate"),
    "simulate_fleet": ("allotment.experiment.fleet", "simulate_fleet"),
    "theories": ("allotment.lessons.theories", "theories"),
    "variant": ("allotment.experiment.simulate", "variant"),
    "why": ("allotment.presets.why", "why"),
    "with_shares": ("allotment.experiment.shares", "with_shares"),
}

__all__ = [*_HOMES]  # noqa: PLE0604 - they are texts


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, original = _HOMES[name]
    return getattr(import_module(module), original)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
