"""A folk theory on a page: what people say, your guess, the experiment, and then what came of it.

In JupyterLab as the last line of a cell. Nothing is shown before the guess is made.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

import panel as pn

from allotment.errors import AllotmentError
from allotment.experiment.spread import Spread
from allotment.lessons import poll
from allotment.lessons.card import Card
from allotment.lessons.cards import load_card
from allotment.lessons.trial import Tried, try_out
from allotment.lessons.turned import wanting
from allotment.lessons.verdict import FEWEST, Verdict
from allotment.views.charts.picture import Picture
from allotment.views.charts.theory import theory
from allotment.views.formats import NOTHING, plain
from allotment.views.notebook import load_scripts
from allotment.views.workbench.board import Card as PictureCard
from allotment.views.workbench.soon import poster
from allotment.views.workbench.style import PAGE, TERMS, WORDS
from allotment.views.workbench.words import heading, say, say_terms, words

SEEDS, MOST = 5, 20
STEPS = 100  # of the slider


class _StoppedError(Exception):
    """Another run was asked for."""


class Theory(pn.viewable.Viewer):
    """One belief: a guess first, then the run, with every seed as a dot.

    `card` is a card or the id of one, such as 'F04'. Read `guess` and `tried` in another cell; `tried` is None until the
    experiment was run. `on_reveal` hears what comes of it. Beside the slider stands the code of the guess, for a poll of a room.
    """

    def __init__(
        self, card: Card | str, *, seeds: int = SEEDS, on_reveal: Callable[[Tried], None] | None = None
    ) -> None:
        load_scripts()
        super().__init__()  # type: ignore[no-untyped-call]
        self.card = card if isinstance(card, Card) else load_card(card)
        self.tried: Tried | None = None
        self._on_reveal = on_reveal
        self._post = poster()
        self._stop = threading.Event()
        self._build(seeds)

    @property
    def guess(self) -> float:
        """What was guessed, in the unit of the card's question."""
        return float(self._slider.value or 0)

    @property
    def code(self) -> str:
        """The code that tells a room what was guessed."""
        return poll.code(self.card.id, poll.step(self.card.guess, self.guess))

    def _say_code(self, *_: object) -> None:
        say(self._code, f"Your code for the room: {self.code}.", "p")

    def _build(self, seeds: int) -> None:
        guess = self.card.guess
        wide: dict[str, Any] = {"sizing_mode": "stretch_width", "margin": (4, 12)}
        self._slider = pn.widgets.FloatSlider(
            label=f"Your guess, {guess.unit}",
            start=guess.low,
            end=guess.high,
            step=(guess.high - guess.low) / STEPS,
            value=(guess.low + guess.high) / 2,
            **wide,
        )
        self._run = pn.widgets.Button(label="That is my guess: run it", color="primary", width=220, height=36)
        self._run.on_click(lambda _event: self.run())
        self._slider.param.watch(self._say_code, "value")
        self._question, self._code, self._words = words(WORDS), words(WORDS), words(WORDS)
        self._say_code()
        say(self._question, guess.question, "p")
        self._card = PictureCard("Reveal", self._picture)
        self._terms = words(TERMS)
        self._times = pn.widgets.FloatSlider(
            label="How much work teams want, times", start=0.4, end=2, step=0.1, value=1, **wide
        )
        self._seeds = pn.widgets.IntSlider(label="Seeds", start=FEWEST, end=MOST, value=seeds, **wide)
        self._again = pn.widgets.Button(label="Run it again", width=140, height=36)
        self._again.on_click(lambda _event: self.run())
        self._after = pn.Column(
            self._card.view,
            self._terms,
            heading("Try to break it", "h3"),
            self._times,
            self._seeds,
            self._again,
            visible=False,
            sizing_mode="stretch_width",
        )

    def __panel__(self) -> pn.viewable.Viewable:
        """Return the page."""
        return pn.Column(
            heading(f"{self.card.id}: “{self.card.claim}”", "h2"),
            self._question,
            self._slider,
            self._code,
            self._run,
            self._words,
            self._after,
            css_classes=["theory"],
            sizing_mode="stretch_width",
            stylesheets=[PAGE],
        )

    def run(self) -> None:
        """Run the experiment in the background, as it is turned, instead of what went on before; then show what came of it."""
        self._stop.set()
        self._stop = threading.Event()
        self._slider.disabled = True
        card = wanting(self.card, float(self._times.value or 1))
        work = threading.Thread(
            target=self._work, args=(card, range(int(self._seeds.value or SEEDS)), self._stop), daemon=True
        )
        work.start()

    def _work(self, card: Card, seeds: range, stop: threading.Event) -> None:
        def tell(done: int, of: int) -> None:
            if stop.is_set():
                raise _StoppedError
            self._post(lambda: say(self._words, f"{done} of {of} runs done.", "p", role="status"))

        try:
            (tried,) = try_out([card], seeds=seeds, processes=1, tell=tell)
        except _StoppedError:
            return
        except AllotmentError as error:
            problem = str(error)
            self._post(lambda: say(self._words, problem, "p", role="alert"))
            return
        self._post(lambda: self.reveal(tried))

    def reveal(self, tried: Tried) -> None:
        """Show what came of the experiment."""
        self.tried = tried
        self._run.visible = False
        say(self._words, f"Run over {len(tried.seeds)} seeds.", "p", role="status")
        self._card.show(())
        say_terms(self._terms, terms(tried, self.guess))
        self._after.visible = True
        if self._on_reveal is not None:
            self._on_reveal(tried)

    def _picture(self, *_: object) -> Picture:
        if self.tried is None:
            raise ValueError("nothing was run yet")
        return theory(self.tried)


def terms(tried: Tried, guess: float) -> Mapping[str, str]:
    """Return what is told with the picture: the guess and the answer, the verdict, and the texts of the card."""
    card = tried.card
    depends = f": it depends on {card.switch}" if tried.verdict is Verdict.CONDITIONAL else ""
    return {
        "You guessed": f"{guess:.3g} {card.guess.unit}",
        "It was": _answer(tried.answer, card.guess.unit),
        "The verdict": f"{tried.verdict.value}{depends}.",
        "In fact": card.fact,
        "Why it looks true": card.why,
        "Where it is true": card.true_where,
        "Try it": card.try_it,
        **{f"In the field, {each.source}": plain(each.what) for each in card.field},
        **({"What this leaves out": card.notes} if card.notes else {}),
    }


def _answer(of: Spread | None, unit: str) -> str:
    if of is None:
        return NOTHING
    return f"{of.median:.3g} {unit} (median over seeds; its interval is {of.low:.3g} to {of.high:.3g})"
