"""What is printed and handed out at a workshop is one page, and says nothing that a narrow screen cuts off."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser

from tests.browser.machine import CHECKOUT

pytestmark = pytest.mark.slow


def test_the_one_page_prints_on_one_page_and_fits_a_phone(browser: Browser) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 800})
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto((CHECKOUT / "notebooks" / "one-page.html").as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= 391
    printed = page.pdf(prefer_css_page_size=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) == 1
    assert len(asked) == 1  # itself
    page.close()
