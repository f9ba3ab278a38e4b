"""Chance that is the same on every machine: generators keyed by names, and curves made of exact operations only.

The exponential and the logarithm of a mathematical library may differ in the last bit from machine to machine, and one bit
can move a job by a second. Here they are sums and products of doubles, which every machine rounds alike.
"""

from __future__ import annotations

import hashlib
import math

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_LN2 = 0.6931471805599453
_EXP_TERMS = 16  # Taylor terms that leave less than a unit in the last place for |x| <= ln 2 / 2
_LOG_TERMS = 11  # terms of the series of atanh, likewise for |x| <= 0.172
# Abramowitz and Stegun, Handbook of Mathematical Functions (1964), formula 26.2.23
_NUMERATOR = (2.515517, 0.802853, 0.010328)
_DENOMINATOR = (1.0, 1.432788, 0.189269, 0.001308)


def generator(seed: int, *names: str) -> np.random.Generator:
    """Return the generator that belongs to a seed and some names; no other names give the same stream."""
    text = "\0".join((str(seed), *names))
    key = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=16).digest(), "little")
    return np.random.Generator(np.random.PCG64(key))


def exp(x: Floats) -> Floats:
    """Return e to the power of each x, within 1e-14 of it for |x| up to 50, the same bits on every machine."""
    whole = np.rint(x * (1 / _LN2))
    rest = x - whole * _LN2
    value = np.full_like(x, 1 / math.factorial(_EXP_TERMS))
    for term in range(_EXP_TERMS - 1, -1, -1):
        value *= rest
        value += 1 / math.factorial(term)
    power: Floats = np.ldexp(value, whole.astype(np.int32))
    return power


def log(x: Floats) -> Floats:
    """Return the natural logarithm of each x > 0, the same bits on every machine."""
    mantissa, power = np.frexp(x)
    low = mantissa < 0.7071067811865476
    mantissa = np.where(low, 2 * mantissa, mantissa)
    s = (mantissa - 1) / (mantissa + 1)
    square = s * s
    value = np.zeros_like(s)
    for term in range(_LOG_TERMS - 1, -1, -1):
        value *= square
        value += 2 / (2 * term + 1)
    result: Floats = (power - low) * _LN2 + value * s
    return result


def normal_quantile(u: Floats) -> Floats:
    """Return the point below which a part u of the standard normal distribution lies, within 4.5e-4 of it.

    That is far closer than any run time is known; 0 and 1 stand for the outermost points, about 8.2 from the middle.
    """
    tail = np.clip(np.minimum(u, 1 - u), 2.0**-53, 0.5)
    t = np.sqrt(-2 * log(tail))
    a, b, c = _NUMERATOR
    one, d, e, f = _DENOMINATOR
    far = t - (a + t * (b + t * c)) / (one + t * (d + t * (e + t * f)))
    return np.where(u < 0.5, -far, far)


def exponential(u: Floats) -> Floats:
    """Return exponential variates of mean 1 for uniform ones in [0, 1)."""
    return -log(1 - u)


def pick(u: Floats, weights: tuple[float, ...]) -> npt.NDArray[np.int64]:
    """Return for each uniform u in [0, 1) an index, in proportion to the weights; a weight of 0 is never picked.

    >>> pick(np.array([0.0, 0.2, 0.3, 0.9]), (1.0, 0.0, 3.0)).tolist()
    [0, 0, 2, 2]
    """
    edges = np.cumsum(np.array(weights, dtype=np.float64))
    last = max(index for index, weight in enumerate(weights) if weight > 0)
    picked: npt.NDArray[np.int64] = np.minimum(np.searchsorted(edges, u * edges[-1], side="right"), last)
    return picked
