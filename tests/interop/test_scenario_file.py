from __future__ import annotations

import copy
from fractions import Fraction
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allotment.errors import InputError, NotFoundError
from allotment.interop.scenario_file import (
    dumps,
    load,
    load_part,
    load_workload,
    loads,
    loads_part,
    loads_plain,
    plain_of,
    save,
)
from allotment.interop.yaml_writer import render
from allotment.model.cluster import Cluster
from allotment.model.people import OverAsking, Squatting
from allotment.model.plan import Plan
from allotment.model.policy import Backfill, Lending, Policy
from allotment.presets import load_scenario
from allotment.presets.catalogue import preset
from allotment.scenario import Scenario
from allotment.units import DAY, HOUR
from allotment.workload.classes import ClosedStream, OpenStream, RecordedStream, Workload
from tests.conftest import ROOT
from tests.strategies import clusters, plans, policies, scenarios

GOOD = """\
format: 1
name: demo
cluster: 4x8
plan:
  name: lab
  children:
    - {id: vision, share: 1/3}
    - id: language
      share: 0.6
      children: [{id: base, share: 0.5}, {id: tuned, share: 0.5}]
policy:
  name: budgets
  contracts: {cap: 4h}
  partitions:
    - {match: funded, keys: [balance, priority, age], licence: interruptible}
workload:
  - type: open
    name: debug
    leaves: [vision]
    jobs_per_week: 100
    kinds:
      - name: debug
        sizes: [{gpus: 1}]
        run_time: {median: 5m}
        contracts: [{min_runtime: 15m}]
"""


def problems_of(text: str | bytes) -> tuple[str, ...]:
    with pytest.raises(InputError) as caught:
        loads(text)
    return caught.value.problems


def changed(*changes: tuple[str, str]) -> str:
    text = GOOD
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


@settings(max_examples=60, deadline=None)
@given(scenarios(health=True, people=True))
def test_a_scenario_is_read_back_equal_and_written_the_same(scenario: Scenario) -> None:
    text = dumps(scenario)
    again = loads(text)
    assert again == scenario
    assert again.start.tzinfo == scenario.start.tzinfo
    assert dumps(again) == text


@settings(max_examples=60, deadline=None)
@given(plans() | clusters() | policies())
def test_a_part_is_read_back_equal_and_written_the_same(part: Any) -> None:
    text = dumps(part)
    assert loads_part(type(part), text) == part
    assert dumps(loads_part(type(part), text)) == text


def test_what_is_written_holds_everything_so_that_no_default_can_change_it() -> None:
    plain = plain_of(loads(GOOD))
    assert plain["policy"]["margin"] == 0.05
    assert plain["policy"]["contracts"] == {
        "cap": "4h", "short": "15m", "reserve": 0.005, "lending": "idle_kin", "save_after": "1d", "holders": 1
    }  # fmt: skip
    assert plain["plan"]["children"][0] == {"id": "vision", "share": "1/3"}
    assert plain["start"] == "2026-01-05T00:00:00+00:00"


def test_a_default_that_is_not_nothing_is_kept_when_it_is_turned_off() -> None:
    off = loads(changed(("{cap: 4h}", "{cap: 4h, save_after: null, lending: none}")))
    assert off.policy.contracts is not None
    assert off.policy.contracts.save_after is None
    assert off.policy.contracts.lending is Lending.NONE
    assert loads(dumps(off)) == off


def test_shares_are_exact() -> None:
    assert loads(GOOD).plan.node("vision").share == Fraction(1, 3)
    assert loads(changed(("share: 0.6", "share: 0.66666666666666666666"))).plan.node("language").share == Fraction(
        "0.66666666666666666666"
    )


@pytest.mark.parametrize("word", ["idle_kin", "idle-kin", "IDLE_KIN", "Idle-Kin"])
def test_choices_are_read_however_they_are_spelt(word: str) -> None:
    contracts = loads(changed(("{cap: 4h}", f"{{cap: 4h, lending: {word}}}"))).policy.contracts
    assert contracts is not None
    assert contracts.lending is Lending.IDLE_KIN


def test_seven_different_mistakes_are_seven_problems() -> None:
    text = changed(
        ("name: demo\n", "name: demo\nsed: 3\n"),  # unknown key
        ("share: 1/3", "shares: 1/3"),  # misspelt key, not a missing one too
        ("{id: tuned, share: 0.5}", "{id: tuned, share: 0.7}"),  # siblings above 1
        ("licence: interruptible", "licence: interruptable"),  # unknown choice
        ("leaves: [vision]", "leaves: [visoin]"),  # no such leaf
        ("min_runtime: 15m", "min_runtime: 5h"),  # above the cap
        ("jobs_per_week: 100", "jobs_per_week: many"),  # wrong type
    )
    assert problems_of(text) == (
        "unknown key 'sed'; did you mean 'seed'?",
        "unknown key 'shares'; did you mean 'share'? @ .plan.children[0]",
        "the children of 'language' sum to 1.2; siblings may sum to at most 1 @ .plan.children[1].children",
        "licence must be one of nobody, interruptible, lower, reclaim, not 'interruptable'; did you mean 'interruptible'? @ .policy.partitions[0].licence",
        "jobs_per_week must be a number, not 'many' @ .workload[0].jobs_per_week",
        "leaf 'visoin' of 'debug' is no node of the plan; did you mean 'vision'? @ .workload[0].leaves[0]",
        "min_runtime '5h' of kind 'debug' is above the cap of the policy, '4h' @ .workload[0].kinds[0].contracts[0].min_runtime",
    )


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("name: demo\n", "", "missing key 'name'"),
        ("name: demo\n", "name: 5\n", "name must be a text, not 5 (put it in quotes) @ .name"),
        ("name: demo\n", "name: demo\nseed: 1.5\n", "seed must be a whole number, not 1.5 @ .seed"),
        ("name: demo\n", "name: demo\nseed: true\n", "seed must be a whole number, not true @ .seed"),
        ("name: demo\n", f"name: demo\nseed: {2**63}\n", f"seed must be a number that fits in 64 bits, not {2**63} @ .seed"),
        ("name: demo\n", "name: demo\nstart: 2026-02-30\n", "start must be a date and time such as '2026-01-05T00:00:00', not '2026-02-30' @ .start"),
        ("name: demo\n", "name: demo\nstart: 5\n", "start must be a date and time such as '2026-01-05T00:00:00', not 5 @ .start"),
        ("name: demo\n", "name: demo\ntime_zone: Mars\n", "time_zone must be a name such as 'UTC' or 'Europe/Zurich', not 'Mars' @ .time_zone"),
        ("name: demo\n", "name: demo\nmeasured: 8 hours\n", "measured must be a duration such as '8h', '15m' or '7d', or a whole number of seconds, not '8 hours' @ .measured"),
        ("name: demo\n", "name: demo\npeople: 5\n", "people must be a list, not 5 @ .people"),
        ("name: demo\n", "name: demo\nodd key: 5\n", "unknown key 'odd key'"),
        ("cluster: 4x8", "cluster: [1]", "cluster must be a mapping, not a list @ .cluster"),
        ("cluster: 4x8", "cluster: null", "cluster must be a mapping, not null @ .cluster"),
        ("cluster: 4x8", "cluster: 4y8", "'4y8' is not a cluster; write nodes x GPUs per node, as in '64x8' @ .cluster"),
        ("cluster: 4x8", "cluster: {name: c, nodes: 0}", "nodes must be between 1 and 20000, not 0 @ .cluster.nodes"),
        ("cluster: 4x8", "cluster: {preset: 5}", "preset must be a name, not 5 @ .cluster.preset"),
        ("share: 1/3", "share: nan", "share must be a number such as 0.25, or a fraction such as '1/3', not 'nan' @ .plan.children[0].share"),
        ("share: 1/3", "share: .nan", "share must be a number such as 0.25, or a fraction such as '1/3', not NaN @ .plan.children[0].share"),
        ("share: 1/3", "share: 1.5", "share must be between 0 and 1, not 1.5 @ .plan.children[0].share"),
        ("share: 1/3", "share: 4/3", "share must be between 0 and 1, not 4/3 @ .plan.children[0].share"),
        ("id: base", "id: vision", "id 'vision' is there twice; every node needs one of its own @ .plan.children[1].children[0].id"),
        ("id: vision", "id: 12", "id must be a text, not 12 (put it in quotes) @ .plan.children[0].id"),
        ("- {id: vision, share: 1/3}", "- vision", "children[0] must be a mapping, not 'vision' @ .plan.children[0]"),
        ("jobs_per_week: 100", "jobs_per_week: .inf", "jobs_per_week must be a finite number, not Infinity @ .workload[0].jobs_per_week"),
        ("jobs_per_week: 100", "jobs_per_week: 1e400", "jobs_per_week must be a finite number, not 1E+400 @ .workload[0].jobs_per_week"),
        ("type: open", "type: opn", "type must be one of open, closed, recorded, not 'opn'; did you mean 'open'? @ .workload[0]"),
        ("  - type: open\n    name", "  - name", "type must be one of open, closed, recorded, and is missing @ .workload[0]"),
        ("gpus: 1", "gpus: 33", "size 33 of kind 'debug' does not fit on the 32 GPUs of the cluster; leave it out, or in a preset all that are larger by 'sizes_up_to: 32' @ .workload[0].kinds[0].sizes[0]"),
        ("match: funded", "match: all", "a policy with contracts needs a partition that matches funded work @ .policy"),
        ("keys: [balance, priority, age]", "keys: [balance, balence]", "keys[1] must be one of balance, use, priority, age, min_runtime, size, retry, level_fair_share, fair_gpus, not 'balence'; did you mean 'balance'? @ .policy.partitions[0].keys[1]"),
        ("{cap: 4h}", "{cap: 4h, short: 5h}", "short must be at most the cap of 14400 s, not 18000 @ .policy.contracts"),
        ("{cap: 4h}", "4h", "contracts must be a mapping, not '4h' @ .policy.contracts"),
        ("leaves: [vision]", "leaves: vision", "leaves must be a list, not 'vision' @ .workload[0].leaves"),
        ("leaves: [vision]", "leaves: [on, 1]", "leaves[1] must be a text, not 1 (put it in quotes) @ .workload[0].leaves[1]"),
        ("format: 1\n", "", "missing key 'format'; begin the file with 'format: 1'"),
        ("format: 1\n", "format: 2\n", "format must be 1, not 2; no other is known here @ .format"),
        ("format: 1\n", "format: true\n", "format must be 1, not true; no other is known here @ .format"),
    ],
)  # fmt: skip
def test_one_mistake_is_one_problem_that_names_thing_value_and_place(old: str, new: str, problem: str) -> None:
    assert problems_of(changed((old, new))) == (problem,)


def test_what_follows_from_a_mistake_is_not_told_as_another() -> None:
    assert problems_of(changed(("id: vision,", "id: [],"), ("leaves: [vision]", "leaves: [visoin]"))) == (
        "id must be a text, not a list @ .plan.children[0].id",
    )
    assert problems_of(
        changed(("contracts: {cap: 4h}", "contracts: {cap: no}"), ("min_runtime: 15m", "min_runtime: 9h"))
    ) == (
        "cap must be a duration such as '8h', '15m' or '7d', or a whole number of seconds, not 'no' @ .policy.contracts.cap",
    )
    changesets = "changesets: [{time: 1d, shares: [{id: vision, share: 0.1}]}]\n"
    assert len(problems_of(changed(("{id: tuned, share: 0.5}", "{id: tuned, share: 0.7}")) + changesets)) == 1


def test_mistakes_within_one_object_are_all_told() -> None:
    assert problems_of(changed(("{cap: 4h}", "{cap: 4h, short: 5h, reserve: 2, holders: 99, lending: x}"))) == (
        "reserve must be between 0 and 1, not 2 @ .policy.contracts.reserve",
        "lending must be one of none, idle_kin, always, not 'x' @ .policy.contracts.lending",
        "holders must be between 0 and 16, not 99 @ .policy.contracts.holders",
        "short must be at most the cap of 14400 s, not 18000 @ .policy.contracts",
    )


def test_the_policies_of_switches_are_presets_or_written_out() -> None:
    switches = """\
switches:
  - {time: 1d, policy: plain}
  - {time: 2d, policy: {preset: plain, backfill: strict}}
"""
    policy = loads(GOOD).policy

    def presets(folder: str, name: str) -> Any:
        if (folder, name) == ("policies", "plain"):
            return attrs.evolve(policy, name="plain")
        raise NotFoundError(f"there is no preset {name!r} in {folder}")

    made = loads(GOOD + switches, presets=presets)
    assert [(switch.time, switch.policy.name) for switch in made.switches] == [
        (DAY, "plain"),
        (2 * DAY, "plain (changed)"),
    ]
    assert made.switches[1].policy.backfill is Backfill.STRICT
    assert loads(dumps(made)) == made
    assert problems_of(GOOD + "switches: [{time: 1d, policy: plan}, {tme: 2d, policy: plain}]\n") == (
        "there is no preset 'plan' in policies; write it out @ .switches[0].policy",
        "there is no preset 'plain' in policies; write it out @ .switches[1].policy",
        "unknown key 'tme'; did you mean 'time'? @ .switches[1]",
    )


def test_changesets_are_checked_against_the_plan_one_after_the_other() -> None:
    changesets = """\
changesets:
  - {time: 1d, author: ana, reason: more, shares: [{id: vision, share: 0.2, old: 1/3}]}
  - {time: 2d, shares: [{id: language, share: 0.9, old: 0.6}]}
"""
    assert problems_of(GOOD + changesets) == (
        "the children of 'root' would sum to 1.1; siblings may sum to at most 1 @ .changesets[1]",
    )
    assert len(loads(GOOD + changesets.replace("0.9", "0.8")).changesets) == 2


@pytest.mark.parametrize("text", ["- 1", "5", "word", "null"])
def test_a_file_that_holds_no_mapping_is_told_so(text: str) -> None:
    (problem,) = problems_of(text)
    assert problem.startswith("the file must hold a mapping such as 'format: 1', not ")


def test_a_file_with_an_endless_number_of_mistakes_lists_some_of_them() -> None:
    problems = problems_of(GOOD + "".join(f"x{n}: 1\n" for n in range(1000)))
    assert len(problems) == 201
    assert problems[-1] == "and 800 more"


def test_nothing_in_a_file_is_executed(tmp_path: Path) -> None:
    sign = tmp_path / "sign"
    text = changed(
        (
            "name: demo",
            f"name: !!python/object/apply:pathlib.Path.touch [!!python/object/apply:pathlib.Path ['{sign}']]",
        )
    )
    assert len(problems_of(text)) >= 1
    assert not sign.exists()


# -- presets in a scenario ---------------------------------------------------------------------------------------------


def test_the_name_of_a_preset_stands_for_its_value() -> None:
    scenario = loads(changed(("cluster: 4x8", "cluster: h100-88")), presets=preset)
    assert scenario.cluster == preset("clusters", "h100-88")
    assert loads(dumps(scenario)) == scenario


def test_a_preset_can_be_changed_and_says_so() -> None:
    text = changed(("cluster: 4x8", "cluster: {preset: h100-88, nodes: 4, health: {crews: 3}}"))
    cluster = loads(text, presets=preset).cluster
    original = preset("clusters", "h100-88")
    assert (cluster.name, cluster.nodes) == ("h100-88 (changed)", 4)
    assert cluster.health == attrs.evolve(original.health, crews=3)
    assert "nodes" in original.public
    assert "nodes" not in cluster.public
    assert "health.crews" not in cluster.illustrative


def test_a_policy_can_be_a_preset_with_another_cap() -> None:
    start = GOOD.index("policy:")
    text = (
        GOOD[:start]
        + "policy: {preset: budgets, name: short, contracts: {cap: 10m}}\n"
        + GOOD[GOOD.index("workload:") :]
    )
    with pytest.raises(InputError) as caught:
        loads(text, presets=preset)
    assert [problem.split(" @ ")[1] for problem in caught.value.problems] == [
        ".policy.contracts",  # the preset's short claims are above the new cap
        ".workload[0].kinds[0].contracts[0].min_runtime",
    ]
    policy = loads(text.replace("10m", "20m"), presets=preset).policy
    assert policy.name == "short"
    assert policy.contracts is not None
    assert policy.contracts.cap == 1200


def test_a_workload_can_be_a_preset_at_another_demand() -> None:
    workload = preset("workloads", "small")
    head = GOOD[: GOOD.index("workload:")].replace("4h", "8h")
    assert loads(head + "workload: small\n", presets=preset).workload == workload.streams
    at_three = loads(head + "workload: {preset: small, demand: 3}\n", presets=preset).workload
    assert [stream.demand for stream in at_three if isinstance(stream, ClosedStream)] == [3]
    with pytest.raises(InputError) as caught:
        loads(head + "workload: {preset: small, demand: much, deman: 3}\n", presets=preset)
    assert caught.value.problems == (
        "unknown key 'deman'; did you mean 'demand'? @ .workload",
        "demand must be a number, not 'much' @ .workload.demand",
    )


def test_a_preset_that_there_is_not_is_one_problem_among_others() -> None:
    with pytest.raises(InputError) as caught:
        loads(
            changed(("cluster: 4x8", "cluster: h100-1204"), ("jobs_per_week: 100", "jobs_per_week: -1")), presets=preset
        )
    assert len(caught.value.problems) == 2
    assert caught.value.problems[0].startswith("there is no cluster 'h100-1204'; did you mean 'h100-1024'? there are ")
    assert caught.value.problems[0].endswith(" @ .cluster")


@pytest.mark.parametrize("name", ["../../pyproject", "/etc/passwd", "h100-88.yaml", "clusters/h100-88", ""])
def test_the_name_of_a_preset_is_no_path(name: str) -> None:
    with pytest.raises(NotFoundError):
        preset("clusters", name)


# -- files -------------------------------------------------------------------------------------------------------------


def test_a_file_is_written_and_read(tmp_path: Path) -> None:
    scenario = loads(GOOD)
    save(scenario, tmp_path / "one.yaml")
    assert load(tmp_path / "one.yaml") == scenario
    save(scenario.plan, tmp_path / "plan.yaml")
    assert load_part(Plan, tmp_path / "plan.yaml") == scenario.plan
    assert loads_plain((tmp_path / "plan.yaml").read_bytes())["name"] == "lab"


def test_an_error_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text("format: 1\n")
    with pytest.raises(InputError) as caught:
        load(path)
    assert caught.value.source == str(path)
    assert set(caught.value.problems) == {
        f"missing key {key!r}" for key in ("name", "cluster", "plan", "policy", "workload")
    }
    with pytest.raises(InputError, match="this is a folder"):
        load(tmp_path)
    with pytest.raises(InputError, match="no such file"):
        load_part(Cluster, tmp_path / "none.yaml")


def test_the_path_of_a_recording_is_as_seen_from_the_file(tmp_path: Path) -> None:
    recorded = "format: 1\nname: w\nstreams: [{type: recorded, path: jobs.csv}, {type: recorded, name: b, path: /data/jobs.csv}]\n"
    (tmp_path / "w.yaml").write_text(recorded)
    workload = load_workload(tmp_path / "w.yaml")
    assert [stream.path for stream in workload.streams if isinstance(stream, RecordedStream)] == [
        str(tmp_path / "jobs.csv"),
        "/data/jobs.csv",
    ]
    start = GOOD.index("  - type: open")
    (tmp_path / "s.yaml").write_text(GOOD[:start].replace("4h", "8h") + "  - {type: recorded, path: jobs.csv}\n")
    (stream,) = load(tmp_path / "s.yaml").workload
    assert isinstance(stream, RecordedStream)
    assert stream.path == str(tmp_path / "jobs.csv")


def test_a_part_of_another_kind_is_not_taken_for_one() -> None:
    with pytest.raises(InputError) as caught:
        loads_part(Policy, dumps(loads(GOOD).plan))
    assert "unknown key 'children' @" not in caught.value.problems
    assert any(problem.startswith("unknown key 'children'") for problem in caught.value.problems)
    with pytest.raises(InputError, match="missing key 'streams'"):
        loads_part(Workload, "format: 1\nname: w\n")


# -- any damage gives one clear error ----------------------------------------------------------------------------------

odd = st.sampled_from(
    [None, True, -1, 0, 10**30, 1.5, "", "x", "8h", "nan", [], {}, [[]], [{}], {"a": 1}, {"preset": 5}, [None], "\n"]
)


def places(value: Any) -> list[tuple[Any, Any]]:
    """Return every (container, key) in plain data."""
    if isinstance(value, dict):
        return [(value, key) for key in value] + [place for item in value.values() for place in places(item)]
    if isinstance(value, list):
        return [(value, index) for index in range(len(value))] + [place for item in value for place in places(item)]
    return []


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_however_a_file_is_damaged_it_is_read_or_refused_clearly(data: st.DataObject) -> None:
    plain = copy.deepcopy({"format": 1, **plain_of(load_scenario("small-week"))})
    for _ in range(data.draw(st.integers(1, 3))):
        container, key = data.draw(st.sampled_from(places(plain)))
        match data.draw(st.sampled_from(["put", "drop", "misspell", "double"])):
            case "drop":
                del container[key]
            case "misspell" if isinstance(container, dict):
                container[f"{key}s"] = container.pop(key)
            case "double" if isinstance(container, list):
                container.append(container[key])
            case _:
                container[key] = data.draw(odd)
    try:
        scenario = loads(render(plain), presets=preset)
    except InputError as error:
        assert error.problems  # noqa: PT017
    else:
        assert loads(dumps(scenario)) == scenario


def test_durations_of_a_scenario_are_seconds() -> None:
    scenario = loads(GOOD)
    assert (scenario.warmup, scenario.measured) == (7 * DAY, 30 * DAY)
    stream = scenario.workload[0]
    assert isinstance(stream, OpenStream)
    assert stream.kinds[0].contracts[0].min_runtime == HOUR // 4


def test_the_people_in_the_documentation_are_read_as_they_stand_there() -> None:
    text = (ROOT / "src/allotment/world/PEOPLE.md").read_text(encoding="utf-8")
    people = text.split("```yaml\n")[1].split("```")[0]
    plain = "".join(f"{line}\n" for line in dumps(load_scenario("small-week")).splitlines() if line != "people: []")
    made = loads(f"{plain}{people}").people
    assert [person.type for person in made] == ["squatting", "inflation", "over_asking"]
    assert made[0] == Squatting(users=0.5, share=0.1)
    assert made[2] == OverAsking(share=0.3, kinds=("training",))


def test_every_mistake_about_people_is_told_with_its_place() -> None:
    people = (
        "people:\n"
        "- {type: squatting, share: 2, hold: {median: 0s}, users: 0.5}\n"
        "- {type: inflation, tolerence: 1h, highest: highest, tolerances: [{kind: debug}]}\n"
        "- {type: over_asking, min_runtime: soon}\n"
        "- {type: overasking, share: 1}\n"
    )
    wanted = "must be a duration such as '8h', '15m' or '7d', or a whole number of seconds"
    types = "impatience, sessions, squatting, inflation, over_asking"
    assert problems_of(f"{GOOD}{people}") == (
        "share must be between 0 and 1, not 2.0 @ .people[0].share",
        "median must be at least 1, not 0 @ .people[0].hold.median",
        "unknown key 'tolerence'; did you mean 'tolerance'? @ .people[1]",
        "missing key 'wait' @ .people[1].tolerances[0]",
        "highest must be one of low, normal, high, urgent, not 'highest'; did you mean 'high'? @ .people[1].highest",
        "missing key 'share' @ .people[2]",
        f"min_runtime {wanted}, not 'soon' @ .people[2].min_runtime",
        f"type must be one of {types}, not 'overasking'; did you mean 'over_asking'? @ .people[3]",
    )


def test_a_part_of_a_scenario_may_be_a_file_of_its_own(tmp_path: Path) -> None:
    week = load_scenario("small-week")
    (tmp_path / "parts").mkdir()
    for part in ("cluster", "plan", "policy"):
        save(getattr(week, part), tmp_path / "parts" / f"{part}.yaml")
    (tmp_path / "parts" / "jobs.yaml").write_text(
        "format: 1\nname: jobs\nstreams: [{type: recorded, path: ../jobs.csv}]\n"
    )
    scenario = tmp_path / "mine.yaml"
    scenario.write_text(
        "format: 1\nname: mine\ncluster: {preset: parts/cluster.yaml, nodes: 3}\nplan: ./parts/plan.yaml\n"
        "policy: parts/policy.yaml\nworkload: parts/jobs.yaml\n"
    )
    found = load(scenario)
    assert (found.plan, found.policy, found.cluster.nodes) == (week.plan, week.policy, 3)
    assert [stream.path for stream in found.workload if isinstance(stream, RecordedStream)] == [
        str(tmp_path / "jobs.csv")
    ]
    scenario.write_text(scenario.read_text().replace("./parts/plan.yaml", "./parts/plans.yaml"))
    with pytest.raises(InputError, match=r"plans.yaml: .* there is no such file @ \.plan"):
        load(scenario)


def test_sizes_of_a_preset_can_be_left_out() -> None:
    text = GOOD[: GOOD.index("workload:")].replace("cap: 4h", "cap: 8h") + "workload: {preset: small, sizes_up_to: 8}\n"
    streams = [stream for stream in loads(text, presets=preset).workload if not isinstance(stream, RecordedStream)]
    assert {size.gpus for stream in streams for kind in stream.kinds for size in kind.sizes} == {1, 2, 4, 8}
    for wrong, said in (("0", "must leave a size to kind 'debug', whose smallest is 1, not 0"), ("a", "whole number")):
        with pytest.raises(InputError, match=rf"sizes_up_to must .*{said}|{said}.* @ .workload.sizes_up_to"):
            loads(text.replace("to: 8", f"to: {wrong}"), presets=preset)


def test_what_stands_under_a_misspelt_key_or_type_is_checked_too() -> None:
    """The finding: a contract above the cap was told only after four other mistakes had been mended."""
    found = problems_of(
        changed(
            ("type: open", "type: opened"),
            ("    kinds:\n", "    kindes:\n"),
            ("run_time: {median: 5m}", "runtime: {median: 5m, sigma: 9}"),
            ("contracts: [{min_runtime: 15m}]", "contract: [{min_runtime: 12h}]"),
            ("{cap: 4h}", "{cap: 4h, shortt: 5h}"),
        )
    )
    assert [text.rpartition(" @ ")[0].split(";")[0] for text in found] == [
        "unknown key 'shortt'",
        "short must be at most the cap of 14400 s, not 18000",
        "type must be one of open, closed, recorded, not 'opened'",
        "unknown key 'kindes'",
        "unknown key 'runtime'",
        "unknown key 'contract'",
        "sigma must be between 0 and 5, not 9.0",
        "min_runtime '12h' of kind 'debug' is above the cap of the policy, '4h'",
    ]


def test_changes_of_nodes_that_are_not_there_are_told_of_a_plan_that_does_not_fit_either() -> None:
    text = changed(("share: 0.6", "share: 0.9")) + "changesets: [{time: 1d, shares: [{id: visio, share: 0.1}]}]\n"
    found = problems_of(text)
    assert [part.split(";")[0] for part in found] == [
        "the children of 'root' sum to 37/30",
        "the plan has no node 'visio' @ .changesets[0].shares[0].id",
    ]
