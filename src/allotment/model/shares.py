"""Shares as exact fractions, and the way people write them: ``0.25`` or ``1/3``."""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction

_FRACTION = re.compile(r"\s*(\d{1,50})\s*/\s*(\d{1,50})\s*", re.ASCII)
_DECIMAL = re.compile(r"\s*\d{0,50}(\.\d{0,50})?([eE][-+]?\d{1,2})?\s*", re.ASCII)
_FINEST = 10**50
_DIGITS = 12  # a decimal with at most so many places is read back to the same fraction by any program


def exact_share(value: Fraction | Decimal | float | str) -> Fraction:
    """Return the fraction that is written: 0.1 and ``"0.1"`` are one tenth, ``"1/3"`` is a third.

    Raises ValueError for anything else, such as infinities, and for more digits than anybody means.

    >>> exact_share(0.1), exact_share("1/3"), exact_share(1)
    (Fraction(1, 10), Fraction(1, 3), Fraction(1, 1))
    """
    if isinstance(value, Fraction):
        if max(abs(value.numerator), value.denominator) >= _FINEST:
            raise ValueError(f"a share is a fraction of numbers of at most 50 digits, not {value}")
        return value
    if isinstance(value, float) and math.isfinite(value):
        return exact_share(Decimal(repr(value)))
    if isinstance(value, int) and not isinstance(value, bool):
        return Fraction(value)
    if isinstance(value, Decimal) and value.is_finite() and abs(value.adjusted()) < 100:
        return exact_share(Fraction(value))
    if isinstance(value, str):
        parts = _FRACTION.fullmatch(value)
        if parts is not None and int(parts[2]) > 0:
            return exact_share(Fraction(int(parts[1]), int(parts[2])))
        if _DECIMAL.fullmatch(value) and any(letter.isdigit() for letter in value.lower().split("e")[0]):
            return exact_share(Fraction(value))
    raise ValueError(f"a share is written as 0.25 or '1/3', not {value!r}")


def format_share(share: Fraction) -> str:
    """Return the shortest exact way to write a share, the inverse of :func:`exact_share`.

    >>> format_share(Fraction(1, 4)), format_share(Fraction(1, 3)), format_share(Fraction(1))
    ('0.25', '1/3', '1')
    """
    if share.denominator == 1:
        return str(share.numerator)
    if 10**_DIGITS % share.denominator == 0 and share < 1000:
        return format(Decimal(share.numerator) / Decimal(share.denominator), "f")
    return f"{share.numerator}/{share.denominator}"
