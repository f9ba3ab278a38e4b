"""An exercise whose answer is a number: what a learner found is set against what a run says, without telling it."""

from __future__ import annotations

import math
from numbers import Real
from typing import Any

import attrs

from allotment.errors import AllotmentError

WITHIN = 0.05  # of the right answer


@attrs.frozen(kw_only=True)
class Checked:
    """Whether an answer is right, and what is said of it; a notebook shows what is said."""

    right: bool | None
    """None where nothing was answered yet."""
    says: str

    def __repr__(self) -> str:
        """Return what is said."""
        return self.says


def check(answer: Any, right: float, *, unit: str = "", within: float = WITHIN, hint: str = "") -> Checked:
    """Return whether a number is right: no further from `right` than `within` of it.

    A wrong answer hears whether it is too high or too low, and the hint; never the right one. Raises AllotmentError where the
    answer is no number.

    >>> check(None, 27.4, unit="seconds")
    Not answered yet: put a number in place of None.
    >>> check(27, 27.4, unit="seconds")
    Right: 27.4 seconds.
    >>> check(3, 27.4, unit="seconds", hint="look at the column 9 in 10")
    Not yet: 3 seconds is too low; look at the column 9 in 10.
    """
    if answer is None:
        return Checked(right=None, says="Not answered yet: put a number in place of None.")
    if isinstance(answer, bool) or not isinstance(answer, Real) or not math.isfinite(float(answer)):
        raise AllotmentError(f"an answer must be a number, such as 2.5, not {answer!r}")
    counted = f" {unit}" if unit else ""
    found = float(answer)
    if math.isclose(found, right, rel_tol=within, abs_tol=1e-9):
        return Checked(right=True, says=f"Right: {right:.3g}{counted}.")
    side = "low" if found < right else "high"
    return Checked(right=False, says=f"Not yet: {found:.3g}{counted} is too {side}{f'; {hint}' if hint else ''}.")
