"""Twelve jobs of `small-week`: the cause is what they waited for longest, and the remedy is the cheapest that could be asked.

All is worked out again from the tables of whole runs, in which one job is changed at its submission: nothing of `explain` is used.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from allotment.experiment.simulate import draw
from allotment.kernel.engine import Engine
from allotment.presets.simulate import simulate
from allotment.presets.why import why
from allotment.results.result import Result, build
from allotment.units import HOUR, MINUTE
from allotment.views import answers
from allotment.workload.table import JobTable
from allotment.world.run import Run

TWELVE = (6902, 6873, 8412, 2301, 1774, 639, 645, 2289, 605, 1716, 4536, 2309)
OTHERS = {"if_share", "if_nodes", "if_preset"}
CHANCE = 30 * MINUTE  # by so much a price moves in a busy cluster if a job is one GPU smaller


@pytest.fixture(scope="module")
def week():
    result = simulate("small-week")
    return result, draw(result.scenario)


@pytest.fixture(scope="module", params=TWELVE)
def told(request, week):
    result, table = week
    return request.param, result, table, why(result, request.param)


def run_with(result: Result, table: JobTable, job: int, values: dict[str, int]) -> Result:
    """Return the whole run once more, in which a job asks for something else from its submission on."""
    made: list[Engine] = []

    def make(*of: Any) -> Engine:
        made.append(Engine(*of))
        return made[0]

    again = Run(result.scenario, table, make)
    again.advance(int(result.jobs.set_index("job")["submit"][job]))
    made[0].alter(job, values)
    again.advance(result.scenario.horizon)
    return build(result.scenario, table, again.close().log)


def late(result: Result, until: int) -> dict[int, int]:
    """Return how long each job that had come by a moment had waited, and run in vain, by then."""
    jobs = result.jobs[result.jobs["submit"] <= until].fillna({"end": result.horizon}).set_index("job")
    slices = result.slices
    ran = slices["end"].clip(upper=until) - slices["start"].clip(upper=until)
    lost = (slices["lost"] * HOUR).round().astype("int64") // slices["take"]
    in_vain = lost.where(slices["end"] <= until, 0)
    found = jobs["end"].clip(upper=until) - jobs["submit"]
    for each, sign in ((ran, -1), (in_vain, 1)):
        found += sign * each.groupby(slices["job"]).sum().reindex(found.index, fill_value=0)
    return {int(job): int(seconds) for job, seconds in found.items()}


def compared(before: Result, after: Result, job: int, works: tuple[int, int]) -> tuple[int, int]:
    """Return by how much sooner a job is done (or how much more of its work, as time), and how much later all others are."""
    rows = [each.jobs.set_index("job").loc[job] for each in (before, after)]
    ends = [each["end"] for each in rows]
    if any(str(each) == "<NA>" for each in ends):
        done = [float(row["done"]) / work for row, work in zip(rows, works, strict=True)]
        gained, until = round((done[1] - done[0]) * works[0]), after.horizon
    else:
        gained, until = int(ends[0] - ends[1]), int(max(ends))
    one, two = late(before, until), late(after, until)
    return gained, sum(two[other] - one[other] for other in one if other != job and other in two)


def smaller(table: JobTable, job: int, gpus: int) -> dict[str, int]:
    """Return what makes a job ask for fewer GPUs and do the same work."""
    work, limit, hold, asked = (int(getattr(table, name)[job]) for name in ("work", "limit", "hold", "gpus"))
    longer = -(-(work - hold) * asked // gpus) - (work - hold)
    short = limit < work + longer + int(table.startup[job])
    return {"gpus": gpus, "work": work + longer, "limit": limit + longer if short else limit}


def values_of(table: JobTable, job: int, code: str, given: Any) -> dict[str, int]:
    """Return what a row of the answer asks for."""
    if code == "if_gpus":
        return smaller(table, job, given["gpus"])
    if code == "if_no_contract":
        return {"min_runtime": 0}
    name = {"if_min_runtime": "min_runtime", "if_priority": "priority", "if_limit": "limit"}.get(code, "checkpoint")
    return {name: given[name]}


def all_that_could_be_asked(table: JobTable, job: int) -> Iterator[dict[str, int]]:
    """Yield far more than is tried: sizes up to a node and whole nodes, contracts every hour, every mark, checkpoints."""
    asked = int(table.gpus[job])
    yield from (smaller(table, job, gpus) for gpus in range(1, asked) if gpus < 8 or gpus % 8 == 0)
    yield from ({"min_runtime": each} for each in (0, 15 * MINUTE, 30 * MINUTE, *range(HOUR, 8 * HOUR + 1, HOUR)))
    yield from ({"priority": each} for each in range(1, 5))
    yield from ({"checkpoint": each} for each in (450, 15 * MINUTE, 30 * MINUTE))


def test_the_first_line_names_what_it_waited_for_longest_or_what_cost_it_more(told):
    _job, _result, _table, found = told
    longest = next((each for each in found.causes if each.reason.code != "next_pass"), None)
    if found.why.code.startswith("stopped_"):
        assert found.job.lost // found.job.gpus >= (0 if longest is None else longest.seconds)
        return
    assert (found.why.code, found.why.parameters.get("level")) == (
        longest.reason.code,
        longest.reason.parameters.get("level"),
    )
    in_turn = 2 * longest.seconds < found.waited
    assert answers.cause(found).startswith("Several causes in turn; the longest, ") == in_turn


def test_what_each_change_does_and_costs_is_what_the_whole_run_with_it_says(told):
    job, result, table, found = told
    rows = [each for each in found.what_if if each.change.code not in OTHERS | {"if_saved_before"}]
    assert len(rows) >= 5
    for each in rows:
        values = values_of(table, job, each.change.code, each.change.parameters)
        after = run_with(result, table, job, values)
        works = int(table.work[job]), values.get("work", int(table.work[job]))
        assert (each.since, compared(result, after, job, works)) == (found.job.submit, (each.gained, each.price))


def test_nothing_that_could_be_asked_halves_the_delay_for_less_than_chance(told):
    job, result, table, found = told
    best = found.remedy
    assert best.change.code not in OTHERS
    for values in all_that_could_be_asked(table, job):
        works = int(table.work[job]), values.get("work", int(table.work[job]))
        gained, price = compared(result, run_with(result, table, job, values), job, works)
        if 2 * gained >= best.delay:
            assert best.halves, values
            assert max(price, 0) + CHANCE >= max(best.price, 0), values
