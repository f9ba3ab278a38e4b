"""What is told of the runs beside the pictures: all of it as tables, and whether there is anything to compare."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pandas as pd

from allotment.results.result import Result
from allotment.views.tables import side_by_side
from allotment.views.team_waits import team_waits
from allotment.views.workbench.board import Card

LITTLE = 1.2  # times the healthy GPUs; below it there is little to share out


def little_competition(result: Result) -> str:
    """Return what to say where so little is wanted that policies look alike; else nothing."""
    pressure = result.pressure
    if pressure is None or pressure >= LITTLE:
        return ""
    return (
        f"Little competition: {pressure:.1f} times the GPUs are wanted, so policies look alike. "
        f"Raise the demand above {LITTLE} times to see a difference."
    )


def tables_of(results: Sequence[Result], baseline: Result | None, cards: Iterable[Card]) -> dict[str, pd.DataFrame]:
    """Return all that is shown, as tables by what they are called."""
    shown = {}
    if results:
        shown = {"waits": side_by_side(results), "waits by team": team_waits(results[-1], baseline)}
    return shown | {card.title: card.picture.table for card in cards if card.picture is not None}
