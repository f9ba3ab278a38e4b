"""`allotment theories`: what people say, the paired experiment, and the verdict that comes of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import attrs
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from allotment.cli.console import Display
from allotment.cli.figures import one
from allotment.cli.layout import apart, titled
from allotment.cli.running import on_compiling
from allotment.experiment.measures import Unit
from allotment.experiment.prepare import prepare
from allotment.experiment.spread import Spread
from allotment.lessons.card import Card, Predicts
from allotment.lessons.cards import load_cards
from allotment.lessons.metrics import FOUR, METRICS
from allotment.lessons.trial import Outcome, Shown, Side, Tried, try_out
from allotment.lessons.verdict import FEWEST, Finding, Verdict
from allotment.units import DAY, HOUR, MINUTE
from allotment.views.formats import NOTHING, plain, span

HEADS = ("wait to\nfirst start", "time to\nresult", "work that\nlasts", "GPU-hours\ncharged")
WORDS = {Finding.HOLDS: "true here", Finding.FAILS: "not so here", Finding.OPEN: "not shown here"}
MORE_SEEDS = "more seeds may show it"
NAME, FIGURE = 16, 15  # columns of a page of 80


def carry_out(ids: Sequence[str], seeds: Sequence[int], processes: int | None, display: Display) -> tuple[Tried, ...]:
    """Run the theories with these ids, or all, and say how far it is. Raises AllotmentError for ids that are not known."""
    display.phase("reading")
    cards = load_cards(ids)
    prepare(on_compiling(display))
    display.phase(f"putting {len(cards)} theor{'ies' if len(cards) > 1 else 'y'} to the test")
    return try_out(cards, seeds=seeds, processes=processes, tell=display.tell)


def json_of(found: Sequence[Tried]) -> list[dict[str, Any]]:
    """Return it as plain values: what each card says beforehand, every seed's figures, and the verdict."""
    return [
        {
            "id": tried.card.id,
            "claim": tried.card.claim,
            "verdict": tried.verdict.value,
            "switch": tried.card.switch if tried.verdict is Verdict.CONDITIONAL else None,
            "metric": tried.card.metric,
            "unit": "ratio" if tried.card.relative else tried.card.unit,
            "predicts": tried.card.predicts.name.lower(),
            "smallest": tried.card.threshold,
            "relative": tried.card.relative,
            "against": tried.card.against,
            "seeds": list(tried.seeds),
            "conditions": [_plain_outcome(outcome) for outcome in tried.outcomes],
            "fact": tried.card.fact,
            "why_it_looks_true": tried.card.why,
            "where_it_is_true": tried.card.true_where,
            "try_to_break_it": tried.card.try_it,
            "field": [attrs.asdict(each) for each in tried.card.field],
        }
        for tried in found
    ]


def _plain_outcome(outcome: Outcome) -> dict[str, Any]:
    return {
        "condition": outcome.condition,
        "finding": outcome.finding.value,
        "difference": _plain_spread(outcome.lies),
        "differences": list(outcome.differences),
        "arms": [
            {"arm": side.name, "decides": side.decides.metric}
            | {shown.metric: _plain_shown(shown) for shown in (side.decides, *side.figures)}
            for side in outcome.sides
        ],
    }


def _plain_shown(shown: Shown) -> dict[str, Any]:
    return {"unit": METRICS[shown.metric].unit, "values": list(shown.values), "lies": _plain_spread(shown.lies)}


def _plain_spread(spread: Spread | None) -> dict[str, float] | None:
    return None if spread is None else {name: getattr(spread, name) for name in ("median", "low", "high")}


def page(found: Sequence[Tried]) -> RenderableType:
    """Return it in 80 columns: a part for each card, and below what the figures are."""
    return apart([*map(_of_card, found), titled("The figures", *(Text(line, style="dim") for line in _legend(found)))])


def _of_card(tried: Tried) -> RenderableType:
    card = tried.card
    longest = max(arm.of.at_most for condition in card.conditions for arm in condition.arms)
    terms = f"{predicted(card)} A wait counts {span(longest)} at most."
    said = [Text(f"“{plain(card.claim)}”"), Text(terms, style="dim")]
    if tried.verdict is Verdict.CONDITIONAL:
        said.append(Text(f"It depends on {plain(card.switch)}."))
    if tried.verdict is Verdict.NOT_SHOWN:
        said.append(Text(f"With {_seeds(tried.seeds)} it is not shown either way; {MORE_SEEDS}."))
    parts = [part for outcome in tried.outcomes for part in ("", *_of_outcome(card, outcome))]
    fact = Text(f"In fact: {plain(card.fact)}")
    return titled(f"{plain(card.id)} {tried.verdict.value}", *said, "", _grid(), *parts[1:], "", fact)


def predicted(card: Card) -> str:
    """Return what was declared before: what makes the belief true, in one sentence."""
    name = METRICS[card.metric].title
    unit, by = card.unit, card.threshold
    if any(len(condition.arms) == 1 for condition in card.conditions):
        low, high = (_amount(value, unit, "%") for value in (card.against - by, card.against + by))
        how = {Predicts.LESS: f"{low} or less", Predicts.SAME: f"less than {high}", Predicts.MORE: f"{high} or more"}
        if card.predicts is Predicts.SAME and card.against:
            how[Predicts.SAME] = f"between {low} and {high}"
        return f"True means: the {name} is {how[card.predicts]}."
    much = _amount(by, "ratio", "%") if card.relative else _amount(by, unit, "points")
    how = {
        Predicts.LESS: f"falls by {much} or more",
        Predicts.SAME: f"stays the same within {much}",
        Predicts.MORE: f"rises by {much} or more",
    }
    return f"True means: from the first line to the second, the {name} {how[card.predicts]}."


def _amount(value: float, unit: Unit, sign: str) -> str:
    return f"{100 * value:g} {sign}" if unit == "ratio" else one(value, unit)


def _grid(*, heads: bool = True) -> Table:
    table = Table(
        box=None, show_header=heads, header_style="dim", pad_edge=False, padding=(0, 1, 0, 0), collapse_padding=True
    )
    table.add_column("", overflow="fold", width=NAME)
    for head in HEADS:
        table.add_column(head, justify="right", no_wrap=True, vertical="bottom", width=FIGURE)
    return table


def _of_outcome(card: Card, outcome: Outcome) -> Iterator[RenderableType]:
    yield Text(f"{plain(outcome.condition)}: {WORDS[outcome.finding]}")
    table = _grid(heads=False)
    for side in outcome.sides:
        of = {shown.metric: shown for shown in side.figures}
        table.add_row(f"  {plain(side.name)}", *(_cell(of[name]) for name in FOUR))
    yield table
    for name in dict.fromkeys((card.metric, *card.also)):
        if name not in FOUR:
            yield Text(f"  {METRICS[name].title}: {', then '.join(_cell(_find(side, name)) for side in outcome.sides)}")
    for side in outcome.sides:
        own = side.decides
        if own.metric != card.metric:
            yield Text(f"  {METRICS[own.metric].title} ({plain(side.name)}): {_cell(own)}")
    if len(outcome.sides) > 1:
        yield Text(f"  difference: {_apart(card, outcome)}")


def _find(side: Side, name: str) -> Shown:
    return next((shown for shown in side.figures if shown.metric == name), side.decides)


def _apart(card: Card, outcome: Outcome) -> str:
    """Return how far the arms are apart in the figure that decides."""
    if outcome.lies is None:
        return f"{NOTHING}, as some seeds have no such figure"
    unit: Unit = "ratio" if card.relative else card.unit
    sign = "" if unit != "ratio" else " %" if card.relative else " points"
    return _told(outcome.lies, unit, sign=sign, signed=True)


def _cell(shown: Shown) -> str:
    unit = METRICS[shown.metric].unit
    return NOTHING if shown.lies is None else _told(shown.lies, unit, sign=" %" if unit == "ratio" else "")


def _told(of: Spread, unit: Unit, *, sign: str = "", signed: bool = False) -> str:
    """Return a median and its interval in brackets, short enough for four to stand side by side.

    >>> hours = Spread(values=(), median=5400, mean=5400, low=-3600, high=43_200)
    >>> _told(hours, "s"), _told(hours, "s", signed=True), _told(hours, "GPU-hours")
    ('1.5 h (-1.0-12)', '+1.5 h (-1.0 to +12)', '5.4 k (-3.6-43)')
    """
    ends = (of.low, of.high)
    size, name = _scale(max(map(abs, ends)) if signed else abs(of.median), unit)
    median, low, high = (
        _short(value / size, whole=size in (1, MINUTE) and unit != "ratio", signed=signed)
        for value in (of.median, *ends)
    )
    return f"{median}{name}{sign} ({low}{' to ' if signed else '-'}{high})"


def _scale(value: float, unit: Unit) -> tuple[float, str]:
    if unit == "ratio":
        return 0.01, ""
    if unit != "s":
        return (1000, " k") if value >= 1000 else (1, "")
    for size, name in ((2 * DAY, " d"), (HOUR, " h"), (2 * MINUTE, " min")):
        if value >= size:
            return {" d": DAY, " h": HOUR, " min": MINUTE}[name], name
    return 1, " s"


def _short(number: float, *, whole: bool, signed: bool) -> str:
    places = 0 if whole or abs(number) >= 9.95 else 1
    text = f"{number:{'+' if signed else ''}.{places}f}"
    return text if float(text) else text.lstrip("+-")


def _legend(found: Sequence[Tried]) -> Iterator[str]:
    seeds = found[0].seeds
    yield f"median of {_seeds(seeds)}; in brackets the interval of that median, 95 %, by bootstrap"
    yield "differences are taken seed by seed, the second arm less the first"
    if len(seeds) < FEWEST:
        yield f"with fewer than {FEWEST} seeds nothing is shown"


def _seeds(seeds: Sequence[int]) -> str:
    return f"{len(seeds)} seeds" if len(seeds) > 1 else "1 seed"
