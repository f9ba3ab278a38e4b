"""The commons game on a server of its own: one room for all who open it, joined by a link."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Any

import attrs
import panel as pn

from allotment.errors import AllotmentError
from allotment.lessons.game.setting import Setting
from allotment.views.game.facilitator import Facilitator
from allotment.views.game.host import Host
from allotment.views.game.page import TEXT
from allotment.views.game.player import Player
from allotment.views.workbench.serve import let_nothing_come_from_elsewhere, serve_pages
from allotment.views.workbench.words import heading, say, words

PLAY, LEAD = "game", "facilitator"
KEEP, SWEEP = 10, 3  # seconds
TICK = 1000  # ms


@attrs.frozen(kw_only=True)
class Links:
    """Where a game is reached: by all who play, and by the one who leads it."""

    play: str
    lead: str
    key: str


def links(address: str, port: int) -> Links:
    """Return the addresses of a new game, the facilitator's with a key that nobody can guess."""
    key = secrets.token_urlsafe(9)
    at = f"http://{address}:{port}"
    return Links(play=f"{at}/{PLAY}", lead=f"{at}/{LEAD}?key={key}", key=key)


def serve(setting: Setting, at: Links, *, port: int, address: str, keep: int = KEEP, sweep: int = SWEEP) -> None:
    """Serve a game until Ctrl-C. Nothing that it needs is loaded from elsewhere. Raises OSError if it cannot.

    A player whose page has been gone for `keep` seconds has left; who has is looked at every `sweep` seconds.
    """
    host = Host(setting)
    pages = {PLAY: player_page(host), LEAD: facilitator_page(host, at)}
    try:
        serve_pages(pages, port=port, address=address, show=False, keep=keep, sweep=sweep)
    finally:
        host.stop()


def player_page(host: Host) -> Callable[[], Any]:
    """Return what makes the page of one player."""

    def make() -> Any:
        let_nothing_come_from_elsewhere(pn.state.curdoc)
        try:
            page = Player(host, _given("seat"), _remember)
        except AllotmentError as error:
            return _only(str(error))
        pn.state.onload(page.arrive)
        pn.state.on_session_destroyed(lambda _context: page.close())
        return page

    return make


def facilitator_page(host: Host, at: Links) -> Callable[[], Any]:
    """Return what makes the facilitator's page, for who has the key."""

    def make() -> Any:
        let_nothing_come_from_elsewhere(pn.state.curdoc)
        if not secrets.compare_digest(_given("key").encode(), at.key.encode()):
            return _only(
                "this address lacks the facilitator's key; open the link that was printed as the game was started"
            )
        try:
            page = Facilitator(host, at.play, f"?key={at.key}")
        except AllotmentError as error:
            return _only(str(error))
        pn.state.onload(page.arrive)
        pn.state.add_periodic_callback(page.tick, TICK)
        pn.state.on_session_destroyed(lambda _context: page.close())
        return page

    return make


def _given(name: str) -> str:
    value: bytes = pn.state.session_args.get(name, [b""])[0]
    return value[:100].decode("ascii", "replace")


def _remember(key: str) -> None:
    """Let the address hold the key of a seat, so that the page comes back to it when it is loaded again."""
    location = pn.state.location
    if location is not None:
        given: dict[str, Any] = {"seat": key}
        location.update_query(**given)


def _only(text: str) -> Any:
    said = words(TEXT)
    say(said, f"{text[:1].upper()}{text[1:]}.", "p", role="alert")
    return pn.Column(heading("The commons game", "h1"), said, sizing_mode="stretch_width")
