"""The workbench on a server of its own: a page for everybody who opens it, each with a state of its own."""

from __future__ import annotations

import gc
import logging
import traceback
from collections.abc import Callable, Mapping
from typing import Any

import panel as pn
from panel.io.resources import LOCAL_DIST

from allotment.errors import AllotmentError
from allotment.formats import short
from allotment.views.workbench.page import Workbench
from allotment.views.workbench.settings import from_link

PATH = "workbench"
KEEP, SWEEP = 60, 10  # seconds
WRITERS = (
    "asyncio",
    "tornado.application",
    "panel.io.document",
    "bokeh.server.views.ws",
    "bokeh.server.protocol_handler",
)
READERS = ("panel.reactive", "bokeh.server.protocol_handler", "tornado.application")  # of what pages send
TAKE_IT = ("panel.reactive", "bokeh.protocol.messages.patch_doc")  # modules, one of which stands in their tracebacks
CLOSED = ("WebSocketClosedError", "StreamClosedError")  # of tornado, which Bokeh serves with
UNSENT = "Failed sending message as connection was closed"


def from_address(scenario: str, text: str) -> Workbench:
    """Return the workbench that a link asks for; where the link is damaged, the usual one, which says so."""
    if not text:
        return Workbench(scenario)
    try:
        return Workbench(scenario, settings=from_link(text))
    except AllotmentError as error:
        return Workbench(scenario, problem=str(error))


def page_for(scenario: str) -> Any:
    """Return what makes the page of one visitor: the scenario, as the link that was opened sets it."""

    def make() -> Workbench:
        let_nothing_come_from_elsewhere(pn.state.curdoc)
        given = pn.state.session_args.get("w", [b""])[0]
        return from_address(scenario, given.decode("ascii", "replace"))

    return make


def let_nothing_come_from_elsewhere(document: Any) -> None:
    """Say where the style sheets of a page are, before there are any.

    Panel says so as it writes a page's HTML. A session that expires before its page connects, and one that connects again,
    begins without, and its style sheets would be looked for on another machine.
    """
    above = pn.state.rel_path
    document.template_variables["dist_url"] = f"{above}/{LOCAL_DIST}" if above else LOCAL_DIST


def serve(scenario: str, *, port: int, address: str, show: bool, keep: int = KEEP, sweep: int = SWEEP) -> None:
    """Serve the workbench until Ctrl-C. Nothing that it needs is loaded from elsewhere. Raises OSError if it cannot.

    What somebody set is kept for `keep` seconds after they have left; whether somebody has is looked at every `sweep` seconds.
    """
    serve_pages({PATH: page_for(scenario)}, port=port, address=address, show=show, keep=keep, sweep=sweep)


def serve_pages(
    pages: Mapping[str, Callable[[], Any]], *, port: int, address: str, show: bool, keep: int, sweep: int
) -> None:
    """Serve pages, each made anew for whoever opens it, until Ctrl-C; the rest is as :func:`serve` has it."""
    pn.extension("tabulator", inline=True)
    for name in WRITERS:
        logging.getLogger(name).addFilter(lambda record: not says_who_left(record))
    for name in READERS:
        logging.getLogger(name).addFilter(in_one_line)
    gc.collect()
    gc.freeze()  # what a start has loaded stays; to look through it whenever somebody leaves would hold up those who are there
    pn.serve(
        dict(pages),
        port=port,
        address=address,
        show=show,
        title="allotment",
        websocket_origin=[f"{address}:{port}", f"localhost:{port}"],
        start=True,
        verbose=False,
        unused_session_lifetime_milliseconds=1000 * keep,
        check_unused_sessions_milliseconds=1000 * sweep,
    )


def says_who_left(record: logging.LogRecord) -> bool:
    """Tell whether all that a line of a log says is that a message did not reach somebody who has just left."""
    error = record.exc_info[0] if record.exc_info else None
    return (error is not None and error.__name__ in CLOSED) or UNSENT in record.getMessage()


def in_one_line(record: logging.LogRecord) -> bool:
    """Leave of a record the reason alone where a page sent what no control offers, and it never came as far as our code.

    That is a page that is not ours, and no fault of the program, whose traceback would be worth its lines.
    """
    _, error, at = record.exc_info or (None, None, None)
    modules = [str(frame.f_globals.get("__name__", "")) for frame, _ in traceback.walk_tb(at)]
    ours = any(module.startswith("allotment.") for module in modules)
    if isinstance(error, ValueError | TypeError) and not ours and not set(TAKE_IT).isdisjoint(modules):
        record.msg, record.args = "a page sent what cannot be set: %s", (short(error, 200),)
        record.exc_info = record.exc_text = None
    return True
