"""The served page, as a browser is told of it: even one whose session begins when it connects, without its HTML."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from queue import Queue

import pytest
from bokeh.client import pull_session
from bokeh.document.models import DocumentModelManager
from bokeh.models import ImportedStyleSheet
from panel.io.server import get_server

from allotment.views.workbench.serve import PATH, page_for
from tests.visitors import Visitor


@pytest.fixture(scope="module")
def address():
    started: Queue = Queue()

    def run():
        server = get_server({PATH: page_for("small-week")}, port=0, start=False, show=False, verbose=False)
        server.start()
        started.put(server)
        server.io_loop.start()

    loop = threading.Thread(target=run, daemon=True)
    loop.start()
    server = started.get(timeout=60)
    yield f"http://localhost:{server.port}"
    server.io_loop.add_callback(server.io_loop.stop)
    loop.join(30)


def sheets_of(address):
    session = pull_session(url=f"{address}/{PATH}")
    try:
        return [model.url for model in session.document.models if isinstance(model, ImportedStyleSheet)]
    finally:
        session.close()


def test_a_session_that_begins_as_the_page_connects_looks_for_no_style_sheet_elsewhere(address):
    with ThreadPoolExecutor(1) as alone:  # apart from any event loop that another test has left in this thread
        sheets = alone.submit(sheets_of, address).result()
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
