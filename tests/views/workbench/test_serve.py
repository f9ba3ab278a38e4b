"""The served page, as a browser is told of it: even one whose session begins when it connects, without its HTML."""

from __future__ import annotations

import logging
import threading
from queue import Queue

import panel as pn
import pytest
from bokeh.document.models import DocumentModelManager
from bokeh.models import ImportedStyleSheet
from panel.io.server import get_server
from tornado.websocket import WebSocketClosedError

from allotment.units import parse_duration
from allotment.views.workbench import serve
from allotment.views.workbench.serve import PATH, in_one_line, page_for, says_who_left
from tests.visitors import Visitor

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
