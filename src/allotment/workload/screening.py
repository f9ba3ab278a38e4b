"""Which rows of a recording are jobs that a run can use, and for which reason the others are not."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

from allotment.model.cluster import Cluster
from allotment.model.job import gpus_taken
from allotment.units import DAY
from allotment.workload.classes import RecordedStream
from allotment.workload.import_report import Counted, count_reasons, counted

Array = npt.NDArray[Any]

REQUIRED = ("job_id", "team", "submit_s", "gpus", "duration_s")
TEXTS = ("job_id", "team", "user", "kind", "state", "priority", "resumable")
NUMBERS = ("submit_s", "gpus", "duration_s", "min_runtime_s", "limit_s", "checkpoint_s")

LONGEST_RUN = 3_660 * DAY  # above it a run time is a mistake
_EPOCH = 3_650 * DAY  # submit times around or above it count from an epoch, not from the scenario's start
# a number that a spreadsheet has shortened: different jobs may have come to share it
_SHORTENED = re.compile(r"[+-]?\d(\.\d+)?[eE]\+?\d+", re.ASCII)

# each row that is skipped is counted under the first of these that is true of it
REASONS = (
    "wrong number of fields",
    "no team",
    "no submit time",
    "submit time is neither seconds nor a date such as '2026-01-05T08:30:00' (or some rows are one, some the other)",
    "no number of GPUs",
    "number of GPUs is not a number",
    "asks for no GPU",
    "fractional number of GPUs",
    "larger than the cluster",
    "no run time",
    "run time is neither seconds nor [days-]hours:minutes:seconds such as '1-02:30:00'",
    "negative run time",
    "zero run time",
    "run time above ten years",
    "submitted before the start",
    "submitted after the end",
    "team unknown to the plan",
    "job id seen before",
)


@attrs.frozen(kw_only=True, eq=False)
class Texts:
    """A column of text: for each row the place of its value; "" where there is none."""

    codes: Array
    values: tuple[str, ...]


@attrs.frozen(kw_only=True, eq=False)
class Numbers:
    """A column of numbers (float64): not a number where there is none, or where what is there is unreadable."""

    values: Array
    unreadable: Array


@attrs.frozen(kw_only=True, eq=False)
class RecordedColumns:
    """A recording as read, before anything is decided about it: n rows, and `torn` ones that were no rows at all.

    `row` are the numbers of the rows in the file, from 1, header not counted.
    """

    source: str
    row: Array
    texts: Mapping[str, Texts]
    numbers: Mapping[str, Numbers]
    torn: tuple[int, ...] = ()
    ignored: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()  # how some of it was read
    one_line_each: bool = False  # a text in which row n is line n + 1

    @property
    def read(self) -> int:
        """All rows, whether or not they could be taken apart."""
        return int(self.row.size) + len(self.torn)


@attrs.frozen(kw_only=True, eq=False)
class Screened:
    """The rows that can be used, and submit time, GPUs and run time (int64) of all; those of skipped rows mean nothing."""

    rows: Array
    submit: Array
    gpus: Array
    work: Array
    nameless: Array  # has no id of its own
    skipped: tuple[Counted, ...]
    adjusted: tuple[Counted, ...]
    assumed: tuple[str, ...]


def screen(
    columns: RecordedColumns,
    stream: RecordedStream,
    cluster: Cluster,
    horizon: int | None,
    teams: Mapping[str, str | None] | None = None,
) -> Screened:
    """Return which rows can be used on the cluster. `teams` gives each team its leaf, or None; without it all are known."""
    submit, gpus, duration = (columns.numbers[name] for name in ("submit_s", "gpus", "duration_s"))
    origin, assumed = _origin(submit.values, stream)
    missing_team, unknown_team = _team_tests(columns, teams)
    with np.errstate(invalid="ignore"):
        when = np.floor(submit.values - origin)
        run = np.floor(duration.values + 0.5)
        whole = np.floor(gpus.values)
        size = np.where(np.abs(whole) < 2**31, whole, 0).astype(np.int64)  # what is larger is refused below
        tests = (
            missing_team,
            (np.isnan(submit.values) & ~submit.unreadable),
            submit.unreadable,
            (np.isnan(gpus.values) & ~gpus.unreadable),
            gpus.unreadable,
            gpus.values <= 0,
            gpus.values != whole,
            (whole >= 2**31) | (gpus_taken(size, cluster.gpus_per_node) > cluster.gpus),
            (np.isnan(duration.values) & ~duration.unreadable),
            duration.unreadable,
            duration.values < 0,
            duration.values == 0,
            duration.values > LONGEST_RUN,
            when < 0,
            when >= (2**53 if horizon is None else horizon),
            unknown_team,
        )
    reason = np.zeros(columns.row.size, dtype=np.int64)
    for place, test in enumerate(tests, start=2):
        reason[(reason == 0) & test] = place
    nameless = _nameless(columns)
    reason[_repeated(columns, (reason == 0) & ~nameless)] = len(REASONS)
    used = reason == 0
    torn = np.array(columns.torn, dtype=np.int64)
    codes = np.concatenate([reason, np.ones(torn.size, dtype=np.int64)])
    notes = (
        counted(
            "job id missing or shortened to a rounded number; the row's number instead", columns.row, used & nameless
        ),
        counted("run time below a second; taken as one", columns.row, used & (run == 0)),
    )
    return Screened(
        rows=np.flatnonzero(used),
        submit=_whole(when, used),
        gpus=_whole(whole, used),
        work=np.maximum(_whole(run, used), 1),
        nameless=nameless,
        skipped=count_reasons(REASONS, codes, np.concatenate([columns.row, torn])),
        adjusted=tuple(item for item in notes if item.count),
        assumed=assumed,
    )


def _whole(values: Array, used: Array) -> Array:
    return np.where(used, values, 0).astype(np.int64)


def _team_tests(columns: RecordedColumns, teams: Mapping[str, str | None] | None) -> tuple[Array, Array]:
    values, codes = columns.texts["team"].values, columns.texts["team"].codes
    missing = np.array([not value.strip() for value in values], dtype=np.bool_)
    unknown = np.array([teams is not None and teams.get(value) is None for value in values], dtype=np.bool_)
    return missing[codes], unknown[codes]


def _nameless(columns: RecordedColumns) -> Array:
    ids = columns.texts["job_id"]
    odd = [not value.strip() or _SHORTENED.fullmatch(value.strip()) is not None for value in ids.values]
    return np.array(odd, dtype=np.bool_)[ids.codes]


def _repeated(columns: RecordedColumns, among: Array) -> Array:
    """Return the rows whose id an earlier row among those given has."""
    rows = np.flatnonzero(among)
    _, first = np.unique(columns.texts["job_id"].codes[rows], return_index=True)
    again = np.ones(rows.size, dtype=np.bool_)
    again[first] = False
    return rows[again]


def _origin(submit: Array, stream: RecordedStream) -> tuple[float, tuple[str, ...]]:
    """Return where the scenario starts on the file's clock (seconds)."""
    if stream.origin is not None:
        return float(stream.origin), ()
    known = np.sort(submit[~np.isnan(submit)])
    if not known.size or known[known.size // 2] < _EPOCH:
        return 0.0, ()
    origin = float(np.floor(known[np.searchsorted(known, _EPOCH)] / DAY)) * DAY
    return origin, (f"submit times count from an epoch: the scenario starts at {origin:.0f} s of it, a midnight",)
