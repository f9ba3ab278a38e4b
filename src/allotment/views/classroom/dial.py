"""One control and one picture: whatever the control is set to is run, and the picture shows what comes of it.

In JupyterLab as the last line of a cell. What was run once is kept.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

import panel as pn

from allotment.errors import AllotmentError
from allotment.views.charts.picture import Picture
from allotment.views.notebook import load_scripts
from allotment.views.workbench.board import Card
from allotment.views.workbench.soon import poster
from allotment.views.workbench.style import PAGE, WORDS
from allotment.views.workbench.words import say, words

T = TypeVar("T")


class Dial(pn.viewable.Viewer, Generic[T]):
    """A slider over a few values, and the picture of what each of them gives.

    `values` are what can be chosen, by the words for it; `make` returns the picture for one of them, and may take seconds: it is
    called in a thread. The picture of `start`, the first value where none is named, is there from the beginning. Read `picture`
    in another cell: what is shown.
    """

    def __init__(
        self, label: str, values: Mapping[str, T], make: Callable[[T], Picture], *, start: str | None = None
    ) -> None:
        load_scripts()
        super().__init__()  # type: ignore[no-untyped-call]
        if start is None:
            start = next(iter(values))
        if start not in values:
            raise AllotmentError(f"{label} cannot start at {start!r}; there are {', '.join(map(repr, values))}")
        self._values, self._make = values, make
        self._made: dict[str, Picture] = {start: make(values[start])}
        self._shown = start
        self._asked = threading.Lock()
        self._post = poster()
        self._slider = pn.widgets.DiscreteSlider(
            label=label, options=list(values), value=start, sizing_mode="stretch_width", margin=(4, 12)
        )
        self._slider.param.watch(lambda _event: self._turn(), "value")
        self._words = words(WORDS)
        self._card = Card(label, lambda *_: self.picture)
        self._card.show(())

    @property
    def picture(self) -> Picture:
        """What is shown."""
        return self._made[self._shown]

    @property
    def value(self) -> T:
        """What the picture is of."""
        return self._values[self._shown]

    def turn(self, to: str) -> None:
        """Set the control to one of its values."""
        self._slider.value = to

    def _turn(self) -> None:
        name = str(self._slider.value)
        if name in self._made:
            self._show(name)
            return
        say(self._words, f"Running {name} ...", "p", role="status")
        threading.Thread(target=self._work, args=(name,), daemon=True).start()

    def _work(self, name: str) -> None:
        with self._asked:  # one at a time
            try:
                if name == self._slider.value and name not in self._made:
                    self._made[name] = self._make(self._values[name])
            except AllotmentError as error:
                problem = str(error)
                self._post(lambda: say(self._words, problem, "p", role="alert"))
                return
        self._post(lambda: self._show(name))

    def _show(self, name: str) -> None:
        if name != self._slider.value:  # turned on meanwhile
            return
        self._shown = name
        say(self._words, f"This is {name}.", "p", role="status")
        self._card.show(())

    def __panel__(self) -> pn.viewable.Viewable:
        """Return the page."""
        return pn.Column(
            self._slider,
            self._words,
            self._card.view,
            css_classes=["dial"],
            sizing_mode="stretch_width",
            stylesheets=[PAGE],
        )


def show(picture: Picture) -> pn.viewable.Viewable:
    """Return a picture with its sentence and its table, as the last line of a cell."""
    load_scripts()
    card: Any = Card(picture.title, lambda *_: picture)
    card.show(())
    return pn.Column(card.view, sizing_mode="stretch_width", stylesheets=[PAGE])
