"""Sessions that hold their GPUs when their work is done: the moment at which each begins to, in the run."""

from __future__ import annotations

import numpy as np

from allotment.workload.table import JobTable
from allotment.world.clock import Play, World


def play_squatters(world: World, table: JobTable) -> None:
    """Let everybody who will keep a session do so when the time comes."""
    for job in np.flatnonzero(table.hold).tolist():
        world.env.process(_keep(world, job))


def _keep(world: World, job: int) -> Play:
    """Wait until a session's work is done, however often it is stopped and starts again before, and rest from then on."""
    scheduler = world.scheduler
    scheduler.watch(job)
    while True:
        until = scheduler.works_until(job)
        if until < 0:
            yield world.started(job)
        elif until > world.now:
            yield world.at(until)
        elif scheduler.rest(job):
            return
