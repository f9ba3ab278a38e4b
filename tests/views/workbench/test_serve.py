"""The served page, as a browser is told of it: even one whose session begins when it connects, without its HTML."""

from __future__ import annotations

import threading

import pytest
from bokeh.client import pull_session
from bokeh.models import ImportedStyleSheet
from panel.io.server import get_server

from allotment.views.workbench.serve import PATH, page_for


@pytest.fixture(scope="module")
def address():
    server = get_server({PATH: page_for("small-week")}, port=0, start=False, show=False, verbose=False)
    server.start()
    loop = threading.Thread(target=server.io_loop.start, daemon=True)
    loop.start()
    yield f"http://localhost:{server.port}/{PATH}"
    server.io_loop.add_callback(server.io_loop.stop)
    loop.join(30)


def test_a_session_that_begins_as_the_page_connects_looks_for_no_style_sheet_elsewhere(address):
    session = pull_session(url=address)
    try:
        sheets = [model.url for model in session.document.models if isinstance(model, ImportedStyleSheet)]
    finally:
        session.close()
    assert sheets
    assert [url for url in sheets if not url.startswith("static/extensions/panel/")] == []
