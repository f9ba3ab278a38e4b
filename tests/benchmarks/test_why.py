"""What an answer costs: a counterfactual of the week of 88 GPUs, and the noting of what jobs wait for."""

from __future__ import annotations

import time

import pytest

from allotment.experiment.simulate import draw
from allotment.explain.changes import changes
from allotment.explain.rerun import Rerun, subject
from allotment.explain.what_if import judged
from allotment.kernel.engine import Engine
from allotment.presets import load_scenario
from allotment.presets.simulate import simulate

COUNTERFACTUAL = 0.3  # s
RECORDING = 1.2  # times the run without


def test_a_counterfactual_of_the_week_takes_less_than_three_tenths_of_a_second():
    rerun = Rerun(simulate("small-week"))
    of = subject(rerun.result, 502)
    _ = rerun.log
    took = []
    for change in changes(rerun, of):
        begin = time.perf_counter()
        judged(rerun, of, change)
        took.append(time.perf_counter() - begin)
    assert max(took) < COUNTERFACTUAL, took


@pytest.mark.parametrize(("scenario", "jobs"), [("small-week", 1), ("small-week", 30), ("reference-month", 100)])
def test_noting_what_jobs_wait_for_costs_a_fifth_of_a_run_at_most(scenario, jobs):
    of = load_scenario(scenario)
    table = draw(of)

    def once(asked: int) -> float:
        begin = time.process_time()
        engine = Engine(of, table)
        engine.ask(range(0, len(table), max(len(table) // asked, 1)) if asked else ())
        engine.advance(of.horizon)
        engine.close()
        return time.process_time() - begin

    once(0)
    pairs = [(once(0), once(jobs)) for _ in range(15)]
    ratio = min(b for _, b in pairs) / min(a for a, _ in pairs)
    assert ratio < RECORDING, pairs
