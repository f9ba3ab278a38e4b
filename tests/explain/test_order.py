"""A before B: as the kernel ranks them, by the first term that differs."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

from allotment.explain.answer import before
from allotment.explain.order import LAST
from allotment.explain.rerun import Rerun
from allotment.explain.turn import line_at
from allotment.presets.simulate import simulate
from allotment.units import HOUR
from tests.explain.brute import Tables, ratio_of
from tests.laws.cases import SHIPPED


@pytest.fixture(scope="module", params=SHIPPED)
def standing(request):
    result = simulate("small-week", policy=request.param, days=2)
    return Rerun(result)


@pytest.mark.parametrize("time", [30 * HOUR, 100 * HOUR, 200 * HOUR + 10])
def test_jobs_come_in_the_order_of_the_kernel(plain, standing, time):
    line = line_at(standing, time)
    branch = standing.begin()
    branch.advance(time + 1)
    s = branch.engine._state
    plain.usage.refresh_use(s)
    rng = np.random.default_rng(time)
    pairs = list(combinations(rng.permutation(line.glance.waiting)[:25].tolist(), 2))
    assert pairs
    for a, b in pairs:
        place = line.partition(a)
        if place != line.partition(b) or place == LAST:
            continue
        if a in s.holds.job or b in s.holds.job:
            continue
        if line.policy.quotas is not None and s.jobs[a].leaf != s.jobs[b].leaf:
            u, v = plain.rank.fork(s, s.jobs[a].leaf, s.jobs[b].leaf)
            s.tree[u].best, s.tree[v].best = a, b
            first = plain.quotas.queue_before(s, u, v)
        else:
            first = plain.rank.ranks_before(s, place, a, b)
        order, why = line.compare(a, b)
        assert (order < 0) == first
        assert (why.parameters["first"], why.parameters["second"]) == ((a, b) if first else (b, a))
        assert line.compare(b, a) == (-order, why)
        assert why.sentence


def test_a_funded_job_is_told_by_the_kernel_s_own_rule(plain):
    rerun = Rerun(simulate("small-week", days=2))
    for time in (50 * HOUR, 150 * HOUR, 210 * HOUR):
        line = line_at(rerun, time)
        branch = rerun.begin()
        branch.advance(time + 1)
        engine = branch.engine
        for job in line.glance.waiting.tolist():
            assert line.funded(job) == (plain.funding.why_not(engine._state, engine._state.jobs[job].cls) == 0)


def test_the_ratios_are_those_that_are_counted_in_the_ledger():
    result = simulate("small-week", days=2)
    tables = Tables(result)
    for time in (60 * HOUR, 190 * HOUR):
        line = line_at(Rerun(result), time)
        of = tables.at(time)
        for node, path in enumerate(line.paths):
            if path != "root":
                assert line.balance(node) == ratio_of(of, path)
        for leaf in ("language/evaluation", "science/climate"):
            assert line.use[line.paths.index(leaf)] == of.usage(leaf, charged=False)


def test_who_came_first_is_told_in_one_sentence():
    result = simulate("small-week", policy="priority-strict", days=1)
    waiting = Rerun(result).glance(150 * HOUR).waiting.tolist()
    told = before(result, waiting[0], waiting[1], 150 * HOUR)
    assert told.code in ("before_priority", "before_age")
    assert told.sentence.startswith(f"Job {told.parameters['first']} comes before job {told.parameters['second']}: ")
