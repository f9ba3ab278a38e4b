"""What a fleet is, and every mistake in one, told at once and with its place."""

from __future__ import annotations

import attrs
import pytest

from allotment.errors import NotFoundError, ValueProblems
from allotment.fleet import Fleet, Portable, contradictions
from allotment.model.people import Sessions
from allotment.model.plan import Plan, PlanNode
from allotment.presets import load_workload
from allotment.units import DAY
from allotment.workload.classes import ClosedStream, OpenStream, RecordedStream
from tests.fleets import fleet, member

A, B = member("a", "2x8"), member("b", "6x8")


def problems_of(*members, **changes):
    """Return the problems of a fleet with their places, though it cannot be made."""
    good = fleet(A, B)
    values = {field.name: getattr(good, field.name) for field in attrs.fields(Fleet)} | {"members": members} | changes
    fragment = Fleet.__new__(Fleet)
    for name, value in values.items():
        object.__setattr__(fragment, name, value)
    found = list(contradictions(fragment))
    with pytest.raises(ValueProblems) as error:
        Fleet(**values)
    assert list(error.value.problems) == [text for _, text in found]
    return found


def test_each_member_has_its_part_of_open_streams_and_the_same_multiple_of_closed_ones():
    of = fleet(A, B)
    whole = {stream.name: stream for stream in of.workload}
    for name, part in (("a", 0.25), ("b", 0.75)):
        for stream in of.scenario(name).workload:
            if isinstance(stream, OpenStream):
                assert stream.jobs_per_week == part * whole[stream.name].jobs_per_week
            else:
                assert isinstance(stream, ClosedStream)
                assert stream.demand == whole[stream.name].demand


def test_sizes_that_do_not_fit_on_a_member_are_not_asked_there():
    of = fleet(A, B)
    sizes = {name: {size.gpus for size in of.scenario(name).workload[1].kinds[0].sizes} for name in "ab"}
    assert sizes == {"a": {1, 2, 4, 8, 16}, "b": {1, 2, 4, 8, 16, 32}}


def test_members_have_seeds_of_their_own_that_follow_from_the_name_alone():
    of = fleet(A, B)
    seeds = [of.scenario(name).seed for name in "ab"]
    assert len(set(seeds)) == 2
    assert fleet(B, A, member("c")).scenario("a").seed == seeds[0]
    assert attrs.evolve(of, seed=1).scenario("a").seed != seeds[0]


def test_a_member_that_is_not_there_is_refused_with_those_that_are():
    with pytest.raises(NotFoundError, match="no member 'c'; there are a, b"):
        fleet(A, B).scenario("c")


def test_a_fleet_without_members_is_none():
    assert problems_of() == [(("members",), "members must hold at least one cluster")]


def test_two_members_of_one_name():
    found = problems_of(A, attrs.evolve(B, name="a"))
    assert found == [(("members", 1, "name"), "name 'a' is there twice; each member needs one of its own")]


def test_a_switch_beyond_the_end():
    found = problems_of(A, member("b", "6x8", budgets=9))
    assert found == [(("members", 1, "switches", 0, "time"), "time '9d' lies after the end, '5d'")]


def test_two_switches_out_of_order():
    found = problems_of(member("a", budgets=2, fifo=1))
    assert found[0][0] == ("members", 0, "switches", 1, "time")


@pytest.mark.parametrize(
    ("portable", "said"),
    [
        ("debugg", "kind 'debugg' is no kind of work of an open stream here; did you mean 'debug'?"),
        ("training", "kind 'training' is of closed streams alone, whose jobs belong to one cluster; leave it out"),
        ("xyz", "kind 'xyz' is no kind of work of an open stream here; there are debug"),
    ],
)
def test_a_portable_kind_that_is_not_there(portable, said):
    assert problems_of(A, B, portable=(Portable(kind=portable),)) == [(("portable", 0, "kind"), said)]


def test_a_portable_kind_that_is_there_twice():
    twice = (Portable(kind="debug", part=0.5), Portable(kind="debug", part=0.2))
    assert problems_of(A, B, portable=twice) == [
        (("portable", 1, "kind"), "kind 'debug' is there twice; say its part once")
    ]


def test_a_size_that_fits_on_no_member():
    found = problems_of(A, member("c", "1x8"), portable=())
    assert found == [
        (
            ("workload", 1, "kinds", 0, "sizes", 5),
            (
                "size 32 of kind 'training' fits on no member, of which the largest has 16 GPUs; leave it out, or in a preset all "
                "that are larger by 'sizes_up_to: 16'"
            ),
        )
    ]


def test_a_kind_of_which_no_size_fits_on_one_member():
    streams = load_workload("reference").streams
    found = problems_of(member("a", "1x4"), member("b", "64x8"), workload=streams, portable=())
    assert [where for where, _ in found] == [("workload", 1, "kinds", 0)]
    assert found[0][1].startswith(
        "no size of kind 'training' fits on the 4 GPUs of member 'a'; give the kind a smaller"
    )


def test_recorded_work():
    stream = RecordedStream(path="jobs.csv")
    found = problems_of(A, workload=(stream,), portable=())
    assert found == [(("workload", 0), "stream 'recorded' is recorded; a fleet has made-up jobs alone")]


def test_what_is_wrong_on_one_member_alone_says_on_which():
    other = attrs.evolve(B, plan=Plan(name="other", children=(PlanNode(id="climate", share=1),)))
    streams = tuple(attrs.evolve(stream, leaves=("biology",)) for stream in fleet(A, B).workload)
    found = problems_of(A, other, workload=streams)
    assert found[0] == (
        ("workload", 0, "leaves", 0),
        "leaf 'biology' of 'debug' is no node of the plan (on member 'b')",
    )


def test_what_is_wrong_on_all_is_said_once():
    people = (Sessions(people=1, leaves=("bio",)),)
    found = problems_of(A, B, people=people)
    assert found == [
        (("people", 0, "leaves", 0), "leaf 'bio' of 'sessions' is no node of the plan; did you mean 'biology'?")
    ]


def test_every_mistake_is_told_at_once():
    found = problems_of(A, A, portable=(Portable(kind="x"),), people=(Sessions(people=1, leaves=("bio",)),))
    assert [where[0] for where, _ in found] == ["members", "portable", "people"]


def test_values_out_of_bounds_are_refused_by_name():
    with pytest.raises(ValueError, match=r"part must be between 0 and 1, not 1\.5"):
        Portable(kind="debug", part=1.5)
    with pytest.raises(ValueError, match="warmup must be between 0"):
        fleet(A, warmup=-DAY)
    with pytest.raises(ValueError, match="time_zone must be a name such as"):
        fleet(A, time_zone="Mars")
