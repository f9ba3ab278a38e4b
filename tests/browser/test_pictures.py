"""Every picture in a browser: painted, quiet, and with names that are code shown as text."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.machine import CHECKOUT, PATIENCE
from tests.browser.pictures_page import EVIL, PICTURES

pytestmark = pytest.mark.slow

# All text and all pictures of a page, in the shadow roots too.
FOUND = """() => {
  const found = { images: 0, text: "" };
  const walk = (node) => {
    if (node.tagName === "IMG") found.images += 1;
    if (node.nodeType === Node.TEXT_NODE) found.text += node.textContent;
    for (const child of [...(node.shadowRoot ? node.shadowRoot.childNodes : []), ...node.childNodes]) walk(child);
  };
  walk(document.body);
  return found;
}"""


@pytest.fixture(scope="module")
def page(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Page:
    file: Path = tmp_path_factory.mktemp("pictures") / "page.html"
    subprocess.run([sys.executable, "-m", "tests.browser.pictures_page", str(file)], cwd=CHECKOUT, check=True)
    shown = browser.new_page(viewport={"width": 620, "height": 700})
    shown.on("dialog", lambda dialog: (shown.evaluate("() => { window.opened = true; }"), dialog.dismiss()))
    shown.goto(file.as_uri())
    expect(shown.locator(".bk-Figure")).to_have_count(PICTURES, timeout=1000 * PATIENCE)
    shown.wait_for_timeout(2000)  # painted, too
    return shown


def test_names_are_text_wherever_they_stand(page: Page) -> None:
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    read = ""
    for figure in page.locator(".bk-Figure").all():
        figure.scroll_into_view_if_needed()
        around = figure.bounding_box()
        assert around is not None
        for across in (0.4, 0.5, 0.6):
            for down in (0.25, 0.4, 0.55):
                page.mouse.move(around["x"] + across * around["width"], around["y"] + down * around["height"])
                page.wait_for_timeout(80)
                found = page.evaluate(FOUND)
                read += found["text"]
                assert found["images"] == 0
    assert EVIL in read  # some hover told it
    assert errors == []
    assert not page.evaluate("() => window.opened === true")
    # What looks like a formula was not set as one, for which a library would be fetched.
    sources = page.evaluate("() => [...document.querySelectorAll('script[src]')].map((each) => each.src)")
    assert [source for source in sources if "mathjax" in source.lower()] == []


def test_every_picture_says_what_it_shows(page: Page) -> None:
    figures = page.locator(".bk-Figure")
    assert figures.count() == PICTURES
    for figure in figures.all():
        assert figure.get_attribute("role") == "img"
        assert figure.get_attribute("aria-label")


@pytest.mark.parametrize("width", [380, 620, 1200])
def test_every_picture_is_as_wide_as_there_is_room(page: Page, width: int) -> None:
    page.mouse.move(1, 1)  # off the pictures, so that nothing is told
    page.set_viewport_size({"width": width, "height": 700})
    page.wait_for_timeout(1000)
    for figure in page.locator(".bk-Figure").all():
        box = figure.bounding_box()
        assert box is not None
        assert width - 40 <= box["width"] <= width
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width
