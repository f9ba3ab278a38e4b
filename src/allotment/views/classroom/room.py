"""What a room guessed, for the one who leads it: codes go in, and the guesses are drawn; then beside them what came out.

In JupyterLab as the last line of a cell. Nothing is sent anywhere, and no name is asked for.
"""

from __future__ import annotations

from collections.abc import Mapping

import panel as pn

from allotment.errors import AllotmentError
from allotment.experiment.spread import Spread
from allotment.lessons import poll
from allotment.lessons.card import Card
from allotment.lessons.cards import load_card
from allotment.lessons.lesson import Lesson, load_lesson
from allotment.lessons.poll import Votes
from allotment.lessons.trial import Tried
from allotment.views.charts.picture import Picture
from allotment.views.charts.room import room
from allotment.views.classroom.quiz import poll_of
from allotment.views.formats import plain
from allotment.views.notebook import load_scripts
from allotment.views.theories import SEEDS, Theory
from allotment.views.workbench.board import Card as PictureCard
from allotment.views.workbench.style import PAGE, WORDS
from allotment.views.workbench.words import heading, say, words

NAMED = 5  # codes that were not counted and are named


class Codes(pn.viewable.Viewer):
    """Where codes are typed or pasted in, in one or two rounds, and what the room answered."""

    def __init__(
        self,
        title: str,
        rounds: Mapping[str, str],
        answers: list[tuple[float, str]],
        unit: str,
    ) -> None:
        load_scripts()
        super().__init__()  # type: ignore[no-untyped-call]
        self._title, self._rounds, self._answers, self._unit = title, rounds, answers, unit
        self._truth: Spread | None = None
        self._votes: dict[str, Votes] = {name: poll.count(question, "") for name, question in rounds.items()}
        self._fields = {
            name: pn.widgets.TextAreaInput(
                label=f"Codes, {name}", placeholder="such as 70KC 4XQ2", rows=2, sizing_mode="stretch_width"
            )
            for name in rounds
        }
        self._words = words(WORDS)
        self._card = PictureCard(title, self._picture)
        for field in self._fields.values():
            field.param.watch(lambda _event: self.count(), "value")
        self.count()

    @property
    def votes(self) -> Mapping[str, Votes]:
        """What was counted, and what was not, in each round."""
        return self._votes

    def count(self, **codes: str) -> None:
        """Count the codes that were typed in, or those given for a round by its name, and draw them."""
        for name, text in codes.items():
            self._fields[name].value = text
        try:
            self._votes = {
                name: poll.count(self._rounds[name], field.value or "") for name, field in self._fields.items()
            }
        except AllotmentError as error:
            say(self._words, str(error), "p", role="alert")
            return
        self._card.show(())
        say(self._words, _told(self._votes), "p", role="status")

    def tell(self, truth: Spread | None) -> None:
        """Draw what came out beside the guesses."""
        self._truth = truth
        self._card.show(())

    def _picture(self, *_: object) -> Picture:
        guesses = {name: votes.counts(len(self._answers)) for name, votes in self._votes.items()}
        return room(self._title, self._answers, guesses, unit=self._unit, truth=self._truth)

    def __panel__(self) -> pn.viewable.Viewable:
        """Return the page."""
        return pn.Column(
            heading(self._title, "h2"),
            *self._fields.values(),
            self._words,
            self._card.view,
            css_classes=["room"],
            sizing_mode="stretch_width",
            stylesheets=[PAGE],
        )


def _told(votes: Mapping[str, Votes]) -> str:
    lines = []
    for name, each in votes.items():
        lines.append(f"{name}: {len(each.answers)} counted, {len(each.refused)} not.")
        lines += [f"{plain(refused.text)} {refused.reason}." for refused in each.refused[:NAMED]]
        if len(each.refused) > NAMED:
            lines.append(f"And {len(each.refused) - NAMED} more that were not counted.")
    return "\n".join(lines)


class Room(pn.viewable.Viewer):
    """The guesses of a room about one theory, and then its experiment: `card` is a card or the id of one, such as 'F04'."""

    def __init__(self, card: Card | str, *, seeds: int = SEEDS) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.card = card if isinstance(card, Card) else load_card(card)
        guess = self.card.guess
        places = [(value, f"{value:.3g}") for value in (poll.value(guess, step) for step in range(poll.STEPS + 1))]
        self.codes = Codes(f"{self.card.id}: what the room guessed", {"guesses": self.card.id}, places, guess.unit)
        self.theory = Theory(self.card, seeds=seeds, on_reveal=self._reveal)

    def _reveal(self, tried: Tried) -> None:
        self.codes.tell(tried.answer)

    def __panel__(self) -> pn.viewable.Viewable:
        """Return the page."""
        return pn.Column(self.codes, self.theory, sizing_mode="stretch_width")


def quiz_room(lesson: Lesson | str) -> Codes:
    """Return where the codes of a quiz are counted: how many answers were right, before a workshop and after it."""
    of = lesson if isinstance(lesson, Lesson) else load_lesson(lesson)
    answers = [(float(right), str(right)) for right in range(len(of.questions) + 1)]
    rounds = {"before": poll_of(of, "before"), "after": poll_of(of, "after")}
    return Codes(f"{of.title}: how many were right", rounds, answers, f"right of {len(of.questions)}")
