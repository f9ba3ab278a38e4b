"""Numbers as people read them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from allotment.views.formats import count, gpu_hours, part, plain, times, wait


@given(st.integers(0, 10**9))
def test_a_wait_is_never_shown_as_more_than_a_twentieth_off(seconds):
    units = {"s": 1, "min": 60, "h": 3600, "d": 86_400}
    words = wait(seconds).replace("<", "").split()
    shown = sum(float(number) * units[unit] for number, unit in zip(words[::2], words[1::2], strict=True))
    assert abs(shown - seconds) <= max(1, 0.05 * seconds)


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_a_longer_wait_never_looks_shorter_in_a_larger_unit(one, other):
    order = ["s", "min", "h", "d"]
    low, high = sorted([one, other])
    assert order.index(wait(low).split()[-1] if "min" not in wait(low) else "min") <= order.index(
        wait(high).split()[-1] if "min" not in wait(high) else "min"
    )


@given(st.floats(0, 1e9))
def test_gpu_hours_keep_three_figures(hours):
    number, *rest = gpu_hours(hours).split()
    scale = {"k": 1e3, "M": 1e6}.get(rest[0], 1)
    assert rest[-1] == "GPU-h"
    assert abs(float(number) * scale - hours) <= max(0.01, 0.06 * hours if hours < 10 else 0.006 * hours)


@given(st.floats(0, 1))
def test_a_part_is_shown_as_nothing_only_if_it_is_nothing(ratio):
    assert (part(ratio) == "0.0 %") == (ratio == 0)


def test_what_is_not_there_is_a_dash():
    assert {wait(None), gpu_hours(None), part(None), count(None), times(None)} == {"-"}


@given(st.text())
def test_no_text_can_move_the_cursor(text):
    assert plain(text).isprintable()
    assert len(plain(text)) == len(text)
