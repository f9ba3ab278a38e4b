"""The pictures of the workbench, each with its sentence and its table, brought up to date by their columns alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import panel as pn
from bokeh.models import SaveTool

from allotment.results.result import Result
from allotment.views.charts.drawing import Drawn
from allotment.views.charts.groups import NOTHING_PICKED, Highlight
from allotment.views.charts.picking import Tell, let_pick
from allotment.views.charts.picture import Picture
from allotment.views.workbench.style import BOARD, WORDS
from allotment.views.workbench.words import say, show_table, table_of, words

Make = Callable[[Sequence[Result], Highlight], Picture]


class Card:
    """One picture on the page. It is drawn anew only where its layers are others. `pick` hears what is clicked on."""

    def __init__(self, title: str, make: Make, push: Callable[[Any], None], pick: Tell | None = None) -> None:
        self.title = title
        self._make = make
        self._push = push
        self._pick = pick
        self._drawn: Drawn | None = None
        self._pane = pn.pane.Bokeh(None, sizing_mode="stretch_width", min_height=200)
        self._words = words(WORDS)
        self._table = table_of()
        self._table.visible = False
        self._twin = pn.widgets.Toggle(label="As a table", width=110, height=30, margin=(0, 8))
        self._twin.param.watch(lambda _event: self._fill(), "value")
        self.view = pn.Column(
            self._pane, self._words, self._twin, self._table, sizing_mode="stretch_width", css_classes=["card"]
        )

    def show(self, results: Sequence[Result], highlight: Highlight = NOTHING_PICKED) -> None:
        """Bring the picture up to date."""
        picture = self._make(results, highlight)
        if self._drawn is not None:
            try:
                self._drawn.refresh(picture)
            except ValueError:  # other layers
                self._drawn = None
            else:
                self._push(self._pane)
        if self._drawn is None:
            self._drawn = Drawn(picture)
            if self._pick is not None:
                let_pick(self._drawn, self._pick)
            self._drawn.figure.add_tools(SaveTool(description="Save as PNG"))
            self._drawn.figure.update(toolbar_location="right")
            self._pane.object = self._drawn.figure
        say(self._words, picture.summary, "p")
        self._fill()

    def _fill(self) -> None:
        self._table.visible = self._twin.value
        if self._drawn is not None and self._twin.value:
            show_table(self._table, self._drawn.picture.table)

    @property
    def picture(self) -> Picture | None:
        """What is shown."""
        return None if self._drawn is None else self._drawn.picture


class Board:
    """All pictures, in the order in which they are read on a narrow screen."""

    def __init__(self, makes: Mapping[str, Make], push: Callable[[Any], None], pick: Tell | None = None) -> None:
        self.cards = {title: Card(title, make, push, pick) for title, make in makes.items()}

    def show(self, results: Sequence[Result], highlight: Highlight) -> None:
        """Bring every picture up to date."""
        if results:
            for card in self.cards.values():
                card.show(results, highlight)

    @property
    def view(self) -> pn.FlexBox:
        """The cards side by side, as many as there is room for."""
        return pn.FlexBox(*(card.view for card in self.cards.values()), gap="12px", stylesheets=[BOARD])
