"""The few who keep the cluster going: on-call engineers and repair crews. Cases queue for them, first come first served."""

from __future__ import annotations

from simpy import Event, Resource

from allotment.model.cluster import Health
from allotment.world.clock import Play, World
from allotment.world.incidents import Case


class Crews:
    """The on-call engineers and the repair crews of one cluster, as SimPy resources."""

    def __init__(self, world: World, health: Health) -> None:
        self._world = world
        self._person_time = health.person_time
        self._engineers = Resource(world.env, capacity=health.engineers)
        self._crews = Resource(world.env, capacity=health.crews)

    def visit(self, case: Case, unless: Event) -> Play:
        """Have an engineer see to a case, unless something else settles it before one is free.

        An engineer who has begun stays for the whole time.
        """
        case.called = self._world.now
        with self._engineers.request() as engineer:
            yield engineer | unless
            if not engineer.triggered:
                return
            case.person = True
            case.engineer_wait = self._world.now - case.called
            case.engineer_time = self._person_time
            yield self._world.env.timeout(self._person_time)

    def repair(self, case: Case, lasts: int) -> Play:
        """Have a crew repair a node that is down, for so many seconds once one is free."""
        with self._crews.request() as crew:
            yield crew
            case.crew_wait = self._world.now - case.down
            yield self._world.env.timeout(lasts)
