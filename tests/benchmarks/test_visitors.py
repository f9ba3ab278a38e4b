"""How one `allotment serve` bears twenty people at once, and one of them with a run that does not end.

    ALLOTMENT_BENCHMARKS=1 python -m pytest tests/benchmarks/test_visitors.py -s

prints how long they waited, from a change until its numbers were there, without that run and beside it. They come over the
websocket, without a browser, so what a browser takes to draw is not in it; that they live on the same machine is.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from allotment.presets.simulate import simulate
from allotment.views.workbench.settings import Settings, from_link
from tests.visitors import Served, Visitor, serving, table

PEOPLE = 20
CHANGES = 2
EVERY = 8.0  # seconds in which each of them makes one change, at a moment of their own
SLOWEST = 5.0  # seconds that a change may take, p95, on two cores
POLICIES = ("fifo", "quota", "budgets", "priority")


def settled(server: Served, settings: Settings) -> tuple[Visitor, float]:
    """Return a visitor to whom the first numbers are shown, and how long (s) that took."""
    begin = time.monotonic()
    visitor = Visitor(server.url, settings)
    visitor.until(lambda: visitor.waits)
    return visitor, time.monotonic() - begin


def changed(visitor: Visitor, title: str, value: object) -> float:
    """Set something and return how long (s) it took until other numbers were there."""
    before, begin = visitor.waits, time.monotonic()
    visitor.set(title, value)
    visitor.until(lambda: visitor.waits != before)
    return time.monotonic() - begin


def used(visitors: Sequence[Visitor], seeds: int) -> list[float]:
    """Let each change the seed now and again, and return how long (s) each change took."""

    def use(number: int) -> list[float]:
        chance = np.random.default_rng((seeds, number))
        found, begin = [], time.monotonic()
        for turn in range(CHANGES):
            time.sleep(max(0.0, begin + (turn + chance.random()) * EVERY - time.monotonic()))
            found.append(changed(visitors[number], "Seed", seeds + CHANGES * number + turn))
        return found

    with ThreadPoolExecutor(len(visitors)) as people:
        return [took for each in people.map(use, range(len(visitors))) for took in each]


def told(what: str, found: Sequence[float]) -> float:
    """Print how long something took, and return the p95."""
    p95 = sorted(found)[int(0.95 * (len(found) - 1))]
    sys.stdout.write(
        f"\n{what}: p50 {statistics.median(found):.2f} s, p95 {p95:.2f} s, max {max(found):.2f} s of {len(found)}"
    )
    return p95


def memory(process: int) -> float:
    """Return what memory a process holds, in MB; 0 where that cannot be seen."""
    told = Path(f"/proc/{process}/status")
    lines = told.read_text().splitlines() if told.exists() else []
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS")), 0.0)


@pytest.mark.slow
def test_twenty_people_get_what_is_theirs_and_a_run_that_does_not_end_holds_nobody_up(tmp_path):
    wishes = [Settings(seed=500 + number, second=POLICIES[number % len(POLICIES)]) for number in range(PEOPLE)]
    with serving(tmp_path, "small-week") as server, ThreadPoolExecutor(PEOPLE) as people:
        empty = memory(server.process)
        opened = list(people.map(lambda wish: settled(server, wish), wishes))
        endless, *others = visitors = [visitor for visitor, _ in opened]
        for visitor in visitors:
            visitor.until(lambda visitor=visitor: visitor.complete)
        told("the first numbers, of all who open the page at one moment", [took for _, took in opened])
        sys.stdout.write(f"\nmemory: {empty:.0f} MB, and {(memory(server.process) - empty) / PEOPLE:.0f} MB for each")
        without = told("a change", used(others, 1000))
        endless.set("Speed", "10 min a second")
        endless.press("Run")
        endless.until(lambda: endless.state.startswith("running"))
        beside = told("a change beside an endless run", used(others, 2000))
        assert endless.state.startswith("running")
        for number, (visitor, wish) in enumerate(zip(others, wishes[1:], strict=True)):
            seed = 2000 + CHANGES * number + CHANGES - 1
            runs = [simulate("small-week", policy=name, seed=seed) for name in ("priority", wish.second)]
            assert visitor.waits == table(runs)
            assert from_link(visitor.link) == Settings(seed=seed, second=wish.second)
        assert len({str(visitor.waits) for visitor in visitors}) == PEOPLE
        assert from_link(endless.link) == wishes[0]
        for visitor in visitors:
            visitor.leave()
    assert max(without, beside) <= SLOWEST
