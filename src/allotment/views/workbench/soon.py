"""How something is done in the thread that a page belongs to, from whichever thread it is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import panel as pn

Post = Callable[..., Any]
"""Has something done soon; with a number of seconds behind it, not before they have passed."""


def poster() -> Post:
    """Return what has something done soon in the thread that the page belongs to, from whichever thread it is asked."""
    document = pn.state.curdoc
    if document is not None:

        def post(act: Callable[[], None], after: float = 0) -> None:
            if after:
                document.add_timeout_callback(act, round(1000 * after))
            else:
                document.add_next_tick_callback(act)

        return post
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:  # nobody's page: do it at once
        return lambda act, _after=0: act()

    def call(act: Callable[[], None], after: float = 0) -> None:
        if after:
            loop.call_soon_threadsafe(loop.call_later, after, act)
        else:
            loop.call_soon_threadsafe(act)

    return call
