"""The served page, as a browser is told of it: even one whose session begins when it connects, without its HTML."""

from __future__ import annotations

import contextlib
import gc
import logging
import socket
import threading
import time
import weakref
from concurrent.futures import ThreadPoolExecutor
from queue import Queue

import panel as pn
import pytest
from bokeh.document.models import DocumentModelManager
from bokeh.models import ImportedStyleSheet
from panel.io.server import get_server
from tornado.websocket import WebSocketClosedError

from allotment.units import parse_duration
from allotment.views.workbench import play, serve
from allotment.views.workbench.serve import PATH, in_one_line, page_for, says_who_left, with_our_option
from allotment.views.workbench.settings import Settings, to_link
from tests.visitors import Visitor


@contextlib.contextmanager
def serving_as(address, hosts):
    """Serve the page at an address and by some names, as `serve` does, and return where it answers."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    started: Queue = Queue()

    def run():
        names = serve.origins(address, port, hosts)
        server = get_server(
            {PATH: page_for("small-week")}, port=port, websocket_origin=names, start=False, show=False, verbose=False
        )
        server.start()
        started.put(server)
        server.io_loop.start()

    loop = threading.Thread(target=run, daemon=True)
    loop.start()
    server = started.get(timeout=60)
    yield f"http://127.0.0.1:{port}", port
    server.io_loop.add_callback(server.io_loop.stop)
    loop.join(30)


AT_ONCE = {"unused_session_lifetime_milliseconds": 200, "check_unused_sessions_milliseconds": 100}


@pytest.fixture(scope="module")
def address():
    started: Queue = Queue()

    def run():
        server = get_server({PATH: page_for("small-week")}, port=0, start=False, show=False, verbose=False, **AT_ONCE)
        server.start()
        started.put(server)
        server.io_loop.start()

    loop = threading.Thread(target=run, daemon=True)
    loop.start()
    server = started.get(timeout=60)
    yield f"http://localhost:{server.port}"
    server.io_loop.add_callback(server.io_loop.stop)
    loop.join(30)


def test_a_session_that_begins_as_the_page_connects_looks_for_no_style_sheet_elsewhere(address):
    visitor = Visitor(address)
    sheets = [model.url for model in visitor.document.models if isinstance(model, ImportedStyleSheet)]
    visitor.leave()
    assert sheets
    assert [url for url in sheets if not url.startswith("static/extensions/panel/")] == []


def test_pictures_that_are_there_are_brought_up_to_date_without_counting_the_parts_of_the_page(address, monkeypatch):
    visitor = Visitor(address)
    visitor.until(lambda: visitor.complete)
    counted = []
    recompute = DocumentModelManager.recompute

    def count(self):
        if self._document().session_context is not None:  # that of the server, and not its copy here
            counted.append(1)
        recompute(self)

    monkeypatch.setattr(DocumentModelManager, "recompute", count)
    before = visitor.line("Against the baseline:")
    visitor.set("Policy B (solid)", "fifo")
    visitor.until(lambda: visitor.line("Against the baseline:") != before)
    visitor.leave()
    assert counted == []


def test_the_run_of_somebody_who_leaves_while_it_goes_on_ends(address, monkeypatch):
    pages = []

    def make(*given, usual=serve.from_address):
        pages.append(usual(*given))
        return pages[-1]

    monkeypatch.setattr(serve, "from_address", make)
    visitor = Visitor(address)
    visitor.until(lambda: visitor.state.startswith("finished"))
    visitor.set("Speed", "6 h a second")
    visitor.press("Run")
    visitor.until(lambda: visitor.state.startswith("running"))
    work = pages.pop()._course.play._thread
    assert work.is_alive()
    visitor.vanish()
    work.join(60)
    assert not work.is_alive()


def test_a_page_whose_visitor_has_vanished_in_the_midst_of_a_run_is_let_go_of_even_where_its_document_is_held(
    address, monkeypatch
):
    pages, documents = [], []

    def make(*given, usual=serve.from_address):
        made = usual(*given)
        pages.append(weakref.ref(made))
        documents.append(pn.state.curdoc)
        return made

    monkeypatch.setattr(serve, "from_address", make)
    for name in serve.WRITERS:  # what pytest keeps of their records holds all that was being sent
        monkeypatch.setattr(logging.getLogger(name), "disabled", True)
    visitor = Visitor(address)
    visitor.until(lambda: visitor.state.startswith("finished"))
    visitor.set("Speed", "6 h a second")
    visitor.press("Run")
    visitor.until(lambda: visitor.state.startswith("running"))
    visitor.vanish()
    until = time.monotonic() + 30
    while pages[0]() is not None and time.monotonic() < until:
        time.sleep(0.5)
        gc.collect()
    assert pages[0]() is None


def knocks(address, origin):
    """Return the status by which a server answers a websocket of a page that came by some name."""
    host = address.removeprefix("http://")
    with socket.create_connection(host.split(":"), timeout=30) as line:
        asked = f"GET /workbench/ws HTTP/1.1\r\nHost: {host}\r\nOrigin: {origin}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        line.sendall(
            f"{asked}Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        return int(line.recv(100).split()[1])


@pytest.mark.parametrize(("host", "status"), [("gpu.example.org", 101), ("elsewhere.example.org", 403)])
def test_browsers_come_by_the_names_that_are_allowed_and_by_no_other(host, status):
    with serving_as("0.0.0.0", ["gpu.example.org"]) as (address, port):
        # without the token of a session, Bokeh refuses later, and in another way
        assert (knocks(address, f"http://{host}:{port}") == 403) == (status == 403)
        assert knocks(address, f"http://{socket.gethostname()}:{port}") != 403


def test_a_refused_browser_is_said_with_our_option():
    told = logging.LogRecord(
        "bokeh.server.views.ws",
        logging.ERROR,
        "",
        0,
        "Refusing websocket connection from Origin '%s';  use --allow-websocket-origin=%s or set BOKEH",
        ("http://x:1", "x:1"),
        None,
    )
    assert with_our_option(told)
    assert told.getMessage().endswith("and was refused; start it with --allow-host x:1")


def test_a_link_to_a_huge_cluster_is_refused_with_the_number_and_the_way_out_and_draws_nothing(monkeypatch):
    monkeypatch.setattr(play, "draw_all", lambda _scenario: pytest.fail("it was drawn"))
    link = to_link(Settings(cluster="20000x8", pinned=Settings(cluster="20000x8")))
    with ThreadPoolExecutor(1) as alone:
        made = alone.submit(serve.from_address, "small-week", link, serve.MOST_JOBS).result()
    assert "they ask for about 3,8" in made._banner.text
    assert "draws at most 500,000; choose a smaller cluster, fewer days or less demand" in made._banner.text
    assert "what is pinned as the baseline cannot be run" in made._banner.text
    made.close()


def record(text, error=None):
    return logging.LogRecord("asyncio", logging.ERROR, "", 0, text, None, error and (type(error), error, None))


def test_that_a_message_did_not_reach_who_has_left_is_not_written_down_and_all_else_is():
    assert says_who_left(record("Task exception was never retrieved", WebSocketClosedError()))
    assert says_who_left(record("Failed sending message as connection was closed"))
    assert not says_who_left(record("Task exception was never retrieved", ValueError("x")))
    assert not says_who_left(record("a page could not go on"))


def told(act):
    """Return what is written down of an error that something raises."""
    try:
        act()
    except (ValueError, TypeError) as error:
        written = logging.LogRecord(
            "panel.reactive", logging.ERROR, "", 0, "Callback failed", None, (type(error), error, error.__traceback__)
        )
        assert in_one_line(written)
        return logging.Formatter().format(written).splitlines()
    raise AssertionError


def test_what_a_page_sends_that_no_control_offers_is_one_line_of_the_log_and_a_fault_of_ours_is_all_of_it():
    choice, slider = pn.widgets.Select(options=["a"]), pn.widgets.FloatSlider()
    for widget, value in ((choice, "/etc/passwd\n"), (slider, "x" * 10_000)):
        (line,) = told(lambda widget=widget, value=value: widget._process_events({"value": value}))
        assert "a page sent what cannot be set" in line
        assert len(line) < 300
    choice.param.watch(lambda _event: parse_duration("a fault"), "value")
    choice.options = ["a", "b"]
    assert len(told(lambda: choice._process_events({"value": "b"}))) > 3
