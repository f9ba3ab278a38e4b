from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from allotment.workload.chance import exp, exponential, generator, log, normal_quantile, pick

FIRST_THREE = [0.167090981632, 0.8850387516, 0.62180791353]


def test_the_exponential_is_that_of_mathematics() -> None:
    x = np.linspace(-40, 40, 4001)
    want = np.array([math.exp(value) for value in x])
    assert np.max(np.abs(exp(x) / want - 1)) < 1e-14


def test_the_logarithm_is_that_of_mathematics() -> None:
    x = np.concatenate([np.linspace(2.0**-53, 3, 5001), np.array([0.5, 1.0, 2.0, 1e-300, 1e300])])
    want = np.array([math.log(value) for value in x])
    assert np.all(np.abs(log(x) - want) <= 1e-15 * np.maximum(1, np.abs(want)) * 2)
    assert log(np.array([1.0]))[0] == 0


def test_the_normal_quantile_is_as_close_as_its_formula_promises() -> None:
    u = np.linspace(0, 1, 10_001)[1:-1]
    want = np.array([NormalDist().inv_cdf(value) for value in u])
    assert np.max(np.abs(normal_quantile(u) - want)) < 4.5e-4


def test_the_ends_of_the_uniform_numbers_give_finite_variates() -> None:
    ends = np.array([0.0, 1 - 2.0**-53])
    assert np.all(np.isfinite(normal_quantile(ends)))
    assert np.all(np.isfinite(exponential(ends)))


def test_a_generator_belongs_to_its_seed_and_all_of_its_names() -> None:
    def first(seed: int, *names: str) -> float:
        return float(generator(seed, *names).random())

    assert first(1, "a", "b") == first(1, "a", "b")
    assert len({first(1, "a", "b"), first(2, "a", "b"), first(1, "ab", ""), first(1, "b", "a"), first(1, "a")}) == 5


def test_the_streams_of_the_generators_never_change() -> None:
    # a change here changes the jobs of every scenario
    assert [round(float(x), 12) for x in generator(7, "debug", "vision").random(3)] == FIRST_THREE


def test_a_weight_of_nothing_is_never_picked() -> None:
    u = np.concatenate([np.linspace(0, 1, 1000)[:-1], [1 - 2.0**-53]])
    picked = pick(u, (0.0, 0.1, 0.0, 0.2, 0.0))
    assert set(picked.tolist()) == {1, 3}
    assert abs(np.mean(picked == 1) - 1 / 3) < 0.01
