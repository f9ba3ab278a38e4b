"""`allotment reproduce`: what was published and what is simulated, and why they differ where they do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import attrs
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from allotment.cli.console import Display
from allotment.cli.figures import between, one
from allotment.cli.layout import apart, titled
from allotment.cli.running import on_compiling
from allotment.experiment.behaviours import without
from allotment.experiment.differences import MADE_REASONS, Reasons
from allotment.experiment.prepare import prepare
from allotment.experiment.published import MADE_SCENARIO
from allotment.experiment.reproduce import FAR, Reproduction, Row, Setting, reproduce
from allotment.experiment.spread import Spread
from allotment.presets import load_policy, load_scenario
from allotment.views.formats import NOTHING, plain

SCENARIO, MADE = "published-month", "published-saturated"
BEFORE, AFTER = "priority", "budgets"
ARMS = ("before", "after")
NO_CONTRACTS = "n/a"  # there are no contracts, so there is no such figure


def carry_out(seeds: int, display: Display, leave_out: Sequence[str] = ()) -> tuple[Reproduction, ...]:
    """Run both regimes in each setting over the first so many seeds, and say how far it is.

    `leave_out` names behaviours that the settings go without. Raises InputError for one that is not known.
    """
    display.phase("reading")
    settings = [attrs.evolve(each, scenario=without(each.scenario, leave_out)) for each in settings_of_the_table()]
    before, after = load_policy(BEFORE), load_policy(AFTER)
    prepare(on_compiling(display))
    display.phase(f"simulating {2 * seeds * len(settings)} times")
    return reproduce(settings, before=before, after=after, seeds=range(seeds), tell=display.tell)


def settings_of_the_table() -> tuple[Setting, ...]:
    """Return the settings that something was published of."""
    return (
        Setting(scenario=load_scenario(SCENARIO)),
        Setting(scenario=load_scenario(MADE), figures=MADE_SCENARIO, reasons=MADE_REASONS),
    )


def json_of(found: Sequence[Reproduction], left_out: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Return it as plain values: every row with what was published, every seed's value, and why they differ."""
    return [
        {
            "scenario": each.scenario,
            "without": list(left_out),
            "policies": {"before": each.before, "after": each.after},
            "seeds": list(each.seeds),
            "teams": each.teams,
            "interval": {"of": "the median over seeds", "rank": each.rank, "coverage": each.coverage},
            "rows": [_plain_row(row, each.reasons) for row in each.rows],
        }
        for each in found
    ]


def _plain_row(row: Row, reasons: Reasons) -> dict[str, Any]:
    arms = {}
    for arm in ARMS:
        spread: Spread | None = getattr(row, arm)
        differs, far = getattr(row, f"{arm}_differs"), getattr(row, f"{arm}_far")
        arms[arm] = {
            "published": getattr(row.published, arm),
            "simulated": None if spread is None else attrs.asdict(spread),
            "differs": differs,
            "far": far,
            "why": reasons.get((row.name, arm)) if differs or far else None,
        }
    return {
        "row": row.name,
        "title": row.published.title,
        "unit": row.published.unit,
        "source": row.published.source,
        **arms,
    }


def page(found: Sequence[Reproduction], left_out: Sequence[str] = ()) -> RenderableType:
    """Return the tables, in 80 columns, and below each a sentence for each figure that lies elsewhere."""
    without_them = f" without {', '.join(map(plain, left_out))}" if left_out else ""
    parts: list[RenderableType] = []
    for at, each in enumerate(found):
        title = f"{plain(each.scenario)}{without_them}, {len(each.seeds)} seeds: published and simulated"
        legend = (Text(line, style="dim") for line in _legend(each, whole=not at))
        parts += [titled(title, _table(each), *legend), *_differences(each)]
    return apart(parts)


def _table(found: Reproduction) -> Table:
    table = Table(box=None, header_style="dim", pad_edge=False, padding=(0, 1, 0, 0), collapse_padding=True)
    table.add_column("", overflow="fold")
    for arm, policy in zip(ARMS, (found.before, found.after), strict=True):
        table.add_column(f"{arm}:\npublished", justify="right", no_wrap=True)
        table.add_column(f"simulated,\n{plain(policy)}", justify="right", no_wrap=True)
    for row in found.rows:
        cells = [cell for arm in ARMS for cell in _cells(row, arm)]
        table.add_row(plain(row.published.title), *cells)
    return table


def _cells(row: Row, arm: str) -> tuple[str, str]:
    published, spread = getattr(row.published, arm), getattr(row, arm)
    other = row.after if arm == "before" else row.before
    told = NOTHING if published is None else one(published, row.published.unit)
    if spread is None:
        return told, NO_CONTRACTS if other is not None else NOTHING
    mark = "*" if getattr(row, f"{arm}_differs") else "+" if getattr(row, f"{arm}_far") else " "
    return told, between(spread, row.published.unit) + mark


def _legend(found: Reproduction, *, whole: bool) -> Iterator[str]:
    """Yield what the signs mean; of a further table only whose word it is."""
    published = [row.published for row in found.rows if (row.published.before, row.published.after) != (None, None)]
    index = "; of repairs, those before are 100" if any(each.unit == "base 100" for each in published) else ""
    yield f"published: {'; '.join(dict.fromkeys(each.source for each in published))}{index}"
    if not whole:
        return
    if len(found.seeds) > 1:
        which = {1: "the", 2: "the 2nd", 3: "the 3rd"}.get(found.rank, f"the {found.rank}th")
        yield f"simulated: median of {len(found.seeds)} seeds; in brackets {which} lowest and highest, which"
        yield f"  enclose the median of all seeds with {100 * found.coverage:.1f} %, whatever the distribution"
    yield "n/a: without contracts, all that is held would count as delivered"
    yield "*: what was published lies outside the interval, by more than it was rounded by"
    yield f"+: it lies within the interval, and the median is off by more than {FAR:g} times"


def _differences(found: Reproduction) -> Iterator[RenderableType]:
    titles: dict[tuple[str, str], list[str]] = {}
    for row in found.rows:
        for arm in ARMS:
            if getattr(row, f"{arm}_differs") or getattr(row, f"{arm}_far"):
                why = found.reasons.get((row.name, arm), "not explained yet")
                titles.setdefault((why, arm), []).append(plain(row.published.title))
    lines = [Text(f"{', '.join(names)}, {arm}: {why}.") for (why, arm), names in titles.items()]
    if lines:
        yield titled("Why it differs, as far as we can tell", *lines)
