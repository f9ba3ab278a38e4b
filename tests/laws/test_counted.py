"""On nodes of one GPU nothing can be fragmented, so waits are those of the textbook, to the second."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allotment.kernel.engine import Engine
from allotment.model.codes import JobState
from allotment.model.policy import Backfill
from allotment.presets import load_policy
from tests.laws.counted import Rigid, starts
from tests.laws.made import job, plan, scenario, table

PRESETS = {Backfill.STRICT: "fifo-strict", Backfill.EASY: "fifo", Backfill.ANY: "fifo-any"}
HORIZON = 10_000_000
either = pytest.mark.parametrize("backfill", PRESETS, ids=str)


def jobs(most: int) -> st.SearchStrategy[list[Rigid]]:
    one = st.builds(
        lambda submit, gpus, work, more: Rigid(submit, gpus, work, work + more),
        st.integers(0, 60),
        st.integers(1, most),
        st.integers(1, 40),
        st.sampled_from([0, 0, 3, 50]),
    )
    return st.lists(one, min_size=1, max_size=20).map(lambda found: sorted(found, key=lambda rigid: rigid.submit))


def by_the_kernel(given_jobs, cluster, backfill):
    rows = [job("a", j.gpus, j.work, submit=j.submit, limit=j.limit) for j in given_jobs]
    engine = Engine(
        scenario(load_policy(PRESETS[backfill]), plan(a=1), cluster=cluster, cycle=1, horizon=HORIZON),
        table(["a"], rows),
    )
    engine.advance(HORIZON)
    log = engine.close()
    assert set(log.jobs["state"].tolist()) == {JobState.FINISHED}
    return log.jobs["first_start"].tolist()


@either
@settings(deadline=None)
@given(data=st.data())
def test_small_queues_start_when_the_textbook_says(backfill, data):
    total = data.draw(st.integers(1, 9))
    given_jobs = data.draw(jobs(total))
    assert by_the_kernel(given_jobs, f"{total}x1", backfill) == starts(given_jobs, total, backfill)


@either
@pytest.mark.parametrize("load", [0.9, 2.5])
def test_a_long_queue_of_gangs_starts_when_the_textbook_says(backfill, load):
    rng = np.random.default_rng(1)
    count, total = 1_500, 128
    gpus = rng.choice([1, 2, 4, 8, 16, 32, 64], count, p=[0.4, 0.15, 0.15, 0.15, 0.08, 0.05, 0.02])
    work = np.rint(np.exp(rng.normal(7, 1.4, count))).astype(int) + 30
    submit = np.sort(rng.integers(0, int((gpus * work).sum() / total / load), count))
    limits = np.rint(work * rng.uniform(1, 3, count)).astype(int)
    given_jobs = [Rigid(*row) for row in zip(*(c.tolist() for c in (submit, gpus, work, limits)), strict=True)]
    assert by_the_kernel(given_jobs, f"{total}x1", backfill) == starts(given_jobs, total, backfill)


def test_on_nodes_of_more_gpus_a_gang_also_waits_for_whole_nodes():
    # each node gets a job of 100 s and one of 10 s; from 10 s on two GPUs are free, but on two nodes
    given_jobs = [Rigid(0, 1, seconds, seconds) for seconds in (100, 10, 100, 10)] + [Rigid(1, 2, 5, 5)]
    assert starts(given_jobs, 4, Backfill.STRICT) == [0, 0, 0, 0, 10]
    assert by_the_kernel(given_jobs, "4x1", Backfill.STRICT) == [0, 0, 0, 0, 10]
    assert by_the_kernel(given_jobs, "2x2", Backfill.STRICT) == [0, 0, 0, 0, 100]
