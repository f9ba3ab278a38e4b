"""The commons game as a room plays it: twelve players and a facilitator, each in a browser context of their own."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.hosts import AXE
from tests.browser.machine import CHECKOUT, wait_until_it_answers

pytestmark = pytest.mark.slow
PLAYERS, ROUNDS = 12, 2
LONG = 120_000  # ms; fourteen pages share the processors of the machine
NAME, JOIN = "Your name, or that of your table", "Take a seat"
PHONE, LAPTOP, WALL = (400, 800), (1366, 768), (1920, 1080)


class Table:
    """A game that is served, and the pages that are open, each with a context of its own."""

    def __init__(self, browser: Browser, address: str, lead: str) -> None:
        self.address = address
        self.wrong: list[str] = []
        self.foreign: list[str] = []
        self._browser = browser
        self.lead = self.open(lead, WALL)

    def open(self, url: str, size: tuple[int, int] = LAPTOP) -> Page:
        """Open an address in a context of its own."""
        context = self._browser.new_context(viewport={"width": size[0], "height": size[1]})
        page = context.new_page()
        page.set_default_timeout(LONG)
        page.on("pageerror", lambda error: self.wrong.append(str(error)))
        page.on("console", lambda said: self.wrong.append(said.text) if said.type == "error" else None)
        page.on("request", lambda asked: self._note(asked.url))
        page.goto(url)
        return page

    def _note(self, url: str) -> None:
        if not url.startswith((self.address, self.address.replace("http", "ws"), "data:", "blob:")):
            self.foreign.append(url)

    def join(self, name: str, size: tuple[int, int] = LAPTOP) -> Page:
        """Take a seat, by keyboard alone."""
        page = self.open(f"{self.address}/game", size)
        field = page.get_by_label(NAME)
        field.fill(name)
        field.press("Enter")
        expect(page.get_by_role("heading", name=re.compile(r"^Team \d+, "))).to_be_visible(timeout=LONG)
        assert "seat=" in page.url
        return page

    def close_round(self) -> None:
        self.lead.get_by_role("button", name="Close the round").click()

    def end(self) -> None:
        for context in self._browser.contexts:
            context.close()


def choose(page: Page, number: int, *, grab: bool) -> None:
    """Choose for a round, and read that it was heard."""
    button = page.get_by_role("button", name=f"Choose this for round {number}")
    expect(button).to_be_enabled(timeout=LONG)
    for label in ("All of them", "Yes, keep it") if grab else ("None", re.compile("^No, give")):
        page.get_by_label(label).check()
    button.press("Enter")
    expect(page.get_by_text(re.compile("^You have chosen: "))).to_be_visible(timeout=LONG)


@pytest.fixture
def table(browser: Browser, tmp_path: Path) -> Iterator[Table]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "allotment",
        "game",
        f"--port={port}",
        f"--rounds={ROUNDS}",
        "--keep=2",
        "--sweep=1",
    ]
    log = tmp_path / "game.log"
    with log.open("wb") as out:
        environment = {**os.environ, "PYTHONPATH": str(CHECKOUT / "src")}
        server = subprocess.Popen(command, env=environment, stdout=out, stderr=out)
    opened = None
    try:
        address = f"http://127.0.0.1:{port}"
        wait_until_it_answers(server, f"{address}/game", log)
        lead = re.search(r"http\S+/facilitator\?key=\S+", log.read_text())
        assert lead
        opened = Table(browser, address, lead[0])
        yield opened
    finally:
        if opened is not None:
            opened.end()
        server.send_signal(signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.wait(30)
        assert server.returncode == 0, log.read_text(errors="replace")[-2000:]
        assert "Traceback" not in log.read_text(errors="replace")


def test_twelve_players_and_a_facilitator_play_while_one_leaves_one_comes_late_and_one_reloads(table: Table) -> None:
    lead = table.lead
    sizes = (PHONE, LAPTOP)
    players = [table.join(f"P{number} <b>&", sizes[number % 2]) for number in range(PLAYERS - 1)]
    expect(lead.get_by_text(f"{PLAYERS - 1} of {PLAYERS} seats are taken")).to_be_visible(timeout=LONG)
    expect(lead.get_by_role("rowheader", name="Team 1, P0 <b>&")).to_be_visible()

    lead.get_by_role("button", name="Begin round 1 under the old rules").click()
    for number, page in enumerate(players):
        choose(page, 1, grab=number % 2 == 0)
    expect(lead.get_by_text(f"All {PLAYERS - 1} who are here have chosen.")).to_be_visible(timeout=LONG)
    table.close_round()
    for page in players:
        expect(page.get_by_text(re.compile(r"^Round 2 of 2, old rules"))).to_be_visible(timeout=LONG)
        expect(page.get_by_text(re.compile(r"Round 1: you had \d+ points\."))).to_be_visible(timeout=LONG)

    players[0].reload()  # it comes back to its seat, its last choice and what it had
    expect(players[0].get_by_role("heading", name="Team 1, P0 <b>&")).to_be_visible(timeout=LONG)
    expect(players[0].get_by_label("All of them")).to_be_checked()
    expect(players[0].get_by_text(re.compile(r"Round 1: you had \d+ points\."))).to_be_visible()

    gone = players.pop(3)  # the bot plays on
    seat = gone.url
    gone.context.close()
    expect(lead.get_by_role("row", name=re.compile("^Team 4, P3"))).to_contain_text("has left: bot", timeout=LONG)

    late = table.join("Late")  # on the seat of the last bot
    expect(late.get_by_role("heading", name=f"Team {PLAYERS}, Late")).to_be_visible()
    expect(late.get_by_text(re.compile(r"Round 1: you had \d+ points\."))).to_be_visible()
    players.append(late)

    watcher = table.open(f"{table.address}/game")
    expect(watcher.get_by_text(f"All {PLAYERS} seats are taken. You can watch")).to_be_visible(timeout=LONG)
    expect(watcher.get_by_role("button", name=JOIN)).to_be_hidden()

    for page in players:
        choose(page, 2, grab=True)
    table.close_round()
    expect(lead.get_by_text("The first half is over")).to_be_visible(timeout=LONG)
    expect(lead.get_by_text("Side by side")).to_be_visible(timeout=LONG)
    expect(watcher.get_by_text("The first half is over")).to_be_visible(timeout=LONG)

    back = table.open(seat)  # who left is back on the old seat
    expect(back.get_by_role("heading", name="Team 4, P3 <b>&")).to_be_visible(timeout=LONG)
    players.append(back)
    lead.get_by_role("button", name="Begin again under budgets").click()
    for number in (1, 2):
        for page in players:
            choose(page, number, grab=number == 2)
        table.close_round()
    for page in [*players, watcher]:
        expect(page.get_by_text("The price of budgets")).to_be_visible(timeout=LONG)
        expect(page.get_by_text("The game is over.", exact=True)).to_be_visible()
    expect(
        players[0].get_by_text(re.compile(r"^Under the old rules \(priorities\), your choices gained you"))
    ).to_be_visible()
    for rules in ("old rules (priorities)", "new rules (budgets)"):
        expect(lead.get_by_role("img", name=f"Gained and taken: {rules}")).to_be_visible(timeout=LONG)
    for page in (players[0], players[1]):  # a phone and a laptop
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert (table.wrong, table.foreign) == ([], [])


def test_the_facilitators_page_wants_its_key_and_no_page_has_what_some_cannot_use(table: Table) -> None:
    stranger = table.open(f"{table.address}/facilitator?key=guess")
    expect(stranger.get_by_text("This address lacks the facilitator's key")).to_be_visible(timeout=LONG)
    assert stranger.get_by_role("button").count() == 0
    page = table.open(f"{table.address}/game", PHONE)
    page.get_by_role("button", name=JOIN).click()
    expect(page.get_by_role("alert")).to_have_text("Type a name first.")
    page.get_by_label(NAME).fill("Ana")
    page.get_by_role("button", name=JOIN).click()
    expect(page.get_by_role("heading", name="Team 1, Ana")).to_be_visible(timeout=LONG)
    table.lead.get_by_role("button", name="Begin round 1 under the old rules").click()
    choose(page, 1, grab=False)
    for shown in (page, table.lead):
        shown.add_script_tag(path=AXE)
        found = shown.evaluate(
            "axe.run().then((found) => found.violations.map((each) => [each.id, each.nodes[0].html]))"
        )
        assert [each for each in found if each[0] not in ("landmark-one-main", "region")] == []
