from __future__ import annotations

from allotment.world.clock import World
from tests.world import made
from tests.world.fake import FakeScheduler, Told


def world_of(*given, **columns):
    scheduler = FakeScheduler(made.scenario(), made.jobs(*given, **columns))
    return World(scheduler), scheduler


def test_a_world_with_nobody_in_it_leaps_once():
    world, scheduler = world_of((5, 1, 10), (7, 1, 10))
    world.advance(1000)
    assert scheduler.leaps == [1000]
    assert scheduler.over == {0: 15, 1: 17}


def test_the_scheduler_is_at_the_moment_at_which_the_world_acts():
    world, scheduler = world_of((5, 1, 10))
    seen = []
    for time in (0, 3, 3, 40):
        world.call_at(time, lambda: seen.append((world.now, scheduler.now)))
    world.advance(100)
    assert seen == [(0, 0), (3, 3), (3, 3), (40, 40)]
    assert scheduler.now == 100


def test_what_is_due_at_the_end_of_a_step_belongs_to_the_next_one():
    world, scheduler = world_of((5, 1, 10))
    seen = []
    world.call_at(50, lambda: seen.append(scheduler.now))
    world.advance(50)
    assert seen == []
    world.advance(51)
    assert seen == [50]


def test_a_moment_that_has_passed_is_now():
    world, _ = world_of((5, 1, 10))
    seen = []
    world.call_at(50, lambda: world.call_at(20, lambda: seen.append(world.now)))
    world.advance(60)
    assert seen == [50]


def test_the_end_of_a_job_that_somebody_submitted_reaches_them_when_it_happens():
    world, scheduler = world_of((-1, 1, 10), (5, 1, 100))
    seen = []
    world.call_at(30, lambda: world.submit(0).callbacks.append(lambda _: seen.append(world.now)))
    world.advance(1000)
    assert scheduler.over[0] == 40
    assert seen == [41]  # the second of the end is over
    assert scheduler.leaps[0] == 30


def test_everything_that_happens_in_one_second_is_known_before_anybody_reacts():
    world, scheduler = world_of((-1, 1, 10), (-1, 1, 10))
    order = []

    def follow(job):
        world.submit(job).callbacks.append(lambda _: order.append((job, tuple(scheduler.notices))))

    world.call_at(0, lambda: (follow(0), follow(1)))
    world.advance(11)  # a pause in the second after the end
    assert order == []
    world.advance(1000)
    assert order == [(0, ()), (1, ())]


def test_a_notice_that_nobody_waits_for_is_let_go():
    world, scheduler = world_of((5, 1, 10))
    scheduler.notices = [Told(1, 0), Told(3, 2)]
    world.advance(1000)
    assert scheduler.now == 1000


def test_the_earlier_of_two_events_can_be_awaited_twice():
    world, _ = world_of((5, 1, 10))
    first, second = world.at(10), world.at(20)
    either = world.either(first, second)
    seen = []

    def wait():
        yield either | world.at(5)
        seen.append((world.now, either.processed))
        yield either | world.at(90)
        seen.append((world.now, either.processed))

    world.env.process(wait())
    world.advance(100)
    assert seen == [(5, False), (10, True)]
