"""How numbers look to a person, under the name by which the views have always known it."""

from __future__ import annotations

from allotment.formats import (
    MINUS,
    NOTHING,
    beyond,
    count,
    gpu_hours,
    moment,
    part,
    plain,
    points,
    short,
    signed,
    span,
    times,
    wait,
)

__all__ = [
    "MINUS",
    "NOTHING",
    "beyond",
    "count",
    "gpu_hours",
    "moment",
    "part",
    "plain",
    "points",
    "short",
    "signed",
    "span",
    "times",
    "wait",
]
