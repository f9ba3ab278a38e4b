from __future__ import annotations

import base64
import json
import zlib

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allotment.errors import InputError
from allotment.experiment.simulate import draw
from allotment.interop.scenario_file import dumps
from allotment.model.changeset import Changeset, ShareChange
from allotment.presets import load_policy, load_scenario
from allotment.units import DAY, HOUR
from allotment.views.workbench.settings import (
    RUNS,
    Settings,
    Turn,
    from_link,
    scenarios_of,
    share_changes,
    to_link,
)
from allotment.workload.mix import Turned
from tests.strategies import lines, plans

WEEK = load_scenario("small-week")
turns = st.builds(
    Turned,
    kind=lines,
    rate=st.floats(0, 100),
    sizes_up_to=st.none() | st.integers(1, 4096),
    min_runtime=st.none() | st.integers(0, DAY),
    resumable=st.none() | st.floats(0, 1),
    checkpoint=st.none() | st.integers(1, DAY),
)
parts = {
    "cluster": st.none() | lines,
    "first": lines,
    "second": lines,
    "demand": st.none() | st.floats(0, 100),
    "days": st.none() | st.integers(1, 366),
    "seed": st.none() | st.integers(0, 2**63 - 1),
    "mix": st.lists(turns, max_size=3, unique_by=lambda turn: turn.kind).map(tuple),
    "plan": st.none() | plans(most=4),
    "author": lines,
    "reason": lines,
    "edits": st.lists(
        st.builds(Changeset, time=st.integers(0, DAY), shares=st.just((ShareChange(id="a", share="1/3"),))), max_size=2
    ).map(tuple),
    "turns": st.lists(
        st.builds(Turn, run=st.sampled_from(RUNS), time=st.integers(0, DAY), policy=lines), max_size=2
    ).map(tuple),
}
all_settings = st.builds(
    Settings,
    **parts,
    pinned=st.none() | st.builds(Settings, **parts),
    pinned_until=st.none() | st.integers(1, DAY),
)


@given(all_settings)
@settings(max_examples=60, deadline=None)
def test_a_link_gives_back_what_was_set(made):
    assert from_link(to_link(made)) == made


def test_a_link_of_little_is_short():
    assert len(to_link(Settings())) < 60
    assert len(to_link(Settings(demand=2, plan=WEEK.plan))) < 600


@pytest.mark.parametrize("text", ["", "x", "%%%", "eJw", to_link(Settings())[:-4], "é", "a" * 70_000])
def test_a_link_that_is_damaged_says_so(text):
    with pytest.raises(InputError, match="cut off or changed|at most 60,000"):
        from_link(text)


def test_what_is_pinned_makes_a_link_little_longer():
    alone = to_link(Settings(plan=WEEK.plan, demand=2))
    assert len(to_link(Settings(plan=WEEK.plan, demand=2, pinned=Settings(plan=WEEK.plan)))) < len(alone) + 60


def link_of(said):
    """Return a link that says anything, as somebody else may make it."""
    return base64.urlsafe_b64encode(zlib.compress(json.dumps(said).encode())).decode()


def test_a_link_with_mistakes_in_it_tells_all_of_them():
    with pytest.raises(InputError) as caught:
        from_link(link_of({"seed": -1, "fist": "fifo", "days": "two"}))
    assert len(caught.value.problems) == 3


def nested(levels):
    return {"id": f"n{levels}", "share": 1, "children": [nested(levels - 1)] if levels else []}


@pytest.mark.parametrize(
    ("said", "problem"),
    [
        ({"plan": {"name": "x", "children": [nested(330)]}}, "nested deeper than 256 levels"),
        ({"edits": [{"time": n, "shares": [{"id": "a", "share": 1}]} for n in range(1001)]}, "1,001 'edits'; at most"),
        ({"turns": [{"run": "A", "time": n, "policy": "fifo"} for n in range(1001)]}, "1,001 'turns'; at most 1,000"),
        ({"mix": [{"kind": "batch"}, {"kind": "batch", "rate": 2}]}, "kind of work 'batch' is changed twice"),
        (
            {"pinned": {"turns": [{"run": "B", "time": n, "policy": "fifo"} for n in range(1001)]}},
            "1,001 'turns'; at most 1,000",
        ),
        ({"pinned": {"pinned": {}}}, "what is pinned has something pinned itself; pin a run anew"),
        ({"pinned": 3}, "pinned must be a mapping"),
        ({"pinned": {"seed": -1}}, "seed must be .* @ .pinned.seed"),
        ({"pinned_until": 0}, "pinned_until must be"),
        ({"cluster": "x" * 50_000}, "cluster must have at most 200 characters"),
        ({"author": "\ud800"}, "author must be a text, not '.ud800'; it holds half of a character"),
        ({"plan": {"name": "x", "title": "\udc80", "children": [nested(0)]}}, "title must be a text"),
    ],
)
def test_a_link_that_nobody_made_by_hand_is_refused(said, problem):
    with pytest.raises(InputError, match=problem):
        from_link(link_of(said))


@pytest.mark.parametrize("path", ["{}", "./policy.yaml", "/etc/passwd", "/dev/zero", "..\\x.yaml", "9/{}"])
def test_no_file_is_ever_read_because_a_link_names_it(path, tmp_path, monkeypatch):
    file = tmp_path / "policy.yaml"
    file.write_text(dumps(load_policy("fifo")))
    monkeypatch.chdir(tmp_path)
    name = path.format(file)
    for wrong in (
        Settings(first=name),
        Settings(second=name),
        Settings(cluster=name),
        Settings(turns=(Turn(run="B", time=0, policy=name),)),
    ):
        with pytest.raises(InputError) as caught:
            scenarios_of(WEEK, wrong)
        assert [
            problem.startswith("there is no ") or "is not a cluster" in problem for problem in caught.value.problems
        ] == [True]


def test_two_policies_meet_the_same_jobs():
    first, second = scenarios_of(WEEK, Settings(demand=3, seed=4, days=2))
    assert (first.policy.name, second.policy.name) == ("priority", "budgets")
    assert attrs.evolve(first, policy=second.policy) == second
    assert (first.seed, first.measured) == (4, 2 * DAY)
    assert draw(first).digest == draw(second).digest


def test_other_shares_leave_the_jobs_as_they_are_and_another_tree_does_not():
    plan = WEEK.plan
    science = plan.node("science")
    shares = tuple(
        attrs.evolve(child, share=share) for child, share in zip(science.children, ("0.7", "0.3"), strict=True)
    )
    dragged = attrs.evolve(plan, children=(plan.children[0], attrs.evolve(science, children=shares)))
    first, _ = scenarios_of(WEEK, Settings(plan=dragged))
    assert first.plan == plan
    assert [(change.id, float(change.share)) for change in first.changesets[0].shares] == [
        ("biology", 0.7),
        ("climate", 0.3),
    ]
    assert draw(first).digest == draw(WEEK).digest
    alone = attrs.evolve(plan, children=plan.children[:1])
    assert share_changes(plan, alone) is None
    assert scenarios_of(WEEK, Settings(plan=alone))[0].plan == alone
    assert share_changes(plan, plan) == ()
    limited = attrs.evolve(plan, children=(attrs.evolve(plan.children[0], allocated_limit=8), plan.children[1]))
    assert share_changes(plan, limited) is None


def test_everything_that_does_not_fit_is_told_at_once():
    wrong = Settings(cluster="h100-8", second="budget", mix=(Turned(kind="sleep"),), days=3)
    with pytest.raises(InputError) as caught:
        scenarios_of(WEEK, wrong)
    assert [problem.split(";")[0] for problem in caught.value.problems] == [
        "there is no cluster 'h100-8'",
        "there is no kind of work 'sleep' to change",
        "there is no policy 'budget'",
    ]


def test_a_smaller_cluster_leaves_out_what_does_not_fit_on_it():
    first, _ = scenarios_of(WEEK, Settings(cluster="1x8"))
    assert max(size.gpus for stream in first.workload for kind in stream.kinds for size in kind.sizes) == 8


def test_a_contract_above_the_cap_is_refused_with_the_way_out():
    with pytest.raises(InputError, match="min_runtime '9h' of kind 'training' is above the cap of the policy, '8h'"):
        scenarios_of(WEEK, Settings(mix=(Turned(kind="training", min_runtime=9 * HOUR),)))
