from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import attrs
import pytest

from allotment.errors import ValueProblems
from allotment.model.changeset import Changeset, ShareChange
from allotment.model.cluster import Cluster
from allotment.model.people import Impatience, Inflation, OverAsking, Sessions, Squatting, Tolerance
from allotment.model.plan import Plan, PlanNode
from allotment.model.policy import Contracts, Key, Match, Partition, Policy
from allotment.model.switch import Switch
from allotment.scenario import Scenario, zone
from allotment.units import DAY, HOUR
from allotment.workload.classes import Contract, Kind, OpenStream, RecordedStream, RunTime, Size, with_sizes_up_to

BUDGETS = Policy(
    name="b", contracts=Contracts(cap=2 * HOUR), partitions=(Partition(match=Match.FUNDED, keys=(Key.AGE,)),)
)
FIFO = Policy(name="f", partitions=(Partition(match=Match.ALL, keys=(Key.AGE,)),))
PLAN = Plan(
    name="p",
    children=(PlanNode(id="a", share=0.5, children=(PlanNode(id="x", share=0.5),)), PlanNode(id="b", share=0.5)),
)


def kind(*, gpus: int = 1, min_runtime: int = 0) -> Kind:
    contracts = (Contract(min_runtime=min_runtime),)
    return Kind(name="k", sizes=(Size(gpus=gpus),), run_time=RunTime(median=HOUR), contracts=contracts)


def stream(name: str = "s", *leaves: str, **settings: Any) -> OpenStream:
    return OpenStream(name=name, kinds=(kind(**settings),), leaves=leaves, jobs_per_week=1)


def scenario(**settings: Any) -> Scenario:
    parts = {"name": "s", "cluster": Cluster.parse("2x8"), "plan": PLAN, "policy": BUDGETS, "workload": (stream(),)}
    return Scenario(**{**parts, **settings})


def problems(**settings: Any) -> tuple[str, ...]:
    with pytest.raises(ValueProblems) as caught:
        scenario(**settings)
    return caught.value.problems


def test_the_horizon_is_the_warm_up_and_what_is_measured() -> None:
    assert scenario(warmup=DAY, measured=2 * DAY).horizon == 3 * DAY


def test_a_start_without_an_offset_is_a_time_on_the_clocks_of_the_zone() -> None:
    made = scenario(start=datetime(2026, 7, 1, 9), time_zone="Europe/Zurich")  # noqa: DTZ001
    assert made.start == datetime(2026, 7, 1, 7, tzinfo=UTC)


def test_a_start_with_an_offset_is_shown_by_the_clocks_of_the_zone() -> None:
    made = scenario(start=datetime(2026, 1, 1, tzinfo=UTC), time_zone="Asia/Taipei")
    assert (made.start.hour, made.start.utcoffset()) == (8, timedelta(hours=8))
    moved = attrs.evolve(made, time_zone="UTC")
    assert (moved.start.hour, moved.start) == (0, made.start)


def test_clocks_that_change_within_the_run_are_followed() -> None:
    made = scenario(start=datetime(2026, 3, 28, tzinfo=UTC), time_zone="Europe/Zurich")
    assert [made.moment(hours * HOUR).hour for hours in (24, 25, 26)] == [1, 3, 4]


@pytest.mark.parametrize("name", ["Mars/One", "", "../etc/passwd", "Europe", "/etc/localtime", 5, "a\x00b"])
def test_a_time_zone_that_there_is_not_is_named(name: Any) -> None:
    with pytest.raises(ValueError, match="time_zone must be a name such as"):
        zone(name)


@pytest.mark.parametrize(
    "start", [datetime(1969, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC), datetime.max.replace(tzinfo=UTC)]
)
def test_a_start_that_tables_could_not_hold_is_refused(start: datetime) -> None:
    with pytest.raises(ValueError, match="start must be a whole second between 1970 and 2200"):
        scenario(start=start)


def test_a_start_within_a_second_is_refused() -> None:
    with pytest.raises(ValueError, match="whole second"):
        scenario(start=datetime(2026, 1, 1, microsecond=1, tzinfo=UTC))


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("warmup", -1),
        ("measured", 0),
        ("seed", -1),
        ("seed", 2**63),
        ("give_up_after", 0),
        ("measured", 10**9),
        ("name", ""),
    ],
)
def test_each_bound_names_the_field(field: str, value: object) -> None:
    with pytest.raises(ValueError, match=f"{field} must be"):
        scenario(**{field: value})


def test_a_stream_names_nodes_of_the_plan() -> None:
    assert scenario(workload=(stream("s", "a", "x", "a/own", "b"),)).workload[0].name == "s"
    assert problems(workload=(stream("s", "c"), stream("t", "xx"))) == (
        "leaf 'c' of 's' is no node of the plan",
        "leaf 'xx' of 't' is no node of the plan; did you mean 'x'?",
    )


def test_people_name_kinds_of_work_that_there_are() -> None:
    work = (stream(),)
    scenario(workload=work, people=(Squatting(share=1, kinds=("k",)), Inflation(kinds=("k",))))
    assert problems(workload=work, people=(Squatting(share=1), Inflation(kinds=("kk",)))) == (
        "kind 'debug' of 'squatting' is no kind of work here; there are k",
        "kind 'kk' of 'inflation' is no kind of work here; did you mean 'k'?",
    )
    assert problems(workload=work, people=(Inflation(tolerances=(Tolerance(kind="debug", wait=1),)),)) == (
        "kind 'debug' of 'inflation' is no kind of work here; there are k",
    )
    scenario(workload=work, people=(Sessions(people=1), Squatting(share=1)))  # who works in rounds has debug jobs
    scenario(workload=(RecordedStream(name="r", path="jobs.csv", cap=HOUR),), people=(Squatting(share=1),))


def test_streams_have_different_names_and_so_have_people() -> None:
    assert problems(workload=(stream(), stream()), people=(Impatience(share=1), Impatience(share=1))) == (
        "name 's' is there twice; each needs one of its own",
        "name 'impatience' is there twice; each needs one of its own",
    )


def test_no_minimum_runtime_is_above_the_cap_of_the_policy() -> None:
    scenario(workload=(stream(min_runtime=2 * HOUR),))
    assert problems(workload=(stream(min_runtime=2 * HOUR + 1),)) == (
        "min_runtime '7201s' of kind 'k' is above the cap of the policy, '2h'",
    )
    assert problems(people=(Sessions(people=1, min_runtime=3 * HOUR),)) == (
        "min_runtime '3h' is above the cap of the policy, '2h'",
    )
    assert problems(people=(OverAsking(share=0.5),)) == ("min_runtime '8h' is above the cap of the policy, '2h'",)
    recorded = RecordedStream(name="r", path="jobs.csv", cap=3 * HOUR)
    assert problems(workload=(recorded,)) == ("cap '3h' of 'r' is above the cap of the policy, '2h'",)


def test_without_contracts_there_is_no_cap() -> None:
    scenario(policy=FIFO, workload=(stream(min_runtime=DAY),))


@pytest.mark.parametrize(
    ("size", "gpus", "fits"),
    [("2x8", 16, True), ("2x8", 17, False), ("1x8", 8, True), ("3x2", 5, True), ("3x2", 7, False)],
)
def test_every_size_of_each_kind_must_fit_on_the_cluster_in_whole_nodes(size: str, gpus: int, fits: bool) -> None:
    if fits:
        scenario(cluster=Cluster.parse(size), workload=(stream(gpus=gpus),))
    else:
        (told,) = problems(cluster=Cluster.parse(size), workload=(stream(gpus=gpus),))
        have = Cluster.parse(size).gpus
        assert told.startswith(f"size {gpus} of kind 'k' does not fit on the {have} GPUs of the cluster; leave it out")
        assert f"'sizes_up_to: {have}'" in told


def test_each_size_that_is_too_large_is_told_and_one_that_is_never_asked_for_is_not() -> None:
    sizes = (Size(gpus=8), Size(gpus=64), Size(gpus=128), Size(gpus=256, weight=0))
    made = attrs.evolve(stream(), kinds=(attrs.evolve(kind(), sizes=sizes),))
    found = problems(cluster=Cluster.parse("4x8"), workload=(made,))
    assert [text.split(" of")[0] for text in found] == ["size 64", "size 128"]
    smaller, recorded = with_sizes_up_to((made, RecordedStream(path="jobs.csv", cap=HOUR)), 32)
    assert isinstance(smaller, OpenStream)
    assert [size.gpus for size in smaller.kinds[0].sizes] == [8]
    scenario(cluster=Cluster.parse("4x8"), workload=(smaller, recorded))


def change(time: int, **shares: float) -> Changeset:
    return Changeset(time=time, shares=tuple(ShareChange(id=name, share=share) for name, share in shares.items()))


def test_changesets_apply_one_after_the_other() -> None:
    scenario(changesets=(change(DAY, a=0.1), change(2 * DAY, b=0.9)))
    assert problems(changesets=(change(DAY, b=0.9),)) == (
        "the children of 'root' would sum to 1.4; siblings may sum to at most 1",
    )
    assert problems(changesets=(change(2 * DAY, a=0.1), change(DAY, a=0.2))) == (
        "changesets must be in the order of their times",
    )


def test_a_changeset_after_the_end_is_refused() -> None:
    scenario(warmup=0, measured=DAY, changesets=(change(DAY - 1, a=0.1),))
    assert problems(warmup=0, measured=DAY, changesets=(change(DAY, a=0.1),)) == ("time '1d' lies after the end, '1d'",)


def test_switches_come_in_order_within_the_run_and_each_cap_counts() -> None:
    first, second = Switch(time=DAY, policy=FIFO), Switch(time=2 * DAY, policy=BUDGETS)
    scenario(switches=(first, second))
    assert problems(switches=(second, first)) == (
        "switches must be in the order of their times, each at one of its own",
    )
    assert problems(warmup=0, measured=DAY, switches=(first,)) == ("time '1d' lies after the end, '1d'",)
    strict = Switch(time=DAY, policy=attrs.evolve(BUDGETS, contracts=Contracts(cap=HOUR)))
    assert problems(workload=(stream(min_runtime=2 * HOUR),), switches=(strict,)) == (
        "min_runtime '2h' of kind 'k' is above the cap of the policy, '1h'",
    )


def test_a_what_if_copy_is_checked_again() -> None:
    made = scenario(workload=(stream(min_runtime=2 * HOUR),))
    with pytest.raises(ValueProblems, match="above the cap"):
        attrs.evolve(made, policy=attrs.evolve(BUDGETS, contracts=Contracts(cap=HOUR)))
