"""`allotment reproduce`: what was published and what is simulated, in one table, and why they differ where they do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from allotment.cli.console import Display
from allotment.cli.layout import apart, titled
from allotment.cli.running import on_compiling
from allotment.experiment.differences import REASONS
from allotment.experiment.prepare import prepare
from allotment.experiment.published import SOURCE, Unit
from allotment.experiment.reproduce import Reproduction, Row, Spread, reproduce
from allotment.presets import load_policy, load_scenario
from allotment.units import DAY, HOUR, MINUTE
from allotment.views.formats import NOTHING, plain

SCENARIO, BEFORE, AFTER = "published-month", "priority", "budgets"
ARMS = ("before", "after")
THOUSAND = 1000
NO_CONTRACTS = "n/a"  # there are no contracts, so there is no such figure


def carry_out(seeds: int, display: Display, scenario: str = SCENARIO) -> Reproduction:
    """Run both regimes over the first so many seeds, and say how far it is."""
    display.phase("reading")
    setting, before, after = load_scenario(scenario), load_policy(BEFORE), load_policy(AFTER)
    prepare(on_compiling(display))
    display.phase(f"simulating {2 * seeds} months")
    return reproduce(setting, before=before, after=after, seeds=range(seeds), tell=display.tell)


def json_of(found: Reproduction) -> dict[str, Any]:
    """Return it as plain values: every row with what was published, every seed's value, and why they differ."""
    return {
        "scenario": found.scenario,
        "policies": {"before": found.before, "after": found.after},
        "seeds": list(found.seeds),
        "teams": found.teams,
        "interval": {"of": "the median over seeds", "rank": found.rank, "coverage": found.coverage},
        "rows": [_plain_row(row) for row in found.rows],
    }


def _plain_row(row: Row) -> dict[str, Any]:
    arms = {}
    for arm in ARMS:
        spread: Spread | None = getattr(row, arm)
        differs = getattr(row, f"{arm}_differs")
        arms[arm] = {
            "published": getattr(row.published, arm),
            "simulated": None if spread is None else attrs.asdict(spread),
            "differs": differs,
            "why": REASONS.get((row.name, arm)) if differs else None,
        }
    return {
        "row": row.name,
        "title": row.published.title,
        "unit": row.published.unit,
        "source": row.published.source,
        **arms,
    }


def page(found: Reproduction) -> RenderableType:
    """Return the table, in 80 columns, and below it a sentence for each figure that lies elsewhere."""
    table = Table(box=None, header_style="dim", pad_edge=False, padding=(0, 1, 0, 0), collapse_padding=True)
    table.add_column("", overflow="fold")
    for arm, policy in zip(ARMS, (found.before, found.after), strict=True):
        table.add_column(f"{arm}:\npublished", justify="right", no_wrap=True)
        table.add_column(f"simulated,\n{plain(policy)}", justify="right", no_wrap=True)
    for row in found.rows:
        cells = [cell for arm in ARMS for cell in _cells(row, arm)]
        table.add_row(plain(row.published.title), *cells)
    title = f"{plain(found.scenario)}, {len(found.seeds)} seeds: published and simulated"
    return apart([titled(title, table, *(Text(line, style="dim") for line in _legend(found))), *_differences(found)])


def _cells(row: Row, arm: str) -> tuple[str, str]:
    published, spread = getattr(row.published, arm), getattr(row, arm)
    other = row.after if arm == "before" else row.before
    told = NOTHING if published is None else one(published, row.published.unit)
    if spread is None:
        return told, NO_CONTRACTS if other is not None else NOTHING
    mark = "*" if getattr(row, f"{arm}_differs") else " "
    return told, _between(spread, row.published.unit) + mark


def _legend(found: Reproduction) -> Iterator[str]:
    yield f"published: {SOURCE}; of repairs, those before are 100"
    if len(found.seeds) > 1:
        which = {1: "the", 2: "the 2nd", 3: "the 3rd"}.get(found.rank, f"the {found.rank}th")
        yield f"simulated: median of {len(found.seeds)} seeds; in brackets {which} lowest and highest, which"
        yield f"  enclose the median of all seeds with {100 * found.coverage:.1f} %, whatever the distribution"
    yield "n/a: without contracts, all that is held would count as delivered"
    yield "*: what was published lies outside the interval, by more than it was rounded by"


def _differences(found: Reproduction) -> Iterator[RenderableType]:
    titles: dict[tuple[str, str], list[str]] = {}
    for row in found.rows:
        for arm in ARMS:
            if getattr(row, f"{arm}_differs"):
                why = REASONS.get((row.name, arm), "not explained yet")
                titles.setdefault((why, arm), []).append(plain(row.published.title))
    lines = [Text(f"{', '.join(names)}, {arm}: {why}.") for (why, arm), names in titles.items()]
    if lines:
        yield titled("Why it differs, as far as we can tell", *lines)


def one(value: float, unit: Unit) -> str:
    """Return one figure with its unit.

    >>> (
    ...     one(0.98, "ratio"),
    ...     one(7200, "s"),
    ...     one(30, "s"),
    ...     one(604_800, "s"),
    ...     one(13, "count"),
    ...     one(39_000, "count"),
    ... )
    ('98.0 %', '2.0 h', '30 s', '7.0 d', '13', '39.0 k')
    """
    size, name = _scale(value, unit)
    return f"{_number(value, unit, size)}{name}"


def _between(spread: Spread, unit: Unit) -> str:
    """Return a median and its interval in brackets, in the unit that suits the median.

    >>> _between(Spread(values=(), median=7200, mean=7200, low=3600, high=10_800), "s")
    '2.0 h (1.0-3.0)'
    """
    size, name = _scale(spread.median, unit)
    low, high = (_number(value, unit, size) for value in (spread.low, spread.high))
    return f"{_number(spread.median, unit, size)}{name} ({low}-{high})"


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
