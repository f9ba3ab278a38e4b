"""What a reader should know about a run, or about several side by side, before reading anything into the figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from allotment.model.policy import Key
from allotment.results.result import Result
from allotment.scenario import Scenario
from allotment.views.formats import part, plain, span, times

LITTLE = 1.2  # times as much wanted as there is: below it policies look alike


def notes_on(result: Result) -> Iterator[str]:
    """Yield the remarks on one run."""
    scenario, summary = result.scenario, result.summary
    if summary["interrupted"]:
        yield f"Stopped after {span(result.horizon)} of {span(scenario.horizon)}; everything until then is whole."
    if not summary["measured"]:
        yield "Nothing was measured: the run ended within its warm-up."
    elif _short_warmup(scenario):
        yield (
            f"The warm-up of {span(scenario.warmup)} is shorter than the {span(scenario.policy.window.lookback)} that the "
            "policy looks back: everybody begins with time to spend."
        )
    if summary["pressure"] is not None and summary["pressure"] < LITTLE:
        yield f"Little competition ({times(summary['pressure'])} as much wanted as healthy): policies look alike here."
    yield from _one_priority([result])
    if summary["idle"]["unexplained"]:
        yield f"{part(summary['idle']['unexplained'])} of GPU time idled without a cause: a fault of the scheduler."


def notes_between(results: Sequence[Result], labels: Sequence[str]) -> Iterator[str]:
    """Yield the remarks on several runs: which of them are one and the same, and why. Labels tell scenarios apart."""
    named = [(result, _name(result, label)) for result, label in zip(results, labels, strict=False)]
    for (one, of_one), (other, of_other) in combinations(named, 2):
        if one.slices.equals(other.slices) and one.jobs.equals(other.jobs):
            yield f"{of_one} and {of_other} are one and the same run: every job starts and ends at the same seconds."
    yield from _one_priority(results)


def _name(result: Result, label: str) -> str:
    return plain(" ".join(filter(None, (label, result.summary["policy"], f"(seed {result.summary['seed']})"))))


def _one_priority(results: Sequence[Result]) -> Iterator[str]:
    ranked = {plain(of.summary["policy"]): of for of in results if _ranks_all_by_priority(of.scenario)}
    if ranked and all(of.jobs["priority"].nunique() == 1 for of in ranked.values()):
        names = " and ".join(ranked)
        yield f"All jobs have one priority, so {names} cannot tell them apart by it: first come goes first, as under fifo."


def _ranks_all_by_priority(scenario: Scenario) -> bool:
    policy = scenario.policy
    return policy.contracts is None and any(Key.PRIORITY in partition.keys for partition in policy.partitions)


def _short_warmup(scenario: Scenario) -> bool:
    return scenario.policy.contracts is not None and scenario.warmup < scenario.policy.window.lookback
