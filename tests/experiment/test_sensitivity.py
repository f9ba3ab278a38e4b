"""Which settings move which figure, on the smallest scenario."""

from __future__ import annotations

from functools import partial

import attrs
import pytest

from allotment.experiment.measures import UNITS, measure
from allotment.experiment.sensitivity import COLUMNS, sensitivity, table
from allotment.experiment.simulate import simulate
from allotment.experiment.variations import VARIATIONS, Side, Variation
from allotment.presets import load_scenario
from allotment.units import MINUTE

SEEDS = (3, 4)
CHECKPOINTS = next(each for each in VARIATIONS if each.name == "checkpoints")
RENAMED = Variation(
    name="title",
    about="what it is called",
    low=Side(label="other", change=partial(attrs.evolve, title="other")),
    high=Side(label="none", change=lambda scenario: None),
)


@pytest.fixture(scope="module")
def week():
    return load_scenario("small-week")


@pytest.fixture(scope="module")
def found(week):
    return sensitivity(week, seeds=SEEDS, variations=(CHECKPOINTS, RENAMED), processes=1)


def figures(scenario):
    return [measure(simulate(attrs.evolve(scenario, seed=seed)).summary) for seed in SEEDS]


def test_differences_are_taken_seed_by_seed(week, found):
    as_it_is, turned = figures(week), figures(CHECKPOINTS.high.change(week))
    effect = next(each for each in found.effects if (each.setting, each.side) == ("checkpoints", "high"))
    for name in ("work_lost", "occupancy", "preemptions"):
        assert found.base[name].values == tuple(run[name] for run in as_it_is)
        expected = tuple(run[name] - was[name] for was, run in zip(as_it_is, turned, strict=True))
        assert effect.differences[name].values == expected


def test_checkpoints_further_apart_lose_more_work_and_closer_ones_less(found):
    shown = table(found)
    lost = shown[(shown["setting"] == "checkpoints") & (shown["figure"] == "work_lost")].set_index("side")
    assert lost.loc["low", "highest"] < 0 < lost.loc["high", "lowest"]
    assert lost["moves"].all()


def test_what_decides_nothing_moves_nothing(found):
    effect = next(each for each in found.effects if each.setting == "title")
    assert {value for each in effect.differences.values() if each for value in each.values} == {0}
    assert not table(found).query("setting == 'title'")["moves"].any()


def test_a_side_that_does_not_fit_is_told(found):
    assert found.left_out == (("title", "none"),)
    assert [(each.setting, each.side) for each in found.effects] == [
        ("checkpoints", "low"),
        ("checkpoints", "high"),
        ("title", "low"),
    ]


def test_the_table_has_the_columns_that_are_described_and_a_unit_for_each_figure(found):
    shown = table(found)
    assert list(shown.columns) == list(COLUMNS)
    assert set(shown["figure"]) <= set(UNITS)
    assert (shown["unit"] == shown["figure"].map(UNITS)).all()


def test_one_seed_moves_nothing_as_it_is_no_interval(week):
    found = sensitivity(attrs.evolve(week, measured=15 * MINUTE), seeds=(3,), variations=(CHECKPOINTS,), processes=1)
    assert not table(found)["moves"].any()
