"""The workbench on a server of its own: a page for everybody who opens it, each with a state of its own."""

from __future__ import annotations

import gc
import logging
import socket
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import panel as pn
from panel.io.resources import LOCAL_DIST

from allotment.errors import AllotmentError
from allotment.formats import short
from allotment.views.workbench.page import Workbench
from allotment.views.workbench.settings import from_link

PATH = "workbench"
KEEP, SWEEP = 60, 10  # seconds
MOST_JOBS = 500_000  # that one page may ask for: whatever is drawn holds up everybody
EVERYWHERE = "0.0.0.0"  # noqa: S104 - an address that people type
REFUSED = "Refusing websocket connection from Origin"  # how Bokeh begins to say so
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


def from_address(scenario: str, text: str, most_jobs: int | None = None) -> Workbench:
    """Return the workbench that a link asks for; where the link is damaged, the usual one, which says so."""
    if not text:
        return Workbench(scenario, most_jobs=most_jobs)
    try:
        return Workbench(scenario, settings=from_link(text), most_jobs=most_jobs)
    except AllotmentError as error:
        return Workbench(scenario, problem=str(error), most_jobs=most_jobs)


def page_for(scenario: str, most_jobs: int | None = MOST_JOBS) -> Any:
    """Return what makes the page of one visitor: the scenario, as the link that was opened sets it."""

    def make() -> Workbench:
        let_nothing_come_from_elsewhere(pn.state.curdoc)
        given = pn.state.session_args.get("w", [b""])[0]
        return from_address(scenario, given.decode("ascii", "replace"), most_jobs)

    return make


def let_nothing_come_from_elsewhere(document: Any) -> None:
    """Say where the style sheets of a page are, before there are any.

    Panel says so as it writes a page's HTML. A session that expires before its page connects, and one that connects again,
    begins without, and its style sheets would be looked for on another machine.
    """
    above = pn.state.rel_path
    document.template_variables["dist_url"] = f"{above}/{LOCAL_DIST}" if above else LOCAL_DIST


def serve(
    scenario: str,
    *,
    port: int,
    address: str,
    show: bool,
    keep: int = KEEP,
    sweep: int = SWEEP,
    hosts: Sequence[str] = (),
    most_jobs: int = MOST_JOBS,
) -> None:
    """Serve the workbench until Ctrl-C. Nothing that it needs is loaded from elsewhere. Raises OSError if it cannot.

    What somebody set is kept for `keep` seconds after they have left; whether somebody has is looked at every `sweep` seconds.
    `hosts` are names, each with a port or without, by which browsers reach it besides those of `origins`.
    """
    pages = {PATH: page_for(scenario, most_jobs)}
    serve_pages(pages, port=port, address=address, show=show, keep=keep, sweep=sweep, hosts=hosts)


def serve_pages(
    pages: Mapping[str, Callable[[], Any]],
    *,
    port: int,
    address: str,
    show: bool,
    keep: int,
    sweep: int,
    hosts: Sequence[str] = (),
) -> None:
    """Serve pages, each made anew for whoever opens it, until Ctrl-C; the rest is as :func:`serve` has it."""
    pn.extension("tabulator", inline=True)
    for name in WRITERS:
        logging.getLogger(name).addFilter(lambda record: not says_who_left(record))
    for name in READERS:
        logging.getLogger(name).addFilter(in_one_line)
    logging.getLogger("bokeh.server.views.ws").addFilter(with_our_option)
    gc.collect()
    gc.freeze()  # what a start has loaded stays; to look through it whenever somebody leaves would hold up those who are there
    pn.serve(
        dict(pages),
        port=port,
        address=address,
        show=show,
        title="allotment",
        websocket_origin=origins(address, port, hosts),
        start=True,
        verbose=False,
        unused_session_lifetime_milliseconds=1000 * keep,
        check_unused_sessions_milliseconds=1000 * sweep,
    )


def origins(address: str, port: int, hosts: Sequence[str] = ()) -> list[str]:
    """Return by which names and ports a page may have been reached that connects: pages of others may not.

    Who listens at all addresses is also reached by the name of the machine and the addresses that it goes by.

    >>> origins("127.0.0.1", 5006, ["gpu.example.org", "hub:8443"])
    ['127.0.0.1:5006', 'localhost:5006', 'gpu.example.org:5006', 'gpu.example.org:80', 'hub:8443']
    """
    own = [address, "localhost", *(_names() if address == EVERYWHERE else [])]
    found = [f"{name}:{port}" for name in own]
    for host in hosts:  # behind a proxy there is no port, which Bokeh takes for 80
        found += [host] if ":" in host or host == "*" else [f"{host}:{port}", f"{host}:80"]
    return list(dict.fromkeys(each.lower() for each in found))


def _names() -> list[str]:
    name = socket.gethostname()
    found = ["127.0.0.1", name]
    try:
        _, more, addresses = socket.gethostbyname_ex(name)
    except OSError:  # nobody knows it by that name
        return found
    return [*found, *more, *addresses]


def with_our_option(record: logging.LogRecord) -> bool:
    """Let a record of a refused browser say what helps: the option of Bokeh that it names is not ours."""
    args = record.args
    if str(record.msg).lstrip().startswith(REFUSED) and isinstance(args, tuple) and len(args) > 1:
        record.msg = (
            "a browser came by %s, which is none of this server's names, and was refused; start it with --allow-host %s"
        )
        record.args = (short(args[0], 80), short(args[1], 80))
    return True


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
