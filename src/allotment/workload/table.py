"""One table of jobs as arrays, whatever they came from, and the streams that submit them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

import attrs
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

# the columns of a job table and their types; times in seconds
COLUMNS: dict[str, np.dtype[Any]] = {
    "leaf": np.dtype(np.int32),  # row in `leaves`
    "stream": np.dtype(np.int32),  # row in `streams`
    "kind": np.dtype(np.int16),  # row in `kinds`
    "user": np.dtype(np.int32),  # row in `users`
    "submit": np.dtype(np.int64),  # from the scenario's start; -1 for a closed or manual stream, where the run decides
    "gpus": np.dtype(np.int32),  # as asked
    "work": np.dtype(np.int64),  # at full speed, without start-up; at least 1
    "min_runtime": np.dtype(np.int64),  # 0 asks no contract
    "resumable": np.dtype(np.bool_),
    "checkpoint": np.dtype(np.int64),  # from one checkpoint to the next; at least 1 where resumable
    "startup": np.dtype(np.int64),  # due once
    "restart": np.dtype(np.int64),  # due after each stop
    "priority": np.dtype(np.int8),  # see model.codes.Priority
    "preemptible": np.dtype(np.bool_),  # only policies without contracts look at it
    "limit": np.dtype(np.int64),  # the user's time limit, at least work + startup
    "hold": np.dtype(np.int64),  # of work, how long it only holds its GPUs at its end; less than work
}
_LEAST = {"submit": -1, "gpus": 1, "work": 1, "priority": 1} | dict.fromkeys(
    ("leaf", "stream", "kind", "user", "min_runtime", "checkpoint", "startup", "restart"), 0
)


def _check_column(_instance: Any, attribute: attrs.Attribute[Any], value: Array) -> None:
    least = _LEAST.get(attribute.name)
    if value.ndim != 1:
        raise ValueError(f"{attribute.name} must have one dimension, not {value.ndim}")
    if least is not None and value.size and int(value.min()) < least:
        raise ValueError(f"{attribute.name} must be at least {least}, not {int(value.min())}")


def _read_only(value: Any, dtype: Any) -> Array:
    array: Array = np.ascontiguousarray(value, dtype=dtype)
    if array is value and array.flags.writeable:
        array = array.copy()
    array.flags.writeable = False
    return array


# one function for each type, since a type checker wants converters with names
def _bool(value: npt.ArrayLike) -> Array:
    return _read_only(value, np.bool_)


def _int8(value: npt.ArrayLike) -> Array:
    return _read_only(value, np.int8)


def _int16(value: npt.ArrayLike) -> Array:
    return _read_only(value, np.int16)


def _int32(value: npt.ArrayLike) -> Array:
    return _read_only(value, np.int32)


def _int64(value: npt.ArrayLike) -> Array:
    return _read_only(value, np.int64)


@attrs.frozen(kw_only=True, eq=False)
class StreamTable:
    """What submits jobs: one row for each stream, kind and leaf.

    `target_at[row] : target_at[row + 1]` are the rows of `times` (seconds) and `gpus` that say from when on how many
    GPUs a closed one keeps outstanding; an open one has none. The jobs of a `manual` one, which is not closed, are
    submitted one by one by people who react to the run, if at all.
    """

    names: tuple[str, ...]
    kinds: tuple[str, ...]
    leaf: Array = attrs.field(converter=_int32)
    closed: Array = attrs.field(converter=_bool)
    target_at: Array = attrs.field(converter=_int64)
    times: Array = attrs.field(converter=_int64)
    gpus: Array = attrs.field(converter=_int64)
    manual: Array = attrs.field(
        default=attrs.Factory(lambda self: np.zeros(len(self.names), np.bool_), takes_self=True),
        converter=_bool,
    )

    def __attrs_post_init__(self) -> None:
        rows = len(self.names)
        columns = (self.leaf, self.closed, self.manual, self.target_at[1:])
        if len(self.kinds) != rows or any(column.size != rows for column in columns):
            raise ValueError(f"the columns of the streams must have {rows} rows each")
        if np.any(self.manual & self.closed):
            raise ValueError("a stream that people submit by hand cannot be closed as well")
        if self.times.size != self.gpus.size or self.target_at[-1] != self.times.size:
            raise ValueError("every target of a closed stream needs a time and a number of GPUs")

    def __len__(self) -> int:
        return len(self.names)

    def target(self, row: int) -> tuple[Array, Array]:
        """Return from when on (seconds) a closed stream keeps how many GPUs outstanding."""
        part = slice(int(self.target_at[row]), int(self.target_at[row + 1]))
        return self.times[part], self.gpus[part]


@attrs.frozen(kw_only=True, eq=False)
class JobTable:
    """All jobs of a scenario, one row each; the row is the job's id. See `COLUMNS` for what each array holds.

    `leaves`, `kinds` and `users` give the rows' numbers their names; leaves are ids of plan nodes, in order. The jobs of
    a closed stream are contiguous and in the order of submission. `names` are the ids of recorded jobs, empty for
    made-up ones. All arrays are read-only.
    """

    leaves: tuple[str, ...]
    kinds: tuple[str, ...]
    users: tuple[str, ...]
    streams: StreamTable
    names: tuple[str, ...] | None = None
    leaf: Array = attrs.field(converter=_int32, validator=_check_column)
    stream: Array = attrs.field(converter=_int32, validator=_check_column)
    kind: Array = attrs.field(converter=_int16, validator=_check_column)
    user: Array = attrs.field(converter=_int32, validator=_check_column)
    submit: Array = attrs.field(converter=_int64, validator=_check_column)
    gpus: Array = attrs.field(converter=_int32, validator=_check_column)
    work: Array = attrs.field(converter=_int64, validator=_check_column)
    min_runtime: Array = attrs.field(converter=_int64, validator=_check_column)
    resumable: Array = attrs.field(converter=_bool, validator=_check_column)
    checkpoint: Array = attrs.field(converter=_int64, validator=_check_column)
    startup: Array = attrs.field(converter=_int64, validator=_check_column)
    restart: Array = attrs.field(converter=_int64, validator=_check_column)
    priority: Array = attrs.field(converter=_int8, validator=_check_column)
    preemptible: Array = attrs.field(converter=_bool, validator=_check_column)
    limit: Array = attrs.field(converter=_int64, validator=_check_column)
    hold: Array = attrs.field(
        default=attrs.Factory(lambda self: np.zeros(self.gpus.size, np.int64), takes_self=True),
        converter=_int64,
        validator=_check_column,
    )

    @property
    def digest(self) -> str:
        """Tell whether two tables hold the same jobs: 32 hexadecimal digits of all that is in them."""
        whole = hashlib.blake2b(digest_size=16)
        streams = self.streams
        words = (self.leaves, self.kinds, self.users, self.names or (), streams.names, streams.kinds)
        whole.update(repr(words).encode())
        arrays = [getattr(self, name) for name in COLUMNS]
        arrays += [streams.leaf, streams.closed, streams.manual, streams.target_at, streams.times, streams.gpus]
        for array in arrays:
            whole.update(np.ascontiguousarray(array.astype("<i8")).tobytes())
        return whole.hexdigest()

    def __attrs_post_init__(self) -> None:
        problems = [f"{name} must have {len(self)} rows" for name in COLUMNS if getattr(self, name).size != len(self)]
        if self.names is not None and len(self.names) != len(self):
            problems.append(f"names must have {len(self)} rows, not {len(self.names)}")
        if not problems:
            problems = self._contradictions()
        if problems:
            raise ValueError("; ".join(problems))

    def _contradictions(self) -> list[str]:
        problems = []
        for name, length in (
            ("leaf", len(self.leaves)),
            ("kind", len(self.kinds)),
            ("user", len(self.users)),
            ("stream", len(self.streams)),
        ):
            column = getattr(self, name)
            if column.size and int(column.max()) >= length:
                problems.append(f"{name} must be below {length}, not {int(column.max())}")
        if np.any(self.limit < self.work + self.startup):
            problems.append("limit must be at least work and start-up together")
        if np.any(self.hold >= self.work):
            problems.append("hold must be less than work, of which it is a part")
        if np.any(self.resumable & (self.checkpoint < 1)):
            problems.append("checkpoint must be at least 1 for a resumable job")
        return problems

    def __len__(self) -> int:
        return int(self.gpus.size)


def joined(parts: Sequence[Array], dtype: np.dtype[Any]) -> Array:
    """Return the parts, one behind the other, as a column of a job table, which takes it as it is: it is read-only."""
    column = np.concatenate([np.zeros(0, dtype), *parts], dtype=dtype, casting="same_kind")
    column.flags.writeable = False
    return column


def merge(leaves: Sequence[str], tables: Iterable[JobTable]) -> JobTable:
    """Return one table of all jobs, those of the first table first, with `leaves` for the leaves of all.

    Raises ValueError where a table has jobs of a leaf that is not among `leaves`.
    """
    given = list(tables)
    if len(given) == 1 and given[0].leaves == tuple(leaves):
        return given[0]
    kinds = tuple(sorted({kind for table in given for kind in table.kinds}))
    users = tuple(sorted({user for table in given for user in table.users}))
    maps = [_Maps.of(table, tuple(leaves), kinds, users) for table in given]
    columns = {name: joined([getattr(table, name) for table in given], dtype) for name, dtype in COLUMNS.items()}
    for name in ("leaf", "kind", "user"):
        parts = [getattr(maps[i], name)[getattr(table, name)] for i, table in enumerate(given)]
        columns[name] = np.concatenate([np.zeros(0, np.int64), *parts])
    before = np.cumsum([0, *(len(table.streams) for table in given)])
    columns["stream"] = np.concatenate([np.zeros(0, np.int64), *(t.stream + before[i] for i, t in enumerate(given))])
    named = any(table.names is not None for table in given)
    return JobTable(
        leaves=tuple(leaves),
        kinds=kinds,
        users=users,
        streams=_merge_streams([(table.streams, maps[i].leaf) for i, table in enumerate(given)]),
        names=tuple(name for table in given for name in table.names or ("",) * len(table)) if named else None,
        **columns,
    )


@attrs.frozen(kw_only=True, eq=False)
class _Maps:
    leaf: Array
    kind: Array
    user: Array

    @classmethod
    def of(cls, table: JobTable, leaves: tuple[str, ...], kinds: tuple[str, ...], users: tuple[str, ...]) -> _Maps:
        known = set(leaves)
        used = {table.leaves[row] for row in np.unique(table.leaf)} | {table.leaves[row] for row in table.streams.leaf}
        unknown = sorted(used - known)
        if unknown:
            raise ValueError(f"the plan has no leaf {unknown[0]!r} for jobs to belong to")
        return cls(leaf=_rows(table.leaves, leaves), kind=_rows(table.kinds, kinds), user=_rows(table.users, users))


def _rows(names: tuple[str, ...], among: tuple[str, ...]) -> Array:
    place = {name: row for row, name in enumerate(among)}
    return np.array([place.get(name, -1) for name in names], dtype=np.int64)


def _merge_streams(streams: list[tuple[StreamTable, Array]]) -> StreamTable:
    lengths = np.concatenate([np.zeros(0, np.int64), *(np.diff(table.target_at) for table, _ in streams)])
    return StreamTable(
        names=tuple(name for table, _ in streams for name in table.names),
        kinds=tuple(kind for table, _ in streams for kind in table.kinds),
        leaf=np.concatenate([np.zeros(0, np.int64), *(leaf[table.leaf] for table, leaf in streams)]),
        closed=np.concatenate([np.zeros(0, np.bool_), *(table.closed for table, _ in streams)]),
        manual=np.concatenate([np.zeros(0, np.bool_), *(table.manual for table, _ in streams)]),
        target_at=np.concatenate([[0], np.cumsum(lengths)]),
        times=np.concatenate([np.zeros(0, np.int64), *(table.times for table, _ in streams)]),
        gpus=np.concatenate([np.zeros(0, np.int64), *(table.gpus for table, _ in streams)]),
    )
