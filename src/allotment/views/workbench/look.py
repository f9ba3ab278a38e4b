"""What is looked at: a team, a job and a moment, chosen beside the pictures or by a click in one of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import attrs
import numpy as np
import panel as pn

from allotment.results.result import Result
from allotment.units import HOUR
from allotment.views.charts.groups import Highlight
from allotment.views.formats import plain, short

NOBODY = "nobody"
_DIGITS = 15  # of the number of a job, at most


class Look:
    """The controls of one page. `changed` is called when something else is looked at, `refuse` with why that cannot be."""

    def __init__(self, changed: Callable[[], Any], refuse: Callable[[str], Any]) -> None:
        self._changed = changed
        self._refuse = refuse
        self._quiet = False
        self._at_end = True
        self._jobs = np.zeros(0)  # their numbers, which have gaps: who waits to be submitted is not there yet
        wide: dict[str, Any] = {"sizing_mode": "stretch_width"}
        self.team = pn.widgets.Select(label="Highlight a team", options={NOBODY: ""}, **wide)
        self.job = pn.widgets.TextInput(
            label="Highlight a job", placeholder="its number, to be told why it waited", **wide
        )
        self.time = pn.widgets.IntSlider(label="Moment, hours", start=0, end=1, value=1, **wide)
        self.highlight = Highlight()
        for widget, name in ((self.team, "value"), (self.job, "value"), (self.time, "value_throttled")):
            widget.param.watch(self._heard, name)

    @property
    def view(self) -> pn.Column:
        """The controls, one below the other."""
        return pn.Column(self.team, self.job, self.time, sizing_mode="stretch_width")

    def offer(self, results: Sequence[Result]) -> None:
        """Offer what there is in these results: their teams, and the time until their end."""
        first = results[0]
        self._jobs = np.unique(np.concatenate([result.jobs["job"].to_numpy(np.float64) for result in results]))
        teams = [str(node) for node in first.shares["node"].cat.categories if str(node) != "root"]
        options = {NOBODY: "", **{plain(team): team for team in sorted(teams)}}
        self._quiet = True
        try:
            if options != self.team.options:
                gone = self.team.value not in teams
                self.team.options = options
                self.team.value = "" if gone else self.team.value
                self.highlight = attrs.evolve(self.highlight, team=self.team.value or None)
            hours = max(1, first.horizon // HOUR)
            self.time.end = hours
            self.time.value = hours if self._at_end else min(int(self.time.value or 0), hours)
        finally:
            self._quiet = False

    def no_job(self) -> None:
        """Look at no job."""
        self.job.value = ""

    def pick(self, kind: Literal["job", "team", "time"], value: Any) -> None:
        """Look at what was clicked on; a job or a team that is looked at already is looked at no longer."""
        self._quiet = True
        try:
            if kind == "time":
                self.time.value = min(self.time.end, round(value / HOUR))
                self._at_end = self.time.value >= self.time.end
            elif kind == "job":
                self.job.value = "" if self.job.value == str(value) else str(value)
            elif value in self.team.options.values():
                self.team.value = "" if self.team.value == value else value
        finally:
            self._quiet = False
        self._look()

    def _heard(self, event: Any) -> None:
        if self._quiet:
            return
        if event.obj is self.time:
            self._at_end = event.new >= self.time.end
        self._look()

    def _look(self) -> None:
        found = self._read()
        if found is not None and found != self.highlight:
            self.highlight = found
            self._changed()

    def _read(self) -> Highlight | None:
        number = (self.job.value or "").strip()
        if number and not (number.isdecimal() and len(number) <= _DIGITS):
            self._refuse(f"a job is highlighted by its number, such as 17, not {short(repr(number), 60)}")
            return None
        if number and len(self._jobs) and not np.isin(float(number), self._jobs):
            near = self._jobs[np.abs(self._jobs - float(number)).argmin()]
            self._refuse(f"there is no job {number} in these runs so far; the nearest is {near:.0f}")
            return None
        return Highlight(
            team=self.team.value or None,
            job=int(number) if number else None,
            time=None if self._at_end else max(0, int(self.time.value or 0)) * HOUR,
        )
