"""What a page says: text and tables that change, in which what people typed stays text.

They are Panel's static text and not its panes: a pane sends its style sheets again whenever its content changes, and in a
notebook some of these lie on another machine.
"""

from __future__ import annotations

import html
from typing import Any

import pandas as pd
import panel as pn

from allotment.views.formats import plain
from allotment.views.workbench.style import HEADING, TABLE


def words(css: str = "", **options: Any) -> pn.widgets.StaticText:
    """Return where something is said, by :func:`say` or :func:`show_table`."""
    usual: dict[str, Any] = {"sizing_mode": "stretch_width", "margin": (0, 4)}
    return pn.widgets.StaticText(value="", stylesheets=[css] if css else [], **{**usual, **options})


def say(where: pn.widgets.StaticText, text: str, tag: str = "div", **attributes: str) -> None:
    """Say something: lines of text, within an element that has some attributes."""
    lines = "<br>".join(html.escape(plain(line)) for line in text.splitlines())
    said = "".join(f' {name.replace("_", "-")}="{html.escape(value)}"' for name, value in attributes.items())
    where.value = f"<{tag}{said}>{lines}</{tag}>"


def heading(text: str, tag: str = "h2") -> pn.widgets.StaticText:
    """Return a heading."""
    made = words(HEADING)
    say(made, text, tag)
    return made


def table_of(css: str = TABLE) -> pn.widgets.StaticText:
    """Return where a table is shown."""
    return words(css)


def show_table(where: pn.widgets.StaticText, table: pd.DataFrame) -> None:
    """Show a table of text."""
    where.value = f'<div class="scroll" tabindex="0" role="group" aria-label="table">{table.to_html(escape=True, border=0, classes="figures")}</div>'
