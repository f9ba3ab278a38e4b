"""The workbench as a page: in JupyterLab as the last line of a cell, in a browser by `allotment serve`. The same code."""

from __future__ import annotations

import asyncio
import threading
import zipfile
from collections.abc import Callable, Sequence
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import attrs
import panel as pn

from allotment.errors import AllotmentError
from allotment.interop.scenario_file import dumps
from allotment.model.plan import Plan
from allotment.presets import load_scenario
from allotment.results.result import Result
from allotment.scenario import Scenario
from allotment.units import HOUR
from allotment.views.charts import comparison
from allotment.views.charts.groups import Highlight
from allotment.views.charts.picture import Picture
from allotment.views.formats import plain
from allotment.views.plan_editor.widget import PlanEditorPane
from allotment.views.tables import waits as table_of_waits
from allotment.views.workbench.bar import Bar
from allotment.views.workbench.board import Board, Card
from allotment.views.workbench.controls import Controls
from allotment.views.workbench.names import SliderNames
from allotment.views.workbench.pictures import PICTURES
from allotment.views.workbench.play import Frame, Play
from allotment.views.workbench.settings import Settings, from_link, scenarios_of, share_changes, to_link
from allotment.views.workbench.style import BANNER, COLUMNS, HEADING, PAGE
from allotment.views.workbench.words import say, show_table, table_of, words

FIRST = 20.0  # wall-clock seconds that the output of a cell waits for the first pictures, at most
LITTLE = 1.2  # times the healthy GPUs; below it there is little to share out


class Workbench(pn.viewable.Viewer):
    """Two policies on the same jobs, beside the plan, the job mix and the cluster that one can turn.

    `scenario` is one at hand, the name of a preset, or a file; `settings` what differs from it. Read `settings` and `results` in
    another cell. `run=False` waits for the button.
    """

    def __init__(
        self, scenario: Scenario | str | Path = "small-week", *, settings: Settings | None = None, run: bool = True
    ) -> None:
        if pn.state.curdoc is None:  # a notebook: what it draws with is put into it, so that no network is needed
            pn.extension(inline=True)
        super().__init__()  # type: ignore[no-untyped-call]
        self._base = scenario if isinstance(scenario, Scenario) else load_scenario(scenario)
        self.settings = Settings() if settings is None else settings
        self.results: tuple[Result, ...] = ()
        self._post = _poster()
        self._latest: Frame | None = None
        self._waiting = False
        self._heard = threading.Event()
        self._highlight = Highlight()
        self._play = Play(self._hear)
        self._began = False
        self._controls = Controls(self._base, self.settings, self._changed)
        self._board = Board(PICTURES, self._push)
        self._pinned: Result | None = None
        self._against = Card("Scenarios", self._compared, self._push)
        self._build()
        pn.state.on_session_destroyed(lambda _context: self.close()) if pn.state.curdoc else None
        self._changed(start=run)

    # the parts of the page

    def _build(self) -> None:
        self._bar = Bar(
            {
                "start": self._on_start,
                "pause": self._play.pause,
                "step": self._on_step,
                "reset": self._on_reset,
                "cancel": self._play.cancel,
                "speed": lambda: self._play.set_speed(self._bar.speed),
            }
        )
        self._pin = pn.widgets.Button(label="Pin B as the baseline", width=180, height=36)
        self._banner = words(BANNER, visible=False)
        self._team = pn.widgets.Select(label="Highlight a team", options={"nobody": ""}, sizing_mode="stretch_width")
        self._job = pn.widgets.TextInput(label="Highlight a job", placeholder="its number", sizing_mode="stretch_width")
        self._time = pn.widgets.IntSlider(label="Moment, hours", start=0, end=1, value=1, sizing_mode="stretch_width")
        self._at_end = True
        self._link = pn.widgets.TextInput(label="Link to this", sizing_mode="stretch_width")
        self._save = pn.widgets.FileDownload(
            callback=self._scenario_file,
            filename="scenario.yaml",
            label="Scenario file",
            height=36,
        )
        self._csv = pn.widgets.FileDownload(
            callback=self._tables_file, filename="tables.zip", label="Tables as CSV", height=36
        )
        self._editor = self._make_editor(self.settings.plan or self._base.plan)
        self._waits = table_of()
        self._pin.on_click(lambda _event: self._on_pin())
        for widget, name in ((self._team, "value"), (self._job, "value"), (self._time, "value_throttled")):
            widget.param.watch(self._on_highlight, name)

    def _make_editor(self, plan: Plan) -> Any:
        editor = PlanEditorPane(plan, gpus=self._gpus(), sizing_mode="stretch_width")
        editor.on_edit(self._on_plan)
        return editor

    def _gpus(self) -> int:
        try:
            return scenarios_of(self._base, self.settings)[0].cluster.gpus
        except AllotmentError:
            return self._base.cluster.gpus

    def __panel__(self) -> pn.viewable.Viewable:
        """Return the page; in a notebook with its pictures, where they are there in a moment."""
        if pn.state.curdoc is None and self._began:
            self._heard.wait(FIRST)
            self._look()
        title = _heading(self._base.title or self._base.name, "h1")
        left = pn.Column(
            _heading("Who is owed what"),
            self._editor,
            _heading("Policies and cluster"),
            self._controls.general,
            _heading("Job mix"),
            self._controls.kinds,
            _heading("Look at"),
            self._team,
            self._job,
            self._time,
            _heading("Keep"),
            self._link,
            pn.Row(self._save, self._csv),
            css_classes=["left"],
            sizing_mode="stretch_width",
        )
        right = pn.Column(
            self._banner,
            _heading("Who waits how long"),
            self._waits,
            self._board.view,
            _heading("Against a baseline"),
            self._pin,
            self._against.view,
            css_classes=["right"],
            sizing_mode="stretch_width",
        )
        return pn.Column(
            title,
            self._bar.view,
            self._bar.status,
            SliderNames(),
            pn.FlexBox(left, right, gap="16px", align_items="flex-start", stylesheets=[COLUMNS]),
            css_classes=["workbench"],
            stylesheets=[PAGE],
            sizing_mode="stretch_width",
        )

    # what people do

    def _changed(self, *, start: bool = True) -> None:
        """Something was set: run with it from the start."""
        self.settings = self._controls.read(self.settings)
        self._link.value = self._address()
        try:
            scenarios = scenarios_of(self._base, self.settings)
        except AllotmentError as error:
            self._tell(str(error), bad=True)
            return
        self._tell("", bad=False)
        if start:
            self._begin(scenarios)

    def _begin(self, scenarios: Sequence[Scenario], *, paused: bool = False) -> None:
        self._began = True
        self._scenarios = tuple(scenarios)
        self._play.begin(scenarios, speed=self._bar.speed, paused=paused)

    def _on_plan(self, plan: Plan) -> None:
        frame = self._latest
        old = self.settings.plan or self._base.plan
        self.settings = attrs.evolve(self.settings, plan=None if plan == self._base.plan else plan)
        if self._bar.edits_at_once and frame is not None and frame.state in ("running", "paused"):
            changes = share_changes(old, plan)
            if changes:
                self._link.value = self._address()
                self._play.edit(changes, author="workbench", reason="dragged")
                return
        self._changed()

    def _on_start(self) -> None:
        frame = self._latest
        if frame is not None and frame.state == "paused":
            self._play.resume()
        else:
            self._changed()

    def _on_step(self) -> None:
        frame = self._latest
        if frame is None or frame.state not in ("running", "paused"):
            self._on_reset()
        self._play.step(HOUR)

    def _on_reset(self) -> None:
        try:
            self._begin(scenarios_of(self._base, self.settings), paused=True)
        except AllotmentError as error:
            self._tell(str(error), bad=True)

    def _on_pin(self) -> None:
        if self.results:
            self._pinned = self.results[-1]
            self._against.show(self.results, self._highlight)

    def _compared(self, results: Sequence[Result], _picked: Highlight) -> Picture:
        """Return the picture of both runs against the one that is pinned: at first that of B as the page was opened."""
        if self._pinned is None or self._pinned.scenario.seed != results[-1].scenario.seed:
            self._pinned = results[-1]  # of other seeds nothing could be compared
        runs = {f"{letter} {result.summary['policy']}": result for letter, result in zip("AB", results, strict=True)}
        return comparison({"the baseline": self._pinned, **runs})

    def _on_highlight(self, event: Any) -> None:
        if event.obj is self._time:
            self._at_end = event.new >= self._time.end
        number = (self._job.value or "").strip()
        if number and not number.isdecimal():
            self._tell(f"a job is highlighted by its number, such as 17, not {number!r}", bad=True)
            return
        self._highlight = Highlight(
            team=self._team.value or None,
            job=int(number) if number else None,
            time=None if self._at_end else int(self._time.value or 0) * HOUR,
        )
        self._board.show(self.results, self._highlight)

    # what the play shows; `_hear` is called from its thread

    def _hear(self, frame: Frame) -> None:
        self._latest = frame
        if frame.state != "running":
            self._heard.set()
        if not self._waiting:
            self._waiting = True
            self._post(self._look)

    def _look(self) -> None:
        self._waiting = False
        frame = self._latest
        if frame is None:
            return
        self._bar.show(frame)
        if frame.problem:
            self._tell(frame.problem, bad=True)
        self._controls.tell_asked(frame.asked)
        if frame.results and frame.results is not self.results:
            self.results = frame.results
            self._show_results()

    def _show_results(self) -> None:
        first = self.results[0]
        teams = [str(node) for node in first.shares["node"].cat.categories if str(node) != "root"]
        options = {"nobody": "", **{plain(team): team for team in teams}}
        if options != self._team.options:
            self._team.options = options
        hours = max(1, first.horizon // HOUR)
        self._time.end = hours
        if self._at_end:
            self._time.value = hours
        show_table(self._waits, _side_by_side(self.results))
        self._board.show(self.results, self._highlight)
        self._against.show(self.results, self._highlight)
        pressure = first.summary["pressure"]
        if pressure is not None and pressure < LITTLE:
            self._tell(
                f"Little competition: {pressure:.1f} times the GPUs are wanted, so policies look alike. "
                f"Raise the demand above {LITTLE} times to see a difference.",
                bad=False,
            )

    def _tell(self, text: str, *, bad: bool) -> None:
        say(self._banner, text, role="alert" if bad else "note")
        self._banner.visible = bool(text)

    def close(self) -> None:
        """End the runs; the page shows what it has."""
        self._play.close()

    # what can be kept

    def _address(self) -> str:
        return f"?w={to_link(self.settings)}"

    def _scenario_file(self) -> StringIO:
        return StringIO(dumps(scenarios_of(self._base, self.settings)[1]))

    def _tables_file(self) -> BytesIO:
        """Return what is shown, as one CSV file for each picture and one for the waits, packed together."""
        shown = {"waits": _side_by_side(self.results)} if self.results else {}
        cards = [*self._board.cards.values(), self._against]
        shown |= {card.title: card.picture.table for card in cards if card.picture is not None}
        packed = BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as files:
            for name, table in shown.items():
                files.writestr(f"{name.lower().replace(' ', '-')}.csv", table.to_csv())
        packed.seek(0)
        return packed

    def _push(self, pane: Any) -> None:
        if not pn.state.curdoc:  # in a notebook, what Bokeh was told has to be sent on
            pn.io.push_notebook(pane)


def _heading(text: str, tag: str = "h2") -> pn.widgets.StaticText:
    made = words(HEADING)
    say(made, text, tag)
    return made


def _side_by_side(results: Sequence[Result]) -> Any:
    """Return the waits under each policy, by kind of work, as one table."""
    import pandas as pd

    found = {
        f"{letter} {plain(result.summary['policy'])}": table_of_waits(result).drop(columns="jobs")
        for letter, result in zip("AB", results, strict=False)
    }
    return pd.concat(found, axis=1)


def _poster() -> Callable[[Callable[[], None]], Any]:
    """Return what has something done soon in the thread that the page belongs to, from whichever thread it is asked."""
    document = pn.state.curdoc
    if document is not None:
        return document.add_next_tick_callback
    try:
        loop = asyncio.get_running_loop()
    except RuntimeError:  # nobody's page: do it at once
        return lambda act: act()
    return loop.call_soon_threadsafe


def from_address(scenario: str, text: str) -> Workbench:
    """Return the workbench that a link asks for; where the link is damaged, the usual one, which says so."""
    if not text:
        return Workbench(scenario)
    try:
        return Workbench(scenario, settings=from_link(text))
    except AllotmentError as error:
        made = Workbench(scenario)
        made._tell(str(error), bad=True)  # noqa: SLF001 - its own maker
        return made
