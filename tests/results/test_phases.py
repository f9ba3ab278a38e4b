"""The figures of a part of a run: the same as the summary's where the part is all of it, and cut at its ends where not."""

from __future__ import annotations

import itertools

import pandas as pd
import pytest

from allotment.experiment.simulate import simulate
from allotment.presets import load_policy, load_scenario
from allotment.results.phases import Part, figures, phases, plain, spans, within
from allotment.units import DAY, HOUR


@pytest.fixture(scope="module")
def week():
    return simulate(load_scenario("small-week"), policy=load_policy("budgets"), days=3)


def test_over_all_of_the_measured_time_they_are_those_of_the_summary(week):
    (name, part), *others = phases(week)
    assert (name, part.begin, part.end, others) == ("budgets", 7 * DAY, 10 * DAY, [])
    of, summary = figures([part]), week.summary
    assert (of.all.p50, of.all.p90) == (summary["wait"]["all"]["p50"], summary["wait"]["all"]["p90"])
    assert (of.interactive.n, of.interactive.p90) == (summary["wait"]["debug"]["n"], summary["wait"]["debug"]["p90"])
    assert of.occupancy == summary["occupancy"]
    assert of.unallocated == summary["unallocated_share"]
    assert of.preemptions == summary["preemptions"] > 0
    assert of.work_lost == summary["work_lost_share"]


def test_parts_add_up(week):
    cuts = [7 * DAY, 8 * DAY, 8 * DAY + 5 * HOUR, 10 * DAY]
    parts = [Part(result=week, begin=begin, end=end) for begin, end in itertools.pairwise(cuts)]
    each, whole = [figures([part]) for part in parts], figures(parts)
    assert sum(of.preemptions for of in each) == whole.preemptions == week.summary["preemptions"]
    assert sum(of.all.n for of in each) == whole.all.n == week.summary["wait"]["all"]["n"]
    assert whole.occupancy == week.summary["occupancy"]
    assert whole.work_lost_gpu_hours == pytest.approx(week.summary["work_lost_gpu_hours"])


def test_two_runs_together_lie_between_them(week):
    other = simulate(load_scenario("small-week"), policy=load_policy("fifo"), days=3)
    parts = [Part(result=result, begin=7 * DAY, end=10 * DAY) for result in (week, other)]
    one, two, both = figures(parts[:1]), figures(parts[1:]), figures(parts)
    assert both.all.n == one.all.n + two.all.n
    assert min(one.occupancy, two.occupancy) < both.occupancy < max(one.occupancy, two.occupancy)


def test_who_starts_after_the_end_waits_still_when_the_part_ends():
    columns = {"submit": [5, 10, 30, 40], "waited": [100, 20, 10, 0], "closed": [False] * 4}
    jobs = pd.DataFrame(columns).assign(wait=pd.array([100, 20, 10, 0], dtype="Int64"))
    cut = within(jobs, 10, 40)
    assert cut["submit"].tolist() == [10, 30]
    assert cut["waited"].tolist() == [20, 10]
    assert cut["wait"].tolist() == [20, 10]
    assert within(jobs, 0, 29)["wait"].isna().tolist() == [True, True]


def test_a_part_in_which_nothing_happens_has_no_ratios(week):
    empty = plain(figures([Part(result=week, begin=9 * DAY, end=9 * DAY)]))
    assert (empty["occupancy"], empty["unallocated"], empty["work_lost"], empty["preemptions"]) == (None, None, None, 0)
    assert empty["all"] == {"n": 0, "censored": 0, "p50": None, "p90": None, "comparable": True}


def test_cuts_at_the_ends_or_outside_cut_nothing():
    assert spans([], 0, 9) == spans([0, 9, 12], 0, 9) == [(0, 9)]
