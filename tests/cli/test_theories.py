"""`allotment theories`, on cards of a few days."""

from __future__ import annotations

import attrs
import pytest

from allotment.cli import theories as told
from allotment.experiment.spread import Spread
from allotment.lessons.card import Card
from allotment.lessons.cards import load_cards
from allotment.lessons.metrics import FOUR, METRICS
from allotment.lessons.verdict import Finding, Verdict
from allotment.units import DAY

CARDS = {card.id: card for card in load_cards()}


def short(card: Card) -> Card:
    """Return a card whose runs are over soon."""
    conditions = tuple(
        attrs.evolve(
            condition,
            arms=tuple(
                attrs.evolve(
                    arm,
                    scenario=attrs.evolve(arm.scenario, measured=3 * DAY),
                    of=attrs.evolve(arm.of, since=None, until=None, at_most=DAY),
                )
                for arm in condition.arms
            ),
        )
        for condition in card.conditions
    )
    return attrs.evolve(card, conditions=conditions)


@pytest.fixture
def quick(monkeypatch):
    """Let cards of three days stand for those of four weeks."""
    monkeypatch.setattr(told, "load_cards", lambda ids: tuple(short(card) for card in load_cards(ids)))


@pytest.mark.usefixtures("quick")
def test_each_card_is_told_in_eighty_columns_with_its_claim_its_conditions_and_one_of_four_words(shell):
    ended = shell("theories", "--seeds", 3, "-p", 1)
    assert ended.status == 0, ended.err
    assert max(map(len, ended.out.splitlines())) <= 80
    assert "…" not in ended.out
    text = " ".join(ended.out.split())
    for card in CARDS.values():
        assert any(f"{card.id} {word.value} “{card.claim}”" in text for word in Verdict), card.id
        assert [condition.name for condition in card.conditions if f"{condition.name}: " not in text] == []
        assert told.predicted(card) in text


@pytest.mark.usefixtures("quick")
def test_the_switch_is_named_where_the_verdict_is_conditional_and_only_there(shell):
    ended = shell("theories", "F04", "F12", "--seeds", 3, "-p", 1)
    found = {each["id"]: each for each in shell("theories", "F04", "F12", "--seeds", 3, "-p", 1, "--json").json}
    assert found["F12"]["verdict"] != "CONDITIONAL"
    for card_id, each in found.items():
        assert (each["switch"] is not None) == (each["verdict"] == "CONDITIONAL")
        told_so = f"It depends on {CARDS[card_id].switch}." in " ".join(ended.out.split())
        assert told_so == (each["verdict"] == "CONDITIONAL")


@pytest.mark.usefixtures("quick")
def test_json_has_every_seed_and_what_was_declared_before(shell):
    (each,) = shell("theories", "F09", "--seeds", 3, "--first-seed", 4, "-p", 1, "--json").json
    assert (each["seeds"], each["smallest"], each["relative"], each["predicts"]) == ([4, 5, 6], 0.1, True, "same")
    assert [condition["condition"] for condition in each["conditions"]] == [c.name for c in CARDS["F09"].conditions]
    for condition in each["conditions"]:
        assert condition["finding"] in {finding.value for finding in Finding}
        assert len(condition["differences"]) == 3
        for arm in condition["arms"]:
            assert all(len(arm[name]["values"]) == 3 for name in FOUR)
    assert each["field"][0]["source"] == "kubernetes-sigs/kueue#9734"


@pytest.mark.usefixtures("quick")
def test_where_an_arm_is_judged_by_another_figure_that_is_told_too(shell):
    ended = shell("theories", "F05", "--seeds", 3, "-p", 1)
    assert ended.out.count("  wait until GPUs are at hand (8 GPUs kept): ") == 2


@pytest.mark.usefixtures("quick")
def test_one_seed_shows_nothing_and_says_so(shell):
    ended = shell("theories", "F12", "--seeds", 1, "-p", 1)
    assert ended.out.startswith("F12 NOT SHOWN\n")
    assert "With 1 seed it is not shown either way" in ended.out
    assert "with fewer than 3 seeds nothing is shown" in ended.out


def test_an_id_that_is_not_known_is_a_mistake_that_names_those_that_are(shell):
    ended = shell("theories", "F01", "karma", "F99")
    assert (ended.status, ended.out) == (2, "")
    assert "there is no theory 'karma'" in ended.err
    assert "there is no theory 'F99'" in ended.err
    assert "there are F01, F02, F03" in ended.err


@pytest.mark.parametrize("option", [("--seeds", 0), ("--processes", 0), ("--first-seed", -1)])
def test_a_number_that_makes_no_sense_is_a_mistake(shell, option):
    ended = shell("theories", "F01", *option)
    assert ended.status == 2
    assert option[0] in ended.err


def test_what_was_declared_is_told_in_one_sentence():
    assert told.predicted(CARDS["F01"]) == (
        "True means: from the first line to the second, the time to result falls by 30 min or more."
    )
    assert told.predicted(CARDS["F09"]).endswith("the GPU-hours charged stays the same within 10 %.")
    assert told.predicted(CARDS["F10"]).endswith("the share of the asked GPU time rises by 10 points or more.")
    assert told.predicted(CARDS["F06"]) == "True means: the lost part of the GPU time is 75 % or more."
    assert told.predicted(CARDS["F03"]) == "True means: the use beyond the share is less than 10 %."
    around = attrs.evolve(CARDS["F03"], against=1)
    assert told.predicted(around) == "True means: the use beyond the share is between 90 % and 110 %."


@pytest.mark.parametrize("unit", sorted({metric.unit for metric in METRICS.values()}))
def test_a_figure_never_takes_more_room_than_its_column(unit):
    for median in (0, 0.004, 0.5, 7, 88, 130, 950, 3599, 7100, 33_000, 170_000, 400_000):
        for wide in (1, 1.3):
            lies = Spread(values=(), median=median, mean=median, low=median / wide, high=median * wide)
            if unit != "ratio" or median <= 9:
                assert len(told._told(lies, unit, sign=" %" if unit == "ratio" else "")) <= told.FIGURE
