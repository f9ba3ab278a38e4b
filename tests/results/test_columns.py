import doctest
import importlib
import pkgutil

import pytest

import allotment.results
from allotment.results.columns import DERIVED, TABLES, problems_of
from allotment.results.result import Result
from tests.results.made import a_run


@pytest.fixture(scope="module")
def result() -> Result:
    return a_run().result()


@pytest.mark.parametrize("table", TABLES)
def test_every_table_has_exactly_its_documented_columns(result, table):
    assert problems_of(table, result.tables[table]) == []
    assert list(result.tables[table]) == [column.name for column in TABLES[table]]


def test_derived_tables_have_exactly_their_documented_columns(result):
    assert problems_of("waits", result.waits()) == []
    assert problems_of("leaf_waits", result.waits("leaf")) == []
    assert problems_of("gang_waits", result.waits("size")) == []
    assert problems_of("delivery", result.delivery()) == []


@pytest.mark.parametrize("table", TABLES | DERIVED)
def test_every_column_is_documented_once_with_a_meaning(table):
    columns = (TABLES | DERIVED)[table]
    names = [column.name for column in columns]
    assert len(set(names)) == len(names)
    for column in columns:
        assert column.meaning.strip()
        assert not column.meaning.endswith(".")
        assert column.unit in ("", "s", "GPUs", "GPU-hours", "ratio")


def test_a_missing_a_strange_and_a_wrong_column_are_each_named(result):
    frame = result.capacity.drop(columns="down").assign(extra=1, time=result.capacity["time"].astype(float))
    assert problems_of("capacity", frame) == [
        "table 'capacity' has no column 'down'",
        "table 'capacity' has a column 'extra' that is not documented",
        "column 'time' of table 'capacity' is float64, not int64",
    ]


def test_columns_in_another_order_are_named():
    frame = a_run().result().capacity
    assert "order time, healthy" in problems_of("capacity", frame[frame.columns[::-1]])[0]


def test_categories_must_be_those_of_the_codes(result):
    frame = result.segments.assign(state=result.segments["state"].cat.remove_categories("unallocated"))
    assert "must have the categories protected" in problems_of("segments", frame)[0]


def test_the_examples_in_the_documentation_hold():
    modules = [info.name for info in pkgutil.walk_packages(allotment.results.__path__, "allotment.results.")]
    ran = [doctest.testmod(importlib.import_module(name), raise_on_error=False) for name in modules]
    assert sum(each.failed for each in ran) == 0
    assert sum(each.attempted for each in ran) > 20
