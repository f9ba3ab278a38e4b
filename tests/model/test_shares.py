from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from allotment.model.shares import exact_share, format_share


@pytest.mark.parametrize(
    ("written", "share"),
    [
        (0.1, Fraction(1, 10)),
        ("0.1", Fraction(1, 10)),
        ("1/3", Fraction(1, 3)),
        (" 2 / 6 ", Fraction(1, 3)),
        (Decimal("0.25"), Fraction(1, 4)),
        (1, Fraction(1)),
        ("0", Fraction(0)),
        (".5", Fraction(1, 2)),
        (1e-07, Fraction(1, 10_000_000)),
        ("1E-7", Fraction(1, 10_000_000)),
    ],
)
def test_a_share_is_exactly_what_is_written(written: float | str | Decimal, share: Fraction) -> None:
    assert exact_share(written) == share


@pytest.mark.parametrize(
    "written",
    [
        *(float("nan"), float("inf"), Decimal("nan"), Decimal("inf"), Decimal("1e5000"), True, None, []),
        *("", ".", "e5", "E5", "1/0", "1//2", "-1/2", "half", "1e999999999", "0." + "1" * 60, "1/" + "9" * 60),
        "\u0661/\u0662",  # digits of another script
    ],
)
def test_what_is_no_share_is_refused_and_named(written: object) -> None:
    with pytest.raises(ValueError, match="a share is written as"):
        exact_share(written)  # type: ignore[arg-type]


@pytest.mark.parametrize("share", [Fraction(1, 10**50), Fraction(1, 2**200), 5e-324])
def test_a_share_finer_than_anybody_means_is_refused(share: Fraction | float) -> None:
    with pytest.raises(ValueError, match="a share is"):
        exact_share(share)


@given(st.fractions(0, 1, max_denominator=10**40))
def test_what_is_written_is_read_back_exactly(share: Fraction) -> None:
    assert exact_share(format_share(share)) == share


@given(st.integers(0, 10**12), st.integers(0, 12))
def test_a_short_decimal_is_written_as_a_decimal(number: int, places: int) -> None:
    share = Fraction(number, 10**places)
    text = format_share(share)
    assert ("/" not in text) or share >= 1000
    assert Fraction(text) == share
