"""What must hold of every run with people and failing nodes in it, whatever the policy."""

from __future__ import annotations

import attrs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from allotment.experiment.simulate import draw
from allotment.model.codes import IdleCause
from allotment.model.people import Inflation
from allotment.presets import load_policy
from allotment.results.laws import check
from allotment.results.result import build
from allotment.workload.table import COLUMNS
from allotment.world.run import run
from tests.laws.effort import runs
from tests.strategies import POLICIES, regimes, scenarios

few = runs(12)


@pytest.mark.parametrize("name", POLICIES)
@few
@given(data=st.data())
def test_the_laws_hold_with_people_in_it(name, data):
    scenario = data.draw(scenarios(regimes((name,)), health=True, people=True))
    outcome = run(scenario, draw(scenario))
    result = build(scenario, outcome.table, outcome.log, incidents=outcome.incidents)
    assert [str(violation) for violation in check(result)] == []
    assert outcome.log.idle[:, int(IdleCause.UNEXPLAINED)].sum() == 0
    assert result.jobs["squatted"].sum() == pytest.approx(result.cluster["squatted"].sum())
    assert (result.jobs["squatted"] <= result.jobs["take"] * result.jobs["hold"] / 3600 + 1e-9).all()


@few
@given(data=st.data())
def test_every_policy_meets_the_same_people_with_the_same_jobs(data):
    scenario = data.draw(scenarios(regimes(("budgets",)), people=True))
    other = attrs.evolve(scenario, policy=load_policy("priority"))
    mine, theirs = draw(scenario), draw(other)
    assert all(np.array_equal(getattr(mine, name), getattr(theirs, name)) for name in COLUMNS)
    assert (mine.users, mine.kinds, mine.leaves) == (theirs.users, theirs.kinds, theirs.leaves)


@few
@given(data=st.data())
def test_teams_do_nothing_but_raise_marks(data):
    scenario = data.draw(scenarios(people=True))
    table = draw(scenario)
    after = run(scenario, table).table
    inflates = any(isinstance(person, Inflation) for person in scenario.people)
    assert (after.priority >= table.priority).all()
    assert (after.preemptible <= table.preemptible).all()
    assert inflates or after is table
    rest = set(COLUMNS) - {"priority", "preemptible"}
    assert all(np.array_equal(getattr(after, name), getattr(table, name)) for name in rest)
