"""A browser, and JupyterLab to look at with it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

from tests.browser.machine import Lab, find_browser, flags, lab_in


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        path = find_browser(playwright.chromium.executable_path)
        if path is None:
            pytest.skip(
                "there is no Chromium or Chrome; install one, or let `.venv/bin/playwright install chromium` bring one, "
                "or name one in ALLOTMENT_BROWSER"
            )
        started = playwright.chromium.launch(executable_path=path, args=flags())
        yield started
        started.close()


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    with lab_in(tmp_path_factory.mktemp("lab")) as started:
        yield started
