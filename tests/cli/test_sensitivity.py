"""`allotment sensitivity`, on the smallest scenario."""

from __future__ import annotations

import attrs
import pytest

from allotment.cli.console import show
from allotment.cli.varying import NEVER, page
from allotment.experiment import sensitivity as experiment
from allotment.experiment.sensitivity import Effect, Sensitivity
from allotment.experiment.spread import Spread
from allotment.experiment.variations import VARIATIONS

FEW = [each for each in VARIATIONS if each.name in ("checkpoints", "lookback")]


@pytest.fixture
def few(monkeypatch):
    """Turn two settings, and not all."""
    monkeypatch.setattr(
        experiment.sensitivity, "__kwdefaults__", {**experiment.sensitivity.__kwdefaults__, "variations": FEW}
    )


def test_a_table_in_eighty_columns_with_what_each_side_changes(shell, few):
    ended = shell("sensitivity", "small-week", "--seeds", 2, "--days", 1)
    assert ended.status == 0
    lines = ended.out.splitlines()
    assert max(map(len, lines)) <= 80
    for start in (
        "small-week, budgets, 1 d, 2 seeds",
        "as it is",
        "checkpoints x 1/3",
        "checkpoints x 3",
        "lookback x 1/2",
    ):
        assert sum(line.startswith(start) for line in lines) == 1, start
    assert "left out, as it is so already or does not fit: lookback x 2" in ended.out
    assert "the time between two" in ended.out


def test_json_has_every_difference_of_every_seed(shell, few):
    plain = shell("sensitivity", "small-week", "--seeds", 2, "--days", 1, "--policy", "priority", "--json").json
    assert (plain["policy"], plain["seeds"], plain["days"]) == ("priority", [0, 1], 1)
    assert [(each["setting"], each["side"]) for each in plain["effects"]] == [
        ("checkpoints", "low"),
        ("checkpoints", "high"),
    ]
    assert all(len(each["differences"]["occupancy"]["values"]) == 2 for each in plain["effects"])
    assert plain["base"]["delivered"] is plain["effects"][0]["differences"]["delivered"] is None


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("no-such",), "'no-such'"),
        (("small-week", "--policy", "no-such"), "'no-such'"),
        (("small-week", "--seeds", 0), "--seeds"),
        (("small-week", "--days", 0), "--days"),
    ],
)
def test_a_mistake_is_named(shell, arguments, named):
    ended = shell("sensitivity", *arguments)
    assert ended.status == 2
    assert named in ended.err


def test_a_wait_that_has_no_end_is_said_to_have_none(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    known = Spread(values=(60, 70), median=65, mean=65, low=60, high=70)
    figures = dict.fromkeys(("delivered", "worst_team", "occupancy", "unallocated", "preemptions", "work_lost"))
    effect = Effect(
        setting="x", about="y", side="low", label="none", differences=figures | {"debug_p90": known, "all_p90": None}
    )
    found = Sensitivity(
        scenario="s",
        policy="p",
        days=1,
        seeds=(0, 1),
        rank=1,
        coverage=0.5,
        base=figures | {"debug_p90": known, "all_p90": known},
        effects=(effect,),
        left_out=(),
    )
    show(page(found))
    row = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("x none"))
    assert row.split()[1:] == ["none", "-", "-", "-", "-", "+65", "s*", NEVER, "-", "-"]
    show(page(attrs.evolve(found, effects=())))
    assert NEVER not in capsys.readouterr().out
