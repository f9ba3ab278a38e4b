"""Twenty seeds of every theory: what they cost, and that twenty more say the same. It takes minutes."""

from __future__ import annotations

import time

import pytest

from allotment.lessons.theories import theories
from tests.lessons.test_verdicts import WITH_MANY_SEEDS

TIME = 8 * 60  # s of processor time, all in all


@pytest.mark.parametrize("first", [0, 20])
def test_every_verdict_is_that_of_twenty_seeds(first):
    begin = time.process_time()
    found = theories(seeds=range(first, first + 20), processes=1)
    assert time.process_time() - begin < TIME
    assert {tried.card.id: tried.verdict for tried in found} == WITH_MANY_SEEDS
