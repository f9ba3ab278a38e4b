"""What both runs of a page are compared with: policy B as the page was opened, until another run is pinned."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import attrs
import panel as pn

from allotment.errors import AllotmentError
from allotment.formats import moment, part, plain, span
from allotment.model.changeset import Changeset
from allotment.model.plan import Plan
from allotment.results.result import Result
from allotment.scenario import Scenario
from allotment.views.workbench.course import refuse_too_many_jobs
from allotment.views.workbench.repeats import run_to
from allotment.views.workbench.settings import Settings, baseline_of
from allotment.views.workbench.style import WORDS
from allotment.views.workbench.words import say, words

NOT_BEGUN = "These runs have not begun, so nothing is compared: press Run or Step."
NOT_THERE = "Nothing has run yet, so there is nothing to pin: press Run or Step first."
USED = "The brackets of the table above (was ...), the figures below and several seeds are against it."
SAID = 4  # shares that are named


class Baseline:
    """The baseline of one page, and the button that pins another.

    `post` has something done in the thread of the page, `changed` is called when a run that had to be made again is there,
    and `refuse` with why there is none.
    """

    def __init__(
        self,
        base: Scenario,
        post: Callable[[Callable[[], Any]], Any],
        changed: Callable[[], Any],
        refuse: Callable[[str], Any],
        most_jobs: int | None = None,
    ) -> None:
        self._most_jobs = most_jobs
        self.run: Result | None = None
        self.by_hand = False
        self._base = base
        self._post = post
        self._changed = changed
        self._refuse = refuse
        self._made_again: tuple[Scenario, int | None] | None = None
        self._stop = threading.Event()
        self.button = pn.widgets.Button(label="Pin B as the baseline", width=180, height=36)
        self.said = words(WORDS)

    def pin(self, run: Result, settings: Settings) -> Settings | None:
        """Pin a run that these settings gave, and return what the settings of the page then hold; None if it cannot be."""
        if not run.horizon:
            self._refuse(NOT_THERE)
            return None
        self.end()
        self.run, self.by_hand = run, True
        until = None if run.horizon >= run.scenario.horizon else run.horizon
        alone = attrs.evolve(
            settings,
            first=settings.second,
            turns=tuple(turn for turn in settings.turns if turn.run == "B"),
            pinned=None,
            pinned_until=None,
        )
        return attrs.evolve(settings, pinned=alone, pinned_until=until)

    def restore(self, settings: Settings) -> str:
        """Run what is pinned in some settings, in the background; return why that cannot be, or nothing."""
        if settings.pinned is None:
            return ""
        try:
            scenario = baseline_of(self._base, settings.pinned)
            refuse_too_many_jobs(scenario, self._most_jobs)
        except AllotmentError as error:
            return f"what is pinned as the baseline cannot be run: {error}"
        self._begin(scenario, settings.pinned_until)
        return ""

    def follow(self, run: Result) -> None:
        """Take up what is shown: where nobody has pinned a run, the baseline is B as the page was opened, and all of it.

        It grows with that run. One that was pinned is run again where there is another seed, on which it can be compared.
        """
        mine = self.run
        if self.by_hand:
            if mine is not None and mine.scenario.seed != run.scenario.seed:
                until = None if mine.horizon >= mine.scenario.horizon else mine.horizon
                self._begin(attrs.evolve(mine.scenario, seed=run.scenario.seed), until)
            return
        grows = mine is not None and mine.scenario == run.scenario and run.horizon >= mine.horizon
        if mine is None or not mine.horizon or mine.scenario.seed != run.scenario.seed or grows:
            self.run = run

    def of(self, run: Result | None) -> Result | None:
        """Return the baseline where a run can be compared with it: not with other seeds, nor before it has begun."""
        mine = self.run
        if run is None or mine is None or not run.horizon or not mine.horizon:
            return None
        return mine if mine.scenario.seed == run.scenario.seed else None

    def tell(self, run: Result) -> None:
        """Say what the baseline is, and whether a run is compared with it."""
        say(self.said, self._told(run), "p", role="status")

    def _told(self, run: Result) -> str:
        mine = self.run
        if self._made_again is not None:
            return "Baseline: what is pinned is being run again."
        if mine is None or not mine.horizon:
            return NOT_BEGUN
        what = "pinned" if self.by_hand else "B as the page was opened"
        told = f"Baseline ({what}): {described(mine, self._base)}."
        if not run.horizon:
            return f"{told} {NOT_BEGUN}"
        if mine is run:
            return f"{told} It is what B shows now: change something, and the difference is shown."
        short = "" if mine.horizon == run.horizon else " They have not run equally far: compare with care."
        return f"{told} {USED}{short}"

    def _begin(self, scenario: Scenario, until: int | None) -> None:
        wanted = (scenario, until)
        if self._made_again == wanted:
            return
        self.end()
        self.by_hand, self._made_again, self._stop = True, wanted, threading.Event()
        threading.Thread(target=self._work, args=(*wanted, self._stop), name="baseline", daemon=True).start()

    def _work(self, scenario: Scenario, until: int | None, stop: threading.Event) -> None:
        try:
            found: Result | str | None = run_to(scenario, until, stop)
        except (AllotmentError, ValueError) as error:
            found = str(error)
        if found is not None and not stop.is_set():
            self._post(lambda: self._take(found, stop))

    def _take(self, found: Result | str, stop: threading.Event) -> None:
        if stop.is_set():  # another was pinned meanwhile
            return
        self._made_again = None
        if isinstance(found, str):
            self.run, self.by_hand = None, False
            self._refuse(f"what is pinned as the baseline cannot be run: {found}")
        else:
            self.run = found
        self._changed()

    def end(self) -> None:
        """Run nothing again any more."""
        self._stop.set()
        self._made_again = None


def described(run: Result, base: Scenario) -> str:
    """Return what a run is of: its policy, its shares, its seed and how far it went."""
    scenario = run.scenario
    at_once = [change for change in scenario.changesets if not change.time]
    later = [change for change in scenario.changesets if change.time and change not in base.changesets]
    parts = [f"policy {plain(run.policy)}", f"shares {_shares(scenario.plan, base, at_once)}"]
    if later:
        parts.append(f"changed while it ran on {', '.join(moment(change.time) for change in later[:SAID])}")
    if scenario.cluster != base.cluster:
        parts.append(f"cluster {plain(scenario.cluster.name)}")
    if scenario.workload != base.workload:
        parts.append("another job mix")
    whole = run.horizon >= scenario.horizon
    return ", ".join([*parts, f"seed {scenario.seed}", f"{'all' if whole else 'the first'} {span(run.horizon)}"])


def _shares(plan: Plan, base: Scenario, changes: list[Changeset]) -> str:
    if plan != base.plan:
        return "of another plan"
    moved = {change.id: change.share for changeset in changes for change in changeset.shares}
    if not moved:
        return "as the scenario has them"
    named = [f"{plain(plan.path(name))} {part(float(share))}" for name, share in sorted(moved.items())]
    more = len(named) - SAID
    return f"as dragged ({'; '.join(named[:SAID])}{f' and {more} more' if more > 0 else ''})"
