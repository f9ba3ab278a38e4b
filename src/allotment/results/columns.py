"""Every column of every table, documented once: name, type, unit and meaning.

Times are whole seconds from the scenario's start; GPU-time is in GPU-hours; ratios are 0 to 1. Where there is no value,
a column of type Int64, Int32 or float64 holds NA. Categories are lower case; plan nodes are named by their path.
"""

from __future__ import annotations

from enum import IntEnum
from typing import Literal

import attrs
import pandas as pd

from allotment.model.codes import DecisionCode, EndCode, IdleCause, JobState, Priority, Reason, SliceState
from allotment.world.incidents import Emptied, IncidentKind

Kind = Literal["bool", "int16", "int32", "int64", "Int32", "Int64", "float64", "str", "category"]


def words(codes: type[IntEnum]) -> tuple[str, ...]:
    """Return the categories that stand for codes.

    >>> words(SliceState)
    ('protected', 'interruptible', 'unallocated')
    """
    return tuple(code.name.lower() for code in codes)


@attrs.frozen
class Column:
    """One column. `unit` is empty for what has none; `among` lists the categories where they are fixed."""

    name: str
    kind: Kind
    unit: str
    meaning: str
    among: tuple[str, ...] = ()


def _coded(name: str, codes: type[IntEnum], meaning: str) -> Column:
    return Column(name, "category", "", meaning, words(codes))


JOBS = (
    Column("job", "int32", "", "number of the job: its row in the workload; the same under every policy"),
    Column("name", "str", "", "id in the recorded workload; empty for a generated job"),
    Column("leaf", "category", "", "path of the plan node it is charged to"),
    Column("budget", "category", "", "path of the child of the root above the leaf"),
    Column("kind", "category", "", "kind of work"),
    Column("user", "category", "", "who submitted it"),
    Column("closed", "bool", "", "from a closed stream, whose submit times differ between policies"),
    Column("gpus", "int32", "GPUs", "what it asked for"),
    Column("take", "int32", "GPUs", "what it holds and is charged for: above one node, whole nodes"),
    Column("work", "int64", "s", "run time at full speed, without start-up; `hold` included"),
    Column("hold", "int64", "s", "the end of `work`, in which its user only keeps its GPUs"),
    Column("min_runtime", "int64", "s", "the contract it asks for; 0 asks none"),
    Column("too_large", "bool", "", "its claim is above the whole entitlement of a level that counts: never funded"),
    Column("resumable", "bool", "", "keeps its last checkpoint when it is stopped"),
    Column("checkpoint", "int64", "s", "between two checkpoints"),
    Column("startup", "int64", "s", "start-up of the first slice"),
    Column("restart", "int64", "s", "start-up of every later slice"),
    Column("limit", "int64", "s", "the user's time limit"),
    _coded("priority", Priority, "as submitted: order within the leaf; under a priority policy within the cluster"),
    Column(
        "preemptible",
        "bool",
        "",
        "as submitted: may be displaced under a policy without contracts; quotas may look at it or not",
    ),
    Column("submit", "int64", "s", "when it was submitted"),
    Column("first_start", "Int64", "s", "when it first held GPUs; NA if it never did"),
    Column("end", "Int64", "s", "when it finished, was cancelled or given up; NA if it was still there at the horizon"),
    _coded("state", JobState, "where it stood at the horizon"),
    Column("wait", "Int64", "s", "submit to first start; NA if it never started, which is not the same as no wait"),
    Column("waited", "int64", "s", "`wait`; for a job that never started, the time until it was cancelled or the end"),
    Column("queued", "int64", "s", "all waiting: before the first start and after every displacement"),
    Column("done", "int64", "s", "work done and kept, what it held idle after it included"),
    Column("lost", "float64", "GPU-hours", "work that had to be done again, or was for nothing"),
    Column("squatted", "float64", "GPU-hours", "held idle after its work was done"),
    Column("restarts", "int32", "", "slices after the first"),
    Column("slices", "int32", "", "how many slices it had"),
)
SLICES = (
    Column("slice", "int32", "", "number of the slice, in the order of starts"),
    Column("job", "int32", "", "whose it is"),
    Column("leaf", "category", "", "path of the plan node it is charged to"),
    Column("start", "int64", "s", "from when it held its GPUs"),
    Column("end", "int64", "s", "until when"),
    _coded("ended", EndCode, "why it ended"),
    Column("for_job", "Int32", "", "the job it made room for; NA if it was not displaced"),
    Column("overhead", "int64", "s", "start-up or restart due before its work went on; it may have ended before that"),
    Column("kept", "int64", "s", "work of this slice that outlived it"),
    Column(
        "squatted", "int64", "s", "the end of `kept`, in which it only held its GPUs, the work of its job being done"
    ),
    Column("lost", "float64", "GPU-hours", "work of this slice that had to be done again, or was for nothing"),
    Column("take", "int32", "GPUs", "what it held"),
    Column("nodes", "int32", "", "on how many nodes it stood"),
)
PLACEMENTS = (
    Column("slice", "int32", "", "which slice"),
    Column("node", "int32", "", "a node it stood on; one row a node"),
)
SEGMENTS = (
    Column("slice", "int32", "", "which slice"),
    _coded("state", SliceState, "protected and interruptible are allocated and charged; unallocated is not"),
    Column("begin", "int64", "s", "from when it was in this state"),
    Column("end", "int64", "s", "until when"),
)
DECISIONS = (
    Column("time", "int64", "s", "when; decisions of one second are in their order"),
    _coded("decision", DecisionCode, "what the scheduler did"),
    _coded("reason", Reason, "why a candidate was refused, or by which rule a slice was displaced"),
    Column(
        "level", "category", "", "path of the plan node whose numbers decided; of a preemption, on the claimant's side"
    ),
    Column("job", "Int32", "", "whom it is about; of a preemption, whose slice was stopped"),
    Column("slice", "Int32", "", "which of its slices; NA for a job that holds nothing"),
    Column("other_job", "Int32", "", "the other side: for whom a slice was stopped, or who stands in the way"),
    Column(
        "claim",
        "float64",
        "GPU-hours",
        "GPUs taken x minimum runtime; of a preemption, the claim that it makes room for",
    ),
    Column("headroom", "float64", "GPU-hours", "entitled - used at `level`, before this claim is charged"),
    Column(
        "used", "float64", "GPU-hours", "allocated use in the window + what is committed, at `level`; before this claim"
    ),
    Column("entitled", "float64", "GPU-hours", "share x healthy capacity over the window, at `level`"),
    Column("other_used", "float64", "GPU-hours", "`used` of the other side, where two sides were compared"),
    Column("other_entitled", "float64", "GPU-hours", "`entitled` of the other side"),
    Column("lost", "float64", "GPU-hours", "work that a preemption threw away"),
)
USAGE = (
    Column("hour", "int32", "", "number of the hour, from 0 at the scenario's start"),
    Column("time", "int64", "s", "when the hour begins"),
    Column("node", "category", "", "path of the plan node; inner nodes hold the sum of their leaves, `root` all"),
    Column("depth", "int16", "", "0 for the root, 1 for the budgets, and so on"),
    Column("is_leaf", "bool", "", "jobs are charged here"),
    Column("entitlement", "float64", "GPU-hours", "absolute share x healthy capacity"),
    Column("demand", "float64", "GPU-hours", "GPUs of outstanding jobs (waiting or running) that ask a contract"),
    Column("demand_too_large", "float64", "GPU-hours", "the same for jobs whose claim is too large to be ever funded"),
    Column("demand_free", "float64", "GPU-hours", "the same for jobs that ask no contract"),
    Column(
        "owed", "float64", "GPU-hours", "integral of min(share x healthy capacity, `demand`), taken second by second"
    ),
    Column("delivered", "float64", "GPU-hours", "what counts against `owed`: the allocated hours"),
    Column("allocated", "float64", "GPU-hours", "held and charged; without contracts, all that is held"),
    Column("protected", "float64", "GPU-hours", "the part of `allocated` inside its contract"),
    Column("unallocated", "float64", "GPU-hours", "held and charged to nobody"),
)
_IDLE = {
    IdleCause.NO_DEMAND: "nobody wanted it",
    IdleCause.FRAGMENT: "work waited, but none that fits in what is free on a node",
    IdleCause.HELD: "reserved for a job of better rank",
    IdleCause.SLOT_LIMIT: "those who wait have reached a limit on GPUs in use",
    IdleCause.DRAINING: "its node is being emptied for repair",
    IdleCause.CYCLE: "freed since the last pass, or wanted only by what the next one looks at",
    IdleCause.UNFUNDED: "what waits is not funded, and the policy starts nothing else",
    IdleCause.UNEXPLAINED: "none of the causes above; anything but 0 is a fault of the scheduler",
}
CLUSTER = (
    Column("hour", "int32", "", "number of the hour, from 0 at the scenario's start"),
    Column("time", "int64", "s", "when the hour begins"),
    Column("capacity", "float64", "GPU-hours", "all GPUs, for as long as the hour lasted"),
    Column("healthy", "float64", "GPU-hours", "`capacity` - `down`; draining nodes are part of it until taken down"),
    Column("allocated", "float64", "GPU-hours", "held and charged to a budget"),
    Column("protected", "float64", "GPU-hours", "the part of `allocated` inside its contract"),
    Column("unallocated", "float64", "GPU-hours", "held and charged to nobody"),
    Column("squatted", "float64", "GPU-hours", "the part of both that was held idle, after the work was done"),
    *(
        Column(f"idle_{cause.name.lower()}", "float64", "GPU-hours", f"healthy and held by nobody: {_IDLE[cause]}")
        for cause in IdleCause
    ),
    Column("draining", "float64", "GPU-hours", "on nodes being emptied for repair, held or idle"),
    Column("down", "float64", "GPU-hours", "on nodes out of service"),
)
CAPACITY = (
    Column("time", "int64", "s", "from when, until the next row"),
    Column("healthy", "int32", "GPUs", "on nodes in service or draining"),
    Column("draining", "int32", "GPUs", "on nodes being emptied for repair"),
    Column("down", "int32", "GPUs", "on nodes out of service"),
)
SHARES = (
    Column("time", "int64", "s", "from when, until the next rows"),
    Column("id", "str", "", "id of the plan node, which never changes"),
    Column("node", "category", "", "path of the plan node"),
    Column("parent", "category", "", "path of the node above; NA for the root"),
    Column("depth", "int16", "", "0 for the root, 1 for the budgets, and so on"),
    Column("is_leaf", "bool", "", "jobs are charged here"),
    Column("share", "float64", "ratio", "absolute: of the whole cluster, in whole parts of 1e-8"),
)
CHANGESETS = (
    Column("time", "int64", "s", "when it took effect"),
    Column("author", "str", "", "who signed it"),
    Column("reason", "str", "", "why"),
    Column("node", "category", "", "path of the plan node whose share changed; one row a share"),
    Column("old", "float64", "ratio", "its fraction of the parent before"),
    Column("new", "float64", "ratio", "and after"),
)

INCIDENTS = (
    Column("node", "int32", "", "which node broke"),
    _coded("kind", IncidentKind, "it failed hard and its jobs died, or it ran on unhealthy, to be emptied for repair"),
    Column("urgent", "bool", "", "it could not wait until the jobs had left"),
    Column("person", "bool", "", "an on-call engineer came"),
    Column("begin", "int64", "s", "when it broke"),
    Column("cordoned", "Int64", "s", "from when it took no new slices; NA for a hard failure"),
    Column("called", "Int64", "s", "when an engineer was called"),
    Column("engineer_wait", "Int64", "s", "from the call until one was free"),
    Column("engineer_time", "Int64", "s", "on-call time that the visit takes from then on"),
    Column("drained", "Int64", "s", "when it was empty without anybody's doing"),
    Column("down", "Int64", "s", "when it went out of service; NA if it had not by the horizon"),
    _coded("emptied", Emptied, "how it became empty"),
    Column(
        "drain",
        "Int64",
        "s",
        "from when it took no new slices until it was empty; NA if it was not, or for a hard failure",
    ),
    Column("crew_wait", "Int64", "s", "from going out of service until a repair crew was free"),
    Column("repaired", "Int64", "s", "when it was back in service; NA if it was not by the horizon"),
)
PRIORITIES = (
    Column("day", "int32", "", "number of the day of 24 hours, from 0 at the scenario's start"),
    Column("time", "int64", "s", "when the day begins"),
    Column("jobs", "int64", "", "jobs submitted in the day"),
    Column(
        "high_jobs", "float64", "ratio", "the part of them that was marked HIGH or URGENT; NA where there were none"
    ),
    Column("gpu_hours", "float64", "GPU-hours", "held in the day"),
    Column("high_gpu_hours", "float64", "ratio", "the part of it that such jobs held"),
)
WAITS = (
    Column("of", "str", "", "kind of work, or path of the leaf, or GPUs taken, or longest contract, or `all`"),
    Column("n", "int64", "", "jobs submitted in the measured time"),
    Column("censored", "int64", "", "those of them that never started: what they waited is a lower bound"),
    Column("p50", "Int64", "s", "by when half had started, by Kaplan-Meier; NA if that is not known"),
    Column("p90", "Int64", "s", "by when nine in ten had started"),
    Column("comparable", "bool", "", "no job is from a closed stream, whose submit times differ between policies"),
)
DELIVERY = (
    Column("node", "category", "", "path of the plan node"),
    Column("depth", "int16", "", "0 for the root, 1 for the budgets, and so on"),
    Column("is_leaf", "bool", "", "jobs are charged here"),
    Column(
        "submitted",
        "float64",
        "GPU-hours",
        "work of the jobs submitted in the measured time that ask a contract: GPUs taken x run time, each job once",
    ),
    Column(
        "owed",
        "float64",
        "GPU-hours",
        "integral of min(share x healthy capacity, what was wanted under contract); a job is wanted while it waits, too",
    ),
    Column("delivered", "float64", "GPU-hours", "allocated hours"),
    Column(
        "cumulative", "float64", "ratio", "min(delivered, owed) / owed over the whole time; NA where nothing was owed"
    ),
    Column("hourly", "float64", "ratio", "the same with the minimum taken hour by hour, which is stricter on bursts"),
)
OCCUPANCY = (
    Column("time", "int64", "s", "the middle of the hours that the row is an average over"),
    Column("healthy", "float64", "GPUs", "on average: `allocated` + `unallocated` + `idle`"),
    Column("allocated", "float64", "GPUs", "held and charged to a budget"),
    Column("unallocated", "float64", "GPUs", "held and charged to nobody"),
    Column("idle", "float64", "GPUs", "healthy and held by nobody, for whatever cause"),
)
PORTABLE = (
    Column("job", "int32", "", "number of the job in the result of the member that it went to"),
    Column("kind", "str", "", "kind of work"),
    Column("leaf", "str", "", "path of the plan node it is charged to, there"),
    Column("gpus", "int32", "GPUs", "what it asked for"),
    Column("take", "int32", "GPUs", "what it holds there"),
    Column("work", "int64", "s", "run time at full speed, without start-up"),
    Column("min_runtime", "int64", "s", "the contract it asks for; 0 asks none"),
    Column("submit", "int64", "s", "when it was submitted"),
    Column("wait", "Int64", "s", "submit to first start; NA if it never started"),
    Column("waited", "int64", "s", "`wait`; for a job that never started, the time until it was cancelled or the end"),
    Column("closed", "bool", "", "from a closed stream, which no portable job is"),
    Column("home", "category", "", "the member that it came to"),
    Column("member", "category", "", "the member that it was submitted on"),
)
BY_DAY = (
    Column("day", "int32", "", "number of the day from the start, the first is 0"),
    Column("member", "category", "", "a member of the fleet"),
    Column("jobs", "int64", "", "portable jobs that were submitted on it that day"),
)

TABLES: dict[str, tuple[Column, ...]] = {
    "jobs": JOBS,
    "slices": SLICES,
    "placements": PLACEMENTS,
    "segments": SEGMENTS,
    "decisions": DECISIONS,
    "usage": USAGE,
    "cluster": CLUSTER,
    "capacity": CAPACITY,
    "shares": SHARES,
    "changesets": CHANGESETS,
    "incidents": INCIDENTS,
    "priorities": PRIORITIES,
}
DERIVED: dict[str, tuple[Column, ...]] = {
    "waits": WAITS,
    "leaf_waits": WAITS,
    "gang_waits": WAITS,
    "delivery": DELIVERY,
    "occupancy": OCCUPANCY,
    "portable": PORTABLE,
    "portable_by_day": BY_DAY,
}


def problems_of(table: str, frame: pd.DataFrame) -> list[str]:
    """Return how the columns of a table differ from what is documented; empty if they do not."""
    wanted = {column.name: column for column in (TABLES | DERIVED)[table]}
    found = {str(name): dtype.name for name, dtype in frame.dtypes.items()}
    problems = [f"table {table!r} has no column {name!r}" for name in wanted if name not in found]
    problems += [
        f"table {table!r} has a column {name!r} that is not documented" for name in found if name not in wanted
    ]
    for name, column in wanted.items():
        if name not in found:
            continue
        if found[name] != column.kind:
            problems.append(f"column {name!r} of table {table!r} is {found[name]}, not {column.kind}")
        elif column.among and tuple(frame[name].cat.categories) != column.among:
            problems.append(f"column {name!r} of table {table!r} must have the categories {', '.join(column.among)}")
    return problems or (
        [f"the columns of table {table!r} must be in the order {', '.join(wanted)}"]
        if list(found) != list(wanted)
        else []
    )
