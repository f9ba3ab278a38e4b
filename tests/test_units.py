from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from allotment.units import DAY, HOUR, MINUTE, WEEK, format_duration, parse_duration


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("8h", 8 * HOUR),
        ("15m", 15 * MINUTE),
        ("1d12h", 36 * HOUR),
        (" 1d 12h ", 36 * HOUR),
        ("2w", 2 * WEEK),
        ("90s", 90),
        ("0s", 0),
        ("90", 90),
        (90, 90),
        (0, 0),
        ("1h 1h", 2 * HOUR),
    ],
)
def test_a_duration_is_read_as_whole_seconds(text: str | int, seconds: int) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize(
    "text", ["", " ", "h", "8x", "-1h", "1.5h", "8h!", "٨h", "٨", "8H", "1:30", "h8", True, False, None, 1.5, -1, 2**53]
)
def test_what_is_no_duration_is_refused_and_named(text: object) -> None:
    with pytest.raises(ValueError, match="duration"):
        parse_duration(text)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0s"), (59, "59s"), (60, "1m"), (90, "90s"), (3600, "1h"), (WEEK, "7d"), (36 * HOUR, "36h")],
)
def test_seconds_are_written_in_the_largest_unit_that_is_exact(seconds: int, text: str) -> None:
    assert format_duration(seconds) == text


@given(st.integers(0, 2**53 - 1))
def test_what_is_written_is_read_back(seconds: int) -> None:
    assert parse_duration(format_duration(seconds)) == seconds


def test_a_day_has_the_seconds_of_24_hours() -> None:
    assert (DAY, WEEK) == (24 * 60 * 60, 7 * 24 * 60 * 60)
