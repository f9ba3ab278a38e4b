"""The barest loops that SimPy can run: so many events at which nothing happens, as a yardstick for the scheduler."""

from __future__ import annotations

from simpy import Environment, Event

from allotment.world.clock import Play


def fire_in_processes(events: int, at_once: int = 1) -> int:
    """Fire events that `at_once` processes wait for, each for one after the other; return the moment of the last.

    The more processes wait, the longer SimPy needs for each event, as it keeps what is pending in order.

    >>> fire_in_processes(3), fire_in_processes(1000, at_once=400)
    (3, 1000)
    """
    env = Environment()

    def wait(first: int) -> Play:
        timeout = env.timeout
        yield timeout(first)
        for _ in range(first + at_once, events + 1, at_once):
            yield timeout(at_once)

    for first in range(1, min(at_once, events) + 1):
        env.process(wait(first))
    env.run()
    return int(env.now)


def fire_callbacks(events: int) -> int:
    """Fire events of which each one's callback makes the next, the least that SimPy can do; return the moment of the last.

    >>> fire_callbacks(3)
    3
    """
    env = Environment()
    timeout, left = env.timeout, events

    def fired(_event: Event) -> None:
        nonlocal left
        if left > 0:
            left -= 1
            timeout(1).callbacks.append(fired)

    if events:
        left -= 1
        timeout(1).callbacks.append(fired)
    env.run()
    return int(env.now)
