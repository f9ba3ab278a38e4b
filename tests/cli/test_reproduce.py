"""`allotment reproduce`, on the smallest scenario."""

from __future__ import annotations

import attrs
import pytest

from allotment.cli import reproducing
from allotment.experiment.published import FIGURES
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
    assert (ended.status, small) == (0, ["published-month"])
    table = ended.out.split("\n\n")[0].splitlines()
    assert max(map(len, table)) <= 80
    assert [of.title for of in FIGURES.values() if not any(line.startswith(of.title) for line in table)] == []


def test_json_has_every_row_and_every_seed(shell, small):
    plain = shell("reproduce", "--seeds", 2, "--json").json
    assert [row["row"] for row in plain["rows"]] == list(FIGURES)
    assert plain["seeds"] == [0, 1]
    assert all(len(row["after"]["simulated"]["values"]) == 2 for row in plain["rows"] if row["after"]["simulated"])


def test_where_it_differs_a_sentence_says_so(shell, small):
    ended = shell("reproduce", "--seeds", 1)
    starred = [line for line in ended.out.splitlines() if line.endswith("*") or "* " in line[40:60]]
    assert starred
    assert "Why it differs" in ended.out
    assert "occupancy, before: " in ended.out


def test_no_seeds_is_a_mistake(shell):
    ended = shell("reproduce", "--seeds", 0)
    assert ended.status == 2
    assert "--seeds" in ended.err
