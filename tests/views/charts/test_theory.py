"""The picture of a belief that was put to the test."""

from __future__ import annotations

import attrs
import numpy as np
import pytest

from allotment.lessons.card import Card, Predicts
from allotment.lessons.cards import load_card
from allotment.lessons.trial import Outcome, Shown, Side, Tried
from allotment.lessons.verdict import finding, interval, verdict
from allotment.views.charts import theory
from allotment.views.formats import MINUS
from tests.views.charts.looked_at import check

SEEDS = tuple(range(6))


def tried(card: Card, differences: list[list[float | None]]) -> Tried:
    """Return what a card would be if the differences were these."""
    outcomes = []
    for condition, values in zip(card.conditions, differences, strict=True):
        known = [value for value in values if value is not None]
        lies = interval(known) if len(known) == len(values) else None
        shown = Shown(metric=card.metric, values=tuple(values), lies=lies)
        said = finding(lies or interval([0.0]), card.predicts, card.threshold, len(values) if lies else 0)
        sides = tuple(Side(name=arm.name, decides=shown, figures=(shown,)) for arm in condition.arms)
        outcomes.append(
            Outcome(condition=condition.name, sides=sides, differences=tuple(values), lies=lies, finding=said)
        )
    return Tried(card=card, seeds=SEEDS, outcomes=tuple(outcomes), verdict=verdict([each.finding for each in outcomes]))


@pytest.fixture
def highs() -> Tried:
    below = [-36_000.0, -30_000.0, -40_000.0, -33_000.0, -28_000.0, -50_000.0]
    return tried(load_card("F04"), [below, [0.0] * 6, [0.0] * 6, below])


def test_every_seed_is_a_dot_in_the_row_of_its_condition_and_the_first_condition_is_on_top(highs):
    shown = theory(highs)
    check(shown)
    dots = shown.layer("seeds").columns
    assert len(dots["x"]) == 4 * len(SEEDS)
    top = dots["x"][dots["y"] == dots["y"].max()]
    assert sorted(top) == sorted(highs.outcomes[0].differences)
    names = shown.layer("names").columns
    assert names["text"][np.argmax(names["y"])] == "priorities, one in ten is HIGH: true here"
    assert shown.title == "F04: CONDITIONAL"


def test_what_counts_as_true_is_what_the_card_declares(highs):
    spans = {}
    for predicts in Predicts:
        of = theory(attrs.evolve(highs, card=attrs.evolve(highs.card, predicts=predicts))).layer("true").columns
        spans[predicts] = (of["left"][0], of["right"][0])
    assert spans[Predicts.LESS][1] == -600
    assert spans[Predicts.SAME] == (-600, 600)
    assert spans[Predicts.MORE][0] == 600


def test_the_sentence_and_the_table_say_what_each_condition_says(highs):
    shown = theory(highs)
    assert shown.summary.startswith(f"Priorities, one in ten is HIGH: true here ({MINUS}9.6 h); priorities, everybody")
    assert shown.table["so"].tolist() == ["true here", "not so here", "not so here", "true here"]


def test_parts_of_a_figure_and_single_arms_have_pictures():
    parts = tried(load_card("F09"), [[0.5, 0.4, 0.3, 0.6, 0.5, 0.4]] * 2 + [[0.0, 0.01, 0.02, 0.0, -0.01, 0.03]] * 2)
    assert "+45.0 %" in theory(parts).table["median"].tolist()
    check(theory(parts))
    single = tried(load_card("F06"), [[0.05] * 6, [0.2] * 6, [0.5] * 6, [0.9] * 6])
    assert theory(single).table["median"].tolist() == ["5.0 %", "20.0 %", "50.0 %", "90.0 %"]
    check(theory(single))


def test_a_condition_without_a_figure_has_its_row(highs):
    some = tried(highs.card, [[None, *[-700.0] * 5], *[[0.0] * 6] * 3])
    shown = theory(some)
    check(shown)
    assert shown.table.iloc[0].tolist() == ["-", "-", "not shown here"]
    assert len(shown.layer("seeds").columns["x"]) == 4 * 6 - 1
