"""How something is done in the thread that a page belongs to, from whichever thread it is asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import panel as pn


def poster() -> Callable[[Callable[[], None]], Any]:
    """Return what has something done soon in the thread that the page belongs to, from whichever thread it is asked."""
    document = pn.state.curdoc
    if document is not None:
        return document.add_next_tick_callback
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:  # nobody's page: do it at once
        return lambda act: act()
    return loop.call_soon_threadsafe
