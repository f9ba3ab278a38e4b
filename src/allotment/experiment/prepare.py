"""Have the scheduler's rules ready to run: compiled once after an installation or a change, later loaded from a cache."""

from __future__ import annotations

from collections.abc import Callable

from allotment.kernel.advance import step
from allotment.kernel.engine import Engine
from allotment.kernel.jit import is_ready, watch_compiling
from allotment.kernel.questions import answer
from allotment.model.cluster import Cluster
from allotment.model.plan import Plan, PlanNode
from allotment.model.policy import Key, Match, Partition, Policy
from allotment.scenario import Scenario
from allotment.workload.classes import ClosedStream
from allotment.workload.generate import generate
from allotment.workload.kinds import Kind, RunTime, Size

COMPILING = (
    "compiling the scheduler, once after an installation or a change: about a minute; later starts take a second or two"
)
Tell = Callable[[int, int], None]  # told (rules compiled so far, rules in all)


def prepare(tell: Tell | None = None, *, questions: bool = False) -> bool:
    """Make the rules ready, and return whether they had to be compiled, which takes about a minute.

    Loading them from the cache takes a fraction of a second. `tell` is called while they are compiled, and never
    otherwise. With `questions` those are made ready, too, that a fleet asks of its clusters.
    """
    if is_ready(step) and (is_ready(answer) or not questions):
        return False
    compiling = False

    def note(done: int, of: int) -> None:
        nonlocal compiling
        compiling = True
        if tell is not None:
            tell(done, of)

    with watch_compiling(note):
        _smallest_run(asked=questions)
    return compiling


def _smallest_run(*, asked: bool) -> None:
    """Run next to nothing on one GPU: the rules are compiled for the types of their arguments, which are always the same."""
    kind = Kind(name="any", sizes=(Size(gpus=1),), run_time=RunTime(median=1))
    scenario = Scenario(
        name="nothing",
        cluster=Cluster.parse("1x1"),
        plan=Plan(name="one", children=(PlanNode(id="one", share=1),)),
        policy=Policy(name="first come", partitions=(Partition(match=Match.ALL, keys=(Key.AGE,)),)),
        workload=(ClosedStream(name="any", demand=1, kinds=(kind,)),),
        warmup=0,
        measured=1,
    )
    table = generate(
        scenario.workload, scenario.plan, scenario.cluster, scenario.start, scenario.horizon, scenario.seed
    )
    engine = Engine(scenario, table)
    if asked:
        engine.standing(len(table) - 1)
    engine.advance(scenario.horizon)
