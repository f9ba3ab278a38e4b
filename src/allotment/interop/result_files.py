"""A result as a folder: one Parquet file a table, the scenario that made it, and its summary; read back equal.

``result.json`` says that the folder holds a result, in which format, how many rows each table has, and the names that
its categories stand for. The rest can be read without this package: the columns are those of `results.columns`.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs
import cattrs
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as parquet

from allotment.errors import AllotmentError, InputError, NotFoundError
from allotment.interop import scenario_file, yaml_reader
from allotment.results.columns import TABLES, problems_of
from allotment.results.result import Result
from allotment.workload.import_report import ImportReport

FORMAT = 1
WHAT = "allotment result"
ABOUT, SCENARIO, SUMMARY, IMPORTS = "result.json", "scenario.yaml", "summary.json", "imports.json"
FILES = frozenset({ABOUT, SCENARIO, SUMMARY, IMPORTS, *(f"{name}.parquet" for name in TABLES)})


def save(result: Result, folder: Path | str) -> None:
    """Write a result to a folder, all of it or nothing; a result that is there already is replaced.

    Raises AllotmentError where the folder holds anything else, or cannot be written.
    """
    target = Path(folder).resolve()
    _refuse_other_things(target, str(folder))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with _whole_or_nothing(target) as draft:
            _write(result, draft, target)
    except OSError as error:
        raise AllotmentError(f"cannot write the result to {str(folder)!r}: {error.strerror or error}") from error


def read(folder: Path | str) -> Result:
    """Return the result in a folder.

    Raises NotFoundError where there is none, InputError with every problem where it is damaged or of another format.
    """
    source = Path(folder)
    about = _about(source)
    problems: list[str] = []
    tables = {name: _table(source, name, about, problems) for name in TABLES}
    scenario = None
    try:
        text = yaml_reader.read_file(source / SCENARIO)
        scenario = scenario_file.loads(text, source=SCENARIO, folder=source.resolve())
    except InputError as error:
        problems += [f"{problem} (in {SCENARIO})" for problem in error.problems]
    try:
        _json(source / SUMMARY)  # is for others to read, and follows from the tables; without it, the folder is damaged
    except ValueError as error:
        problems.append(f"{SUMMARY} {error}")
    imports = _imports(source / IMPORTS, problems)
    horizon, jobs_drawn = about.get("horizon"), str(about.get("jobs_drawn", ""))
    if not isinstance(horizon, int):
        problems.append(f"horizon must be a number of seconds, not {horizon!r} (in {ABOUT})")
    if problems or scenario is None or not isinstance(horizon, int):
        raise InputError(str(folder), problems)
    more: dict[str, Any] = {**tables, "imports": imports, "jobs_drawn": jobs_drawn}
    return Result(scenario=scenario, horizon=horizon, **more)


def check_target(folder: Path | str) -> None:
    """Raise AllotmentError where `save` would find something else in the folder, or could not write it."""
    target = Path(folder).resolve()
    _refuse_other_things(target, str(folder))
    above = target
    while not above.exists():
        above = above.parent
    if not above.is_dir() or not os.access(above, os.W_OK | os.X_OK):
        what = "is not a folder" if not above.is_dir() else "may not be written to"
        raise AllotmentError(f"cannot write the result to {str(folder)!r}: {str(above)!r} {what}; name another folder")


def results_in(folder: Path | str) -> tuple[Path, ...]:
    """Return the folders of results that a folder stands for: itself, or those within it, in the order of their names.

    A folder that is no result and has none directly within it is returned as it is: reading it says what is wrong.
    """
    folder = Path(folder)
    if is_result(folder) or not folder.is_dir():
        return (folder,)
    return tuple(sorted(below for below in folder.iterdir() if is_result(below))) or (folder,)


def is_result(folder: Path | str) -> bool:
    """Tell whether a folder says of itself that it holds a result, of whatever format."""
    try:
        return _json(Path(folder) / ABOUT).get("what") == WHAT
    except ValueError:
        return False


# -- writing ----------------------------------------------------------------------------------------------------------


def _refuse_other_things(target: Path, shown: str) -> None:
    """Raise AllotmentError unless the target is not there, is an empty folder, or holds a result and nothing else."""
    if not os.path.lexists(target):
        return
    if not target.is_dir():
        raise AllotmentError(f"{shown!r} is a file; name a folder for the result")
    try:
        found = sorted(path.name for path in target.iterdir())
    except OSError as error:
        raise AllotmentError(f"cannot read the folder {shown!r}: {error.strerror or error}") from error
    if found and not is_result(target):
        some = ", ".join(repr(name) for name in found[:3])
        raise AllotmentError(f"the folder {shown!r} holds {some} and no result; name another folder, or empty it")
    others = [name for name in found if name not in FILES]
    if others:
        raise AllotmentError(
            f"the folder {shown!r} holds {others[0]!r} beside a result; move that away, or name another"
        )


@contextmanager
def _whole_or_nothing(target: Path) -> Iterator[Path]:
    """Give a new folder to write to; put it in the target's place at the end, or remove it where that is not reached."""
    mark = secrets.token_hex(4)
    draft, old = target.with_name(f".{target.name}.{mark}.new"), target.with_name(f".{target.name}.{mark}.old")
    draft.mkdir()
    try:
        yield draft
        if target.exists():
            target.rename(old)
        try:
            draft.rename(target)
        except OSError:
            if old.exists():
                old.rename(target)
            raise
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    shutil.rmtree(old, ignore_errors=True)


def _write(result: Result, folder: Path, target: Path) -> None:
    """Write everything to a folder that will be `target`."""
    about: dict[str, Any] = {"what": WHAT, "format": FORMAT, "horizon": result.horizon}
    about |= {"jobs_drawn": result.jobs_drawn, "tables": {}}
    for name, frame in result.tables.items():
        table = pa.Table.from_pandas(frame, preserve_index=False)
        parquet.write_table(table, folder / f"{name}.parquet", compression="zstd")
        about["tables"][name] = {"rows": len(frame), "categories": _categories(name, frame)}
    scenario_file.save(scenario_file.as_seen_from(result.scenario, target), folder / SCENARIO)
    imports = {name: attrs.asdict(report) for name, report in result.imports.items()}
    for name, value in ((SUMMARY, result.summary), (ABOUT, about), (IMPORTS, imports)):
        text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
        (folder / name).write_text(f"{text}\n", encoding="utf-8", newline="\n")


def _categories(table: str, frame: pd.DataFrame) -> dict[str, list[str]]:
    """Return the categories that the columns' documentation does not fix; Parquet keeps only those that occur."""
    named = [column.name for column in TABLES[table] if column.kind == "category" and not column.among]
    return {name: [str(each) for each in frame[name].cat.categories] for name in named}


# -- reading ----------------------------------------------------------------------------------------------------------


def _json(path: Path) -> dict[str, Any]:
    """Return the mapping in a file. Raises ValueError that says what is wrong with it, to follow its name."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ValueError("is missing") from None
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror or error}") from None
    except ValueError as error:
        raise ValueError(f"is damaged: {error}") from None
    if not isinstance(found, dict):
        raise ValueError(f"must hold a mapping, not {found!r:.80}")
    return found


def _imports(path: Path, problems: list[str]) -> dict[str, ImportReport]:
    """Return the reports on recordings, or none with what is wrong with the file among the problems."""
    try:
        return cattrs.structure(_json(path), dict[str, ImportReport])
    except ValueError as error:
        problems.append(f"{path.name} {error}")
    except cattrs.BaseValidationError:
        problems.append(f"{path.name} is damaged: it holds no reports on recordings")
    return {}


def _about(folder: Path) -> dict[str, Any]:
    """Return what a folder says of itself. Raises NotFoundError or InputError."""
    if not folder.is_dir():
        what = "is a file" if folder.exists() else "is not there"
        raise NotFoundError(f"{str(folder)!r} {what}; name the folder that a result was written to")
    try:
        about = _json(folder / ABOUT)
    except ValueError as error:
        if not (folder / ABOUT).exists():
            raise NotFoundError(f"the folder {str(folder)!r} holds no result: it has no {ABOUT}") from None
        raise InputError(str(folder), [f"{ABOUT} {error}"]) from None
    if about.get("what") != WHAT:
        raise NotFoundError(f"the folder {str(folder)!r} holds no result: its {ABOUT} is something else's")
    number = about.get("format")
    if number != FORMAT or isinstance(number, bool):
        newer = isinstance(number, int) and number > FORMAT
        way_out = "update allotment" if newer else "run the simulation again"
        raise InputError(str(folder), [f"format is {number!r}, and {FORMAT} is what can be read here; {way_out}"])
    return about


def _table(folder: Path, name: str, about: dict[str, Any], problems: list[str]) -> pd.DataFrame:
    """Return a table, or an empty one with what is wrong added to the problems."""
    path = folder / f"{name}.parquet"
    try:
        frame: pd.DataFrame = parquet.read_table(path).to_pandas()
    except FileNotFoundError:
        problems.append(f"{path.name} is missing")
        return pd.DataFrame()
    except (pa.ArrowException, OSError, ValueError) as error:
        problems.append(f"{path.name} is damaged: {str(error).splitlines()[0] if str(error) else type(error).__name__}")
        return pd.DataFrame()
    said = about.get("tables")
    said = said.get(name) if isinstance(said, dict) else None
    said = said if isinstance(said, dict) else {}
    rows, names = said.get("rows"), said.get("categories")
    if rows != len(frame):
        problems.append(f"{path.name} has {len(frame)} rows; {ABOUT} says {rows!r}")
    for column in TABLES[name]:
        if column.kind == "category" and column.name in frame and frame[column.name].dtype.name == "category":
            known = column.among or (names.get(column.name) if isinstance(names, dict) else None)
            wrong = _restore(frame, column.name, known)
            problems += [f"column {column.name!r} of {path.name} {wrong}"] if wrong else []
    problems += problems_of(name, frame)
    return frame


def _restore(frame: pd.DataFrame, column: str, known: Any) -> str:
    """Give a column its categories again, in their order; return what is wrong with them, or nothing."""
    if not isinstance(known, (list, tuple)) or not all(isinstance(each, str) for each in known):
        return f"has no categories in {ABOUT}"
    if len(set(known)) != len(known):
        return f"has a category twice in {ABOUT}"
    strange = sorted(set(frame[column].cat.categories) - set(known))
    if strange:
        return f"holds {strange[0]!r}, which is not among its categories"
    frame[column] = frame[column].astype(pd.CategoricalDtype(pd.Index(list(known), dtype="str")))
    return ""
