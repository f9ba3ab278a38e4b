"""`allotment reproduce`, on the smallest scenario."""

from __future__ import annotations

import attrs
import pytest

from allotment.cli import reproducing
from allotment.experiment.published import FIGURES, MADE_SCENARIO
from allotment.presets import load_scenario
from allotment.units import DAY


@pytest.fixture
def small(monkeypatch):
    """Let a day of the smallest scenario stand for the month."""
    day = attrs.evolve(load_scenario("small-week"), measured=DAY)
    asked = []
    monkeypatch.setattr(reproducing, "load_scenario", lambda name: asked.append(name) or day)
    return asked


def test_every_row_is_printed_in_eighty_columns(shell, small):
    ended = shell("reproduce", "--seeds", 1)
    assert (ended.status, small) == (0, ["published-month", "published-saturated"])
    assert max(map(len, ended.out.splitlines())) <= 80
    tables = [part.splitlines() for part in ended.out.split("\n\n") if "published and simulated" in part]
    assert len(tables) == 2
    for table, figures in zip(tables, (FIGURES, MADE_SCENARIO), strict=True):
        assert [of.title for of in figures.values() if not any(line.startswith(of.title) for line in table)] == []
    assert "published: its operator's own simulator" in ended.out


def test_json_has_every_row_and_every_seed(shell, small):
    plain = shell("reproduce", "--seeds", 2, "--json").json
    assert [[row["row"] for row in each["rows"]] for each in plain] == [list(FIGURES), list(MADE_SCENARIO)]
    assert all(each["seeds"] == [0, 1] for each in plain)
    rows = [row for each in plain for row in each["rows"] if row["after"]["simulated"]]
    assert all(len(row["after"]["simulated"]["values"]) == 2 for row in rows)


def test_what_is_left_out_is_said_and_is_left_out(shell, small):
    ended = shell("reproduce", "--seeds", 1, "--without", "failures", "--without", "squatting")
    assert "without failures, squatting" in ended.out
    repairs = next(line for line in ended.out.splitlines() if line.startswith("repairs"))
    assert "n/a" not in repairs
    plain = shell("reproduce", "--seeds", 1, "--without", "failures", "--json").json
    assert [each["without"] for each in plain] == [["failures"]] * 2


def test_a_behaviour_that_is_not_there_is_a_mistake_that_names_those_that_are(shell, small):
    ended = shell("reproduce", "--without", "sleeping")
    assert ended.status == 2
    assert "'sleeping'" in ended.err
    assert "squatting, inflation" in ended.err


def test_where_it_differs_a_sentence_says_so(shell, small):
    ended = shell("reproduce", "--seeds", 1)
    starred = [line for line in ended.out.splitlines() if line.endswith("*") or "* " in line[40:60]]
    assert starred
    assert "Why it differs" in ended.out
    assert "occupancy, before: " in ended.out


def test_every_figure_with_a_mark_has_its_sentence_and_only_those(shell, small):
    for each in shell("reproduce", "--seeds", 3, "--json").json:
        for arm in ("before", "after"):
            for row in each["rows"]:
                marked = bool(row[arm]["differs"] or row[arm]["far"])
                assert (row[arm]["why"] is not None) == marked or (row["row"], arm) == ("repairs", "before")


def test_no_seeds_is_a_mistake(shell):
    ended = shell("reproduce", "--seeds", 0)
    assert ended.status == 2
    assert "--seeds" in ended.err
