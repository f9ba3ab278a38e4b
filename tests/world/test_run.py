from __future__ import annotations

import gc
import os
import signal
import threading
import weakref

import pytest

from allotment.errors import InputError
from allotment.model.changeset import Changeset, ShareChange
from allotment.model.people import Sessions
from allotment.units import DAY, HOUR
from allotment.world.people import with_people
from allotment.world.run import Run, run, stop_on_interrupt
from tests.world import made
from tests.world.fake import FakeScheduler, verbs


def changeset(time, share, old=None):
    return Changeset(
        time=time, author="ada", reason="a deadline", shares=(ShareChange(id="left", share=share, old=old),)
    )


def keep(held):
    def make(scenario, table):
        held.append(FakeScheduler(scenario, table))
        return held[-1]

    return make


def test_a_run_with_nobody_in_it_is_one_call():
    held = []
    outcome = run(made.scenario(), made.busy_jobs(50), make=keep(held))
    assert held[0].leaps == [10 * DAY]
    assert held[0].calls == []
    assert len(outcome.incidents) == 0
    assert not outcome.interrupted


def test_the_scheduler_is_gone_with_its_run_whatever_still_waits_in_the_world():
    left = []

    def make(scenario, table):
        scheduler = FakeScheduler(scenario, table)
        left.append(weakref.ref(scheduler))
        return scheduler

    scenario = made.scenario(health=made.HEALTH, people=(Sessions(people=2),))
    table = with_people(made.busy_jobs(50), scenario)
    gc.disable()
    try:
        run(scenario, table, make=make)
        assert left[0]() is None
    finally:
        gc.enable()


def test_a_changeset_takes_effect_at_its_time_and_builds_on_those_before():
    held = []
    scenario = made.scenario(changesets=(changeset(HOUR, "0.3"), changeset(DAY, "0.6", old="0.3")))
    run(scenario, made.jobs((0, 1, 10)), make=keep(held))
    plans = verbs(held[0], "set_plan")
    assert [call[0] for call in plans] == [HOUR, DAY]
    assert [str(call[2].node("left").share) for call in plans] == ["3/10", "3/5"]


def test_a_changeset_comes_before_all_else_in_its_second():
    held = []
    first = min(call[0] for call in faulty(held).calls)
    again = []
    run(
        made.scenario(health=made.HEALTH, changesets=(changeset(first, "0.3"),)),
        made.jobs((0, 1, 10)),
        make=keep(again),
    )
    assert [call[:2] for call in again[0].calls[:2]] == [(first, "set_plan"), held[0].calls[0][:2]]


def faulty(held):
    run(made.scenario(health=made.HEALTH), made.jobs((0, 1, 10)), make=keep(held))
    return held[-1]


def test_a_change_that_does_not_fit_changes_nothing():
    going = Run(made.scenario(), made.jobs((0, 1, 10)), FakeScheduler)
    with pytest.raises(InputError, match=r"sum to 1\.1"):
        going.change(changeset(0, "0.7"))
    assert going.plan == made.PLAN
    assert going.scheduler.calls == []


def test_progress_is_told_a_few_times_a_second_at_most_and_at_the_end():
    ticks = iter(range(1000))
    told = []
    run(
        made.scenario(),
        made.jobs((0, 1, 10)),
        make=FakeScheduler,
        progress=lambda now, horizon: told.append((now, horizon)),
        wall=lambda: next(ticks) * 0.1,
    )
    assert told[-1] == (10 * DAY, 10 * DAY)
    assert 2 <= len(told) < 10
    assert [now for now, _ in told] == sorted({now for now, _ in told})


def test_watching_a_run_changes_nothing():
    held = []
    scenario = made.scenario(health=made.HEALTH)
    alone = run(scenario, made.busy_jobs(), make=keep(held))
    watched = run(scenario, made.busy_jobs(), make=keep(held), progress=lambda *_: None)
    assert held[1].leaps[0] == DAY or len(held[1].leaps) > len(held[0].leaps)
    assert held[0].calls == held[1].calls
    assert alone.log == watched.log
    assert alone.incidents.tolist() == watched.incidents.tolist()


def test_a_run_that_is_stopped_is_whole_up_to_then():
    looks = iter([False, False, True])
    outcome = run(made.scenario(), made.jobs((0, 1, 10)), make=FakeScheduler, stop=lambda: next(looks))
    assert outcome.interrupted
    assert outcome.log["horizon"] == 3 * DAY
    assert outcome.log["over"] == {0: 10}


def test_the_first_interrupt_is_a_wish_and_the_second_an_interrupt():
    with stop_on_interrupt() as stop:
        assert not stop()
        os.kill(os.getpid(), signal.SIGINT)
        assert stop()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)


def test_after_a_run_interrupts_are_what_they_were():
    before = signal.getsignal(signal.SIGINT)
    with stop_on_interrupt():
        assert signal.getsignal(signal.SIGINT) is not before
    assert signal.getsignal(signal.SIGINT) is before


def test_outside_the_main_thread_interrupts_are_left_alone():
    seen = []

    def work():
        with stop_on_interrupt() as stop:
            seen.append(stop())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [False]
