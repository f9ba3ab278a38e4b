"""The two hosts of a widget, a notebook in JupyterLab and an app that Panel serves, as a page that is watched."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import attrs
from playwright.sync_api import Locator, Page, Route

from tests.browser.machine import CHECKOUT, PATIENCE, Lab, wait_until_it_answers

AXE = CHECKOUT / "widgets" / "node_modules" / "axe-core" / "axe.min.js"
CELL = """import ipywidgets
from allotment.views.plan_editor.widget import PlanEditor

said = ipywidgets.Label("nobody signed")
editor = PlanEditor("fifteen-teams", gpus=1024)
editor.on_change(
    lambda edit: setattr(said, "value", f"signed by {edit.author}: science has {editor.plan.node('science').share}")
)
ipywidgets.VBox([editor, said])"""


@attrs.define(eq=False, slots=False)  # Playwright notes things on what it calls
class Watched:
    """A page, and all that went wrong in it or was asked of other machines."""

    page: Page
    url: str
    start: Callable[[Page], None]
    around: int = 0  # pixels across that the host keeps for itself
    errors: list[str] = attrs.field(factory=list)
    foreign: list[str] = attrs.field(factory=list)
    dialogs: list[str] = attrs.field(factory=list)

    def __attrs_post_init__(self) -> None:
        self.page.set_default_timeout(60_000)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", self._note)
        self.page.on("dialog", self._dismiss)
        self.page.route("**/*", self._keep_in)

    def begin(self) -> None:
        """Show a new editor, in a window of the usual size."""
        self.page.set_viewport_size({"width": 1280, "height": 900})
        self.editor.evaluate_all("editors => editors.forEach((editor) => editor.classList.add('old'))")
        self.start(self.page)
        self.editor.wait_for(timeout=1000 * PATIENCE)
        self.page.locator(".allotment-plan.old").first.wait_for(state="detached")

    @property
    def editor(self) -> Locator:
        """The editor in the page."""
        return self.page.locator(".allotment-plan:not(.old)")

    def _note(self, said: Any) -> None:
        if said.type == "error" and not said.text.startswith("Failed to load resource"):  # what is refused counts below
            self.errors.append(said.text)

    def _dismiss(self, dialog: Any) -> None:
        self.dialogs.append(dialog.message)
        dialog.dismiss()

    def _keep_in(self, route: Route) -> None:
        url = route.request.url
        if url.startswith((self.url, "data:", "blob:")):
            route.continue_()
        else:
            self.foreign.append(url)
            route.abort()


def in_lab(page: Page, lab: Lab) -> Watched:
    """Show the editor as the output of a cell of JupyterLab."""
    cell = {"cell_type": "code", "execution_count": None, "id": "edit", "metadata": {}, "outputs": [], "source": CELL}
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    notebook = {"cells": [cell], "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    (lab.folder / "notebooks" / "plan-editor.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    watched = Watched(page, lab.url, _run_all, around=370)
    page.goto(f"{lab.url}/lab/tree/notebooks/plan-editor.ipynb")
    page.wait_for_selector(".jp-Notebook .jp-CodeCell:visible", timeout=1000 * PATIENCE)
    lab.wait_until_idle(page.wait_for_timeout)
    return watched


def _run_all(page: Page) -> None:
    page.locator(".lm-MenuBar-itemLabel", has_text="Run").first.click()
    page.locator(".lm-Menu-itemLabel", has_text="Run All Cells").first.click()


def in_app(page: Page, url: str) -> Watched:
    """Show the editor in the app that is served at an address."""
    watched = Watched(page, url, lambda page: page.reload() and None)
    page.goto(f"{url}/plan_app")
    return watched


@contextlib.contextmanager
def served(folder: Path, name: str = "plan_app.py") -> Iterator[str]:
    """Serve an app of this folder with Panel, and return its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    app = Path(__file__).with_name(name)
    command = [sys.executable, "-m", "panel", "serve", str(app), f"--port={port}", "--address=127.0.0.1"]
    log = folder / "panel.log"
    with log.open("wb") as out:
        server = subprocess.Popen(
            [*command, f"--allow-websocket-origin=127.0.0.1:{port}"],
            env={**os.environ, "PYTHONPATH": str(CHECKOUT / "src")},
            stdout=out,
            stderr=out,
        )
        try:
            wait_until_it_answers(server, f"http://127.0.0.1:{port}/", log)
            yield f"http://127.0.0.1:{port}"
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(20)
