from fractions import Fraction

import attrs
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allotment.kernel.log import SHARE_UNIT
from allotment.model.codes import SliceState
from allotment.results.tree import Tree
from allotment.results.usage import Outstanding, due, held, hourly, machines, wanted
from allotment.units import HOUR
from tests.results.made import PLAN, a_run

spans = st.tuples(st.integers(1, 9), st.integers(0, 9000), st.integers(0, 9000), st.integers(0, 2))


@given(st.lists(spans, max_size=20))
def test_hourly_sums_are_those_of_every_second(rows):
    horizon = 9000  # the last hour is half an hour
    ordered = [(gpus, min(a, b), max(a, b), group) for gpus, a, b, group in rows]
    seconds = np.zeros((3, 3 * HOUR), np.int64)
    for gpus, begin, end, group in ordered:
        seconds[group, begin:end] += gpus
    columns = [np.array([row[place] for row in ordered], np.int64) for place in range(4)]
    assert hourly(*columns, 3, horizon).tolist() == seconds.reshape(3, 3, HOUR).sum(axis=2).tolist()


def changed_plan():
    speech = attrs.evolve(PLAN.children[1], share=Fraction(1, 10))
    return attrs.evolve(PLAN, children=(PLAN.children[0], speech))


@pytest.fixture(scope="module")
def run():
    made = a_run()
    made.epochs.append((4000, changed_plan()))
    return made, made.table(), made.log()


def outstanding(made, node, second, sort):
    total = 0
    for at, job in enumerate(made.jobs):
        parts = [part for part in made.slices if part.job == at]
        end = made.horizon
        if job.cancelled is not None:
            end = job.cancelled
        elif parts and parts[-1].ended.name == "FINISHED":
            end = parts[-1].end
        mine = "free" if job.min_runtime == 0 else "too_large" if job.too_large else "contract"
        below = node in ("root", *PLAN.lineage(job.leaf))
        if below and mine == sort and 0 <= job.submit <= second < end:
            total += made.take(at)
    return total


def test_owed_is_the_least_of_entitlement_and_demand_in_every_second(run):
    made, table, log = run
    of = due(Outstanding.of(table, log), log, Tree.of(PLAN, log))
    for row, node in enumerate(log.tree_ids):
        owed, entitled = [0] * made.hours, [0] * made.hours
        for second in range(made.horizon):
            rate = int(made.share_at(node, second) * SHARE_UNIT) * made.healthy_at(second)
            entitled[second // HOUR] += rate
            owed[second // HOUR] += min(rate, outstanding(made, node, second, "contract") * SHARE_UNIT)
        assert of.entitlement[row].tolist() == entitled, node
        assert of.owed[row].tolist() == owed, node


@pytest.mark.parametrize("sort", ["contract", "too_large", "free"])
def test_demand_is_what_outstanding_jobs_take_at_every_plan_node(run, sort):
    made, table, log = run
    of = getattr(wanted(Outstanding.of(table, log), log, Tree.of(PLAN, log)), sort)
    for row, node in enumerate(log.tree_ids):
        sums = [
            sum(outstanding(made, node, second, sort) for second in range(hour * HOUR, (hour + 1) * HOUR))
            for hour in range(made.hours)
        ]
        assert of[row].tolist() == sums, node


def test_the_ledger_is_summed_by_state_at_every_plan_node(run):
    made, table, log = run
    of = held(table, log, Tree.of(PLAN, log))
    for row, node in enumerate(log.tree_ids):
        for state in SliceState:
            seconds = np.zeros(made.horizon, np.int64)
            for part in made.slices:
                ends = [*(begin for _, begin in part.states[1:]), part.end]
                for (each, begin), end in zip(part.states, ends, strict=True):
                    if each is state and node in ("root", *PLAN.lineage(made.jobs[part.job].leaf)):
                        seconds[begin:end] += made.take(part.job)
            found = getattr(of, state.name.lower())[row]
            assert found.tolist() == seconds.reshape(made.hours, HOUR).sum(axis=1).tolist(), (node, state)


def test_the_steps_of_the_capacity_are_summed_by_hour(run):
    _, _, log = run
    of = machines(log)
    assert of.down.tolist() == [0, 8 * 1200, 8 * 1800]
    assert of.draining.tolist() == [0, 8 * 600, 0]
    assert (of.healthy + of.down).tolist() == of.capacity.tolist() == [16 * HOUR] * 3


@settings(max_examples=20, deadline=None)
@given(st.integers(1, 3 * HOUR))
def test_a_run_that_is_stopped_early_is_summed_up_to_that_moment(horizon):
    made = a_run()
    log, table = made.log(), made.table()
    whole = due(Outstanding.of(table, log), log, Tree.of(PLAN, log))
    end = np.where(log.jobs["end"] > horizon, -1, log.jobs["end"])
    jobs = log.jobs.copy()
    jobs["end"] = end
    jobs["state"][(jobs["submit"] < 0) | (jobs["submit"] > horizon)] = 0
    capacity = log.capacity[log.capacity["time"] < horizon]
    hours = -(-horizon // HOUR)
    cut = attrs.evolve(log, jobs=jobs, capacity=capacity, horizon=horizon, idle=log.idle[:hours])
    of = due(Outstanding.of(table, cut), cut, Tree.of(PLAN, cut))
    before = horizon // HOUR
    assert of.owed.shape == (len(log.tree_ids), hours)
    assert of.owed[:, :before].tolist() == whole.owed[:, :before].tolist()
    assert (of.owed <= of.entitlement).all()
