"""Compiled code indexes the arrays of a state without counting from the back, so no rule may do that."""

from __future__ import annotations

import attrs
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.kernel.plain import Plain
from tests.laws.cases import SHIPPED, cases
from tests.laws.happenings import drive

POLICIES = [*SHIPPED, None]  # None: one that Hypothesis invents


class FromTheFront(np.recarray):
    """An array that refuses rows and columns counted from the back while `strict`; numpy itself refuses those past the end."""

    strict = False

    def _check(self, index):
        places = index if isinstance(index, tuple) else (index,)
        if self.strict and any(not isinstance(place, slice) and place < 0 for place in places):
            raise AssertionError(f"row {index} of {len(self)}: {self.dtype.names}")

    def __getitem__(self, index):
        if not isinstance(index, str):
            self._check(index)
        return super().__getitem__(index)

    def __setitem__(self, index, value):
        if not isinstance(index, str):
            self._check(index)
        super().__setitem__(index, value)


@pytest.fixture(scope="module")
def plain():
    """The kernel in plain Python, every array of its states strict while a rule runs."""
    plain = Plain.load()
    step, fields = plain.engine.step, [field.name for field in attrs.fields(plain.layout.State) if field.metadata]

    def strict_step(state, verb, row, until):
        arrays = {name: getattr(state, name).view(FromTheFront) for name in fields}
        FromTheFront.strict = True
        try:
            return step(attrs.evolve(state, **arrays), verb, row, until)
        finally:
            FromTheFront.strict = False

    plain.engine.step = strict_step
    return plain


@pytest.mark.parametrize("name", POLICIES, ids=[name or "invented" for name in POLICIES])
@settings(max_examples=10, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_no_rule_reads_or_writes_a_row_that_is_not_there(plain, name, data):
    case = data.draw(cases(name, half_life=True))
    drive(plain.engine.Engine(case.scenario, case.table), case.scenario.horizon, case.happenings)


def test_a_row_counted_from_the_back_is_noticed(plain):
    FromTheFront.strict = True
    try:
        with pytest.raises(AssertionError, match="row -1 of 3"):
            np.zeros(3, np.int64).view(FromTheFront)[-1]
        with pytest.raises(AssertionError, match="row"):
            np.zeros((3, 2), np.int64).view(FromTheFront)[1, -2] = 1
    finally:
        FromTheFront.strict = False
