"""What must hold at every moment of a run, looked at from outside after each pass and each thing that happens."""

from __future__ import annotations

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from allotment.kernel.engine import Engine
from tests.laws.books import wrong_books
from tests.laws.cases import SHIPPED, Case, cases
from tests.laws.effort import runs
from tests.laws.happenings import drive, walk
from tests.laws.standing import Standing

POLICIES = [*SHIPPED, None]  # None: one that Hypothesis invents
every_policy = pytest.mark.parametrize("name", POLICIES, ids=[name or "invented" for name in POLICIES])


def look_at(case: Case, look) -> None:
    of = case.scenario
    seen = walk(Engine(of, case.table), of.cluster.cycle, of.horizon, case.happenings, look)
    unseen = drive(Engine(of, case.table), of.horizon, case.happenings)
    for field in attrs.fields(type(seen)):  # law 10: in how many steps a run goes, and who looks at it, changes nothing
        assert np.array_equal(getattr(seen, field.name), getattr(unseen, field.name)), field.name


@every_policy
@runs(20)
@given(data=st.data())
def test_all_running_totals_are_what_can_be_counted(name, data):
    def look(engine):
        assert wrong_books(engine) == []

    look_at(data.draw(cases(name, half_life=True, passes=30, fewest=6)), look)


@every_policy
@runs(40)
@given(data=st.data())
def test_after_a_pass_nothing_waits_that_may_start_and_nothing_funded_is_unallocated(name, data):
    case = data.draw(cases(name, half_life=True, passes=60, fewest=6))
    passes = set()

    def look(engine):
        last = int(engine._state.clock[0].last_pass)
        if last == engine.now - 1 and last not in passes:
            assert Standing(engine, case.scenario.policy).in_vain() == []
        passes.add(last)  # what happens after a pass is for the next one to answer

    look_at(case, look)
