"""What the commons game teaches, over five seeds, as it came when it was last looked at: who gains, and who pays.

``python -m tests.lessons.game.test_taught`` (in the root of the checkout) rewrites the table after a change that was meant
to change it; read the difference before keeping it. Where it says something else than the pages and the README, they are wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import attrs
import numpy as np
import pytest

from allotment.lessons.game.choice import CAREFUL, GRABBING, Choice, High
from allotment.lessons.game.outcome import CHANCE, by_seat, effect
from allotment.lessons.game.score import Score, play_half, total
from allotment.lessons.game.setting import POLICIES, ROUNDS, SEATS, Drawn, Setting, draw
from allotment.units import HOUR

GOLDEN = Path(__file__).with_name("taught.txt")
SEEDS = range(5)
HIGH, NODE, MOST = Choice(high=High.ALL), Choice(keep=True), Choice(most=True)
BOTH = attrs.evolve(HIGH, keep=True)
NAMES = {CAREFUL: "careful", HIGH: "HIGH", NODE: "node", MOST: "most", BOTH: "HIGH and node", GRABBING: "all three"}
ALONE = (*((CAREFUL, mine) for mine in (HIGH, NODE, MOST, GRABBING)), *((HIGH, mine) for mine in (CAREFUL, BOTH)))
Told = Mapping[tuple[str, str], Mapping[str, float]]


def of_room(scores: list[Score]) -> dict[str, float]:
    """Return the figures of an average team and round."""
    of, many = total(scores), SEATS * ROUNDS * len(SEEDS)
    return {
        "points": of.points / many,
        "in time": of.in_time / len(of.waits),
        "p90, min": (of.wait(0.9) or 0) / 60,
        "work": of.work / HOUR / many,
        "idle": of.idle / HOUR / many,
        "lost": of.lost / HOUR / many,
        "stopped": of.stopped / many,
    }


def measured() -> Told:
    """Return the figures where all do the same, and what one team alone gains and takes, in points over a half."""
    settings = [Setting(seed=seed) for seed in SEEDS]
    drawn = {setting: draw(setting) for setting in settings}
    found: dict[tuple[str, str], dict[str, float]] = {}
    for policy in POLICIES:
        for choice, name in NAMES.items():
            rounds = ((choice,) * SEATS,) * ROUNDS
            scores = [score for one in settings for score in by_seat(play_half(one, drawn[one], policy, rounds))]
            found[policy, f"all {name}"] = of_room(scores)
        for others, mine in ALONE:
            pairs = [alone(one, drawn[one], policy, others, mine) for one in settings]
            found[policy, f"one {NAMES[mine]}, the others {NAMES[others]}"] = {
                "gained": float(np.mean([gained for gained, _ in pairs])),
                "others lost": float(np.mean([lost for _, lost in pairs])),
                "most, either way": float(max(abs(lost) for _, lost in pairs)),
            }
    return found


def alone(setting: Setting, drawn: Drawn, policy: str, others: Choice, mine: Choice) -> tuple[float, float]:
    """Return what one team gains by a choice, and the others lose, against what they all do; a careful one against itself."""
    seat = setting.seed % SEATS
    with_it, without = (
        tuple(which if number == seat else others for number in range(SEATS)) for which in (mine, others)
    )
    played, then = (by_seat(play_half(setting, drawn, policy, (row,) * ROUNDS)) for row in (with_it, without))
    found = effect(seat, played, then)
    return found.gained, found.points


def lines(found: Told) -> Iterator[str]:
    """Yield a line for each thing measured."""
    for (policy, what), figures in found.items():
        yield f"{policy}, {what}: {', '.join(f'{name} {value:.4g}' for name, value in figures.items())}\n"


@pytest.fixture(scope="module")
def found() -> Told:
    return measured()


@pytest.mark.slow
def test_the_game_gives_what_it_gave(found):
    assert "".join(lines(found)) == GOLDEN.read_text(encoding="utf-8")


def test_the_readme_says_what_the_table_says():
    readme = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
    said = readme[readme.index("## The commons game") : readme.index("## A scenario of your own")]
    kept = dict(re.findall(r"^(.+?): (.*)$", GOLDEN.read_text(encoding="utf-8"), re.MULTILINE))

    def figure(what: str, name: str) -> float:
        return float(re.search(rf"{name} (-?[\d.]+)", kept[what])[1])

    rows = re.findall(r"^\| (?!all|-)(.+?) \|$", said, re.MULTILINE)
    for row, name in zip(rows, ("careful", "HIGH", "node", "most", "all three"), strict=True):
        old, new = f"priority, all {name}", f"budgets, all {name}"
        cells = [
            f"{write(figure(policy, what))}"
            for policy in (old, new)
            for what, write in (("points", "{:.1f}".format), ("in time", "{:.0%}".format), ("work", "{:.0f}".format))
        ] + [f"{figure(new, 'lost'):.0f}"]
        assert [cell.replace(" ", "") for cell in row.split(" | ")[1:]] == cells, name
    alone = {
        "priority, one HIGH, the others careful": ("gains {0:.0f} points", "others lose {1:.0f};"),
        "priority, one all three, the others careful": ("the others lose {1:.0f}.",),
        "priority, one HIGH and node, the others HIGH": ("gains {0:.0f}.",),
        "budgets, one HIGH, the others careful": ("({0:.0f})",),
        "budgets, one most, the others careful": ("gains {0:.0f},",),
    }
    for what, texts in alone.items():
        for text in texts:
            assert text.format(figure(what, "gained"), figure(what, "others lost")) in said, what
    assert f"loses {-figure('priority, one careful, the others HIGH', 'gained'):.0f}" in said
    assert f"costs its team {-figure('budgets, one node, the others careful', 'gained'):.0f}" in said


@pytest.mark.slow
def test_under_priorities_whoever_takes_gains_and_where_all_do_everybody_loses(found):
    old = {what: figures for (policy, what), figures in found.items() if policy == "priority"}
    assert old["one HIGH, the others careful"]["gained"] > 100
    assert old["one HIGH, the others careful"]["others lost"] > 100
    assert old["one careful, the others HIGH"]["gained"] < -200  # to be careful alone does not pay
    assert old["one HIGH and node, the others HIGH"]["gained"] > 100
    assert old["one node, the others careful"]["gained"] < 0  # a node alone buys nothing where nobody waits
    assert old["all careful"]["points"] > 1.3 * old["all HIGH"]["points"]
    assert old["all careful"]["points"] > 1.3 * old["all all three"]["points"]
    assert old["all HIGH"]["in time"] < 0.2 < 0.95 < old["all careful"]["in time"]
    assert old["all HIGH and node"]["work"] < 0.65 * old["all careful"]["work"]


@pytest.mark.slow
def test_under_budgets_taking_does_not_pay_and_does_nothing_to_the_others_but_longer_contracts_pay_a_little(found):
    new = {what: figures for (policy, what), figures in found.items() if policy == "budgets"}
    ones = {what: figures for what, figures in new.items() if what.startswith("one ")}
    assert all(abs(figures["others lost"]) < 0.5 * CHANCE * ROUNDS for figures in ones.values())
    assert sum(figures["most, either way"] < CHANCE * ROUNDS for figures in ones.values()) >= 0.8 * len(ones)
    assert abs(new["one HIGH, the others careful"]["gained"]) < 20
    assert new["one node, the others careful"]["gained"] < -20
    assert new["one all three, the others careful"]["gained"] < -20
    assert 0 < new["one most, the others careful"]["gained"] < 30
    assert new["all most"]["points"] > new["all careful"]["points"]
    assert new["all all three"]["points"] > 0.85 * new["all careful"]["points"]


@pytest.mark.slow
def test_budgets_have_a_price_which_care_under_priorities_would_not_have(found):
    old, new = found["priority", "all careful"], found["budgets", "all careful"]
    assert new["lost"] > 10 * old["lost"]
    assert new["work"] < old["work"]
    assert new["points"] < old["points"]


if __name__ == "__main__":
    GOLDEN.write_text("".join(lines(measured())), encoding="utf-8")
