"""The panel that says why a job waits or was displaced under each policy, and what would have changed it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import panel as pn

from allotment.errors import AllotmentError, NotFoundError
from allotment.explain.answer import Why
from allotment.formats import moment, plain, wait
from allotment.presets.why import why
from allotment.results.result import Result
from allotment.views import answers
from allotment.views.workbench.settings import RUNS
from allotment.views.workbench.style import TERMS, WHY, WHY_TABLE, WORDS
from allotment.views.workbench.words import heading, say, say_terms, show_table, table_of, words

NOT_YET = "Not looked for yet. A press on “What would have changed it?” runs the job again once for each change."
Asked = tuple[tuple[Result, ...], int, int | None]  # the results, the number of the job, and the moment


class _Side:
    """What one run says of the job."""

    def __init__(self) -> None:
        self.name = words(WORDS)
        self.short = words(TERMS)
        self.said = words(TERMS)
        self.tables = [(words(WORDS), table_of(WHY_TABLE)) for _ in range(2)]
        self.remarks = words(WORDS)
        parts = [part for pair in self.tables for part in pair]
        self.view = pn.Column(
            self.name, self.short, self.said, *parts, self.remarks, sizing_mode="stretch_width", css_classes=["side"]
        )

    def show(self, name: str, found: Why | str, asked: int | None = None) -> None:
        """Show an answer, or why there is none; `asked` is the moment (s) that was asked about."""
        say(self.name, name, "h3")
        self.view.css_classes = ["side", "without"] if isinstance(found, str) else ["side"]
        if isinstance(found, str):
            say_terms(self.short, {"No answer": found})
            say_terms(self.said, {})
            self._tell(None)
            return
        say_terms(self.short, _in_short(found))
        terms = {"The job": " ".join(answers.about(found))}
        if found.at is not None:
            terms["The moment"] = _moment(found, asked)
        terms |= {name.capitalize(): text for name, text in answers.now(found).items() if name != "why"}
        terms |= {f"Displaced ({number + 1})": text for number, text in enumerate(answers.stops(found))}
        more = len(found.displaced) - answers.MOST_STOPS
        if more > 0:
            terms["Displaced later"] = f"{more} times more"
        if answers.in_turn(found) is None:
            for row in answers.causes(found).itertuples():
                terms[f"In all: {row[0]}"] = f"{row[1]}, {row[2]} of its waiting"
        if any(each.code in ("room", "room_none") for each in found.room):  # budgets have words of their own
            terms["What the words mean"] = answers.WORDS
        say_terms(self.said, terms)
        self._tell(found)

    def _tell(self, found: Why | None) -> None:
        groups = [] if found is None else list(answers.what_would(found).items())
        for at, (head, table) in enumerate(self.tables):
            there = at < len(groups)
            head.visible = table.visible = there
            if there:
                say(head, groups[at][0], "h4")
                show_table(table, groups[at][1])
        asked = [] if found is None or not found.what_if else [answers.RULE, *answers.remarks(found), answers.PRICE]
        say(self.remarks, " ".join(asked), "p")


def _in_short(found: Why) -> dict[str, str]:
    """Return the cause and the cheapest remedy, which is all that most people ask for."""
    at = "" if found.at is None else f" at {moment(found.at)}"
    terms = {f"{answers.asked(found)}{at}": answers.cause(found)}
    if answers.in_turn(found) is not None:
        terms[f"All its waiting, {wait(found.waited)}"] = f"{answers.sums(found)}."
    if found.at is not None:
        terms["Cheapest remedy"] = answers.remedy(found) or NOT_YET
    return {name: text for name, text in terms.items() if text}


def _moment(found: Why, asked: int | None) -> str:
    """Return why it is this moment that is told of."""
    if asked is not None and asked == found.at:
        return f"{moment(asked)}, as chosen."
    stop = found.why is not None and found.why.code.startswith("stopped_")
    chosen = "the stop that cost it most" if stop else "when the longest stretch of what it waited for most began"
    told = "" if asked is None else f"At {moment(asked)} it neither waited nor ran. "
    return f"{told}This is about {moment(found.at or 0)}, {chosen}; another moment can be chosen under “Look at”."


class WhyPanel:
    """The panel of one page. `post` has something done in its thread; `leave` is called when nobody asks any more."""

    def __init__(self, post: Callable[[Callable[[], Any]], Any], leave: Callable[[], Any]) -> None:
        self._post = post
        self._asked: Asked | None = None
        self._title = heading("Why?", width=260)
        self._state = words(WORDS)
        self._sides = [_Side() for _ in RUNS]
        self._what_if = pn.widgets.Button(label="What would have changed it?", width=220, height=36)
        self._close = pn.widgets.Button(label="Close", width=80, height=36)
        self._what_if.on_click(lambda _event: self._begin(what_if=True))
        self._close.on_click(lambda _event: leave())
        self.view = pn.Column(
            pn.FlexBox(self._title, self._what_if, self._close, align_items="center"),
            self._state,
            pn.FlexBox(*(side.view for side in self._sides), gap="16px", stylesheets=[WHY]),
            css_classes=["why"],
            sizing_mode="stretch_width",
            visible=False,
        )

    def ask(self, results: Sequence[Result], job: int | None, at: int | None) -> None:
        """Say why a job waited, at a moment (s) if it waited then; None closes the panel."""
        asked = None if job is None or not results else (tuple(results), job, at)
        if asked is not None and self._asked is not None and asked[1:] == self._asked[1:]:
            same = all(a is b for a, b in zip(asked[0], self._asked[0], strict=True))
            if same:
                return
        self._asked = asked
        self.view.visible = asked is not None
        if asked is not None:
            self._begin(what_if=False)

    def _begin(self, *, what_if: bool) -> None:
        asked = self._asked
        if asked is None:
            return
        say(self._title, f"Why? Job {asked[1]}", "h2")
        say(self._state, "Running it once for each change ..." if what_if else "Looking it up ...", "p", role="status")
        self._what_if.disabled = True
        threading.Thread(target=self._work, args=(asked, what_if), name="why", daemon=True).start()

    def _work(self, asked: Asked, what_if: bool) -> None:  # noqa: FBT001 - a thread is given its arguments by place
        results, job, at = asked
        for side, run, result in zip(self._sides, RUNS, results, strict=True):
            if asked is not self._asked:
                return
            found = _answer(result, job, at, what_if=what_if)
            name = f"{run}, under {plain(result.policy)}"
            self._tell(asked, partial(side.show, name, found, at))
        self._tell(asked, lambda: self._end(what_if=what_if))

    def _tell(self, asked: Asked, act: Callable[[], Any]) -> None:
        self._post(lambda: act() if asked is self._asked else None)

    def _end(self, *, what_if: bool) -> None:
        say(self._state, "Each change has been tried." if what_if else "", "p", role="status")
        self._what_if.disabled = what_if


def _answer(result: Result, job: int, at: int | None, *, what_if: bool) -> Why | str:
    if not (result.jobs["job"] == job).any():
        return "In this run nobody had submitted it by then: many jobs come when another one ends, which hangs on the policy."
    try:
        try:
            return why(result, job, at, what_if=what_if)
        except NotFoundError:
            if at is None:
                raise
            return why(result, job, what_if=what_if)  # it did not wait at that moment
    except AllotmentError as error:
        return str(error)
