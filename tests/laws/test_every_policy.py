"""What must always hold, over random runs with failing nodes, cancelled jobs and changes of the plan, for every policy."""

from __future__ import annotations

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from allotment.kernel.engine import Engine
from allotment.model.codes import IdleCause
from allotment.results.laws import check
from allotment.results.result import build
from tests.laws.cases import SHIPPED, Case, cases
from tests.laws.compare import differences
from tests.laws.effort import runs
from tests.laws.happenings import drive, reach
from tests.laws.reference import Reference

POLICIES = [*SHIPPED, None]  # None: one that Hypothesis invents
NAMES = [name or "invented" for name in POLICIES]
few = runs(12)
every_policy = pytest.mark.parametrize("name", POLICIES, ids=NAMES)


def run(case: Case):
    return drive(Engine(case.scenario, case.table), case.scenario.horizon, case.happenings)


def same(a, b):
    return all(np.array_equal(getattr(a, field.name), getattr(b, field.name)) for field in attrs.fields(type(a)))


@every_policy
@few
@given(data=st.data())
def test_the_kernel_decides_as_the_plain_reference_does(name, data):
    case = data.draw(cases(name))
    assert differences(run(case), Reference(case.scenario, case.table).run(case.happenings)) == []


@every_policy
@few
@given(data=st.data())
def test_the_laws_hold_of_what_is_saved_and_no_idle_gpu_is_unexplained(name, data):
    case = data.draw(cases(name))
    log = run(case)
    assert [str(violation) for violation in check(build(case.scenario, case.table, log))] == []
    assert log.idle[:, int(IdleCause.UNEXPLAINED)].sum() == 0


@every_policy
@few
@given(data=st.data())
def test_many_small_steps_equal_one(name, data):
    case = data.draw(cases(name, world=False))
    horizon = case.scenario.horizon
    stepped = Engine(case.scenario, case.table)
    for moment in sorted(data.draw(st.lists(st.integers(0, horizon), max_size=40))):
        reach(stepped, moment)
    reach(stepped, horizon)
    assert same(stepped.close(), run(case))


@every_policy
@few
@given(data=st.data())
def test_names_and_the_order_of_siblings_change_nothing(name, data):
    case = data.draw(cases(name, world=False))

    def shuffled(nodes):
        order = data.draw(st.permutations(nodes))
        return tuple(attrs.evolve(node, name=f"{node.id} anew", children=shuffled(node.children)) for node in order)

    plan = attrs.evolve(case.scenario.plan, children=shuffled(case.scenario.plan.children))
    other = attrs.evolve(case, scenario=attrs.evolve(case.scenario, plan=plan))
    assert same(run(other), run(case))
