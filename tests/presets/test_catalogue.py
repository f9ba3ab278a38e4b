from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import attrs
import pytest

from allotment.errors import InputError, NotFoundError
from allotment.interop.scenario_file import dumps, save
from allotment.model.cluster import figures
from allotment.model.policy import Backfill, Key, Lending, Licence, Match
from allotment.presets import list_presets, load_cluster, load_plan, load_policy, load_scenario, load_workload
from allotment.presets.catalogue import SINGULAR, datasets, names, preset
from allotment.units import DAY, HOUR, MINUTE

PARTS = [(folder, name) for folder in SINGULAR if folder != "scenarios" for name in names(folder)]


@pytest.mark.parametrize(("folder", "name"), PARTS)
def test_a_preset_is_called_like_its_file_and_says_what_it_is_and_whence(folder: str, name: str) -> None:
    value = preset(folder, name)
    assert value.name == name
    assert value.title
    assert value.source
    if folder != "clusters":
        assert value.description


@pytest.mark.parametrize("name", names("scenarios"))
def test_every_scenario_that_ships_can_be_read(name: str) -> None:
    scenario = load_scenario(name)
    assert scenario.name == name
    assert scenario.title
    assert scenario.warmup >= scenario.policy.window.lookback


@pytest.mark.parametrize("name", names("clusters"))
def test_a_cluster_says_of_every_figure_whether_it_is_published(name: str) -> None:
    cluster = load_cluster(name)
    assert sorted((*cluster.public, *cluster.illustrative)) == sorted(figures())
    assert cluster.public


@pytest.mark.parametrize("name", names("clusters"))
def test_the_crews_of_a_cluster_can_keep_up_with_what_breaks(name: str) -> None:
    cluster = load_cluster(name)
    health = cluster.health
    assert health is not None
    cases = cluster.nodes * (1 / health.hard_mtbf + 1 / health.unhealthy_mtbf)
    mean_repair = health.repair * 2.718281828 ** (health.repair_spread**2 / 2)
    assert cases * mean_repair < 0.8 * health.crews


def test_the_clusters_have_the_sizes_that_their_names_say() -> None:
    sizes = {name: load_cluster(name).gpus for name in names("clusters")}
    assert {"h100-1024": 1024, "h100-88": 88}.items() <= sizes.items()
    assert all(name.endswith(f"-{gpus}") for name, gpus in sizes.items())
    assert {load_cluster(name).gpu for name in sizes} >= {"H100", "B200", "B300"}
    assert all(88 <= gpus <= 1024 for gpus in sizes.values())


def test_the_plan_of_fifteen_teams_has_five_uneven_programmes_and_leaves_a_tenth_open() -> None:
    plan = load_plan("fifteen-teams")
    assert len(plan.children) == 5
    assert len(plan.work_leaves()) == 15
    assert plan.open_share() == Fraction(1, 10)
    assert len({child.share for child in plan.children}) == 5
    assert min(map(plan.absolute_share, plan.work_leaves())) > 0


def test_the_policy_of_budgets_is_what_its_page_says() -> None:
    policy = load_policy("budgets")
    contracts = policy.contracts
    assert contracts is not None
    assert (contracts.cap, contracts.short, contracts.save_after) == (8 * HOUR, 15 * MINUTE, 24 * HOUR)
    assert (contracts.reserve, contracts.lending, contracts.holders) == (Fraction(1, 200), Lending.IDLE_KIN, 1)
    assert (policy.margin, policy.cooldown, policy.window.lookback) == (Fraction(1, 20), 10 * MINUTE, 7 * DAY)
    assert policy.backfill is Backfill.ANY
    funded, rest = policy.partitions
    assert (funded.match, funded.licence) == (Match.FUNDED, Licence.INTERRUPTIBLE)
    assert (rest.match, rest.licence) == (Match.ALL, Licence.NOBODY)
    assert funded.keys == (Key.BALANCE, Key.PRIORITY, Key.AGE)
    assert rest.keys == (Key.USE, Key.PRIORITY, Key.AGE)


@pytest.mark.parametrize("name", ["fifo", "fifo-strict", "fifo-any", "priority", "priority-strict", "priority-any"])
def test_the_policies_without_contracts_differ_in_what_their_names_say(name: str) -> None:
    policy = load_policy(name)
    (partition,) = policy.partitions
    assert policy.contracts is None
    if name.startswith("fifo"):
        assert (partition.keys, partition.licence) == ((Key.AGE,), Licence.NOBODY)
    else:
        assert (partition.keys, partition.licence) == ((Key.PRIORITY, Key.AGE), Licence.LOWER)
    backfills = {"strict": Backfill.STRICT, "any": Backfill.ANY}
    assert policy.backfill is backfills.get(name.rpartition("-")[2], Backfill.EASY)


def test_fair_tree_is_what_its_page_says() -> None:
    policy = load_policy("fair-tree")
    (partition,) = policy.partitions
    assert (partition.keys, partition.licence) == ((Key.LEVEL_FAIR_SHARE, Key.AGE), Licence.NOBODY)
    assert (policy.window.lookback, policy.window.half_life) == (70 * DAY, 7 * DAY)
    assert (policy.contracts, policy.backfill) == (None, Backfill.EASY)


@pytest.mark.parametrize("name", names("policies"))
def test_a_policy_states_its_ordering_funding_and_victims(name: str) -> None:
    description = load_policy(name).description
    for heading in ("Ordering.", "Funding.", "Victims."):
        assert heading in description


def test_the_catalogue_lists_everything_once() -> None:
    listed = [(entry.kind, entry.name) for entry in list_presets()]
    assert len(listed) == len(set(listed))
    assert {kind for kind, _ in listed} == set(SINGULAR.values())
    assert [entry.name for entry in list_presets("cluster")] == list(names("clusters"))
    assert all(entry.title for entry in list_presets())
    with pytest.raises(NotFoundError, match="there are scenario, cluster, plan, policy, workload"):
        list_presets("clusters")


def test_a_cluster_is_a_preset_a_size_or_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    save(load_cluster("h100-88"), path)
    assert load_cluster(str(path)) == load_cluster(path) == load_cluster("h100-88")
    assert load_cluster("64x8").gpus == 512
    with pytest.raises(NotFoundError, match="did you mean 'h100-1024'"):
        load_cluster("h100-1204")
    with pytest.raises(NotFoundError, match="as in '64x8'"):
        load_cluster("64by8")
    with pytest.raises(InputError, match="no such file"):
        load_cluster("./64x8")


def test_the_other_parts_are_presets_or_files_too(tmp_path: Path) -> None:
    for load, name in [
        (load_plan, "fifteen-teams"),
        (load_policy, "budgets"),
        (load_workload, "small"),
        (load_scenario, "small-week"),
    ]:
        path = tmp_path / f"{name}.yaml"
        path.write_text(dumps(load(name)))
        assert load(path) == load(str(path)) == load(name)
        with pytest.raises(NotFoundError, match=f"did you mean '{name}'"):
            load(f"{name}s")


def test_the_presets_of_an_installed_package_are_found_inside_it() -> None:
    assert (datasets() / "scenario.schema.json").is_file()


def test_the_published_month_has_the_published_setting_and_people_who_squat_and_inflate() -> None:
    scenario = load_scenario("published-month")
    assert (scenario.cluster.gpus, len(scenario.plan.work_leaves())) == (1024, 15)
    assert (scenario.warmup, scenario.measured) == (7 * DAY, 30 * DAY)
    assert [person.type for person in scenario.people] == ["squatting", "inflation"]
    assert (scenario.start, scenario.time_zone) == (
        (reference := load_scenario("reference-month")).start,
        reference.time_zone,
    )


def test_the_published_month_marks_few_jobs_high_by_itself() -> None:
    marks = {kind.priorities.high for stream in load_workload("published").streams for kind in stream.kinds}
    assert max(marks) <= 20


def test_the_published_mix_is_the_reference_but_for_its_free_parameters() -> None:
    mine, theirs = (load_workload(name).streams for name in ("published", "reference"))
    assert [stream.name for stream in mine] == ["debug", "evaluation", "backlog"]
    kinds, others = ({k.name: k for stream in of for k in stream.kinds} for of in (mine, theirs))
    for name, other in others.items():
        free = {"sizes": other.sizes, "weight": other.weight, "priorities": other.priorities}
        assert attrs.evolve(kinds[name], **free) == other
