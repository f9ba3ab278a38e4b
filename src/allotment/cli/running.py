"""From what was typed to the runs that it asks for, and from these to files."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import attrs

from allotment.cli.asked import Asked, contradictions
from allotment.cli.console import Display
from allotment.errors import AllotmentError, InputError
from allotment.experiment.prepare import COMPILING, prepare
from allotment.experiment.shares import with_shares
from allotment.experiment.simulate import Interrupted, simulate, variant
from allotment.interop import result_files
from allotment.interop.recorded_file import Recording
from allotment.interop.replay import pinned, read_recordings, replay
from allotment.model.policy import Policy
from allotment.presets import load_cluster, load_plan, load_policy, load_scenario
from allotment.results import metrics
from allotment.results.result import Result
from allotment.scenario import Scenario
from allotment.units import HOUR

T = TypeVar("T")
USUAL = "budgets"  # the policy of a replay that names none


@attrs.frozen(kw_only=True, eq=False)
class Task:
    """The runs that were asked for, one after the other.

    `labels` tell the scenarios apart where there are several, and are empty texts where there is one. Of a replay
    `notes` say what was decided for it, and `replayed_until` when its last job is submitted.
    """

    scenarios: tuple[Scenario, ...]
    labels: tuple[str, ...]
    recordings: tuple[Mapping[str, Recording], ...]
    notes: tuple[str, ...] = ()
    replayed_until: int | None = None


def task_of(asked: Asked) -> Task:
    """Return what to run. Raises AllotmentError with everything that is wrong with it."""
    if problems := list(contradictions(asked)):
        raise InputError("these options", problems)
    shares = {node: share for node, _, share in (text.rpartition("=") for text in asked.shares)}
    loading: list[Callable[[], Any]] = [partial(load_policy, name) for name in asked.policies]
    if asked.trace is None:
        loading += [partial(_base, name, asked, shares) for name in asked.scenarios]
    else:
        loading.append(partial(load_cluster, asked.cluster or ""))
        loading.append(partial(load_plan, asked.plan) if asked.plan is not None else lambda: None)
    loaded = _all(loading)
    policies: list[Policy] = loaded[: len(asked.policies)]
    if asked.trace is None:
        bases: list[Scenario] = loaded[len(asked.policies) :]
        read = [read_recordings(base) for base in bases]
        pins = tuple(pinned(base, recordings) for base, recordings in zip(bases, read, strict=True))
        task = Task(scenarios=pins, labels=_labels(asked.scenarios, pins), recordings=tuple(read))
    else:
        cluster, plan = loaded[len(asked.policies) :]
        usual = policies[0] if policies else load_policy(USUAL)
        made = replay(asked.trace, cluster=cluster, policy=usual, plan=plan, days=asked.days)
        task = Task(
            scenarios=(with_shares(made.scenario, shares),),
            labels=("",),
            recordings=({stream.name: made.recording for stream in made.scenario.workload},),
            notes=made.notes,
            replayed_until=made.submitted_until,
        )
    chosen: list[Policy | None] = [*policies] or [None]
    seeds: list[int | None] = [*asked.seeds] or [None]
    runs = [(row, policy, seed) for row in range(len(task.scenarios)) for policy in chosen for seed in seeds]
    scenarios = _all([partial(variant, task.scenarios[row], policy=policy, seed=seed) for row, policy, seed in runs])
    return attrs.evolve(
        task,
        scenarios=tuple(scenarios),
        labels=tuple(task.labels[row] for row, _, _ in runs),
        recordings=tuple(task.recordings[row] for row, _, _ in runs),
    )


def _base(name: str, asked: Asked, shares: Mapping[str, str]) -> Scenario:
    return variant(load_scenario(name), days=asked.days, demand=asked.demand, shares=shares)


def _all(make: Sequence[Callable[[], T]]) -> list[T]:
    """Return everything that is made. Raises AllotmentError with the mistakes of all where some cannot be."""
    made, mistakes = [], []
    for one in make:
        try:
            made.append(one())
        except AllotmentError as error:
            mistakes.append(str(error))
    if mistakes:
        raise AllotmentError("\n".join(dict.fromkeys(mistakes)))
    return made


def _labels(given: Sequence[str], scenarios: Sequence[Scenario]) -> tuple[str, ...]:
    """Return what tells several scenarios apart: their names, or where two have the same, what was typed for them."""
    if len(given) == 1:
        return ("",)
    names = [scenario.name for scenario in scenarios]
    stems = [typed.removeprefix("./").removesuffix(".yaml").removesuffix(".yml") for typed in given]
    return tuple(
        name if names.count(name) == 1 else stem if [*stems, *set(names)].count(stem) == 1 else typed
        for name, stem, typed in zip(names, stems, given, strict=True)
    )


def folders_of(task: Task, asked: Asked) -> tuple[Path, ...]:
    """Return where each run is to be saved; none if nothing is. Raises AllotmentError where that cannot be."""
    if asked.out is None:
        return ()
    out = Path(asked.out)
    names = [
        "-".join([*([_file_name(label)] if label else []), _file_name(run.policy.name), f"seed-{run.seed}"])
        for label, run in zip(task.labels, task.scenarios, strict=True)
    ]
    if len(set(names)) < len(names):
        names = [f"{number}-{name}" for number, name in enumerate(names, start=1)]
    folders = (out,) if len(names) == 1 else tuple(out / name for name in names)
    for folder in {out, *folders}:
        if result_files.is_result(folder) and (not asked.force or folder not in folders):
            way_out = "name another folder" if folder not in folders else "add --force to replace it, or name another"
            raise AllotmentError(f"the folder {str(folder)!r} holds an earlier result; {way_out}")
    for folder in folders:
        result_files.check_target(folder)
    return folders


def _file_name(name: str) -> str:
    return re.sub(r"[^\w.-]+", "-", name).strip(".")


@attrs.frozen(kw_only=True, eq=False)
class Done:
    """What came of it: a result for each run as far as it got, where they were saved, and what went wrong in that."""

    task: Task
    results: tuple[Result, ...]
    saved: tuple[Path, ...]
    stopped: bool
    failure: AllotmentError | None


def carry_out(asked: Asked, display: Display) -> Done:
    """Simulate and save what was asked for.

    Ctrl-C ends the run under way and leaves out those after it. Raises AllotmentError with everything that is wrong with
    what was typed, and KeyboardInterrupt where there is nothing yet to keep.
    """
    display.phase("reading")
    task = task_of(asked)
    folders = folders_of(task, asked)
    results, stopped = _run_all(task, display)
    display.phase("saving")
    saved: list[Path] = []
    failure = None
    try:
        for folder, result in zip(folders, results, strict=False):
            result_files.save(result, folder)
            saved.append(folder)
    except AllotmentError as error:
        failure = error
    return Done(task=task, results=tuple(results), saved=tuple(saved), stopped=stopped, failure=failure)


def _run_all(task: Task, display: Display) -> tuple[list[Result], bool]:
    results: list[Result] = []
    try:
        prepare(on_compiling(display))
        for number, (scenario, recordings) in enumerate(zip(task.scenarios, task.recordings, strict=True), start=1):
            jobs = {name: recording.table for name, recording in recordings.items()}
            imports = {name: recording.report for name, recording in recordings.items()}
            display.phase("simulating" + (f" {number} of {len(task.scenarios)}" if len(task.scenarios) > 1 else ""))
            results.append(simulate(scenario, progress=display.tell, recordings=jobs, imports=imports))
    except Interrupted as interrupted:
        return [*results, interrupted.result], True
    except KeyboardInterrupt:
        if not results:
            raise
        return results, True
    return results, False


def on_compiling(display: Display) -> Callable[[int, int], None]:
    """Return what is to be told how many of the scheduler's rules are compiled; it is silent where none has to be."""
    said = False

    def tell(done: int, of: int) -> None:
        nonlocal said
        if not said:
            said = True
            display.phase("compiling the scheduler")
            display.say(COMPILING)
        display.tell(done, of)

    return tell


def summary_of(result: Result, label: str, task: Task) -> dict[str, Any]:
    """Return the summary of a run with the account of its recordings, and with its label where there are several."""
    of = {name: attrs.asdict(report) for name, report in result.imports.items()}
    more: dict[str, Any] = ({"label": label} if label else {}) | ({"recordings": of} if of else {})
    if task.replayed_until is not None:
        more["replay"] = {
            "submitted_until": task.replayed_until,
            "occupancy_until_then": occupancy_until(result, task.replayed_until),
            "jobs_at_the_end": states_of(result),
            "notes": list(task.notes),
        }
    return {**result.summary, **more}


def occupancy_until(result: Result, moment: int) -> float | None:
    """Return the occupancy from the warm-up's end to the last whole hour before a moment (s)."""
    hours = result.cluster["hour"].to_numpy()
    table = result.cluster[(hours >= metrics.first_hour(result.scenario.warmup)) & (hours < moment // HOUR)]
    held = metrics.total(table["allocated"]) + metrics.total(table["unallocated"])
    return metrics.ratio(held, metrics.total(table["healthy"]))


def states_of(result: Result) -> dict[str, int]:
    """Return how many recorded jobs stood where when the run ended; those not yet submitted are not in the result."""
    recorded = result.jobs[(result.jobs["name"] != "").to_numpy()]
    return {str(state): int(number) for state, number in recorded["state"].value_counts(sort=False).items()}
