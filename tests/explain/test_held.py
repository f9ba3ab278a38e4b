"""Nodes that are held for a job: what is said of when they come clear is what happens."""

from __future__ import annotations

import numpy as np
import pytest

from allotment.explain.answer import why
from allotment.explain.held import clearing
from allotment.explain.rerun import Rerun
from allotment.explain.turn import line_at
from allotment.presets.simulate import simulate
from allotment.units import HOUR


@pytest.fixture(scope="module")
def holds():
    """Return a week, and of each tenth hold in it the job, when it began and when it ended."""
    result = simulate("small-week")
    decisions = result.decisions
    began = decisions[(decisions["decision"] == "hold").to_numpy()]
    ended = decisions[decisions["decision"].isin(["start", "release"]).to_numpy()]
    found = []
    for row in began.itertuples():
        over = ended["time"][(ended["job"] == row.job).to_numpy() & (ended["time"] >= row.time).to_numpy()]
        if len(over):
            found.append((int(row.job), int(row.time), int(over.min())))
    assert len(found) > 50
    return result, found[::10]


def test_it_starts_by_the_latest_moment_that_is_told_and_one_stands_there_until_then(holds):
    result, found = holds
    rerun, cycle, late = Rerun(result), result.scenario.cluster.cycle, 0
    for job, begin, end in found:
        if end <= begin + cycle:
            continue
        told = clearing(line_at(rerun, begin), job)
        assert told.due <= told.latest
        assert end <= told.latest + cycle, (job, begin)
        if told.last >= 0 and end > begin + HOUR:
            rows = result.slices[(result.slices["job"] == told.last).to_numpy()]
            assert ((rows["start"] <= begin) & (rows["end"] > begin)).any()
        late += end > told.due + cycle
    assert late  # else nothing is shown by it


def test_what_is_past_is_told_as_overdue_and_never_as_a_time_to_come(holds):
    result, found = holds
    job, begin, end = max(found, key=lambda each: each[2] - each[1])
    due = why(result, job, begin, what_if=False).why.parameters["due"]
    for time in np.linspace(begin + 1, end - 1, 5).astype(int).tolist():
        told = why(result, job, time, what_if=False)
        assert told.why.code == "holding"
        past = due <= time
        assert ("overdue" in told.why.sentence, told.next.code) == (past, "next_overdue" if past else "next_due")
        assert told.next.parameters["latest"] > time
