from __future__ import annotations

import attrs

from allotment.model.policy import Window
from allotment.model.switch import Phase, Switch, phases
from allotment.presets import load_policy
from allotment.units import DAY

BUDGETS, FIFO, PRIORITY, FAIR = (load_policy(name) for name in ("budgets", "fifo", "priority", "fair-tree"))


def found(first, *switches, horizon=40 * DAY):
    made = phases(first, [Switch(time=time * DAY, policy=policy) for time, policy in switches], horizon)
    return [(phase.begin // DAY, phase.end // DAY, phase.policy, phase.counts_from // DAY) for phase in made]


def test_a_run_without_switches_is_one_phase():
    assert phases(FIFO, (), DAY) == (Phase(begin=0, end=DAY, policy=FIFO, counts_from=0),)


def test_a_phase_ends_where_the_next_policy_takes_over():
    assert found(FIFO, (2, PRIORITY), (5, FIFO), horizon=5 * DAY) == [(0, 2, FIFO, 0), (2, 5, PRIORITY, 0)]
    assert found(FIFO, (0, PRIORITY), (3, FIFO)) == [(0, 3, PRIORITY, 0), (3, 40, FIFO, 0)]


def test_use_counts_on_as_far_as_the_old_window_knew_it_where_what_is_charged_means_the_same():
    other = attrs.evolve(BUDGETS, window=Window(lookback=3 * DAY))
    assert found(BUDGETS, (10, other), (20, BUDGETS)) == [
        (0, 10, BUDGETS, 0),
        (10, 20, other, 3),
        (20, 40, BUDGETS, 17),
    ]


def test_use_counts_anew_where_it_means_something_else_or_decays_otherwise():
    assert found(PRIORITY, (10, BUDGETS)) == [(0, 10, PRIORITY, 0), (10, 40, BUDGETS, 10)]
    assert found(BUDGETS, (10, FIFO)) == [(0, 10, BUDGETS, 0), (10, 40, FIFO, 10)]
    assert found(PRIORITY, (10, FAIR)) == [(0, 10, PRIORITY, 0), (10, 40, FAIR, 10)]
