"""Every figure of a summary, documented once: its place, unit and meaning.

All are over the measured time, from the warm-up's end to the horizon; hourly ones begin with the first whole hour of it.
Ratios are 0 to 1 and times are whole seconds; None stands for what cannot be known. In a place ``*`` is a name (of a kind
of work, a leaf, a number of GPUs, a contract, a cause) and ``[]`` each of several rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs

from allotment.errors import NotFoundError


@attrs.frozen
class Figure:
    """One figure. `unit` is empty for what has none."""

    place: str
    unit: str
    meaning: str


def _waits(place: str, of: str) -> tuple[Figure, ...]:
    return (
        Figure(f"{place}.n", "", f"jobs submitted {of}"),
        Figure(f"{place}.censored", "", "those of them that never started; they count as waiting longer than was seen"),
        Figure(f"{place}.p50", "s", "half of them first started within this time; None if fewer ever started"),
        Figure(f"{place}.p90", "s", "nine in ten first started within this time; None if fewer ever started"),
        Figure(f"{place}.comparable", "", "whether their submit times are the same under every policy"),
    )


def _standing(place: str, each: str) -> tuple[Figure, ...]:
    return (
        Figure(f"{place}.cumulative", "ratio", f"the sum of min(given, owed) over the sum of owed, over all {each}"),
        Figure(f"{place}.hourly", "ratio", "the same with the minimum taken hour by hour, which is stricter on bursts"),
        Figure(f"{place}.teams", "", f"{each} that were owed anything"),
        Figure(f"{place}.teams_at_95", "", "those of them that got 95 % or more of what they were owed"),
        Figure(f"{place}.worst", "ratio", "min(given, owed) / owed of the one that got least of it"),
    )


def _delivery(place: str, each: str) -> tuple[Figure, ...]:
    return (
        Figure(f"{place}[].team", "", f"path of the {each}"),
        Figure(f"{place}[].submitted_gpu_hours", "GPU-hours", "GPUs x run time of all jobs submitted"),
        Figure(f"{place}[].owed_gpu_hours", "GPU-hours", "min(entitled, wanted under contract), second by second"),
        Figure(f"{place}[].delivered_gpu_hours", "GPU-hours", "allocated hours given"),
        Figure(
            f"{place}[].cumulative", "ratio", "min(given, owed) / owed over the whole time; None if nothing was owed"
        ),
        Figure(f"{place}[].hourly", "ratio", "the same with the minimum taken hour by hour"),
    )


FIGURES: tuple[Figure, ...] = (
    Figure("scenario", "", "name of the scenario"),
    Figure(
        "policy", "", "name of the policy; of those that decided in the measured time, where one took over from another"
    ),
    Figure("seed", "", "seed of the draws"),
    Figure("cluster", "", "name of the cluster"),
    Figure("gpus", "GPUs", "all GPUs of the cluster"),
    Figure("warmup", "s", "how long the warm-up lasts"),
    Figure("measured", "s", "how long the measured time lasted"),
    Figure("interrupted", "", "whether the run was stopped before its end"),
    Figure("jobs.submitted", "", "jobs submitted; the next five say where they stood at the end"),
    Figure("jobs.waiting", "", "jobs that waited"),
    Figure("jobs.running", "", "jobs that held GPUs"),
    Figure("jobs.finished", "", "jobs whose work was done"),
    Figure("jobs.cancelled", "", "jobs that their users cancelled"),
    Figure("jobs.given_up", "", "jobs given up, as they cannot resume and were restarted too often"),
    Figure("pressure", "times", "GPUs wanted by jobs waiting or running, over healthy ones, on average"),
    Figure("occupancy", "ratio", "GPU time held, of what was healthy"),
    Figure("unallocated_share", "ratio", "GPU time charged to nobody, of what was held"),
    Figure("delivered.comparable", "", "whether it can be compared: without contracts everything held counts as given"),
    Figure("delivered.level", "", "what `delivered` is about: the leaves of the plan"),
    *_standing("delivered", "leaves"),
    *_standing("delivered.budgets", "budgets"),
    *_delivery("delivery", "leaf"),
    *_delivery("budget_delivery", "budget"),
    Figure("changes[].time", "s", "when the plan was changed, from the scenario's start"),
    Figure("changes[].author", "", "who signed for it"),
    Figure("changes[].reason", "", "why"),
    Figure("changes[].shares[].node", "", "path of a plan node whose share was changed"),
    Figure("changes[].shares[].old", "ratio", "its part of the parent before"),
    Figure("changes[].shares[].new", "ratio", "its part of the parent after"),
    *(
        figure
        for side, what in (("before", "from the change before, or the warm-up's end"), ("after", "until the next one"))
        for figure in (
            Figure(f"changes[].shares[].{side}.hours", "h", f"whole hours {what}"),
            Figure(f"changes[].shares[].{side}.gpus", "GPUs", "what the node was given in them, on average"),
            Figure(f"changes[].shares[].{side}.of_owed", "ratio", "the same of what it was owed"),
        )
    ),
    *_waits("wait.*", "of a kind of work; `all` are those of every kind"),
    *_waits("wait_open", "whose submit times do not hang on the policy"),
    *_waits("team_wait.*", "by a leaf"),
    *_waits("gang_wait.*", "that take so many GPUs, from a whole node on"),
    *_waits("contract_wait.*", "that ask this contract"),
    Figure("claimed_gpu_hours", "GPU-hours", "what the contracts of all jobs submitted claim, each once"),
    Figure("preemptions", "", "slices stopped for another job"),
    Figure("restarts", "", "slices stopped before their job had finished, whatever the cause"),
    Figure("work_lost_gpu_hours", "GPU-hours", "work that had to be done again, or was for nothing"),
    Figure("work_lost_share", "ratio", "the same of GPU time held"),
    Figure("stops.*.n", "", "slices stopped, by cause"),
    Figure("stops.*.work_lost_gpu_hours", "GPU-hours", "work lost by them"),
    Figure("occupied_for.useful", "ratio", "of GPU time held: work that was kept"),
    Figure("occupied_for.squatted", "ratio", "of GPU time held: idle after the work was done"),
    Figure("occupied_for.startup", "ratio", "of GPU time held: start-up of first slices"),
    Figure("occupied_for.restart", "ratio", "of GPU time held: start-up of later slices"),
    Figure("occupied_for.redone", "ratio", "of GPU time held: work that was lost again"),
    Figure("squatted_gpu_hours", "GPU-hours", "held idle after the work was done"),
    Figure("priorities.high.jobs", "ratio", "jobs submitted that were marked HIGH or URGENT"),
    Figure("priorities.high.gpu_hours", "ratio", "GPU time that such jobs held"),
    Figure("priorities.high_at_end.jobs", "ratio", "the same of jobs submitted on the last day"),
    Figure("priorities.high_at_end.gpu_hours", "ratio", "the same of GPU time held on the last day"),
    Figure("longest_protected_session", "s", "how long an interactive session was protected at most; None without any"),
    Figure("idle.*", "ratio", "of healthy GPU time: held by nobody, by cause"),
    Figure("idle_gpu_hours.*", "GPU-hours", "the same as GPU-hours"),
    Figure("pyramid.availability", "ratio", "healthy GPU time, of all"),
    Figure("pyramid.occupancy", "ratio", "held, of what was healthy"),
    Figure("pyramid.impact", "ratio", "given, of what was owed: `delivered.cumulative`"),
    Figure("pyramid.utilization", "ratio", "useful work, of what was held"),
    Figure("incidents", "", "nodes that broke or turned unhealthy"),
    Figure("incidents_with_a_person", "", "those of them that an engineer was called to"),
    Figure("repairs.n", "", "nodes that went out of service for repair"),
    Figure("repairs.urgent", "", "those of them that could not wait for the jobs"),
    Figure("repairs.with_a_person", "", "those of them that an engineer on call came to"),
    Figure("repairs.drain.n", "", "unhealthy nodes that were emptied"),
    Figure("repairs.drain.p50", "s", "half of them were empty within this time"),
    Figure("repairs.drain.longest", "s", "the longest that one took"),
    Figure("repairs.drain.open", "", "unhealthy nodes that were still draining at the end"),
    Figure("repairs.on_call_hours", "h", "what engineers on call spent"),
)


def places(summary: Any, place: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the place of every figure in a summary, step by step; rows are ``[]``."""
    if isinstance(summary, dict):
        for name, inner in summary.items():
            yield from places(inner, (*place, name))
    elif isinstance(summary, list):
        for row in summary:
            yield from places(row, (*place, "[]"))
    else:
        yield place


def figure(*place: str) -> Figure:
    """Return what is said of the figure at a place in a summary. Raises NotFoundError.

    >>> figure("wait", "debug", "p90").unit, figure("delivery", "[]", "team").meaning
    ('s', 'path of the leaf')
    """
    for each in FIGURES:
        steps = each.place.replace("[]", ".[]").split(".")
        if len(steps) == len(place) and all(step in ("*", name) for step, name in zip(steps, place, strict=True)):
            return each
    raise NotFoundError(f"a summary has no figure at {'.'.join(place)!r}; allotment.results.figures.FIGURES lists them")
