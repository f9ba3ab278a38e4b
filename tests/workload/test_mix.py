from __future__ import annotations

import pytest

from allotment.errors import ValueProblems
from allotment.experiment.simulate import draw
from allotment.presets import load_scenario
from allotment.units import HOUR, WEEK
from allotment.workload.classes import ClosedStream, OpenStream
from allotment.workload.mix import Turned, asked, turned

WEEKS = load_scenario("small-week")


def kind_of(streams, name):
    return next(kind for stream in streams for kind in stream.kinds if kind.name == name)


def test_more_of_one_kind_leaves_the_others_what_they_have():
    streams = turned(WEEKS.workload, [Turned(kind="training", rate=2), Turned(kind="debug", rate=0.5)])
    opened, closed = streams
    assert isinstance(opened, OpenStream)
    assert isinstance(closed, ClosedStream)
    assert opened.jobs_per_week == 450
    # 60 and 40 of 100 at a demand of 2.5 are 1.5 and 1.0; now 3.0 and 1.0
    assert closed.demand == 4.0
    assert [kind.weight / 160 * closed.demand for kind in closed.kinds] == [3.0, 1.0]


def test_what_is_not_named_stays():
    assert turned(WEEKS.workload, []) == WEEKS.workload
    assert turned(WEEKS.workload, [Turned(kind="batch")]) == WEEKS.workload


def test_sizes_contracts_and_checkpoints_are_those_that_are_asked_for():
    change = Turned(kind="training", sizes_up_to=4, min_runtime=2 * HOUR, resumable=0.5, checkpoint=600)
    kind = kind_of(turned(WEEKS.workload, [change]), "training")
    assert [size.gpus for size in kind.sizes] == [1, 2, 4]
    assert [contract.min_runtime for contract in kind.contracts] == [2 * HOUR]
    assert (kind.resumable, kind.checkpoint) == (0.5, 600)


def test_everything_that_does_not_fit_is_told_at_once():
    changes = [Turned(kind="trainng"), Turned(kind="debug", rate=0)]
    with pytest.raises(ValueProblems) as caught:
        turned(WEEKS.workload, changes)
    assert caught.value.problems == (
        "there is no kind of work 'trainng' to change; there are batch, debug, training",
        "a rate of 0 for kind 'debug' would leave stream 'debug' without work",
    )


def test_what_is_asked_is_counted_in_the_jobs_that_were_drawn():
    table = draw(WEEKS)
    found = {each.kind: each for each in asked(table, WEEKS.horizon)}
    assert list(found) == list(table.kinds)
    debug = found["debug"]
    rows = [row for row in range(len(table)) if table.kinds[table.kind[row]] == "debug"]
    assert debug.jobs == len(rows) / (WEEKS.horizon / WEEK)
    hours = sum(int(table.gpus[row]) * int(table.work[row]) for row in rows) / HOUR
    assert debug.gpu_hours == pytest.approx(hours / (WEEKS.horizon / WEEK))
    # 2.5 times the 90 percent of 88 GPUs for 168 hours, six tenths of it training, as far as the swing is even
    assert found["training"].jobs is None
    assert found["training"].gpu_hours == pytest.approx(0.6 * 2.5 * 0.9 * 88 * 168, rel=0.35)
    assert found["training"].gpu_hours == pytest.approx(1.5 * found["batch"].gpu_hours, rel=0.5)
