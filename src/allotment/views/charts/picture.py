"""A picture as data: layers of marks with their columns, two axes, one sentence, and the same in a table.

Nothing here draws. A picture that differs from an earlier one in numbers alone is drawn by setting columns, in a few
milliseconds; :mod:`allotment.views.charts.drawing` does both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Literal

import attrs
import numpy as np
import numpy.typing as npt
import pandas as pd

Mark = Literal["curve", "step", "area", "scatter", "segments", "rectangles", "labels"]
Scale = Literal["linear", "log"]
Picked = Literal["job", "team"]
Array = npt.NDArray[Any]

PLACES: Mapping[Mark, tuple[str, ...]] = MappingProxyType(
    {
        "curve": ("x", "y"),
        "step": ("x", "y"),  # y holds from x until the next x
        "area": ("x", "low", "high"),
        "scatter": ("x", "y"),
        "segments": ("x0", "y0", "x1", "y1"),
        "rectangles": ("left", "bottom", "right", "top"),
        "labels": ("x", "y", "text"),
    }
)
"""The columns that every mark must have; rows of a curve, step or area are parted where a number is missing."""


@attrs.frozen
class By:
    """A style that each row has for itself, in a column of the layer."""

    column: str


def _columns(columns: Mapping[str, Any]) -> Mapping[str, Array]:
    return MappingProxyType({name: _array(values) for name, values in columns.items()})


def _array(values: Any) -> Array:
    if isinstance(values, np.ndarray):
        return values
    listed = list(values)
    if any(isinstance(value, str) for value in listed):
        return np.array(listed, dtype=object)
    return np.array(listed, dtype=np.float64)


def _style(style: Mapping[str, Any]) -> Mapping[str, Any]:
    return MappingProxyType(dict(style))


def _pairs(pairs: Iterable[tuple[Any, str]]) -> tuple[tuple[Any, str], ...]:
    return tuple((first, second) for first, second in pairs)


@attrs.frozen(kw_only=True, eq=False)
class Layer:
    """Marks of one sort."""

    name: str
    """Tells the layer from the others of its picture."""
    mark: Mark
    """What is drawn for the rows."""
    columns: Mapping[str, Array] = attrs.field(converter=_columns)
    """One array a column, all equally long: where (`PLACES`), and what styles and `hover` read."""
    style: Mapping[str, Any] = attrs.field(factory=dict, converter=_style)
    """How it looks: `fill_color`, `line_dash`, `hatch_pattern` and the like, each a value for all rows or a :class:`By`."""
    hover: tuple[tuple[str, str], ...] = attrs.field(default=(), converter=_pairs)
    """What is told of the mark under the pointer: a word and the column of text beside it."""
    along: bool = False
    """Whether it is told wherever the pointer is at the same x."""
    outside: bool = False
    """Whether it may reach over the edge of the axes."""
    pick: tuple[Picked, str] | None = None
    """What a click on a mark picks out, a job or a team, and the column that names it: by its number or its path."""

    def __attrs_post_init__(self) -> None:
        needed = {*PLACES[self.mark], *(by.column for by in self.style.values() if isinstance(by, By))}
        needed |= {column for _, column in self.hover} | ({self.pick[1]} if self.pick is not None else set())
        missing = sorted(needed - set(self.columns))
        if missing:
            raise ValueError(f"layer {self.name!r} lacks the columns {', '.join(missing)}")
        lengths = {name: len(values) for name, values in self.columns.items()}
        if len(set(lengths.values())) > 1:
            raise ValueError(f"the columns of layer {self.name!r} must be equally long, not {lengths!r}")

    def __len__(self) -> int:
        """Count the rows."""
        return len(self.columns[PLACES[self.mark][0]])


@attrs.frozen(kw_only=True)
class Key:
    """An entry of the legend: what marks of one sort look like.

    It stands apart from the layers, as Bokeh makes all of a legend anew whenever anything changes that it speaks of.
    """

    name: str
    """Tells the key from the others of its picture."""
    mark: Mark
    """What is drawn beside the words."""
    style: Mapping[str, Any] = attrs.field(converter=_style)
    """How it looks; the same as for a layer."""
    text: str
    """What it means; empty keeps it out of the legend."""


def _check_high(axis: Axis, _attribute: attrs.Attribute[float], high: float) -> None:
    if not (np.isfinite(axis.low) and np.isfinite(high) and axis.low < high):
        raise ValueError(f"an axis must go up between two numbers, not from {axis.low!r} to {high!r}")
    if axis.scale == "log" and axis.low <= 0:
        raise ValueError(f"a logarithmic axis must begin above 0, not at {axis.low!r}")


@attrs.frozen(kw_only=True)
class Axis:
    """An axis: its ends, and what is written at which place. What is written is data, never markup."""

    label: str = ""
    scale: Scale = "linear"
    low: float
    high: float = attrs.field(validator=_check_high)
    ticks: tuple[tuple[float, str], ...] = attrs.field(default=(), converter=_pairs)
    grid: bool = False


def _layers(layers: Iterable[Layer]) -> tuple[Layer, ...]:
    return tuple(layers)


def _keys(keys: Iterable[Key]) -> tuple[Key, ...]:
    return tuple(keys)


@attrs.frozen(kw_only=True, eq=False)
class Picture:
    """What answers one question at a glance, in a sentence, and in full."""

    title: str
    """What the picture shows."""
    layers: tuple[Layer, ...] = attrs.field(converter=_layers)
    """What is drawn, from the back to the front."""
    keys: tuple[Key, ...] = attrs.field(default=(), converter=_keys)
    """What the legend explains, in its order."""
    x: Axis
    y: Axis
    summary: str
    """The picture in one sentence; every number of it stands in the table."""
    table: pd.DataFrame
    """The same figures to read, as text."""
    height: int = 320
    """Pixels, without the legend; it is as wide as there is room."""
    right: int = 12
    """Pixels to the right of the axes, for what is written there."""
    times: bool = False
    """Whether a click beside the marks picks out the moment (s) at that x."""

    def __attrs_post_init__(self) -> None:
        for sort, of in (("layers", self.layers), ("keys", self.keys)):
            names = [each.name for each in of]
            if len(set(names)) != len(names):
                raise ValueError(f"the {sort} of {self.title!r} must have names of their own, not {names!r}")

    def layer(self, name: str) -> Layer:
        """Return the layer of this name. Raises KeyError."""
        for layer in self.layers:
            if layer.name == name:
                return layer
        raise KeyError(
            f"{self.title!r} has no layer {name!r}; there are {', '.join(each.name for each in self.layers)}"
        )


def stairs(edges: Sequence[float] | Array, *levels: Array) -> tuple[Array, ...]:
    """Return the corners of steps between edges: x, and for each array of levels its y.

    >>> [corner.tolist() for corner in stairs([0, 1, 3], np.array([5, 2]))]
    [[0, 1, 1, 3], [5, 5, 2, 2]]
    """
    at = np.asarray(edges)
    return (np.repeat(at, 2)[1:-1], *(np.repeat(level, 2) for level in levels))


def parted(pieces: Iterable[Array]) -> Array:
    """Return arrays one after the other with a gap between, so that one layer draws several curves or areas.

    >>> parted([np.array([1.0]), np.array([2.0])]).tolist()
    [1.0, nan, 2.0]
    >>> parted([]).tolist()
    []
    """
    found: list[Array] = []
    for piece in pieces:
        found += [np.asarray(piece, np.float64), np.array([np.nan])]
    return np.concatenate(found[:-1]) if found else np.zeros(0)
