"""Tables of text: the figures of a result, as they are read."""

from __future__ import annotations

import pytest

from allotment.results.result import Result
from allotment.units import HOUR
from allotment.views import tables
from tests.results.made import FIFO, a_run


@pytest.fixture(scope="module")
def result() -> Result:
    return a_run().result()


def test_waits_have_a_unit_each_and_a_star_where_they_cannot_be_compared(result):
    shown = tables.waits(result)
    assert list(shown.columns) == ["jobs", "half within", "9 in 10 within", "never started"]
    assert shown.loc["training"].tolist() == ["2", "10 s", "> 47 min", "1"]
    assert {"batch*", "debug", "all*", "all that can be compared"} <= set(shown.index)
    assert set(tables.waits(result, comparable=True).index) == {"debug", "training", "all that can be compared"}


def test_waits_of_teams_are_in_the_order_of_their_names(result):
    names = tables.waits(result, "leaf").index.tolist()
    assert names == sorted(names)
    assert tables.waits(result, "size").index.tolist() == ["8", "16"]


def test_delivery_says_for_every_team_what_the_table_holds(result):
    rows = result.delivery().set_index("node")
    shown = tables.delivery(result)
    assert shown.index[-1] == "all teams"
    for name in shown.index[:-1]:
        owed, part = rows.loc[name, "owed"], rows.loc[name, "cumulative"]
        assert float(shown.loc[name, "owed, GPU-h"]) == pytest.approx(owed, rel=0.05)
        assert shown.loc[name, "of owed, in all"] == f"{100 * part:.1f} %"
    assert tables.delivery(result, "budgets").index[-1] == "all budgets"


def test_figures_are_never_bare_numbers_of_seconds_or_ratios(result):
    shown = tables.figures(result)
    assert shown.loc[("run", "measured")].item() == "2.0 h"
    assert shown.loc[("GPU time", "occupancy")].item().endswith(" %")
    assert shown.loc[("price", "work lost")].item().endswith(" GPU-h")


def test_without_contracts_there_is_nothing_under_delivered():
    made = a_run()
    made.policy = FIFO
    for part in made.slices:
        part.states = part.states[:1]
    assert "delivered" not in tables.figures(made.result()).index.get_level_values(0)


def test_a_result_says_how_many_of_its_jobs_are_measured(result):
    submitted = int((result.jobs["submit"] >= HOUR).sum())
    assert f"{submitted} jobs in 2h after {len(result.jobs) - submitted} in 1h of warm-up" in repr(result)
