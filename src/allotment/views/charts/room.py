"""What did the room guess? A bar for each answer, and beside it what came out, where that is known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from allotment.experiment.spread import Spread
from allotment.views.charts.groups import frame_of
from allotment.views.charts.picture import Axis, Key, Layer, Picture
from allotment.views.theme import INK, NEUTRAL, PALETTE, tint

ROOM = {"fill_color": tint(PALETTE[0], 0.55), "line_color": PALETTE[0]}
LATER = {"fill_color": PALETTE[0], "line_color": PALETTE[0]}
TRUE = {"line_color": INK, "line_width": 3}
BAND = {"fill_color": tint(NEUTRAL, 0.22), "line_color": None}


def room(
    title: str,
    answers: Sequence[tuple[float, str]],
    guesses: Mapping[str, Sequence[int]],
    *,
    unit: str,
    truth: Spread | None = None,
) -> Picture:
    """Return the picture of what a room guessed, or of two rounds of guessing, one beside the other.

    `answers` are the places on the axis with what is written there, evenly apart; `guesses` has one or two rounds, each with how
    often each answer was given; `truth` is drawn as a line, its interval as a band.
    """
    places = np.array([place for place, _ in answers])
    apart = float(places[1] - places[0])
    rounds = list(guesses.items())
    wide = 0.8 * apart / max(1, len(rounds))
    looks = [ROOM, LATER] if len(rounds) > 1 else [LATER]
    tallest = max([1, *(max(counts) for _, counts in rounds)])
    low, high = float(places[0]) - apart, float(places[-1]) + apart
    top = 1.15 * tallest
    lies = [] if truth is None else [truth]
    at = [min(max(each.median, low), high) for each in lies]
    return Picture(
        title=title,
        layers=(
            Layer(
                name="interval",
                mark="rectangles",
                columns={
                    "left": [max(each.low, low) for each in lies],
                    "right": [min(each.high, high) for each in lies],
                    "bottom": [0.0] * len(lies),
                    "top": [top] * len(lies),
                },
                style=BAND,
            ),
            *(
                _bars(name, places + (number - (len(rounds) - 1) / 2) * wide, np.asarray(counts), wide, look)
                for number, ((name, counts), look) in enumerate(zip(rounds, looks, strict=True))
            ),
            Layer(
                name="truth",
                mark="segments",
                columns={"x0": at, "x1": at, "y0": [0.0] * len(at), "y1": [top] * len(at)},
                style=TRUE,
            ),
        ),
        keys=(
            *(
                Key(name=name, mark="rectangles", style=look, text=name)
                for (name, _), look in zip(rounds, looks, strict=True)
            ),
            *([Key(name="truth", mark="segments", style=TRUE, text="what came out")] if lies else []),
        ),
        x=Axis(label=unit, low=low, high=high, ticks=answers[:: max(1, len(answers) // 10)]),
        y=Axis(label="people", low=0, high=top, ticks=_counts(tallest), grid=True),
        summary=_summary(answers, rounds, truth, unit),
        table=frame_of(
            {text: [str(counts[at]) for _, counts in rounds] for at, (_, text) in enumerate(answers)},
            [name for name, _ in rounds],
        ),
        height=280,
    )


def _bars(name: str, x: np.ndarray, counts: np.ndarray, wide: float, look: Mapping[str, object]) -> Layer:
    some = counts > 0
    return Layer(
        name=name,
        mark="rectangles",
        columns={
            "left": x[some] - wide / 2,
            "right": x[some] + wide / 2,
            "bottom": np.zeros(int(some.sum())),
            "top": counts[some].astype(float),
            "people": np.array([str(count) for count in counts[some]], object),
        },
        style=look,
        hover=(("people", "people"),),
    )


def _counts(tallest: int) -> list[tuple[float, str]]:
    every = max(1, round(tallest / 5))
    return [(float(count), str(count)) for count in range(0, tallest + 1, every)]


def _summary(
    answers: Sequence[tuple[float, str]],
    rounds: Sequence[tuple[str, Sequence[int]]],
    truth: Spread | None,
    unit: str,
) -> str:
    said = [_middle(name, answers, counts) for name, counts in rounds]
    if truth is not None:
        said.append(
            f"what came out is {truth.median:.3g} {unit}, with an interval from {truth.low:.3g} to {truth.high:.3g}"
        )
    text = "; ".join(said)
    return f"{text[:1].upper()}{text[1:]}."


def _middle(name: str, answers: Sequence[tuple[float, str]], counts: Sequence[int]) -> str:
    people = sum(counts)
    if not people:
        return f"{name}: no guess yet"
    middle = int(np.searchsorted(np.cumsum(counts), (people + 1) // 2))
    return f"{name}: {people} {'guess' if people == 1 else 'guesses'}, half of them at most {answers[middle][1]}"
