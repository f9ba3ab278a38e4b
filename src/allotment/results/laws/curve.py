"""The running integral of a step function, exact: read it at two moments to know what lies between them."""

from __future__ import annotations

import attrs
import numpy as np

from allotment.results.laws.facts import Integers
from allotment.units import HOUR


@attrs.frozen(kw_only=True, eq=False)
class Curve:
    """A step function: `rate[n]` holds from `time[n]` on, before the first it is 0. `moment` makes reading it quick."""

    time: Integers
    rate: Integers
    moment: Integers

    def until(self, at: Integers) -> Integers:
        """Return the integral up to some moments."""
        last = np.searchsorted(self.time, at, side="left")
        return self.rate[last] * at - self.moment[last]

    def at(self, moments: Integers) -> Integers:
        """Return the rate from some moments on."""
        return self.rate[np.searchsorted(self.time, moments, side="right")]


def curve(begin: Integers, end: Integers, amount: Integers) -> Curve:
    """Return the sum of amounts, each of which holds from its `begin` to its `end`.

    >>> of = curve(np.array([0, 10]), np.array([20, 30]), np.array([1, 2]))
    >>> of.until(np.array([0, 10, 20, 40])).tolist()
    [0, 10, 40, 60]
    """
    return steps(np.concatenate([begin, end]), np.concatenate([amount, -amount]))


def steps(time: Integers, change: Integers) -> Curve:
    """Return the step function that changes by so much at these moments, in any order."""
    order = np.argsort(time, kind="stable")
    nothing = np.zeros(1, np.int64)
    time, change = time[order], change[order]
    return Curve(
        time=time,
        rate=np.concatenate([nothing, np.cumsum(change)]),
        moment=np.concatenate([nothing, np.cumsum(change * time)]),
    )


def by_hour(horizon: int, of: Curve) -> Integers:
    """Return the integral in each hour up to the horizon, the last of which may be shorter."""
    return np.diff(of.until(np.append(np.arange(0, horizon, HOUR), horizon)))
