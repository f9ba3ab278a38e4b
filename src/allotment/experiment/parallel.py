"""Many runs at once, in processes of their own, none of which outlives whoever asked for them."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess
from typing import TypeVar

from allotment.experiment.measures import Measures, measure
from allotment.experiment.simulate import Interrupted, simulate
from allotment.scenario import Scenario

Tell = Callable[[int, int], None]  # told (runs done, runs in all)
R = TypeVar("R")
T = TypeVar("T")


def processors() -> int:
    """Return how many processors there are to use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def run_all(scenarios: Sequence[Scenario], *, processes: int | None = None, tell: Tell | None = None) -> list[Measures]:
    """Return the figures of each scenario, in their order; how they run is told at :func:`each_in_a_process`."""
    return each_in_a_process(scenarios, _run, processes=processes, tell=tell)


def each_in_a_process(
    runs: Sequence[R], carry_out: Callable[[R], T], *, processes: int | None = None, tell: Tell | None = None
) -> list[T]:
    """Return what comes of each run, in their order.

    The runs are spread over `processes`, by default as many as there are processors to use; with 1 they run here. The
    order in which they end changes nothing. Ctrl-C ends all of them at once, as a part of a month is not a month: it
    raises KeyboardInterrupt, and no process stays.
    """
    done: dict[int, T] = {}

    def note(number: int, of: T) -> None:
        done[number] = of
        if tell is not None:
            tell(len(done), len(runs))

    workers = min(processes or processors(), len(runs))
    if workers <= 1:
        for number, run in enumerate(runs):
            note(number, carry_out(run))
    else:
        with _pool(workers) as pool:
            with _deaf_to_interrupts():  # a process begins when something is submitted
                begun = {pool.submit(carry_out, run): number for number, run in enumerate(runs)}
            for ended in as_completed(begun):
                note(begun[ended], ended.result())
    return [done[number] for number in range(len(runs))]


def _run(scenario: Scenario) -> Measures:
    try:
        return measure(simulate(scenario).summary)
    except Interrupted:
        raise KeyboardInterrupt from None


@contextmanager
def _pool(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Yield a pool of processes that is gone afterwards; where it is left by an error, whatever they are doing."""
    others = multiprocessing.active_children()
    # fresh processes: a fork would copy the threads that a notebook or a display runs
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_end_with_parent)
    try:
        yield pool
    except BaseException:
        pool.shutdown(wait=False, cancel_futures=True)
        for process in multiprocessing.active_children():
            if process not in others and isinstance(process, SpawnProcess):
                process.kill()
        raise
    finally:
        pool.shutdown()


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Let processes that begin here never hear Ctrl-C, not even while they load; here it comes as soon as they have begun.

    A terminal sends it to all of them. They would each tell of it, and the one that began them ends them anyway.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _end_with_parent() -> None:
    """Let this process end when the one that began it is gone, however that ended."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_follow, args=(parent.sentinel,), daemon=True).start()


def _follow(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)
