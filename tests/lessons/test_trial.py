"""What becomes of a card: its runs, its differences and its word."""

from __future__ import annotations

import attrs
import pytest

from allotment.errors import AllotmentError
from allotment.experiment.simulate import simulate
from allotment.lessons import trial
from allotment.lessons.card import Predicts
from allotment.lessons.cards import loads
from allotment.lessons.metrics import METRICS
from allotment.lessons.theories import COLUMNS, table, theories
from allotment.lessons.trial import difference, figures_of, try_out
from allotment.lessons.verdict import Verdict, finding, verdict
from tests.lessons.test_cards import SHORT

SEEDS = (0, 1, 2)
CARD = loads(SHORT.replace("measured: 1d", "measured: 3d").replace("[climate]}", "[climate], at_most: 6h}"))


@pytest.fixture(scope="module")
def tried():
    return try_out([CARD], seeds=SEEDS, processes=1)[0]


def test_the_differences_are_those_of_the_runs_of_each_seed(tried):
    for condition, outcome in zip(CARD.conditions, tried.outcomes, strict=True):
        for seed, found in zip(SEEDS, outcome.differences, strict=True):
            values = [
                METRICS["wait"].of(simulate(attrs.evolve(arm.scenario, seed=seed)), arm.of) for arm in condition.arms
            ]
            assert found == values[1] - values[0]
        assert outcome.lies.values == outcome.differences


@pytest.mark.parametrize(
    ("predicts", "smallest", "word"),
    [
        (Predicts.LESS, 600, Verdict.FALSE),
        (Predicts.MORE, 300 * 3600, Verdict.FALSE),
        (Predicts.SAME, 300 * 3600, Verdict.TRUE),
        (Predicts.MORE, 1, Verdict.NOT_SHOWN),
    ],
)
def test_the_word_follows_from_the_findings_and_the_findings_from_what_was_declared(predicts, smallest, word):
    tried = try_out([attrs.evolve(CARD, predicts=predicts, smallest=smallest)], seeds=SEEDS, processes=1)[0]
    found = [finding(outcome.lies, predicts, smallest, len(SEEDS)) for outcome in tried.outcomes]
    assert [outcome.finding for outcome in tried.outcomes] == found
    assert tried.verdict is verdict(found) is word


def test_two_seeds_show_nothing():
    assert try_out([CARD], seeds=(0, 1), processes=1)[0].verdict is Verdict.NOT_SHOWN


def test_a_scenario_that_arms_have_in_common_runs_once_a_seed(monkeypatch):
    ran = []
    monkeypatch.setattr(trial, "each_in_a_process", lambda runs, do, **_: ran.extend(runs) or [do(run) for run in runs])
    twin = attrs.evolve(CARD, id="F98")
    first, second = try_out([CARD, twin], seeds=(0,))
    assert len(ran) == 4
    assert [outcome.differences for outcome in first.outcomes] == [outcome.differences for outcome in second.outcomes]


def test_runs_in_processes_of_their_own_give_the_same(tried):
    assert try_out([CARD], seeds=SEEDS, processes=2)[0] == tried


def test_one_arm_is_set_against_the_number_of_the_card():
    arms = tuple(attrs.evolve(condition, arms=condition.arms[1:], differ_in=()) for condition in CARD.conditions)
    card = attrs.evolve(CARD, conditions=arms, predicts=Predicts.MORE, against=60)
    outcome = try_out([card], seeds=SEEDS, processes=1)[0].outcomes[0]
    assert outcome.differences == tuple(value - 60 for value in outcome.sides[0].decides.values)


def test_without_a_figure_in_some_seed_nothing_is_shown(monkeypatch):
    def some(run):
        found = dict(figures_of(run))
        return found if run.scenario.seed else dict.fromkeys(found)

    monkeypatch.setattr(trial, "figures_of", some)
    monkeypatch.setattr(trial, "each_in_a_process", lambda runs, do, **_: [do(run) for run in runs])
    tried = try_out([CARD], seeds=SEEDS)[0]
    assert tried.verdict is Verdict.NOT_SHOWN
    assert tried.outcomes[0].differences[0] is None
    assert tried.outcomes[0].lies is None


def test_a_part_of_nothing_is_not_known_and_of_nothing_more_it_is_nothing():
    assert difference(0, -2, relative=True) is None
    assert difference(0, 0, relative=True) == 0
    assert difference(None, 1, relative=False) is None


def test_the_table_has_a_row_for_each_figure_of_each_arm_and_seed(tried):
    frame = table([tried])
    assert list(frame.columns) == list(COLUMNS)
    assert len(frame) == 2 * 2 * 4 * len(SEEDS)
    decides = frame[frame["decides"]]
    assert set(decides["metric"]) == {"wait"}
    one = decides[(decides["condition"] == "quiet") & (decides["arm"] == "two")]
    assert tuple(one["value"]) == tried.outcomes[0].sides[1].decides.values


def test_no_seed_is_a_mistake_and_so_is_an_id_that_is_not_known():
    with pytest.raises(AllotmentError, match="seeds must be at least one, not 0"):
        theories("F01", seeds=0)
    with pytest.raises(AllotmentError, match="there is no theory 'F77'"):
        theories("F77")
