from fractions import Fraction

import attrs
import numpy as np
import pandas as pd
import pytest

from allotment.kernel.log import CAPACITY, Log
from allotment.model.changeset import Changeset, ShareChange
from allotment.model.codes import DecisionCode, EndCode, IdleCause, JobState, Reason, SliceState
from allotment.model.plan import Plan, PlanNode
from allotment.results import tables
from allotment.results.columns import words
from allotment.results.result import Result, build
from allotment.results.tree import Tree, distinct
from allotment.world.incidents import Case, Emptied, IncidentKind, incident_rows
from tests.results.made import PLAN, Made, a_run


@pytest.fixture(scope="module")
def result() -> Result:
    return a_run().result()


def test_jobs_that_a_closed_stream_did_not_get_to_are_left_out(result):
    assert result.jobs["job"].tolist() == [0, 1, 2, 3, 4, 5, 6, 8]
    assert result.jobs["closed"].sum() == 1


def test_a_job_has_its_leaf_and_budget_as_paths(result):
    assert result.jobs["leaf"].tolist()[:3] == ["vision/robots", "speech", "vision/drones"]
    assert result.jobs["budget"].tolist()[:3] == ["vision", "speech", "vision"]


def test_the_wait_is_from_submission_to_the_first_start_and_unknown_where_there_was_none(result):
    jobs = result.jobs.set_index("job")
    assert jobs["wait"].loc[[0, 1, 2]].tolist() == [30, 9, 2000]
    assert jobs["wait"].isna().tolist() == [False, False, False, False, True, True, False, True]
    assert jobs["waited"].loc[4] == 10_800 - 5000  # to the horizon
    assert jobs["waited"].loc[5] == 1000  # until it was cancelled
    assert pd.isna(jobs["end"].loc[2])


def test_whole_nodes_are_taken_and_what_was_asked_is_kept(result):
    assert result.jobs.loc[0, ["gpus", "take"]].tolist() == [12, 16]


def test_codes_are_words_and_none_is_na(result):
    assert result.slices["ended"].tolist()[:3] == ["finished", "finished", "preempted"]
    assert result.slices["for_job"].tolist()[2] == 3
    assert result.slices["for_job"].isna().sum() == len(result.slices) - 1
    assert set(result.segments["state"]) == {"protected", "interruptible", "unallocated"}
    starts = result.decisions[result.decisions["decision"] == "start"]
    assert starts["level"].tolist() == ["vision/robots", "speech", "speech"]
    assert result.decisions.loc[result.decisions["decision"] == "preempt", "used"].isna().all()


@pytest.mark.parametrize("of", [SliceState, EndCode, JobState, DecisionCode, Reason, IdleCause])
def test_every_code_becomes_its_own_word(of):
    found = tables.coded(np.array(list(of), np.int8), of)
    assert list(found) == list(words(of)) == [code.name.lower() for code in of]


def test_gpu_hours_lead_back_to_whole_gpu_seconds():
    numbers = np.concatenate([np.arange(10_000), 2 ** np.arange(43)])
    assert tables.seconds(tables.hours(numbers)).tolist() == numbers.tolist()


def test_usage_has_a_row_for_every_hour_and_plan_node_in_order(result):
    usage = result.usage
    assert len(usage) == 3 * 5
    assert usage["hour"].is_monotonic_increasing
    assert usage["node"].tolist()[:5] == ["vision/drones", "vision/robots", "root", "speech", "vision"]
    assert usage["depth"].tolist()[:5] == [2, 2, 0, 1, 1]
    assert usage["is_leaf"].tolist()[:5] == [True, True, False, True, False]
    first = usage[(usage["hour"] == 0) & (usage["node"] == "vision/robots")].iloc[0]
    assert first["allocated"] == first["delivered"] == 16 * 2000 / 3600
    assert first["protected"] == 16 * 1200 / 3600
    assert first["demand"] == 16 * 2030 / 3600
    assert first["owed"] == 4 * 2030 / 3600  # a quarter of 16 GPUs, while it was wanted


def test_every_hour_of_the_cluster_adds_up(result):
    cluster = result.cluster
    idle = cluster[[name for name in cluster if name.startswith("idle_")]].sum(axis=1)
    total = cluster["allocated"] + cluster["unallocated"] + idle + cluster["down"]
    assert total.tolist() == pytest.approx(cluster["capacity"].tolist(), abs=1e-9)
    assert cluster["capacity"].tolist() == [16.0] * 3


def test_shares_are_absolute_and_name_every_node(result):
    shares = result.shares.set_index("id")
    assert shares["share"].to_dict() == {"drones": 0.125, "robots": 0.25, "root": 1.0, "speech": 0.3, "vision": 0.5}
    assert shares.loc["drones", "parent"] == "vision"
    assert pd.isna(shares.loc["root", "parent"])


def test_changesets_have_the_old_and_the_new_share_of_each_node():
    made = a_run()
    changes = (
        Changeset(time=100, author="ann", reason="less talk", shares=(ShareChange(id="speech", share=0.1),)),
        Changeset(
            time=200, shares=(ShareChange(id="speech", share=0.2), ShareChange(id="drones", share=Fraction(1, 3)))
        ),
        Changeset(time=10_800, shares=(ShareChange(id="speech", share=0),)),  # the run was over
    )
    found = build(made.scenario, made.table(), made.log(), changesets=changes).changesets
    assert found["node"].tolist() == ["speech", "speech", "vision/drones"]
    assert found["old"].tolist() == [0.3, 0.1, 0.25]
    assert found["new"].tolist() == [0.1, 0.2, 1 / 3]
    assert found["author"].tolist() == ["ann", "", ""]


def test_incidents_say_what_has_not_come_to_pass():
    made = a_run()
    cases = [
        Case(node=1, kind=IncidentKind.UNHEALTHY, begin=5400, cordoned=5400, down=6000, emptied=Emptied.DRAINED),
        Case(node=0, kind=IncidentKind.HARD, begin=9, down=9, repaired=80, crew_wait=0, person=True),
    ]
    found = build(made.scenario, made.table(), made.log(), incidents=incident_rows(cases)).incidents
    assert found["kind"].tolist() == ["unhealthy", "hard"]
    assert found["emptied"].tolist() == ["drained", "not_yet"]
    assert found["repaired"].isna().tolist() == [True, False]
    assert found["crew_wait"].tolist()[1] == 0
    assert found["person"].tolist() == [False, True]


def test_recorded_jobs_keep_their_ids():
    made = Made()
    made.job()
    made.job()
    table = attrs.evolve(made.table(), names=("first", "second"))
    assert build(made.scenario, table, made.log()).jobs["name"].tolist() == ["first", "second"]
    assert made.result().jobs["name"].tolist() == ["", ""]


def test_renaming_plan_nodes_changes_nothing_but_names():
    made = a_run()
    renamed = Plan(
        name="other",
        children=tuple(
            attrs.evolve(
                node, name=node.name[::-1], children=tuple(attrs.evolve(c, name=f"x {c.name}") for c in node.children)
            )
            for node in reversed(PLAN.children)
        ),
    )
    scenario = attrs.evolve(made.scenario, plan=renamed)
    before, after = made.result(), build(scenario, made.table(), made.log())
    assert after.jobs["leaf"].tolist()[0] == "noisiv/x robots"
    for name, frame in before.tables.items():
        other = after.tables[name]
        for column in frame:
            if frame[column].dtype.name == "category":
                assert frame[column].cat.codes.tolist() == other[column].cat.codes.tolist()
            else:
                assert frame[column].equals(other[column])


def test_two_nodes_with_one_path_are_told_apart_by_their_ids():
    plan = Plan(
        name="twins",
        children=(
            PlanNode(id="a", name="root", share=Fraction(1, 2)),
            PlanNode(id="b", share=Fraction(1, 2), children=(PlanNode(id="c", name="own", share=Fraction(1, 2)),)),
        ),
    )
    ids = ("a", "b", "b/own", "c", "root")
    assert distinct([plan.path(node) for node in ids], ids) == [
        "root (a)",
        "b",
        "b/own (b/own)",
        "b/own (c)",
        "root (root)",
    ]


def test_budgets_are_the_children_of_the_root_above_a_node():
    made = a_run()
    tree = Tree.of(PLAN, made.log())
    assert [tree.ids[row] if row >= 0 else None for row in tree.budget] == [
        "vision",
        "vision",
        None,
        "speech",
        "vision",
    ]


def test_a_run_in_which_nothing_happened_has_all_its_tables():
    made = Made()
    found = made.result()
    assert [len(found.tables[name]) for name in ("jobs", "slices", "segments", "decisions")] == [0, 0, 0, 0]
    assert found.cluster["idle_no_demand"].tolist() == [16.0] * 3
    assert found.summary["occupancy"] == 0.0
    assert found.summary["unallocated_share"] is None


def test_a_run_that_never_began_has_all_its_tables():
    made = a_run()
    log = made.log()
    nothing = {name: getattr(log, name)[:0] for name in ("slices", "segments", "placements", "decisions")}
    jobs = log.jobs.copy()
    jobs["state"] = JobState.UNSUBMITTED
    empty = attrs.evolve(log, **nothing, jobs=jobs, horizon=0, idle=log.idle[:0], capacity=log.capacity[:1])
    found = build(made.scenario, made.table(), empty)
    assert len(found.usage) == len(found.cluster) == 0
    assert found.summary["occupancy"] is None


def test_a_log_with_the_wrong_records_or_shapes_is_refused():
    log = a_run().log()
    with pytest.raises(ValueError, match="segments must be a row of records"):
        attrs.evolve(log, segments=np.zeros(3, CAPACITY))
    with pytest.raises(ValueError, match=r"idle has shape \(2, 8\), not \(3, 8\)"):
        attrs.evolve(log, idle=log.idle[:2])
    assert isinstance(log, Log)


def test_a_result_with_an_undocumented_column_is_refused(result):
    with pytest.raises(ValueError, match="'jobs' has a column 'mood' that is not documented"):
        attrs.evolve(result, jobs=result.jobs.assign(mood="good"))


def test_results_are_compared_by_all_their_rows(result):
    assert result.equals(a_run().result())
    assert not result.equals(attrs.evolve(result, cluster=result.cluster.assign(down=0.0)))
    assert "by-hand" in repr(result)
