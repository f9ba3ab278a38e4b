"""How long jobs waited, as a part of a page."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
from rich.console import RenderableType
from rich.text import Text

from allotment.cli.layout import add_rows, grid, titled
from allotment.results.result import Result
from allotment.views import tables
from allotment.views.formats import count, plain

STARRED = "* submitted when another job ends, so at other times under another policy: these waits cannot be compared"
BEYOND = "with >: fewer than that had started when the run ended, and the longest had then waited so long"
WHY = {
    "headroom": "the team or its budget had too little left of what it is entitled to",
    "too_large": "it claims more than its team is entitled to in a whole window, so it gets only what nobody else holds",
    "no_room": "so many GPUs could not be made free at once",
    "saving": "its team saves up for an older, larger job",
    "slot_limit": "its team has reached its limit of GPUs in use",
    "reserved": "what was free was reserved for a job of better rank",
    "holding": "the nodes held for it were not yet free",
}


def section(result: Result) -> RenderableType:
    """Return the waits by kind, size and team, with what their marks mean."""
    shown = grid(*tables.WAITS)
    groups = (("by GPUs, whole nodes", tables.waits(result, "size")), ("by team", tables.waits(result, "leaf")))
    kinds = tables.waits(result)
    add_rows(shown, kinds)
    for name, frame in groups:
        if len(frame):
            shown.add_row("")
            shown.add_row(Text(name, style="dim"))
            add_rows(shown, frame)
    notes = [*never_started(result), *marks(kinds, *(frame for _, frame in groups))]
    return titled("Waits, from submission to first start", shown, *(Text(note, style="dim") for note in notes))


def marks(*frames: pd.DataFrame) -> Iterator[str]:
    """Yield what the marks in tables of waits mean, those that are there."""
    if any(name.endswith(tables.STAR) for frame in frames for name in frame.index):
        yield STARRED
    if any(cell.startswith(">") for frame in frames for row in frame.to_numpy() for cell in row):
        yield BEYOND


def never_started(result: Result) -> Iterator[str]:
    """Yield a sentence for each size from a whole node on of which no job started: what was in its way last."""
    jobs, refused = result.jobs, result.decisions[(result.decisions["decision"] == "refuse").to_numpy()]
    last = refused.drop_duplicates("job", keep="last").set_index("job")["reason"].astype("str")
    for size, row in result.summary["gang_wait"].items():
        if row["n"] and row["censored"] == row["n"]:
            among = jobs["job"][((jobs["take"] == int(size)) & (jobs["submit"] >= result.scenario.warmup)).to_numpy()]
            reasons = last.reindex(among).dropna().value_counts()
            text = f"No job of {size} GPUs started ({count(row['n'])} submitted)"
            if not len(reasons):
                yield f"{text}: none of them was first in line before the run ended."
                continue
            reason = min(reasons.index, key=lambda each: (-reasons[each], each))
            yield f"{text}; what {count(int(reasons[reason]))} of them were last refused for: {WHY.get(reason, plain(reason))}."
