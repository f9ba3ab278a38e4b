from __future__ import annotations

import pytest

from allotment.model.people import (
    Hours,
    Impatience,
    Inflation,
    OverAsking,
    Pause,
    Sessions,
    Squatting,
    Tolerance,
)
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
        (lambda: Squatting(share=-0.1), "share must be between 0 and 1"),
        (lambda: Squatting(share=1, users=2), "users must be between 0 and 1"),
        (lambda: Squatting(share=1, longest=0), "longest must be at least 1"),
        (lambda: Inflation(step=5), "step must be between 0 and 3"),
        (lambda: Inflation(pin=2), "pin must be between 0 and 1"),
        (lambda: Inflation(quantile="1.5"), "quantile must be between 0 and 1"),
        (lambda: Inflation(every=1), "every must be at least 60"),
        (lambda: Inflation(highest=9), "highest must be one of Priority.LOW"),
        (
            lambda: Inflation(tolerances=(Tolerance(kind="a", wait=1), Tolerance(kind="a", wait=2))),
            "tolerances must name each kind once; 'a' is there twice",
        ),
        (lambda: OverAsking(share=1, min_runtime=0), "min_runtime must be at least 1"),
        (lambda: OverAsking(share=1, times=0.5), "times must be between 1 and 1000"),
    ],
)
def test_settings_that_make_no_sense_are_refused_by_name(make, text):
    with pytest.raises(ValueError, match=text):
        make()
