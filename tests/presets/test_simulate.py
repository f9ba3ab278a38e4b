"""Simulating by name: presets, files, and the recordings that they name."""

from __future__ import annotations

import attrs
import pytest

from allotment.errors import InputError, NotFoundError, SkippedRowsWarning
from allotment.experiment.simulate import simulate as simulate_scenario
from allotment.interop import result_files, scenario_file
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
    assert result.imports["recorded"].used == 2
    longer = attrs.evolve(result.scenario, measured=2 * DAY)
    assert simulate(longer).horizon == 2 * DAY


REPLAY = (
    "format: 1\nname: replay\ncluster: 1x8\npolicy: fifo\nwarmup: 0s\nmeasured: 1d\n"
    "plan: {name: two, children: [{id: science, share: 0.5}, {id: biology, share: 0.5}]}\n"
    "workload: [{type: recorded, path: jobs.csv}]\n"
)
HEADER = "job_id,team,submit_s,gpus,duration_s\n"


def test_rows_that_are_left_out_are_warned_of_and_the_report_is_kept_and_saved(tmp_path):
    (tmp_path / "jobs.csv").write_text(f"{HEADER}j1,science,10,8,600\nj2,astronomy,20,1,60\nj3,science,30,x,60\n")
    (tmp_path / "replay.yaml").write_text(REPLAY)
    with pytest.warns(SkippedRowsWarning, match="teams unknown to the plan: 'astronomy'") as told:
        result = simulate(tmp_path / "replay.yaml")
    assert told[0].filename == __file__
    report = result.imports["recorded"]
    assert (report.read, report.used, report.unknown_teams) == (3, 1, ("astronomy",))
    result_files.save(result, tmp_path / "saved")
    again = result_files.read(tmp_path / "saved")
    assert again.imports == result.imports
    assert again.equals(result)
    (tmp_path / "saved" / "imports.json").write_text('{"recorded": {"source": 1}}')
    with pytest.raises(InputError, match=r"imports\.json is damaged"):
        result_files.read(tmp_path / "saved")


def test_a_recording_without_a_usable_job_is_no_empty_success(tmp_path):
    (tmp_path / "jobs.csv").write_text(f"{HEADER}j1,astronomy,10,8,600\n")
    (tmp_path / "replay.yaml").write_text(REPLAY)
    with pytest.raises(InputError, match="does not know 'astronomy'; its leaves are 'biology', 'science'"):
        simulate(tmp_path / "replay.yaml")


def test_a_saved_replay_is_simulated_again(tmp_path, monkeypatch):
    (tmp_path / "jobs.csv").write_text(f"{HEADER}j1,science,10,8,600\n")
    (tmp_path / "replay.yaml").write_text(REPLAY)
    monkeypatch.chdir(tmp_path)
    result = simulate("replay.yaml")
    result_files.save(result, "saved")
    monkeypatch.chdir("/")
    assert simulate(tmp_path / "saved" / "scenario.yaml").equals(result)


def test_other_shares_can_be_asked_for_with_the_same_jobs():
    plain, changed = (simulate("small-week", days=1, shares=shares) for shares in (None, {"science": "0.2"}))
    assert plain.jobs_drawn == changed.jobs_drawn != ""
    assert simulate("small-week", days=1, seed=1).jobs_drawn != plain.jobs_drawn
    assert changed.changesets["new"].tolist() == [0.2]
