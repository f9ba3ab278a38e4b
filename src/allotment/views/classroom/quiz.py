"""A few questions on a page: each answer hears why it is right or what it overlooks; at the end there is a code for the room.

In JupyterLab as the last line of a cell. Everything works by keyboard.
"""

from __future__ import annotations

from functools import partial
from typing import Literal

import panel as pn

from allotment.lessons import poll
from allotment.lessons.lesson import Lesson, load_lesson
from allotment.lessons.question import Question
from allotment.views.notebook import load_scripts
from allotment.views.workbench.style import PAGE, WORDS
from allotment.views.workbench.words import heading, say, words

When = Literal["", "before", "after"]


def poll_of(lesson: Lesson, when: When) -> str:
    """Return the name under which codes of a quiz are counted: those before a workshop apart from those after it."""
    return f"{lesson.name}/{when}"


class Quiz(pn.viewable.Viewer):
    """The questions of a lesson.

    With `when` "before" nothing is said of the answers, so that the same questions can be asked again "after". Read `right` in
    another cell: how many of the answers that were given first are right, None until every question has one.
    """

    def __init__(self, lesson: Lesson | str, when: When = "") -> None:
        load_scripts()
        super().__init__()  # type: ignore[no-untyped-call]
        self.lesson = lesson if isinstance(lesson, Lesson) else load_lesson(lesson)
        self.when = when
        self._first: dict[int, int] = {}
        self._choices = [_choices(question) for question in self.lesson.questions]
        self._replies = [words(WORDS) for _ in self.lesson.questions]
        self._result = words(WORDS)
        for number, choice in enumerate(self._choices):
            choice.param.watch(partial(self._answered, number), "value")
        self._tell()

    @property
    def right(self) -> int | None:
        """How many first answers are right; None while a question has none."""
        if len(self._first) < len(self.lesson.questions):
            return None
        return sum(self.lesson.questions[number].answers[at].right for number, at in self._first.items())

    @property
    def code(self) -> str | None:
        """The code that tells the room how many were right."""
        return None if self.right is None else poll.code(poll_of(self.lesson, self.when), self.right)

    def _answered(self, number: int, _event: object) -> None:
        at = self._choices[number].value
        if at is None:
            return
        self._first.setdefault(number, at)
        answer = self.lesson.questions[number].answers[at]
        if self.when != "before":
            say(
                self._replies[number],
                f"{'Right' if answer.right else 'Not quite'}: {answer.because}",
                "p",
                role="status",
            )
        self._tell()

    def _tell(self) -> None:
        of, done = len(self.lesson.questions), len(self._first)
        if self.right is None:
            say(self._result, f"{done} of {of} answered.", "p", role="status")
        elif self.when == "before":
            say(self._result, f"All answered. Your code for the room: {self.code}.", "p", role="status")
        else:
            text = f"At the first go {self.right} of {of} were right."
            code = f" Your code for the room: {self.code}." if self.when else ""
            say(self._result, text + code, "p", role="status")

    def __panel__(self) -> pn.viewable.Viewable:
        """Return the page."""
        asked = zip(self.lesson.questions, self._choices, self._replies, strict=True)
        parts = [
            part
            for number, (question, choice, reply) in enumerate(asked, 1)
            for part in (heading(f"{number}. {question.ask}", "h3"), choice, reply)
        ]
        return pn.Column(
            *parts, self._result, css_classes=["quiz"], sizing_mode="stretch_width", stylesheets=[PAGE], max_width=820
        )


def _choices(question: Question) -> pn.widgets.RadioBoxGroup:
    texts = {answer.text: at for at, answer in enumerate(question.answers)}
    choice = pn.widgets.RadioBoxGroup(options=texts, margin=(2, 8))
    choice.value = None  # at first it takes the first one by itself
    return choice
