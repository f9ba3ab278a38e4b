"""What all pages of the game have in common: they look at the room whenever something has changed in it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import panel as pn

from allotment.errors import AllotmentError
from allotment.views.game.host import Host
from allotment.views.workbench.soon import poster
from allotment.views.workbench.style import BANNER
from allotment.views.workbench.words import Words, say, words

NARROW = """
:host { font-family: system-ui, "Noto Sans", sans-serif; color: #1b1b1b; max-width: 760px; margin: 0 auto; }
"""
STATUS = ":host { overflow-wrap: anywhere; } p { margin: 4px 0; font-size: 18px; font-weight: 600; color: #1b1b1b; }"
TEXT = ":host { overflow-wrap: anywhere; } p { margin: 2px 0 6px; font-size: 16px; line-height: 1.45; color: #1b1b1b; }"


class Follower:
    """Has `show` called whenever the room changes, in the thread of the page: once for all that came together.

    A page that a browser is still taking up stays as the room was when it was opened, and looks again when `begin` is
    called: what changes before that may be lost on its way. A page that nobody shows, as in a test, is called at once.
    """

    def __init__(self, host: Host, show: Callable[[], Any]) -> None:
        self._host = host
        self._show = show
        self._post = poster()
        self._due = False
        self._ready = pn.state.curdoc is None
        self._one_at_a_time = threading.RLock()
        host.subscribe(self.changed)

    def begin(self) -> None:
        """Look whenever something changes from now on, and once now: a browser has taken up the page."""
        self._ready = True
        self.changed()

    def changed(self) -> None:
        """Look at the room soon."""
        with self._one_at_a_time:
            if self._due or not self._ready:
                return
            self._due = True
        self._post(self._look)

    def _look(self) -> None:
        with self._one_at_a_time, pn.io.hold(pn.state.curdoc):
            self._due = False
            self._show()

    def end(self) -> None:
        """Look no more."""
        self._host.unsubscribe(self.changed)


def banner() -> Words:
    """Return where a page says what was wrong, at first nothing."""
    return words(BANNER, visible=False)


def tell(where: Words, problem: str) -> None:
    """Say what was wrong; nothing hides it."""
    say(where, problem, role="alert")
    where.visible = bool(problem)


def attempt(where: Words, act: Callable[[], Any]) -> None:
    """Do what somebody asked for, and say why where that cannot be."""
    try:
        act()
    except AllotmentError as error:
        text = str(error)
        tell(where, f"{text[:1].upper()}{text[1:]}.")
    else:
        tell(where, "")
