"""Run one scenario under the regime before and the one after, over several seeds, and set it against what was published."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from statistics import fmean, median
from typing import Any

import attrs

from allotment.experiment.published import FIGURES, Published, Unit
from allotment.experiment.simulate import Interrupted, simulate, variant
from allotment.model.policy import Policy
from allotment.scenario import Scenario

Measures = Mapping[str, float | None]
Tell = Callable[[int, int], None]  # told (runs done, runs in all)
CONFIDENCE = 0.95
ROUNDED: Mapping[Unit, float] = {"ratio": 0.005, "count": 0.5}  # what was published is whole percents and teams,
ROUNDED_PART = 0.1  # and "about" elsewhere
BASE = 100.0  # repairs that need a person are told as parts of those before


@attrs.frozen(kw_only=True)
class Spread:
    """How one figure lies over seeds: its median, its mean, and an interval; `values` are in the order of the seeds."""

    values: tuple[float, ...]
    median: float
    mean: float
    low: float
    high: float


@attrs.frozen(kw_only=True)
class Row:
    """One figure: what was published of it, and what the simulation gives; None where there is no such figure.

    `before_differs` and `after_differs` say whether what was published lies outside the interval over seeds by more
    than it was rounded by, and are None where there is nothing to compare.
    """

    name: str
    published: Published
    before: Spread | None
    after: Spread | None

    @property
    def before_differs(self) -> bool | None:
        """Whether what was published of the regime before lies outside the interval."""
        return _differs(self.published.before, self.before, self.published.unit)

    @property
    def after_differs(self) -> bool | None:
        """Whether what was published of the regime after lies outside the interval."""
        return _differs(self.published.after, self.after, self.published.unit)


@attrs.frozen(kw_only=True)
class Reproduction:
    """All rows of a scenario over some seeds. `rank` and `coverage` say what the intervals are: see `interval_rank`."""

    scenario: str
    before: str
    after: str
    seeds: tuple[int, ...]
    rank: int
    coverage: float
    teams: int
    rows: tuple[Row, ...]


def reproduce(
    scenario: Scenario,
    *,
    before: Policy,
    after: Policy,
    seeds: Sequence[int],
    figures: Mapping[str, Published] = FIGURES,
    processes: int | None = None,
    tell: Tell | None = None,
) -> Reproduction:
    """Return what a scenario gives under two policies, over seeds, beside what was published.

    Both policies meet the same jobs, people and failures of a seed. The runs are spread over `processes`, by default as
    many as there are processors to use; with 1 they run here. The order in which they end changes nothing.
    """
    arms = [variant(scenario, policy=policy, seed=seed) for seed in seeds for policy in (before, after)]
    done = _run_all(arms, processes or _processors(), tell)
    early, late = done[0::2], done[1::2]
    rank = interval_rank(len(seeds))
    indexed = [_with_index(first, second) for first, second in zip(early, late, strict=True)]
    return Reproduction(
        scenario=scenario.name,
        before=before.name,
        after=after.name,
        seeds=tuple(seeds),
        rank=rank,
        coverage=coverage(len(seeds), rank),
        teams=int(max(each["teams"] or 0 for each in done)),
        rows=tuple(
            Row(
                name=name,
                published=published,
                before=_spread([first[name] for first, _ in indexed], rank),
                after=_spread([second[name] for _, second in indexed], rank),
            )
            for name, published in figures.items()
        ),
    )


def measure(summary: Mapping[str, Any]) -> Measures:
    """Return the figures of one run by the names of their rows; what a policy without contracts has none of is None."""
    delivered, waits = summary["delivered"], summary["wait"]
    contracts = delivered["comparable"]
    return {
        "delivered": delivered["cumulative"] if contracts else None,
        "teams_at_95": delivered["teams_at_95"] if contracts else None,
        "worst_team": delivered["worst"] if contracts else None,
        "teams": delivered["teams"],
        "occupancy": summary["occupancy"],
        "unallocated": summary["unallocated_share"] if contracts else None,
        "debug_p90": waits.get("debug", {}).get("p90"),
        "all_p50": waits["all"]["p50"],
        "all_p90": waits["all"]["p90"],
        "repairs": summary["repairs"]["with_a_person"],
        "high": summary["priorities"]["high"]["jobs"],
        "longest_session": summary["longest_protected_session"],
        "preemptions": summary["preemptions"],
        "work_lost": summary["work_lost_share"],
    }


def interval_rank(n: int) -> int:
    """Return r, so that the r-th lowest and the r-th highest of n values enclose the median of what they are drawn from.

    It is the highest rank, and so the narrowest interval, whose :func:`coverage` is at least `CONFIDENCE`; where even
    the whole range has less, it is 1.

    >>> interval_rank(10), interval_rank(5), interval_rank(20)
    (2, 1, 6)
    """
    return max((r for r in range(1, n // 2 + 1) if coverage(n, r) >= CONFIDENCE), default=1)


def coverage(n: int, rank: int) -> float:
    """Return how probably the interval between the rank-th lowest and highest of n values holds the median.

    That is 1 - 2 P(fewer than `rank` of n fall below it), each being a half, whatever the values are distributed like
    (H. A. David and H. N. Nagaraja, Order Statistics, 2003, section 7.1).

    >>> round(coverage(10, 2), 4), coverage(5, 1), coverage(1, 1)
    (0.9785, 0.9375, 0.0)
    """
    return 1 - sum(math.comb(n, k) for k in range(rank)) / 2.0 ** (n - 1)


def _differs(published: float | None, found: Spread | None, unit: Unit) -> bool | None:
    if published is None or found is None:
        return None
    rounded = ROUNDED.get(unit, ROUNDED_PART * published)
    return not found.low - rounded <= published <= found.high + rounded


def _spread(values: Sequence[float | None], rank: int) -> Spread | None:
    """Return how values lie; None where a seed has none, since what is left would not be all there is."""
    known = tuple(float(value) for value in values if value is not None)
    if len(known) < len(values):
        return None
    ordered = sorted(known)
    return Spread(values=known, median=median(known), mean=fmean(known), low=ordered[rank - 1], high=ordered[-rank])


def _with_index(before: Measures, after: Measures) -> tuple[Measures, Measures]:
    """Return both with repairs that needed a person as parts of those before, which are 100.

    >>> [each["repairs"] for each in _with_index({"repairs": 50}, {"repairs": 10})]
    [100.0, 20.0]
    """
    base = before["repairs"]
    first, second = (
        None if not base or each["repairs"] is None else BASE * each["repairs"] / base for each in (before, after)
    )
    return {**before, "repairs": first}, {**after, "repairs": second}


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _run_all(arms: Sequence[Scenario], processes: int, tell: Tell | None) -> list[Measures]:
    done: dict[int, Measures] = {}

    def note(number: int, measures: Measures) -> None:
        done[number] = measures
        if tell is not None:
            tell(len(done), len(arms))

    if min(processes, len(arms)) <= 1:
        for number, arm in enumerate(arms):
            note(number, _run(arm))
    else:
        # fresh processes: a fork would copy the threads that a notebook or a display runs
        with ProcessPoolExecutor(min(processes, len(arms)), mp_context=get_context("spawn")) as pool:
            runs = {pool.submit(_run, arm): number for number, arm in enumerate(arms)}
            try:
                for run in as_completed(runs):
                    note(runs[run], run.result())
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
    return [done[number] for number in range(len(arms))]


def _run(scenario: Scenario) -> Measures:
    try:
        return measure(simulate(scenario).summary)
    except Interrupted:
        raise KeyboardInterrupt from None  # a part of a month is not a month
