"""Standing on the hour: the same numbers as the scheduler logged when it decided."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from allotment.model.policy import Window
from allotment.presets import load_policy, load_scenario
from allotment.presets.simulate import simulate
from allotment.results.standing import standing
from allotment.units import DAY, HOUR


def decided_on_the_hour(result, of):
    """Return what was logged in the first decision about each node at a whole hour, beside its standing there."""
    rows = result.decisions.dropna(subset=["used"])
    rows = rows[(rows["time"] % HOUR == 0).to_numpy() & rows["level"].astype("str").isin(of.nodes).to_numpy()]
    rows = rows.drop_duplicates(["time", "level"])
    row = [of.nodes.index(str(level)) for level in rows["level"]]
    at = (rows["time"] // HOUR).to_numpy()
    return rows, (of.used + of.committed)[row, at], of.entitled[row, at]


@pytest.mark.parametrize("level", ["budgets", "teams"])
@pytest.mark.parametrize("window", [Window(), Window(lookback=DAY + 1800), Window(half_life=2 * DAY)])
def test_it_is_what_the_scheduler_reckoned_with(level, window):
    policy = load_policy("budgets")
    alone = attrs.evolve(policy, window=window, contracts=attrs.evolve(policy.contracts, holders=0))
    result = simulate(load_scenario("small-week"), policy=alone, days=7)
    rows, used, entitled = decided_on_the_hour(result, standing(result, level))
    assert len(rows) > 10
    # A part of an hour is taken evenly, which it was not; and by then something may have been charged in the same pass.
    whole = window.half_life is None and window.lookback % HOUR == 0
    assert np.allclose(entitled, rows["entitled"], rtol=1e-6 if whole else 2e-3)
    most = 0.02 * rows["entitled"].to_numpy()
    assert np.quantile(np.abs(used - rows["used"].to_numpy()) / most, 0.8) < (1e-6 if whole else 1)


def test_nothing_is_committed_where_nothing_is_promised(pair_of_days):
    assert not standing(pair_of_days).committed.any()


@pytest.fixture(scope="module")
def pair_of_days():
    return simulate("small-week", policy="priority", days=1)
