"""Ratios are compared exactly, whatever their size."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

anything = st.integers(0, 2**62)
small = st.integers(0, 12)
numbers = anything | small
plainly = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def value(part: int, whole: int) -> Fraction | float:
    return Fraction(part, whole) if whole else float("inf")


@plainly
@given(a=numbers, b=numbers, c=numbers, d=numbers)
def test_two_ratios_compare_as_fractions_do_and_nothing_below_the_line_is_infinite(plain, a, b, c, d):
    x, y = value(a, b), value(c, d)
    assert plain.rank.compare_ratios(a, b, c, d) == (x > y) - (x < y)


@plainly
@given(a=numbers, b=st.integers(1, 2**62), times=st.integers(1, 1000))
def test_a_ratio_equals_its_multiples(plain, a, b, times):
    assert plain.rank.compare_ratios(a * times, b * times, a, b) == 0


@plainly
@given(
    used=st.integers(0, 2**40),
    claim=st.integers(0, 2**40),
    entitled=st.integers(0, 2**40),
    theirs=st.integers(0, 2**40),
    their_entitled=st.integers(0, 2**40),
    margin=st.fractions(0, 1, max_denominator=10_000),
)
def test_a_claimant_outranks_by_more_than_the_margin(plain, used, claim, entitled, theirs, their_entitled, margin):
    outranks = plain.reclaim.outranks(
        used, claim, entitled, theirs, their_entitled, margin.numerator, margin.denominator
    )
    due = entitled > 0 and Fraction(used + claim, entitled or 1) + margin < value(theirs, their_entitled)
    assert outranks == due
