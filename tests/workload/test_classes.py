from __future__ import annotations

from typing import Any

import attrs
import pytest

from allotment.units import DAY
from allotment.workload.classes import (
    ClosedStream,
    Cycle,
    Flurries,
    PriorityWeights,
    RecordedStream,
    RunTime,
    Size,
    Step,
    Swing,
    Workload,
    with_demand,
)
from tests.workload.made import closed_stream, kind, open_stream


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Size(gpus=0), "gpus must be at least 1, not 0"),
        (lambda: Size(gpus=1, weight=-1), "weight must be between 0 and 1000000"),
        (lambda: Size(gpus=1, weight=float("nan")), "weight must be between"),
        (lambda: kind(sizes=()), "sizes must hold at least one item with a weight above 0"),
        (lambda: kind(sizes=(Size(gpus=1, weight=0),)), "sizes must hold at least one item"),
        (lambda: kind(resumable=1.5), "resumable must be between 0 and 1, not 1.5"),
        (lambda: kind(checkpoint=0), "checkpoint must be at least 1, not 0"),
        (lambda: kind(name=" x"), "name must be printable text"),
        (PriorityWeights, "at least one of low, normal, high and urgent"),
        (lambda: RunTime(median=60, shortest=100, longest=50), "shortest must be at most longest"),
        (lambda: Cycle(hours=(1.0,) * 23), "hours must be 24 factors"),
        (lambda: Cycle(days=(0.0,) * 7), "days must be 7 factors"),
        (lambda: Flurries(per_week=1, fewest=5, most=4), "fewest must be at most most"),
        (lambda: Swing(low=2, high=1), "low must be at most high"),
        (lambda: open_stream(leaves=("a", "a")), "leaves must hold each name once; 'a' is there twice"),
        (
            lambda: open_stream(leaves=("a",), weights=(1, 2)),
            "weights must be one for each of the 1 leaves named, not 2",
        ),
        (lambda: open_stream(weights=(1,)), "weights must be one for each of the 0 leaves"),
        (lambda: open_stream(leaves=("a",), weights=(-1,)), "weights must be between"),
        (lambda: open_stream(kinds=(kind(), kind())), "kinds must hold each name once; 'debug' is there twice"),
        (lambda: open_stream(type="closed"), "type"),
        (
            lambda: closed_stream(steps=(Step(at=9, factor=1), Step(at=9, factor=2))),
            "steps must come one after the other",
        ),
        (lambda: closed_stream(demand=float("inf")), "demand must be between"),
        (lambda: RecordedStream(path="x", short=100, cap=50), "short must be at most the cap"),
        (lambda: Workload(name="w", streams=(open_stream(), open_stream())), "streams must hold each name once"),
    ],
)
def test_what_makes_no_sense_is_refused_with_the_field_and_the_value(make: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        make()


def test_streams_are_values_that_lists_make_as_well() -> None:
    assert open_stream(kinds=[kind()], leaves=["a"], weights=[2]) == open_stream(
        kinds=(kind(),), leaves=("a",), weights=(2.0,)
    )
    assert hash(open_stream()) == hash(open_stream())


def test_demand_changes_the_closed_stream_and_nothing_else() -> None:
    streams = (open_stream(), closed_stream(demand=2.5))
    changed = with_demand(streams, 1.5)
    assert changed[0] == streams[0]
    assert changed[1] == attrs.evolve(streams[1], demand=1.5)


def test_demand_is_refused_where_one_number_cannot_say_it() -> None:
    with pytest.raises(ValueError, match="one closed stream, and this one has 0"):
        with_demand((open_stream(),), 2)
    with pytest.raises(ValueError, match="this one has 2"):
        with_demand((closed_stream(), closed_stream(name="other")), 2)


def test_a_closed_stream_says_by_default_that_nobody_asks_more_than_four_times_the_share() -> None:
    assert attrs.fields(ClosedStream).largest.default == 4.0
    assert Swing().every >= DAY
