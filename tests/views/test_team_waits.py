"""Who waits longer: a word about teams, not about kinds of work alone."""

from __future__ import annotations

import attrs
import pytest

from allotment import simulate
from allotment.model.changeset import Changeset, ShareChange
from allotment.presets import load_scenario
from allotment.units import DAY
from allotment.views.team_waits import INVITES, NOT_YET, team_waits, who_waits_longer

WEEK = load_scenario("small-week")


def shared(language, science):
    shares = (ShareChange(id="language", share=language), ShareChange(id="science", share=science))
    return attrs.evolve(WEEK, changesets=(Changeset(time=0, author="Ann", reason="a deadline", shares=shares),))


@pytest.fixture(scope="module")
def before():
    return simulate(WEEK)


@pytest.fixture(scope="module")
def after():
    return simulate(shared("0.3", "0.6"))


def test_who_is_given_less_is_named_as_waiting_longer_and_who_is_given_more_as_waiting_less_long(before, after):
    longer, less = who_waits_longer(after, before).split("; ")
    assert longer.startswith("Against the baseline longer: ")
    assert "language/pretraining with training" in longer
    assert "science/" not in longer
    assert less.startswith("less long: ")
    assert "science/biology with training" in less


def test_each_cell_says_what_it_was_where_that_was_something_else(before, after):
    alone, beside = team_waits(before), team_waits(after, before)
    assert alone.index.tolist() == sorted(alone.index)
    assert set(alone.columns) == {"batch", "debug", "training"}
    was = alone.loc["language/pretraining", "training"]
    now = team_waits(after).loc["language/pretraining", "training"]
    assert beside.loc["language/pretraining", "training"] == f"{now} (was {was})"
    assert "was" not in team_waits(before, before).to_string()


def test_without_another_run_it_says_what_to_do(before):
    assert who_waits_longer(before) == who_waits_longer(before, before) == INVITES


def test_a_small_change_is_called_none(before):
    again = simulate(attrs.evolve(WEEK))
    assert who_waits_longer(again, before).startswith("Against the baseline no team waits 1.5 times as long")


def test_a_run_in_which_nothing_was_submitted_has_no_rows():
    empty = simulate(attrs.evolve(WEEK, workload=(), warmup=DAY, measured=DAY))
    assert team_waits(empty).empty


def test_runs_of_other_lengths_are_not_compared(before):
    short = simulate(attrs.evolve(WEEK, measured=DAY))
    assert who_waits_longer(short, before) == NOT_YET
    assert "was" not in team_waits(short, before).to_string()
