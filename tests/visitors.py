"""Visitors of a served workbench without a browser: what they set and read goes over the websocket of a session of their own."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import attrs
from bokeh.client import ClientSession, pull_session
from bokeh.document.events import MessageSentEvent, ModelChangedEvent
from bokeh.events import ButtonClick, DocumentReady, Event

import allotment.views.workbench.page  # noqa: F401 - it makes the models of the page known
from allotment.views.tables import side_by_side
from allotment.views.workbench.settings import Settings, to_link
from allotment.views.workbench.words import Words, show_table
from tests.browser.machine import CHECKOUT, PATIENCE, wait_until_it_answers

STATE = re.compile("getting ready|running|paused|finished|cancelled|cannot run")


@attrs.frozen
class Served:
    """`allotment serve` as a process: where it answers, which process it is, and where it writes what it says."""

    url: str
    process: int
    log: Path


@contextlib.contextmanager
def serving(folder: Path, scenario: str, *options: str) -> Iterator[Served]:
    """Run `allotment serve` until it is no longer needed."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "allotment", "serve", scenario, f"--port={port}", "--no-browser", *options]
    log = folder / "serve.log"
    with log.open("wb") as out:
        environment = {**os.environ, "PYTHONPATH": str(CHECKOUT / "src")}
        server = subprocess.Popen(command, env=environment, stdout=out, stderr=out)
        try:
            wait_until_it_answers(server, f"http://127.0.0.1:{port}/", log)
            yield Served(f"http://127.0.0.1:{port}", server.pid, log)
        finally:
            server.send_signal(signal.SIGINT)
            assert server.wait(30) == 0, log.read_text(errors="replace")[-2000:]


def table(results: Any) -> list[list[str]]:
    """Return the comparison of two results as a page shows it: the cells of each row."""
    shown = Words()
    show_table(shown, side_by_side(results))
    return shown.content["rows"]


class Visitor:
    """Somebody who has opened the page at an address, as `settings` set it. A thread of its own keeps up the connection."""

    def __init__(self, address: str, settings: Settings | None = None) -> None:
        self._address = f"{address}/workbench"
        self._link = None if settings is None else {"w": to_link(settings)}
        self._waiting: list[Callable[[], Any]] = []
        self._due = False
        opened: Future[ClientSession] = Future()
        self._thread = threading.Thread(target=self._live, args=(opened,), daemon=True)
        self._thread.start()
        self._session = opened.result(PATIENCE)
        self._loop = self._session._connection.io_loop
        self.document = self._session.document
        self._ask(lambda: self._send(DocumentReady()))

    def leave(self) -> None:
        """Close the page, as a browser does: without a word."""
        self._loop.add_callback(self._session.close)
        self._thread.join(PATIENCE)

    def vanish(self) -> None:
        """Be gone in the midst of everything, as somebody whose network is."""

        def go() -> None:
            connection = self._session._connection._socket._socket
            stream = connection.protocol.stream
            stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            stream.close()
            connection.close()

        self._loop.add_callback(go)
        self._thread.join(PATIENCE)

    # what can be read

    @property
    def state(self) -> str:
        """What the runs are doing."""
        return next((line for each in self._said() for line in each.get("lines", []) if STATE.match(line)), "")

    @property
    def waits(self) -> list[list[str]]:
        """The cells of the comparison of the two policies; none before it is there."""
        tables = [each for each in self._said() if each.get("head")]
        return next((each["rows"] for each in tables if any(cell[0].startswith("A ") for cell in each["head"][0])), [])

    @property
    def link(self) -> str:
        """What the link to this page holds."""
        return self._ask(lambda: self._titled("Link to this").value).removeprefix("?w=")

    def line(self, text: str) -> str:
        """Return the first line on the page that has some text in it; none is empty."""
        return next((line for each in self._said() for line in each.get("lines", []) if text in line), "")

    @property
    def complete(self) -> bool:
        """Whether the last picture, too, was drawn."""
        return all(map(self.line, ("GPUs were held on day", "Against the baseline:")))

    def share(self, node: str) -> str:
        """Return the share of a node as the plan editor shows it."""
        rows = self._ask(lambda: self._editor.state["rows"])
        return next(row["shown"] for row in rows if row["id"] == node)

    @property
    def heard(self) -> str:
        """Which intent the plan editor has answered last."""
        return str(self._ask(lambda: self._editor.state["heard"]))

    # what can be done

    def set(self, title: str, value: Any) -> None:
        """Set the control of a title, and let go of it."""
        self._ask(lambda: self._set(self._titled(title), value))

    def press(self, label: str) -> None:
        """Press the button of a label."""
        self._ask(lambda: self._send(ButtonClick(self._titled(label, "label"))))

    def edit(self, **intent: Any) -> None:
        """Let the plan editor send an intent."""
        self._ask(lambda: self._tell(self._editor, "intent", intent))

    def until(self, there: Callable[[], Any], seconds: float = PATIENCE) -> float:
        """Wait until something is there, and return how long (s) that took."""
        begin = time.monotonic()
        found: Future[float] = Future()

        def look() -> None:
            if not found.done() and there():
                found.set_result(time.monotonic() - begin)

        self._ask(lambda: (self._waiting.append(look), look()))
        try:
            return found.result(seconds)
        except TimeoutError:
            raise AssertionError(f"it did not come within {seconds} s: {self.state!r}, {self.waits}") from None
        finally:
            self._ask(lambda: self._waiting.remove(look))

    # what its thread does

    def _live(self, opened: Future[ClientSession]) -> None:
        try:
            session = pull_session(url=self._address, arguments=self._link)
        except BaseException as error:  # noqa: BLE001 - whoever waits for it has to hear of it
            opened.set_exception(error)
            return
        session.document.on_change(self._changed)
        opened.set_result(session)
        session._connection.io_loop.run_sync(lambda: self._hear(session))
        session._connection.io_loop.close(all_fds=True)

    async def _hear(self, session: ClientSession) -> None:
        """Take what the server sends. Bokeh's own loop calls itself for each message, until it is too deep."""
        while (message := await session._connection._pop_message()) is not None:
            if message.msgtype == "PATCH-DOC":
                session._handle_patch(message)

    def _changed(self, _event: Any) -> None:
        if not self._due:
            self._due = True
            self._loop.add_callback(self._look)

    def _look(self) -> None:
        self._due = False
        for look in list(self._waiting):
            look()

    def _ask(self, act: Callable[[], Any]) -> Any:
        """Do something in the thread that the document belongs to."""
        if threading.current_thread() is self._thread:
            return act()
        done: Future[Any] = Future()

        def do() -> None:
            try:
                done.set_result(act())
            except BaseException as error:  # noqa: BLE001 - whoever asked has to hear of it
                done.set_exception(error)

        self._loop.add_callback(do)
        return done.result(PATIENCE)

    def _said(self) -> list[dict[str, Any]]:
        return self._ask(lambda: [model.content for model in self.document.models if "content" in model.properties()])

    def _titled(self, title: str, name: str = "title") -> Any:
        models = (model for model in self.document.models if name in model.properties())
        return next(model for model in models if getattr(model, name) == title)

    @property
    def _editor(self) -> Any:
        return next(model for model in self.document.models if "intent" in model.properties())

    def _set(self, control: Any, value: Any) -> None:
        for name in ("value", "value_throttled"):
            if name in control.properties():
                self._tell(control, name, value)

    def _tell(self, model: Any, name: str, value: Any) -> None:
        """Send that a property of a model is another, as a browser does."""
        self.document.callbacks.trigger_on_change(ModelChangedEvent(self.document, model, name, value))

    def _send(self, event: Event) -> None:
        self.document.callbacks.trigger_on_change(MessageSentEvent(self.document, "bokeh_event", event))
