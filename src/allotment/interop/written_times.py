"""Columns of a recording as numbers: plain ones, and moments and lengths of time as accounting tools write them.

Only what can be read in one way is: dates in the order of ISO 8601, and lengths with hours, minutes and seconds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from allotment.workload.screening import Numbers

_NUMBER = r"^-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"
_NOTHING = ("", "NA", "N/A", "NaN", "nan", "NULL", "null", "None", "none")  # ways to say that there is no number
_LARGEST = 2.0**53  # above it doubles are no longer whole numbers one apart
_MOMENT = (
    r"^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,9})?)?\s?(Z|[+-][0-9]{2}:?[0-9]{2})?)?$"
)
_OFFSET = r"(Z|:.*[+-][0-9]{2}:?[0-9]{2})$"
_ELAPSED = r"^([0-9]+-)?[0-9]+:[0-5][0-9]:[0-5][0-9]([.][0-9]{1,9})?$"  # [days-]hours:minutes:seconds


def numbers(column: Any) -> Numbers:
    """Return a column of plain numbers."""
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type) or pa.types.is_decimal(column.type):
        values = column.cast(pa.float64(), safe=False).to_numpy()
        return _made(values, np.abs(values) >= _LARGEST)
    text = _text(column)
    readable = pc.match_substring_regex(text, _NUMBER)
    values = pc.if_else(readable, text, None).cast(pa.float64()).to_numpy()
    nothing = pc.is_in(text, value_set=pa.array(_NOTHING))
    return _made(values, ~pc.or_(readable, nothing).to_numpy() | (np.abs(values) >= _LARGEST))


def moments(column: Any) -> tuple[Numbers, str]:
    """Return a column of seconds, or of dates and times as seconds of the epoch; and a remark on how these were read.

    A column that mixes numbers with dates has no clock that all its rows go by: of such a one dates are unreadable.
    """
    if pa.types.is_timestamp(column.type):
        column = column.cast(pa.string())
    found = numbers(column)
    if not found.unreadable.any() or not np.isnan(found.values).all():
        return found, ""
    text = _text(column)
    dates = pc.match_substring_regex(text, _MOMENT)
    parsed = pd.to_datetime(pc.if_else(dates, text, None).to_pandas(), format="ISO8601", utc=True, errors="coerce")
    seconds = ((parsed - pd.Timestamp(0, tz="UTC")) / pd.Timedelta(seconds=1)).to_numpy()
    if np.isnan(seconds).all():
        return found, ""
    bare = pc.any(pc.and_(dates, pc.invert(pc.match_substring_regex(text, _OFFSET)))).as_py()
    remark = "submit times are dates" + ("; those without an offset are taken as UTC" if bare else "")
    return _made(seconds, found.unreadable & np.isnan(seconds)), remark


def lengths(column: Any) -> Numbers:
    """Return a column of seconds, in which a row may also be written as [days-]hours:minutes:seconds."""
    if pa.types.is_duration(column.type):
        return numbers(pc.divide(column.cast(pa.duration("us"), safe=False).cast(pa.int64()).cast(pa.float64()), 1e6))
    found = numbers(column)
    if not found.unreadable.any():
        return found
    text = _text(column)
    elapsed = pc.match_substring_regex(text, _ELAPSED)
    spelt = pc.replace_substring_regex(pc.if_else(elapsed, text, None), r"^([0-9]+)-", r"\1 days ")
    parsed = pd.to_timedelta(spelt.to_pandas(), errors="coerce")
    seconds = (parsed / pd.Timedelta(seconds=1)).to_numpy()
    return _made(np.where(np.isnan(seconds), found.values, seconds), found.unreadable & np.isnan(seconds))


def _text(column: Any) -> Any:
    return pc.utf8_trim_whitespace(pc.fill_null(column.cast(pa.string()), ""))


def _made(values: npt.NDArray[Any], unreadable: npt.NDArray[Any]) -> Numbers:
    return Numbers(values=np.where(unreadable, np.nan, values), unreadable=unreadable)
