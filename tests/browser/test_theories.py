"""A theory as somebody meets it: the guess first, by keyboard, then the dots and the verdict."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect

from allotment.lessons.cards import load_card
from tests.browser.hosts import served

pytestmark = pytest.mark.slow


def test_nothing_is_told_before_the_guess_and_all_of_it_after(browser: Browser, tmp_path) -> None:
    card = load_card("F12")
    page = browser.new_page(viewport={"width": 900, "height": 900})
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
    with served(tmp_path, "theory_app.py") as url:
        page.goto(f"{url}/theory_app")
        expect(page.get_by_text(card.guess.question)).to_be_visible(timeout=60_000)
        assert card.fact not in page.locator("body").inner_text()
        assert page.get_by_text(card.fact).count() == 0
        handle = page.get_by_role("slider").first
        handle.focus()
        handle.press("End")
        button = page.get_by_role("button", name="That is my guess: run it")
        button.focus()
        button.press("Enter")
        expect(page.get_by_text(card.fact)).to_be_visible(timeout=120_000)
        expect(page.get_by_text(re.compile("^(FALSE|NOT SHOWN)"))).to_be_visible()
        expect(page.get_by_text(f"{card.guess.high:g} {card.guess.unit}", exact=True)).to_be_visible()
        expect(page.get_by_role("img", name=re.compile("^F12"))).to_be_visible()
        expect(page.get_by_role("button", name="Run it again")).to_be_visible()
        expect(button).to_be_hidden()
    page.close()
    assert wrong == []
