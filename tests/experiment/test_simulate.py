"""One simulation from its description to its result, cut short or not."""

from __future__ import annotations

import signal

import attrs
import pytest

from allotment.errors import InputError
from allotment.experiment.simulate import Interrupted, draw, simulate, variant
from allotment.model.changeset import Changeset, ShareChange
from allotment.presets import load_policy, load_scenario
from allotment.results import laws
from allotment.units import DAY, HOUR
from allotment.workload.classes import ClosedStream, RecordedStream

BEFORE = signal.getsignal(signal.SIGINT)  # ignored where the tests run in the background


@pytest.fixture(scope="module")
def week():
    return load_scenario("small-week")


@pytest.fixture(scope="module")
def whole(week):
    return simulate(week)


def test_the_same_scenario_gives_the_same_result(week, whole):
    again = simulate(week)
    assert again.equals(whole)
    assert again.summary == whole.summary


def test_a_result_obeys_the_laws_and_is_not_marked_as_interrupted(whole):
    assert laws.check(whole) == ()
    assert whole.summary["interrupted"] is False
    assert whole.horizon == whole.scenario.horizon


def test_to_ask_for_a_variant_is_to_simulate_that_variant(week):
    policy = load_policy("priority")
    asked = simulate(week, policy=policy, seed=7, days=2)
    assert asked.scenario == attrs.evolve(week, policy=policy, seed=7, measured=2 * DAY)
    assert asked.equals(simulate(asked.scenario))


def test_every_policy_meets_the_same_open_jobs(week, whole):
    other = simulate(week, policy=load_policy("fifo"))
    mine, theirs = (result.jobs[~result.jobs["closed"]] for result in (whole, other))
    columns = ["job", "leaf", "kind", "user", "gpus", "work", "submit"]
    assert len(mine) > 500
    assert mine[columns].reset_index(drop=True).equals(theirs[columns].reset_index(drop=True))
    assert not mine["first_start"].equals(theirs["first_start"])


def test_another_seed_draws_other_jobs(week, whole):
    assert not simulate(week, seed=1, days=1).jobs["submit"].equals(simulate(week, days=1).jobs["submit"])


def test_a_variant_without_changes_is_the_scenario_itself(week):
    assert variant(week) is week


def test_demand_is_that_of_the_closed_stream(week):
    changed = variant(week, demand=3.0)
    assert [stream.demand for stream in changed.workload if isinstance(stream, ClosedStream)] == [3.0]
    assert [stream for stream in changed.workload if not isinstance(stream, ClosedStream)] == [
        stream for stream in week.workload if not isinstance(stream, ClosedStream)
    ]


def test_fewer_days_leave_out_the_changes_that_would_come_later(week):
    def change(day, share):
        shares = (ShareChange(id="science", share=share),)
        return Changeset(time=day * DAY, author="ada", reason="a deadline", shares=shares)

    changed = attrs.evolve(week, changesets=(change(8, "0.3"), change(9, "0.2")))
    assert [changeset.time for changeset in variant(changed, days=2).changesets] == [8 * DAY]
    assert variant(changed, days=3).changesets == changed.changesets


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"days": 0}, "measured must be between 1 and"),
        ({"days": -1}, "measured must be between 1 and"),
        ({"seed": -1}, "seed must be between 0 and"),
        ({"demand": -1.0}, "demand must be between 0 and 1000, not -1.0"),
    ],
)
def test_what_does_not_fit_is_told_with_the_name_of_the_scenario(week, changes, message):
    with pytest.raises(InputError, match=message) as told:
        variant(week, **changes)
    assert told.value.source == "scenario 'small-week'"


def test_a_recorded_stream_that_was_not_read_is_told(week):
    recorded = attrs.evolve(week, workload=(RecordedStream(path="jobs.csv"),))
    with pytest.raises(InputError, match="'recorded' has not been read from 'jobs.csv'"):
        simulate(recorded)


def test_drawing_the_jobs_is_all_that_chance_decides(week, whole):
    table = draw(week)
    assert len(table) >= len(whole.jobs)
    assert table.gpus[whole.jobs["job"]].tolist() == whole.jobs["gpus"].tolist()


def test_progress_is_told_up_to_the_end(week, whole, monkeypatch):
    monkeypatch.setattr("allotment.world.run.SPARSE", 0.0)
    told = []
    assert simulate(week, progress=lambda now, horizon: told.append((now, horizon))).equals(whole)
    assert told == [(day * DAY, 14 * DAY) for day in range(1, 15)]


def interrupted(week, monkeypatch, *, day, times=1):
    """Simulate the week and press Ctrl-C when so many days of it are over."""
    monkeypatch.setattr("allotment.world.run.SPARSE", 0.0)

    def progress(now, _horizon):
        if now == day * DAY:
            for _ in range(times):
                signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt) as stopped:
        simulate(week, progress=progress)
    return stopped.value


def test_ctrl_c_keeps_what_is_whole(week, whole, monkeypatch):
    stopped = interrupted(week, monkeypatch, day=9)
    assert isinstance(stopped, Interrupted)
    assert "stopped after 9 of 14 days" in str(stopped)
    result = stopped.result
    assert result.horizon == 9 * DAY
    assert result.summary["interrupted"] is True
    assert result.summary["measured"] == 2 * DAY
    assert laws.check(result) == ()
    before = whole.decisions[whole.decisions["time"] < 9 * DAY]
    assert result.decisions["job"].tolist() == before["job"].tolist()
    assert result.decisions["time"].tolist() == before["time"].tolist()
    assert len(result.cluster) == 9 * DAY // HOUR


def test_ctrl_c_within_the_warm_up_leaves_a_result_without_figures(week, monkeypatch):
    result = interrupted(week, monkeypatch, day=2).result
    assert result.summary["measured"] == 0
    assert result.summary["occupancy"] is None
    assert laws.check(result) == ()


def test_ctrl_c_at_the_very_end_loses_nothing_and_still_stops_the_program(week, whole, monkeypatch):
    stopped = interrupted(week, monkeypatch, day=14)
    assert stopped.result.equals(whole)
    assert stopped.result.summary["interrupted"] is False


def test_a_second_ctrl_c_gives_up(week, monkeypatch):
    stopped = interrupted(week, monkeypatch, day=9, times=2)
    assert not isinstance(stopped, Interrupted)


def test_ctrl_c_is_what_it_was_before_once_a_simulation_is_over(week, whole):
    assert signal.getsignal(signal.SIGINT) is BEFORE


def test_the_first_run_says_once_that_it_compiles_and_a_later_one_says_nothing(week, monkeypatch, caplog):
    def prepare(tell):
        for done in range(3):
            tell(done, 3)

    simulate(week, days=1)
    assert caplog.messages == []
    monkeypatch.setattr("allotment.experiment.simulate.prepare", prepare)
    simulate(week, days=1)
    assert [(record.name, record.levelname) for record in caplog.records] == [("allotment", "WARNING")]
    assert "compiling the scheduler, once after an installation" in caplog.text
