"""How something is done in the thread that a page belongs to, from whichever thread it is asked."""

from __future__ import annotations

import asyncio
import itertools
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any

import panel as pn

Act = Callable[[], Any]
Later = Callable[[Act, float], Any]
"""Has something done soon, not before so many seconds have passed; 0 is at the next opportunity."""


class Poster:
    """Has something done soon; with a number of seconds behind it, not before they have passed.

    What has not been done when it is closed is never done, and let go of: a page whose visitor has vanished would stay in
    memory as long as anything still holds the document that was to do it.
    """

    def __init__(self, later: Later) -> None:
        self._later = later
        self._numbers = itertools.count()
        self._acts: dict[int, Act] = {}
        self._closed = False

    def __call__(self, act: Act, after: float = 0) -> None:
        """Have something done, from any thread."""
        if self._closed:
            return
        number = next(self._numbers)
        self._acts[number] = act
        self._later(partial(self._do, number), after)

    def close(self) -> None:
        """Do nothing any more."""
        self._closed = True
        self._acts.clear()

    def _do(self, number: int) -> None:
        act = self._acts.pop(number, None)
        if act is not None:
            act()


def poster() -> Poster:
    """Return what has something done soon in the thread that the page belongs to, from whichever thread it is asked."""
    document = pn.state.curdoc
    if document is not None:
        return Poster(partial(_in_document, weakref.ref(document)))
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:  # nobody's page: do it at once
        return Poster(lambda act, _after: act())

    def call(act: Act, after: float) -> None:
        if after:
            loop.call_soon_threadsafe(loop.call_later, after, act)
        else:
            loop.call_soon_threadsafe(act)

    return Poster(call)


def _in_document(found: Callable[[], Any], act: Act, after: float) -> None:
    document = found()
    if document is None:
        return
    try:
        if after:
            document.add_timeout_callback(act, round(1000 * after))
        else:
            document.add_next_tick_callback(act)
    except AttributeError:
        if document.session_context is not None:
            raise
        # Bokeh has just taken the document apart, in its own thread, as the visitor has left
