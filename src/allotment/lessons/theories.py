"""Folk theories, put to the test: what people say of a shared cluster, run as paired experiments, with a verdict each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from allotment.errors import InputError
from allotment.experiment.parallel import Tell
from allotment.lessons.cards import load_cards
from allotment.lessons.metrics import METRICS
from allotment.lessons.trial import Shown, Side, Tried, try_out

SEEDS = 20
COLUMNS: Mapping[str, str] = {
    "theory": "the id of the card",
    "condition": "the circumstances",
    "arm": "the side of the pair",
    "metric": "the figure, one of `METRICS`",
    "unit": "what it is counted in: 's', 'ratio' (0 to 1) or 'GPU-hours'",
    "decides": "whether it is the figure that decides",
    "seed": "the seed",
    "value": "the figure of that run",
}
"""The columns of :func:`table`."""


def theories(
    *ids: str, seeds: int | Sequence[int] = SEEDS, processes: int | None = None, tell: Tell | None = None
) -> tuple[Tried, ...]:
    """Return what comes of the folk theories with these ids, such as 'F01', or of all.

    `seeds` is how many, counted from 0, or which. The runs are spread over `processes`, by default as many as there are
    processors to use; where that is more than one, a script calls this under ``if __name__ == "__main__":``. `tell` is
    told how many runs are done, and of how many.

    Raises AllotmentError with every id that is not known, and where there is no seed.
    """
    chosen = range(seeds) if isinstance(seeds, int) else tuple(seeds)
    if not chosen:
        raise InputError("these seeds", [f"seeds must be at least one, not {seeds!r}"])
    return try_out(load_cards(ids), seeds=chosen, processes=processes, tell=tell)


def table(found: Sequence[Tried]) -> pd.DataFrame:
    """Return one row for each figure of each arm and seed; `COLUMNS` says what the columns are."""
    return pd.DataFrame(list(_rows(found)), columns=list(COLUMNS))


def _rows(found: Sequence[Tried]) -> Iterator[dict[str, Any]]:
    for tried in found:
        for outcome in tried.outcomes:
            for side in outcome.sides:
                for shown, decides in figures(side):
                    for seed, value in zip(tried.seeds, shown.values, strict=True):
                        yield {
                            "theory": tried.card.id,
                            "condition": outcome.condition,
                            "arm": side.name,
                            "metric": shown.metric,
                            "unit": METRICS[shown.metric].unit,
                            "decides": decides,
                            "seed": seed,
                            "value": value,
                        }


def figures(side: Side) -> Iterator[tuple[Shown, bool]]:
    """Yield the figures of an arm, each once, and whether it is the one that decides."""
    yield side.decides, True
    for shown in side.figures:
        if shown.metric != side.decides.metric:
            yield shown, False
