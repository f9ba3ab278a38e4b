"""What became of those whose shares were changed: what they were given before and after, for each change of the plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby

import attrs
import numpy as np
import pandas as pd

from allotment.results import metrics
from allotment.units import HOUR


@attrs.frozen(kw_only=True)
class Part:
    """What a plan node was given in some hours: GPUs on average, and of what it was owed; None where there is nothing."""

    hours: int
    gpus: float | None
    of_owed: float | None


@attrs.frozen(kw_only=True)
class Changed:
    """One share that was changed, from `old` to `new` of what its parent has, and what the node was given on either side."""

    node: str
    old: float
    new: float
    before: Part
    after: Part


@attrs.frozen(kw_only=True)
class Change:
    """A change of the plan at a moment (s)."""

    time: int
    author: str
    reason: str
    shares: tuple[Changed, ...]


def changes(tables: Mapping[str, pd.DataFrame], warmup: int, horizon: int) -> Iterator[Change]:
    """Yield the changes of the plan, in their order.

    Before is from the change before it, or the warm-up's end; after is until the next one, or the horizon. The hour in
    which a change falls belongs to neither, unless it begins then.
    """
    rows, usage = tables["changesets"], tables["usage"]
    times = [int(time) for time in rows["time"].unique()]
    names = [str(node) for node in usage["node"].iloc[: len(usage["node"].cat.categories)]]

    def given(begin: int, end: int) -> dict[str, Part]:
        return _given(usage, names, metrics.first_hour(max(begin, warmup)), end // HOUR)

    columns = (rows[name].tolist() for name in ("time", "author", "reason", "node", "old", "new"))
    for (time, author, reason), group in groupby(zip(*columns, strict=True), key=lambda row: row[:3]):
        before = given(max((each for each in times if each < time), default=warmup), time)
        after = given(time, min((each for each in times if each > time), default=horizon))
        shares = tuple(
            Changed(node=node, old=old, new=new, before=before[node], after=after[node]) for *_, node, old, new in group
        )
        yield Change(time=time, author=author, reason=reason, shares=shares)


def _given(usage: pd.DataFrame, names: list[str], since: int, until: int) -> dict[str, Part]:
    hours = max(until - since, 0)
    if not hours:
        return dict.fromkeys(names, Part(hours=0, gpus=None, of_owed=None))
    of = metrics.deliver(usage, since, until)
    shown = zip(names, np.array(of.delivered_hours) / hours, of.of_owed(of.capped), strict=True)
    return {name: Part(hours=hours, gpus=float(gpus), of_owed=part) for name, gpus, part in shown}
