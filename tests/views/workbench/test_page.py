"""The page without a browser: what is set is run, what cannot be is said, and what is kept holds all of it."""

from __future__ import annotations

import time
import zipfile
from concurrent.futures import ThreadPoolExecutor

import attrs
import pytest

from allotment.interop.scenario_file import loads
from allotment.presets import load_scenario
from allotment.presets.catalogue import preset
from allotment.units import DAY
from allotment.views.workbench.page import Workbench, from_address
from allotment.views.workbench.settings import Settings, from_link, to_link

WEEK = attrs.evolve(load_scenario("small-week"), warmup=DAY, measured=DAY)


@pytest.fixture
def page():
    made = opened(WEEK)
    until(lambda: made.results)
    yield made
    made.close()


def opened(scenario, **settings):
    """Return a page that belongs to no event loop, whatever loop another test has left in this thread."""
    with ThreadPoolExecutor(1) as alone:
        return alone.submit(Workbench, scenario, **settings).result()


def until(there, seconds=120):
    end = time.monotonic() + seconds
    while not there():
        assert time.monotonic() < end
        time.sleep(0.02)
    return there()


def policies(page):
    return [result.summary["policy"] for result in page.results]


def test_it_opens_with_two_policies_on_the_same_jobs(page):
    assert policies(page) == ["priority", "budgets"]
    first, second = page.results
    assert attrs.evolve(first.scenario, policy=second.scenario.policy) == second.scenario


def test_a_control_that_is_set_is_run_and_is_in_the_link(page):
    page._controls.second.value = "fifo"
    until(lambda: policies(page) == ["priority", "fifo"])
    assert from_link(page._link.value.removeprefix("?w=")) == page.settings == Settings(second="fifo")


def test_a_plan_that_is_dragged_changes_the_shares_and_not_the_jobs(page):
    before = page.results
    science = WEEK.plan.node("science")
    biology, climate = science.children
    moved = attrs.evolve(science, children=(attrs.evolve(biology, share="0.9"), attrs.evolve(climate, share="0.1")))
    page._on_plan(attrs.evolve(WEEK.plan, children=(WEEK.plan.children[0], moved)))
    until(lambda: page.results is not before and page.results[0].scenario.changesets)
    assert (
        page.results[0]
        .jobs["submit"][~page.results[0].jobs["closed"]]
        .equals(before[0].jobs["submit"][~before[0].jobs["closed"]])
    )
    page._on_plan(WEEK.plan)
    until(lambda: not page.results[0].scenario.changesets)
    assert page.settings.plan is None


def test_what_does_not_fit_is_said_and_the_results_stay(page):
    before = page.results
    page.settings = attrs.evolve(page.settings)
    page._controls.cluster.options = {**page._controls.cluster.options, "no such": "no such"}
    page._controls.cluster.value = "no such"
    assert page._banner.visible
    assert "there is no cluster &#x27;no such&#x27;" in page._banner.value
    assert page.results is before


def test_the_file_that_is_kept_is_the_scenario_that_was_run(page):
    page._controls.seed.value = 3
    until(lambda: page.results[0].scenario.seed == 3)
    assert loads(page._scenario_file().getvalue(), presets=preset) == page.results[1].scenario
    with zipfile.ZipFile(page._tables_file()) as files:
        assert set(files.namelist()) == {
            *(f"{title.lower().replace(' ', '-')}.csv" for title in page._board.cards),
            "scenarios.csv",
            "waits.csv",
        }
        header = files.read("waits.csv").decode().splitlines()[0]
    assert "A priority" in header
    assert "B budgets" in header


def test_a_highlight_is_in_every_picture_and_a_job_is_a_number(page):
    page._team.value = "science/climate"
    assert page._highlight.team == "science/climate"
    page._job.value = "x"
    assert "by its number, such as 17" in page._banner.value
    page._job.value = "17"
    assert page._highlight.job == 17


def test_the_baseline_stays_until_another_is_pinned_and_is_of_the_same_seed(page):
    pinned = until(lambda: page._pinned)
    page._controls.second.value = "fifo"
    until(lambda: policies(page) == ["priority", "fifo"])
    assert page._pinned is pinned
    page._on_pin()
    assert page._pinned is page.results[1]
    page._controls.seed.value = 9
    until(lambda: page.results[1].scenario.seed == 9)
    until(lambda: page._pinned.scenario.seed == 9)


def test_little_competition_is_said():
    made = opened(WEEK, settings=Settings(demand=0.2))
    until(lambda: made.results)
    until(lambda: made._banner.visible)
    assert "Little competition" in made._banner.value
    made.close()


def test_a_link_opens_what_it_says_and_one_that_is_damaged_says_so():
    link = to_link(Settings(first="fifo", days=1))
    made = from_address("small-week", link)
    assert made.settings == Settings(first="fifo", days=1)
    assert made._controls.first.value == "fifo"
    made.close()
    made = from_address("small-week", link[:-5])
    assert "cut off or changed" in made._banner.value
    assert made.settings == Settings()
    made.close()
