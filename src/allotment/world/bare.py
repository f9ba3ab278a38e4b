"""The barest loops that SimPy can run: so many events at which nothing happens, as a yardstick for the scheduler."""

from __future__ import annotations

from simpy import Environment, Event

from allotment.world.clock import Play


def fire_in_process(events: int) -> int:
    """Fire events that one process waits for, one after the other; return the moment of the last.

    >>> fire_in_process(3)
    3
    """
    env = Environment()

    def wait() -> Play:
        timeout = env.timeout
        for _ in range(events):
            yield timeout(1)

    env.process(wait())
    env.run()
    return int(env.now)


def fire_callbacks(events: int) -> int:
    """Fire events of which each one's callback makes the next; return the moment of the last.

    >>> fire_callbacks(3)
    3
    """
    env = Environment()
    timeout, left = env.timeout, events

    def fired(_event: Event) -> None:
        nonlocal left
        left -= 1
        if left > 0:
            timeout(1).callbacks.append(fired)

    if events > 0:
        timeout(1).callbacks.append(fired)
    env.run()
    return int(env.now)
