"""The scheduler of one run: the compiled rules around one state, with the verbs that the world may use on it."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any

import attrs
import numpy as np

from allotment.errors import SimulationError
from allotment.kernel import verbs
from allotment.kernel.advance import FULL, step
from allotment.kernel.alter import ASKED, CLAIMED, changed, rewritten_job
from allotment.kernel.closing import log_of
from allotment.kernel.glance import Glance, glance_at
from allotment.kernel.handover import keeps_states, rewritten
from allotment.kernel.jit import passed
from allotment.kernel.layout import State
from allotment.kernel.log import CAPACITY, WAIT, Log
from allotment.kernel.plan_tree import Tree, use_plan
from allotment.kernel.questions import Questions, Standing
from allotment.kernel.queues import HOLDER
from allotment.kernel.setup import check_policy, new_state
from allotment.model.codes import JobState
from allotment.model.plan import Plan
from allotment.model.policy import Policy
from allotment.scenario import Scenario
from allotment.workload.table import JobTable

GROWING = ("slices", "segments", "placements", "decisions", "points", "timers")


@attrs.frozen
class Notice:
    """What the scheduler stopped for: 1 a watched job started, 2 it is over (`row` is the job), 3 a node is empty."""

    kind: int
    row: int


class Engine:
    """One run in progress. All verbs act at `now`, after everything that finishes at that second."""

    def __init__(self, scenario: Scenario, table: JobTable) -> None:
        self._scenario = scenario
        self._table = table
        self._plan, self._policy = scenario.plan, scenario.policy
        self._tree = Tree.of(scenario.plan, table.leaves)
        self._state: State = new_state(scenario, table, self._tree)
        self._pending: list[Notice] = []
        self._clock = _fields(self._state.clock)
        self._jobs = _fields(self._state.jobs)
        self._questions = Questions()
        self._resting: dict[int, int] = {}  # job -> the slice in which it only holds its GPUs

    @property
    def now(self) -> int:
        """The moment before which everything has been handled (seconds from the scenario's start)."""
        return int(self._clock["now"][0])

    def advance(self, until: int) -> Notice | None:
        """Handle every event before `until`; return early where something happened that was to be told.

        Everything is one call when nothing is watched. Raises SimulationError for a moment that has passed or lies
        beyond the horizon.
        """
        if self._pending:
            return self._pending.pop(0)
        if not self.now <= until <= self._scenario.horizon:
            raise SimulationError(
                f"cannot advance from {self.now} s to {until} s; the horizon is {self._scenario.horizon} s"
            )
        while True:
            goal = min(until, self._next_look()) if self._resting else until
            while step(passed(self._state), verbs.ADVANCE, -1, goal) == FULL:
                self._grow()
            self._collect()
            self._let_go()
            if self._pending:
                return self._pending.pop(0)
            if self.now == until:
                return None

    def submit(self, job: int) -> None:
        """Submit a job of a manual stream."""
        self._wanted(job, JobState.UNSUBMITTED)
        self._act(verbs.SUBMIT, job)

    def watch(self, job: int) -> None:
        """Give notice when the job starts and when it is over."""
        self._job(job)
        self._jobs["watched"][job] = 1

    def waiting(self, job: int) -> bool:
        """Tell whether a job has been submitted, is not over, and has never started."""
        return bool(self._jobs["state"][job] == JobState.WAITING and self._jobs["first_start"][job] < 0)

    def works_until(self, job: int) -> int:
        """Return until when a job that runs has work to do, -1 if it does not run; then it only holds its GPUs."""
        row = int(self._jobs["slice"][job])
        return int(self._state.slices[row].finish) - int(self._table.hold[job]) if row >= 0 else -1

    def rest(self, job: int) -> bool:
        """Let a job whose work is done hold its GPUs until it finishes, or is stopped; return whether it still runs.

        Whoever stops it then ends it: its work is kept, nothing is lost, and it does not wait to start again.
        """
        self._act(verbs.REST, job)
        row = int(self._jobs["slice"][job])
        if row >= 0:
            self._resting[job] = row
        return row >= 0

    def observe(self, jobs: Any) -> tuple[Any, Any, Any]:
        """Return when some jobs were submitted and first started (-1: not yet), and which of them wait to start."""
        state, first_start = self._jobs["state"][jobs], self._jobs["first_start"][jobs]
        submit = np.where(state == JobState.UNSUBMITTED, -1, self._jobs["submit"][jobs])
        return submit, first_start, (state == JobState.WAITING) & (first_start < 0)

    def standing(self, job: int) -> Standing:
        """Return how a job that is not submitted yet would stand here now, before anything of this second; changes nothing."""
        self._wanted(job, JobState.UNSUBMITTED)
        return self._questions.standing(self._state, job)

    def mark(self, jobs: Any, priority: Any, preemptible: Any) -> None:
        """Set the priorities of jobs that are still to be submitted, and whether they may be preempted."""
        late = np.flatnonzero(self._jobs["state"][jobs] != JobState.UNSUBMITTED)
        if len(late):
            self._wanted(int(jobs[late[0]]), JobState.UNSUBMITTED)
        self._jobs["priority"][jobs] = priority
        self._jobs["preemptible"][jobs] = preemptible
        if self._state.rules[0].immune:  # the other class of the pair
            self._jobs["cls"][jobs] = self._jobs["cls"][jobs] // 2 * 2 + preemptible

    def alter(self, job: int, values: Mapping[str, int]) -> None:
        """Let a job ask for something else from now on: its GPUs, work, limit, min_runtime, priority or checkpoint.

        A job that runs keeps its GPUs and what it was promised: only its priority and its checkpoints may change.
        Raises SimulationError where it is over, or runs and would change more than that.
        """
        self._job(job)
        self._act(verbs.SETTLE, -1)
        state = JobState(int(self._jobs["state"][job]))
        allowed = {JobState.RUNNING: {"priority", "checkpoint"}}.get(state, {"gpus", *ASKED})
        if state not in (JobState.UNSUBMITTED, JobState.WAITING, JobState.RUNNING) or values.keys() - allowed:
            raise SimulationError(
                f"job {job} is {state.name.lower()}, so its {', '.join(values)} cannot change any more"
            )
        values = changed(self.job(job), values, self._scenario.cluster.gpus_per_node)
        if values.keys() & CLAIMED and self._jobs["place"][job] == HOLDER:
            self._act(verbs.RELEASE, job)
        if "checkpoint" in values and state is JobState.RUNNING:
            self._act(verbs.KEEP, job)
        in_line = state is not JobState.UNSUBMITTED and values.keys() - {"checkpoint"}
        if in_line:
            self._act(verbs.LAY_ASIDE, job)
        before = self.job(job)
        self._state = rewritten_job(self._state, job, values, self._policy)
        if in_line:
            self._act(verbs.TAKE_BACK, job)
            if any(before[name] != self.job(job)[name] for name in ("cls", "priority")):
                self._clock["dirty"][0] = 1

    def withdraw(self, job: int) -> None:
        """Take a job away, which keeps the work that it has saved; its stream goes on counting it, so nothing comes instead."""
        self._act(verbs.SETTLE, -1)
        if self._jobs["state"][job] == JobState.UNSUBMITTED:
            raise SimulationError(f"job {job} is not submitted yet, so it cannot be withdrawn")
        self._jobs["beyond"][job] = -self._jobs["gpus"][job]
        self.cancel(job)

    def save(self, job: int) -> None:
        """Let a running job save all its work now, out of turn; its next checkpoint comes after its usual interval."""
        self._wanted(job, JobState.RUNNING)
        self._act(verbs.SAVE, job)

    def job(self, job: int) -> dict[str, int]:
        """Return how a job stands now, by the names of its record (see layout.py)."""
        self._job(job)
        return {name: int(column[job]) for name, column in self._jobs.items()}

    def copy(self) -> Engine:
        """Return another engine at the same moment of the same run, to go on differently."""
        other, s = copy(self), self._state
        counts = s.clock[0]
        arrays = {field.name: getattr(s, field.name) for field in attrs.fields(State) if field.metadata}
        used = {name: int(counts[name]) for name in GROWING}
        state = attrs.evolve(s, **{name: _copied(array, used.get(name)) for name, array in arrays.items()})
        own = {"_state": state, "_clock": _fields(state.clock), "_jobs": _fields(state.jobs), "_questions": Questions()}
        vars(other).update(own, _pending=list(self._pending), _resting=dict(self._resting))
        return other

    def cancel(self, job: int) -> None:
        """End a job, running or waiting; nothing happens to one that is over."""
        self._job(job)
        self._act(verbs.CANCEL, job)

    def cordon(self, node: int) -> None:
        """Let a node take no new slices, and give notice when it is empty."""
        self._node(node, down=0, draining=0)
        self._act(verbs.CORDON, node)
        self._let_go()

    def fail(self, node: int) -> None:
        """Take a node down at once; what ran on it dies."""
        self._node(node, down=0)
        self._act(verbs.FAIL, node)
        self._let_go()

    def evict(self, node: int) -> None:
        """Stop what is left on a node for an urgent repair and take it down."""
        self._node(node, down=0)
        self._act(verbs.EVICT, node)
        self._let_go()

    def take_down(self, node: int) -> None:
        """Take a drained node down."""
        self._node(node, down=0)
        self._act(verbs.SETTLE, -1)  # what ends in this second leaves it empty
        if self._state.nodes[node].count:
            raise SimulationError(
                f"node {node} still runs {self._state.nodes[node].count} slices; drain or evict it first"
            )
        self._act(verbs.TAKE_DOWN, node)

    def clear(self, node: int) -> None:
        """Put a node back in service."""
        self._node(node)
        self._act(verbs.CLEAR, node)

    def set_plan(self, plan: Plan) -> None:
        """Let the shares and limits of this plan, which has the same nodes, count from now on."""
        tree = Tree.of(plan, self._table.leaves)
        if tree != self._tree:
            raise SimulationError("a plan that changes during a run keeps its nodes; only shares and limits may differ")
        s, clock = self._state, self._state.clock[0]
        if s.epochs[clock.epochs - 1].time < self.now:
            epochs = np.zeros(clock.epochs + 1, s.epochs.dtype).view(np.recarray)
            epochs[:-1] = s.epochs
            self._state = attrs.evolve(s, epochs=epochs, shares=np.concatenate([s.shares, s.shares[-1:]]))
        self._act(verbs.PLAN_CHANGED, -1)
        self._state.shares[-1] = tree.shares(plan)
        use_plan(self._state.tree, tree, plan, self._policy)
        self._plan = plan

    def set_policy(self, policy: Policy) -> None:
        """Let another policy take over now: what runs goes on running, what waits waits on (see handover.py).

        Raises SimulationError where it does not allow what jobs ask, or cannot be counted; then nothing changes.
        """
        check_policy(policy, self._scenario.cluster, self._table)
        self._act(verbs.SETTLE, -1)
        self._grow()
        self._act(verbs.PUT_DOWN, -1)
        both = (self._policy, policy)
        self._state = rewritten(self._state, self._scenario, self._tree, self._plan, both)
        self._policy = policy
        self._act(verbs.TAKE_UP, int(keeps_states(*both)))

    def ask(self, jobs: Any) -> None:
        """Note from now on what these jobs wait for, whenever it changes, to be read from `waits`."""
        for job in jobs:
            self._job(int(job))
        self._state = attrs.evolve(self._state, asked=np.array(jobs, np.int64))
        self._clock["asked"][0] = len(self._state.asked)
        self._clock["asked_waiting"][0], self._clock["asked_queueing"][0] = 0, -1

    @property
    def waits(self) -> Any:
        """What the jobs that were asked about have waited for so far, as records of `WAIT`."""
        return np.array(self._state.waits[: self._clock["waits"][0]])

    def glance(self) -> Glance:
        """Return how everything stands after the last pass, in copies."""
        return glance_at(self._state)

    def snapshot(self) -> dict[str, int]:
        """Return what there is now, as counts of GPUs and jobs."""
        clock, tree = self._state.clock[0], self._state.tree
        root = self._tree.ids.index("root")
        return {
            "now": int(clock.now),
            "healthy": int(clock.healthy),
            "draining": int(clock.draining),
            "allocated": int(tree[root].allocated),
            "unallocated": int(tree[root].unallocated),
            "waiting": int(clock.waiting),
            "slices": int(clock.slices),
            "passes": int(clock.passes),
            "events": int(clock.events),
            "decisions": int(clock.decisions),
        }

    def so_far(self) -> Log:
        """Return what `close` would, if the run ended here, and leave the run as it is."""
        s = self._state
        running = attrs.evolve(s, slices=s.slices[: s.clock[0].slices].copy(), jobs=s.jobs.copy())
        return log_of(running, self._scenario, self._table, self._tree)

    def close(self) -> Log:
        """End everything now and return what happened; the run ends here, wherever its horizon was meant to be."""
        return log_of(self._state, self._scenario, self._table, self._tree)

    def _act(self, verb: int, row: int) -> None:
        if len(self._state.decisions) - self._clock["decisions"][0] < self._room():
            self._grow()
        if len(self._state.capacity) - self._clock["capacities"][0] < 2:
            more = np.zeros(len(self._state.capacity), CAPACITY)
            self._state = attrs.evolve(
                self._state, capacity=np.concatenate([self._state.capacity, more]).view(np.recarray)
            )
        step(passed(self._state), verb, row, self.now)
        self._collect()

    def _next_look(self) -> int:
        """Return the moment after the next pass: what was displaced in it starts again in no pass before that."""
        return self.now + 1 + -self.now % self._scenario.cluster.cycle

    def _let_go(self) -> None:
        """End the resting jobs that were stopped, those too that started again in the very second (on another node)."""
        if not self._resting:
            return
        jobs = np.fromiter(self._resting, np.int64, len(self._resting))
        rows = np.fromiter(self._resting.values(), np.int64, len(self._resting))
        for job in jobs[self._jobs["slice"][jobs] != rows].tolist():
            del self._resting[job]
            if self._jobs["state"][job] in (JobState.WAITING, JobState.RUNNING):
                self._act(verbs.LET_GO, job)

    def _room(self) -> int:
        return 16 * self._scenario.cluster.gpus + 8 * len(self._state.classes) + 1_024

    def _grow(self) -> None:
        """Make every array that grows large enough for what the next second can add."""
        s, counts = self._state, self._state.clock[0]
        larger = {}
        for name in GROWING:
            array = getattr(s, name)
            if counts[name] + self._room() > len(array):
                more = np.zeros(len(array) + self._room(), array.dtype)
                larger[name] = np.concatenate([array, more]).view(np.recarray)
        if counts.waits + counts.asked > len(s.waits):
            more = np.zeros(len(s.waits) + len(s.asked) + 1_024, WAIT)
            larger["waits"] = np.concatenate([s.waits, more]).view(np.recarray)
        self._state = attrs.evolve(s, **larger)

    def _collect(self) -> None:
        count = int(self._clock["notices"][0])
        if count:
            self._pending += [Notice(int(note.kind), int(note.row)) for note in self._state.notices[:count]]
            self._clock["notices"][0] = 0

    def _job(self, job: int) -> None:
        if not 0 <= job < len(self._table):
            raise SimulationError(f"there is no job {job}; the table has {len(self._table)}, numbered from 0")

    def _wanted(self, job: int, state: JobState) -> None:
        self._job(job)
        is_in = JobState(int(self._jobs["state"][job]))
        if is_in is not state:
            raise SimulationError(f"job {job} is {is_in.name.lower()}, not {state.name.lower()}")

    def _node(self, node: int, **wanted: int) -> None:
        if not 0 <= node < len(self._state.nodes):
            raise SimulationError(f"there is no node {node}; the cluster has nodes 0 to {len(self._state.nodes) - 1}")
        for name, value in wanted.items():
            if self._state.nodes[node][name] != value:
                raise SimulationError(f"node {node} is {name} already")


def _fields(records: Any) -> dict[str, Any]:
    """Return every field of an array of records as an array, which Python reads far faster than a record's attribute.

    Only for arrays that do not grow.
    """
    plain = records.view(np.ndarray)
    return {name: plain[name] for name in plain.dtype.names}


def _copied(array: Any, used: int | None) -> Any:
    """Return a copy of an array, or of its part in use, which leaves the rest of it to be written first."""
    if used is None:
        return array.copy()
    other = np.zeros(len(array), array.dtype).view(type(array))
    other[:used] = array[:used]
    return other
