"""Runs made by hand: say who held which nodes when, and get the job table and the log that a kernel would leave.

All sums are taken second by second in plain Python, so that what the package computes is compared with something else.
"""

from __future__ import annotations

from fractions import Fraction

import attrs
import numpy as np

from allotment.kernel.log import (
    CAPACITY,
    DECISION,
    JOB_LOG,
    PLACEMENT,
    SEGMENT,
    SHARE_UNIT,
    SLICE,
    Log,
)
from allotment.model.cluster import Cluster
from allotment.model.codes import DecisionCode, EndCode, IdleCause, JobState, Priority, Reason, SliceState
from allotment.model.job import gpus_taken
from allotment.model.plan import Plan, PlanNode
from allotment.model.policy import Contracts, Key, Licence, Match, Partition, Policy
from allotment.results.result import Result, build
from allotment.scenario import Scenario
from allotment.units import DAY, HOUR
from allotment.workload.table import JobTable, StreamTable

PROTECTED, INTERRUPTIBLE, UNALLOCATED = SliceState

PLAN = Plan(
    name="two-budgets",
    children=(
        PlanNode(
            id="vision",
            share=Fraction(1, 2),
            children=(PlanNode(id="robots", share=Fraction(1, 2)), PlanNode(id="drones", share=Fraction(1, 4))),
        ),
        PlanNode(id="speech", share=Fraction(3, 10)),
    ),
)
BUDGETS = Policy(
    name="budgets",
    contracts=Contracts(),
    partitions=(
        Partition(match=Match.FUNDED, keys=(Key.BALANCE, Key.AGE), licence=Licence.INTERRUPTIBLE),
        Partition(match=Match.ALL, keys=(Key.USE, Key.AGE)),
    ),
)
FIFO = Policy(name="fifo", partitions=(Partition(match=Match.ALL, keys=(Key.AGE,)),))


@attrs.define(kw_only=True)
class MadeJob:
    leaf: str = "robots"
    kind: str = "training"
    closed: bool = False
    submit: int = 0
    gpus: int = 1
    work: int = 3000
    min_runtime: int = 1200
    checkpoint: int = 600  # 0: not resumable
    startup: int = 0
    restart: int = 0
    too_large: bool = False
    cancelled: int | None = None


@attrs.define(kw_only=True)
class MadeSlice:
    job: int
    start: int
    end: int
    nodes: tuple[int, ...]
    states: tuple[tuple[SliceState, int], ...]
    ended: EndCode
    for_job: int = -1


@attrs.define(kw_only=True)
class Made:
    """A run being made; `healthy` are steps (time, healthy, draining, down)."""

    policy: Policy = BUDGETS
    nodes: int = 2
    hours: int = 3
    warmup: int = HOUR
    steps: list[tuple[int, int, int, int]] = attrs.field(factory=lambda: [(0, 16, 0, 0)])
    epochs: list[tuple[int, Plan]] = attrs.field(factory=lambda: [(0, PLAN)])
    idle_cause: IdleCause = IdleCause.NO_DEMAND
    jobs: list[MadeJob] = attrs.field(factory=list)
    slices: list[MadeSlice] = attrs.field(factory=list)
    holds: list[tuple[int, int, int]] = attrs.field(factory=list)  # job, from, until (a start or a release)

    @property
    def horizon(self) -> int:
        return self.hours * HOUR

    def job(self, **fields: object) -> int:
        self.jobs.append(MadeJob(**fields))
        return len(self.jobs) - 1

    def slice(
        self,
        job: int,
        start: int,
        end: int,
        *states: tuple[SliceState, int],
        nodes: tuple[int, ...] = (0,),
        ended: EndCode = EndCode.FINISHED,
        for_job: int = -1,
    ) -> int:
        self.slices.append(
            MadeSlice(
                job=job,
                start=start,
                end=end,
                nodes=nodes,
                states=states or ((PROTECTED, start),),
                ended=ended,
                for_job=for_job,
            )
        )
        return len(self.slices) - 1

    @property
    def scenario(self) -> Scenario:
        return Scenario(
            name="by-hand",
            cluster=Cluster(name="small", nodes=self.nodes, gpus_per_node=8),
            plan=PLAN,
            policy=self.policy,
            workload=(),
            warmup=self.warmup,
            measured=self.horizon - self.warmup,
        )

    def take(self, job: int) -> int:
        return gpus_taken(self.jobs[job].gpus, 8)

    def table(self) -> JobTable:
        leaves = tuple(sorted(PLAN.work_leaves()))
        kinds = tuple(sorted({job.kind for job in self.jobs} or {"training"}))
        jobs = self.jobs
        streams = StreamTable(
            names=("open", "closed"),
            kinds=("any", "any"),
            leaf=[0, 0],
            closed=[False, True],
            target_at=[0, 0, 0],
            times=[],
            gpus=[],
        )
        return JobTable(
            leaves=leaves,
            kinds=kinds,
            users=("ann",),
            streams=streams,
            leaf=[leaves.index(job.leaf) for job in jobs],
            stream=[int(job.closed) for job in jobs],
            kind=[kinds.index(job.kind) for job in jobs],
            user=[0] * len(jobs),
            submit=[-1 if job.closed else job.submit for job in jobs],
            gpus=[job.gpus for job in jobs],
            work=[job.work for job in jobs],
            min_runtime=[job.min_runtime for job in jobs],
            resumable=[job.checkpoint > 0 for job in jobs],
            checkpoint=[job.checkpoint for job in jobs],
            startup=[job.startup for job in jobs],
            restart=[job.restart for job in jobs],
            priority=[Priority.NORMAL] * len(jobs),
            preemptible=[True] * len(jobs),
            limit=[job.work + job.startup for job in jobs],
        )

    def log(self) -> Log:
        self.slices.sort(key=lambda s: s.start)
        done = [0] * len(self.jobs)
        lost = [0] * len(self.jobs)
        of_job: list[list[MadeSlice]] = [[] for _ in self.jobs]
        slices = []
        for part in self.slices:
            job = self.jobs[part.job]
            overhead = job.restart if of_job[part.job] else job.startup
            ran = part.end - part.start - overhead
            kept, wasted = 0, part.end - part.start
            if part.ended is EndCode.FINISHED:
                kept, wasted = job.work - done[part.job], 0
            elif job.checkpoint and ran >= job.checkpoint:
                kept = ran // job.checkpoint * job.checkpoint
                wasted = ran - kept
            take = self.take(part.job)
            done[part.job] += kept
            lost[part.job] += wasted * take
            of_job[part.job].append(part)
            slices.append(
                (
                    part.job,
                    part.start,
                    part.end,
                    part.ended,
                    part.for_job,
                    overhead,
                    kept,
                    wasted * take,
                    take,
                    len(part.nodes),
                )
            )
        jobs = [self._job_row(at, of_job[at], done[at], lost[at]) for at in range(len(self.jobs))]
        ids = tuple(sorted(("root", *PLAN.ids)))
        parent = [-1 if node == "root" else ids.index(PLAN.parent(node)) for node in ids]
        return Log(
            jobs=np.array(jobs, JOB_LOG),
            slices=np.array(slices, SLICE),
            segments=np.array(list(self._segments()), SEGMENT),
            placements=np.array([(at, node) for at, s in enumerate(self.slices) for node in s.nodes], PLACEMENT),
            decisions=np.array(self._decisions(ids), DECISION),
            capacity=np.array(self.steps, CAPACITY),
            idle=self._idle(),
            tree_ids=ids,
            tree_parent=np.array(parent, np.int32),
            epoch_time=np.array([time for time, _ in self.epochs], np.int64),
            epoch_share=np.array(
                [[int(plan.absolute_share(node) * SHARE_UNIT) for node in ids] for _, plan in self.epochs], np.int64
            ),
            leaf_node=np.array([ids.index(leaf) for leaf in sorted(PLAN.work_leaves())], np.int32),
            horizon=self.horizon,
            capacity_gpus=self.nodes * 8,
            passes=1,
            events=1,
        )

    def result(self) -> Result:
        return build(self.scenario, self.table(), self.log())

    def _job_row(self, at: int, parts: list[MadeSlice], done: int, lost: int) -> tuple[object, ...]:
        job = self.jobs[at]
        end, state = -1, JobState.WAITING
        if parts and parts[-1].ended is EndCode.FINISHED:
            end, state = parts[-1].end, JobState.FINISHED
        elif parts and parts[-1].ended is EndCode.HORIZON:
            state = JobState.RUNNING
        if job.cancelled is not None:
            end, state = job.cancelled, JobState.CANCELLED
        until = self.horizon if end < 0 else end
        if job.submit < 0:
            state, until = JobState.UNSUBMITTED, -1
        queued = until - job.submit - sum(part.end - part.start for part in parts)
        stops = sum(part.ended in (EndCode.PREEMPTED, EndCode.FAILED, EndCode.DRAINED) for part in parts)
        first = parts[0].start if parts else -1
        return (
            job.submit,
            first,
            end,
            state,
            queued,
            done,
            lost,
            stops,
            len(parts),
            self.take(at),
            job.too_large,
        )

    def _segments(self):
        for at, part in enumerate(self.slices):
            ends = [*(begin for _, begin in part.states[1:]), part.end]
            for (state, begin), end in zip(part.states, ends, strict=True):
                yield (at, state, begin, end)

    def healthy_at(self, time: int) -> int:
        return [healthy for when, healthy, _, _ in self.steps if when <= time][-1]

    def share_at(self, node: str, time: int) -> Fraction:
        return [plan for when, plan in self.epochs if when <= time][-1].absolute_share(node)

    def _idle(self) -> np.ndarray:
        idle = np.zeros((self.hours, len(IdleCause)), np.int64)
        for hour in range(self.hours):
            for second in range(hour * HOUR, (hour + 1) * HOUR):
                idle[hour, self.idle_cause] += self.healthy_at(second)
            for part in self.slices:
                overlap = min(part.end, (hour + 1) * HOUR) - max(part.start, hour * HOUR)
                idle[hour, self.idle_cause] -= max(overlap, 0) * self.take(part.job)
        return idle

    # -- decisions, as the pass of a second would log them ------------------------------------------------------------

    def used(self, node: str, time: int) -> int:
        """Use in the window and what is committed before anything is decided at `time`; windows are a week."""
        total = 0
        for part in self.slices:
            job = self.jobs[part.job]
            if node not in ("root", *PLAN.lineage(job.leaf)):
                continue
            ends = [*(begin for _, begin in part.states[1:]), part.end]
            for (state, begin), end in zip(part.states, ends, strict=True):
                if begin >= time or state is UNALLOCATED:
                    continue
                total += self.take(part.job) * (min(end, time) - begin)
                if state is PROTECTED and end > time:
                    total += self.take(part.job) * (begin + job.min_runtime - time)
        return total

    def entitled(self, node: str, time: int) -> int:
        scaled = 0
        for second in range(time):
            scaled += int(self.share_at(node, second) * SHARE_UNIT) * self.healthy_at(second)
        scaled += int(self.share_at(node, time) * SHARE_UNIT) * self.healthy_at(time) * max(DAY - time, 0)
        return scaled // SHARE_UNIT

    def _decisions(self, ids: tuple[str, ...]) -> list[tuple[object, ...]]:
        if self.policy.contracts is None:
            return []
        acts = []
        for at, part in enumerate(self.slices):
            before = None
            for state, begin in part.states:
                code = {
                    (None, PROTECTED): DecisionCode.START,
                    (None, UNALLOCATED): DecisionCode.START_UNALLOCATED,
                    (UNALLOCATED, PROTECTED): DecisionCode.PROMOTE,
                    (INTERRUPTIBLE, UNALLOCATED): DecisionCode.DEMOTE,
                }.get((before, state))
                if code is not None:
                    acts.append((begin, code, part.job, at))
                before = state
            if part.ended is EndCode.PREEMPTED:
                acts.append((part.end, DecisionCode.PREEMPT, part.job, at))
        for job, begin, until in self.holds:
            acts.append((begin, DecisionCode.HOLD, job, -1))
            if not any(act[:3] == (until, DecisionCode.START, job) for act in acts):
                acts.append((until, DecisionCode.RELEASE, job, -1))
        order = list(DecisionCode)
        ranks = {code: order.index(code) for code in order} | {DecisionCode.DEMOTE: -2, DecisionCode.PREEMPT: -1}
        acts.sort(key=lambda act: (act[0], ranks[act[1]], act[2]))
        rows, charged = [], {}
        for time, code, job, row in acts:
            leaf = self.jobs[job].leaf
            claim = self.take(job) * self.jobs[job].min_runtime if code in CLAIMS else 0
            used = self.used(leaf, time) + sum(
                amount for (other, when), amount in charged.items() if when == time and other == leaf
            )
            for holder, begin, until in self.holds:
                if self.jobs[holder].leaf == leaf and begin < time <= until and not (holder == job and time == until):
                    used += self.take(holder) * self.jobs[holder].min_runtime
            entitled = self.entitled(leaf, time)
            ranked = code in CLAIMS
            other = self.slices[row].for_job if code is DecisionCode.PREEMPT else -1
            rows.append(
                (
                    time,
                    code,
                    Reason.NONE,
                    ids.index(leaf) if ranked else -1,
                    job,
                    row,
                    other,
                    claim,
                    entitled - used if ranked else 0,
                    used if ranked else -1,
                    entitled if ranked else -1,
                    -1,
                    -1,
                    0,
                )
            )
            if code in (DecisionCode.START, DecisionCode.PROMOTE):
                charged[leaf, time] = charged.get((leaf, time), 0) + claim
        return rows


CLAIMS = (DecisionCode.START, DecisionCode.PROMOTE, DecisionCode.HOLD)


def a_run() -> Made:
    """Two nodes for three hours: a gang, a preemption, a promotion, a failure, a broken node, jobs that never start."""
    made = Made(steps=[(0, 16, 0, 0), (5400, 16, 8, 0), (6000, 8, 0, 8), (9000, 16, 0, 0)])
    gang = made.job(leaf="robots", gpus=12, work=2000, min_runtime=1200, submit=0)
    made.slice(gang, 30, 2030, (PROTECTED, 30), (INTERRUPTIBLE, 1230), nodes=(0, 1))
    debug = made.job(leaf="speech", kind="debug", gpus=1, work=500, min_runtime=600, submit=2031, checkpoint=0)
    made.slice(debug, 2040, 2540)
    long = made.job(leaf="drones", gpus=4, work=5000, min_runtime=1200, submit=40, startup=10, restart=20)
    made.slice(long, 2040, 3900, (UNALLOCATED, 2040), nodes=(1,), ended=EndCode.PREEMPTED, for_job=3)
    whole = made.job(leaf="speech", gpus=8, work=1500, min_runtime=900, submit=3890)
    made.slice(whole, 3900, 5400, (PROTECTED, 3900), (INTERRUPTIBLE, 4800), nodes=(1,))
    made.slice(
        long,
        4200,
        6030,
        (UNALLOCATED, 4200),
        (PROTECTED, 4230),
        (INTERRUPTIBLE, 5430),
        (UNALLOCATED, 6000),
        ended=EndCode.FAILED,
    )
    made.slice(long, 9000, 10800, (UNALLOCATED, 9000), (PROTECTED, 9900), ended=EndCode.HORIZON)
    made.job(leaf="drones", kind="debug", gpus=2, submit=5000)  # never starts
    made.job(leaf="speech", kind="debug", gpus=2, submit=6000, cancelled=7000)
    free = made.job(leaf="speech", kind="batch", gpus=2, min_runtime=0, work=900, submit=7000, closed=True)
    made.slice(free, 7020, 7920, (UNALLOCATED, 7020))
    made.job(leaf="speech", kind="batch", gpus=2, min_runtime=0, submit=-1, closed=True)  # never submitted
    made.job(leaf="robots", gpus=16, min_runtime=HOUR, submit=8000, too_large=True)
    return made
