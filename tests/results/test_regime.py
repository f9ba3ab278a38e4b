from __future__ import annotations

from fractions import Fraction

import attrs
import numpy as np
import pandas as pd
import pytest

from allotment.model.codes import EndCode, JobState, SliceState
from allotment.model.people import Sessions
from allotment.results import regime
from allotment.results.laws import check
from allotment.results.repairs import repairs
from allotment.results.result import build
from allotment.units import DAY, HOUR
from allotment.world.incidents import Case, Emptied, IncidentKind, incident_rows
from tests.results.made import FIFO, PROTECTED, UNALLOCATED, Made, a_run


def kept_session(*ends: int, work: int = 3000, hold: int = 2000, startup: int = 0):
    """A session on two GPUs that works for 1,000 s and then holds them, stopped at some moments; and its table and log."""
    made = Made(warmup=0, hours=3)
    job = made.job(gpus=2, work=work, checkpoint=1, startup=startup, restart=startup)
    begin = 0
    for end in ends:
        made.slice(job, begin, end, (UNALLOCATED, begin), ended=EndCode.PREEMPTED)
        begin = end + 100
    table = made.table()
    return made, attrs.evolve(table, hold=[hold]), made.log()


@pytest.mark.parametrize(
    ("ends", "seconds"),
    [
        ((1000,), [0]),
        ((1001,), [1]),
        ((2500,), [1500]),
        ((600, 1100), [0, 0]),  # 600 s of work and 400 s
        ((600, 1101), [0, 1]),
        ((600, 1900), [0, 800]),
        ((1200, 1900), [200, 600]),
    ],
)
def test_what_is_squatted_is_what_a_slice_kept_beyond_the_work_of_its_job(ends, seconds):
    _, table, log = kept_session(*ends)
    assert regime.squatted(table, log).tolist() == seconds


def test_start_up_is_not_squatted():
    _, table, log = kept_session(1500, startup=60)
    assert regime.squatted(table, log).tolist() == [1500 - 60 - 1000]


def test_nothing_is_squatted_where_nobody_holds():
    made = a_run()
    assert regime.squatted(made.table(), made.log()).tolist() == [0] * len(made.slices)


def test_nothing_is_squatted_where_only_a_job_that_never_started_would_be_held():
    made = a_run()
    hold = [0] * len(made.jobs)
    hold[made.job(gpus=2, work=3000) :] = [1000]
    table, log = attrs.evolve(made.table(), hold=hold), made.log()
    assert regime.squatted(table, log).tolist() == [0] * len(log.slices)


def test_squatted_time_is_in_the_hours_in_which_it_was_held_and_no_useful_work():
    made, table, log = kept_session(2500)
    result = build(made.scenario, table, log)
    assert result.cluster["squatted"].tolist() == [2 * 1500 / HOUR, 0, 0]
    assert result.jobs["squatted"].tolist() == [2 * 1500 / HOUR]
    assert result.summary["occupied_for"]["squatted"] == float(Fraction(1500, 2500))
    assert result.summary["pyramid"]["utilization"] == float(Fraction(1000, 2500))
    assert result.summary["squatted_gpu_hours"] == 2 * 1500 / HOUR


def test_a_job_has_finished_when_its_work_is_done_however_long_it_held():
    made, table, log = kept_session(2500)
    log.jobs["state"], log.jobs["end"], log.jobs["queued"] = JobState.FINISHED, 2500, 0
    assert check(build(attrs.evolve(made.scenario, policy=FIFO), table, log)) == ()
    without = check(build(attrs.evolve(made.scenario, policy=FIFO), attrs.evolve(table, hold=[0]), log))
    assert any("finished with 2500 s done of 3000 s" in violation.text for violation in without)


def marked(*priorities: int, hours: int = 49):
    """Jobs of an hour, every eight hours, with these priorities."""
    made = Made(warmup=DAY, hours=hours, steps=[(0, 16, 0, 0)])
    for number in range(len(priorities)):
        job = made.job(submit=number * 8 * HOUR, gpus=1 + number % 2, work=HOUR)
        made.slice(job, number * 8 * HOUR, number * 8 * HOUR + HOUR)
    table = attrs.evolve(made.table(), priority=np.array(priorities, np.int8))
    return build(attrs.evolve(made.scenario, policy=FIFO), table, made.log())


def test_the_share_of_high_is_told_day_by_day_over_jobs_and_over_gpu_time():
    table = marked(1, 3, 2, 3, 4, 3, 2).priorities
    assert table["day"].tolist() == [0, 1, 2]
    assert table["time"].tolist() == [0, DAY, 2 * DAY]
    assert table["jobs"].tolist() == [3, 3, 1]
    assert table["high_jobs"].tolist() == [1 / 3, 1.0, 0.0]
    assert table["gpu_hours"].tolist() == [4.0, 5.0, 1.0]
    assert table["high_gpu_hours"].tolist() == [2 / 4, 1.0, 0.0]


def test_a_day_without_jobs_has_no_share():
    table = marked(3, hours=30).priorities
    assert table["high_jobs"].tolist()[0] == 1.0
    assert pd.isna(table["high_jobs"].tolist()[1])
    assert pd.isna(table["high_gpu_hours"].tolist()[1])


def test_the_summary_tells_the_share_of_high_over_the_measured_time_and_over_its_last_day():
    summary = marked(3, 3, 3, 1, 3, 1, 3).summary["priorities"]
    assert summary["high"] == {"jobs": 2 / 4, "gpu_hours": 2 / 6}  # from the second day on
    assert summary["high_at_end"] == {"jobs": 2 / 3, "gpu_hours": 2 / 4}  # the hours 25 to 49


def test_waits_are_told_by_the_contract_that_was_asked_in_bands():
    made = Made(warmup=0)
    for number, asked in enumerate((0, 900, 901, 3600, 8 * HOUR, 8 * HOUR + 1)):
        job = made.job(work=60, min_runtime=asked)
        made.slice(job, 30 + number, 90 + number)
    summary = made.result().summary
    found = {name: (wait["n"], wait["p50"]) for name, wait in summary["contract_wait"].items()}
    assert found == {"none": (1, 30), "15m": (1, 31), "1h": (2, 32), "8h": (1, 34), "longer": (1, 35)}
    assert summary["claimed_gpu_hours"] == (900 + 901 + 3600 + 16 * HOUR + 1) / HOUR


def sessions(policy_people=(), **fields):
    made = Made(warmup=HOUR, hours=3)
    job = made.job(kind="debug", work=9000, min_runtime=4000)
    made.slice(job, 600, 9600, *fields.get("states", ((PROTECTED, 600), (SliceState.INTERRUPTIBLE, 4600))))
    return attrs.evolve(made.scenario, people=policy_people), made


def test_the_longest_protected_session_is_as_long_as_nothing_could_displace_it():
    scenario, made = sessions((Sessions(people=1),))
    assert build(scenario, made.table(), made.log()).summary["longest_protected_session"] == 4000
    scenario, made = sessions((Sessions(people=1),), states=((UNALLOCATED, 600),))
    assert build(scenario, made.table(), made.log()).summary["longest_protected_session"] == 0


def test_without_interactive_work_there_is_no_longest_session():
    scenario, made = sessions()
    assert build(scenario, made.table(), made.log()).summary["longest_protected_session"] is None


def cases():
    usual = {"kind": IncidentKind.UNHEALTHY, "node": 0}
    by_itself = {"cordoned": 100, "drained": 400, "down": 400, "emptied": Emptied.DRAINED}
    visit = {"called": 200, "engineer_wait": 50, "engineer_time": 300, "person": True}
    return [
        Case(begin=100, **usual, **by_itself),
        Case(begin=100, cordoned=100, down=550, emptied=Emptied.ENGINEER, **usual, **visit),
        Case(begin=100, cordoned=100, drained=300, down=550, emptied=Emptied.DRAINED, urgent=True, **usual, **visit),
        Case(begin=9000, node=1, kind=IncidentKind.HARD, down=9000, emptied=Emptied.FAILED),
        Case(begin=10_000, cordoned=10_000, called=10_100, engineer_wait=100, engineer_time=3600, person=True, **usual),
    ]


def incidents(*given):
    made = a_run()
    return build(made.scenario, made.table(), made.log(), incidents=incident_rows(given)).incidents


def test_a_drain_lasts_until_the_node_is_empty_by_itself_or_by_an_engineer():
    assert incidents(*cases())["drain"].tolist() == [300, 450, 200, pd.NA, pd.NA]


def test_repairs_tell_who_had_to_act_how_long_drains_took_and_the_time_on_call():
    found = repairs(incidents(*cases()), since=0, horizon=10_800)
    assert (found["n"], found["urgent"], found["with_a_person"]) == (4, 1, 2)
    assert found["drain"] == {"n": 3, "p50": 300, "longest": 450, "open": 1}
    assert found["on_call_hours"] == (300 + 300 + 600) / HOUR  # the last visit is cut short by the end


def test_repairs_count_what_broke_in_the_measured_time():
    assert repairs(incidents(*cases()), since=9000, horizon=10_800)["n"] == 1
    nothing = repairs(incidents(), since=0, horizon=10_800)
    assert nothing["drain"] == {"n": 0, "p50": None, "longest": None, "open": 0}
    assert nothing["on_call_hours"] == 0.0
