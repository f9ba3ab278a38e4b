"""The mix of jobs in `reference-month`, against the figures that its file cites."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from allotment.interop.scenario_file import dumps, loads_part
from allotment.model.codes import Priority
from allotment.presets import load_scenario, load_workload
from allotment.scenario import Scenario
from allotment.units import DAY, HOUR, MINUTE
from allotment.workload.classes import ClosedStream, OpenStream, Workload
from allotment.workload.generate import generate
from allotment.workload.table import JobTable


@pytest.fixture(scope="module")
def scenario() -> Scenario:
    return load_scenario("reference-month")


@pytest.fixture(scope="module")
def table(scenario: Scenario) -> JobTable:
    return table_of(scenario)


def table_of(scenario: Scenario) -> JobTable:
    return generate(scenario.workload, scenario.plan, scenario.cluster, scenario.start, scenario.horizon, scenario.seed)


def of_kind(table: JobTable, name: str) -> np.ndarray:
    return table.kind == table.kinds.index(name)


@pytest.mark.parametrize("name", ["reference", "published", "small"])
def test_a_preset_is_read_back_as_it_is_written(name: str) -> None:
    workload = load_workload(name)
    assert loads_part(Workload, dumps(workload)) == workload


def test_the_scenario_is_what_its_name_says(scenario: Scenario) -> None:
    assert scenario.cluster.gpus == 1024
    assert len(scenario.plan.work_leaves()) == 15
    assert scenario.plan.open_share() * 10 == 1
    assert scenario.warmup >= 7 * DAY
    assert scenario.measured == 30 * DAY


@pytest.mark.parametrize("seed", range(5))
def test_there_are_at_least_12000_debug_jobs_in_the_measured_month(scenario: Scenario, seed: int) -> None:
    table = table_of(attrs.evolve(scenario, seed=seed))
    debug = of_kind(table, "debug")
    assert np.count_nonzero(debug & (table.submit >= scenario.warmup)) >= 12_000
    assert table.min_runtime[debug].max() <= 15 * MINUTE
    assert 95_000 < len(table) < 125_000


def test_debug_jobs_have_the_run_times_cited(table: JobTable) -> None:
    work = table.work[of_kind(table, "debug")]
    assert 114 <= np.quantile(work, 0.5) <= 327
    assert 935 <= np.quantile(work, 0.9) <= 1128
    assert 3991 <= np.quantile(work, 0.99) <= 22_590
    assert 0.86 <= np.mean(work < 15 * MINUTE) <= 0.90
    assert work.max() <= 8 * HOUR


def test_debug_jobs_come_by_the_cycle_cited(scenario: Scenario, table: JobTable) -> None:
    (stream,) = (stream for stream in scenario.workload if isinstance(stream, OpenStream))
    hour = (
        table.submit[of_kind(table, "debug")] // HOUR
    ) % 24  # the scenario starts at midnight; no clocks change in it
    share = np.bincount(hour, minlength=24) / hour.size
    want = np.array(stream.cycle.hours) / sum(stream.cycle.hours)
    assert np.corrcoef(share, want)[0, 1] > 0.95
    per_hour = np.bincount(table.submit[of_kind(table, "debug")] // HOUR)
    assert 5 < per_hour.var() / per_hour.mean() < 39


def test_trainings_have_the_run_times_cited(table: JobTable) -> None:
    work = table.work[of_kind(table, "training")]
    assert 297 <= np.quantile(work, 0.5) <= 707
    assert 24_651 <= np.quantile(work, 0.9) <= 43_161
    assert 280_328 * 0.95 <= np.quantile(work, 0.99) <= 313_653 * 1.05
    assert 0.55 <= np.mean(work < 15 * MINUTE) <= 0.71


def test_trainings_have_the_sizes_and_contracts_asked_for(table: JobTable) -> None:
    training = of_kind(table, "training")
    assert set(table.gpus[training].tolist()) == {8, 16, 32, 64, 128, 256}
    assert set(table.min_runtime[training].tolist()) <= {hours * HOUR for hours in (1, 2, 4, 8)} | {900, 1800}
    assert table.min_runtime[training].max() == 8 * HOUR


def test_batch_jobs_ask_no_contract_and_can_mostly_resume(table: JobTable) -> None:
    batch = of_kind(table, "batch")
    assert table.min_runtime[batch].max() == 0
    assert table.resumable[batch].mean() > 0.95


def test_few_jobs_can_neither_resume_nor_end_within_a_contract(table: JobTable) -> None:
    never = ~table.resumable & (table.work > 8 * HOUR)
    for kind, most in (("training", 0.01), ("batch", 0.012), ("debug", 0.0)):
        assert never[of_kind(table, kind)].mean() <= most


def test_nearly_all_is_marked_high(table: JobTable) -> None:
    assert np.mean(table.priority == Priority.HIGH) > 0.95


def test_demand_is_two_to_three_times_what_is_shared_out_on_average(scenario: Scenario) -> None:
    hours = np.arange(scenario.horizon // HOUR) * HOUR
    means = []
    for seed in range(5):
        table = table_of(attrs.evolve(scenario, seed=seed))
        total = np.zeros(hours.size)
        for row in np.flatnonzero(table.streams.closed).tolist():
            times, gpus = table.streams.target(row)
            total += gpus[np.searchsorted(times, hours, side="right") - 1]
        means.append(total.mean() / (0.9 * scenario.cluster.gpus))
        assert total.std() / total.mean() > 0.05
    assert np.mean(means) == pytest.approx(2.5, abs=0.2)
    (stream,) = (stream for stream in scenario.workload if isinstance(stream, ClosedStream))
    assert stream.demand == 2.5


def test_a_small_scenario_is_small() -> None:
    scenario = load_scenario("small-week")
    table = table_of(scenario)
    assert 2_000 < len(table) < 20_000
    assert scenario.plan.open_share() * 10 == 1
