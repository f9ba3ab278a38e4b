"""A scheduler's answers on tape: the world is brought to a moment by them, and goes on with an engine that stands there."""

from __future__ import annotations

import numpy as np
import pytest

from allotment.errors import SimulationError
from allotment.experiment.simulate import draw, variant
from allotment.kernel.engine import Engine
from allotment.presets import load_policy, load_scenario
from allotment.world.run import Run
from allotment.world.tape import Taped


@pytest.fixture(scope="module")
def scenario():
    """Return two days of a month with people who react, and machines that fail."""
    return variant(load_scenario("published-month"), days=1, policy=load_policy("priority"))


def test_a_run_that_is_brought_there_by_a_tape_ends_like_the_one_that_was_recorded(scenario):
    table = draw(scenario)
    recorded = Taped(Engine(scenario, table), records=True)
    first = Run(scenario, table, lambda *_of: recorded)
    moment = scenario.horizon * 2 // 3
    first.advance(moment)
    kept, tape = recorded.engine.copy(), tuple(recorded.tape)
    assert {"advance", "observe", "mark", "watch"} <= {asked for asked, _, _ in tape}
    first.advance(scenario.horizon)
    played = Taped(kept.copy(), tape)
    second = Run(scenario, table, lambda *_of: played)
    assert played.now == 0
    second.advance(moment)
    played.check_over()
    assert played.now == second.now == moment
    second.advance(scenario.horizon)
    a, b = first.close(), second.close()
    for name in ("jobs", "slices", "segments", "decisions"):
        assert getattr(a.log, name).tolist() == getattr(b.log, name).tolist()
    assert np.array_equal(a.table.priority, b.table.priority)
    assert a.incidents.tolist() == b.incidents.tolist()


def test_a_world_that_asks_for_something_else_is_told():
    scenario = load_scenario("small-week")
    engine = Engine(scenario, draw(scenario))
    played = Taped(engine, [("advance", None, 60), ("advance", None, 90)])
    assert played.advance(60) is None
    assert played.now == 60
    with pytest.raises(SimulationError, match="left 1 answers unasked"):
        played.check_over()
    with pytest.raises(SimulationError, match="the world asked the scheduler to cancel, not to advance"):
        played.cancel(3)
