"""The rules of the commons game, whatever people do in whatever order."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allotment.errors import AllotmentError
from allotment.lessons.game import room as rules
from allotment.lessons.game.bots import HABITS, LADDER, decide, habits, step_up
from allotment.lessons.game.choice import CAREFUL, CHOICES, GRABBING, Choice, High, choice_of
from allotment.lessons.game.room import Phase, Room
from allotment.lessons.game.score import Played, Score
from allotment.lessons.game.setting import Setting

SETTING = Setting(seats=3, rounds=2)
ACTS = st.one_of(
    st.tuples(
        st.just("join"), st.sampled_from(["Ana", "Bo", "Chi", "Dee", "", "x" * 30, "a\nb"]), st.sampled_from("abcde")
    ),
    st.tuples(st.sampled_from(["leave", "come_back", "free"]), st.integers(-1, 3)),
    st.tuples(st.just("choose"), st.integers(-1, 3), st.sampled_from(CHOICES)),
    st.tuples(st.just("begin")),
    st.tuples(st.just("close")),
)


def score(**figures: object) -> Score:
    usual = {"waits": (0,) * 10, "work": 0, "idle": 0, "lost": 0, "stopped": 0, "jobs": 10, "high": 0}
    return Score(**{**usual, **figures})


def played(choices: tuple[Choice, ...], scores: tuple[Score, ...] | None = None) -> Played:
    return Played(choices=choices, scores=scores or (score(),) * len(choices), held=1, capacity=2)


def carry_out(room: Room, act: tuple) -> Room:
    """Do what somebody asks for, without a scheduler."""
    match act:
        case ("join", name, key):
            return rules.join(room, name=name, key=key)
        case (("leave" | "come_back" | "free") as what, seat):
            return getattr(rules, what)(room, seat)
        case ("choose", seat, choice):
            return rules.choose(room, seat, choice)
        case ("begin",):
            return rules.begin_half(room)
    over = [played(choices) for choices in room.history[max(room.half, 0)]]
    return rules.close_round(room, rules.closing(room, over))


def seated(*names: str, setting: Setting = SETTING) -> Room:
    room = rules.open_room(setting)
    for name in names:
        room = rules.join(room, name=name, key=name)
    return room


@settings(max_examples=300, deadline=None)
@given(st.lists(ACTS, max_size=40))
def test_whatever_people_do_in_whatever_order_seats_and_rounds_stay_whole(acts):
    room = rules.open_room(SETTING)
    for act in acts:
        before = room
        try:
            room = carry_out(room, act)
        except AllotmentError:
            assert room is before
        taken = [seat for seat in room.seats if seat.key]
        assert len(room.seats) == len(room.picks) == SETTING.seats
        assert max(Counter(seat.key for seat in taken).values(), default=1) == 1
        assert max(Counter(seat.name for seat in taken).values(), default=1) == 1
        assert all(bool(seat.name) == bool(seat.key) and (seat.key or not seat.here) for seat in room.seats)
        assert [seat.habit for seat in room.seats] == list(habits(SETTING))
        assert all(len(rounds) <= SETTING.rounds for rounds in room.history)
        assert not room.history[1] or len(room.history[0]) == SETTING.rounds
        assert all(len(choices) == SETTING.seats for rounds in room.history for choices in rounds)
        assert room.phase is Phase.ROUND or room.picks == (None,) * SETTING.seats
        for half, rounds in enumerate(before.history):  # what was played stands
            assert room.history[half][: len(rounds)] == rounds


def test_a_game_goes_through_both_halves_and_then_is_over():
    room, seen = seated("Ana"), []
    for _half in range(2):
        room = carry_out(room, ("begin",))
        for _round in range(2):
            seen.append((room.phase, room.round))
            room = carry_out(room, ("close",))
        seen.append((room.phase, room.round))
    open_rounds = [(Phase.ROUND, 1), (Phase.ROUND, 2)]
    assert seen == [*open_rounds, (Phase.BREAK, 2), *open_rounds, (Phase.OVER, 2)]
    for act in (("begin",), ("close",), ("choose", 0, GRABBING)):
        with pytest.raises(AllotmentError):
            carry_out(room, act)


def test_who_comes_late_takes_the_seat_of_a_bot_and_who_comes_back_has_the_old_one():
    room = carry_out(seated("Ana", "Bo"), ("begin",))
    room = rules.leave(room, 0)
    room = rules.join(room, name="Chi", key="c")
    assert [seat.name for seat in room.seats] == ["Ana", "Bo", "Chi"]
    assert (room.people, room.seat_of("Ana"), room.seat_of("nobody"), room.seat_of("")) == ((1, 2), 0, None, None)
    assert rules.come_back(room, 0).people == (0, 1, 2)


def test_where_all_seats_are_taken_it_says_so_until_one_is_freed():
    room = seated("Ana", "Bo", "Chi")
    with pytest.raises(AllotmentError, match="all 3 seats are taken; watch, or ask the facilitator to free a seat"):
        rules.join(room, name="Dee", key="d")
    with pytest.raises(AllotmentError, match="Team 2, Bo is here; only the seat of somebody who has left can be freed"):
        rules.free(room, 1)
    room = rules.join(rules.free(rules.leave(room, 1), 1), name="Dee", key="d")
    assert [seat.name for seat in room.seats] == ["Ana", "Dee", "Chi"]
    assert room.seat_of("Bo") is None


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("", "type a name first"),
        ("  ", "type a name first"),
        ("x" * 25, "name must have at most 24 characters, not 25; choose a short name"),
        ("a\x00b", r"name must be printable text on one line, not 'a\\x00b'; choose a short name"),
        ("Ana", "there is a 'Ana' already; choose another name"),
    ],
)
def test_a_name_that_cannot_be_is_told_what_would_do(name, said):
    with pytest.raises(AllotmentError, match=f"^{said}$"):
        rules.join(seated("Ana"), name=name, key="k")


def test_a_name_is_text_and_its_spaces_are_put_right():
    room = rules.join(rules.open_room(SETTING), name="  <b>A</b>   & Co ", key="k")
    assert rules.team_name(room, 0) == "Team 1, <b>A</b> & Co"
    assert rules.team_name(room, 1) == "Team 2, bot"


@pytest.mark.parametrize("answers", [{}, {"high": 2, "keep": True, "most": False}, {"high": 1}])
def test_a_choice_is_read_from_plain_values(answers):
    assert choice_of(answers) == Choice(**answers)


@pytest.mark.parametrize(
    "answers", [{"high": 3}, {"high": "all"}, {"keep": 1}, {"most": "yes"}, {"more": True}, {"high": None}, [], 7]
)
def test_what_no_page_offers_is_no_choice(answers):
    with pytest.raises(ValueError, match="a choice is high"):
        choice_of(answers)


def test_who_does_not_choose_plays_as_before_and_for_who_has_left_the_bot_decides():
    room = carry_out(seated("Ana", "Bo"), ("begin",))
    room = rules.choose(rules.choose(room, 0, GRABBING), 1, GRABBING)
    room = rules.leave(room, 1)  # its choice for this round stands
    first = rules.closing(room, [])
    assert first == (GRABBING, GRABBING, CAREFUL)
    room = rules.close_round(room, first)
    best = tuple(score(work=0 if seat else 10**9) for seat in range(3))
    over = [played(first, best)]
    later = rules.closing(room, over)
    assert later[0] == GRABBING
    assert later[1:] == tuple(decide(HABITS[room.seats[seat].habit], seat, over) for seat in (1, 2))


def test_a_round_is_not_closed_before_the_last_one_is_there():
    room = carry_out(carry_out(seated("Ana"), ("begin",)), ("close",))
    with pytest.raises(AllotmentError, match="the last round is still being computed"):
        rules.closing(room, [])


def test_bots_begin_with_care_and_do_what_their_habits_say():
    late, fine, rich = score(waits=(0, 0, 3600)), score(), score(work=10**8)
    assert all(decide(habit, 0, []) == CAREFUL for habit in HABITS.values())
    one = played((CAREFUL, GRABBING), (late, rich))
    assert decide(HABITS["careful"], 0, [one]) == CAREFUL
    assert decide(HABITS["restless"], 0, [one]) == LADDER[1]
    assert decide(HABITS["restless"], 0, [played((CAREFUL, CAREFUL), (fine, rich))]) == CAREFUL
    assert decide(HABITS["copycat"], 0, [one]) == GRABBING
    assert decide(HABITS["copycat"], 1, [one]) == GRABBING
    assert decide(HABITS["copycat"], 0, [played((CAREFUL, GRABBING), (fine, fine))]) == CAREFUL


@given(st.sampled_from(CHOICES))
def test_the_ladder_leads_from_any_choice_to_taking_all_and_gives_nothing_back(choice):
    steps = [choice]
    for _ in LADDER:
        steps.append(step_up(steps[-1]))
    assert steps[-1] == GRABBING
    for before, after in pairwise(steps):
        assert after.high >= before.high
        assert after.keep >= before.keep
        assert after.most >= before.most


def test_habits_are_spread_evenly_and_drawn_from_the_seed():
    found = [habits(Setting(seats=12, seed=seed)) for seed in range(5)]
    assert [Counter(each) for each in found] == [dict.fromkeys(HABITS, 4)] * 5
    assert len(set(found)) > 1
    assert habits(Setting(seats=12, seed=3)) == found[3]


@pytest.mark.parametrize(
    ("given_as", "said"),
    [
        ({"seats": 1}, "seats must be between 2 and 30"),
        ({"rounds": 9}, "rounds must be between 1 and 8"),
        ({"seed": -1}, "seed must be"),
    ],
)
def test_a_game_has_bounds(given_as, said):
    with pytest.raises(ValueError, match=said):
        Setting(**given_as)


def test_a_choice_keeps_its_type():
    assert Choice(high=2).high is High.ALL
    assert attrs.evolve(GRABBING, high=0, keep=False, most=False).careful
