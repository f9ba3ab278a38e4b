"""The decisions that charge or earmark a claim, as arrays."""

from __future__ import annotations

import attrs
import numpy as np

from allotment.results.laws.contracts import with_contracts
from allotment.results.laws.facts import Facts, Flags, Integers
from allotment.results.tables import seconds


@attrs.frozen(kw_only=True, eq=False)
class Claims:
    """Starts, promotions and holds in their order; GPU-seconds. `row` is the row in `decisions`, leaf and level codes.

    A hold lasts until the decision `until` (a row in `decisions`, not included); for the others that is their own row.
    """

    row: Integers
    time: Integers
    job: Integers  # row in `jobs`
    leaf: Integers
    level: Integers
    claim: Integers
    used: Integers
    entitled: Integers
    headroom: Integers
    holds: Flags
    until: Integers
    was_held: Flags  # a start of a job that held nodes: its claim was judged when they were fixed


def claims_of(facts: Facts) -> Claims:
    """Return the claims of a result."""
    table = facts.tables["decisions"]
    words = list(table["decision"].cat.categories)
    code, time = facts.codes("decisions", "decision"), facts.ints("decisions", "time")
    jobs = facts.ints("jobs", "job")
    start, promote, hold, release = (words.index(word) for word in ("start", "promote", "hold", "release"))
    row = np.flatnonzero(np.isin(code, (start, promote, hold)) & facts.within(time, with_contracts))
    job = np.minimum(np.searchsorted(jobs, facts.ints("decisions", "job")), len(jobs) - 1)
    holds = code[row] == hold
    until = row.copy()
    until[holds] = _ends(code, job, row[holds], (start, release))
    over = facts.ints("jobs", "end")[job[row]]
    cancelled = holds & (over >= 0)
    until[cancelled] = np.minimum(until[cancelled], np.searchsorted(time, over[cancelled]))
    was_held = np.isin(row, until[holds]) & (code[row] == start)

    def amounts(column: str) -> Integers:
        return seconds(table[column].fillna(-1))[row]

    return Claims(
        row=row,
        time=time[row],
        job=job[row],
        leaf=facts.codes("jobs", "leaf")[job[row]],
        level=facts.codes("decisions", "level")[row],
        claim=amounts("claim"),
        used=amounts("used"),
        entitled=amounts("entitled"),
        headroom=amounts("headroom"),
        holds=holds,
        until=until,
        was_held=was_held,
    )


def _ends(code: Integers, job: Integers, rows: Integers, ending: tuple[int, int]) -> Integers:
    """Return for decisions in `rows` the next one about the same job with an ending code, or the end of the table."""
    count = len(code)
    ends = np.flatnonzero(np.isin(code, ending))
    key = np.sort(job[ends] * count + ends)
    key = np.append(key, np.iinfo(np.int64).max)
    after = key[np.searchsorted(key, job[rows] * count + rows)]
    return np.where(after // count == job[rows], after % count, count)
