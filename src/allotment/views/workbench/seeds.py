"""The part of the page that asks whether A and B differ by more than chance: the same over several seeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import attrs
import panel as pn

from allotment.results.result import Result
from allotment.scenario import Scenario
from allotment.views.charts import comparison
from allotment.views.charts.groups import Highlight
from allotment.views.charts.picture import Picture
from allotment.views.formats import count, plain
from allotment.views.workbench.board import Card
from allotment.views.workbench.repeats import Repeated, Repeats
from allotment.views.workbench.style import WORDS
from allotment.views.workbench.words import say, words

FEWEST, USUAL, MOST = 2, 10, 30
BASELINE = "the baseline"
INVITES = (
    "One seed is one throw of the dice. Run both policies over several, each on the same jobs, to see what is more than chance; "
    "and the baseline with them, where its shares or its policy are others."
)


class Seeds:
    """The controls, the progress and the picture of one page. `post` has something done in the thread of the page.

    `scenarios` gives A and B, `baseline` the one that is pinned: with other shares, or another policy, it is run as well, and
    is what both are compared with.
    """

    def __init__(
        self,
        scenarios: Callable[[], Sequence[Scenario] | None],
        baseline: Callable[[], Scenario | None],
        post: Callable[..., Any],
    ) -> None:
        self._scenarios = scenarios
        self._baseline = baseline
        self._post = post
        self._repeats = Repeats(lambda found: post(lambda: self._look(found)))
        self._found: Repeated | None = None
        self._names: tuple[str, ...] = ()
        row: dict[str, Any] = {"height": 36, "margin": (4, 4)}
        self.many = pn.widgets.IntSlider(label="Seeds", start=FEWEST, end=MOST, value=USUAL, width=220)
        self._run = pn.widgets.Button(label="Run over several seeds", width=190, **row)
        self._cancel = pn.widgets.Button(label="Stop the seeds", width=150, disabled=True, **row)
        self._words = words(WORDS)
        self.card = Card("Over several seeds", self._picture)
        self.card.view.visible = False
        self._run.on_click(lambda _event: self.begin())
        self._cancel.on_click(lambda _event: self._repeats.cancel())
        say(self._words, INVITES, "p")

    @property
    def view(self) -> pn.Column:
        """All of it, one below the other."""
        bar = pn.FlexBox(self.many, self._run, self._cancel, align_items="center")
        return pn.Column(bar, self._words, self.card.view, sizing_mode="stretch_width")

    def begin(self) -> None:
        """Run both policies over as many seeds as are asked for, the first being that of the page."""
        scenarios = self._scenarios()
        if scenarios is None:  # which was said
            return
        named = {f"{letter} {plain(each.policy.name)}": each for letter, each in zip("AB", scenarios, strict=True)}
        baseline = self._baseline()
        if baseline is not None and baseline not in scenarios and _has_jobs_of(baseline, scenarios[1]):
            named = {BASELINE: baseline, **named}
        self._names = tuple(named)
        first = scenarios[0].seed
        many = min(max(FEWEST, int(self.many.value or USUAL)), MOST)
        self._repeats.begin([*named.values()], range(first, first + many))

    def forget(self) -> None:
        """Something else is set: what was found is of other scenarios."""
        self._repeats.end()
        if self._found is not None:
            self._found = None
            self.card.view.visible = False
            self._cancel.disabled = True
            say(self._words, INVITES, "p")

    def end(self) -> None:
        """Go no further."""
        self._repeats.end()

    def _look(self, found: Repeated) -> None:
        self._found = found
        self._cancel.disabled = found.state != "running"
        state = {"running": "running", "cancelled": "cancelled", "finished": "finished", "failed": "cannot run"}
        text = f"Seeds: {state[found.state]}, {found.done} of {found.of} done."
        say(
            self._words,
            " ".join(filter(None, (text, _by_chance(found.done), found.problem))),
            "p",
            role="alert" if found.problem else "status",
        )
        self.card.view.visible = bool(found.done)
        if found.done:
            self.card.show((), Highlight())

    def _picture(self, _results: Sequence[Result], _picked: Highlight) -> Picture:
        runs = () if self._found is None else self._found.runs
        return comparison(dict(zip(self._names, runs, strict=True)))


def _has_jobs_of(one: Scenario, other: Scenario) -> bool:
    """Tell whether two scenarios differ by nothing but who is owed what, and by which policy."""
    return attrs.evolve(one, policy=other.policy, changesets=other.changesets) == other


def _by_chance(seeds: int) -> str:
    """Return how seldom seeds agree on a sign by chance: of n throws of a coin all fall alike once in 2^(n - 1) times.

    >>> _by_chance(10)
    'That all 10 agree on the sign of a difference happens once in 512 times where there is none.'
    >>> _by_chance(1)
    ''
    """
    if seeds < FEWEST:
        return ""
    return f"That all {seeds} agree on the sign of a difference happens once in {count(2 ** (seeds - 1))} times where there is none."
