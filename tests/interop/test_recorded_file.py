from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from allotment.errors import InputError
from allotment.interop.recorded_file import read_columns, read_recorded
from allotment.model.cluster import Cluster
from allotment.workload.classes import RecordedStream
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
    flags = {
        "submit_s": ["noon", "night"],
        "gpus": [True, False],
        "duration_s": ["60", "1h"],
        "job_id": [1, 2],
        "team": [7, 8],
    }
    parquet.write_table(pa.table(flags), path)
    columns = read_columns(path)
    assert columns.numbers["submit_s"].unreadable.all()
    assert columns.numbers["gpus"].unreadable.all()
    assert columns.numbers["duration_s"].unreadable.tolist() == [False, True]
    assert columns.texts["team"].values == ("7", "8")


def recorded(tmp_path: Path, *rows: str) -> Any:
    path = tmp_path / "jobs.csv"
    path.write_text("\n".join(["job_id,team,submit_s,gpus,duration_s,limit_s", *rows]) + "\n")
    return read_recorded(path, cluster=CLUSTER)


def test_dates_and_elapsed_times_are_read_where_they_mean_one_thing(tmp_path: Path) -> None:
    found = recorded(
        tmp_path,
        "a,red,2026-01-05T08:30:00,1,01:00:00,1-00:00:00",
        "b,red,2026-01-05 09:30:00+01:00,1,90,UNLIMITED",
        "c,red,2026-01-05T08:31:00.5Z,1,1-02:03:04,",
    )
    assert found.table.submit.tolist() == [30_600, 30_600, 30_660]
    assert found.table.work.tolist() == [3600, 90, 93_784]
    assert found.table.limit.tolist()[0] == 86_400
    assert "submit times are dates; those without an offset are taken as UTC" in found.report.assumed
    with_offsets = recorded(tmp_path, "a,red,2026-01-05T08:30:00Z,1,60,", "b,red,2026-01-05T08:30:00-08:00,1,60,")
    assert "submit times are dates" in with_offsets.report.assumed
    assert with_offsets.table.submit.tolist() == [30_600, 30_600 + 8 * 3600]


@pytest.mark.parametrize("moment", ["05/01/2026", "1/5/26 08:30", "2026-13-01", "2026-01-05T25:00:00", "Jan 5 2026"])
def test_a_date_that_is_none_or_may_be_another_day_is_skipped_and_the_reason_says_what_is_expected(
    tmp_path: Path, moment: str
) -> None:
    found = recorded(tmp_path, "a,red,2026-01-05T08:30:00,1,60,", f"b,red,{moment},1,60,")
    (skipped,) = found.report.skipped
    assert (skipped.count, skipped.row) == (1, 2)
    assert "neither seconds nor a date such as '2026-01-05T08:30:00'" in skipped.what


@pytest.mark.parametrize("length", ["05:30", "1:2:3", "00:61:00", "1d", "-1:00:00", "2-3"])
def test_a_length_of_time_that_may_be_another_is_skipped_and_the_reason_says_what_is_expected(
    tmp_path: Path, length: str
) -> None:
    found = recorded(tmp_path, "a,red,0,1,60,", f"b,red,0,1,{length},")
    (skipped,) = found.report.skipped
    assert "neither seconds nor [days-]hours:minutes:seconds such as '1-02:30:00'" in skipped.what


def test_numbers_and_dates_in_one_column_have_no_common_clock(tmp_path: Path) -> None:
    found = recorded(tmp_path, "a,red,100,1,60,", "b,red,2026-01-05T08:30:00,1,60,")
    assert found.table.names == ("a",)


def test_moments_and_durations_of_parquet_are_read(tmp_path: Path) -> None:
    path = tmp_path / "jobs.parquet"
    columns = {
        "job_id": ["a", "b", "c"],
        "team": ["red", "red", "red"],
        "submit_s": pa.array([1767601800, 1767601860, None], pa.timestamp("s")),
        "gpus": [1, 2, 1],
        "duration_s": pa.array([60, 90, 1], pa.duration("s")),
    }
    parquet.write_table(pa.table(columns), path)
    found = read_recorded(path, cluster=CLUSTER)
    assert (found.table.submit.tolist(), found.table.work.tolist()) == ([30_600, 30_660], [60, 90])
    assert [item.what for item in found.report.skipped] == ["no submit time"]


def test_a_report_says_on_which_line_a_row_is_where_each_row_is_one_line(tmp_path: Path) -> None:
    rows = ("a,red,0,1,60,", "b,red,0,x,60,")
    lines = recorded(tmp_path, *rows).report.lines()
    assert lines[1] == "skipped 1: number of GPUs is not a number (first in data row 2, line 3)"
    broken = recorded(tmp_path, "", *rows).report  # an empty line is no row
    assert broken.lines()[1].endswith("(first in data row 2)")


def test_a_recording_with_another_checksum_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "jobs.csv"
    path.write_text(TEXT)
    found = read_recorded(path, cluster=CLUSTER)
    stream = RecordedStream(path=str(path), sha256=found.sha256)
    assert read_recorded(path, cluster=CLUSTER, stream=stream).sha256 == found.sha256
    with pytest.raises(InputError, match="is not the recording that the scenario was saved with: its SHA-256 is"):
        read_recorded(path, cluster=CLUSTER, stream=RecordedStream(path=str(path), sha256="0" * 64))
    with pytest.raises(ValueError, match="sha256 must be 64 hexadecimal digits, as sha256sum prints them, not 'abc'"):
        RecordedStream(path=str(path), sha256="abc")
