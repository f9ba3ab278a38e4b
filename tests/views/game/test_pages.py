"""The pages of the game without a browser: what they ask, what they say, and what they draw."""

from __future__ import annotations

import pytest
from bokeh.document import Document
from panel.io.state import set_curdoc

from allotment.errors import AllotmentError
from allotment.lessons.game.choice import CAREFUL, CHOICES, GRABBING
from allotment.lessons.game.outcome import CHANCE, Effect
from allotment.lessons.game.room import Phase
from allotment.lessons.game.setting import POLICIES, Setting
from allotment.views.game import page as page_module
from allotment.views.game import pictures, tables, told
from allotment.views.game.facilitator import Facilitator
from allotment.views.game.host import Host
from allotment.views.game.player import Player
from allotment.views.game.serve import links
from tests.views.game.test_host import GRAB, play, settle

LINK = "http://127.0.0.1:5007/game"


@pytest.fixture
def host():
    made = Host(Setting(seats=3, rounds=2, seed=1))
    yield made
    made.stop()


def joined(host: Host, name: str = "Ana") -> Player:
    page = Player(host)
    page.arrive()
    page._on_join({"name": name})
    return page


def asked(page: Player) -> dict[str, object]:
    return {field["name"]: field.get("value") for field in page._choose.content["fields"]}


def test_a_player_takes_a_seat_chooses_and_sees_what_came_of_it(host):
    kept = []
    page = Player(host, "", kept.append)
    page.arrive()
    assert page._join.visible
    assert "Each team is owed 16" in page._explained.text
    page._on_join({"name": "Ana"})
    assert kept == [page.key]
    assert not page._join.visible
    assert page._who.text == "Team 1, Ana"
    host.begin()
    assert page._choose.visible
    assert asked(page) == {"high": 0, "keep": False, "most": False}
    assert "You have not chosen yet" in page._said.text
    page._on_choose(GRAB)
    assert "You have chosen: HIGH: all, node kept, asks the most." in page._said.text
    play(host)
    assert asked(page) == {"high": 2, "keep": True, "most": True}  # the last choice is offered again
    assert f"you had {host.played[0].scores[0].points:.0f} points" in page._room.text
    assert "1 of 3 teams marked trainings HIGH, 1 kept a node, 1 asked the most" in page._room.text
    assert "old, round 1\tHIGH: all, node kept, asks the most" in page._rounds.text


def test_what_is_asked_says_what_it_means_under_the_rules_that_are_played(host):
    page = joined(host)
    host.begin()
    old = [field["help"] for field in page._choose.content["fields"]]
    play(host)
    play(host)
    host.begin()
    new = [field["help"] for field in page._choose.content["fields"]]
    assert all(one != other for one, other in zip(old, new, strict=True))
    assert "in the whole cluster" in old[0]
    assert "among your own jobs alone" in new[0]
    offered = [[option[0] for option in options] for *_, options in told.questions(POLICIES[0])]
    assert len(offered[0]) * len(offered[1]) * len(offered[2]) == len(CHOICES)


def test_a_page_that_is_loaded_again_comes_back_to_its_seat_and_its_choice(host):
    page = joined(host)
    host.begin()
    page._on_choose(GRAB)
    again = Player(host, page.key)
    again.arrive()
    page.close()
    assert again._who.text == "Team 1, Ana"
    assert asked(again)["high"] == 2
    assert host.room.people == (0,)
    again.close()
    assert host.room.people == ()


def test_who_opens_a_page_twice_with_a_damaged_key_may_take_another_seat(host):
    page = Player(host, "no such key")
    assert "Your seat was given to somebody else" in page._own.text
    assert page._join.visible


def test_where_all_seats_are_taken_others_watch(host):
    for name in ("Ana", "Bo", "Chi"):
        joined(host, name)
    page = joined(host, "Dee")
    assert page.key == ""
    assert "All 3 seats are taken" in page._banner.text
    assert "You can watch" in page._own.text
    host.begin()
    play(host)
    assert not page._choose.visible
    assert "old, round 1" in page._rounds.text
    assert "teams marked trainings HIGH" in page._room.text


@pytest.mark.parametrize("name", ["", "x" * 40, 7, None, "Ana"])
def test_a_name_that_cannot_be_is_told_on_the_page(host, name):
    joined(host)
    page = joined(host, name)
    there = page.key != ""
    assert there == (name in (7, None))  # numbers are names, too
    assert page._banner.visible == (not there)
    assert page._banner.content["attributes"] == {"role": "alert"}


@pytest.mark.parametrize("answers", [{}, {"high": 9}, {"evil": 1}, {"keep": "yes"}])
def test_what_a_page_that_is_not_ours_sends_changes_no_choice_of_others(host, answers):
    page, other = joined(host), joined(host, "Bo")
    host.begin()
    other._on_choose(GRAB)
    page._on_choose(answers)
    assert host.room.picks[1] == GRABBING
    assert host.room.picks[0] in (None, CAREFUL)
    page._choose.sent = {"values": "no mapping"}
    page._choose.sent = {"number": 3}


def test_a_form_hands_on_what_was_sent(host):
    page = Player(host)
    page.arrive()
    page._join.sent = {"values": {"name": "Ana"}, "number": 1}
    assert page._who.text == "Team 1, Ana"


def test_names_stay_text_on_every_page(host):
    evil = "<img src=x>"
    page, lead = joined(host, evil), Facilitator(host, LINK)
    assert page._who.content["lines"] == [f"Team 1, {evil}"]
    assert lead._seats.content["rows"][0][0] == f"Team 1, {evil}"
    host.begin()
    assert lead._waiting.content["lines"] == [f"0 of 1 who are here have chosen. Missing: Team 1, {evil}."]


def test_the_facilitator_leads_through_both_halves_and_shows_what_came_of_it(host):
    page, lead = joined(host), Facilitator(host, LINK)
    assert lead._link.text == f"Join at {LINK}"
    labels = []
    for _half in range(2):
        labels.append(lead._next.label)
        lead._on_next()
        for _round in range(2):
            labels.append(lead._next.label)
            page._on_choose(GRAB)
            assert lead._waiting.text == "All 1 who are here have chosen."
            lead._on_next()
            settle(host)
    close = ["Close the round"] * 2
    assert labels == ["Begin round 1 under the old rules", *close, "Begin again under budgets", *close]
    assert lead._next.disabled
    assert lead._more.visible
    assert "The price of budgets" in lead._compared.text
    assert len(lead._table.content["rows"]) == 5
    assert len(lead._each.content["rows"]) == 3
    assert all(card.view.visible and card.picture is not None for card in (*lead._lines, *lead._effects))
    old, new = (card.picture for card in lead._effects)
    assert old.x.high == new.x.high  # so that the halves can be compared
    assert "Under the old rules (priorities), your choices gained you" in page._effect.text
    assert "Under the new rules (budgets), your choices" in page._effect.text


def test_what_teams_did_to_each_other_is_shown_before_a_half_is_over_only_if_wanted(host):
    page, lead = joined(host), Facilitator(host, LINK)
    host.begin()
    page._on_choose(GRAB)
    play(host)
    assert not lead._effects[0].view.visible
    assert {row[-1] for row in lead._seats.content["rows"]} == {"-"}
    lead._tells.value = True
    assert lead._effects[0].view.visible
    assert lead._seats.content["rows"][0][-1].startswith("+")
    assert "in round 1" in lead._effects[0].picture.x.label


def test_the_seat_of_somebody_who_has_left_can_be_freed(host):
    page, lead = joined(host), Facilitator(host, LINK)
    assert list(lead._gone.options) == ["nobody"]
    lead._on_free()
    page.close()
    assert list(lead._gone.options) == ["nobody", "Team 1, Ana"]
    lead._gone.value = 0
    lead._on_free()
    assert list(lead._gone.options) == ["nobody"]
    assert host.room.seats[0].name == ""


def test_the_facilitator_sees_how_long_a_round_is_open(host):
    lead = Facilitator(host, LINK)
    lead._timer.value = 60
    host.begin()
    lead.tick()
    assert lead._clock.text in ("The round closes in 60 s.", "The round closes in 59 s.")
    lead._timer.value = 0
    assert not lead._clock.visible


def test_a_page_that_is_closed_is_told_nothing_more(host):
    page, lead = Player(host), Facilitator(host, LINK)
    assert host.pages == 2
    page.close()
    lead.close()
    assert host.pages == 0


def test_a_page_that_a_browser_takes_up_changes_afterwards_and_once_for_all_that_came_together(host, monkeypatch):
    posted, seen = [], []
    monkeypatch.setattr(page_module, "poster", lambda: posted.append)
    with set_curdoc(Document()):
        follower = page_module.Follower(host, lambda: seen.append(host.room.phase))
    host.begin()
    assert posted == []
    follower.begin()
    host.join("Ana")
    assert len(posted) == 1
    posted.pop()()
    assert seen == [Phase.ROUND]
    host.join("Bo")
    assert len(posted) == 1
    follower.end()


def test_a_picture_of_what_was_done_says_what_may_be_chance():
    names = ["Team 1, Ana", "Team 2, bot"]
    little = [Effect(gained=3.0, late=int(CHANCE) - 1, work=0), Effect(gained=0.0, late=0, work=0)]
    much = [Effect(gained=-3.0, late=int(CHANCE) + 8, work=0), little[1]]
    assert pictures.effects(names, little, 0).summary == (
        "No team did more to the others in 1 rounds under the old rules (priorities) than chance does (up to 12 points)."
    )
    picture = pictures.effects(names, much, 1, when="in round 3")
    assert picture.summary.startswith(
        "What 1 of 2 teams did to the others in round 3 under the new rules (budgets) is more"
    )
    assert picture.table.loc["Team 1, Ana"].tolist() == ["\u22123", "+20"]


def test_pictures_and_tables_say_the_same(host):
    host.begin()
    play(host)
    played = [half.played for half in host.halves]
    for picture in (pictures.in_time(played, 2), pictures.work(played, 2)):
        assert picture.table.iloc[0, 0] in picture.summary
        assert picture.table.iloc[0, 1] == "-"
    assert pictures.in_time([], 2).summary.endswith("no round is over yet.")
    row = tables.rounds_table(played).iloc[0]
    assert row["work, a team"] == pictures.work(played, 2).table.iloc[0, 0]


def test_the_links_of_a_game_hold_a_key_that_is_new_each_time():
    one, other = links("127.0.0.1", 5007), links("127.0.0.1", 5007)
    assert one.play == other.play == LINK
    assert one.lead.startswith("http://127.0.0.1:5007/facilitator?key=")
    assert one.key != other.key
    assert len(one.key) >= 12


def test_too_many_pages_are_refused_in_words(host, monkeypatch):
    monkeypatch.setattr("allotment.views.game.host.MOST_PAGES", 0)
    with pytest.raises(AllotmentError, match="close one and load this one again"):
        Player(host)
