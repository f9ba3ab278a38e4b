"""The workbench as somebody uses it, in JupyterLab and on its own server: drag, run, pause, cancel, come back by a link."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Iterator
from pathlib import Path

import attrs
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from allotment.interop.scenario_file import save
from allotment.presets import load_scenario
from tests.browser.hosts import AXE, Watched
from tests.browser.machine import PATIENCE, Lab, lab_in
from tests.visitors import serving

pytestmark = pytest.mark.slow
expect.set_options(timeout=30_000)
SLOW = 1000 * PATIENCE
SCRIPT = "<img src=x onerror=alert(1)>"


@contextlib.contextmanager
def served(folder: Path, scenario: str) -> Iterator[str]:
    """Serve the workbench as `allotment serve` does, and return its address."""
    with serving(folder, scenario) as server:
        yield server.url


@pytest.fixture(scope="module")
def scenario(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A week in which a team has a name that would be a script, if it were not text."""
    week = load_scenario("small-week")
    language, science = week.plan.children
    climate = attrs.evolve(science.children[1], name=SCRIPT)
    plan = attrs.evolve(week.plan, children=(language, attrs.evolve(science, children=(science.children[0], climate))))
    path = tmp_path_factory.mktemp("scenario") / "named.yaml"
    save(attrs.evolve(week, plan=plan, title=f"A week {SCRIPT}"), path)
    return path


@pytest.fixture(scope="module")
def address(scenario: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with served(tmp_path_factory.mktemp("served"), str(scenario)) as url:
        yield url


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Watched]:
    page = browser.new_page(viewport={"width": 1500, "height": 1000}, reduced_motion="reduce")
    watched = Watched(page, address, lambda _page: None)
    page.goto(f"{address}/workbench")
    finished(page)
    yield watched
    page.close()
    assert watched.errors == []
    assert watched.foreign == []
    assert watched.dialogs == []


def state(page: Page) -> Locator:
    return page.get_by_role("status").filter(has_text=re.compile("running|paused|finished|cancelled|cannot"))


def finished(page: Page) -> None:
    expect(state(page)).to_contain_text("finished", timeout=SLOW)


def waits(page: Page) -> list[str]:
    """Return the waits of debug work under A and B, as the table shows them."""
    return (
        page.locator("tr", has=page.locator("th", has_text=re.compile("^debug"))).first.locator("td").all_inner_texts()
    )


def changed(page: Page, before: list[str]) -> list[str]:
    until = time.monotonic() + PATIENCE
    while (now := waits(page)) == before:
        assert time.monotonic() < until, f"still {before}"
        page.wait_for_timeout(50)
    return now


def drag(page: Page, name: str, down: int) -> None:
    handle = page.get_by_role("separator", name=name, exact=True)
    handle.scroll_into_view_if_needed()
    box = handle.bounding_box()
    for _ in range(100):  # what is above it may still be laid out
        page.wait_for_timeout(300)
        before, box = box, handle.bounding_box()
        if box == before:
            break
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y + down / 2)
    page.mouse.move(x, y + down)
    page.mouse.up()


def test_who_drags_a_budget_sees_who_waits_longer(page):
    before = waits(page.page)
    drag(page.page, "Divider between language and science", -120)
    assert changed(page.page, before) != before
    finished(page.page)


def test_the_same_by_keyboard_alone(page):
    before = waits(page.page)
    handle = page.page.get_by_role("separator", name="Divider between language and science", exact=True)
    handle.focus()
    for _ in range(3):
        page.page.keyboard.press("Shift+ArrowUp")
    assert changed(page.page, before) != before


def test_names_are_text_everywhere(page):
    expect(page.page.get_by_role("heading", name=SCRIPT)).to_be_visible()
    expect(page.page.get_by_text(SCRIPT).first).to_be_visible()
    assert page.page.locator("img[src=x]").count() == 0
    finished(page.page)
    expect(page.page.get_by_role("button", name="As a table").nth(4)).to_be_visible(timeout=SLOW)
    for toggle in page.page.get_by_role("button", name="As a table").all():
        toggle.click()
    expect(page.page.locator("table.figures").nth(2)).to_be_visible()
    assert page.page.locator("img[src=x]").count() == 0


def test_a_run_that_is_watched_can_be_paused_stepped_gone_on_with_and_cancelled(page):
    shown = page.page
    shown.get_by_label("Speed").select_option("6 h a second")
    shown.get_by_role("button", name="Run", exact=True).click()
    expect(state(shown)).to_contain_text("running")
    shown.get_by_role("button", name="Pause").click()
    expect(state(shown)).to_contain_text("paused")
    at = state(shown).inner_text()
    shown.wait_for_timeout(700)
    assert state(shown).inner_text() == at
    shown.get_by_role("button", name="Step 1 h").click()
    expect(state(shown)).not_to_have_text(at)
    shown.get_by_role("button", name="Go on").click()
    expect(state(shown)).to_contain_text("running")
    shown.get_by_role("button", name="Cancel").click()
    expect(state(shown)).to_contain_text("cancelled")
    shown.get_by_label("Speed").select_option("all at once")
    shown.get_by_role("button", name="Run", exact=True).click()
    finished(shown)


def test_a_link_brings_back_what_was_set(page, address, browser):
    shown = page.page
    before = waits(shown)
    shown.get_by_label("Policy A (dashed)").select_option("fifo")
    there = changed(shown, before)
    link = shown.get_by_label("Link to this").input_value()
    other = browser.new_page()
    other.goto(f"{address}/workbench{link}")
    finished(other)
    assert waits(other) == there
    expect(other.get_by_label("Policy A (dashed)")).to_have_value("fifo")
    other.goto(f"{address}/workbench{link[:-3]}")
    expect(other.get_by_role("alert")).to_contain_text("cut off or changed", timeout=SLOW)
    other.close()


def test_what_cannot_be_is_said_and_what_was_there_stays(page):
    shown = page.page
    before = waits(shown)
    job = shown.get_by_label("Highlight a job")
    job.fill("seventeen")
    job.press("Enter")
    expect(shown.get_by_role("alert")).to_contain_text("by its number, such as 17, not 'seventeen'")
    assert waits(shown) == before


def click(page: Page, layer: str) -> None:
    """Click into the middle of a mark of a layer that is drawn."""
    at = page.wait_for_function(
        """(layer) => {
          const all = [];
          for (let next = [...Bokeh.index.roots]; next.length; ) {
            const view = next.pop();
            all.push(view);
            next.push(...(view.child_views ?? []));
          }
          for (const figure of all.filter((view) => view.model?.type === "Figure")) {
            const renderer = figure.model.renderers.find((each) => each.name === layer);
            if (!renderer) continue;
            const {left, right, bottom, top} = Object.fromEntries(
              ["left", "right", "bottom", "top"].map((name) => [name, [...renderer.data_source.get(name)]]));
            const wide = left.map((from, at) => right[at] - from);
            const at = wide.indexOf(Math.max(...wide));
            const {x_scale, y_scale} = figure.frame;
            figure.canvas_view.el.scrollIntoView({block: "center"});
            const box = figure.canvas_view.el.getBoundingClientRect();
            const [low, high] = [Math.max(left[at], figure.model.x_range.start), Math.min(right[at], figure.model.x_range.end)];
            return [box.x + x_scale.compute((low + high) / 2), box.y + y_scale.compute((bottom[at] + top[at]) / 2)];
          }
        }""",
        arg=layer,
        timeout=SLOW,
    ).json_value()
    page.mouse.click(*at)


def test_a_click_on_a_mark_looks_at_it_in_every_picture(page):
    shown = page.page
    click(shown, "owed")
    expect(shown.get_by_label("Highlight a team")).not_to_have_value("nobody")
    click(shown, "protected")
    expect(shown.get_by_label("Highlight a job")).not_to_have_value("")
    expect(shown.get_by_text("Next chance").or_(shown.get_by_text("for the next pass")).first).to_be_visible()
    shown.get_by_role("button", name="What would have changed it?").click()
    expect(shown.get_by_text("A busy cluster answers to every small change")).to_be_visible(timeout=SLOW)
    assert shown.locator("img[src=x]").count() == 0
    shown.get_by_role("button", name="Close").click()
    expect(shown.get_by_label("Highlight a job")).to_have_value("")
    expect(shown.get_by_role("button", name="Close")).to_be_hidden()


def test_who_clicks_a_bar_reads_the_cause_and_the_cheapest_remedy_without_scrolling(page):
    shown = page.page
    shown.set_viewport_size({"width": 1366, "height": 768})
    click(shown, "protected")
    cause, remedy = (shown.locator("dt", has_text=re.compile(name)).last for name in ("^Why it w", "^Cheapest remedy$"))
    expect(cause).to_be_in_viewport()
    expect(remedy.locator("+ dd")).to_contain_text("Not looked for yet")
    shown.get_by_role("button", name="What would have changed it?").click()
    expect(shown.get_by_text("Each change has been tried.")).to_be_visible(timeout=SLOW)
    for said in (cause, remedy):
        expect(said).to_be_in_viewport()
        expect(said.locator("+ dd")).to_be_in_viewport()
    expect(remedy.locator("+ dd")).to_contain_text(re.compile("Price: |None for its user"))
    shown.get_by_role("button", name="Close").click()


def test_who_asks_the_system_for_less_motion_gets_it(page):
    expect(page.page.get_by_role("button", name="Less motion", pressed=True)).to_be_visible()


def test_several_seeds_say_what_is_more_than_chance(page):
    shown = page.page
    shown.get_by_role("button", name="Run over several seeds").click()
    expect(shown.get_by_text("finished, 10 of 10 done")).to_be_visible(timeout=SLOW)
    expect(shown.get_by_text("agree on the sign: ")).to_be_visible()


def test_a_server_that_is_gone_is_said_with_the_way_back(browser, tmp_path):
    with served(tmp_path, "small-week") as address:
        page = browser.new_page()
        page.goto(f"{address}/workbench")
        finished(page)
    expect(page.get_by_role("alert").filter(has_text="connection to the server is lost")).to_be_visible(timeout=SLOW)
    assert "?w=" in str(page.get_by_role("link", name="Load the page again").get_attribute("href"))
    page.close()


def test_two_visitors_have_a_state_of_their_own(page, address, browser):
    before = waits(page.page)
    other = browser.new_page()
    other.goto(f"{address}/workbench")
    finished(other)
    other.get_by_label("Policy B (solid)").select_option("fifo")
    changed(other, before)
    assert waits(page.page) == before
    other.close()


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed: npm ci --prefix widgets")
def test_axe_finds_no_serious_fault(page):
    page.page.wait_for_timeout(1500)  # handles of sliders that were just made are named within a second
    page.page.add_script_tag(path=str(AXE))
    found = page.page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")
    serious = [
        (fault["id"], [node["target"] for node in fault["nodes"]][:3])
        for fault in found["violations"]
        if fault["impact"] in ("serious", "critical")
    ]
    assert serious == []


@pytest.mark.parametrize("width", [400, 768, 1280])
def test_nothing_is_cut_off_on_a_narrow_page(page, width):
    page.page.set_viewport_size({"width": width, "height": 900})
    page.page.wait_for_timeout(500)
    assert page.page.evaluate("document.documentElement.scrollWidth") <= width + 1


@pytest.fixture
def own_lab(tmp_path: Path) -> Iterator[Lab]:
    """JupyterLab for one test: its kernel goes on with the runs of the page, which others would wait for."""
    with lab_in(tmp_path) as started:
        yield started


def test_in_a_notebook_the_last_line_of_a_cell_shows_it_and_reads_what_was_done(browser: Browser, own_lab: Lab):
    lab = own_lab
    page = browser.new_page(viewport={"width": 1600, "height": 1200}, reduced_motion="reduce")
    watched = Watched(page, lab.url, lambda _page: None)
    page.goto(f"{lab.url}/lab/tree/notebooks/00-start.ipynb")
    page.wait_for_selector(".jp-Notebook .jp-CodeCell:visible", timeout=SLOW)
    lab.wait_until_idle(page.wait_for_timeout)
    page.locator(".lm-MenuBar-itemLabel", has_text="Run").first.click()
    page.locator(
        ".lm-Menu-itemLabel", has_text="Run All Cells"
    ).first.click()  # the workbench goes on while others are shown
    finished(page)
    before = waits(page)
    drag(page, "Divider between language and science", -100)
    changed(page, before)
    finished(page)
    lab.wait_until_idle(page.wait_for_timeout)
    page.wait_for_timeout(2000)  # the pictures follow the table
    click(page, "protected")
    expect(page.get_by_label("Highlight a job")).not_to_have_value("")
    click(page, "owed")
    expect(page.get_by_label("Highlight a team")).not_to_have_value("nobody")
    assert watched.errors == []
    assert watched.foreign == []
    page.close()
