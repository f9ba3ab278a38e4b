"""The cards that ship, what they promise, and how mistakes in one are told."""

from __future__ import annotations

import re
from pathlib import Path

import attrs
import numpy as np
import pytest

from allotment.errors import AllotmentError, InputError, NotFoundError
from allotment.experiment.simulate import draw
from allotment.lessons.card import Card, differing
from allotment.lessons.cards import FOLDER, known, load_card, load_cards, loads
from allotment.lessons.metrics import METRICS
from allotment.presets import load_cluster
from allotment.presets.catalogue import datasets
from allotment.workload.classes import OpenStream

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
SHORT = """
format: 1
id: F99
claim: It is so.
fact: It is not.
guess: {question: How long?, unit: hours, low: 0, high: 9, condition: quiet, arm: two}
base: small-week
change: {measured: 1d}
of: {leaves: [climate]}
metric: wait
predicts: less
smallest: 10m
switch: the hour
differ_in: [policy]
arms: [{name: one}, {name: two, change: {policy: fifo}}]
conditions: [{name: quiet, change: {workload: [{name: backlog, demand: 1}]}}, {name: busy}]
why: Because.
true_where: Nowhere.
try_it: Try.
field: [{what: Somebody said so., source: owner/repository#1}]
"""


def pairs() -> list[tuple[str, str]]:
    return [
        (card.id, condition.name) for card in load_cards() for condition in card.conditions if len(condition.arms) == 2
    ]


@pytest.fixture(scope="module")
def cards() -> dict[str, Card]:
    return {card.id: card for card in load_cards()}


def test_the_twelve_are_there_in_their_order():
    assert known() == tuple(f"F{number:02}" for number in range(1, 13))
    assert [card.id for card in load_cards()] == list(known())


def test_every_card_runs_on_the_cluster_of_88_gpus_with_time_to_fill_the_window(cards):
    for card in cards.values():
        for arm in (arm for condition in card.conditions for arm in condition.arms):
            assert arm.scenario.cluster == load_cluster("h100-88")
            assert arm.scenario.warmup >= 7 * 86_400


@pytest.mark.parametrize(("card_id", "condition"), pairs())
def test_the_arms_of_a_pair_meet_the_same_jobs_but_for_what_is_said_to_differ(cards, card_id, condition):
    """Jobs of all other streams are the same in every column; those of the stream that differs come at the same times."""
    one, two = next(each for each in cards[card_id].conditions if each.name == condition).arms
    declared = next(each for each in cards[card_id].conditions if each.name == condition).differ_in
    assert set(differing(one.scenario, two.scenario)) == set(declared)
    tables = [draw(attrs.evolve(arm.scenario, seed=3, people=())) for arm in (one, two)]
    for stream in one.scenario.workload:
        rows = [
            np.flatnonzero(np.array([name == stream.name for name in table.streams.names])[table.stream])
            for table in tables
        ]
        if stream.name not in declared:
            for column in ("submit", "gpus", "work", "min_runtime", "priority", "limit"):
                first, second = (getattr(table, column)[row] for table, row in zip(tables, rows, strict=True))
                assert np.array_equal(first, second), column
        elif isinstance(stream, OpenStream) and all(len(row) for row in rows):
            times = [np.unique(table.submit[row]) for table, row in zip(tables, rows, strict=True)]
            assert np.array_equal(*times)


def test_no_text_of_a_card_is_too_long_for_a_card_or_names_a_figure_that_the_experiment_gives(cards):
    for card in cards.values():
        assert all(len(text) <= 300 for text in (card.fact, card.why, card.true_where, card.try_it))
        for text in (card.fact, card.why, card.true_where):
            assert not re.search(r"\d", text.replace("on 1", "")), text


def test_every_card_has_public_evidence(cards):
    assert all(card.field and all("/" in each.source for each in card.field) for card in cards.values())


def test_every_figure_is_used_by_a_card_or_a_notebook_or_told_of_all(cards):
    used = {arm.metric or card.metric for card in cards.values() for c in card.conditions for arm in c.arms}
    used |= {name for card in cards.values() for name in card.also} | {"wait", "time_to_result", "durable", "charged"}
    for notebook in NOTEBOOKS.glob("*.ipynb"):
        used |= set(re.findall(r'METRICS\[\\"(\w+)\\"\]', notebook.read_text(encoding="utf-8")))
    assert used == set(METRICS)


def test_a_card_is_found_in_small_letters_and_once():
    assert [card.id for card in load_cards(["f04", "F01", "F04"])] == ["F04", "F01"]


def test_ids_that_are_not_known_are_told_all_at_once_with_those_that_are():
    with pytest.raises(NotFoundError, match="there is no theory 'F13'; .*there are F01, F02"):
        load_card("F13")
    with pytest.raises(AllotmentError) as raised:
        load_cards(["F01", "karma", "F0"])
    assert "'karma'" in str(raised.value)
    assert "'F0'" in str(raised.value)


def test_a_short_card_can_be_read():
    card = loads(SHORT)
    assert [condition.arms[1].scenario.policy.name for condition in card.conditions] == ["fifo", "fifo"]
    assert [condition.arms[0].scenario.workload[1].demand for condition in card.conditions] == [1, 2.5]
    assert card.conditions[0].arms[0].of.leaves == ("climate",)
    assert (card.threshold, card.relative, card.unit) == (600, False, "s")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("base: small-week", "base: small-wek", "there is no scenario 'small-wek'; did you mean 'small-week'?"),
        ("base: small-week", "", "base must be the name of a scenario"),
        ("metric: wait", "metric: weight", "metric must be one of wait, time_to_result"),
        ("predicts: less", "predicts: fewer", "predicts must be one of less, same, more, not 'fewer'"),
        ("smallest: 10m", "", "give one of 'smallest', 'smallest_points' and 'smallest_part'"),
        ("smallest: 10m", "smallest: 10m\nsmallest_part: 0.1", "give one of 'smallest'"),
        ("smallest: 10m", "smallest_points: 0.1", "'wait' is counted in 's'"),
        ("switch: the hour", "", "missing key 'switch'"),
        ("switch: the hour", "swich: the hour", "did you mean 'switch'?"),
        ("{leaves: [climate]}", "{leaves: [climat]}", "there is no team 'climat' to look at"),
        ("{leaves: [climate]}", "{kinds: [debugging]}", "there is no work of kind 'debugging' to look at"),
        ("change: {policy: fifo}", "change: {policy: fifi}", "there is no policy 'fifi'"),
        ("change: {policy: fifo}", "change: {seed: 7}", "the arms differ in 'seed', which 'differ_in' does not name"),
        ("change: {policy: fifo}", "change: {}", "'differ_in' names 'policy', in which the arms are the same"),
        ("arms: [{name: one},", "arms: [3,", "an arm must be a mapping, not 3 @ .arms[0]"),
        ("arms: [{name: one},", "arms: [{name: one}, {name: more},", "arms must be two"),
        (", {name: busy}", "", "conditions must be 2 to 4, not 1"),
        ("{name: busy}", "{name: quiet}", "the condition 'quiet' is there twice"),
        ("condition: quiet", "condition: silent", "the guess is about condition 'silent'; there are 'quiet', 'busy'"),
        ("arm: two", "arm: three", "the guess is about arm 'three' of 'quiet', which has 'one', 'two'"),
        ("unit: hours", "unit: days", "unit must be 'hours' or 'minutes' or '%', not 'days'"),
        ("unit: hours", "unit: '%'", "the guess is in '%', and its answer is counted in 's'"),
        ("low: 0", "low: 9", "low must be below high (9), not 9.0"),
        ("owner/repository#1", "a blog", "source must be a public thread such as 'owner/repository#12', not 'a blog'"),
        ("id: F99", "id: X1", "id must be F and two digits"),
        ("demand: 1}", "demand: none}", "demand must be a number, not 'none' @ .conditions[0].change"),
        ("format: 1", "format: 2", "format must be 1, not 2"),
    ],
)
def test_a_mistake_in_a_card_is_named(old, new, said):
    assert old in SHORT
    with pytest.raises(InputError) as raised:
        loads(SHORT.replace(old, new, 1), source="theories/F99")
    assert said in str(raised.value), str(raised.value)


def test_several_mistakes_are_told_at_once():
    text = (
        SHORT.replace("metric: wait", "metric: weight")
        .replace("policy: fifo", "policy: fifi")
        .replace("id: F99", "id: 9")
    )
    with pytest.raises(InputError) as raised:
        loads(text)
    assert len(raised.value.problems) >= 3


def test_each_file_is_called_as_its_card():
    for card_id in known():
        assert f"\nid: {card_id}\n" in (datasets() / FOLDER / f"{card_id}.yaml").read_text(encoding="utf-8")
