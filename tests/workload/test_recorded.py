from __future__ import annotations

from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from allotment.errors import InputError, ValueProblems
from allotment.interop.recorded_file import Recording, read_columns, read_recorded
from allotment.model.cluster import Cluster
from allotment.model.codes import Priority
from allotment.model.plan import Plan, PlanNode
from allotment.units import DAY, HOUR, MINUTE
from allotment.workload.classes import ContractRule, RecordedStream
from allotment.workload.generate import generate
from allotment.workload.import_report import ImportReport
from allotment.workload.recorded import contracts_by_rule
from allotment.workload.teams import TeamShares, leaf_of_team, team_id

CLUSTER = Cluster.parse("4x8")


def write(folder: Path, *rows: str, header: str = "job_id,team,user,submit_s,gpus,duration_s") -> Path:
    path = folder / "jobs.csv"
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


def recorded(
    folder: Path, *rows: str, header: str = "job_id,team,user,submit_s,gpus,duration_s", **more: Any
) -> Recording:
    changes = {name: more.pop(name) for name in list(more) if name not in ("plan", "horizon", "shares", "weights")}
    path = write(folder, *rows, header=header)
    return read_recorded(path, cluster=CLUSTER, stream=RecordedStream(path=str(path), **changes), **more)


def skipped(report: ImportReport) -> dict[str, tuple[int, int | None]]:
    return {item.what: (item.count, item.row) for item in report.skipped}


GOOD = "good,red,ann,0,1,60"
NO_TIME = (
    "submit time is neither seconds nor a date such as '2026-01-05T08:30:00' (or some rows are one, some the other)"
)
NO_LENGTH = "run time is neither seconds nor [days-]hours:minutes:seconds such as '1-02:30:00'"


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("a,,ann,0,1,60", "no team"),
        ("a,red,ann,,1,60", "no submit time"),
        ("a,red,ann,noon,1,60", NO_TIME),
        ("a,red,ann,0,,60", "no number of GPUs"),
        ("a,red,ann,0,gpu:2,60", "number of GPUs is not a number"),
        ("a,red,ann,0,0,60", "asks for no GPU"),
        ("a,red,ann,0,-1,60", "asks for no GPU"),
        ("a,red,ann,0,0.5,60", "fractional number of GPUs"),
        ("a,red,ann,0,33,60", "larger than the cluster"),
        ("a,red,ann,0,1e12,60", "larger than the cluster"),
        ("a,red,ann,0,1,", "no run time"),
        ("a,red,ann,0,1,NaN", "no run time"),
        ("a,red,ann,0,1,01:30", NO_LENGTH),
        ("a,red,ann,0,1,inf", NO_LENGTH),
        ("a,red,ann,0,1,-1.36e9", "negative run time"),
        ("a,red,ann,0,1,0", "zero run time"),
        ("a,red,ann,0,1,1e9", "run time above ten years"),
        ("a,red,ann,-1,1,60", "submitted before the start"),
        ("a,red,ann,86400,1,60", "submitted after the end"),
        ("good,red,bob,5,1,70", "job id seen before"),
        ("torn,red", "wrong number of fields"),
    ],
)
def test_a_row_that_is_no_job_is_counted_by_its_reason(tmp_path: Path, row: str, reason: str) -> None:
    found = recorded(tmp_path, GOOD, row, GOOD.replace("good", "last"), horizon=DAY)
    assert skipped(found.report) == {reason: (1, 2)}
    assert (found.report.read, found.report.used, len(found.table)) == (3, 2, 2)
    assert found.table.names == ("good", "last")


def test_a_row_with_two_mistakes_is_counted_once(tmp_path: Path) -> None:
    report = recorded(tmp_path, GOOD, "a,,ann,noon,0,0").report
    assert skipped(report) == {"no team": (1, 2)}


def test_an_id_counts_as_seen_only_where_its_row_was_a_job(tmp_path: Path) -> None:
    found = recorded(tmp_path, "a,red,ann,0,1,0", "a,red,ann,0,1,60", "a,red,ann,0,1,90")
    assert skipped(found.report) == {"zero run time": (1, 1), "job id seen before": (1, 3)}
    assert found.table.work.tolist() == [60]


def test_ids_that_lost_their_digits_do_not_make_jobs_the_same(tmp_path: Path) -> None:
    found = recorded(tmp_path, "1.60512e13,red,ann,0,1,60", "1.60512e13,red,ann,0,1,90", ",red,ann,9,1,60")
    assert found.table.names == ("row-1", "row-2", "row-3")
    assert found.report.adjusted[0].count == 3


def test_a_team_that_the_plan_does_not_know_is_a_reason(tmp_path: Path) -> None:
    plan = Plan(name="p", children=(PlanNode(id="red", share=1),))
    found = recorded(tmp_path, GOOD, "a,blue,ann,0,1,60", plan=plan)
    assert skipped(found.report) == {"team unknown to the plan": (1, 2)}
    assert found.plan is plan


def test_a_team_without_a_usable_job_is_skipped_for_what_is_wrong_with_its_jobs(tmp_path: Path) -> None:
    assert skipped(recorded(tmp_path, GOOD, "a,blue,ann,0,1,0").report) == {"zero run time": (1, 2)}


def test_jobs_are_in_the_order_of_submission_and_then_of_the_file(tmp_path: Path) -> None:
    found = recorded(tmp_path, "c,red,ann,9,1,60", "b,red,ann,5,1,60", "a,red,ann,9,1,60")
    assert found.table.names == ("b", "c", "a")
    assert found.table.submit.tolist() == [5, 9, 9]


def test_times_are_whole_seconds_and_a_run_is_at_least_one(tmp_path: Path) -> None:
    found = recorded(tmp_path, "a,red,ann,1.9,1,0.2", "b,red,ann,2.0,2.0,1.5", "c,red,ann,3,.2e1,2.4")
    assert found.table.submit.tolist() == [1, 2, 3]
    assert found.table.work.tolist() == [1, 2, 2]
    assert found.table.gpus.tolist() == [1, 2, 2]
    assert [item.what for item in found.report.adjusted] == ["run time below a second; taken as one"]


def test_times_of_an_epoch_begin_at_the_midnight_before_the_first_job(tmp_path: Path) -> None:
    rows = [f"{name},red,ann,{1_506_902_400 + seconds},1,60" for name, seconds in (("a", 7200), ("b", 90_000))]
    found = recorded(tmp_path, *rows, "zero,red,ann,0,1,60")
    assert found.table.submit.tolist() == [7200, 90_000]
    assert skipped(found.report) == {"submitted before the start": (1, 3)}
    assert any("epoch" in text for text in found.report.assumed)


def test_an_origin_that_is_given_is_kept(tmp_path: Path) -> None:
    found = recorded(tmp_path, "a,red,ann,100,1,60", "b,red,ann,99,1,60", origin=100)
    assert found.table.submit.tolist() == [0]
    assert skipped(found.report) == {"submitted before the start": (1, 2)}


@pytest.mark.parametrize(
    ("rule", "wanted"),
    [
        (ContractRule.RUN_TIME, [900, 900, 1800, 1800, 2 * HOUR, 4 * HOUR, 8 * HOUR, 8 * HOUR]),
        (ContractRule.CAP, [900, 900, 8 * HOUR, 8 * HOUR, 8 * HOUR, 8 * HOUR, 8 * HOUR, 8 * HOUR]),
        (ContractRule.NONE, [0] * 8),
    ],
)
def test_the_rule_for_contracts_is_the_one_in_the_table(rule: ContractRule, wanted: list[int]) -> None:
    runs = np.array([1, 15 * MINUTE, 15 * MINUTE + 1, 1800, 2 * HOUR, 2 * HOUR + 1, 8 * HOUR, 30 * DAY])
    assert contracts_by_rule(runs, RecordedStream(path="x", contract=rule)).tolist() == wanted


def test_a_cap_between_the_steps_is_the_last_step() -> None:
    stream = RecordedStream(path="x", short=600, cap=3000)
    assert contracts_by_rule(np.array([600, 601, 1300, 2500, 9999]), stream).tolist() == [600, 1200, 2400, 3000, 3000]


HEADER = "job_id,team,submit_s,gpus,duration_s,min_runtime_s,limit_s,priority,resumable,checkpoint_s,kind,state"


def test_what_a_file_says_is_taken_and_what_it_leaves_out_is_assumed(tmp_path: Path) -> None:
    found = recorded(
        tmp_path,
        "a,red,0,1,100,3600,7200,High,no,60,debug,COMPLETED",
        "b,red,1,1,100,,,,,,,",
        "c,red,2,1,1000,0,1000,4,TRUE,120,,",
        header=HEADER,
    )
    table = found.table
    assert table.min_runtime.tolist() == [3600, 900, 0]
    assert table.limit.tolist() == [7200, 900, 1000]
    assert table.priority.tolist() == [Priority.HIGH, Priority.NORMAL, Priority.URGENT]
    assert table.resumable.tolist() == [False, True, True]
    assert table.checkpoint.tolist() == [60, 1800, 120]
    assert [table.kinds[row] for row in table.kind] == ["debug", "short", "long"]
    assert [table.users[row] for row in table.user] == ["unknown"] * 3
    assert found.report.adjusted == ()
    said = [text.split(" jobs do not say ")[0] for text in found.report.assumed[:-1]]
    assert said == ["1 of 3", "1 of 3", "1 of 3", "1 of 3", "1 of 3", "2 of 3", "3 of 3"]


def test_what_a_file_says_wrongly_is_counted_and_mended(tmp_path: Path) -> None:
    found = recorded(
        tmp_path,
        "a,red,0,1,100,99999,UNLIMITED,top,maybe,often,,",
        "b,red,1,1,100,-5,4294967295,HIGH,1,0,,RUNNING",
        "c,red,2,1,100,long,50,,0,,,",
        header=HEADER,
    )
    table = found.table
    assert table.min_runtime.tolist() == [8 * HOUR, 900, 900]
    assert table.limit.tolist() == [900, 900, 100]
    assert table.priority.tolist() == [Priority.NORMAL, Priority.HIGH, Priority.NORMAL]
    assert table.resumable.tolist() == [True, True, False]
    assert {item.what.split(";")[0]: item.count for item in found.report.adjusted} == {
        "minimum runtime above the cap": 1,
        "minimum runtime is no number of seconds": 2,
        "time limit below the run time": 1,
        "no time limit (a number that means unlimited)": 1,
        "time limit is no number of seconds": 1,
        "resumable is neither yes nor no": 1,
        "unknown priority": 1,
        "checkpoint interval is no number of seconds": 2,
        "still running when recorded": 1,
    }


def test_a_plan_is_made_with_equal_shares_unless_told_otherwise(tmp_path: Path) -> None:
    rows = ("a,red,ann,0,1,300", "b,blue,ann,0,3,300", "c,green,ann,0,1,0")

    def shares(**more: Any) -> dict[str, Fraction]:
        return {node.id: node.share for node in recorded(tmp_path, *rows, **more).plan.children}

    assert shares() == {"blue": Fraction(1, 2), "red": Fraction(1, 2)}
    assert shares(shares=TeamShares.GPU_TIME) == {"blue": Fraction(3, 4), "red": Fraction(1, 4)}
    assert shares(weights={"red": 2, "blue": "1/2"}) == {"blue": Fraction(1, 5), "red": Fraction(4, 5)}
    with pytest.raises(ValueProblems, match="'blue' of the recording has no weight"):
        shares(weights={"red": 1})
    assert "equal shares" in recorded(tmp_path, *rows).report.assumed[-1]


def test_a_recording_without_a_job_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no row holds a job"):
        recorded(tmp_path, "a,red,ann,0,0,60")
    with pytest.raises(InputError, match="no row holds a job"):
        recorded(tmp_path)


def test_odd_names_of_teams_are_data(tmp_path: Path) -> None:
    found = recorded(tmp_path, '"a","lab/x",ann,0,1,60', "b,root,ann,0,1,60", "c,lab-x,ann,0,1,60", "d,<b>,=1+1,0,1,60")
    assert len(found.plan.children) == 4
    assert len(found.table) == 4
    assert "<b>" in found.table.leaves


def test_a_team_is_the_node_with_its_id_path_or_name() -> None:
    plan = Plan(
        name="p",
        children=(
            PlanNode(id="1", name="lab", share=0.5, children=(PlanNode(id="2", name="x", share=0.5),)),
            PlanNode(id="3", name="y", share=0.5, children=(PlanNode(id="4", name="x", share=0.5),)),
        ),
    )
    teams = leaf_of_team(plan, ["2", "lab/x", "y/x", "lab", "x", "z"])
    assert teams == {"2": "2", "lab/x": "2", "y/x": "4", "lab": "1/own", "x": None, "z": None}


def test_jobs_of_an_inner_node_are_charged_to_what_its_children_leave(tmp_path: Path) -> None:
    plan = Plan(name="p", children=(PlanNode(id="lab", share=0.5, children=(PlanNode(id="x", share=0.5),)),))
    found = recorded(tmp_path, "a,lab,ann,0,1,60", "b,x,ann,0,1,60", plan=plan)
    assert [found.table.leaves[row] for row in found.table.leaf] == ["lab/own", "x"]


def test_ids_made_for_teams_differ_where_the_teams_do() -> None:
    assert team_id("a/b") != team_id("a-b") != team_id("a\tb")
    assert team_id("red") == "red"
    assert team_id("root") != "root"


def test_a_recorded_stream_joins_the_others_of_a_scenario(tmp_path: Path) -> None:
    found = recorded(tmp_path, GOOD)
    streams = (RecordedStream(path="jobs.csv"),)
    start = datetime(2026, 1, 5, tzinfo=UTC)
    table = generate(streams, found.plan, CLUSTER, start, DAY, 0, recordings={"recorded": found.table})
    assert table is found.table


def test_an_account_that_loses_rows_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="unaccounted"):
        ImportReport(source="x", read=3, used=2, skipped=())


@pytest.mark.traces
def test_every_row_of_five_weeks_of_philly_is_accounted_for(traces: Path) -> None:
    path = traces / "philly-2017" / "jobs-5weeks.csv.gz"
    found = read_recorded(path, cluster=Cluster.parse("64x8"), horizon=35 * DAY)
    assert found.report.read == 49_875
    assert found.report.used + sum(item.count for item in found.report.skipped) == 49_875
    assert found.report.used == len(found.table) == 49_875
    assert len(found.plan.children) == 12
    assert int(found.table.work.sum()) == pytest.approx(49_875 * 11_786.08, rel=1e-6)
    short = found.table.min_runtime == 15 * MINUTE
    assert np.array_equal(short, found.table.work <= 15 * MINUTE)
    small = read_recorded(path, cluster=Cluster.parse("2x8"), horizon=7 * DAY)
    assert {item.what for item in small.report.skipped} == {"larger than the cluster", "submitted after the end"}
    assert read_columns(path).read == 49_875
