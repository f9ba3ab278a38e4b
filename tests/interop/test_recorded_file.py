from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from allotment.errors import InputError
from allotment.interop.recorded_file import read_columns, read_recorded
from allotment.model.cluster import Cluster
from allotment.workload.table import COLUMNS, JobTable

CLUSTER = Cluster.parse("4x8")
TEXT = "job_id,team,user,submit_s,gpus,duration_s,note\na,red,ann,0,1,60,x\nb,blue,,5,2,7200.5,y\nc,red,bob,7,,9,z\n"


def same(one: JobTable, two: JobTable) -> bool:
    names = (one.names, one.leaves, one.users, one.kinds) == (two.names, two.leaves, two.users, two.kinds)
    return names and all(np.array_equal(getattr(one, name), getattr(two, name)) for name in COLUMNS)


def test_csv_compressed_csv_and_parquet_hold_the_same_jobs(tmp_path: Path) -> None:
    plain, packed, columns = tmp_path / "jobs.csv", tmp_path / "jobs.csv.gz", tmp_path / "jobs.parquet"
    plain.write_text(TEXT)
    packed.write_bytes(gzip.compress(TEXT.encode()))
    rows = {
        "note": ["x", "y", "z"],
        "duration_s": [60, 7200.5, 9],
        "job_id": ["a", "b", "c"],
        "team": pa.array(["red", "blue", "red"]).dictionary_encode(),
        "user": ["ann", None, "bob"],
        "submit_s": pa.array([0, 5, 7], pa.int32()),
        "gpus": pa.array([1, 2, None], pa.int8()),
    }
    parquet.write_table(pa.table(rows), columns)
    one, two, three = (read_recorded(path, cluster=CLUSTER) for path in (plain, packed, columns))
    assert same(one.table, two.table)
    assert same(one.table, three.table)
    assert one.report.skipped == three.report.skipped
    assert one.report.ignored_columns == three.report.ignored_columns == ("note",)


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff" + TEXT,
        TEXT.replace("\n", "\r\n"),
        TEXT.replace("job_id", " Job_ID "),
        TEXT.replace("\nb", "\n\n\nb"),
        TEXT.rstrip("\n"),
        TEXT.replace(",x\n", ',"x,\ny"\n'),
        TEXT.replace("a,red", '"a","red"'),
    ],
)
def test_ways_to_write_the_same_table_are_read_alike(tmp_path: Path, text: str) -> None:
    path, other = tmp_path / "jobs.csv", tmp_path / "other.csv"
    path.write_text(TEXT)
    other.write_bytes(text.encode())
    want, found = (read_recorded(file, cluster=CLUSTER) for file in (path, other))
    assert same(want.table, found.table)
    assert found.report.skipped == want.report.skipped


def test_columns_that_are_missing_are_all_named_with_what_comes_near(tmp_path: Path) -> None:
    path = tmp_path / "jobs.csv"
    path.write_text("jobid,team,submit,gpus,gpus\n1,a,0,1,1\n")
    with pytest.raises(InputError) as caught:
        read_columns(path)
    assert caught.value.problems == (
        "column 'gpus' is there twice",
        "column 'job_id' is missing; is it 'jobid'?",
        "column 'submit_s' is missing; is it 'submit'?",
        "column 'duration_s' is missing",
    )


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("none.csv", None),
        ("empty.csv", b""),
        ("binary.csv", b"\xff\xfe\x00\x01"),
        ("broken.csv.gz", b"no gzip"),
        ("broken.parquet", b"no parquet"),
        ("latin.csv", TEXT.replace("ann", "ann\xe9").encode("latin-1")),
    ],
)
def test_a_file_that_is_no_table_is_refused_with_its_name(tmp_path: Path, name: str, content: bytes | None) -> None:
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=name):
        read_columns(path)


def test_a_file_without_rows_is_an_empty_recording(tmp_path: Path) -> None:
    path = tmp_path / "jobs.csv"
    path.write_text(TEXT.split("\n", maxsplit=1)[0] + "\n")
    assert read_columns(path).read == 0


def test_a_wrong_type_of_column_is_unreadable_and_not_a_crash(tmp_path: Path) -> None:
    path = tmp_path / "jobs.parquet"
    moments = pa.array([1, 2], pa.timestamp("s"))
    flags = {"submit_s": moments, "gpus": [True, False], "duration_s": ["60", "1h"], "job_id": [1, 2], "team": [7, 8]}
    parquet.write_table(pa.table(flags), path)
    columns = read_columns(path)
    assert columns.numbers["submit_s"].unreadable.all()
    assert columns.numbers["gpus"].unreadable.all()
    assert columns.numbers["duration_s"].unreadable.tolist() == [False, True]
    assert columns.texts["team"].values == ("7", "8")
