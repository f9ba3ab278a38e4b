from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from allotment.errors import ValueProblems
from allotment.model.policy import Backfill, Contracts, Key, Licence, Match, Partition, Policy, Quotas, Window
from allotment.units import HOUR

ALL = Partition(match=Match.ALL, keys=(Key.AGE,))
FAIR = Partition(match=Match.ALL, keys=(Key.FAIR_GPUS, Key.AGE), licence=Licence.RECLAIM)
FUNDED = Partition(match=Match.FUNDED, keys=(Key.BALANCE, Key.PRIORITY, Key.AGE), licence=Licence.INTERRUPTIBLE)


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"partitions": ()}, "partitions must not be empty"),
        ({"partitions": (ALL, ALL)}, "must not match the same work twice"),
        ({"partitions": (FUNDED,)}, "only where the policy has contracts"),
        (
            {"partitions": (Partition(match=Match.ALL, keys=(Key.AGE,), licence=Licence.INTERRUPTIBLE),)},
            "needs contracts",
        ),
        ({"partitions": (ALL,), "contracts": Contracts()}, "needs a partition that matches funded work"),
        (
            {"partitions": (FUNDED,), "contracts": Contracts(), "backfill": Backfill.EASY},
            "'easy' is for policies without",
        ),
        ({"partitions": (FUNDED, ALL), "contracts": Contracts()}, "in one order"),
        ({"partitions": (FAIR,)}, "'fair_gpus' needs quotas"),
        ({"partitions": (FAIR,)}, "'reclaim' needs quotas"),
        ({"partitions": (FUNDED,), "contracts": Contracts(), "quotas": Quotas()}, "contracts or quotas, not both"),
        ({"partitions": (ALL,), "quotas": Quotas()}, "'fair_gpus' must come first"),
        ({"partitions": (ALL,), "quotas": Quotas()}, "licence must be 'reclaim'"),
        ({"partitions": (FAIR,), "quotas": Quotas(), "backfill": Backfill.EASY}, "backfill must be 'any'"),
    ],
)
def test_each_contradiction_is_told(settings: dict[str, Any], text: str) -> None:
    with pytest.raises(ValueProblems, match=text):
        Policy(name="p", **settings)


def test_all_contradictions_are_told_at_once() -> None:
    with pytest.raises(ValueProblems) as caught:
        Policy(name="p", partitions=(FUNDED, FUNDED))
    assert len(caught.value.problems) == 3


def test_ratios_are_exactly_the_decimals_that_are_written() -> None:
    assert Policy(name="p", partitions=(ALL,), margin=0.1).margin == Fraction(1, 10)
    assert Contracts(reserve=0.005).reserve == Fraction(1, 200)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: Contracts(cap=HOUR, short=2 * HOUR), "short must be at most the cap"),
        (lambda: Contracts(reserve=1.5), "reserve must be between 0 and 1, not 1.5"),
        (lambda: Contracts(holders=17), "holders"),
        (lambda: Quotas(history=11), "history must be between 0 and 10, not 11"),
        (lambda: Quotas(history=-1), "history must be between 0 and 10, not -1"),
        (lambda: Quotas(multiplier=0.9), "multiplier must be between 1 and 10, not 0.9"),
        (lambda: Quotas(reclaim_min_runtime=-1), "reclaim_min_runtime must be at least 0, not -1"),
        (lambda: Window(lookback=59), "lookback must be at least 3600, not 59"),
        (lambda: Partition(match=Match.ALL, keys=(Key.AGE, Key.AGE)), "none twice"),
        (lambda: Partition(match=Match.ALL, keys=()), "at least one term"),
    ],
)
def test_each_bound_is_told(make: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        make()
