from __future__ import annotations

import pytest

from allotment.model.people import Hours, Impatience, Pause, Sessions
from allotment.units import HOUR


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Hours(begin=18, end=9), "begin must be before end"),
        (lambda: Impatience(share=1.5), "share must be between 0 and 1"),
        (lambda: Impatience(share=1, leaves=("a", "a")), "leaves must hold each name once"),
        (lambda: Sessions(people=0), "people must be between 1 and"),
        (lambda: Sessions(people=1, startup=HOUR, limit=HOUR), "limit must be longer than the start-up"),
        (lambda: Pause(median=0), "median must be at least 1"),
    ],
)
def test_settings_that_make_no_sense_are_refused_by_name(make, text):
    with pytest.raises(ValueError, match=text):
        make()
