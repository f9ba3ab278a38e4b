"""Which runs side by side have the same jobs, and which have not: then they differ in more than what was meant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from allotment.results.result import Result
from allotment.views.formats import plain


def notes_on_jobs(results: Sequence[Result], labels: Sequence[str]) -> Iterator[str]:
    """Yield a remark for each seed of which the scenarios, told apart by their labels, have different jobs."""
    for seed in dict.fromkeys(result.scenario.seed for result in results):
        runs = [(result, label) for result, label in zip(results, labels, strict=False) if result.scenario.seed == seed]
        drawn = {label: result.jobs_drawn for result, label in runs}
        if len(set(drawn.values())) < 2 or "" in drawn.values():
            continue
        names = " and ".join(f"{plain(label)!r}" for label in drawn)
        shares = len({result.scenario.plan for result, _ in runs}) > 1
        way_out = "; to give other shares to the same jobs, use --share" if shares else ""
        yield f"{names} have different jobs (seed {seed}), so their figures differ by these, too{way_out}"
