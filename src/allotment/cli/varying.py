"""`allotment sensitivity`: which settings move which figure of a scenario, and which way."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import attrs
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from allotment.cli.console import Display
from allotment.cli.figures import difference, one
from allotment.cli.layout import apart, titled
from allotment.cli.running import on_compiling
from allotment.experiment.measures import UNITS, Unit
from allotment.experiment.prepare import prepare
from allotment.experiment.sensitivity import Sensitivity, moves, sensitivity
from allotment.experiment.simulate import variant
from allotment.experiment.spread import Spread
from allotment.experiment.variations import VARIATIONS
from allotment.presets import load_policy, load_scenario
from allotment.views.formats import NOTHING, plain

COLUMNS: Mapping[str, str] = {
    "delivered": "deliv-\nered %",
    "worst_team": "worst\nteam %",
    "occupancy": "occu-\npied %",
    "unallocated": "unallo-\ncated %",
    "debug_p90": "debug\np90",
    "all_p90": "all\np90",
    "preemptions": "pre-\nempted",
    "work_lost": "work\nlost %",
}
NEVER = "never"  # fewer than nine in ten ever started


def carry_out(scenario: str, seeds: int, days: int | None, policy: str | None, display: Display) -> Sensitivity:
    """Turn every setting of a scenario over the first so many seeds. Raises AllotmentError with what is wrong."""
    display.phase("reading")
    chosen = None if policy is None else load_policy(policy)
    base = variant(load_scenario(scenario), days=days, policy=chosen)
    prepare(on_compiling(display))
    display.phase(f"turning {len(VARIATIONS)} settings")
    return sensitivity(base, seeds=range(seeds), tell=display.tell)


def json_of(found: Sensitivity) -> dict[str, Any]:
    """Return it as plain values: what the figures are, and by how much each side of each setting changes them."""
    return {
        "scenario": found.scenario,
        "policy": found.policy,
        "days": found.days,
        "seeds": list(found.seeds),
        "interval": {"of": "the median over seeds", "rank": found.rank, "coverage": found.coverage},
        "base": {figure: _plain(spread) for figure, spread in found.base.items()},
        "effects": [
            {
                "setting": effect.setting,
                "about": effect.about,
                "side": effect.side,
                "label": effect.label,
                "differences": {
                    figure: None if each is None else attrs.asdict(each) | {"moves": moves(each)}
                    for figure, each in effect.differences.items()
                },
            }
            for effect in found.effects
        ],
        "left_out": [{"setting": name, "label": label} for name, label in found.left_out],
    }


def _plain(spread: Spread | None) -> dict[str, Any] | None:
    return None if spread is None else attrs.asdict(spread)


def page(found: Sensitivity) -> RenderableType:
    """Return the table, in 80 columns: a row for each side of a setting, a column for each figure."""
    shown = Table(box=None, header_style="dim", pad_edge=False, padding=(0, 1, 0, 0), collapse_padding=True)
    shown.add_column("", overflow="fold")
    for heading in COLUMNS.values():
        shown.add_column(heading, justify="right", no_wrap=True, vertical="bottom")
    shown.add_row("as it is", *(_base(found.base[figure], UNITS[figure]) for figure in COLUMNS))
    for effect in found.effects:
        cells = (_cell(effect.differences[figure], found.base[figure], UNITS[figure]) for figure in COLUMNS)
        shown.add_row(f"{plain(effect.setting)} {plain(effect.label)}", *cells)
    title = f"{plain(found.scenario)}, {plain(found.policy)}, {found.days:.3g} d, {_seeds(found)}: what moves what"
    legend = (Text(line, style="dim") for line in _legend(found))
    about = dict.fromkeys(f"{plain(effect.setting)}: {plain(effect.about)}" for effect in found.effects)
    return apart([titled(title, shown, *legend), titled("What is turned", *map(Text, about))])


def _seeds(found: Sensitivity) -> str:
    return f"{len(found.seeds)} seeds" if len(found.seeds) > 1 else "1 seed"


def _base(spread: Spread | None, unit: Unit) -> str:
    return NOTHING if spread is None else one(spread.median, unit).removesuffix(" %") + " "


def _cell(change: Spread | None, base: Spread | None, unit: Unit) -> str:
    if change is None:
        return NEVER if base is not None and unit == "s" else NOTHING
    return difference(change.median, unit) + ("*" if moves(change) else " ")


def _legend(found: Sensitivity) -> Iterator[str]:
    many = len(found.seeds)
    yield "below the first row: differences from it, those of percentages in points"
    if many > 1:
        nth = {1: "", 2: "2nd ", 3: "3rd "}.get(found.rank, f"{found.rank}th ")
        yield f"  they are taken seed by seed; shown is the median of {many}"
        yield f"*: the interval from the {nth}lowest to the {nth}highest, which holds the median of all"
        chance = math.floor(1 / (1 - found.coverage))
        yield f"  seeds with {100 * found.coverage:.1f} %, excludes 0; of what does not move 1 in {chance} is marked"
    if any(_is_never(found, figure) for figure in COLUMNS):
        yield f"{NEVER}: with some seed fewer than nine in ten had started by the end"
    if found.left_out:
        left_out = ", ".join(f"{plain(name)} {plain(label)}" for name, label in found.left_out)
        yield f"left out, as it is so already or does not fit: {left_out}"


def _is_never(found: Sensitivity, figure: str) -> bool:
    cells = (_cell(effect.differences[figure], found.base[figure], UNITS[figure]) for effect in found.effects)
    return NEVER in cells
