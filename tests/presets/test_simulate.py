"""Simulating by name: presets, files, and the recordings that they name."""

from __future__ import annotations

import attrs
import pytest

from allotment.errors import NotFoundError
from allotment.experiment.simulate import simulate as simulate_scenario
from allotment.interop import scenario_file
from allotment.presets import load_policy, load_scenario
from allotment.presets.simulate import simulate
from allotment.units import DAY


def test_a_name_a_file_and_a_scenario_give_the_same(tmp_path):
    scenario = load_scenario("small-week")
    scenario_file.save(scenario, tmp_path / "mine.yaml")
    expected = simulate_scenario(scenario, days=1)
    for given in ("small-week", tmp_path / "mine.yaml", str(tmp_path / "mine.yaml"), scenario):
        assert simulate(given, days=1).equals(expected)


def test_a_policy_is_given_by_name_or_as_it_is():
    policy = load_policy("fifo")
    assert simulate("small-week", policy="fifo", days=1).equals(simulate("small-week", policy=policy, days=1))


def test_demand_can_be_changed():
    low, high = (simulate("small-week", policy="fifo", days=1, demand=demand).summary for demand in (0.5, 4))
    assert low["pressure"] < 1 < high["pressure"]


def test_an_unknown_name_is_told():
    with pytest.raises(NotFoundError, match="did you mean 'small-week'"):
        simulate("small-weak")


def test_recordings_are_read(tmp_path):
    (tmp_path / "jobs.csv").write_text(
        "job_id,team,submit_s,gpus,duration_s\nj1,science,10,8,600\nj2,biology,20,1,60\n"
    )
    (tmp_path / "replay.yaml").write_text(
        "format: 1\nname: replay\ncluster: 1x8\npolicy: fifo\nwarmup: 0s\nmeasured: 1d\n"
        "plan: {name: two, children: [{id: science, share: 0.5}, {id: biology, share: 0.5}]}\n"
        "workload: [{type: recorded, path: jobs.csv}]\n"
    )
    result = simulate(tmp_path / "replay.yaml")
    assert result.jobs["name"].tolist() == ["j1", "j2"]
    assert result.jobs["submit"].tolist() == [10, 20]
    longer = attrs.evolve(result.scenario, measured=2 * DAY)
    assert simulate(longer).horizon == 2 * DAY
