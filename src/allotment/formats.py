"""How numbers look to a person: waits, GPU-hours, parts of a whole. Every figure says its unit, and none is dropped."""

from __future__ import annotations

from collections.abc import Callable

from allotment.units import DAY, HOUR, MINUTE

NOTHING = "-"  # there is no such figure
MINUS = "\u2212"  # as wide as a plus; a hyphen is easily overlooked


def wait(seconds: float | None) -> str:
    """Return a duration in two significant figures; a wait of nothing is shown as less than a second.

    >>> [wait(s) for s in (0, 24, 294, 3000, 3599, 6480, 200_000)]
    ['< 1 s', '24 s', '4 min 54 s', '50 min', '1.0 h', '1.8 h', '2.3 d']
    """
    if seconds is None:
        return NOTHING
    if seconds < 1:
        return "< 1 s"
    if round(seconds) < MINUTE:
        return f"{seconds:.0f} s"
    if round(seconds) < 10 * MINUTE:
        minutes, rest = divmod(round(seconds), MINUTE)
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    if round(seconds / MINUTE) < 60:
        return f"{seconds / MINUTE:.0f} min"
    if round(seconds / HOUR) < 24:
        return f"{_two(seconds / HOUR)} h"
    return f"{_two(seconds / DAY)} d"


def _two(number: float) -> str:
    return f"{number:.1f}" if number < 9.95 else f"{number:.0f}"


def gpu_hours(hours: float | None, unit: str = "GPU-h") -> str:
    """Return GPU-hours in three significant figures.

    >>> gpu_hours(192), gpu_hours(44_123.4), gpu_hours(0.25), gpu_hours(2_500_000), gpu_hours(0)
    ('192 GPU-h', '44.1 k GPU-h', '0.25 GPU-h', '2.50 M GPU-h', '0 GPU-h')
    """
    if hours is None:
        return NOTHING
    return f"{_scaled(hours)} {unit}".rstrip()


def _scaled(number: float) -> str:
    for size, letter in ((1e6, " M"), (1e3, " k")):
        if number >= size * 0.9995:
            return f"{_three(number / size)}{letter}"
    return _three(number) if number >= 10 else f"{number:.2g}"


def _three(number: float) -> str:
    return f"{number:.2f}" if number < 9.995 else f"{number:.1f}" if number < 99.95 else f"{number:.0f}"


def part(ratio: float | None) -> str:
    """Return a part of a whole in percent with one decimal; what is not nothing is not shown as nothing.

    >>> part(0.9812), part(0), part(0.0002), part(None)
    ('98.1 %', '0.0 %', '< 0.1 %', '-')
    """
    if ratio is None:
        return NOTHING
    return "< 0.1 %" if 0 < ratio < 0.0005 else f"{100 * ratio:.1f} %"


def count(number: int | None) -> str:
    """Return a whole number with its thousands set apart.

    >>> count(49875)
    '49,875'
    """
    return NOTHING if number is None else f"{number:,}"


def times(ratio: float | None) -> str:
    """Return how many times as much one thing is as another.

    >>> times(2.804), times(0.25), times(120.4)
    ('2.8 x', '0.25 x', '120 x')
    """
    if ratio is None:
        return NOTHING
    return f"{ratio:.2f} x" if ratio < 0.995 else f"{ratio:.1f} x" if ratio < 99.95 else f"{ratio:,.0f} x"


def span(seconds: int) -> str:
    """Return a length of simulated time exactly as far as it matters: days, and hours below one.

    >>> span(30 * 86_400), span(36 * 3600), span(90), span(0)
    ('30 d', '1.5 d', '1 min 30 s', '0 s')
    """
    return f"{seconds / DAY:.3g} d" if seconds >= DAY else wait(seconds) if seconds else "0 s"


def moment(seconds: float) -> str:
    """Return a moment of a run: its day, counted from 0, and the hour and minute of it.

    >>> moment(17 * DAY + 6 * HOUR + 20 * MINUTE), moment(59)
    ('day 17 06:20', 'day 0 00:00')
    """
    day, rest = divmod(int(seconds), DAY)
    return f"day {day} {rest // HOUR:02}:{rest % HOUR // MINUTE:02}"


def beyond(seconds: float) -> str:
    """Return a wait that was longer than what was seen of it.

    >>> beyond(536_000), beyond(0)
    ('> 6.2 d', '> 0 s')
    """
    return f"> {wait(seconds)}" if seconds >= 1 else "> 0 s"


def signed(number: float, write: Callable[[float], str], digits: int = 12) -> str:
    """Return a difference with its sign, as `write` writes its size; what is written alike as nothing has none.

    >>> signed(-294, wait) == f"{MINUS}4 min 54 s", signed(0.021, part), signed(0, part)
    (True, '+2.1 %', '0.0 %')
    """
    size = round(abs(number), digits)
    return write(0.0) if not size else f"{MINUS if number < 0 else '+'}{write(size)}"


def points(ratio: float) -> str:
    """Return by how much two parts of a whole differ, which is no part of anything.

    >>> points(0.0417), points(0.00001)
    ('4.2 points', '< 0.1 points')
    """
    return f"{part(ratio).removesuffix(' %')} points"


def short(text: object, most: int = 18) -> str:
    """Return what people typed in at most so many letters, for where there is little room.

    >>> short("evaluation"), short("a team with a very long name")
    ('evaluation', 'a team with a ver…')
    """
    whole = plain(text)
    return whole if len(whole) <= most else f"{whole[: most - 1]}…"


def plain(text: object) -> str:
    """Return what people typed without the characters that a terminal would obey."""
    return "".join(letter if letter.isprintable() else "�" for letter in str(text))
