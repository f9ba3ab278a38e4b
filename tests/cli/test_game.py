"""The command that serves the commons game, up to where the server begins."""

from __future__ import annotations

import re

import pytest

from allotment.cli import playing
from allotment.views.game import serve


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[tuple[object, object, dict[str, object]]]:
    """What games were begun with, none of which begins."""
    found: list[tuple[object, object, dict[str, object]]] = []
    monkeypatch.setattr(playing, "prepare", lambda _tell: None)
    monkeypatch.setattr(playing, "try_to_listen", lambda _address, _port: None)
    monkeypatch.setattr(serve, "serve", lambda setting, at, **options: found.append((setting, at, options)))
    return found


def test_it_says_where_players_join_and_where_the_facilitator_leads(shell, begun):
    ended = shell("game", "--seats", 6, "--rounds", 4, "--seed", 2, "--port", 5321)
    assert (ended.status, ended.out) == (0, "")
    (setting, at, options) = begun[0]
    assert (setting.seats, setting.rounds, setting.seed) == (6, 4, 2)
    assert options == {"port": 5321, "address": "127.0.0.1", "keep": 10, "sweep": 3}
    assert "players join at  http://127.0.0.1:5321/game\n" in ended.err
    assert re.search(r"http://127\.0\.0\.1:5321/facilitator\?key=(\S+)\n", ended.err)[1] == at.key


@pytest.mark.parametrize(
    ("option", "value"), [("--seats", 1), ("--seats", 31), ("--rounds", 0), ("--rounds", 9), ("--keep", 0)]
)
def test_what_is_out_of_bounds_is_told_and_nothing_begins(shell, begun, option, value):
    ended = shell("game", option, value)
    assert ended.status == 2
    assert option in ended.err
    assert begun == []


def test_an_address_that_leads_nowhere_is_refused(shell, begun):
    ended = shell("game", "--address", "0.0.0.0")
    assert ended.status == 2
    assert "such as 192.168.1.5" in ended.err
    assert begun == []
