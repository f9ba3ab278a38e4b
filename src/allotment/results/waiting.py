"""How long jobs waited for their first start: quantiles by kind, leaf and size, in which those still waiting count too."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import attrs
import numpy as np
import numpy.typing as npt
import pandas as pd

from allotment.results.survival import curve
from allotment.units import HOUR, MINUTE, format_duration

Flags = npt.NDArray[np.bool_]
Codes = npt.NDArray[np.integer]
ALL = "all"
BANDS = (0, 15 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR)  # of contracts, by the longest in each
NO_CONTRACT, LONGER = "none", "longer"


@attrs.frozen(kw_only=True)
class Wait:
    """What the jobs of one group waited; the fields are the columns `WAITS` of `columns.py`."""

    of: str
    n: int
    censored: int
    p50: int | None
    p90: int | None
    comparable: bool


def of_all(jobs: pd.DataFrame, since: int, *, only_open: bool = False) -> Wait:
    """Return what the jobs submitted from `since` (s) on waited, or only those of open and recorded streams."""
    chosen = _since(jobs, since)
    if only_open:
        chosen &= ~jobs["closed"].to_numpy()
    return _grouped(jobs, chosen, np.zeros(len(jobs), np.int8), [ALL])[0]


def by_kind(jobs: pd.DataFrame, since: int) -> list[Wait]:
    """Return it for every kind of work that there is, and last for all jobs."""
    kind = jobs["kind"].cat
    names = [f"{name} (kind)" if name == ALL else str(name) for name in kind.categories]
    return [*_grouped(jobs, _since(jobs, since), kind.codes.to_numpy(), names), of_all(jobs, since)]


def by_leaf(jobs: pd.DataFrame, since: int) -> list[Wait]:
    """Return it by the path of the leaf; leaves without jobs are left out."""
    leaf = jobs["leaf"].cat
    waits = _grouped(jobs, _since(jobs, since), leaf.codes.to_numpy(), [str(path) for path in leaf.categories])
    return [wait for wait in waits if wait.n]


def by_leaf_and_kind(jobs: pd.DataFrame, since: int) -> dict[tuple[str, str], Wait]:
    """Return it by the path of the leaf and the kind of work; pairs without jobs are left out."""
    leaf, kind = jobs["leaf"].cat, jobs["kind"].cat
    pairs = [(str(path), str(name)) for path in leaf.categories for name in kind.categories]
    group = leaf.codes.to_numpy().astype(np.int64) * len(kind.categories) + kind.codes.to_numpy()
    waits = _grouped(jobs, _since(jobs, since), group, [f"{name} of {path}" for path, name in pairs])
    return {pair: wait for pair, wait in zip(pairs, waits, strict=True) if wait.n}


def by_size(jobs: pd.DataFrame, since: int, gpus_per_node: int) -> list[Wait]:
    """Return it by GPUs taken, for the jobs that need a whole node or more; sizes without jobs are left out."""
    take = jobs["take"].to_numpy()
    chosen = _since(jobs, since) & (take >= max(2, gpus_per_node))
    sizes = np.flatnonzero(np.bincount(take[chosen]))
    return _grouped(jobs, chosen, np.searchsorted(sizes, take), [str(size) for size in sizes.tolist()])


def by_contract(jobs: pd.DataFrame, since: int) -> list[Wait]:
    """Return it by the contract that was asked, in bands named by their longest; bands without jobs are left out."""
    band = np.searchsorted(BANDS, jobs["min_runtime"].to_numpy())
    names = [NO_CONTRACT, *(format_duration(longest) for longest in BANDS[1:]), LONGER]
    return [wait for wait in _grouped(jobs, _since(jobs, since), band, names) if wait.n]


def _since(jobs: pd.DataFrame, since: int) -> Flags:
    return np.asarray(jobs["submit"].to_numpy() >= since)


def _grouped(jobs: pd.DataFrame, chosen: Flags, group: Codes, names: Iterable[str]) -> list[Wait]:
    """Return what the chosen jobs of each group waited; `group` holds a place among `names` for every job."""
    named = list(names)
    group = group[chosen].astype(np.min_scalar_type(len(named)))  # small numbers are sorted fastest
    order = np.argsort(group, kind="stable")
    rows = np.flatnonzero(chosen)[order]
    bounds = np.searchsorted(group[order], np.arange(len(named) + 1, dtype=group.dtype)).tolist()
    waited = jobs["waited"].to_numpy()[rows]
    started = jobs["wait"].notna().to_numpy()[rows]
    closed = jobs["closed"].to_numpy()[rows]
    waits = []
    for name, (begin, end) in zip(named, pairwise(bounds), strict=True):
        over = curve(waited[begin:end], started[begin:end])
        waits.append(
            Wait(
                of=name,
                n=end - begin,
                censored=end - begin - int(np.count_nonzero(started[begin:end])),
                p50=over.quantile(0.5),
                p90=over.quantile(0.9),
                comparable=not closed[begin:end].any(),
            )
        )
    return waits
