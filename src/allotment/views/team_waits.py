"""Who waits longer? How soon nine in ten jobs of each team and kind of work started, and what that was in a baseline."""

from __future__ import annotations

from collections.abc import Iterable

import attrs
import pandas as pd

from allotment.results.result import Result
from allotment.results.waiting import Wait, by_leaf_and_kind
from allotment.units import MINUTE
from allotment.views.formats import NOTHING, beyond, plain, wait

CLEAR = 1.5  # times as long, or as short; smaller changes are not in the sentence
LEAST = MINUTE  # nor are those by less (s)
FEWEST = 10  # nor those of fewer jobs, of which nine in ten say little
NOT_YET = "This run has not come as far as the baseline: who waits longer is said when it has."
SAID = 3  # in each direction
NOT_BEGUN = "This run has not begun: press Run or Step, and here it is said who waits longer than in the baseline."
INVITES = "Drag a budget, and here it is said who waits longer than in the baseline, and who less long."


@attrs.frozen
class _Seen:
    """Within what time (s) nine in ten of some jobs had started, or that it was longer than was seen."""

    row: Wait
    longest: int

    @property
    def seconds(self) -> int:
        return self.longest if self.row.p90 is None else self.row.p90

    @property
    def text(self) -> str:
        return beyond(self.longest) if self.row.p90 is None else wait(self.row.p90)


Pair = tuple[str, str]


def team_waits(result: Result, baseline: Result | None = None) -> pd.DataFrame:
    """Return within what time nine in ten jobs started: a row for each team, a column for each kind of work.

    Where it was something else in a baseline that ran as long, that stands in brackets.
    """
    now = _seen(result)
    was = {} if baseline is None or not _as_far(result, baseline) else _seen(baseline)
    teams, kinds = (list(dict.fromkeys(pair[at] for pair in now)) for at in (0, 1))
    rows = {
        plain(team): [_cell(now.get((team, kind)), was.get((team, kind))) for kind in kinds] for team in sorted(teams)
    }
    return pd.DataFrame.from_dict(rows, orient="index", columns=[plain(kind) for kind in kinds], dtype="str")


def who_waits_longer(result: Result, baseline: Result | None = None) -> str:
    """Return a sentence about whose jobs wait clearly longer than in the baseline, and whose less long; or what to do."""
    if not result.horizon:
        return NOT_BEGUN
    if baseline is None or baseline is result:
        return INVITES
    if not _as_far(result, baseline):
        return INVITES if baseline.scenario == result.scenario else NOT_YET
    now, was = _seen(result), _seen(baseline)
    both = [pair for pair in now if pair in was and min(now[pair].row.n, was[pair].row.n) >= FEWEST]
    ratios = {pair: (now[pair].seconds + 1) / (was[pair].seconds + 1) for pair in both}
    moved = [pair for pair in both if abs(now[pair].seconds - was[pair].seconds) >= LEAST]
    longer = sorted((pair for pair in moved if ratios[pair] >= CLEAR), key=lambda pair: (-ratios[pair], pair))
    less = sorted((pair for pair in moved if ratios[pair] <= 1 / CLEAR), key=lambda pair: (ratios[pair], pair))
    parts = [f"{word}: {_told(pairs, was, now)}" for word, pairs in (("longer", longer), ("less long", less)) if pairs]
    found = "; ".join(parts) or f"no team waits {CLEAR} times as long, or as short"
    return f"Against the baseline {found}. One seed: a small change may be chance."


def _as_far(result: Result, baseline: Result) -> bool:
    return result.horizon == baseline.horizon and result.scenario.warmup == baseline.scenario.warmup


def _told(pairs: Iterable[Pair], was: dict[Pair, _Seen], now: dict[Pair, _Seen]) -> str:
    told = [
        f"{plain(team)} with {plain(kind)} ({was[team, kind].text} → {now[team, kind].text})" for team, kind in pairs
    ]
    more = len(told) - SAID
    return ", ".join(told[:SAID]) + (f" and {more} more" if more > 0 else "")


def _cell(now: _Seen | None, was: _Seen | None) -> str:
    if now is None:
        return NOTHING
    return now.text if was is None or was.text == now.text else f"{now.text} (was {was.text})"


def _seen(result: Result) -> dict[Pair, _Seen]:
    jobs, since = result.jobs, result.scenario.warmup
    counted = jobs[(jobs["submit"] >= since).to_numpy()]
    longest = counted.groupby(["leaf", "kind"], observed=True)["waited"].max().to_dict()
    return {pair: _Seen(row, int(longest[pair])) for pair, row in by_leaf_and_kind(jobs, since).items()}
