"""What a notebook draws with, put into it once: so that no network is needed, and what is on the page goes on.

Panel's scripts, put into a page a second time, begin anew there, and messages that are on their way to what an earlier cell
shows are read wrongly. A page that is loaded again has none of them, though its kernel goes on.
"""

from __future__ import annotations

import sys

import panel as pn

LOADED = "allotment: front ends that have what a notebook draws with"


def load_scripts() -> None:
    """Put Panel's scripts into a notebook, once for each page that shows it; in a served page do nothing."""
    if pn.state.curdoc is not None:
        return
    loaded: set[str] = pn.state.cache.setdefault(LOADED, set())
    page = _front_end()
    if page not in loaded or not page:
        loaded.add(page)
        pn.extension(inline=True)


def _front_end() -> str:
    """Return what tells the page that asks from others: the session of its messages; nothing where there is no kernel."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    kernel = getattr(shell, "kernel", None)
    if kernel is None:
        return ""
    return str(kernel.get_parent().get("header", {}).get("session", ""))
