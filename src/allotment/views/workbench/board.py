"""The pictures of the workbench, each with its sentence and its table, brought up to date by their columns alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

import panel as pn
from bokeh.models import SaveTool

from allotment.results.result import Result
from allotment.views.charts.drawing import Drawn
from allotment.views.charts.groups import NOTHING_PICKED, Highlight
from allotment.views.charts.picking import Tell, let_pick
from allotment.views.charts.picture import Picture
from allotment.views.workbench.style import BOARD, WORDS
from allotment.views.workbench.words import say, show_table, table_of, words

FIRST = 2  # pictures that are on the screen when a page is opened, as far as we know
Make = Callable[[Sequence[Result], Highlight], Picture]


class Card:
    """One picture on the page. It is drawn anew only where its layers are others. `pick` hears what is clicked on."""

    def __init__(self, title: str, make: Make, pick: Tell | None = None) -> None:
        self.title = title
        self._make = make
        self._pick = pick
        self._drawn: Drawn | None = None
        self._pane = pn.pane.Bokeh(None, sizing_mode="stretch_width", min_height=200)
        self._words = words(WORDS)
        self._table = table_of()
        self._table.visible = False
        self._twin = pn.widgets.Toggle(label="As a table", width=110, height=30, margin=(0, 8), visible=False)
        self._twin.param.watch(lambda _event: self._fill(), "value")
        self.view = pn.Column(
            self._pane,
            self._words,
            self._twin,
            self._table,
            sizing_mode="stretch_width",
            css_classes=["card", f"card-{_name(title)}"],
        )

    def show(self, results: Sequence[Result], highlight: Highlight = NOTHING_PICKED) -> None:
        """Bring the picture up to date."""
        picture = self._make(results, highlight)
        if self._drawn is not None:
            try:
                self._drawn.refresh(picture)
            except ValueError:  # other layers
                self._drawn = None
        if self._drawn is None:
            self._drawn = Drawn(picture)
            if self._pick is not None:
                let_pick(self._drawn, self._pick)
            self._drawn.figure.add_tools(SaveTool(description="Save as PNG", filename=_name(self.title)))
            self._drawn.figure.update(toolbar_location="right")
            with pn.io.hold(
                pn.state.curdoc, freeze=True
            ):  # or Bokeh goes through all of the page for each of its parts
                self._pane.object = self._drawn.figure
        say(self._words, picture.summary, "p")
        self._twin.visible = True
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
    """All pictures, in the order in which they are read on a narrow screen; and those `apart`, which are shown elsewhere.

    Those that are on the screen are drawn first.
    """

    def __init__(self, makes: Mapping[str, Make], apart: Mapping[str, Make], pick: Tell) -> None:
        self._board = {title: Card(title, make, pick) for title, make in makes.items()}
        self.cards = {**self._board, **{title: Card(title, make, pick) for title, make in apart.items()}}
        self._seen = set(map(_name, [*self.cards][:FIRST]))  # until the browser says
        self._shown: tuple[Sequence[Result], Highlight] = ((), NOTHING_PICKED)
        self._late: list[Card] = []

    def show(self, results: Sequence[Result], highlight: Highlight) -> int:
        """Bring the pictures that are on the screen up to date, and return how many; :meth:`catch_up` does the others.

        One that was never drawn takes far longer than a new look, and is left for later, too.
        """
        self._shown = (results, highlight)
        self._late = list(self.cards.values()) if results else []
        at_once = [card for card in self._seen_first() if self._sees(card) and card.picture is not None]
        for card in at_once:
            self._draw(card)
        return len(at_once)

    def see(self, names: Iterable[str]) -> None:
        """Note which are on the screen."""
        self._seen = set(names)

    def catch_up(self) -> bool:
        """Bring one more picture up to date, and tell whether there are others that are not."""
        for card in self._seen_first()[:1]:
            self._draw(card)
        return bool(self._late)

    def _draw(self, card: Card) -> None:
        self._late.remove(card)
        card.show(*self._shown)

    def _seen_first(self) -> list[Card]:
        return sorted(self._late, key=lambda card: not self._sees(card))

    def _sees(self, card: Card) -> bool:
        return _name(card.title) in self._seen

    @property
    def view(self) -> pn.FlexBox:
        """The cards side by side, as many as there is room for."""
        return pn.FlexBox(*(card.view for card in self._board.values()), gap="12px", stylesheets=[BOARD])


def _name(title: str) -> str:
    return title.lower().replace(" ", "-")
