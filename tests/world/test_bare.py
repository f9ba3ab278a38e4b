"""The bare loops fire as many events as they are asked for, and do nothing else."""

from __future__ import annotations

import pytest
from simpy import Environment

from allotment.world.bare import fire_callbacks, fire_in_processes


def fire_in_many(events):
    return fire_in_processes(events, at_once=30)


@pytest.mark.parametrize(("fire", "processes"), [(fire_in_processes, 1), (fire_in_many, 30), (fire_callbacks, 0)])
@pytest.mark.parametrize("events", [0, 1, 1000])
def test_so_many_events_are_fired(monkeypatch, fire, processes, events):
    fired = 0
    step = Environment.step

    def counted(env):
        nonlocal fired
        step(env)
        fired += 1

    monkeypatch.setattr(Environment, "step", counted)
    assert fire(events) == events
    assert fired == events + 2 * min(processes, events)  # a process begins and ends with an event of its own
