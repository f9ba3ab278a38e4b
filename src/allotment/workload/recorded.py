"""Jobs out of a table of real ones: which rows can be used, and which contract each gets when the table does not say.

The columns: `job_id`, `team`, `submit_s` (seconds from the scenario's start, or from an epoch, or in all rows a date and time
such as 2026-01-05T08:30:00), `gpus` and `duration_s` (run time in seconds, or as [days-]hours:minutes:seconds) must be there; `user`, `kind`, `state`, `priority`
(low, normal, high, urgent or 1 to 4), `min_runtime_s`, `limit_s`, `resumable` (yes or no) and `checkpoint_s` may be, and may
be empty in some rows. Others, `start_s` among them, are not used: when a job starts is what the run decides.

The rule for contracts, where `min_runtime_s` says nothing:

| rule | ran up to 15 min (`short`) | ran longer |
|---|---|---|
| `run_time` (default) | 15 min | the run time rounded up to 30 min, 1 h, 2 h, 4 h or 8 h (`cap`); 8 h at most |
| `cap` | 15 min | 8 h |
| `none` | none | none |

The first two look at how long a job really ran, which its user did not know when submitting it. So they flatter a policy with
contracts, `run_time` more than `cap`: jobs that failed early count as if announced to be short.
Where a table does not say, jobs are resumable, with a checkpoint every 30 min, of normal priority; the time limit is the run
time rounded up to a customary one, which flatters backfilling in the same way; and the kind is `short` up to 15 min, else `long`.
"""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from allotment.model.cluster import Cluster
from allotment.model.codes import Priority
from allotment.model.plan import Plan
from allotment.units import format_duration
from allotment.workload.attributes import CUSTOMARY_LIMITS, round_up
from allotment.workload.classes import ContractRule, RecordedStream
from allotment.workload.import_report import Counted, ImportReport, counted
from allotment.workload.screening import RecordedColumns, Screened, screen
from allotment.workload.table import JobTable, StreamTable
from allotment.workload.teams import leaf_of_team

Array = npt.NDArray[Any]

UNLIMITED = 2**31 - 1  # seconds; schedulers write numbers from here on for "no limit"
_CENSORED = frozenset({"running", "r", "suspended", "s", "requeued"})
_YES, _NO = frozenset({"true", "yes", "1", "t", "y"}), frozenset({"false", "no", "0", "f", "n"})


def jobs_of(
    columns: RecordedColumns, stream: RecordedStream, plan: Plan, cluster: Cluster, horizon: int | None = None
) -> tuple[JobTable, ImportReport]:
    """Return the jobs of a recording that a run of `horizon` seconds can use, and what became of every row.

    Jobs are in the order of submission, then of the file. A team is the plan node with its name as id, name or path.
    """
    teams = leaf_of_team(plan, columns.texts["team"].values)
    screened = screen(columns, stream, cluster, horizon, teams)
    order = screened.rows[np.argsort(screened.submit[screened.rows], kind="stable")]
    jobs = _Rows(columns=columns, screened=screened, stream=stream, order=order)
    made = _attributes(jobs)
    leaves_used = sorted({teams[columns.texts["team"].values[code]] or "" for code in np.unique(jobs.codes("team"))})
    direct = frozenset(leaf.removesuffix("/own") for leaf in leaves_used if leaf.endswith("/own"))
    leaves = plan.work_leaves(direct)
    place = {leaf: row for row, leaf in enumerate(leaves)}
    rows = np.array([place.get(teams[team] or "", -1) for team in columns.texts["team"].values], dtype=np.int64)
    leaf = rows[jobs.codes("team")]
    stream_leaves = np.array([place[name] for name in leaves_used], dtype=np.int64)
    kinds, kind = _kinds(jobs)
    users, user = _names(jobs, "user", "unknown")
    table = JobTable(
        leaves=leaves,
        kinds=kinds,
        users=users,
        streams=StreamTable(
            names=(stream.name,) * len(leaves_used),
            kinds=("recorded",) * len(leaves_used),
            leaf=stream_leaves,
            closed=np.zeros(len(leaves_used), np.bool_),
            target_at=np.zeros(len(leaves_used) + 1, np.int64),
            times=np.zeros(0, np.int64),
            gpus=np.zeros(0, np.int64),
        ),
        names=_ids(jobs),
        leaf=leaf,
        stream=np.searchsorted(stream_leaves, leaf),
        kind=kind,
        user=user,
        submit=screened.submit[order],
        gpus=screened.gpus[order],
        **made.columns,
    )
    report = ImportReport(
        source=columns.source,
        read=columns.read,
        used=len(table),
        skipped=screened.skipped,
        adjusted=(*screened.adjusted, *(item for item in made.adjusted if item.count)),
        assumed=(*columns.remarks, *screened.assumed, *_assumed(jobs)),
        ignored_columns=columns.ignored,
        unknown_teams=tuple(sorted({team.strip() for team, leaf in teams.items() if leaf is None and team.strip()})),
        one_line_each=columns.one_line_each,
    )
    return table, report


@attrs.frozen(kw_only=True, eq=False)
class _Rows:
    """The rows that are used, in the order of submission."""

    columns: RecordedColumns
    screened: Screened
    stream: RecordedStream
    order: Array

    def codes(self, name: str) -> Array:
        return self.columns.texts[name].codes[self.order]

    def number(self, name: str) -> Array:
        """Return a column's numbers; not a number where it says nothing or nothing readable."""
        if name not in self.columns.numbers:
            return np.full(self.order.size, np.nan)
        return self.columns.numbers[name].values[self.order]

    def unreadable(self, name: str) -> Array:
        if name not in self.columns.numbers:
            return np.zeros(self.order.size, dtype=np.bool_)
        return self.columns.numbers[name].unreadable[self.order]

    def silent(self, name: str) -> int:
        """Return how many jobs say nothing in a column."""
        if name in self.columns.texts:
            empty = np.array([not value.strip() for value in self.columns.texts[name].values], dtype=np.bool_)
            return int(np.count_nonzero(empty[self.codes(name)]))
        return int(np.count_nonzero(np.isnan(self.number(name)) & ~self.unreadable(name)))

    def count(self, what: str, mask: Array) -> Counted:
        return counted(what, self.columns.row[self.order], mask)


@attrs.frozen(kw_only=True, eq=False)
class _Made:
    columns: dict[str, Array]
    adjusted: tuple[Counted, ...]


def _attributes(jobs: _Rows) -> _Made:
    stream, size = jobs.stream, jobs.order.size
    work = jobs.screened.work[jobs.order]
    contract, contract_notes = _contracts(jobs, work)
    limit, limit_notes = _limits(jobs, work)
    resumable, odd_resumable = _flags(jobs, "resumable", stream.resumable)
    priority, odd_priority = _priorities(jobs)
    asked = jobs.number("checkpoint_s")
    with np.errstate(invalid="ignore"):
        usable = (asked >= 1) & (asked <= UNLIMITED)
    checkpoint = np.where(usable, asked, stream.checkpoint).astype(np.int64)
    odd_checkpoint = (~np.isnan(asked) & ~usable) | jobs.unreadable("checkpoint_s")
    columns = {
        "work": work,
        "min_runtime": contract,
        "limit": limit,
        "resumable": resumable,
        "checkpoint": checkpoint,
        "startup": np.full(size, stream.startup),
        "restart": np.full(size, stream.restart),
        "priority": priority,
        "preemptible": np.full(size, stream.preemptible),
    }
    notes = (
        *contract_notes,
        *limit_notes,
        jobs.count("resumable is neither yes nor no; taken as not said", odd_resumable),
        jobs.count("unknown priority; taken as normal", odd_priority),
        jobs.count("checkpoint interval is no number of seconds; taken as not said", odd_checkpoint),
        jobs.count("still running when recorded; the run time is what was seen of it", _censored(jobs)),
    )
    return _Made(columns=columns, adjusted=notes)


def contracts_by_rule(work: Array, stream: RecordedStream) -> Array:
    """Return the minimum runtime (seconds) that the stream's rule gives to jobs of these run times (seconds).

    >>> stream = RecordedStream(path="jobs.csv")
    >>> contracts_by_rule(np.array([1, 900, 901, 7201, 10**6]), stream).tolist()
    [900, 900, 1800, 14400, 28800]
    """
    if stream.contract is ContractRule.NONE:
        return np.zeros(work.size, dtype=np.int64)
    if stream.contract is ContractRule.CAP:
        return np.where(work <= stream.short, stream.short, stream.cap)
    steps = [stream.short]
    while steps[-1] < stream.cap:
        steps.append(min(2 * steps[-1], stream.cap))
    return np.minimum(round_up(work, tuple(steps)), stream.cap)


def _contracts(jobs: _Rows, work: Array) -> tuple[Array, tuple[Counted, ...]]:
    asked, stream = jobs.number("min_runtime_s"), jobs.stream
    with np.errstate(invalid="ignore"):
        negative, above = asked < 0, asked > stream.cap
    said = ~np.isnan(asked) & ~negative
    clipped = np.minimum(np.where(said, asked, 0.0), stream.cap).astype(np.int64)
    cap = format_duration(stream.cap)
    return np.where(said, clipped, contracts_by_rule(work, stream)), (
        jobs.count(f"minimum runtime above the cap; clipped to {cap}", above),
        jobs.count("minimum runtime is no number of seconds; by the rule", negative | jobs.unreadable("min_runtime_s")),
    )


def _limits(jobs: _Rows, work: Array) -> tuple[Array, tuple[Counted, ...]]:
    asked, stream = jobs.number("limit_s"), jobs.stream
    need = work + stream.startup
    with np.errstate(invalid="ignore"):
        unlimited, none = asked >= UNLIMITED, asked <= 0
    said = ~np.isnan(asked) & ~unlimited & ~none
    by_rule = round_up((need * stream.limit_factor).astype(np.int64), CUSTOMARY_LIMITS)
    limit = np.where(said, np.where(said, asked, 0.0).astype(np.int64), by_rule)
    return np.maximum(limit, need), (
        jobs.count("time limit below the run time; raised to it", said & (limit < need)),
        jobs.count("no time limit (a number that means unlimited); by the rule", unlimited),
        jobs.count("time limit is no number of seconds; by the rule", none | jobs.unreadable("limit_s")),
    )


def _flags(jobs: _Rows, name: str, default: bool) -> tuple[Array, Array]:  # noqa: FBT001 - a default is not a switch
    if name not in jobs.columns.texts:
        return np.full(jobs.order.size, default), np.zeros(jobs.order.size, dtype=np.bool_)
    values = [value.strip().lower() for value in jobs.columns.texts[name].values]
    flag = np.array([value in _YES or (value not in _NO and default) for value in values], dtype=np.bool_)
    odd = np.array([value not in _YES | _NO | {""} for value in values], dtype=np.bool_)
    return flag[jobs.codes(name)], odd[jobs.codes(name)]


def _priorities(jobs: _Rows) -> tuple[Array, Array]:
    if "priority" not in jobs.columns.texts:
        return np.full(jobs.order.size, Priority.NORMAL), np.zeros(jobs.order.size, dtype=np.bool_)
    known = {level.name.lower(): int(level) for level in Priority} | {str(int(level)): int(level) for level in Priority}
    values = [value.strip().lower().removesuffix(".0") for value in jobs.columns.texts["priority"].values]
    level = np.array([known.get(value, int(Priority.NORMAL)) for value in values], dtype=np.int64)
    odd = np.array([value not in known and value != "" for value in values], dtype=np.bool_)
    return level[jobs.codes("priority")], odd[jobs.codes("priority")]


def _censored(jobs: _Rows) -> Array:
    if "state" not in jobs.columns.texts:
        return np.zeros(jobs.order.size, dtype=np.bool_)
    states = [value.strip().lower() in _CENSORED for value in jobs.columns.texts["state"].values]
    return np.array(states, dtype=np.bool_)[jobs.codes("state")]


def _names(jobs: _Rows, name: str, missing: str) -> tuple[tuple[str, ...], Array]:
    """Return the sorted names that occur in a text column, and each job's row among them."""
    if name not in jobs.columns.texts:
        return (missing,), np.zeros(jobs.order.size, dtype=np.int64)
    codes = jobs.codes(name)
    given = [value.strip() or missing for value in jobs.columns.texts[name].values]
    used = tuple(sorted({given[code] for code in np.unique(codes)}))
    place = {value: row for row, value in enumerate(used)}
    return used, np.array([place.get(value, -1) for value in given], dtype=np.int64)[codes]


def _kinds(jobs: _Rows) -> tuple[tuple[str, ...], Array]:
    """Return the kinds, and each job's row among them; where none is given, by whether the run was short."""
    kinds, kind = _names(jobs, "kind", "")
    if "" not in kinds:
        return kinds, kind
    work = jobs.screened.work[jobs.order]
    named = np.array(kinds, dtype=object)[kind]
    named = np.where(named == "", np.where(work <= jobs.stream.short, "short", "long"), named)
    used = tuple(sorted(set(named.tolist())))
    place = {value: row for row, value in enumerate(used)}
    return used, np.array([place[value] for value in named.tolist()], dtype=np.int64)


def _ids(jobs: _Rows) -> tuple[str, ...]:
    values, rows = jobs.columns.texts["job_id"].values, jobs.columns.row[jobs.order].tolist()
    lost = jobs.screened.nameless[jobs.order].tolist()
    codes = jobs.codes("job_id").tolist()
    return tuple(f"row-{row}" if no_id else values[code] for code, row, no_id in zip(codes, rows, lost, strict=True))


def _assumed(jobs: _Rows) -> tuple[str, ...]:
    """Return what is assumed about the jobs whose records do not say, with their number."""
    stream = jobs.stream
    short, cap = format_duration(stream.short), format_duration(stream.cap)
    contract = {
        ContractRule.RUN_TIME: f"the run time rounded up, from {short} to at most {cap}, which no user knew beforehand",
        ContractRule.CAP: f"{short} for runs up to that, else {cap}; no user knew beforehand which it would be",
        ContractRule.NONE: "none",
    }[stream.contract]
    defaults = {
        "min_runtime_s": f"a minimum runtime: {contract}",
        "limit_s": "a time limit: the run time rounded up to a customary one, which no user knew beforehand",
        "resumable": f"whether they can resume: {'yes' if stream.resumable else 'no'}",
        "checkpoint_s": f"a checkpoint interval: {format_duration(stream.checkpoint)}",
        "priority": "a priority: normal",
        "kind": f"a kind: 'short' for runs up to {short}, else 'long'",
        "user": "a user: one for all, 'unknown'",
    }
    silent = {name: jobs.silent(name) for name in defaults}
    every = jobs.order.size
    return tuple(
        f"{silent[name]:,} of {every:,} jobs do not say {text}" for name, text in defaults.items() if silent[name]
    )
