"""The page without a browser: what is set is run, what cannot be is said, and what is kept holds all of it."""

from __future__ import annotations

import csv
import io
import re
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor

import attrs
import pandas as pd
import pytest
from bokeh.document import Document
from bokeh.document.models import DocumentModelManager
from panel.io.state import set_curdoc

from allotment.errors import AllotmentError
from allotment.experiment.simulate import simulate
from allotment.interop.scenario_file import loads
from allotment.model.changeset import Changeset, ShareChange
from allotment.model.plan import Plan, PlanNode
from allotment.presets import load_scenario
from allotment.presets.catalogue import preset
from allotment.presets.why import why
from allotment.units import DAY, HOUR
from allotment.views.plan_editor.draft import Accepted
from allotment.views.workbench.bar import AT_ONCE
from allotment.views.workbench.keep import csv_of
from allotment.views.workbench.page import Workbench
from allotment.views.workbench.seeds import FEWEST, MOST
from allotment.views.workbench.serve import from_address
from allotment.views.workbench.settings import Settings, Turn, from_link, to_link
from allotment.workload.mix import Turned

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
    assert from_link(page._keep.link.value.removeprefix("?w=")) == page.settings == Settings(second="fifo")


def test_a_plan_that_is_dragged_changes_the_shares_and_not_the_jobs(page):
    until(lambda: page.results[0].horizon == WEEK.horizon)  # what is shown first may be a part of the run
    before = page.results
    science = WEEK.plan.node("science")
    biology, climate = science.children
    moved = attrs.evolve(science, children=(attrs.evolve(biology, share="0.9"), attrs.evolve(climate, share="0.1")))
    page._on_plan(attrs.evolve(WEEK.plan, children=(WEEK.plan.children[0], moved)))
    until(lambda: page.results[0].scenario.changesets and page.results[0].horizon == WEEK.horizon)
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
    page._controls.cluster.options = {**page._controls.cluster.options, "no such": "no such"}
    page._controls.cluster.value = "no such"
    assert page._banner.visible
    assert "there is no cluster 'no such'" in page._banner.text
    assert page.results is before


def test_the_file_that_is_kept_is_the_scenario_that_was_run(page):
    page._controls.seed.value = 3
    until(lambda: page.results[0].scenario.seed == 3)
    assert loads(page._keep.scenario_file().getvalue(), presets=preset) == page.results[1].scenario
    with zipfile.ZipFile(page._keep.tables_file()) as files:
        assert set(files.namelist()) == {
            *(f"{title.lower().replace(' ', '-')}.csv" for title in page._board.cards),
            "scenario.csv",
            "scenarios.csv",
            "waits.csv",
            "waits-by-team.csv",
        }
        about = dict(csv.reader(io.StringIO(files.read("scenario.csv").decode())))
        assert (about["scenario"], about["policy A"], about["policy B"]) == ("small-week", "priority", "budgets")
        assert (about["seed"], about["link"]) == ("3", page._keep.link.value)
        header = files.read("waits.csv").decode().splitlines()[0]
    assert "A priority" in header
    assert "B budgets" in header


def test_what_cannot_be_kept_is_said_on_the_page_and_in_the_file():
    made = opened(WEEK, settings=Settings(second="nope"))
    for button in (made._keep._file, made._keep._csv):
        made._tell("", bad=False)
        button._clicks += 1
        assert made._banner.text
        assert button.data
    assert "there are no tables" in made._banner.text
    lines = made._keep.scenario_file().getvalue().splitlines()
    assert "there is no policy 'nope'" in lines[1]
    assert all(line.startswith("# ") for line in lines)
    made.close()


def test_the_name_of_a_kind_of_work_is_no_markup_in_the_title_of_its_card():
    kinds = [attrs.evolve(kind, name=f"<b>{kind.name}") for kind in WEEK.workload[0].kinds]
    made = opened(attrs.evolve(WEEK, workload=(attrs.evolve(WEEK.workload[0], kinds=kinds),), people=()), run=False)
    shown = [card.title for card in made._controls.kinds._panels.values()] or made._controls.kinds._names
    assert shown
    assert all(title.startswith("&lt;b&gt;") for title in shown)
    made.close()


NAMES = (
    "=1+1",
    "+cmd|' x'!A0",
    "-2+3",
    "@SUM(A1)",
    "+A1",
    '=HYPERLINK("http:x","y")',
    'a, "b"',
    "\uff1d1",
    "e\u0301",
    "\u00e9",
    "# c",
)
NAMES += (
    "null",
    "~",
    "1e5",
    "NaN",
    "yes",
    "- x",
    "{a: b}",
    "*x",
    "<img src=x onerror=alert(1)>",
    "Language",
    "language",
)


def test_names_that_mean_something_elsewhere_stay_names_in_all_files_that_are_kept():
    """A name is no formula to a spreadsheet, and nothing but a text in a scenario file."""
    children = [PlanNode(id=f"t{place}", name=name, share=f"1/{len(NAMES)}") for place, name in enumerate(NAMES)]
    streams = tuple(attrs.evolve(stream, leaves=()) for stream in WEEK.workload)
    made = opened(attrs.evolve(WEEK, name="=x", plan=Plan(name="@y", children=children), workload=streams, people=()))
    until(lambda: made._course.latest and made._course.latest.state == "finished" and made.results)
    assert loads(made._keep.scenario_file().getvalue(), presets=preset) == made._course.scenarios()[1]
    with zipfile.ZipFile(made._keep.tables_file()) as files:
        text = {name: files.read(name).decode() for name in files.namelist()}
    made.close()
    cells = {cell for each in text.values() for row in csv.reader(io.StringIO(each, newline="")) for cell in row}
    found = {
        cell
        for cell in cells
        if cell[:1] in {*"=+-@\t\r\uff1d"} and not re.fullmatch(r"[+-]?\d[\d.e-]*( [\w%]+)*|-", cell)
    }
    assert found == set()
    for name in NAMES[:8]:
        quoted = name if name == NAMES[6] else f"'{name}"
        assert any(cell.startswith(quoted) for cell in cells), name


@pytest.mark.parametrize(
    "cell", ["-0.5", "-1e-05", "-inf", "-", "+2.1 %", "+4 min 54 s", "-3 points", "\u22125.0 %", "7"]
)
def test_a_figure_is_kept_as_it_is_with_its_sign(cell):
    assert csv_of(pd.DataFrame({"x": [cell]}, index=["y"])).splitlines()[1] == f"y,{cell}"


def test_a_number_with_thousands_is_kept_as_a_number_and_other_commas_stay():
    table = pd.DataFrame({"x": ["1,423", "+12,345.6", "1,42", "a, b", "1,000 GPU-h"]}, index=list("abcde"))
    assert [row[1] for row in csv.reader(io.StringIO(csv_of(table)))][1:] == [
        *("1423", "+12345.6", "1,42", "a, b", "1,000 GPU-h"),
    ]


def test_a_highlight_is_in_every_picture_and_a_job_is_a_number(page):
    teams = list(page._look.team.options)[1:]
    assert teams == sorted(teams)
    page._look.team.value = "science/climate"
    assert page._look.highlight.team == "science/climate"
    page._look.job.value = "x"
    assert "by its number, such as 17" in page._banner.text
    page._look.job.value = "17"
    assert page._look.highlight.job == 17


def test_the_baseline_stays_until_another_is_pinned_and_is_of_the_same_seed(page):
    pinned = until(lambda: page._against.run)
    page._controls.second.value = "fifo"
    until(lambda: policies(page) == ["priority", "fifo"])
    assert page._against.run is pinned
    page._on_pin()
    assert page._against.run is page.results[1]
    page._controls.seed.value = 9
    until(lambda: page.results[1].scenario.seed == 9)
    until(lambda: page._against.run.scenario.seed == 9)


def test_the_baseline_that_nobody_pinned_is_all_of_the_run_and_not_its_beginning(page):
    paused(page, 30)
    until(lambda: page.results[-1].horizon == 30 * HOUR)
    page._against.run, page._against.by_hand = page.results[-1], False  # as if the page had been opened with it
    finished(page)
    until(lambda: page._against.run.horizon == WEEK.horizon)
    assert page._against.run is page.results[-1]


def test_a_run_that_was_pinned_stays_as_it_was_then(page):
    paused(page, 30)
    until(lambda: page.results[-1].horizon == 30 * HOUR)
    page._on_pin()
    pinned = page._against.run
    finished(page)
    assert page._against.run is pinned


def link(page):
    return page._keep.link.value.removeprefix("?w=")


@pytest.mark.parametrize("hours", [30, None])
def test_a_link_brings_back_the_baseline_that_was_pinned_with_its_shares_and_policy_and_how_far_it_went(page, hours):
    page._on_plan(dragged(WEEK.plan))
    page._controls.second.value = "quota"
    if hours:
        paused(page, hours)
    else:
        until(lambda: page._course.latest.state == "finished")
    until(lambda: page.results[1].horizon == (hours or 48) * HOUR and policies(page)[1] == "quota")
    page._on_pin()
    page._on_plan(WEEK.plan)
    page._controls.second.value = "budgets"
    until(lambda: policies(page)[1] == "budgets" and page.results[0].horizon == WEEK.horizon)
    pinned = page._against.run
    again = opened(WEEK, settings=from_link(link(page)))
    found = until(lambda: again._against.run)
    assert found.scenario == pinned.scenario
    assert found.slices.equals(pinned.slices)
    until(lambda: again.results and again.results[0].horizon == WEEK.horizon and not again._course.goes_on)
    until(lambda: "policy quota, shares as dragged (science/biology 90.0 %" in again._against.said.text)
    until(lambda: page._against.said.text == again._against.said.text)
    until(lambda: page._teams.said.text == again._teams.said.text)
    assert link(again) == link(page)
    again.close()


def test_a_pinned_baseline_that_does_not_fit_is_said_and_the_page_opens_without_it():
    made = opened(WEEK, settings=Settings(seed=4, pinned=Settings(second="nope")))
    assert "what is pinned as the baseline cannot be run" in made._banner.text
    assert "there is no policy 'nope'" in made._banner.text
    until(lambda: made.results and made._against.run)
    assert made.settings == Settings(seed=4)
    made.close()


def test_what_is_pinned_is_said_at_once_and_is_run_again_on_another_seed(page):
    until(
        lambda: "B as the page was opened): policy budgets, shares as the scenario has them" in page._against.said.text
    )
    until(lambda: page._course.latest.state == "finished" and page.results[0].horizon == WEEK.horizon)
    page._on_pin()
    assert "Baseline (pinned): policy budgets" in page._against.said.text
    page._controls.second.value = "fifo"
    page._controls.seed.value = 9
    until(lambda: page._against.run.scenario.seed == 9)
    assert page._against.run.scenario.policy.name == "budgets"
    until(
        lambda: "Baseline (pinned): policy budgets, shares as the scenario has them, seed 9" in page._against.said.text
    )


def test_after_reset_nothing_is_compared_with_runs_that_have_not_begun_nor_pinned(page):
    until(lambda: page._against.run and page._against.run.horizon == WEEK.horizon)
    page._on_plan(dragged(WEEK.plan))
    until(lambda: page._teams.said.text.startswith("Against the baseline"))
    before = page._against.run
    page._on_reset()
    until(lambda: page.results[0].horizon == 0)
    until(lambda: "These runs have not begun, so nothing is compared" in page._against.said.text)
    until(lambda: "This run has not begun" in page._teams.said.text)
    until(lambda: "(was" not in page._teams.table.text)
    assert not page._board.cards["Scenarios"].view.visible
    page._on_pin()
    assert "nothing to pin: press Run or Step first" in page._banner.text
    assert page._against.run is before
    assert page.settings.pinned is None


def test_when_a_budget_is_dragged_the_page_says_who_waits_longer_and_not_only_what(page):
    until(lambda: page._against.run and page._against.run.horizon == WEEK.horizon)
    assert "Drag a budget" in page._teams.said.text
    assert "* Submitted when another job" in page._starred.text
    page._on_plan(dragged(WEEK.plan))
    until(lambda: page._teams.said.text.startswith("Against the baseline"))
    until(lambda: "(was" in page._teams.table.text)
    assert "language/pretraining" in page._teams.table.text


def test_the_words_that_only_we_use_are_explained_on_the_page(page):
    for word in ("slice", "interruptible", "standing", "open"):
        assert f"{word}\t" in page._terms.text


def test_little_competition_is_said():
    made = opened(WEEK, settings=Settings(demand=0.2))
    until(lambda: made.results)
    until(lambda: made._banner.visible)
    assert "Little competition" in made._banner.text
    made.close()


def test_a_link_opens_what_it_says_and_one_that_is_damaged_says_so():
    link = to_link(Settings(first="fifo", days=1))
    made = from_address("small-week", link)
    assert made.settings == Settings(first="fifo", days=1)
    assert made._controls.first.value == "fifo"
    made.close()
    made = from_address("small-week", link[:-5])
    assert "cut off or changed" in made._banner.text
    assert made.settings == Settings()
    made.close()


def test_what_a_link_sets_is_shown_and_run_even_past_the_ends_of_the_sliders():
    said = Settings(demand=50, days=200, mix=(Turned(kind="training", rate=9.0),))
    made = from_address("small-week", to_link(said))
    assert made.settings == said
    controls = made._controls
    for slider, value in ((controls.demand, 50), (controls.days, 200), (controls.mix["training"].rate, 9)):
        assert (slider.value, slider.end) == (value, value)
    made.close()


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"scenario": None}, "a preset is loaded by its name and a file by its path, not by None"),
        ({"scenario": {"name": "x"}}, "not by {'name': 'x'}"),
        ({"scenario": b"small-week"}, "not by b'small-week'"),
        ({"scenario": "small-weak"}, "there is no scenario 'small-weak'; did you mean 'small-week'?"),
        ({"scenario": "./none.yaml"}, "there is no such file"),
        ({"scenario": "/dev/zero"}, "the file has more than 16,000,000 bytes"),
        ({"scenario": "small-week", "settings": {"seed": 1}}, "settings must be Settings, not {'seed': 1}"),
    ],
)
def test_what_no_workbench_can_be_made_of_is_told_in_one_sentence(given, problem):
    with pytest.raises(AllotmentError) as caught:
        Workbench(**given)
    assert problem in str(caught.value)


def test_a_link_that_changes_work_which_is_not_there_says_so_and_opens_the_usual_page():
    made = from_address("small-week", to_link(Settings(seed=4, mix=(Turned(kind="sleep", rate=2),))))
    assert "there is no kind of work 'sleep' to change; there are debug, training, batch" in made._banner.text
    assert made.settings == Settings()
    made.close()


@pytest.mark.parametrize("value", [-1, 1e308, float("nan"), float("inf")])
def test_what_no_control_offers_is_said_and_nothing_changes(page, value):
    before = page.settings
    controls = page._controls
    for widget in (controls.demand, controls.mix["training"].rate, controls.mix["batch"].resumable):
        widget._process_events({"value": value, "value_throttled": value})
        assert "must be" in page._banner.text
        assert page.settings == before
        assert 0 <= widget.value <= 5


def paused(page, hours):
    """Let the runs stand still after so many hours."""
    page._on_reset()
    until(lambda: page._course.goes_on)
    page._course.play.step(hours * HOUR)
    until(lambda: page._course.latest.now == hours * HOUR)


def finished(page):
    page._on_start()
    until(lambda: page._course.latest.state == "finished" and page.results[0].horizon == WEEK.horizon)


def dragged(plan):
    science = plan.node("science")
    biology, climate = science.children
    moved = attrs.evolve(science, children=(attrs.evolve(biology, share="0.9"), attrs.evolve(climate, share="0.1")))
    return attrs.evolve(plan, children=(plan.children[0], moved))


def test_shares_and_a_policy_that_count_from_a_moment_are_kept_by_the_link_and_give_the_same_run(page):
    page._bar._edits.value = AT_ONCE
    paused(page, 30)
    page._on_plan(dragged(WEEK.plan))
    page._controls.second.value = "fifo"
    until(lambda: page.settings.turns)
    assert [(edit.time, len(edit.shares)) for edit in page.settings.edits] == [(30 * HOUR, 2)]
    assert page.settings.turns == (Turn(run="B", time=30 * HOUR, policy="fifo"),)
    assert (page.settings.plan, page.settings.second) == (None, "budgets")
    until(lambda: "fifo took over B on day 1 06:00" in page._bar._kept.text)
    finished(page)
    again = opened(WEEK, settings=from_link(page._keep.link.value.removeprefix("?w=")))
    until(lambda: again.results and again._course.latest.state == "finished")
    assert again._controls.second.value == "fifo"
    for mine, theirs in zip(page.results, again.results, strict=True):
        assert mine.scenario == theirs.scenario
        assert mine.slices.equals(theirs.slices)
    again._on_forget()
    until(lambda: again.results[1].scenario.policy.name == "fifo")
    assert (again.settings.edits, again.settings.turns) == ((), ())
    assert again.settings.plan == dragged(WEEK.plan)
    assert not again._bar.kept.visible
    again.close()


def test_without_that_a_run_that_goes_on_begins_anew(page):
    paused(page, 30)
    page._on_plan(dragged(WEEK.plan))
    until(lambda: page._course.latest.state == "finished" and page.results[0].scenario.changesets)
    assert page.settings.edits == ()
    assert page.settings.plan == dragged(WEEK.plan)


def test_shares_that_do_not_fit_what_is_still_to_come_are_refused_and_what_is_shown_goes_back():
    later = Changeset(
        time=40 * HOUR, shares=(ShareChange(id="climate", share="0.8"), ShareChange(id="biology", share="0.2"))
    )
    made = opened(attrs.evolve(WEEK, changesets=(later,)))
    made._bar._edits.value = AT_ONCE
    paused(made, 30)
    science = attrs.evolve(WEEK.plan.node("science"), share="0.1")
    language = attrs.evolve(WEEK.plan.node("language"), share="0.8")
    made._editor.show_plan(attrs.evolve(WEEK.plan, children=(language, science)))
    made._on_plan(made._editor.plan)
    until(lambda: made._course.latest.edits)  # these fit
    biology, climate = made._course.plan.node("science").children
    alone = attrs.evolve(science, children=(attrs.evolve(biology, share="0"), attrs.evolve(climate, share="0.1")))
    there = made._course.plan
    made._editor.show_plan(attrs.evolve(there, children=(language, alone)))
    made._course.play.edit([ShareChange(id="climate", share="0.3", old="0.99")], author="x", reason="y")
    until(lambda: made._banner.visible)
    assert "climate" in made._banner.text
    assert made._editor.plan == there
    made.close()


def test_who_signs_for_the_plan_stands_in_the_file(page):
    page._on_plan(dragged(WEEK.plan))
    page._on_signed(Accepted(author="Ann", reason="a deadline", plan=dragged(WEEK.plan)))
    first = loads(page._keep.scenario_file().read(), presets=preset).changesets[0]
    assert (first.author, first.reason) == ("Ann", "a deadline")


def test_the_plan_is_shown_in_gpus_of_the_cluster_that_is_set(page):
    page._controls.cluster.value = "b300-256"
    assert page._editor._editing.draft.gpus == 256


def test_several_seeds_are_compared_seed_by_seed_and_forgotten_with_other_settings(page):
    page._seeds.many.value = 2
    page._seeds.begin()
    until(lambda: "finished, 2 of 2" in page._seeds._words.text)
    assert "all 2 agree on the sign of a difference happens once in 2 times" in page._seeds._words.text
    seeds = [[run.seed for run in of] for of in page._seeds._found.runs]
    assert seeds == [[0, 1], [0, 1]]
    assert page._seeds._found.runs[1][0].summary == simulate(WEEK).summary
    assert "budgets" in page._seeds.card.picture.summary
    page._controls.second.value = "fifo"
    assert not page._seeds.card.view.visible
    assert page._seeds._found is None


def test_two_splits_are_compared_over_several_seeds_where_one_is_the_baseline(page):
    until(lambda: page._against.run and page._against.run.horizon == WEEK.horizon)
    page._on_plan(dragged(WEEK.plan))
    until(lambda: page._teams.said.text.startswith("Against the baseline"))
    page._seeds.many.value = 2
    page._seeds.begin()
    until(lambda: "finished, 2 of 2" in page._seeds._words.text)
    split, _, other = page._seeds._found.runs
    assert page._seeds.card.picture.title == "Scenarios against the baseline"
    assert split[0].summary == simulate(WEEK).summary
    assert other[0].summary == page.results[1].summary != split[0].summary


def test_a_baseline_with_other_jobs_is_not_run_with_the_same_ones(page):
    until(lambda: page._against.run and page._against.run.horizon == WEEK.horizon)
    page._against.run, page._against.by_hand = simulate(attrs.evolve(WEEK, measured=2 * DAY)), True
    page._seeds.many.value = 2
    page._seeds.begin()
    until(lambda: "finished, 2 of 2" in page._seeds._words.text)
    assert page._seeds._names == ("A priority", "B budgets")


def test_seeds_that_are_cancelled_keep_what_is_done(page):
    page._seeds.many.value = 30
    page._seeds.begin()
    until(lambda: page._seeds._found is not None and page._seeds._found.done)
    page._seeds._repeats.cancel()
    until(lambda: page._seeds._found.state == "cancelled")
    assert 0 < page._seeds._found.done < 30


def test_what_is_clicked_on_is_looked_at_and_a_second_click_ends_that(page):
    until(lambda: page.results and page.results[0].horizon == WEEK.horizon)  # before, there may be no job 17
    until(lambda: "science/climate" in page._look.team.options)  # and no team to look at
    look = page._look
    for _ in range(2):
        look.pick("team", "science/climate")
        look.pick("job", 17)
    assert (look.highlight.team, look.highlight.job, look.highlight.time) == (None, None, None)
    look.pick("job", 17)
    look.pick("time", 10 * HOUR)
    assert (look.job.value, look.highlight.job, look.highlight.time) == ("17", 17, 10 * HOUR)
    look.pick("team", "no such team")
    assert look.highlight.team is None


@pytest.mark.parametrize("text", ["9" * 5000, "<b>", "\u00b2", "-1", "x" * 10_000])
def test_a_job_that_can_be_none_is_said_in_few_words(page, text):
    page._look.job.value = text
    assert "by its number, such as 17, not " in page._banner.text
    assert len(page._banner.text) < 200
    assert page._look.highlight.job is None


def test_a_moment_and_a_number_of_seeds_stay_within_what_there_is(page):
    page._look.time._process_events({"value": -5, "value_throttled": -5})
    assert page._look.highlight.time == 0
    begun = []
    page._seeds._repeats.begin = lambda _scenarios, seeds: begun.append(len(seeds))
    for many in (10**9, -1):
        page._seeds.many._process_events({"value": many})
        page._seeds.begin()
    assert begun == [MOST, FEWEST]


def test_a_job_that_is_not_there_is_said(page):
    page._look.job.value = "99999999"
    assert "there is no job 99999999" in page._banner.text
    assert page._look.highlight.job is None


def test_a_job_that_is_looked_at_is_explained_under_both_policies(page):
    until(lambda: page._course.latest.state == "finished")
    first, second = page.results
    job = int(set(first.jobs["job"]).intersection(second.jobs["job"][second.jobs["wait"] > HOUR]).pop())
    page._look.pick("job", job)
    sides = page._why._sides
    until(lambda: page._why.view.visible and "Looking" not in page._why._state.text)
    for side, result in zip(sides, page.results, strict=True):
        found = why(result, job, what_if=False)
        assert found.why.sentence in side.short.text
        assert result.summary["policy"] in side.name.text
    page._why._begin(what_if=True)
    until(lambda: page._why._state.text.startswith("Each change"))
    assert "minimum runtime" in sides[1].tables[0][1].text + sides[1].tables[1][1].text
    page._look.no_job()
    assert not page._why.view.visible


def test_a_job_that_one_run_has_not_is_said(page):
    until(lambda: page._course.latest.state == "finished")
    first, second = (set(result.jobs["job"]) for result in page.results)
    alone = int(min(second - first))
    page._look.pick("job", alone)
    until(lambda: "nobody had submitted it" in page._why._sides[0].short.text)
    until(lambda: page._why._sides[0].view.css_classes == ["side", "without"])  # the other has the full width
    until(lambda: "Why it w" in page._why._sides[1].short.text or "at once" in page._why._sides[1].said.text)


def test_a_moment_at_which_it_ran_is_explained_and_one_at_which_it_was_not_there_is_said(page):
    until(lambda: page._course.latest.state == "finished")
    first, second = page.results
    jobs = second.jobs[(second.jobs["wait"] > HOUR) & second.jobs["job"].isin(first.jobs["job"])]
    row = jobs[(jobs["slices"] == 1).to_numpy() & (jobs["state"] == "finished").to_numpy()].iloc[0]
    page._look.pick("job", int(row["job"]))
    page._look.pick("time", int(row["first_start"]))
    side = page._why._sides[1]
    until(lambda: "What it did at" in side.short.text)
    assert "It did not wait: it ran on" in side.short.text
    page._why._begin(what_if=True)
    until(lambda: page._why._state.text.startswith("Each change"))
    assert "from its submission on" in side.tables[0][1].text + side.tables[1][1].text
    assert "its GPUs and its contract were given by then" in side.remarks.text
    page._look.pick("time", int(row["submit"]) - 1)
    until(lambda: "it neither waited nor ran. This is about day" in side.said.text)


def test_what_changes_on_a_page_is_sent_without_going_through_all_of_it(page, monkeypatch):
    until(lambda: all(card.picture is not None for card in page._board.cards.values()))
    document, gone_through = Document(), []
    document.add_root(page.__panel__().get_root(document))
    monkeypatch.setattr(DocumentModelManager, "recompute", lambda _self: gone_through.append(1))
    with set_curdoc(document):
        page._at_once(page._show_results)
    assert gone_through == []
