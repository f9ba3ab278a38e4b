"""The cards of the workbench in a document, without a browser."""

from __future__ import annotations

import pytest
from bokeh.document import Document
from bokeh.document.models import DocumentModelManager
from bokeh.models import SaveTool

from allotment import simulate
from allotment.presets import load_scenario
from allotment.views.charts.groups import Highlight
from allotment.views.workbench.board import Board
from allotment.views.workbench.pictures import PICTURES
from allotment.views.workbench.settings import Settings, scenarios_of


@pytest.fixture(scope="module")
def runs():
    base = load_scenario("small-week")
    return [
        [simulate(scenario) for scenario in scenarios_of(base, Settings(demand=demand, days=1))] for demand in (2.5, 2)
    ]


@pytest.fixture
def board(runs):
    made = Board(PICTURES, {}, lambda _picked: None)
    made.show(runs[0], Highlight())
    while made.catch_up():
        pass
    return made


def test_other_numbers_do_not_have_bokeh_go_through_all_of_the_page(board, runs, monkeypatch):
    document = Document()
    document.add_root(board.view.get_root(document))
    gone_through = []
    monkeypatch.setattr(DocumentModelManager, "recompute", lambda _self: gone_through.append(1))
    for results, highlight in (
        (runs[1], Highlight()),
        (runs[1], Highlight(team="team/language")),
        (runs[0], Highlight()),
    ):
        board.show(results, highlight)
        while board.catch_up():
            pass
    assert gone_through == []


def test_a_picture_is_saved_under_its_own_name_without_asking_for_one(board):
    saved = [card._drawn.figure.select_one(SaveTool).filename for card in board.cards.values()]
    assert saved == ["queue-wait", "delivery", "occupancy", "preemption", "standing", "nodes"]


def test_what_is_on_the_screen_is_drawn_at_once_and_the_rest_later(board, runs):
    board.see(["delivery", "nodes"])
    before = {title: card.picture for title, card in board.cards.items()}
    assert board.show(runs[1], Highlight()) == 2
    changed = {title for title, card in board.cards.items() if card.picture is not before[title]}
    assert changed == {"Delivery", "Nodes"}
    while board.catch_up():
        pass
    assert all(card.picture is not before[title] for title, card in board.cards.items())
