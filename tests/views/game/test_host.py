"""The room that all pages share: who is there, rounds that are played beside, and pages that are told."""

from __future__ import annotations

import threading
import time

import pytest

from allotment.errors import AllotmentError
from allotment.lessons.game.choice import CAREFUL, GRABBING
from allotment.lessons.game.room import Phase
from allotment.lessons.game.setting import Setting
from allotment.views.game import host as module
from allotment.views.game.host import Host

GRAB = {"high": 2, "keep": True, "most": True}


def until(there, seconds: float = 60.0) -> None:
    end = time.monotonic() + seconds
    while not there():
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.01)


@pytest.fixture
def host():
    made = Host(Setting(seats=3, rounds=2))
    yield made
    made.stop()


def play(host: Host) -> None:
    """Close the round that is open, and wait until it is there and all pages know."""
    host.close()
    settle(host)


def settle(host: Host) -> None:
    """Wait until nothing is played any more."""
    host._work.submit(lambda: None).result(60)
    assert not host.busy


def test_a_game_is_played_to_its_end_and_compared_half_by_half(host):
    key = host.join("Ana")
    host.arrive(key)
    for half in range(2):
        host.begin()
        for number in range(2):
            assert host.choose(key, GRAB) == GRABBING
            play(host)
            assert len(host.played) == number + 1
            assert host.played[-1].choices[0] == GRABBING
        assert host.comparison is not None
        assert len(host.comparison.effects) == half + 1
    assert host.room.phase is Phase.OVER
    assert dict(host.comparison.rows)["budgets, as you played"] == host.halves[1].played
    with pytest.raises(AllotmentError, match="the game is over"):
        host.begin()


def test_everybody_is_told_of_every_change_until_they_look_no_more(host):
    seen = []
    host.subscribe(look := lambda: seen.append(host.room.people))
    key = host.join("Ana")
    host.arrive(key)
    assert seen[-1] == (0,)
    host.unsubscribe(look)
    host.depart(key)
    assert seen[-1] == (0,)


def test_who_has_two_pages_open_is_here_until_both_are_closed(host):
    key = host.join("Ana")
    for _page in range(2):
        host.arrive(key)
    host.depart(key)
    assert host.room.people == (0,)
    host.depart(key)
    assert host.room.people == ()
    host.arrive(key)
    assert host.room.people == (0,)


def test_a_bot_plays_on_for_who_has_left_until_they_are_back(host):
    key = host.join("Ana")
    host.arrive(key)
    host.begin()
    host.choose(key, GRAB)
    play(host)
    host.depart(key)
    play(host)
    assert host.played[-1].choices[0] != CAREFUL  # a bot goes on from where they were
    host.arrive(key)
    assert host.room.seat_of(key) == 0


def test_a_choice_of_nobody_and_one_that_no_page_offers_are_refused(host):
    key = host.join("Ana")
    host.begin()
    with pytest.raises(AllotmentError, match="your seat was given to somebody else"):
        host.choose("another", GRAB)
    with pytest.raises(AllotmentError, match="a choice is high"):
        host.choose(key, {"high": 99})
    with pytest.raises(AllotmentError, match="a choice is high"):
        host.choose(key, {"high": "<script>" * 100})
    assert host.room.picks[0] is None


def test_while_a_round_is_played_pages_are_answered_and_nothing_is_closed_twice(host, monkeypatch):
    go_on, begun = threading.Event(), threading.Event()
    real = module.Half.play

    def slowly(self, choices):
        begun.set()
        assert go_on.wait(60)
        real(self, choices)

    monkeypatch.setattr(module.Half, "play", slowly)
    key = host.join("Ana")
    host.begin()
    host.close()
    assert begun.wait(60)
    for act in (host.close, host.begin, lambda: host.choose(key, GRAB)):
        with pytest.raises(AllotmentError):
            act()
    host.join("Bo")
    assert host.busy
    go_on.set()
    settle(host)
    assert len(host.room.history[0]) == 1
    assert [seat.name for seat in host.room.seats] == ["Ana", "Bo", ""]  # who joined meanwhile still sits there


def test_a_fault_of_the_program_leaves_a_room_that_can_be_played_on(host, monkeypatch):
    real = module.Half.play
    monkeypatch.setattr(module.Half, "play", lambda *_: 1 / 0)
    host.begin()
    host.close()
    settle(host)
    assert host.room.history[0] == ()
    monkeypatch.setattr(module.Half, "play", real)
    play(host)
    assert len(host.room.history[0]) == 1


def test_a_round_closes_by_itself_where_the_facilitator_wants_it(host, monkeypatch):
    monkeypatch.setattr(module, "TIMERS", (0, 1))
    assert host.left is None
    host.set_timer(1)
    host.begin()
    assert host.left in (0, 1)
    until(lambda: host.room.phase is Phase.BREAK)
    assert host.left is None
    with pytest.raises(AllotmentError, match="a round closes by itself after one of"):
        host.set_timer(7)


def test_there_is_an_end_to_how_many_pages_can_be_open(host, monkeypatch):
    monkeypatch.setattr(module, "MOST_PAGES", 2)
    for _page in range(2):
        host.subscribe(lambda _number=_page: None)
    with pytest.raises(AllotmentError, match="2 pages are open already"):
        host.subscribe(lambda: None)
    assert host.pages == 2
