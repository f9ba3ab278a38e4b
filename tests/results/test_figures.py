"""Every figure of a summary has its line in `figures.py`, and every line there its figure."""

from __future__ import annotations

import attrs
import pytest

from allotment.errors import NotFoundError
from allotment.experiment.simulate import simulate, variant
from allotment.model.people import Inflation, Sessions, Squatting
from allotment.presets import load_scenario
from allotment.results.figures import FIGURES, figure, places


@pytest.fixture(scope="module")
def summary():
    people = (Squatting(share=0.3), Inflation(tolerance=60, step=0.5), Sessions(people=1))
    return simulate(attrs.evolve(load_scenario("small-week"), people=people), days=2, shares={"science": "0.3"}).summary


def test_every_figure_is_explained_and_nothing_else_is(summary):
    found = {figure(*place).place for place in places(summary)}
    assert found == {each.place for each in FIGURES}
    assert len(found) == len(FIGURES)


def test_every_figure_that_is_a_ratio_is_one(summary):
    def value(place, inside):
        for step in place:
            inside = inside[0] if step == "[]" else inside[step]
        return inside

    for place in set(places(summary)):
        number = value(place, summary)
        if figure(*place).unit == "ratio" and number is not None:
            assert 0 <= number <= 1 or place[-1] == "of_owed", place


def test_the_figures_of_a_plain_run_are_explained_too():
    found = simulate(variant(load_scenario("small-week"), days=1)).summary
    assert {figure(*place).place for place in places(found)} <= {each.place for each in FIGURES}


def test_a_name_with_dots_is_a_name(summary):
    assert figure("team_wait", "lab/v1.5", "p50").meaning.startswith("half of them")


def test_what_is_no_figure_is_told():
    with pytest.raises(NotFoundError, match=r"no figure at 'wait\.debug\.p99'"):
        figure("wait", "debug", "p99")
