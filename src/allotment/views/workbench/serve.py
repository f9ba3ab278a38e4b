"""The workbench on a server of its own: a page for everybody who opens it, each with a state of its own."""

from __future__ import annotations

from typing import Any

import panel as pn
from panel.io.resources import LOCAL_DIST

from allotment.errors import AllotmentError
from allotment.views.workbench.page import Workbench
from allotment.views.workbench.settings import from_link

PATH = "workbench"


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
        _let_nothing_come_from_elsewhere(pn.state.curdoc)
        given = pn.state.session_args.get("w", [b""])[0]
        return from_address(scenario, given.decode("ascii", "replace"))

    return make


def _let_nothing_come_from_elsewhere(document: Any) -> None:
    """Say where the style sheets of a page are, before there are any.

    Panel says so as it writes a page's HTML. A session that expires before its page connects, and one that connects again,
    begins without, and its style sheets would be looked for on another machine.
    """
    above = pn.state.rel_path
    document.template_variables["dist_url"] = f"{above}/{LOCAL_DIST}" if above else LOCAL_DIST


def serve(scenario: str, *, port: int, address: str, show: bool) -> None:
    """Serve the workbench until Ctrl-C. Nothing that it needs is loaded from elsewhere. Raises OSError if it cannot."""
    pn.extension("tabulator", inline=True)
    pn.serve(
        {PATH: page_for(scenario)},
        port=port,
        address=address,
        show=show,
        title="allotment",
        websocket_origin=[f"{address}:{port}", f"localhost:{port}"],
        start=True,
        verbose=False,
    )
