"""Fleet files: what they say is what is read, and every mistake is told at once with its place."""

from __future__ import annotations

import attrs
import pytest

from allotment.errors import InputError
from allotment.fleet import Arbitration
from allotment.interop.fleet_file import dumps, load, loads, save
from allotment.model.switch import Switch
from allotment.presets import load_cluster, load_fleet, load_plan, load_policy, load_workload
from allotment.presets.catalogue import preset
from allotment.units import DAY
from tests.fleets import fleet, member

TEXT = """
format: 1
name: two
members:
  - {name: first, cluster: 4x8, plan: three-teams, policy: priority, switches: [{time: 9d, policy: budgets}]}
  - {name: second, cluster: {preset: h100-88, nodes: 6}, plan: three-teams, policy: fifo}
workload: {preset: small, demand: 1.5}
portable: [{kind: debug, part: 0.25}]
arbitration: allocation-balance
measured: 7d
"""


def problems(text):
    with pytest.raises(InputError) as error:
        loads(text, presets=preset)
    return list(error.value.problems)


def test_parts_are_presets_or_changed_ones_wherever_they_stand():
    read = loads(TEXT, presets=preset)
    first, second = read.members
    assert (first.cluster.gpus, second.cluster.gpus) == (32, 48)
    assert (first.policy, second.policy) == (load_policy("priority"), load_policy("fifo"))
    assert first.switches == (Switch(time=9 * DAY, policy=load_policy("budgets")),)
    assert first.plan == load_plan("three-teams")
    assert read.arbitration is Arbitration.ALLOCATION_BALANCE
    assert read.workload[1].demand == 1.5


def test_what_is_written_is_read_as_the_same_fleet(tmp_path):
    for of in (loads(TEXT, presets=preset), fleet(member("a", budgets=3)), load_fleet("three-clusters")):
        path = tmp_path / "fleet.yaml"
        save(of, path)
        assert load(path) == of
        assert load_fleet(path) == of
        assert dumps(load(path)) == dumps(of)


def test_a_part_may_be_a_file_as_seen_from_the_fleets(tmp_path):
    from allotment.interop.scenario_file import save as save_part

    save_part(load_policy("fifo"), tmp_path / "mine.yaml")
    (tmp_path / "fleet.yaml").write_text(TEXT.replace("policy: fifo", "policy: ./mine.yaml"))
    assert load_fleet(tmp_path / "fleet.yaml").members[1].policy == load_policy("fifo")


def test_every_mistake_is_told_at_once_with_its_place():
    text = (
        TEXT.replace("4x8", "h100-8x")
        .replace("policy: budgets", "policy: budget")
        .replace("name: second", "name: first")
        .replace("kind: debug", "kind: debugg")
        .replace("measured: 7d", "measured: 1d\nseeds: 3")
    )
    told = problems(text)
    assert any("no cluster 'h100-8x'" in text and "@ .members[0].cluster" in text for text in told) or any(
        ".members[0].cluster" in text for text in told
    )
    assert any("did you mean 'budgets'?" in text and text.endswith("@ .members[0].switches[0].policy") for text in told)
    assert "name 'first' is there twice; each member needs one of its own @ .members[1].name" in told
    assert "kind 'debugg' is no kind of work of an open stream here; did you mean 'debug'? @ .portable[0].kind" in told
    assert "time '9d' lies after the end, '8d' @ .members[0].switches[0].time" in told
    assert "unknown key 'seeds'; did you mean 'seed'?" in told
    assert len(told) == 6


def test_an_arbitration_that_is_none_is_told_with_those_there_are():
    (told,) = problems(TEXT.replace("allocation-balance", "round-robbin"))
    assert told.startswith(
        "arbitration must be one of home, round_robin, ranked_head, allocation_balance, not 'round-robbin'"
    )


def test_a_member_that_is_no_mapping():
    told = problems(TEXT.replace("measured: 7d", "").replace("members:\n", "members:\n  - first\n"))
    assert told == ["members[0] must be a mapping, not 'first' @ .members[0]"]


def test_a_fleet_without_members_and_one_without_a_workload():
    told = problems("format: 1\nname: empty\nmembers: []\n")
    assert told == ["missing key 'workload'", "members must hold at least one cluster @ .members"]


def test_what_is_too_large_for_every_member_is_told_where_it_stands():
    inline = TEXT.replace("workload: {preset: small, demand: 1.5}", "workload: reference")
    told = problems(inline)
    assert [text.split(" @ ")[1] for text in told] == [f".workload[1].kinds[0].sizes[{place}]" for place in (3, 4, 5)]


def test_the_preset_is_what_its_page_says():
    of = load_fleet("three-clusters")
    assert [member.cluster.gpus for member in of.members] == [88, 256, 512]
    assert {member.policy.name for member in of.members} == {"priority"}
    assert [[(s.time // DAY, s.policy.name) for s in member.switches] for member in of.members] == [
        [(day, "budgets")] for day in (14, 21, 28)
    ]
    assert (of.warmup, of.measured) == (7 * DAY, 28 * DAY)
    assert of.members[0].cluster == load_cluster("h100-88")
    assert of.workload == load_workload("reference").streams
    assert attrs.asdict(of.portable[0]) == {"kind": "debug", "part": 0.5}
