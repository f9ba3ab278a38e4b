"""The first notebook as somebody sees it in a browser: opened, run, loaded anew, in a narrow window."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import attrs
import pytest
from playwright.sync_api import Browser, Locator, Page, Route, expect

from allotment.views.theme import INK, PALETTE
from tests.browser.machine import PATIENCE, Lab
from tests.browser.record import CHECKED, RECORDED, tags

pytestmark = pytest.mark.slow

NOTEBOOK = "notebooks/13-a-month.ipynb"
SEEN = {"first": PALETTE[0], "second": PALETTE[1], "ink": INK}  # two of the five programmes, and outlines
FIGURES = ".jp-OutputArea-output .bk-Figure"
# What part of a figure's area is painted in each colour.
PAINTED = """(figure, colours) => {
  const canvases = [];
  const walk = (node) => {
    if (node.tagName === "CANVAS") canvases.push(node);
    for (const child of [...(node.shadowRoot ? node.shadowRoot.children : []), ...node.children]) walk(child);
  };
  walk(figure);
  const found = Object.fromEntries(Object.keys(colours).map((name) => [name, 0]));
  for (const canvas of canvases.filter((each) => each.width > 100 && each.height > 0)) {
    const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    for (let at = 0; at < pixels.length; at += 4) {
      for (const [name, colour] of Object.entries(colours)) {
        const wanted = parseInt(colour.slice(1), 16);
        if (((pixels[at] << 16) | (pixels[at + 1] << 8) | pixels[at + 2]) === wanted && pixels[at + 3] === 255) {
          found[name] += 4 / pixels.length;
        }
      }
    }
  }
  return found;
}"""


@attrs.define(eq=False, slots=False)  # Playwright notes things on what it calls
class Window:
    """A window with the notebook, and all that went wrong in it or was asked of other machines."""

    page: Page
    lab: Lab
    errors: list[str] = attrs.field(factory=list)
    foreign: list[str] = attrs.field(factory=list)

    def __attrs_post_init__(self) -> None:
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda said: self.errors.append(said.text) if self.is_error(said) else None)
        self.page.route("**/*", self.keep_in)

    @staticmethod
    def is_error(said: Any) -> bool:
        # What is refused below is counted there.
        return said.type == "error" and not said.text.startswith("Failed to load resource")

    def keep_in(self, route: Route) -> None:
        url = route.request.url
        if url.startswith((self.lab.url, "data:", "blob:")):
            route.continue_()
        else:
            self.foreign.append(url)
            route.abort()

    def open(self) -> None:
        self.page.goto(f"{self.lab.url}/lab/tree/{NOTEBOOK}")
        self.wait()

    def wait(self) -> None:
        self.page.wait_for_selector(".jp-Notebook .jp-CodeCell:visible", timeout=1000 * PATIENCE)
        self.lab.wait_until_idle(self.page.wait_for_timeout)

    def run_all(self) -> None:
        self.page.locator(".lm-MenuBar-itemLabel", has_text="Run").first.click()
        self.page.locator(".lm-Menu-itemLabel", has_text="Run All Cells").first.click()
        self.lab.wait_until_idle(self.page.wait_for_timeout)
        self.page.wait_for_selector(FIGURES, timeout=1000 * PATIENCE, state="attached")

    def figures(self) -> list[Locator]:
        """Return the charts, once both are there."""
        found = self.page.locator(FIGURES)
        expect(found).to_have_count(2, timeout=60_000)
        return found.all()

    def painted(self) -> list[dict[str, float]]:
        """Return what part of each chart is painted in each colour of the theme, once anything of it is, or it is too late."""
        return [self._painted(figure) for figure in self.figures()]

    def _painted(self, figure: Locator) -> dict[str, float]:
        figure.scroll_into_view_if_needed()
        found: dict[str, float] = {}
        for _ in range(40):
            self.page.wait_for_timeout(500)
            found = figure.evaluate(PAINTED, SEEN)
            if found["first"]:
                break
        return found


@pytest.fixture(scope="module")
def window(browser: Browser, lab: Lab) -> Iterator[Window]:
    page = browser.new_page(viewport={"width": 1366, "height": 768})
    page.set_default_timeout(60_000)
    found = Window(page, lab)
    found.open()
    yield found
    page.close()


def check_figures(window: Window, least: float = 0.05) -> None:
    bars, areas = window.painted()
    assert window.errors == []
    assert bars["first"] > 0.02
    assert bars["second"] > 0.02
    assert bars["ink"] > 0.0002
    assert areas["first"] > least
    assert areas["second"] > least
    # Scripts of the charts come with the notebook; some releases of Panel ask for style sheets that nothing here needs.
    assert [url for url in window.foreign if ".css" not in url] == []


def test_the_notebook_opens_as_it_was_saved_and_saves_as_it_is(window: Window) -> None:
    file = window.lab.folder / NOTEBOOK
    before = json.loads(file.read_text(encoding="utf-8"))
    kept = [cell for cell in before["cells"] if cell.get("outputs")]
    assert [cell for cell in kept if not tags(cell) & {RECORDED, CHECKED}] == []
    assert any(RECORDED in tags(cell) for cell in kept)
    window.page.locator(".jp-Notebook .jp-Cell:visible").first.click()
    window.page.keyboard.press("Control+s")
    window.page.wait_for_timeout(2000)
    after = json.loads(file.read_text(encoding="utf-8"))
    for notebook in (before, after):
        del notebook["metadata"]["language_info"]  # tells of the Python that ran it last
    assert after == before


def test_the_datasets_can_be_opened_from_the_notebook(window: Window) -> None:
    names = {entry["name"] for entry in window.lab.get("contents/datasets/scenarios")["content"]}
    assert "reference-month.yaml" in names


def test_every_chart_is_drawn(window: Window) -> None:
    window.run_all()
    check_figures(window)


def test_every_chart_is_drawn_again_after_the_page_was_loaded_anew(window: Window) -> None:
    window.page.on("dialog", lambda dialog: dialog.accept())
    window.page.reload()
    window.wait()
    window.run_all()
    check_figures(window)


def test_in_a_narrow_window_no_chart_is_cut_off(window: Window) -> None:
    window.page.set_viewport_size({"width": 700, "height": 768})
    window.page.wait_for_timeout(2000)
    check_figures(window, least=0.03)  # names and ticks take more of it
    for figure in window.figures():
        figure.scroll_into_view_if_needed()
        cut = 0.0
        for _ in range(40):  # a chart takes the new width when the page next has time for it
            cut = figure.evaluate(
                "figure => { const shown = figure.getBoundingClientRect();"
                " const around = document.querySelector('.jp-NotebookPanel:not(.lm-mod-hidden)').getBoundingClientRect();"
                " return shown.right - around.right; }"
            )
            if cut <= 0:
                break
            window.page.wait_for_timeout(500)
        assert cut <= 0
