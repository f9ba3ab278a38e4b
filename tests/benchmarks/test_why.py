"""What an answer costs: a counterfactual of the week of 88 GPUs, and the noting of what jobs wait for."""

from __future__ import annotations

import statistics
import sys
import time
from itertools import pairwise

import pytest

from allotment.experiment.simulate import draw
from allotment.explain.rerun import Rerun, subject
from allotment.explain.what_if import what_ifs
from allotment.kernel.engine import Engine
from allotment.presets import load_cluster, load_scenario
from allotment.presets.simulate import simulate

COUNTERFACTUAL = 0.3  # s
RECORDING = 1.2  # times the run without


def test_a_counterfactual_of_the_week_takes_less_than_three_tenths_of_a_second(capsys):
    took: list[float] = []
    for job, at in ((502, 15_990), (603, 736_680), (522, 60_000)):
        rerun = Rerun(simulate("small-week"), clusters=[load_cluster("b300-256")])
        of = subject(rerun.result, job)
        _ = rerun.log
        begins: list[float] = []
        what_ifs(rerun, of, max(at, of.submit), told=lambda _change, begins=begins: begins.append(time.process_time()))
        begins.append(time.process_time())
        took += [b - a for a, b in pairwise(begins)]
    with capsys.disabled():
        told = f"median {statistics.median(took) * 1_000:.0f} ms, longest {max(took) * 1_000:.0f} ms"
        sys.stdout.write(f"\n{len(took)} counterfactuals of small-week, CPU time: {told}\n")
    assert max(took) < COUNTERFACTUAL, took


@pytest.mark.parametrize(("scenario", "jobs"), [("small-week", 1), ("small-week", 100), ("reference-month", 100)])
def test_noting_what_jobs_wait_for_costs_a_fifth_of_a_run_at_most(scenario, jobs, capsys):
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
    ratio = statistics.median(b for _, b in pairs) / statistics.median(a for a, _ in pairs)
    with capsys.disabled():
        told = f"{ratio - 1:+.1%} CPU time, median of {len(pairs)} runs"
        sys.stdout.write(f"\nnoting the waits of {jobs} jobs of {scenario}: {told}\n")
    assert ratio < RECORDING, pairs
