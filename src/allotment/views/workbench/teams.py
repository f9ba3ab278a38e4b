"""The part of the page that says which teams wait longer than in the baseline: the dividers that are dragged are between teams."""

from __future__ import annotations

import panel as pn

from allotment.results.result import Result
from allotment.views.team_waits import team_waits, who_waits_longer
from allotment.views.workbench.settings import RUNS
from allotment.views.workbench.style import HEADING, TABLE, WORDS
from allotment.views.workbench.words import say, show_table, table_of, words


class Teams:
    """A sentence above a table, both of the second run."""

    def __init__(self) -> None:
        self._heading = words(HEADING)
        self.said = words(WORDS)
        self.table = table_of(f"{TABLE} td {{ white-space: normal; }}")

    @property
    def view(self) -> pn.Column:
        """All of it, one below the other."""
        return pn.Column(self._heading, self.said, self.table, sizing_mode="stretch_width")

    def show(self, run: Result, baseline: Result | None) -> None:
        """Bring it up to date."""
        say(self._heading, f"Who waits longer under {RUNS[-1]} ({run.policy}): 9 in 10 within", "h3")
        say(self.said, who_waits_longer(run, baseline), "p", role="status")
        show_table(self.table, team_waits(run, baseline).map(_kept_together))


def _kept_together(cell: str) -> str:
    r"""Return a cell that a narrow screen breaks before its bracket and nowhere else.

    >>> _kept_together("1.0 d (was 29 min)").split(" ")
    ['1.0\xa0d', '(was\xa029\xa0min)']
    """
    return cell.replace(" ", "\xa0").replace("\xa0(", " (")
