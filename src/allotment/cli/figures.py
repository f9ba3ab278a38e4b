"""How figures look in a table that sets runs against each other: short, each with its unit."""

from __future__ import annotations

from allotment.experiment.measures import Unit
from allotment.experiment.spread import Spread
from allotment.units import DAY, HOUR, MINUTE

THOUSAND = 1000


def one(value: float, unit: Unit) -> str:
    """Return one figure with its unit.

    >>> one(0.98, "ratio"), one(7200, "s"), one(30, "s"), one(604_800, "s"), one(13, "count"), one(39_000, "count")
    ('98.0 %', '2.0 h', '30 s', '7.0 d', '13', '39.0 k')
    """
    size, name = _scale(value, unit)
    return f"{_number(value, unit, size)}{name}"


def between(spread: Spread, unit: Unit) -> str:
    """Return a median and its interval in brackets, in the unit that suits the median.

    >>> between(Spread(values=(), median=7200, mean=7200, low=3600, high=10_800), "s")
    '2.0 h (1.0-3.0)'
    """
    size, name = _scale(spread.median, unit)
    low, high = (_number(value, unit, size) for value in (spread.low, spread.high))
    return f"{_number(spread.median, unit, size)}{name} ({low}-{high})"


def difference(value: float, unit: Unit) -> str:
    """Return a difference with its sign; one of ratios in points of a percent, without the sign for percent.

    >>> difference(0.012, "ratio"), difference(-7200, "s"), difference(12_000, "count"), difference(0, "s")
    ('+1.2', '-2.0 h', '+12.0 k', '0')
    >>> difference(0.0001, "ratio")
    '0.0'
    """
    if value == 0:
        return "0"
    size, name = _scale(abs(value), unit)
    number = _number(abs(value), unit, size)
    sign = "" if not float(number.replace(",", "")) else "-" if value < 0 else "+"
    return f"{sign}{number}{'' if unit == 'ratio' else name}"


def _scale(value: float, unit: Unit) -> tuple[float, str]:
    if unit == "ratio":
        return 0.01, " %"
    if unit != "s":
        return (THOUSAND, " k") if value >= 10 * THOUSAND else (1, "")
    for size, name in ((2 * DAY, " d"), (HOUR, " h"), (2 * MINUTE, " min")):
        if value >= size:
            return {" d": DAY, " h": HOUR, " min": MINUTE}[name], name
    return 1, " s"


def _number(value: float, unit: Unit, size: float = 1) -> str:
    value /= size
    if unit in ("count", "base 100") and size == 1:
        return f"{value:,.0f}"
    if unit == "ratio" and value >= 99.95:
        return f"{value:.0f}"
    return f"{value:.1f}" if unit != "s" or 0 < value < 9.95 else f"{value:.0f}"
