"""What if a team had another share: the same jobs, another plan from the start."""

from __future__ import annotations

from fractions import Fraction

import attrs
import pytest

from allotment.errors import InputError
from allotment.experiment.shares import with_shares
from allotment.experiment.simulate import draw, simulate, variant
from allotment.model.changeset import Changeset, ShareChange
from allotment.presets import load_scenario
from allotment.units import DAY
from allotment.workload.classes import ClosedStream, OpenStream, Spread


@pytest.fixture(scope="module")
def week():
    return variant(load_scenario("small-week"), days=1)


def test_the_jobs_are_those_of_the_plan_as_it_was(week):
    changed = with_shares(week, {"science": "0.1", "language/pretraining": 0.2})
    assert draw(changed).digest == draw(week).digest
    assert draw(attrs.evolve(week, plan=week.plan.with_share("science", "0.1"))).digest != draw(week).digest
    assert [(change.id, change.share) for change in changed.changesets[0].shares] == [
        ("science", Fraction(1, 10)),
        ("pretraining", Fraction(1, 5)),
    ]
    assert changed.changesets[0].time == 0


def test_it_is_the_run_of_the_edited_plan_where_jobs_do_not_hang_on_shares(week):
    """With streams that are spread evenly an edited plan draws the same jobs, so both ways must give one run."""
    even = tuple(
        attrs.evolve(stream, spread=Spread.EACH, largest=100.0)
        if isinstance(stream, ClosedStream)
        else attrs.evolve(stream, spread=Spread.EACH, jobs_per_week=200)
        for stream in week.workload
        if isinstance(stream, ClosedStream | OpenStream)
    )
    same = attrs.evolve(week, workload=even)
    edited = simulate(attrs.evolve(same, plan=same.plan.with_share("science", "0.1")))
    changed = simulate(same, shares={"science": "0.1"})
    assert changed.jobs_drawn == edited.jobs_drawn
    for name in ("jobs", "slices", "segments", "decisions", "usage", "shares"):
        assert changed.tables[name].equals(edited.tables[name]), name


def test_more_share_is_more_owed(week):
    plain, changed = (simulate(week, shares=shares).summary for shares in ({}, {"science": "0.1", "language": "0.8"}))

    def owed(summary):
        return {row["team"]: row["owed_gpu_hours"] for row in summary["delivery"]}

    assert owed(changed)["language/pretraining"] > 1.1 * owed(plain)["language/pretraining"]
    assert owed(changed)["science/climate"] < 0.6 * owed(plain)["science/climate"]


def test_everything_that_does_not_fit_is_told_at_once(week):
    with pytest.raises(InputError) as told:
        with_shares(
            week,
            {"sience": 0.1, "language": "lots", "pretraining": 1.5, "climate": 0.6, "science/climate": 0.7, "x=y": 1},
        )
    assert told.value.source == "scenario 'small-week'"
    assert [text.split(";")[0] for text in told.value.problems] == [
        "plan 'four-teams' has no node 'sience'",
        "language: a share is written as 0.25 or '1/3', not 'lots'",
        "pretraining: share must be between 0 and 1, not 1.5",
        "the share of 'climate' is given twice",
        "plan 'four-teams' has no node 'x=y'",
        "the children of 'science' would sum to 1.2 (biology 0.5, climate 0.7)",
    ]


def test_the_budgets_sum_to_at_most_the_whole(week):
    with pytest.raises(
        InputError, match=r"the budgets would sum to 1\.2 \(language 0\.8, science 0\.4\); give others less"
    ):
        variant(week, shares={"language": "0.8"})


def test_later_changes_of_the_plan_must_still_fit(week):
    later = Changeset(time=DAY, shares=(ShareChange(id="language", share="0.6", old="0.5"),))
    with_later = attrs.evolve(week, changesets=(later,))
    assert with_shares(with_later, {"science": "0.3"}).changesets[1] == later
    with pytest.raises(InputError, match="the share of 'language' is 0.4, not 0.5"):
        with_shares(with_later, {"language": "0.4"})


def test_without_shares_it_is_the_scenario_itself(week):
    assert with_shares(week, {}) is week
