"""Read a recorded workload from a CSV (also compressed) or Parquet file; the columns are those of `workload.recorded`."""

from __future__ import annotations

import csv
import difflib
import hashlib
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as arrow_csv
import pyarrow.parquet as parquet

from allotment.errors import InputError
from allotment.interop.written_times import lengths, moments, numbers
from allotment.model.cluster import Cluster
from allotment.model.plan import Plan
from allotment.workload.classes import RecordedStream
from allotment.workload.import_report import ImportReport, some
from allotment.workload.recorded import jobs_of
from allotment.workload.screening import NUMBERS, REQUIRED, TEXTS, RecordedColumns, Texts
from allotment.workload.table import JobTable
from allotment.workload.teams import TeamShares, plan_of_teams


@attrs.frozen(kw_only=True, eq=False)
class Recording:
    """What a recording holds: its jobs, the plan that they belong to, the account of its rows, and the file's SHA-256."""

    table: JobTable
    plan: Plan
    report: ImportReport
    sha256: str


def read_recorded(
    path: str | Path,
    *,
    cluster: Cluster,
    plan: Plan | None = None,
    stream: RecordedStream | None = None,
    horizon: int | None = None,
    shares: TeamShares = TeamShares.EQUAL,
    weights: Mapping[str, float | str | Fraction] | None = None,
) -> Recording:
    """Return the jobs of a file for a run of `horizon` seconds (None: to the last one) on a cluster.

    Without a plan one is made from the teams, with equal shares unless `shares` or `weights` say otherwise. `stream`
    gives what the file does not say. Every row that is not used is counted by its reason. Raises InputError where the
    file cannot be read, lacks a column, is not the one that the stream has the checksum of, or has no job to run.
    """
    rules = stream if stream is not None else RecordedStream(path=str(path))
    sha256 = _checked(Path(path), rules.sha256)
    columns = read_columns(path)
    made = plan if plan is not None else plan_of_teams(columns, rules, cluster, horizon, shares=shares, weights=weights)
    table, report = jobs_of(columns, rules, made, cluster, horizon)
    if plan is None:
        report = attrs.evolve(report, assumed=(*report.assumed, f"no plan given: {made.title}"))
    if not len(table):
        raise InputError(str(path), _why_nothing(report, made))
    return Recording(table=table, plan=made, report=report, sha256=sha256)


def _checked(path: Path, expected: str) -> str:
    """Return the SHA-256 of a file. Raises InputError where another one is expected, or where there is no file."""
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        way_out = "; put the recording back, or change 'path' in the scenario" if expected else ""
        raise InputError(str(path), [f"there is no such file{way_out}"]) from None
    except OSError as error:
        raise InputError(str(path), [f"cannot be read: {error.strerror or error}"]) from error
    if expected and found != expected:
        way_out = "put the earlier one back, or remove 'sha256' from the scenario to take this one"
        raise InputError(
            str(path), [f"is not the recording that the scenario was saved with: its SHA-256 is {found}; {way_out}"]
        )
    return found


def _why_nothing(report: ImportReport, plan: Plan) -> list[str]:
    problems = ["no row holds a job that can run"]
    problems += [f"{item.count:,} rows are skipped: {item.what}" for item in report.skipped]
    if report.unknown_teams:
        leaves = some(plan.path(leaf) for leaf in plan.work_leaves())
        problems.append(f"the plan does not know {some(report.unknown_teams)}; its leaves are {leaves}")
    return problems


def read_columns(path: str | Path) -> RecordedColumns:
    """Return the columns of a recorded workload as they are in the file. Raises InputError."""
    path, is_text = Path(path), Path(path).suffix.lower() != ".parquet"
    try:
        table, names, torn = _read_csv(path) if is_text else _read_parquet(path)
        lines = _count_lines(path) if is_text else None
    except FileNotFoundError:
        raise InputError(str(path), ["there is no such file"]) from None
    except (OSError, UnicodeDecodeError, csv.Error, pa.ArrowException) as error:
        raise InputError(str(path), [f"cannot be read as a table: {str(error).splitlines()[0]}"]) from error
    rows = np.setdiff1d(np.arange(1, table.num_rows + len(torn) + 1), np.array(torn, dtype=np.int64))
    found = {name: table.column(name) for name in NUMBERS if name in table.column_names}
    submit, remark = moments(found.pop("submit_s"))
    gpus = numbers(found.pop("gpus"))
    return RecordedColumns(
        source=path.name,
        row=rows,
        texts={name: _texts(table.column(name)) for name in TEXTS if name in table.column_names},
        numbers={"submit_s": submit, "gpus": gpus, **{name: lengths(column) for name, column in found.items()}},
        torn=tuple(torn),
        ignored=tuple(name for name in names if name.strip().lower() not in TEXTS + NUMBERS),
        remarks=(remark,) if remark else (),
        one_line_each=lines == table.num_rows + len(torn) + 1,
    )


def _wanted(path: Path, names: list[str]) -> dict[str, str]:
    """Return the names of the wanted columns as the file spells them, and as they are called here. Raises InputError."""
    plain = [name.strip().lower() for name in names]
    problems = [f"column {name!r} is there twice" for name in sorted(set(plain)) if plain.count(name) > 1]
    for name in REQUIRED:
        if name not in plain:
            near = difflib.get_close_matches(name, [other for other in plain if other not in TEXTS + NUMBERS], n=1)
            problems.append(f"column {name!r} is missing" + (f"; is it {near[0]!r}?" if near else ""))
    if problems:
        raise InputError(str(path), problems)
    return {given: name for given, name in zip(names, plain, strict=True) if name in TEXTS + NUMBERS}


def _read_csv(path: Path) -> tuple[Any, list[str], list[int]]:
    with pa.input_stream(str(path), compression="detect") as stream:
        first = stream.read(1 << 20).split(b"\n", 1)[0]
    names = next(csv.reader([first.decode("utf-8-sig").rstrip("\r")]), [])
    wanted = _wanted(path, names)
    torn: list[int] = []

    def note(row: Any) -> str:
        torn.append(int(row.number) - 1)
        return "skip"

    with pa.input_stream(str(path), compression="detect") as stream:
        table = arrow_csv.read_csv(
            stream,
            read_options=arrow_csv.ReadOptions(use_threads=False, column_names=names, skip_rows=1),
            parse_options=arrow_csv.ParseOptions(newlines_in_values=True, invalid_row_handler=note),
            convert_options=arrow_csv.ConvertOptions(
                include_columns=list(wanted), column_types=dict.fromkeys(wanted, pa.string()), strings_can_be_null=False
            ),
        )
    return table.rename_columns(list(wanted.values())), names, torn


def _count_lines(path: Path) -> int:
    """Return how many lines a text has."""
    lines, last = 0, b""
    with pa.input_stream(str(path), compression="detect") as stream:
        while block := stream.read(1 << 24):
            lines, last = lines + block.count(b"\n"), block[-1:]
    return lines + (last not in (b"", b"\n"))


def _read_parquet(path: Path) -> tuple[Any, list[str], list[int]]:
    names = list(parquet.read_schema(path).names)
    wanted = _wanted(path, names)
    table = parquet.read_table(path, columns=list(wanted))
    return table.select(list(wanted)).rename_columns(list(wanted.values())), names, []


def _texts(column: Any) -> Texts:
    text = pc.fill_null(column.cast(pa.string()), "").combine_chunks()
    coded = (text if isinstance(text, pa.Array) else pa.concat_arrays([text])).dictionary_encode()
    return Texts(
        codes=coded.indices.to_numpy(zero_copy_only=False).astype(np.int64), values=tuple(coded.dictionary.to_pylist())
    )
