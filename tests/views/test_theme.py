"""Colours that people can tell apart and read text on."""

from __future__ import annotations

import itertools

import pytest

from allotment.views.theme import GROUPS, NEUTRAL, contrast, group_colour, ink_on


@pytest.mark.parametrize("hue", [*GROUPS, NEUTRAL])
def test_every_hue_stands_out_from_white_and_bears_text(hue):
    assert contrast(hue, "#ffffff") >= 3
    assert contrast(hue, ink_on(hue)) >= 4.5


def test_a_seventh_budget_gets_no_hue_of_another():
    hues = [group_colour(place) for place in range(9)]
    assert hues[:6] == list(GROUPS)
    assert set(hues[6:]) == {NEUTRAL}
    assert all(one != other for one, other in itertools.combinations(GROUPS, 2))
