import json
import shutil
from pathlib import Path

import attrs
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from allotment.errors import AllotmentError, InputError, NotFoundError
from allotment.interop import result_files
from allotment.interop.result_files import is_result, read, save
from allotment.model.changeset import Changeset, ShareChange
from allotment.results.columns import TABLES
from allotment.results.result import Result, build
from allotment.workload.classes import RecordedStream
from allotment.world.incidents import Case, IncidentKind, incident_rows
from tests.results.made import Made, a_run


@pytest.fixture(scope="module")
def result() -> Result:
    made = a_run()
    return build(
        made.scenario,
        made.table(),
        made.log(),
        incidents=incident_rows([Case(node=1, kind=IncidentKind.HARD, begin=9)]),
        changesets=(Changeset(time=100, author="Ann Ó", reason="", shares=(ShareChange(id="speech", share=0.1),)),),
    )


@pytest.fixture
def folder(result: Result, tmp_path: Path) -> Path:
    save(result, tmp_path / "run")
    return tmp_path / "run"


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def edit(path: Path, **values: object) -> None:
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | values), encoding="utf-8")


def test_a_result_is_read_back_equal(result, folder):
    found = read(folder)
    assert found.equals(result)
    assert found.summary == result.summary
    for name, frame in result.tables.items():
        pd.testing.assert_frame_equal(found.tables[name], frame)


def test_a_result_without_a_row_is_read_back_equal(tmp_path):
    empty = Made().result()
    save(empty, tmp_path / "run")
    assert read(tmp_path / "run").equals(empty)


def test_categories_that_do_not_occur_keep_their_place(result, folder):
    plain = parquet.read_table(folder / "capacity.parquet")
    assert plain.column_names == [column.name for column in TABLES["capacity"]]
    assert list(read(folder).jobs["leaf"].cat.categories) == list(result.jobs["leaf"].cat.categories)


def test_the_folder_can_be_read_without_this_package(result, folder):
    jobs = pd.read_parquet(folder / "jobs.parquet")
    assert jobs["leaf"].tolist() == result.jobs["leaf"].tolist()
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    assert summary["occupancy"] == result.summary["occupancy"]
    assert (folder / "scenario.yaml").read_text(encoding="utf-8").startswith("format: 1\n")


def test_writing_twice_gives_the_same_bytes(result, folder, tmp_path):
    save(result, tmp_path / "again")
    for path in folder.iterdir():
        assert path.read_bytes() == (tmp_path / "again" / path.name).read_bytes(), path.name


def test_the_path_of_a_recording_is_written_as_seen_from_the_folder_and_read_back_whole(tmp_path):
    made = a_run()
    for path in (str(tmp_path / "traces" / "jobs.csv"), str(tmp_path / "jobs.csv")):
        scenario = attrs.evolve(made.scenario, workload=(RecordedStream(path=path),))
        wanted = build(scenario, made.table(), made.log())
        save(wanted, tmp_path / "run")
        assert read(tmp_path / "run").scenario == scenario
        assert "path: ../" in (tmp_path / "run" / "scenario.yaml").read_text()


# -- writing ----------------------------------------------------------------------------------------------------------


def test_folders_above_are_made_and_an_empty_folder_will_do(result, tmp_path):
    save(result, tmp_path / "a" / "b" / "run")
    (tmp_path / "empty").mkdir()
    save(result, tmp_path / "empty")
    assert read(tmp_path / "a" / "b" / "run").equals(read(tmp_path / "empty"))


def test_a_result_is_replaced_whole(folder):
    other = Made().result()
    save(other, str(folder))
    assert read(folder).equals(other)
    assert names(folder.parent) == ["run"]


@pytest.mark.parametrize("name", ["notes.txt", "jobs.parquet", ".hidden"])
def test_a_folder_with_anything_else_in_it_is_left_alone(result, tmp_path, name):
    (tmp_path / name).write_text("mine")
    with pytest.raises(AllotmentError, match=f"holds '{name}' and no result; name another folder"):
        save(result, tmp_path)
    assert (tmp_path / name).read_text() == "mine"
    assert names(tmp_path) == [name]


def test_notes_beside_a_result_are_left_alone(result, folder):
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(AllotmentError, match=r"holds 'notes\.txt' beside a result; move that away"):
        save(Made().result(), folder)
    assert (folder / "notes.txt").read_text() == "mine"
    assert read(folder).equals(result)


def test_somebody_elses_result_json_does_not_make_a_folder_ours(result, tmp_path):
    (tmp_path / "result.json").write_text('{"what": "benchmark"}')
    with pytest.raises(AllotmentError, match="holds 'result.json' and no result"):
        save(result, tmp_path)


def test_a_file_is_not_overwritten(result, tmp_path):
    (tmp_path / "run").write_text("mine")
    with pytest.raises(AllotmentError, match="is a file; name a folder"):
        save(result, tmp_path / "run")
    assert (tmp_path / "run").read_text() == "mine"


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_write_that_breaks_off_leaves_what_was_there(result, folder, monkeypatch, error):
    def fail(*_args, **_kwargs):
        raise error

    monkeypatch.setattr(result_files.scenario_file, "save", fail)
    with pytest.raises((AllotmentError, KeyboardInterrupt)) as caught:
        save(Made().result(), folder)
    assert read(folder).equals(result)
    assert names(folder.parent) == ["run"]
    if isinstance(error, OSError):
        assert "cannot write the result to" in str(caught.value)
        assert "No space left on device" in str(caught.value)


def test_a_new_folder_that_cannot_be_put_in_place_leaves_the_old_one(result, folder, monkeypatch):
    rename = Path.rename

    def fail(path, target):
        if path.name.endswith(".new"):
            raise OSError(5, "Input/output error")
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises(AllotmentError, match="Input/output error"):
        save(Made().result(), folder)
    assert read(folder).equals(result)
    assert names(folder.parent) == ["run"]


# -- reading ----------------------------------------------------------------------------------------------------------


def test_what_is_no_result_is_said_to_be_none(tmp_path):
    with pytest.raises(NotFoundError, match="is not there; name the folder"):
        read(tmp_path / "nowhere")
    (tmp_path / "file").write_text("")
    with pytest.raises(NotFoundError, match="is a file"):
        read(tmp_path / "file")
    with pytest.raises(NotFoundError, match=r"holds no result: it has no result\.json"):
        read(tmp_path)
    (tmp_path / "result.json").write_text('{"what": "benchmark"}')
    with pytest.raises(NotFoundError, match="holds no result: its result.json is something else's"):
        read(tmp_path)
    assert not is_result(tmp_path)


def test_a_newer_format_is_refused_with_the_way_out(folder):
    assert is_result(folder)
    edit(folder / "result.json", format=2)
    with pytest.raises(InputError, match="format is 2, and 1 is what can be read here; update allotment"):
        read(folder)
    assert is_result(folder)


@pytest.mark.parametrize("number", [0, None, True, "1"])
def test_a_format_that_never_was_is_refused(folder, number):
    edit(folder / "result.json", format=number)
    with pytest.raises(InputError, match="run the simulation again"):
        read(folder)


def problems(folder: Path) -> list[str]:
    with pytest.raises(InputError) as caught:
        read(folder)
    assert caught.value.source == str(folder)
    return list(caught.value.problems)


@pytest.mark.parametrize("name", sorted(result_files.FILES - {"result.json"}))
def test_a_missing_file_is_named(folder, name):
    (folder / name).unlink()
    assert len(problems(folder)) == 1
    assert name in problems(folder)[0]


@pytest.mark.parametrize("name", sorted(result_files.FILES))
def test_a_file_that_was_cut_off_is_named(folder, name):
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[: len(content) // 2])
    assert name in problems(folder)[0]


@pytest.mark.parametrize("name", sorted(result_files.FILES))
def test_a_file_of_noise_is_named(folder, name):
    (folder / name).write_bytes(bytes(range(256)) * 8)
    assert any(name in problem for problem in problems(folder))


def test_every_problem_is_reported_at_once(folder):
    (folder / "jobs.parquet").unlink()
    (folder / "summary.json").write_text("[]")
    (folder / "scenario.yaml").write_text("format: 1\nname: x\n")
    edit(folder / "result.json", horizon="soon")
    found = problems(folder)
    assert "jobs.parquet is missing" in found
    assert "summary.json must hold a mapping, not []" in found
    assert "horizon must be a number of seconds, not 'soon' (in result.json)" in found
    assert any("(in scenario.yaml)" in problem for problem in found)


def test_rows_that_were_lost_are_noticed(folder):
    table = parquet.read_table(folder / "slices.parquet")
    parquet.write_table(table.slice(0, 3), folder / "slices.parquet")
    assert problems(folder) == ["slices.parquet has 3 rows; result.json says 7"]


def test_columns_that_are_not_those_of_a_result_are_named(folder):
    table = parquet.read_table(folder / "capacity.parquet")
    parquet.write_table(table.drop_columns(["down"]).append_column("up", table["down"]), folder / "capacity.parquet")
    assert problems(folder) == [
        "table 'capacity' has no column 'down'",
        "table 'capacity' has a column 'up' that is not documented",
    ]


def test_a_table_of_another_result_is_noticed(folder):
    table = parquet.read_table(folder / "slices.parquet").to_pandas()
    table["leaf"] = table["leaf"].cat.rename_categories({"speech": "music"})
    parquet.write_table(pa.Table.from_pandas(table, preserve_index=False), folder / "slices.parquet")
    assert problems(folder) == ["column 'leaf' of slices.parquet holds 'music', which is not among its categories"]


@pytest.mark.parametrize("tables", [None, [], {}, {"jobs": 3}])
def test_a_result_json_without_its_tables_is_refused(folder, tables):
    edit(folder / "result.json", tables=tables)
    assert any("has no categories in result.json" in problem for problem in problems(folder))


def test_a_moved_folder_is_read_from_where_it_is(result, folder, tmp_path):
    shutil.move(folder, tmp_path / "elsewhere")
    assert read(tmp_path / "elsewhere").equals(result)
