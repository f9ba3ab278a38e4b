"""What was delivered of what was owed, and what changes of the plan did to it, as parts of a page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from allotment.cli.layout import add_rows, grid, titled
from allotment.results.result import Result
from allotment.results.summary import WELL_SERVED
from allotment.units import DAY
from allotment.views import tables
from allotment.views.formats import part, plain, span

TITLE = "Delivered, of what was owed"
HELD = "everything held counts: not comparable"
NO_CONTRACTS = (
    "No job asks for a contract, so nothing is owed or protected; give the kinds of work `contracts:`, or recorded jobs a "
    "column `min_runtime_s`."
)
NOTHING_OWED = (
    "Nothing was owed: no job that asks for a contract was there in the measured time, or its team has no share."
)
OWED = (
    "Owed: the share of the healthy GPUs, as far as jobs that ask for a contract wanted it, second by second. A job wants its "
    "GPUs while it waits, too, so what is owed can be many times what was submitted (GPUs x run time, each job once)."
)
BUDGETS = (
    "A budget can be owed more than its teams one by one: what one of them does not want is owed to the others that do. So "
    "the part of it that is delivered can be smaller."
)


def section(result: Result) -> RenderableType:
    """Return what each team and each budget was owed and given, or why there is nothing to tell."""
    summary = result.summary
    of = summary["delivered"]
    title = TITLE if of["comparable"] else f"{TITLE} ({HELD})"
    if not of["teams"]:
        asks = bool((result.jobs["min_runtime"] > 0).any())
        return titled(title, Text(NOTHING_OWED if asks else NO_CONTRACTS))
    shown = grid(*tables.DELIVERY)
    add_rows(shown, tables.delivery(result), last="bold")
    sentences = [_served("teams", of, summary["delivery"])]
    notes = [OWED]
    if {row["team"] for row in summary["budget_delivery"]} != {row["team"] for row in summary["delivery"]}:
        shown.add_row("")
        shown.add_row(Text("by budget", style="dim"))
        add_rows(shown, tables.delivery(result, "budgets"), last="bold")
        sentences.append(_served("budgets", of["budgets"], summary["budget_delivery"]))
        notes.append(BUDGETS)
    return titled(title, shown, Text(" ".join(sentences)), *(Text(note, style="dim") for note in notes))


def _served(name: str, level: Any, rows: Any) -> str:
    below = [plain(row["team"]) for row in rows if row["cumulative"] < float(WELL_SERVED)]
    text = f"{level['teams_at_95']} of {level['teams']} {name} got 95 % or more of what they were owed"
    return f"{text}, not {', '.join(below)}." if below else f"{text}."


def changed(result: Result) -> Iterator[RenderableType]:
    """Yield a part for each change of the plan: whose share, from what to what, and what they were given on either side."""
    for change in result.summary["changes"]:
        who = plain(" ".join(": ".join(filter(None, (change["author"], change["reason"]))).split()))
        title = f"Shares changed on day {change['time'] / DAY:.3g} of {span(result.horizon)}" + (
            f" ({who})" if who else ""
        )
        shown = grid(*(f"{column}, {side}" for column in ("share", "GPUs", "of owed") for side in ("before", "after")))
        for of in change["shares"]:
            sides = (of["before"], of["after"])
            gpus = ("-" if side["gpus"] is None else f"{side['gpus']:.1f}" for side in sides)
            shown.add_row(
                plain(of["node"]), part(of["old"]), part(of["new"]), *gpus, *(part(side["of_owed"]) for side in sides)
            )
        note = "Share: of what the node above has. GPUs: held and charged, on average from the last change or until the next."
        yield titled(title, shown, Text(note, style="dim"))
