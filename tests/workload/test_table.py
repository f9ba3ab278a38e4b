from __future__ import annotations

import attrs
import numpy as np
import pytest

from allotment.workload.table import COLUMNS, merge
from tests.workload.made import closed_stream, jobs, of, open_stream, plan


def test_columns_have_the_types_they_promise() -> None:
    table = jobs(open_stream())
    assert {name: getattr(table, name).dtype for name in COLUMNS} == COLUMNS


def test_merging_keeps_every_job_and_its_names() -> None:
    one = jobs(open_stream(), plan=plan(b=0.5))
    two = jobs(closed_stream(), plan=plan(a=0.25, c=0.5))
    both = merge(("a", "b", "c"), [one, two])
    assert len(both) == len(one) + len(two)
    assert of(both, "b") == of(one, "b")
    for leaf in ("a", "c"):
        assert of(both, leaf) == of(two, leaf)
    assert both.streams.names == one.streams.names + two.streams.names
    row = both.streams.names.index("closed")
    assert both.streams.target(row)[1].tolist() == two.streams.target(0)[1].tolist()
    assert both.leaves[both.streams.leaf[row]] == two.leaves[two.streams.leaf[0]]


def test_merging_with_recorded_jobs_keeps_their_names_and_gives_the_others_none() -> None:
    one = jobs(open_stream(), plan=plan(b=0.5))
    named = attrs.evolve(one, names=tuple(f"job-{row}" for row in range(len(one))))
    both = merge(("b",), [one, named])
    assert both.names is not None
    assert both.names[0] == ""
    assert both.names[len(one)] == "job-0"


def test_merging_refuses_jobs_of_a_leaf_that_is_not_there() -> None:
    with pytest.raises(ValueError, match="no leaf 'b'"):
        merge(("a",), [jobs(open_stream(), plan=plan(b=0.5))])


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"work": [0]}, "work must be at least 1, not 0"),
        ({"gpus": [0]}, "gpus must be at least 1, not 0"),
        ({"submit": [-2]}, "submit must be at least -1, not -2"),
        ({"leaf": [1]}, "leaf must be below 1, not 1"),
        ({"limit": [1]}, "limit must be at least work and start-up together"),
        ({"checkpoint": [0], "resumable": [True]}, "checkpoint must be at least 1 for a resumable job"),
        ({"user": [0, 0]}, "user must have 1 rows"),
        ({"names": ("a", "b")}, "names must have 1 rows, not 2"),
    ],
)
def test_a_table_that_contradicts_itself_is_refused(changes: dict[str, object], text: str) -> None:
    table = jobs(open_stream(), plan=plan(b=0.5))
    columns = {name: getattr(table, name)[:1] for name in COLUMNS} | {"names": None} | changes
    made = {name: np.array(value) if isinstance(value, list) else value for name, value in columns.items()}
    with pytest.raises(ValueError, match=text):
        attrs.evolve(table, **made)
