"""Timers ring in one total order: time, kind, row."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from allotment.kernel.layout import CLOCK, TIMER

rings = st.tuples(st.integers(0, 5), st.integers(0, 3), st.integers(0, 5))


@settings(deadline=None)
@given(todo=st.lists(st.none() | rings, max_size=80))
def test_what_is_set_rings_in_order(plain, todo):
    s = SimpleNamespace(timers=np.zeros(100, TIMER).view(np.recarray), clock=np.zeros(1, CLOCK).view(np.recarray))
    waiting: list[tuple[int, int, int]] = []
    for ring in todo:
        if ring is not None:
            waiting.append(ring)
            plain.timers.push(s, *ring)
        elif waiting:
            first = s.timers[0]
            assert (first.time, first.kind, first.row) == min(waiting)
            waiting.remove(min(waiting))
            plain.timers.pop(s)
        assert s.clock[0].timers == len(waiting)
